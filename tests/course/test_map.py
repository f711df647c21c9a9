"""The map, and the links between lessons."""

import html
import json
import re

import pytest

from steps.course import builder, overview
from steps.course.lessons import (
    MAP,
    NOTEBOOKS,
    notebook_path,
    numbers,
    read_header,
    stem,
)
from tests.course.authors.test_builder import LESSON, no_kernel, one_step  # noqa: F401
from tests.course.texts import text

LINK = re.compile(r"\]\(([^)]+\.ipynb)\)")
TOY_MAP = text("little_map.md")


def texts(book):
    return ["".join(c["source"]) for c in book["cells"] if c["cell_type"] == "markdown"]


def test_every_step_stands_on_the_map_once_and_under_its_own_title():
    assert [n for stage in overview.read_stages() for n in stage.steps] == numbers()
    text = "\n".join(texts(builder.assemble(MAP)))
    for number in numbers():
        title = read_header(number).title
        assert f"{number}. [{title}](step{number:02d}.ipynb)" in text
    assert {f"step{n:02d}.ipynb" for n in numbers()} == set(LINK.findall(text))


@pytest.fixture
def room(one_step):  # noqa: F811
    """Create a course with a map and one lesson; return its folder."""
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
    assert "has changed" in builder.explain_staleness(MAP)


def test_in_the_maps_picture_each_stage_has_a_row_and_each_step_a_link():
    page = overview.picture().data
    rows = re.split(r"<p><strong>", page)[1:]
    stages = overview.read_stages()
    for count, (stage, row) in enumerate(zip(stages, rows, strict=True), 1):
        assert row.lower().startswith(f"{count}  {html.escape(stage.title)}".lower())
        dots = re.findall(r'<a href="(step\d\d)\.ipynb".*?>(\d+)</a>', row)
        assert dots == [(stem(n), str(n)) for n in stage.steps]


def test_the_map_shows_its_picture_and_reads_digits():
    book = json.loads(notebook_path(MAP).read_text(encoding="utf-8"))
    outputs = [o for c in book["cells"] for o in c.get("outputs", [])]
    pictures = [o for o in outputs if "image/png" in o.get("data", {})]
    assert len(pictures) == 1
    assert any("at least 9 of 10" in "".join(o.get("text", "")) for o in outputs)
