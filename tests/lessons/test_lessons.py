"""Every lesson against the guards, and every guard against a planted fault."""

import copy
import re
from importlib import import_module

import pytest

import dezero_lite
from dezero_lite.functions import elementwise
from steps.course import builder, lessons
from steps.course.definitions import definitions
from steps.course.lessons import (
    ROOT,
    Head,
    StepKind,
    head,
    kind,
    lesson_path,
    module_path,
    numbers,
    of_kind,
    previous,
    stands_alone,
)
from tests.support import lesson_checks as checks
from tests.support import public_names
from tests.support.lesson_checks import code_cells, notebook

SNAPSHOTS = of_kind(StepKind.SNAPSHOT)
PACKAGE_STEPS = of_kind(StepKind.PACKAGE)
DESIGNS = of_kind(StepKind.DESIGN)
# From here on, the heart of a package step is written before it is shown.
FIRST_WRITTEN = 25

TESTED = {
    name
    for path in (ROOT / "tests" / "package").glob("*.py")
    for name in public_names.names_used(path.read_text(encoding="utf-8"))
}

GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")


def lesson(number):
    return lesson_path(number).read_text(encoding="utf-8")


def module(number):
    return module_path(number).read_text(encoding="utf-8") if number else ""


def public(number):
    """The public names that are introduced up to a step; the designs come after all of
    them.
    """
    if kind(number) is StepKind.DESIGN:
        return [*public_names.public_names(), *dezero_lite.__all__]
    steps = [n for n in PACKAGE_STEPS if n <= number]
    return import_module(f"steps.step{steps[-1]:02d}").__all__ if steps else []


def planted(number, change):
    """A notebook with a fault."""
    faulty = copy.deepcopy(notebook(number))
    change(faulty)
    assert faulty != notebook(number)
    return faulty


def test_the_course_has_no_gap():
    assert numbers() == list(range(1, len(numbers()) + 1))


def test_every_step_has_a_lesson_and_a_module():
    assert lessons.halves() == []


def test_every_step_has_one_kind():
    assert [kind(n).name for n in (1, 22, 23, 31, 32, 33, 60, 61, 68, 69)] == [
        *["SNAPSHOT"] * 2,
        *["PACKAGE"] * 2,
        "SNAPSHOT",
        *["PACKAGE"] * 2,
        *["DESIGN"] * 2,
        "PACKAGE",
    ]
    assert [previous(n) for n in (1, 8, 23, 32, 62, 63, 64)] == [0, 7, 0, 22, 0, 62, 0]
    assert [n for n in (8, 24, 66, 67, 68) if stands_alone(n)] == [8, 66]
    assert (previous(31), previous(33)) == (30, 31)


@pytest.mark.parametrize("number", numbers())
@pytest.mark.parametrize(
    "guard",
    [
        checks.not_run_in_order,
        checks.careless_tags,
        checks.too_wide,
        checks.pictures_without_words,
    ],
)
def test_notebooks(guard, number):
    assert guard(notebook(number)) == []


@pytest.mark.parametrize("number", numbers())
@pytest.mark.parametrize("guard", [checks.unwritten, checks.unkind_words])
def test_texts(guard, number):
    assert guard(lesson(number)) == []


ELSEWHERE = re.compile(r"<(?:link|script|img|iframe)[^>]*(?:src|href)=.?.?https?:")


@pytest.mark.parametrize("number", [*numbers(), lessons.MAP])
def test_a_notebook_asks_no_other_host_for_anything(number):
    text = lessons.notebook_path(number).read_text(encoding="utf-8")
    assert not ELSEWHERE.search(text.replace("\\n", " "))


@pytest.mark.parametrize("number", numbers())
def test_a_lesson_has_its_parts(number):
    written = number >= FIRST_WRITTEN and kind(number) is StepKind.PACKAGE
    assert checks.misshapen(lesson(number), written) == []


@pytest.mark.parametrize("number", numbers())
def test_a_notebook_is_what_the_builder_gives(number):
    assert builder.why_stale(number) is None


