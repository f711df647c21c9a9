"""Each step of the workshop from 33 on: what it adds to the package, and what it says
to the lesson's code, to another design, and to mistakes.
"""

import importlib
import re
import sys

import numpy as np
import pytest

from steps.course.capabilities import WORKS, run_probe
from steps.course.lessons import STEPS, read_front_matter
from steps.course.module_text import ModuleText
from steps.course.workshop import capabilities_package, package, workspace
from steps.course.workshop.package import (
    FIRST,
    LAST,
    MODULES,
    WRITE,
    build_package,
    read_module,
)
from steps.course.workshop.report import Report
from steps.course.workshop.session import Session, accept
from steps.course.workshop.step import find_previous, get_step, list_numbers, read_code
from steps.course.workshop.stubs import make_stubs

KEPT = """                    if x.creator is not None and x.creator not in seen:
                        for y in x.creator.outputs:
                            y().grad = None  # left from an earlier pass
"""
CHECKED = """class Variable:
    def hand_on(self, f, gradients):
        for x, gx in zip(f.inputs, gradients, strict=True):
            gx = as_variable(gx)
            check_gradient(f, x, gx)
            x.grad = gx if x.grad is None else x.grad + gx
"""


def lesson(number, change=(), *, only=None):
    """Return the lesson's code for the definitions that a step leaves to write, with a
    change.
    """
    step = get_step(number)
    texts = []
    for name in only or step.to_write:
        owner, _, member = name.partition(".")
        text = step.definitions[name].text
        inside = "".join(f"    {line}\n" for line in text.splitlines())
        texts.append(f"class {owner}:\n{inside}" if member else text)
    code = "\n\n\n".join(texts)
    if change:
        assert code.count(change[0]) == 1, change
        code = code.replace(*change)
    return code


@pytest.fixture
def restored():
    """Restore the modules of the small package afterwards."""
    was = {
        n: module
        for n, module in sys.modules.items()
        if package.OF_PACKAGE.fullmatch(n)
    }
    yield
    package.forget_modules()
    for name, module in was.items():
        parent, _, child = name.rpartition(".")
        sys.modules[name] = module
        setattr(sys.modules[parent], child, module)


# --- The small package, step by step --------------------------------------------------


def test_what_is_to_be_written_is_new_in_its_step_and_can_be():
    wrong = []
    for number, names in WRITE.items():
        step = get_step(number)
        wrong += [(number, n) for n in names if n not in step.to_write]
        if extra := {*step.to_write} - {*names}:
            wrong.append((number, extra))
    assert not wrong


def test_the_package_of_the_last_step_is_the_small_package():
    for room in MODULES:
        here = build_package(LAST).modules[room].definitions
        there = ModuleText.read(package.read_source(room)).definitions
        assert {*here} == {*there}
        assert all(part.has_same_code(there[name]) for name, part in here.items())


def test_a_package_is_a_text_of_rooms_and_comes_back_from_it():
    text = read_code(LAST)
    assert text == read_module(text).format()
    assert "# === functions_conv.py\n" in text
    assert "from .functions import linear" in text
    # Python's own max in the core, and the package's max where images are pooled.
    files = read_module(text).format_modules()
    assert "import max" not in files["core"]
    assert "import max" in files["functions_conv"]


def test_a_step_changes_nothing_of_the_learner_s_core(learner):
    core = read_code(32).replace("class Function:", "class Function:\n    mark = 1\n")
    learner.own_file(32).write_text(core, encoding="utf-8")
    before = ModuleText.read(core).definitions
    after = workspace.get_base(60, learner.place).module.modules["core"].definitions
    changed = [n for n, d in before.items() if not d.has_same_code(after[n])]
    assert {*changed} <= {"Variable", *WRITE[33]}
    assert "check_gradient" in after
    assert workspace.get_base(60, learner.place).lent >= {"Sin", "RNN"}


# --- Judging --------------------------------------------------------------------------


def test_every_row_works_on_the_small_package_and_not_before_its_step(restored):
    for number in WRITE:
        new = [
            row
            for row in capabilities_package.CAPABILITIES
            if row.history[0][0] == number
        ]
        for step in (find_previous(number), number):
            if step >= FIRST:
                package.load_package(read_code(step), step)
            module = importlib.import_module(f"{STEPS}.step{step}")
            found = {row.name: run_probe(row.probe, module)[0] == WORKS for row in new}
            assert {*found.values()} <= {step == number}, (step, found)


@pytest.mark.parametrize("number", [n for n in WRITE if read_front_matter(n).asks])
def test_a_stub_says_what_else_the_table_requires(number):
    base = build_package(find_previous(number))
    cells = make_stubs(get_step(number), base)
    for name, words in read_front_matter(number).asks.items():
        begins = re.compile(rf"^(def|class) {name}\b", re.M)
        (cell,) = filter(begins.search, cells)
        assert words in cell.replace(f"\n# TODO step {number}: ", " ")


