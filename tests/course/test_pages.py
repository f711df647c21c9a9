"""Statements on the site's pages about the course agree with the course."""

import importlib
import re
import sys

import pytest

from steps.course import lessons, overview
from steps.course.lessons import ROOT, StepKind, read_front_matter, read_header
from steps.course.lessons import numbers as all_steps

DOCS = ROOT / "docs"
TEACH = (DOCS / "teach.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def pages():
    sys.path.insert(0, str(DOCS / "_ext"))
    try:
        yield importlib.import_module("pages")
    finally:
        sys.path.remove(str(DOCS / "_ext"))


# --- short routes ---------------------------------------------------------------------

ROUTE = re.compile(
    r"\*\*Lessons\*\* (.+) · \*\*Hours\*\* ([\d.]+) · \*\*On trust\*\* (.+)\n"
)
BUILDS_ON = re.compile(r"\*\*Builds on\*\* ([^·\n]*)")


def test_a_route_names_what_it_builds_on_and_leaves_out():
    text = (DOCS / "routes.md").read_text(encoding="utf-8")
    routes = ROUTE.findall(text)
    assert len(routes) == 3
    for lessons_of_route, hours, on_trust in routes:
        chosen = steps_in(lessons_of_route)
        needed = set()
        for number in chosen:
            lesson = lessons.lesson_path(number).read_text(encoding="utf-8")
            needed |= set(map(int, re.findall(r"\d+", BUILDS_ON.search(lesson)[1])))
        assert sorted(needed - set(chosen)) == steps_in(on_trust)
        minutes = sum(read_header(number).minutes for number in chosen)
        assert f"{minutes / 60:.1f}" == hours


# --- the plans of How to teach --------------------------------------------------------


def steps_in(text):
    """Return the numbers in a text such as `1–4, (5), 6`."""
    spans = re.findall(r"(\d+)(?:–(\d+))?", text)
    spans = [range(int(first), int(last or first) + 1) for first, last in spans]
    return [number for span in spans for number in span]


def plan(title):
    """Read the table under a heading: the steps that are worked through, those that are
    told, and the minutes stated.
    """
    section = TEACH.partition(f"## {title}\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| \d+ \| ([^|]+) \| (\d+) \|", section, re.MULTILINE)
    worked = lambda steps: steps_in(re.sub(r"\([^)]*\)", "", steps))
    return [(worked(steps), steps_in(steps), int(stated)) for steps, stated in rows]


@pytest.mark.parametrize(("title", "rows"), [("Fifteen weeks", 15), ("Five days", 5)])
def test_a_plan_goes_forward_and_states_the_times_of_its_lessons(title, rows):
    found = plan(title)
    steps = [number for _, row, _ in found for number in row]
    assert steps == sorted(set(steps))
    assert set(steps) <= set(all_steps())
    assert len(found) == rows
    for row, (worked, _, stated) in enumerate(found, 1):
        minutes = sum(read_header(number).minutes for number in worked)
        assert abs(stated - minutes) <= 5, f"{title}, row {row}: {minutes} minutes"


def test_fifteen_weeks_leave_no_step_of_the_book_out_and_days_fit():
    steps = {number for _, row, _ in plan("Fifteen weeks") for number in row}
    assert steps >= set(range(1, 61))
    # Half as much again for the group, and three hours in class, one at home.
    assert all(stated * 1.5 <= 260 for _, _, stated in plan("Fifteen weeks"))
    # Without the third exercises, a day is long enough.
    for worked, row, stated in plan("Five days"):
        told = len(row) - len(worked)
        assert (stated - 8 * len(worked)) * 1.5 + 5 * told <= 365


def test_the_hours_of_the_book_are_those_that_learners_are_told():
    minutes = sum(read_header(number).minutes for number in range(1, 61))
    hours = re.search(r"about (\d+) hours", (DOCS / "learn.md").read_text("utf-8"))
    assert abs(int(hours[1]) - minutes / 60) < 3


# --- the glossary ---------------------------------------------------------------------


def test_each_term_has_one_place(pages):
    text = (DOCS / "glossary.md").read_text(encoding="utf-8")
    heads = [found["words"] for found in pages.TERM.finditer(text)]
    words = [word for words in heads for word in words.split(", ")]
    assert len(words) == len(set(words))
    places = [pages.place(words) for words in heads]
    assert len(places) == len(set(places))
    # No entry is missed.
    assert len(heads) == len(re.findall(r"^\*\*.+", text, re.MULTILINE))


def test_the_glossary_links_terms_steps_and_stages(pages):
    text = "# Glossary\n\nWords.\n\n**a, b** (1): one (2).\n\n**c** (40): two.\n"
    made = pages.linked_glossary(text)
    assert "(term-a-b)=\n**a, b** ([step 1](lessons/step01.ipynb)): one" in made
    assert "([step 2](lessons/step02.ipynb))." in made
    assert made.count("## Stage 1: ") == made.count("## Stage 4: ") == 1
    assert "## Stage 2" not in made


def test_a_lesson_links_its_new_terms_only(pages):
    text = "A **creator** and **creators**, a **graph**, and **New** names."
    made = pages.lead_to_terms(text, {"creator": "term-creator"})
    links = "[**creator**](#term-creator) and [**creators**](#term-creator)"
    assert made == f"A {links}, a **graph**, and **New** names."


# --- the reference --------------------------------------------------------------------


def test_the_reference_has_every_public_name_of_every_room_once(pages):
    assert set(pages.documented()) == set(pages.introduced())
    rooms = [pages.by_file(room).values() for room in pages.ROOMS]
    found = [name for files in rooms for names in files for name in names]
    assert sorted(found) == sorted(pages.documented())
    package = ROOT / "dezero_lite"
    paths = [*package.glob("*.py"), *package.glob("*/__init__.py")]
    for path in paths:
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        module = importlib.import_module(name.removesuffix(".__init__"))
        for public in getattr(module, "__all__", []):
            if public in pages.introduced():
                assert public in pages.documented(), f"{name}.{public}"


def test_each_name_has_a_summary_of_one_sentence(pages):
    for name, path in pages.documented().items():
        text = pages.summary(path.rpartition(".")[0], name)
        assert 10 < len(text) < 160, f"{name}: {text}"
        assert text[0].isupper() or text[0] in "`0123456789", f"{name}: {text}"
        assert text.endswith((".", "?")), f"{name}: {text}"


def test_a_method_listed_apart_is_explained_by_that_step(pages):
    explained = [
        (name, n) for n in all_steps() for name in read_front_matter(n).explains
    ]
    assert explained
    for name, step in explained:
        owner, _, method = name.partition(".")
        room = pages.documented()[owner].rpartition(".")[0]
        assert hasattr(getattr(importlib.import_module(room), owner), method), name
        text = lessons.notebook_path(step).read_text(encoding="utf-8")
        assert re.search(rf"\b{method}\b", text), f"step {step} says nothing of {name}"


def test_a_lesson_links_to_all_that_it_adds(pages):
    documented, introduced = pages.documented(), pages.introduced()
    for number in lessons.of_kind(StepKind.PACKAGE):
        links = pages.api_links(number)
        for name, step in introduced.items():
            linked = f"`{name} <{documented[name]}>`" in links
            assert linked == (step == number), f"step {number}: {name}"


def test_a_name_is_said_to_come_from_its_step(pages):
    for kind, name in (("function", "functions.sum"), ("method", "Variable.sum")):
        lines = []
        pages.name_the_step(None, kind, f"dezero_lite.{name}", None, {}, lines)
        assert lines == ["", "Introduced in :doc:`step 39 <../lessons/step39>`."]


# --- the front page, the stages -------------------------------------------------------


def test_the_front_page_has_a_dot_for_each_step():
    made = overview.make_dots(lambda n: f"lessons/step{n:02d}.html", gains=True)
    for stage in overview.read_stages():
        for number in stage.steps:
            assert f'href="lessons/step{number:02d}.html"' in made
            assert f">{number}</" in made


def test_the_front_page_plays_the_first_gradient_at_once(pages):
    made = pages.front.player()
    assert "const PAUSE = 800;" in made
    first = int(re.search(r"let now = (\d+);", made)[1])
    sentences = re.findall("<li>(.*?)</li>", made)
    assert "makes area = 25" in sentences[first]
    assert "area.grad is 1. Still to do: Add." in sentences[first + 1]
    assert "${0.7 * width}" in made
    assert not re.search("worklist", made.replace("worklist(step", ""), re.I)
    assert f"<p>{len(all_steps())} notebooks" in pages.front.intro()


def test_the_code_of_the_front_page_prints_what_it_says(capsys):
    page = (DOCS / "index.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", page, re.DOTALL)[1]
    exec(code, {})
    assert f"# {capsys.readouterr().out}" in code


def test_the_cards_of_the_front_page(pages, tmp_path):
    made = pages.front.cards(tmp_path)
    assert "loading" not in made  # lazy pictures are blank until loaded
    for printed in re.findall("<pre>(.*?)</pre>", made, re.DOTALL):
        lines = printed.split("\n")
        assert len(set(lines)) == len(lines) == 3


def test_each_step_has_a_question_that_stands_alone_and_each_page_a_place(pages):
    for number in all_steps():
        asked = pages.question(number)
        assert len(asked) > 15, f"step {number}: {asked}"
        ends = asked.endswith("?")
        assert ends or not read_front_matter(number).question, f"step {number}: {asked}"
    # It is the last step in the previous summary.
    summary = lessons.lesson_path(40).read_text("utf-8").rpartition("## Summary")[2]
    assert pages.question(41) in " ".join(summary.split())
    # Every page is in the table of contents.
    listed = (DOCS / "index.md").read_text("utf-8").splitlines()
    for path in DOCS.glob("*.md"):
        assert path.stem == "index" or path.stem in listed, path.name


# --- examples on the pages ------------------------------------------------------------


# The programs on the cluster page are files, which tests/package/on_dask.py writes and
# runs.
PAGES = sorted(set(DOCS.glob("*.md")) - {DOCS / "cluster.md"})


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_examples_on_a_page_run(path):
    text = path.read_text(encoding="utf-8")
    for code in re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        exec(compile(code, path.name, "exec"), {})


# --- the address of the course --------------------------------------------------------


@pytest.fixture
def address(pages, monkeypatch):
    """Check pages after a setting has given the repository's address."""
    module = importlib.import_module("address")

    def known(setting):
        monkeypatch.setenv("COURSE_URL", setting)
        module.repository.cache_clear()
        return module.repository()

    yield known
    module.repository.cache_clear()


@pytest.mark.parametrize(
    "setting",
    [
        "https://github.com/someone/course",
        "https://github.com/someone/course.git",
        "https://token@github.com/someone/course/",
        "git@github.com:someone/course.git",
        "ssh://git@github.com/someone/course.git",
    ],
)
def test_one_setting_feeds_every_link_that_leads_out(address, pages, setting):
    known = address(setting)
    assert known.url == "https://github.com/someone/course"
    assert known.site == "https://someone.github.io/course/"
    assert known.edit("steps/step08.md").endswith("/edit/main/steps/step08.md")
    ways = pages.front.ways_in()
    assert known.binder in ways.replace("&amp;", "&")
    assert known.url in ways
    assert f"git clone {known.url}\ncd course\npython" in pages.front.get_it()
    assert known.colab("step08.ipynb") in pages.away(8)
    assert 'href="../notebooks/step08.ipynb"' in pages.away(8)


def test_elsewhere_there_is_no_colab_and_a_path_is_no_address(address, pages):
    known = address("https://git.example.org/someone/course")
    assert (known.binder, known.site) == (None, None)
    assert "colab" not in pages.away(8)
    assert address("/srv/course") is None
    assert pages.away(8) == ""
    assert known.url not in pages.front.ways_in()
    assert "Unpack the course" in pages.front.get_it()
