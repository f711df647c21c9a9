"""Slides: their content, and that a browser shows them without a network."""

import html
import json
import re

import pytest

from steps.course import builder, exercises, slides
from steps.course.commands import main
from steps.course.lessons import CourseError, notebook_path
from tests.support import browser
from tests.support.needs import needs

# jupyterlab installs it
pytestmark = needs("nbconvert")


@pytest.fixture
def bare(monkeypatch):
    """Make pages without the packages that display them, which may be missing."""
    monkeypatch.setattr(slides, "_read_asset", lambda *names: "")


@pytest.mark.slow
@pytest.mark.parametrize("number", [8, 23, 33])
def test_exercises_and_imports_are_not_on_slides(bare, number):
    text = "\n".join(cell["source"] for cell in slides._select_cells(number))
    assert "## The code" in text
    assert not re.search("^#+ (Exercise|Write it)", text, re.M)
    found = exercises.find_exercises(builder.read_lesson_cells(number))
    assert len(found) >= 2
    for exercise in found:
        for code in (exercise.solution, exercise.check):
            assert code not in text
            assert exercises.replace_solutions(code) not in text
        assert not any(hint in text for hint in exercise.hints)
    page = slides.make_page(number)
    assert "is right." not in page
    assert "](step" not in page
    (first,) = re.findall("(<section><section>.*?</section>)", page, re.S)[:1]
    assert "<h1" in first
    assert 'class="kn"' not in first  # a keyword of imports


@pytest.mark.slow
def test_outputs_and_pictures_are_on_slides_and_nothing_is_fetched(bare, caplog):
    page = slides.make_page(8)
    notebook = json.loads(notebook_path(8).read_text(encoding="utf-8"))
    outputs = [x for cell in notebook["cells"] for x in cell.get("outputs", ())]
    kinds = [set(output.get("data", ())) for output in outputs]
    pictures = sum("image/png" in kind for kind in kinds)
    assert "y = 100000.0, x.grad = 1.0" in page
    assert page.count("<iframe ") == 1  # the player
    assert page.count("data:image/png") == pictures > 1
    words = [cell["metadata"].get("alt") for cell in notebook["cells"]]
    assert all(html.escape(alt, quote=False) in page for alt in words if alt)
    assert "Alternative text" not in caplog.text
    assert not re.search(r'(src|href)="(https?:)?//[^"]*\.(js|css)', page)


def test_a_part_of_the_lesson_begins_a_column_and_a_text_a_slide():
    texts = "# Title\n\nWords.\n\n## One\n\nMore.", "So much.\n\n### Two\n\nEnd."
    first, last = (builder.cut(x, "#{1,3}") for x in map(builder.make_text_cell, texts))
    cells = [*first, builder.make_code_cell("# no heading"), *last]
    heads = lambda slide: [cell["source"].split("\n")[0] for cell in slide]
    (title,), one = [[*map(heads, column)] for column in slides.group_slides(cells)]
    assert title == ["# Title"]
    assert one == [["## One", "# no heading"], ["So much."], ["### Two"]]


def test_slides_that_are_there_stay(bare, tmp_path, capsys):
    path = tmp_path / "slides.html"
    path.write_text("mine", encoding="utf-8")
    assert main(["slides", "8", "-o", str(path)]) == 1
    assert "was left alone" in capsys.readouterr().err
    assert path.read_text(encoding="utf-8") == "mine"


def test_what_is_not_installed_is_named_and_a_script_cannot_end_its_element():
    with pytest.raises(CourseError, match=r"Slides need no_such.*classroom"):
        slides._read_asset("no_such", "folder", "file")
    assert "</script" not in slides._escape_script("'</script>'")


# For a slide: how far it overflows the screen, the sizes of its code in screen pixels,
# and its pieces of code, each of which must end where code may be split.
SEEN = """() => [...document.querySelectorAll("section > section")].map(slide => {
  Reveal.slide(...Object.values(Reveal.getIndices(slide)));
  const codes = [...slide.querySelectorAll("pre")].filter(pre => pre.offsetParent);
  const size = pre => parseFloat(getComputedStyle(pre).fontSize) * Reveal.getScale();
  const written = codes.filter(pre => pre.closest(".input_area, .highlight"));
  return {
    title: slide.innerText.slice(0, 40),
    below: slide.scrollHeight - slide.clientHeight,
    beside: slide.scrollWidth - slide.clientWidth,
    sizes: codes.map(size),
    code: written.map(pre => pre.textContent.trim()),
  };
})"""


@browser.needed
@needs(slides.REVEAL[0], slides.MATHJAX[0])
@pytest.mark.parametrize("number", [8, 16, 33, 60])
def test_on_a_small_projector_no_slide_is_cut_and_code_is_large(number, tmp_path):
    path = slides.write_slides(number, tmp_path / "slides.html")
    with browser.launched() as running:
        page = running.new_page(viewport={"width": 1024, "height": 768})
        page.goto(path.as_uri())
        page.wait_for_function("window.Reveal?.isReady()", timeout=120_000)
        seen = page.evaluate(SEEN)
    assert [one for one in seen if max(one["below"], one["beside"]) > 1] == []
    assert min(size for one in seen for size in one["sizes"]) >= 20
    # Nothing is lost, and no split follows a line that opens a block.
    code = [text for one in seen for text in one["code"]]
    assert not [text for text in code if text.endswith(":")]
    shown = [c for c in slides._select_cells(number) if c["cell_type"] == "code"]
    folded = exercises.FOLDED
    open_ = [c["source"] for c in shown if folded not in c["metadata"].get("tags", ())]
    lines = lambda texts: {line.strip() for text in texts for line in text.splitlines()}
    assert lines(open_) - lines(code) <= {""}


@browser.needed
@needs(slides.REVEAL[0], slides.MATHJAX[0])
@pytest.mark.parametrize("number", [16, 33])
def test_a_browser_shows_them_without_a_network(number, tmp_path):
    path = slides.write_slides(number, tmp_path / "slides.html")
    with browser.launched() as running:
        page = running.new_context(offline=True).new_page()
        asked, errors = [], []
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(path.as_uri())
        page.wait_for_function("window.Reveal && Reveal.isReady()", timeout=120_000)
        if number == 33:
            page.wait_for_selector("mjx-container svg", timeout=120_000)
        before = page.evaluate("Reveal.getIndices().h")
        page.keyboard.press("ArrowRight")
        page.wait_for_function(f"Reveal.getIndices().h === {before} + 1")
        if number == 16:
            assert page.locator("iframe").count() > 0
        slide = page.evaluate("Reveal.getCurrentSlide().querySelector('h2').innerText")
        assert slide.strip()
    assert errors == []
    assert [url for url in asked if url.startswith("http")] == []
