"""The workshop: notebooks with stubs, which code in them counts as written, and that a
learner's work is never lost.
"""

import ast
import json
import re
import sys
from collections import ChainMap
from contextlib import nullcontext, suppress
from functools import cache
from importlib import import_module

import nbclient
import nbformat
import numpy as np
import pytest

import steps
from steps import step08, step09
from steps.course.capabilities import CAPABILITIES
from steps.course.commands import main
from steps.course.definitions import get_owner, read_definitions
from steps.course.lessons import LESSONS, STEPS, CourseError, stem
from steps.course.workshop import hints, package, trial, workspace
from steps.course.workshop import session as sessions
from steps.course.workshop import verdict as verdicts
from steps.course.workshop import workshop_command as commands
from steps.course.workshop.learner_code import read_cells
from steps.course.workshop.notebook import list_judging_cells, list_lesson_sources
from steps.course.workshop.report import Report
from steps.course.workshop.session import Session, accept, find_not_run
from steps.course.workshop.step import get_step, list_numbers, read_code
from steps.course.workshop.trial import TrialProcess
from steps.course.workshop.verdict import Verdict
from steps.course.workshop.workspace import LESSONS_OWN
from tests.course.learner import OWN_WAY
from tests.course.texts import blocks
from tests.support.lesson_checks import source
from tests.support.refusals import assert_refused

CELLS = blocks("cells.md")
WALK = CELLS["a walk in a loop"]


def found(number, *cells):
    return read_cells(cells, get_step(number).definitions, list_lesson_sources(number))


# --- The notebooks --------------------------------------------------------------------


def test_a_class_that_stays_is_the_learner_s_own(learner):
    text = read_code(7).replace("self.creator = None", "self.creator = None  # mine")
    learner.own_file(7).write_text(text, encoding="utf-8")
    cells = learner.cells(8)
    assert any("# mine" in cell and "TODO step 8: change" in cell for cell in cells)


# --- What counts as written -----------------------------------------------------------


ATTACHED = "Variable.backward = walk"
BEFORE, BODY = WALK.split("    def backward(self):\n")


@pytest.mark.parametrize(
    "cells",
    [
        ["%%time\n" + WALK],
        [WALK.replace("class Variable:\n", "class Variable:\n    x = 1\n")],
        # A class was split into two: the methods of its former second half do not
        # count.
        [BEFORE, f"    def backward(self):\n{BODY}"],
        ["def walk(self):\n    pass", f"def walk(self):\n{BODY}", ATTACHED],
    ],
)
def test_a_method_is_found_wherever_it_stands(learner, cells):
    attempt, names = learner.writes(8, *cells), {}
    exec(attempt.module.format(), names)
    x = names["Variable"](np.array(3.0))
    y = names["Square"]()(x)
    y.grad = 1.0
    y.backward()
    assert x.grad == 6.0
    assert not attempt.missing
    assert "while box.creator" in attempt.module.format()


def test_what_cannot_be_read_is_named_and_not_taken_for_unchanged(learner):
    broken = "class Variable:\n    def backward(self)\n        pass"
    assert "expected ':'" in found(8, broken).broken["Variable"]
    assert found(8, broken, WALK).broken == {}
    assert found(8, "what is this?", "!ls", "%%bash\nls -l | wc").definitions == {}
    broken = "class Variable:\n    def __init__(self, data)\n        pass"
    attempt = learner.writes(7, broken)
    assert attempt.missing[0] == "Variable.__init__"
    verdict = Verdict(attempt, None, {}, attempt.fill())
    verdict.table = {row.name: "works" for row in CAPABILITIES}
    said = repr(Report(verdict))
    assert "Step 7: a cell is not Python yet." in said
    assert not re.search("Not written yet: `Function|`Variable.backward`", said)


def test_helpers_and_imports_come_along_and_nothing_else_does(learner):
    cells = map(CELLS.get, ("imports", "names", "a helper", "what needs the helper"))
    text = learner.writes(8, *cells).module.format()
    words = ["import math", "def twice", "repeat", "unused", "x = Var"]
    assert [word for word in words if word in text] == words[:2]