@pytest.mark.parametrize("number", [33, 38, 44, 49])
def test_the_lesson_s_own_is_right_and_nothing_is_lent(learner, process, number):
    place = learner.own_file(number)
    earlier = max(n for n in list_numbers() if n < number)
    learner.own_file(earlier).write_text(read_code(earlier), encoding="utf-8")
    verdict = learner.goes_on(number, lesson(number), process)
    assert verdict.is_right, repr(Report(verdict))
    assert not verdict.lent
    assert "The lesson's own" not in place.read_text(encoding="utf-8")


def test_a_core_of_another_design_is_right(learner, process):
    """Operands are converted when functions are called, and a separate method does the
    backward pass.
    """
    core = read_code(32)
    for old, new in (
        ("                for x, gx in zip(f.inputs, gxs, strict=True):\n", ""),
        (KEPT, ""),
        ("                    x.grad = as_variable(gx if x.grad is None else x.", "!"),
        ("                    put(x)\n", "                self.hand_on(f, gxs)\n!"),
    ):
        assert old in core
        core = core.replace(old, new)
    rest = "                for x in f.inputs:\n                    put(x)\n"
    core = "".join(
        line.replace("!", "") and (rest if line == "!\n" else line)
        for line in core.splitlines(keepends=True)
        if not line.startswith("!grad")
    )
    core += "\n\n" + CHECKED.replace("            check_gradient(f, x, gx)\n", "")
    cut = core.index("\n\nclass Variable:\n    def hand_on")
    method = core[cut:].replace("\n\nclass Variable:\n", "")
    core = core[:cut].replace("    def cleargrad", f"{method}\n    def cleargrad", 1)
    learner.own_file(32).write_text(core, encoding="utf-8")
    fitted = "        inputs = [*operands(*inputs)] if len(inputs) == 2 else inputs\n"
    call = get_step(32).definitions["Function.__call__"].text
    head, body = call.split("\n", 1)
    code = f"{CHECKED}\n\nclass Function:\n    {head}\n{fitted}"
    code += "\n".join(f"    {line}" for line in body.splitlines())
    verdict = learner.goes_on(33, code, process)
    assert verdict.is_right, repr(Report(verdict))
    assert "add" in verdict.attempt.unchanged


# More of them are in ways/slips.md; these are also judged by the lesson's cells.
WRONG = [
    (33, ("check_gradient(f, x, gx)", "pass"), "Variable.backward", "do not fit"),
    (34, ("cos(x) * gy", "np.cos(x.data) * gy"), "Sin.backward", "leave the graph"),
    (34, ("-sin(x)", "sin(x)"), "Cos.backward", None),
    (38, ("np.argsort(", "list("), "Transpose.backward", "returns to its place"),
    (47, ("y / sum(y, axis, keepdims=True)", "y / sum(y)"), "softmax", "by their sum"),
    (53, ("np.savez(path, **arrays)", "np.savez(path)"), "save_weights", "has a name"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("number", "change", "part", "said"), WRONG)
def test_a_mistake_is_pinned_to_its_part(learner, process, number, change, part, said):
    learner.types(number, lesson(number, change))
    verdict = learner.judged(number, process)
    report = repr(Report(verdict))
    assert not verdict.passes, report
    assert len(verdict.culprits) == 1, report
    assert verdict.culprits[0] == (part or verdict.culprits[0])
    assert f'`steps.hint({number}, "{verdict.culprits[0]}")`' in report
    assert said is None or said in report


def test_what_is_not_written_is_lent_and_said(learner, process):
    learner.types(34, lesson(34, only=["Sin", "sin"]))
    verdict = learner.judged(34, process)
    assert verdict.passes
    assert verdict.attempt.missing == ["Cos", "cos"]
    accept(verdict, learner.place)
    lent = workspace.read_lent(workspace.read_own_text(34, learner.place))
    assert {"Cos", "cos"} <= lent
    assert not {"Sin", "sin"} & lent


def test_a_step_without_anything_to_write_runs_the_lesson_on_theirs(learner, process):
    learner.open(69)
    code = "\n".join(learner.cells(69))
    assert "TODO" not in code
    assert "from dezero_lite" not in code
    verdict = learner.judged(69, process)
    assert verdict.is_right
    assert "Step 69 is right" in repr(Report(verdict))


# --- In a notebook --------------------------------------------------------------------


def test_a_session_takes_the_place_of_the_package(learner, restored):
    names = {"__name__": "__main__", "max": max}
    shell = type("Shell", (), {"user_ns": names})
    learner.open(39)
    session = Session(39, shell, learner.place)
    exec("from steps.step38 import Variable, Function", names)
    exec("class Twice(Function):\n    pass", names)
    old = names["Variable"]
    session.cells = [lesson(39)]
    session._put_together()
    assert names["Variable"] is not old
    assert names["Variable"] is sys.modules[f"{STEPS}.framework.core"].Variable
    assert names["Twice"].__bases__ == (names["Function"],)
    assert names["max"] is max
    x = names["Variable"](np.ones((2, 3)))
    assert names["sum"](x).data == 6.0
    assert x.sum(axis=0).shape == (3,)
