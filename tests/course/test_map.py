"""The map, and the links between the lessons."""

import json
import re

import numpy as np
import pytest

from steps.course import builder, overview
from steps.course.lessons import LESSONS, MAP, NOTEBOOKS, head, notebook_path, numbers
from tests.course.test_builder import LESSON, no_kernel, one_step  # noqa: F401
from tests.course.texts import text

LINK = re.compile(r"\]\(([^)]+\.ipynb)\)")
TOY_MAP = text("little_map.md")


def texts(book):
    return ["".join(c["source"]) for c in book["cells"] if c["cell_type"] == "markdown"]


def test_every_step_stands_on_the_map_once_and_under_its_own_title():
    assert [n for stage in overview.read_stages() for n in stage.steps] == numbers()
    text = "\n".join(texts(builder.assemble(MAP)))
    for number in numbers():
        assert f"{number}. [{head(number).title}](step{number:02d}.ipynb)" in text
    assert {f"step{n:02d}.ipynb" for n in numbers()} == set(LINK.findall(text))


@pytest.fixture
def room(one_step):  # noqa: F811
    """The folder of a course with a map and one lesson."""
    room = one_step().parents[1] / "steps"
    (room / "start.md").write_text(TOY_MAP, encoding="utf-8")
    return room


def add_second(room, lesson):
    (room / "step02.md").write_text(lesson, encoding="utf-8")
    (room / "step02.py").write_text("", encoding="utf-8")


def test_the_map_links_to_what_is_there(room):
    (text,) = texts(builder.assemble(MAP))
    assert "1. [A little lesson](step01.ipynb), 1 minutes" in text
    (stage,) = overview.read_stages()
    assert (stage.title, stage.gain) == ("beginnings", "numbers double.")
    assert stage.steps == {1: "A little lesson"}


def test_a_lesson_links_to_the_map_and_its_neighbours(room):
    add_second(room, LESSON.replace("Step 1: A little", "Step 2: Another"))
    books = [builder.assemble(number)["cells"] for number in (1, 2)]
    assert [book[i]["source"] for book in books for i in (1, -1)] == [
        ways for number in (1, 2) for ways in [overview.make_navigation(number)] * 2
    ]
    first, last = texts(builder.assemble(1)), texts(builder.assemble(2))
    assert first[1] == first[-1]
    home = "[The map](start.ipynb)"
    assert first[1] == f"{home} · next: [2. Another lesson](step02.ipynb)"
    assert last[1] == f"{home} · before: [1. A little lesson](step01.ipynb)"


def test_every_lesson_leads_to_the_map_and_on():
    steps = numbers()
    for place, number in enumerate(steps):
        around = [*steps[max(place - 1, 0) : place], *steps[place + 1 : place + 2]]
        links = LINK.findall(overview.make_navigation(number))
        assert links == ["start.ipynb", *(f"step{n:02d}.ipynb" for n in around)]
        assert all((NOTEBOOKS / link).exists() for link in links)


def test_a_change_of_a_title_next_door_makes_a_notebook_stale(room, no_kernel):  # noqa: F811
    builder.build(1)
    builder.build(MAP)
    assert builder.explain_staleness(1) is None
    assert builder.explain_staleness(MAP) is None
    add_second(room, LESSON.replace("Step 1", "Step 2"))
    assert "the title of a lesson" in builder.explain_staleness(1)
    assert "changed since" in builder.explain_staleness(MAP)


def test_in_the_maps_picture_each_stage_has_a_row_and_each_step_a_dot(monkeypatch):
    import matplotlib.pyplot as plt

    monkeypatch.setattr(plt, "show", lambda: None)
    with plt.style.context(["default", str(LESSONS / "course.mplstyle")]):
        overview.picture()
        ax = plt.gca()
        ax.figure.canvas.draw()

    def edges(text):
        # Left, right, top and bottom in the picture's own units, from its top left.
        box = (text.get_bbox_patch() or text).get_window_extent()
        (left, bottom), (right, top) = ax.transData.inverted().transform(box)
        return left, right, top, bottom

    texts = iter(ax.texts)
    rows = zip(overview.read_stages(), ax.lines, strict=True)
    for row, (stage, line) in enumerate(rows):
        title, gain = next(texts), next(texts)
        dots = [next(texts) for _ in stage.steps]
        assert title.get_text().lower() == f"{row + 1}  {stage.title}".lower()
        assert gain.get_text() == f"After it, {stage.gain}"
        assert [dot.get_text() for dot in dots] == [str(n) for n in stage.steps]
        # In its own row, the title above the dots, and below them what it brings.
        heights = [y for text in (title, dots[0], gain) for y in edges(text)[2:]]
        assert heights == sorted(heights)
        assert row - 0.5 < heights[0] < heights[-1] < row + 0.5
        # The line goes from the first dot to the last, and not beyond.
        ends = line.get_xdata()
        assert np.allclose(ends, [edges(dots[0])[0], edges(dots[-1])[1]], atol=0.15)
        assert set(line.get_ydata()) == {row}
        # Nothing is cut off on the left, and there is not much room.
        assert 0 <= edges(title)[0] - ax.get_xlim()[0] < 0.3
    assert next(texts, None) is None
    plt.close()


def test_the_map_shows_its_picture_and_reads_digits():
    book = json.loads(notebook_path(MAP).read_text(encoding="utf-8"))
    outputs = [o for c in book["cells"] for o in c.get("outputs", [])]
    pictures = [o for o in outputs if "image/png" in o.get("data", {})]
    assert len(pictures) == 2
    assert any("at least 9 of 10" in "".join(o.get("text", "")) for o in outputs)