def test_a_deleted_cell_leaves_what_was_there_before(learner):
    attempt = learner.writes(8)
    assert attempt.missing == []
    assert attempt.unchanged == ["Variable.backward"]
    missing = ["Function.__init__", "as_array", "square", "exp"]
    assert learner.writes(9).missing == missing


OTHER_PROGRAMS = {
    "no ids": lambda cell: cell.pop("id", None),
    "lists": lambda cell: cell.update(source=source(cell).splitlines(keepends=True)),
    "vscode": lambda cell: cell.update(metadata={"vscode": {"languageId": "python"}}),
    "renamed": lambda cell: cell.update(id=f"x{hash(source(cell))}"),
}


@pytest.mark.parametrize("change", OTHER_PROGRAMS)
def test_notebooks_of_other_programs_are_read(learner, change):
    learner.types(8, WALK)
    notebook = json.loads(learner.path(8).read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        OTHER_PROGRAMS[change](cell)
    if change == "no ids":
        notebook["nbformat_minor"] = 2
    if change == "vscode":
        notebook["metadata"] = {"language_info": {"name": "python"}}
    learner.save(8, notebook)
    attempt = workspace.read_attempt(8, learner.place)
    assert "while box.creator" in attempt.module.format()
    assert learner.open(8) == notebook


def test_a_file_that_is_no_notebook_is_named_and_stays(learner):
    learner.open(8)
    learner.path(8).write_text("{", encoding="utf-8")
    assert_refused(
        CourseError, "fresh 8", lambda: workspace.read_attempt(8, learner.place)
    )
    workspace.sync_notebook(8, learner.place)
    assert learner.path(8).read_text(encoding="utf-8") == "{"


# --- Steps out of order, a newer course -----------------------------------------------


def test_a_step_out_of_order_takes_what_is_missing_from_the_lessons(learner):
    text = read_code(8).replace("return np.exp(x)", "return np.exp(x)  # mine")
    learner.own_file(8).write_text(text, encoding="utf-8")
    base = workspace.get_base(16, learner.place)
    assert "steps 9-15" in base.message
    assert "your step08.py" in base.message
    exp = base.module.definitions["Exp.forward"]
    assert exp.has_same_code(get_step(15).definitions["Exp.forward"])
    assert "gxs" in base.module.body
    base = workspace.get_base(10, learner.place)
    assert "# mine" in base.module.body
    assert "Exp.forward" not in base.lent
    # A file that is not Python is replaced by the lesson's.
    learner.own_file(8).write_text("class Variable\n", encoding="utf-8")
    assert "is the lesson's" in workspace.get_base(9, learner.place).message


def test_a_notebook_in_which_somebody_worked_stays_when_the_course_is_newer(
    learner, monkeypatch
):
    learner.open(8), learner.types(9, OWN_WAY[9])
    theirs = learner.path(9).read_text(encoding="utf-8")
    monkeypatch.setattr(
        "steps.course.workshop.notebook._make_judge_cells", lambda number: []
    )
    assert workspace.sync_notebook(8, learner.place)[1] == "renewed"
    assert workspace.sync_notebook(9, learner.place)[1] == "kept"
    assert learner.path(9).read_text(encoding="utf-8") == theirs


def test_begun_afresh_the_old_ones_are_kept(learner):
    learner.types(8, WALK)
    learner.own_file(8).write_text("x = 1\n", encoding="utf-8")
    theirs = learner.path(8).read_text(encoding="utf-8")
    aside = workspace.restart_step(8, learner.place)
    assert aside.read_text(encoding="utf-8") == theirs
    assert (learner.place / "step08-old1.py").read_text(encoding="utf-8") == "x = 1\n"
    assert workspace.find_current(learner.place) == 1
    assert not learner.own_file(8).exists()


@pytest.mark.slow
def test_a_file_that_was_changed_by_hand_is_not_written_again(learner, process):
    verdict = learner.goes_on(1, OWN_WAY[1], process)
    assert verdict.is_right
    path = learner.own_file(1)
    text = path.read_text(encoding="utf-8")
    assert any("step01.py" in said for said in accept(verdict, learner.place))
    path.write_text(text + "# by hand\n", encoding="utf-8")
    assert "was left alone" in accept(verdict, learner.place)[0]
    assert path.read_text(encoding="utf-8") == text + "# by hand\n"


# --- The judge ------------------------------------------------------------------------


@pytest.mark.slow
def test_what_ends_python_or_cannot_be_stopped_is_survived(monkeypatch, tmp_path):
    log = tmp_path / "log"
    fails = f"{read_code(1)}\n\nopen({str(log)!r}, 'a').write('x')\nraise ValueError\n"
    with TrialProcess() as process:
        said = process.try_out(1, [], "import os\nos._exit(3)\n")
        assert said["failure"]["error"] == "it ends Python"
        with monkeypatch.context() as hasty:
            hasty.setattr(trial, "SECONDS", 1)
            hasty.setattr("steps.course.workshop.trial.GRACE_SECONDS", 1)
            said = process.try_out(1, [], "sum(range(10**12))")  # ignores signals
        assert said["failure"]["error"] == "it was stopped after 1 seconds"
        assert process.try_out(1, [], "raise SystemExit")["failure"]
        said = process.try_out(1, list_judging_cells(1), read_code(1))
        assert said["failure"] is None
        assert said["table"]["holds an array"] == "works"
        # A cell that fails runs once.
        process.try_out(1, list_judging_cells(1), fails)
        assert log.read_text() == "x"


def test_a_line_that_is_not_true_shows_what_it_compares():
    for line, said in {
        "assert x == y": "this is not true: `x` is `1.0`, and should be `2.0`",
        "assert np.isclose(x, f(y))": "`x` is `1.0`, and should be close to `2.0`",
        "assert f(y) == 3.0": "`f(y)` is `2.0`, and should be `3.0`",
        "assert x is y": "`x` is `1.0`, and should be the same object as `y`",
        "assert x is None": "`x` is `1.0`, and should be `None`",
        "assert f(x) > y": "this is not true: `f(x)` is `1.0`, `y` is `2.0`",
        "assert x and not y": "this is not true",
        "assert x == 1.0 == f(y)": "`x` is `1.0`, `f(y)` is `2.0`",
        "assert x == y, 'look'": "look: `x` is `1.0`, and should be `2.0`",
        # A comparison in an earlier one is not evidence.
        "assert x == 1.0\nraise AssertionError('no')": "no",
        # Nor is a comparison in one that runs meanwhile.
        "def g():\n assert x == 1\n return x\nassert g() == y": "and should be `2.0`",
    }.items():
        cell = f"import numpy as np\nf = abs\nx, y = 1.0, 2.0\n{line}"
        task = {"number": 1, "cells": [("It works", cell)], "text": read_code(1)}
        task |= {"brief": True, "seconds": 9, "first": [], "traced": []}
        error = trial.handle_task(task, lambda line: None)["failure"]["error"]
        assert error.endswith(said), error


def test_one_idea_is_named_beside_the_line_at_which_it_stops(learner):
    attempt = learner.writes(7, WALK)
    failure = {"cell": "It works", "line": "", "error": "x", "inside": ""}
    failure |= {"definitions": []}
    table = {row.name: "AttributeError" for row in CAPABILITIES}
    for stopped, count in ((failure, 1), (None, 2)):
        verdict = Verdict(attempt, stopped, table, attempt.module)
        assert repr(Report(verdict)).count("does not work yet") == count
    # In a notebook, it shows itself as HTML.
    verdict.culprits = ["Variable.backward"]
    assert "<code>Variable.backward</code>" in Report(verdict)._repr_html_()
    assert "<table><tr><th></th><th>yours<" in Report(verdict)._repr_html_()


# --- Hints ----------------------------------------------------------------------------


def test_hints_come_in_stages_and_the_code_is_the_last():
    wrong = []
    for step in map(get_step, list_numbers()):
        for name in step.to_write:
            asked = step.number, name
            if asked not in hints.read_hints():
                wrong.append(f"{asked}: nobody has written a hint")
                continue
            question, way = hints.read_hints()[asked]
            hint, nearer, nearest = (steps.hint(*asked, nearer=n) for n in range(3))
            code, folded = repr(steps.solution(*asked)), hint._repr_markdown_()
            skeleton = hints.make_skeleton(code)
            ast.parse(skeleton)
            lines = [line.strip() for line in code.splitlines() if '"""' not in line]
            given = [line for line in lines if " = " in line and line in skeleton]
            given += [text for text in computed(code) if text in question]
            wrong += [f"{asked}: {line} is given" for line in given]
            fine = {
                "the code is the lesson's": code == step.definitions[name].text,
                "the hint names it": f"`{name}`" in repr(hint),
                "the first is a question": "?" in question and way not in repr(hint),
                "the second is the way": way in repr(nearer),
                "the third is the skeleton": skeleton in repr(nearest),
                "the code is asked for": "steps.solution" in repr(nearest),
                "no stage is the code": code not in repr(nearest),
                "in a notebook they are folded": folded.count("<det") == 2,
            }
            untrue = [what for what in fine if not fine[what]]
            wrong += [f"{asked}: not true that {what}" for what in untrue]
    assert not wrong, "\n".join(wrong)
    asked_for = {(n, name) for n in list_numbers() for name in get_step(n).to_write}
    there = {asked for asked in hints.read_hints() if asked[0] in list_numbers()}
    assert not there - asked_for, "hints that nobody can ask for"


@cache
def small_package():
    """Return all parts of the package that grows."""
    rooms = (LESSONS / "framework").glob("*.py")
    return ChainMap(
        *(read_definitions(room.read_text(encoding="utf-8")) for room in rooms)
    )


def test_hints_for_a_package_of_ones_own_ask_and_do_not_tell():
    written, wrong = hints.read_hints(), []
    for number, name in (asked for asked in written if asked[0] not in list_numbers()):
        question, way = written[number, name]
        code = small_package()[name].text
        given = [text for text in computed(code) if text in question + way]
        step = import_module(f"steps.step{number}")
        fine = {
            "the first is a question": "?" in question,
            "neither gives the code": not given,
            "the step has it": get_owner(name) in step.__all__,
        }
        wrong += [f"{number} {name}: not true that {w}" for w in fine if not fine[w]]
    wanted = {(n, name) for n, names in package.STAGE_7.items() for name in names}
    assert wanted <= written.keys()
    assert not wrong, "\n".join(wrong)


def computed(code):
    """Return the expressions that a definition computes, assigns or returns, which a
    first hint must not contain.
    """
    values = (getattr(node, "value", None) for node in ast.walk(ast.parse(code)))
    plain = ast.Constant | ast.Name | ast.Attribute
    nodes = (v for v in values if isinstance(v, ast.expr) and not isinstance(v, plain))
    return {ast.unparse(node) for node in nodes} - {"(gy,)"}


# --- In a notebook --------------------------------------------------------------------


@pytest.fixture
def session(learner, monkeypatch):
    """Start a session of step 8 without a kernel; restore steps.step08 afterwards."""
    monkeypatch.setattr("steps.course.workshop.session.SESSION", None)
    monkeypatch.chdir(learner.place.parent)
    learner.open(8)
    yield Session(8, None, learner.place)
    package.install_module(step08)


class Ran:
    """Make IPython's report on a cell that ran."""

    def __init__(self, cell, error=None):
        self.info = type("info", (), {"raw_cell": cell})
        self.error_before_exec, self.error_in_exec = None, error


def test_what_a_cell_defines_is_the_step_from_then_on(session, capsys):
    assert "x.backward()" in session._text
    step = sys.modules[f"{STEPS}.{stem(8)}"]
    session.handle_cell(Ran(WALK))
    assert sys.modules[f"{STEPS}.{stem(8)}"] is step is steps.step08
    assert "while box.creator" in session._text
    assert "set_creator" in session._text
    session.handle_cell(Ran("class Variable:\n    def backward(self): 1 / 0", error=1))
    assert "while box.creator" in session._text
    session.handle_cell(Ran("print(step08.Variable(3).data)"))
    assert session.cells == [WALK]
    # If definitions do not fit together, the last ones that did are kept.
    session.handle_cell(
        Ran("class Square(Nothing):\n    def forward(self, x): return x")
    )
    assert "cannot be assembled: NameError" in capsys.readouterr().out
    assert steps.step08.Square


def test_what_was_not_run_is_said(learner):
    learner.types(8, WALK)
    said = find_not_run(learner.writes(8), learner.place)
    assert said == {"Variable.backward": "its cell has not been run"}
    assert find_not_run(learner.writes(8, WALK), learner.place) == {}
    learner.path(8).unlink()
    assert find_not_run(learner.writes(8), learner.place) == {}


def test_a_stub_says_that_it_is_not_written(learner):
    Session(9, None, learner.place)
    try:
        with pytest.raises(NotImplementedError, match="square is not written yet"):
            sys.modules[f"{STEPS}.{stem(9)}"].square(1)
    finally:
        package.install_module(step09)


@pytest.mark.slow
def test_a_notebook_in_a_kernel_from_the_first_cell_to_the_next_step(learner):
    learner.types(2, OWN_WAY[2])
    notebook = nbformat.reads(learner.path(2).read_text("utf-8"), as_version=4)
    nbclient.execute(notebook, cwd=learner.place, timeout=120, allow_errors=True)
    judged = next(c for c in notebook.cells if c.source == "steps.judge(2)")
    said = "".join(str(output) for output in judged.outputs)
    assert "is right: It works passes" in said, said
    assert learner.own_file(2).exists()
    assert learner.path(3).exists()
    works = notebook.cells[notebook.cells.index(judged) - 2]
    assert not any(output.output_type == "error" for output in works.get("outputs", []))


# --- In a terminal --------------------------------------------------------------------


@pytest.mark.slow
def test_the_terminal_leads_from_step_to_step(learner, capsys, monkeypatch, process):
    # One process for all judging.
    monkeypatch.setattr(verdicts, "TrialProcess", lambda: nullcontext(process))

    def said(words, code=0):
        assert main(["workshop", *words.split()]) == code
        return capsys.readouterr().out

    assert "step01.ipynb" in said("")
    assert "step01.ipynb" in said("next")  # nobody has edited it
    assert "Step 1: you have not written anything yet" in (nothing := said("judge", 1))
    assert "next 1 --anyway" in nothing
    assert "✓" not in nothing  # the lesson's file would have it
    assert not learner.own_file(1).exists()
    learner.types(1, OWN_WAY[1])
    assert "step02.ipynb" in (right := said("next"))
    assert "is right: It works" in right
    assert "Step 2, " in said("next")
    lent = "It borrows `Function.__call__`, `Square` from the lesson."
    assert lent in said("next --anyway")
    assert said("where").strip().endswith("step03.ipynb")
    assert "is right" in said("judge 1")
    assert "+++ the lesson's: Variable" in said("diff 1")
    notebook = learner.open(1)
    notebook["cells"][-1] = {"cell_type": "code", "source": read_code(1)}
    learner.save(1, notebook)
    assert "does not differ from the lesson's" in said("diff 1")
    assert said("").startswith("■◧□□□□□□□□ □")


@pytest.fixture
def says(capsys, monkeypatch, process):
    """Run a command and return its output; one process tries everything."""
    for module in (verdicts, commands, workspace):
        monkeypatch.setattr(module, "TrialProcess", lambda: nullcontext(process))

    def said(words, code=0):
        assert main(["workshop", *words.split()]) == code
        return capsys.readouterr().out

    return said


@pytest.mark.slow
def test_a_change_is_carried_to_the_later_steps(learner, says):
    for number in (9, 10, 12):
        own = learner.writes(number, read_code(number))
        verdict = Verdict(own, None, {}, own.module)
        workspace.write_framework(verdict, learner.place)
    old, new = (
        "def square(x):\n    return Square()(x)",
        "square = lambda x: Square()(x)",
    )
    at_10 = learner.open(10)
    at_10["cells"].append({"cell_type": "code", "source": f"{old}\n\ny = 1"})
    learner.save(10, at_10)
    learner.types(9, read_code(9).replace(old, new))
    said = says("carry 9")
    assert "Step 9 is right" in said
    assert "Judging 2 later files" in said
    assert "step10.py, with the new `square`: right" in said
    # In step 12, a function takes several inputs, and this one does as well.
    assert "step12.py, with the new `square`: right" in said
    assert "carry 9 --apply` replaces it in step10.py, step12.py, step10.ipynb" in said
    assert old in learner.own_file(10).read_text(encoding="utf-8")
    said = says("carry 9 --apply")
    assert "Replaced in step10.py, step12.py, step10.ipynb" in said
    for number in (10, 12):
        text = learner.own_file(number).read_text(encoding="utf-8")
        assert new in text
        kept = learner.place / f"step{number}-old1.py"
        assert old in kept.read_text(encoding="utf-8")
    assert any(
        f"{new}\n\ny = 1" in cell for cell in workspace.read_notebook(10, learner.place)
    )
    assert "No later file contains" in says("carry 9")


@pytest.mark.slow
def test_a_change_that_breaks_a_later_step_is_not_carried_there(learner, says):
    for number in (8, 9):
        own = learner.writes(number, read_code(number))
        workspace.write_framework(Verdict(own, None, {}, own.module), learner.place)
    old = "return np.exp(x)\n"
    learner.types(8, read_code(8).replace(old, "return float(np.exp(x))\n"))
    said = says("carry 8 --apply", code=1)
    assert "step09.py, with the new `Exp.forward`: not right: " in said
    assert "Replaced in no file" in said
    assert old in learner.own_file(9).read_text(encoding="utf-8")


@pytest.mark.slow
def test_all_that_was_worked_in_is_judged_and_nothing_written(learner, says):
    learner.types(1, OWN_WAY[1])
    learner.open(2)
    said = says("judge all")
    assert said.startswith("Judging your notebooks of step 1, 1 in all, without")
    assert "Step 1 is right" in said
    assert not learner.own_file(1).exists()


@pytest.mark.slow
def test_a_file_that_is_missing_is_named_when_a_step_is_judged(learner, says):
    for number in (1, 3):
        learner.own_file(number).write_text(read_code(number), encoding="utf-8")
    learner.types(3, read_code(3))
    said = says("judge 3")
    assert "You have no step02.py, so the code of step 2" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("hint 8 Variable.backward", "a list of functions that are still to do"),
        ("hint 8 Variable.backward", "workshop hint 8 Variable.backward --near"),
        ("hint 8 Variable.backward --nearer", "workshop hint 8 Variable.backward 3"),
        ("hint 8 Variable.backward 3", "while funcs:"),
        ("solution 8 Variable.backward", "funcs.pop()"),
        ("hint 8", "Name one of Variable.backward"),
        ("dance", "invalid choice: 'dance' (choose from"),
        ("--help", "judge every notebook when it is saved"),
        ("23", "my-course/step23.ipynb"),
        ("hint 23 Variable", "not a step of the workshop"),
        ("diff 23", "workshop judge 23` splits your core"),
        ("--help", "print the name of your package"),
        ("judge 8", "workshop 8` creates it"),
        ("fresh 8", "There is no step08.ipynb"),
    ],
)
def test_the_terminal_knows_these_words(learner, capsys, words, said):
    with suppress(SystemExit):  # argparse exits, on mistakes and for help
        main(["workshop", *words.split()])
    shown = capsys.readouterr()
    assert said in shown.out + shown.err


