"""Every lesson passes the guards, and every guard finds a planted fault."""

import copy
from dataclasses import replace

import pytest

import dezero_lite
from dezero_lite.functions import elementwise
from steps import step08, step09, step24, step71
from steps.course import lessons
from steps.course.lessons import StepKind, kind, numbers, of_kind, previous
from tests.support import lesson_checks as checks
from tests.support import public_names
from tests.support.lesson_checks import code_cells, fail_with, lesson


@pytest.mark.parametrize("number", numbers(), ids="step{:02d}".format)
def test_lesson(number):
    fail_with(checks.complaints(lesson(number)))


def test_the_course_has_no_gap_and_every_step_a_lesson_and_a_module():
    assert numbers() == list(range(1, len(numbers()) + 1))
    assert lessons.find_unpaired_files() == []


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
    assert [n for n in (8, 24, 66, 67, 68) if checks.stands_alone(n)] == [8, 66]
    assert (previous(31), previous(33)) == (30, 31)


def test_the_map_asks_no_other_host_for_anything():
    text = lessons.notebook_path(lessons.MAP).read_text(encoding="utf-8")
    assert not checks.ELSEWHERE.search(text.replace("\\n", " "))


def test_every_public_name_has_all_that_it_needs():
    introduced = checks.public(of_kind(StepKind.PACKAGE)[-1])
    fail_with(public_names.complaints(introduced, public_names.tested()))


# Later steps never handed on the names of others.
@pytest.mark.parametrize(
    "number", [n for n in of_kind(StepKind.PACKAGE) if 60 < n < 93]
)
def test_names_that_a_step_once_handed_on_are_found_with_a_warning(number):
    step, things = checks.imported(number), public_names.public_names()
    for name in checks.before(number) - vars(step).keys():
        with pytest.warns(DeprecationWarning, match=f"^import {name} from dezero_lite"):
            assert getattr(step, name) is things[name]
    with pytest.raises(ImportError, match="cannot import name 'Tape2'"):
        exec(f"from steps.step{number} import Tape2")


# --- The guards themselves: each sees the fault that it is there for ------------------


def with_text(number, old, new):
    """Make a lesson with a fault in its text."""
    assert old in lesson(number).text
    return replace(lesson(number), text=lesson(number).text.replace(old, new, 1))


def with_cell(number, place, **changes):
    """Make a lesson with a fault in a code cell of its notebook; -1 is the last one."""
    notebook = copy.deepcopy(lesson(number).notebook)
    code_cells(notebook)[place].update(changes)
    return replace(lesson(number), notebook=notebook)


def with_metadata(number, place, **changes):
    metadata = code_cells(lesson(number).notebook)[place]["metadata"]
    return with_cell(number, place, metadata=metadata | changes)


def place_of(number, condition):
    cells = code_cells(lesson(number).notebook)
    return next(place for place, cell in enumerate(cells) if condition(cell))


def of_text(number, text):
    """Make a lesson from this text alone."""
    return replace(lesson(number), text=text)


def test_all_complaints_are_said_at_once_and_each_under_its_guard():
    text = lesson(8).text.replace("## The trap", "## A trap")
    wide = [*code_cells(lesson(8).notebook)[0]["source"], f"\n{'x' * 89}"]
    faulty = replace(with_cell(8, 0, source=wide), text=f"{text}\nTODO: just do.")
    said = checks.complaints(faulty)
    starts = "misshapen: the parts", "unwritten: step08.md, line ", "too wide: step08-"
    for words in (*starts, "89"):
        assert any(words in text for text in said)
    assert len(said) == 4
    without_header = of_text(8, lesson(8).text.replace("**Time**", "**Tyme**"))
    said = checks.complaints(without_header)
    assert any("needs a title `# Step 8: …`" in text for text in said)


def test_a_notebook_that_is_not_built_is_said_once(monkeypatch):
    why = lambda number: "not built yet"
    monkeypatch.setattr(checks.builder, "explain_staleness", why)
    (said,) = checks.complaints(replace(lesson(8), notebook={"cells": []}))
    assert "not built yet" in said


def test_a_stale_notebook_is_seen(monkeypatch):
    reason = "the lesson or its code has changed"
    monkeypatch.setattr(checks.builder, "explain_staleness", lambda number: reason)
    (said,) = checks.not_what_the_builder_gives(lesson(8))
    assert said == f"{reason}: `python -m steps build 8`"


def test_a_cell_that_was_not_run_or_run_twice_is_seen():
    assert checks.not_run_in_order(with_cell(8, 3, execution_count=None))
    assert checks.not_run_in_order(with_cell(8, 3, execution_count=40))


