"""Translate pages of Markdown outside the lessons: the README and pages of the docs."""

from ..lessons import ROOT
from ..workshop.hints import read_hints
from .catalogues import look_up, update
from .markdown import replace_units
from .notebooks import HINTS

PAGES = "README.md", "docs/learn.md"


def name_catalogue(page):
    """Return the name of a page's catalogue, such as docs-learn."""
    return f"docs-{page.rpartition('/')[2].removesuffix('.md')}"


def translate_page(page, language):
    """Return the text of a page in another language."""
    name = name_catalogue(page)
    text = (ROOT / page).read_text(encoding="utf-8")
    return replace_units(text, lambda unit: look_up(language, name, unit) or unit)


def update_pages(language):
    """Bring the catalogues of the pages, and of the workshop's hints, up to date."""
    for page in PAGES:
        found: list[str] = []
        text = (ROOT / page).read_text(encoding="utf-8")
        replace_units(text, lambda unit, found=found: found.append(unit) or unit)
        update(language, name_catalogue(page), [(unit, None, page) for unit in found])
    hints = {text: key[0] for key, pair in read_hints().items() for text in pair}
    units = [(text, None, f"step {number}") for text, number in hints.items()]
    update(language, HINTS, units)