@pytest.mark.parametrize("number", numbers())
def test_a_lesson_uses_nothing_from_a_later_step(number):
    assert checks.from_a_later_step(lesson(number), number, public(number)) == []


@pytest.mark.parametrize("number", numbers())
def test_the_head_states_the_time_that_the_lesson_takes(number):
    stated, counted = head(number).minutes, checks.minutes(notebook(number))
    assert stated == counted, f"the head says {stated} minutes, and {counted} it takes"
    assert counted <= 45


@pytest.mark.parametrize("number", PACKAGE_STEPS)
def test_a_package_step_shows_and_announces_what_is_new(number):
    own = [name for name in definitions(module(number)) if "." not in name]
    new = [name for name in public(number) if name not in public(previous(number))]
    assert sorted(head(number).new) == sorted(own + new)
    things = public_names.public_names()
    values = [name for name in new if not callable(things[name])]
    new = [name for name in new if name not in values]
    assert checks.package_step_not_shown(lesson(number), own, new, values) == []


@pytest.mark.parametrize("number", PACKAGE_STEPS)
def test_package_steps_are_cumulative_and_take_their_names_from_the_package(number):
    step = import_module(f"steps.step{number:02d}")
    assert len(set(step.__all__)) == len(step.__all__)
    assert set(public(previous(number))) <= set(step.__all__)
    assert all(
        getattr(step, name) is public_names.public_names()[name]
        for name in step.__all__
    )


def test_every_public_name_has_all_that_it_needs():
    if complaints := public_names.complaints(public(PACKAGE_STEPS[-1]), TESTED):
        pytest.fail("\n\n".join(complaints), pytrace=False)


@pytest.mark.parametrize("number", numbers())
def test_terms_stand_in_the_glossary(number):
    assert checks.unknown_terms(lesson(number), number, GLOSSARY) == []


@pytest.mark.parametrize("number", SNAPSHOTS)
def test_a_lesson_shows_what_its_step_changes(number):
    assert (
        checks.not_shown(lesson(number), module(previous(number)), module(number)) == []
    )


@pytest.mark.parametrize("number", SNAPSHOTS)
def test_the_line_under_the_title_is_true(number):
    assert (
        checks.wrongly_announced(head(number), module(previous(number)), module(number))
        == []
    )


@pytest.mark.parametrize("number", [n for n in numbers() if previous(n)])
def test_what_a_step_does_not_change_is_identical(number):
    assert checks.drifted(module(previous(number)), module(number)) == []


@pytest.mark.parametrize("number", [n for n in numbers() if stands_alone(n)])
def test_a_snapshot_or_a_design_stands_alone(number):
    assert checks.foreign_imports(module(number)) == []


@pytest.mark.parametrize("number", DESIGNS)
def test_a_design_is_shown_whole_and_announces_public_names(number):
    before = module(previous(number))
    assert checks.not_shown(lesson(number), before, module(number)) == []
    assert head(number).new
    assert set(head(number).new) <= set(import_module(f"steps.step{number}").__all__)


# --- The guards themselves: each sees the fault that it is there for ------------------


def test_a_cell_that_was_not_run_is_seen():
    assert checks.not_run_in_order(
        planted(8, lambda nb: code_cells(nb)[3].update(execution_count=None))
    )


def test_a_cell_that_was_run_twice_is_seen():
    assert checks.not_run_in_order(
        planted(8, lambda nb: code_cells(nb)[3].update(execution_count=40))
    )


def measured(nb):
    return next(
        cell for cell in code_cells(nb) if "nbval-ignore-output" in checks.tags(cell)
    )


def test_an_ignored_cell_without_a_reason_is_seen():
    assert checks.careless_tags(
        planted(8, lambda nb: measured(nb).update(source=["plt.plot(times)"]))
    )


def test_an_ignored_cell_without_an_assertion_under_it_is_seen():
    def without_assertions(nb):
        for cell in code_cells(nb):
            cell["source"] = checks.source(cell).replace("assert ", "")

    assert checks.careless_tags(planted(8, without_assertions))


def test_an_unknown_tag_is_seen():
    assert checks.careless_tags(
        planted(
            1,
            lambda nb: code_cells(nb)[0]["metadata"].update(tags=["skip"]),
        )
    )