def test_the_way_has_a_mark_for_each_step(learner, monkeypatch):
    learner.own_file(1).write_text(read_code(1), encoding="utf-8")
    lent = f'"""{LESSONS_OWN}\n    Square\n"""'
    learner.own_file(2).write_text(lent, encoding="utf-8")
    monkeypatch.chdir(learner.place.parent)
    line, meaning = repr(steps.workshop()).splitlines()
    package = "□□□□□·□□□□□□□□□□□□□□·□□··□□□□"
    open_ones = "□" * 20 + "·" * 9 + package + "·" * 8 + "□" * 6
    assert line.replace(" ", "")[:80] == "■◧" + open_ones + "·" * 6
    assert {len(group) for group in line.split()[:8]} == {10}
    assert all(f"{mark} " in meaning for mark in "■◧□·")
    monkeypatch.chdir(learner.place)  # also from a notebook of the workshop
    assert repr(steps.workshop()).splitlines()[0] == line


def test_a_lesson_that_is_named_is_there(learner, capsys):
    lesson = learner.place.parent / "step23.ipynb"
    main(["workshop", "23"])
    assert "step23.ipynb" in capsys.readouterr().err
    assert json.loads(lesson.read_text(encoding="utf-8"))["cells"]
    lesson.unlink()
    learner.own_file(22).write_text(read_code(22), encoding="utf-8")
    own = learner.writes(22)
    assert "step 23" in " ".join(
        accept(Verdict(own, None, {}, own.module), learner.place)
    )
    assert lesson.exists()