def test_careless_tags_are_seen():
    place = place_of(8, lambda cell: "nbval-ignore-output" in checks.tags(cell))
    (said,) = checks.careless_tags(with_cell(8, place, source=["plt.plot(times)"]))
    assert "does not say why" in said
    (said,) = checks.careless_tags(with_cell(8, place + 1, source=["print(1)"]))
    assert "no assertion stands under it" in said
    (said,) = checks.careless_tags(with_metadata(1, 0, tags=["skip"]))
    assert "unknown tag skip" in said


def test_what_a_lesson_does_and_its_front_matter_does_not_say_is_seen():
    cell = "```{code-cell} ipython3\noptimizer.update()\nbest_time(f)\n```\n"
    trains, measures = checks.unsaid_in_the_front_matter(replace(lesson(1), text=cell))
    assert "`trains: true`" in trains
    assert "`measures: true`" in measures


def test_wide_code_is_seen():
    (said,) = checks.too_wide(with_cell(1, 0, source=["x" * 89]))
    assert "89 columns" in said


def test_a_picture_without_words_is_seen():
    place = place_of(4, lambda cell: "alt" in cell["metadata"])
    (said,) = checks.pictures_without_words(with_metadata(4, place, alt=""))
    assert ":alt:" in said


def test_an_output_without_text_is_seen():
    nothing = {"data": {"text/plain": ["<IPython.core.display.HTML object>"]}}
    (said,) = checks.without_text(with_cell(8, 0, outputs=[nothing]))
    assert "its output has no text but <IPython" in said


def test_a_page_from_another_host_is_seen():
    output = {"data": {"text/html": '<script\nsrc="https://example.org/a.js">'}}
    (said,) = checks.asks_another_host(with_cell(8, 0, outputs=[output]))
    assert "<script" in said


def test_wrong_minutes_are_seen():
    stated = lesson(3).header.minutes
    wrong = with_text(3, f"**Time** {stated} ", f"**Time** {stated + 1} ")
    (said,) = checks.wrong_minutes(wrong)
    assert said == f"the header says {stated + 1} minutes, and {stated} it takes"
    endless = with_cell(3, 1, source=["x = 1\n"] * 900)
    assert any("two lessons" in said for said in checks.wrong_minutes(endless))


def test_longer_lessons_take_longer():
    def minutes(kind="code", text="", count=1):
        cell = {"cell_type": kind, "metadata": {}, "source": [text] * count}
        return checks.minutes({"cells": [*lesson(3).notebook["cells"], cell]})

    now = minutes()
    assert minutes("markdown", "word ", 1300) == now + 10
    assert minutes("code", "x = 1\n", 150) == now + 10
    assert minutes("code", "steps.diff(15, 16)\n") > now + 3
    shows = "from steps import step22\nsteps.source(step22.Variable)\n"
    assert minutes("code", shows) > now + 3


def test_missing_parts_are_seen():
    assert checks.misshapen(with_text(3, "## The trap", "## A trap"))
    assert checks.misshapen(with_text(3, ":tags: [check]", ":tags: [hide-input]"))
    whole = "\n\n".join(f"## {part}" for part in checks.SECTIONS)
    begun = "## Write it\n\n### Exercise 1\n\n## The code"
    written = whole.replace("## The code", begun)
    without = written.replace("Exercise 1", "A task")
    found = [checks.misshapen(of_text(25, text)) for text in (written, whole, without)]
    assert list(map(len, found)) == [1, 3, 2]  # the other exercises, always


def test_more_than_ten_names_in_a_header_are_seen():
    facts = "# Step 7: A\n\n**Time** 9 minutes · **Builds on** step 6 · **New** `a`"
    text = (
        facts + ", `b`" * 8 + " · **Visits** `c`\n\n| Also new | is |\n|-|-|\n| `d` |\n"
    )
    assert checks.too_many_names(of_text(7, text)) == []
    for name in ("`a`", "`c`"):
        (said,) = checks.too_many_names(of_text(7, text.replace(name, f"{name}, `e`")))
        assert said.startswith(
            "11 names in the header: move some to a table at the end"
        )


def test_unwritten_and_unkind_words_are_seen():
    begun = replace(lesson(8), text="# A\nTODO: all", module="# TODO: more")
    assert checks.unwritten(begun) == [
        "step08.md, line 2: TODO: all",
        "step08.py, line 1: # TODO: more",
    ]
    assert checks.unkind_words(of_text(8, "You just call it."))
    assert not checks.unkind_words(of_text(8, "Adjust it.\n\n```\njust = 1\n```"))


def test_a_term_that_is_not_in_the_glossary_is_seen():
    found = checks.terms_not_in_the_glossary
    assert found(of_text(7, "A **tape** is")) == []
    assert found(of_text(8, "A **tape** is"))
    assert found(of_text(7, "A **ribbon** is")) == [
        "ribbon: docs/glossary.md needs **ribbon** (7)"
    ]