def test_longer_lessons_take_longer():
    def with_more(kind, text, count):
        cell = {"cell_type": kind, "metadata": {}, "source": [text] * count}
        return planted(3, lambda nb: nb["cells"].append(cell))

    now = checks.minutes(notebook(3))
    assert checks.minutes(with_more("markdown", "word ", 1300)) == now + 10
    assert checks.minutes(with_more("code", "x = 1\n", 150)) == now + 10
    assert checks.minutes(with_more("code", "steps.diff(15, 16)\n", 1)) > now + 3
    shows = "from steps import step22\nsteps.source(step22.Variable)\n"
    assert checks.minutes(with_more("code", shows, 1)) > now + 3


def test_wide_code_is_seen():
    assert checks.too_wide(
        planted(1, lambda nb: code_cells(nb)[0].update(source=["x" * 89]))
    )


def test_a_picture_without_words_is_seen():
    with_picture = next(c for c in code_cells(notebook(4)) if "alt" in c["metadata"])

    def silent(nb):
        for cell in code_cells(nb):
            if cell["id"] == with_picture["id"]:
                del cell["metadata"]["alt"]

    assert checks.pictures_without_words(planted(4, silent))


def test_a_lesson_in_which_nothing_is_written_is_seen():
    whole = "\n\n".join(f"## {part}" for part in checks.SECTIONS)
    written = whole.replace(
        "## The code", "## Write it\n\n### Exercise 1\n\n## The code"
    )
    assert len(checks.misshapen(written, True)) == 1  # the other exercises
    assert len(checks.misshapen(whole, True)) == 3
    assert len(checks.misshapen(written.replace("Exercise 1", "A task"), True)) == 2


def test_a_missing_part_is_seen():
    assert checks.misshapen(lesson(3).replace("## The trap", "## A trap"))


def test_an_exercise_without_a_check_is_seen():
    assert checks.misshapen(
        lesson(3).replace(":tags: [check]", ":tags: [hide-input]", 1)
    )


def test_an_unkind_word_is_seen():
    assert checks.unkind_words("You just call it.")
    assert not checks.unkind_words("Adjust it.\n\n```\njust = 1\n```")


def complaints_about(name, introduced, tested):
    return [
        text
        for text in public_names.complaints(introduced, tested)
        if f"public name {name} " in text
    ]


def test_all_that_a_new_public_name_lacks_is_said_at_once(monkeypatch):
    def cubic(x):
        return x**3

    monkeypatch.setattr(elementwise, "cubic", cubic, raising=False)
    monkeypatch.setattr(elementwise, "__all__", [*elementwise.__all__, "cubic"])
    introduced = public(PACKAGE_STEPS[-1])
    (text,) = complaints_about("cubic", introduced, TESTED)
    for part in ("functions/__init__.py", "docstring", "tests/package/", "which step"):
        assert part in text
    assert [line[:2] for line in text.splitlines()[1:]] == ["1.", "2.", "3.", "4."]

    cubic.__doc__ = "The cube of `x`."
    monkeypatch.setattr(dezero_lite.functions, "cubic", cubic, raising=False)
    monkeypatch.setattr(
        dezero_lite.functions, "__all__", [*dezero_lite.functions.__all__, "cubic"]
    )
    (text,) = complaints_about("cubic", introduced, TESTED | {"cubic"})
    assert "1. Say which step introduces it" in text
    assert "2." not in text
    introduced = [*introduced, "cubic"]
    assert complaints_about("cubic", introduced, TESTED | {"cubic"}) == []


def test_a_name_counts_as_tested_where_it_is_taken_from_the_package():
    text = """
import dezero_lite.functions as F
import numpy as np
from dezero_lite.layers import Linear
np.cos(1), F.sin(x), Linear(3), x.exp, dezero_lite.functions.log(x)
"""
    assert public_names.names_used(text) == {"Linear", "sin", "log"}


def test_a_name_without_a_thing_is_seen():
    introduced = [*public(PACKAGE_STEPS[-1]), "ghost"]
    (text,) = complaints_about("ghost", introduced, TESTED)
    assert "the package does not have it" in text


