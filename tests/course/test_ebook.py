"""How the ebook renders formulas and players."""

import runpy
from xml.etree import ElementTree

import pytest

from steps.course.lessons import ROOT
from tests.support.needs import needs

pytestmark = needs("sphinx", "bs4")


@pytest.fixture(scope="module")
def ebook():
    return runpy.run_path(str(ROOT / "docs" / "ebook" / "conf.py"))


def formulas():
    """Return the formulas of all lessons, as markdown-it finds them."""
    from myst_parser.mdit_to_docutils.base import DocutilsRenderer
    from myst_parser.parsers.mdit import MdParserConfig, create_md_parser

    config = MdParserConfig(enable_extensions={"dollarmath"})
    parser = create_md_parser(config, DocutilsRenderer)
    for path in sorted((ROOT / "steps").glob("step*.md")):
        for token in parser.parse(path.read_text(encoding="utf-8")):
            for part in token.children or [token]:
                if part.type.startswith("math"):
                    yield part.content.strip(), part.type.startswith("math_block")


def test_every_formula_of_a_lesson_becomes_mathml(ebook):
    found = list(formulas())
    assert len(found) > 40
    for text, block in found:
        ElementTree.fromstring(ebook["mathml"](text, block))


def test_of_a_player_its_picture_and_sentences_stay(ebook):
    player = """<iframe title="a > b" srcdoc='<p>"c" > d'><img><ol></ol></iframe>"""
    assert ebook["PLAYER"].sub(r"\1", player) == "<img><ol></ol>"