def test_a_definition_that_is_not_shown_is_seen():
    hidden = with_text(8, "# %load -s Variable,", "# %load -s ")
    (said,) = checks.definitions_not_shown(hidden)
    assert said.startswith("Variable.backward is not shown: # %load -s Variable.back")


@pytest.mark.parametrize(
    ("announced", "said"),
    [
        ("**New** `Box`", "Box is announced and does not exist"),
        (
            "**New** `Variable.creator`",
            "Variable.creator is announced as new and is old",
        ),
        ("**Changed** `Square`", "Square is announced and did not change"),
        ("**Gone** `Square`", "Square is said to be gone, and is not"),
        ("", "Variable changed and is not announced, after **Changed**"),
    ],
)
def test_a_false_line_under_the_title_is_seen(announced, said):
    assert checks.wrongly_announced(lesson(8)) == []
    title = "# Step 8: A\n\n**Time** 10 minutes · **Builds on** step 7 · "
    assert said in checks.wrongly_announced(of_text(8, title + announced))


def test_what_is_new_or_gone_and_not_announced_is_seen():
    module = lesson(8).module.replace("class Exp", "class E")
    swapped = replace(lesson(8), module=module)
    assert {
        "E is new and not announced, after **New**",
        "Exp is gone, and the header does not say so",
    } <= set(checks.wrongly_announced(swapped))


def test_what_comes_from_the_future_is_seen():
    start = "```{code-cell} ipython3\n"
    cell = (
        f"{start}from dezero_lite import Variable, Adam\ndezero_lite.no_grad()\n```\n"
    )
    found = checks.from_a_later_step
    assert found(of_text(24, cell)) == ["uses Adam of the package"]
    assert len(found(of_text(9, cell))) == 3
    cell = f"{start}from dezero_lite.core import walk\nsteps.source(walk)\n```\n"
    assert found(of_text(23, cell)) == []
    assert found(of_text(23, cell.replace("(walk", "(g")))
    assert found(of_text(8, "from steps.step09 import square")) == ["uses step 9"]
    assert found(of_text(8, "from steps.step08 import Square")) == []


def test_a_name_forgotten_under_new_is_seen():
    (said,) = checks.announced_wrongly(with_text(24, "`sphere`, ", ""))
    assert said == "sphere is new: the header needs it after **New**"
    (said,) = checks.announced_wrongly(with_text(24, "`sphere`", "`sphere`, `cube`"))
    assert said == "cube is after **New**, and is not new"
    # In a table at the end.
    (said,) = checks.announced_wrongly(with_text(74, "| `loss_of` |", "| loss |"))
    assert said == "loss_of is new: the header needs it after **New**"


def test_a_new_name_that_is_not_shown_is_seen():
    def said(number, old, new):
        return checks.news_not_shown(with_text(number, old, new))

    assert said(24, "# %load -s sphere,", "# %load -s ") == [
        "sphere is not shown: # %load -s sphere ../steps/step24.py"
    ]
    text = lesson(26).text
    assert "get_dot_graph is not shown: steps.source(get_dot_graph)" in (
        checks.news_not_shown(of_text(26, text.replace("steps.source(", "print(")))
    )


@pytest.mark.parametrize(
    ("letters", "others"),
    [
        ("x = f.input", "x  = f.input"),
        ("return x**2", "return (x**2)"),
        ('"""y = x²"""', '"""The square."""'),
    ],
)
def test_letters_that_drift_are_seen(letters, others):
    before = lesson(7).module
    assert letters in before
    rewritten = before.replace(letters, others)
    assert checks.drifted(replace(lesson(8), before=before, module=rewritten))


def test_a_real_change_is_no_drift():
    before = lesson(7).module
    module = before.replace("return x**2", "return x**3")
    assert checks.drifted(replace(lesson(8), before=before, module=module)) == []


def test_a_foreign_import_is_seen():
    module = (
        "import numpy as np\nimport heapq\nfrom .step01 import Variable\nimport scipy"
    )
    found = checks.foreign_imports(replace(lesson(8), module=module))
    assert found == ["imports .step01", "imports scipy"]


def test_stray_and_missing_names_are_seen(monkeypatch):
    monkeypatch.setattr(step08, "__all__", [*step08.__all__, "np"])
    assert checks.stray_names(lesson(8)) == ["np in `__all__` is not the step's own"]
    monkeypatch.setattr(step09, "__all__", step09.__all__[1:])
    assert "is missing in `__all__`" in checks.missing_in_all(lesson(9))[0]