def test_a_term_that_is_not_in_the_glossary_is_seen():
    assert checks.unknown_terms("A **tape** is", 7, GLOSSARY) == []
    assert checks.unknown_terms("A **tape** is", 8, GLOSSARY)
    assert checks.unknown_terms("A **ribbon** is", 7, GLOSSARY)


def test_a_definition_that_is_not_shown_is_seen():
    hidden = lesson(8).replace("# %load -s Variable,", "# %load -s ")
    assert checks.not_shown(hidden, module(7), module(8)) == [
        "Variable.backward is not shown"
    ]


def test_a_false_line_under_the_title_is_seen():
    def complaints(**announced):
        facts = {"new": [], "changed": ["Variable.backward"], "gone": []} | announced
        return checks.wrongly_announced(Head("", 10, **facts), module(7), module(8))

    assert complaints() == []
    assert complaints(changed=[]) == ["Variable changed and is not announced"]
    assert complaints(changed=["Variable", "Square"]) == [
        "Square is announced and did not change"
    ]
    assert complaints(changed=["Variable.rewind"]) == [
        "Variable.rewind is announced and does not exist"
    ]
    assert complaints(new=["Variable.creator"]) == [
        "Variable.creator is announced as new and is old"
    ]
    assert complaints(gone=["Square"]) == ["Square: gone, or not gone"]


def test_a_name_from_the_future_is_seen():
    cell = (
        "```{code-cell} ipython3\nfrom dezero_lite import Variable, "
        "Adam\ndezero_lite.no_grad()\n```\n"
    )
    assert checks.from_a_later_step(cell, 24, ["Variable", "no_grad"]) == [
        "uses Adam of the package"
    ]
    assert len(checks.from_a_later_step(cell, 9)) == 3
    shown = "from dezero_lite.core import walk\nsteps.side_by_side(f, walk)\n```\n"
    cell = "```{code-cell} ipython3\n" + shown
    assert checks.from_a_later_step(cell, 23) == []
    assert checks.from_a_later_step(cell.replace("f, walk", "f, g"), 23)


def test_a_public_name_that_is_not_shown_is_seen():
    text = (
        "```{code-cell} ipython3\n# %load -s sphere "
        "../steps/step24.py\n```\nsteps.source(Variable.backward)"
    )
    assert checks.package_step_not_shown(text, ["sphere"], ["Variable"]) == []
    beside = "steps.side_by_side(step22.Variable, Variable)"
    assert checks.package_step_not_shown(beside, [], ["Variable"]) == []
    assert checks.package_step_not_shown(text, ["matyas"], []) == [
        "matyas is not shown"
    ]


def test_a_public_value_that_is_not_used_is_seen():
    cell = "```{code-cell} ipython3\nfrom steps.step51 import folder\n```\n"
    assert checks.package_step_not_shown(cell, [], [], ["folder"]) == [
        "folder is not shown"
    ]
    used = cell.replace("\n```", "\nprint(folder)\n```")
    assert checks.package_step_not_shown(used, [], [], ["folder"]) == []


def test_a_step_from_the_future_is_seen():
    assert checks.from_a_later_step("from steps.step09 import square", 8) == [
        "uses step 9"
    ]
    assert checks.from_a_later_step("from steps.step08 import Square", 8) == []


@pytest.mark.parametrize(
    ("letters", "others"),
    [
        ("x = f.input", "x  = f.input"),
        ("return x**2", "return (x**2)"),
        ('"""y = x²"""', '"""The square."""'),
    ],
)
def test_letters_that_drift_are_seen(letters, others):
    assert letters in module(7)
    assert checks.drifted(module(7), module(7).replace(letters, others))


def test_a_real_change_is_no_drift():
    assert (
        checks.drifted(module(7), module(7).replace("return x**2", "return x**3")) == []
    )


def test_a_foreign_import_is_seen():
    assert checks.foreign_imports(
        "import numpy as np\nimport heapq\nfrom .step01 import Variable\nimport scipy"
    ) == [
        "imports .step01",
        "imports scipy",
    ]
