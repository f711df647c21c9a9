"""Translate pages of Markdown outside the lessons: the README and pages of the docs."""

import re

from ..lessons import ROOT
from .catalogues import look_up, update
from .markdown import replace_units

README = "README.md"
PAGES = README, "docs/learn.md"
ANCHOR = re.compile(r"(?<=\]\(#)[^)]+")


def name_catalogue(page):
    """Return the name of a page's catalogue, such as docs-learn."""
    return f"docs-{page.rpartition('/')[2].removesuffix('.md')}"


def translate_page(page, language):
    """Return the text of a page in another language."""
    name, anchors = name_catalogue(page), {}

    def translate(unit):
        translation = look_up(language, name, unit) or unit
        anchors[_make_anchor(unit)] = _make_anchor(translation)
        return translation

    text = replace_units((ROOT / page).read_text(encoding="utf-8"), translate)
    return ANCHOR.sub(lambda link: anchors.get(link[0], link[0]), text)


def write_readme(language):
    """Write the README in another language, such as README.zh.md, beside the English
    one.
    """
    path = ROOT / f"README.{language.partition('_')[0]}.md"
    path.write_text(translate_page(README, language), encoding="utf-8", newline="\n")


def _make_anchor(heading):
    """Return the anchor that Sphinx and GitHub give to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def update_pages(language):
    """Bring the catalogues of the pages up to date."""
    for page in PAGES:
        found: list[str] = []
        text = (ROOT / page).read_text(encoding="utf-8")
        replace_units(text, lambda unit, found=found: found.append(unit) or unit)
        update(language, name_catalogue(page), [(unit, None, page) for unit in found])