def test_what_is_cut_off_is_said(learner, capsys):
    learner.open(8)
    text = learner.path(8).read_text(encoding="utf-8")
    learner.path(8).write_text(text[: len(text) // 2], encoding="utf-8")
    for words in ("8", "next 8", "judge 8", "fresh 8"):
        main(["workshop", *words.split()])
        shown = capsys.readouterr()
        said = shown.out + shown.err
        assert "not a readable" in said or "cannot be read" in said or "afresh" in said
        assert "is newer" not in said
    stamp = learner.place / workspace.STAMP
    stamp.write_text('{"name"', encoding="utf-8")
    assert main(["workshop", "name"]) == 1
    assert f"{workspace.STAMP} cannot be read" in capsys.readouterr().err
    assert stamp.read_text(encoding="utf-8") == '{"name"'


def test_ctrl_c_gets_a_sentence(learner, monkeypatch, capsys):
    def interrupt(*_):
        raise KeyboardInterrupt

    learner.types(1, OWN_WAY[1])
    monkeypatch.setattr(commands, "judge_attempt", interrupt)
    assert main(["workshop", "judge", "1"]) == 130
    assert "Interrupted; " in capsys.readouterr().err
    monkeypatch.setattr(sessions, "judge_attempt", interrupt)
    monkeypatch.chdir(learner.place)
    assert sessions.judge_step(1) is None
    assert "Judging was interrupted" in capsys.readouterr().out


@pytest.mark.slow
def test_whoever_watches_gets_a_verdict_at_every_save(
    learner, monkeypatch, capsys, process
):
    monkeypatch.setattr(commands, "TrialProcess", lambda: nullcontext(process))
    learner.open(1), learner.open(2)
    broken = lambda: learner.path(2).write_text("{", encoding="utf-8")
    saves = iter([lambda: learner.types(1, OWN_WAY[1]), lambda: None, broken])

    def save(seconds):
        assert seconds < 1
        next(saves, interrupted)()

    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(commands.time, "sleep", save)
    assert main(["workshop", "watch"]) == 0
    said = capsys.readouterr().out
    assert said.count("Step 1 is right") == 1
    assert "step02.ipynb is not a readable notebook" in said


# --- Into step 23 ---------------------------------------------------------------------


def test_step_23_takes_the_learner_s_file_where_there_is_one(learner, monkeypatch):
    monkeypatch.chdir(learner.place.parent)
    assert steps.mine(22).__name__ == "steps.step22"
    text = f"{read_code(22)}\n\nMARK = 1\n"
    learner.own_file(22).write_text(text, encoding="utf-8")
    assert steps.mine(22).MARK == 1
    learner.own_file(22).write_text("1 / 0\n", encoding="utf-8")
    assert steps.mine(22).__name__ == "steps.step22"
