"""Code in the outputs of lessons is readable in light and dark themes, on a page
without its own code colours. JupyterLab is in test_course_in_a_browser.
"""

import pytest

import steps
from steps import step32, step33
from steps.course import listings
from tests.course.texts import text
from tests.support.browser import NEEDED, launched

pytestmark = NEEDED

CONTRASTS = text("contrasts.js")
# Text and background colours of the site.
PAPERS = [("#000000", "#ffffff"), ("#cfd0d0", "#131416")]


def shown():
    """Make a listing with code of every colour, and differences."""
    listing = listings.Listing(
        "@meta  # a comment\ndef f(x: int = 1):\n    return abs(x) - 2 in 'text'"
    )
    changed = steps.source(step33.add, before=step32.add)
    all_three = listing, changed, steps.diff(7, 8)
    return "".join(one._repr_html_() for one in all_three)


def weak(page):
    """Find the pieces of code on a page whose contrast or size is too small."""
    found = page.evaluate(CONTRASTS, ".course-code")
    kinds = {"@meta", "def", "f", "# a comment", "abs", "2", "'text'"}
    assert kinds <= {words for words, *_ in found}
    return [one for one in found if one[1] < 4.5 or one[2] != "13px"]


@pytest.mark.parametrize(("ink", "paper"), PAPERS)
def test_code_can_be_read_on_a_page_without_colours_for_it(ink, paper):
    with launched() as browser:
        page = browser.new_page()
        page.set_content(
            f'<body style="color:{ink}; background:{paper}">{shown()}</body>'
        )
        assert weak(page) == []