def test_a_step_that_leaves_the_row_is_seen(monkeypatch):
    begun = "from .step23 import *"
    module = lesson(24).module.replace(begun, "")
    assert checks.not_cumulative(replace(lesson(24), module=module)) == [
        f"`{begun}` is missing"
    ]
    names = [name for name in step24.__all__ if name != "Function"] + ["as_array"]
    monkeypatch.setattr(step24, "__all__", names)
    assert checks.not_cumulative(lesson(24)) == [
        "Function of step 23 is missing in `__all__`",
        "as_array is twice in `__all__`",
    ]
    monkeypatch.setattr(step24, "Adam", dezero_lite.optimizers.Adam, raising=False)
    monkeypatch.setattr(step24, "__all__", [*step24.__all__, "Adam"])
    assert "Adam is dezero_lite's" in checks.not_cumulative(lesson(24))


def test_a_step_that_exports_what_is_not_its_own_is_seen(monkeypatch):
    monkeypatch.setattr(step71, "attention", print)
    names = [name for name in step71.__all__ if name != "learn"] + ["EmbedID"]
    monkeypatch.setattr(step71, "__all__", names)
    assert checks.not_its_own(lesson(71)) == [
        "learn is missing in `__all__`",
        "EmbedID is in `__all__`, and an earlier step's",
        "attention is not what dezero_lite has",
    ]


def test_an_import_that_undoes_a_readers_change_is_seen():
    again = with_cell(89, -1, source="from steps.step89 import Dual, derivative")
    said = ["Dual is imported again", "derivative is imported again"]
    assert checks.undoes_a_change(again) == said


def test_a_design_that_announces_strange_names_is_seen():
    header = (
        "# Step 65: A\n\n**Time** 10 minutes · **Builds on** step 60 · **New** `Duck`"
    )
    found = checks.announces_strange_names
    assert found(of_text(65, header)) == ["Duck is not in `__all__`"]
    assert found(of_text(65, header.replace("`", ""))) == [
        "the header has nothing after **New**"
    ]


NOISY = {
    "print('hello')": "makes a print of 'hello\\n'",
    "import sys; sys.stderr.write('hi')": "makes a print of 'hi'",
    "import matplotlib": "brings matplotlib",
    "import threading as t; t.Thread(target=t.Event().wait, daemon=True).start()": (
        "makes 1 threads"
    ),
    "open('notes.txt', 'w').close()": "makes open 'notes.txt'",
    "import dezero_lite": "brings dezero_lite",
    "import heapq": "",
}


def test_noisy_and_heavy_imports_are_seen(tmp_path):
    names = [f"noisy{count}" for count in range(len(NOISY))]
    for name, text in zip(names, NOISY, strict=True):
        (tmp_path / f"{name}.py").write_text(text)
    found = checks.watched(names, tmp_path)
    for name, words in zip(names, NOISY.values(), strict=True):
        said = checks.heavy(*found[name], alone=True)
        assert said[-1:] == [f"its import {words}"] * bool(words)


# --- Public names ---------------------------------------------------------------------


def complaints_about(name, introduced, tested):
    said = public_names.complaints(introduced, tested)
    return [text for text in said if f"public name {name} " in text]


def test_all_that_a_new_public_name_lacks_is_said_at_once(monkeypatch):
    def cubic(x):
        return x**3

    introduced = checks.public(of_kind(StepKind.PACKAGE)[-1])
    monkeypatch.setattr(cubic, "__module__", elementwise.__name__)
    monkeypatch.setattr(elementwise, "cubic", cubic, raising=False)
    (text,) = complaints_about("cubic", introduced, ())
    parts = ["elementwise.py", "functions/__init__.py", "docstring", "tests/package/"]
    for part in [*parts, "which step"]:
        assert part in text
    counts = [line[:2] for line in text.splitlines()[1:]]
    assert counts == ["1.", "2.", "3.", "4.", "5."]

    cubic.__doc__ = "The cube of `x`."
    monkeypatch.setattr(elementwise, "__all__", [*elementwise.__all__, "cubic"])
    (text,) = complaints_about("cubic", introduced, {"cubic"})
    assert "elementwise.py" not in text
    assert "1. Import cubic in dezero_lite/functions/__init__.py" in text
    functions = dezero_lite.functions
    monkeypatch.setattr(functions, "cubic", cubic, raising=False)
    monkeypatch.setattr(functions, "__all__", [*functions.__all__, "cubic"])
    (text,) = complaints_about("cubic", introduced, {"cubic"})
    assert "1. Say which step introduces it" in text
    assert "2." not in text
    assert complaints_about("cubic", {*introduced, "cubic"}, {"cubic"}) == []


def test_a_name_counts_as_tested_where_it_is_taken_from_the_package():
    text = """
import dezero_lite.functions as F
import numpy as np
from dezero_lite.layers import Linear
np.cos(1), F.sin(x), Linear(3), x.exp, dezero_lite.functions.log(x)
"""
    assert public_names.names_used(text) == {"Linear", "sin", "log"}
    assert {"Linear", "sin"} <= public_names.tested()


def test_a_name_without_a_thing_is_seen():
    (text,) = complaints_about("ghost", {"ghost"}, ())
    assert "the package does not have it" in text
