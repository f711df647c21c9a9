"""The workshop from step 33 on: the learner's package grows, is judged, is written
beside the workshop, and can be packed.
"""

import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv

import numpy as np
import pytest

import steps
from steps.course import builder
from steps.course.capabilities import WORKS, run_probe
from steps.course.commands import main
from steps.course.lessons import STEPS, CourseError, read_front_matter
from steps.course.module_text import ModuleText
from steps.course.student_copies import write_new
from steps.course.workshop import (
    capabilities_package,
    learner_module,
    package,
    workspace,
)
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
from tests.course.texts import blocks
from tests.support.lesson_checks import code_cells, source
from tests.support.programs import python
from tests.support.refusals import assert_refused

CELLS = blocks("cells.md")
# An operator that is defined inside the class.
NEGATIVE = "    def __neg__(self):\n        return neg(self)\n"
KEPT = """                    if x.creator is not None and x.creator not in seen:
                        x.grad = None  # left from an earlier pass
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


# --- As files -------------------------------------------------------------------------


@pytest.fixture
def done(learner):
    """A learner who has finished all steps."""
    learner.own_file(LAST).write_text(read_code(LAST), encoding="utf-8")
    return learner


def test_the_package_lies_beside_the_workshop_and_what_is_changed_stays(done):
    mine = done.place.parent / "mine"
    said = learner_module.write_package(LAST, done.place)
    assert "import mine" in said
    rooms = {path.stem for path in mine.glob("*.py")} | {"core"}
    assert rooms == {"__init__", *MODULES}
    program = "import mine, numpy as np; x = mine.Variable(np.ones((2, 3)))"
    program += "; print((x + np.ones(3)).sum(axis=0), x[0])"
    program += "; from mine import GPT, add, attention; attention.MultiHeadAttention"
    ran = python("-c", program, folder=done.place.parent)
    assert ran.stdout == "variable([4. 4. 4.]) variable([1. 1. 1.])\n", ran.stderr
    for name in ("layers.py", "core/function.py"):
        (mine / name).write_text("# mine", encoding="utf-8")
    said = learner_module.write_package(LAST, done.place)
    assert "you edited them: layers.py, function.py" in said
    assert (mine / "layers.py").read_text(encoding="utf-8") == "# mine"


# --- The core, cut up -----------------------------------------------------------------

# The learner's decisions, which move definitions and name a module, in the format of
# older copies.
TOOLS = """
rooms = {"variable": ["Variable"], "function": ["Function"], "backward": ["walk"]}
rooms["operators"] = ["arithmetic", "signs", "functions"]
rooms["variable"] += ["as_array", "as_variable", "settings"]
rooms["tools"] = ["checks"]
rooms["class"] = ["settings"]
"""
CIRCLE = 'rooms = {"low": ["Variable", "signs"], "high": ["arithmetic"]}'
SLOPE = """
import numpy as np, mine
from mine.core import Variable, exp
x = Variable(np.array(2.0))
y = (x**2 + 1) / (1 - x) - 3 * exp(x) * -x
y.backward()
print(np.round(y.data, 3), type(x).__module__)
"""


@pytest.fixture
def decides(learner):
    """Let the learner save lesson 23 with their decisions, and split their file."""

    def decide(code):
        cells = [{"cell_type": "code", "source": code}]
        path = learner.place.parent / "step23.ipynb"
        path.write_text(json.dumps({"cells": cells}), encoding="utf-8")
        assert main(["workshop", "judge", "23"]) == 0

    return decide


@pytest.fixture
def mine(learner):
    """The learner's step 22, with operators in the class and their own helpers."""
    text = read_code(22)
    for lesson_s, own in (
        ("Variable.__neg__ = neg\n", ""),
        ("Variable.__radd__ = add\n", ""),
        ("    def cleargrad", f"{NEGATIVE}\n    def cleargrad"),
        ("return Neg()(x)", "return made(Neg)(x)"),
        ("Variable.__pow__ = pow\n", CELLS["what step 22 has in the end"]),
    ):
        assert lesson_s in text
        text = text.replace(lesson_s, own)
    text += "\n\nclass Tape:\n    pass\n\n\nTape.variable = Variable\n"
    text += "\n\nfor f in (add,):\n    setattr(Variable, '__radd__', f)\n"
    learner.own_file(22).write_text(text, encoding="utf-8")
    return learner.place.parent / "mine"


def rooms_of(mine):
    return sorted(path.stem for path in (mine / "core").glob("[!_]*.py"))


def test_copies_of_lesson_23_that_were_laid_before_find_their_names():
    from steps.course.definitions import definitions
    from steps.course.workshop import cut
    from steps.course.workshop.modules import Module

    text = read_code(22)
    pieces = cut.pieces(Module.of(text))
    assert pieces["walk"].body().startswith(definitions(text)["Variable.backward"])
    assert cut.members(pieces["walk"]) == ["Variable.backward"]


def test_their_file_is_cut_by_what_they_decided(mine, decides, capsys):
    decides(TOOLS)
    named = "`backward`, `function`, `operators`, `tools`, `variable`"
    assert f"the modules {named}" in capsys.readouterr().out
    assert rooms_of(mine) == ["backward", "function", "operators", "tools", "variable"]
    rooms = {
        room: (mine / "core" / f"{room}.py").read_text() for room in rooms_of(mine)
    }
    assert "class Config" in rooms["variable"]
    assert "def __neg__" in rooms["operators"]
    assert "def made" in rooms["operators"]
    assert "Tape.variable = Variable" in rooms["variable"]
    assert "def backward(self, retain" in rooms["backward"]
    assert "def numerical_diff" in rooms["tools"]
    ran = python("-c", SLOPE, folder=mine.parent)
    assert ran.stdout == "39.334 mine.core.variable\n", ran.stderr
    # They change their mind: a module that is no longer needed is removed, unless it
    # was edited.
    (mine / "core" / "operators.py").write_text("# mine", encoding="utf-8")
    decides("")
    assert rooms_of(mine) == ["backward", "checks", "function", "operators", "variable"]
    assert "you edited them: operators.py" in capsys.readouterr().out


def read_all(folder):
    paths = (path for path in folder.rglob("*") if "__pycache__" not in path.parts)
    return {path: path.read_bytes() for path in paths if path.is_file()}


def test_the_lesson_and_the_workshop_leave_each_other_s_files_alone(mine, monkeypatch):
    folder = mine.parent
    monkeypatch.chdir(folder)
    cells = [source(cell) for cell in code_cells(builder.assemble(23))]
    written = next(n for n, cell in enumerate(cells) if "= write(files)" in cell) + 1

    def run_lesson():
        names = {}
        for cell in cells[:written]:
            exec(cell, names)

    def judge():
        assert main(["workshop", "judge", "23"]) == 0

    run_lesson()
    lesson_s = read_all(folder / "my_framework")
    assert {path.stem for path in lesson_s} > {"__init__", "operators"}
    for work in (judge, run_lesson, judge):
        before = read_all(folder)
        work()
        assert before.items() <= read_all(folder).items()
        rooms = ["backward", "checks", "function", "operators", "variable"]
        assert rooms_of(mine) == rooms
        (mine / "core" / "function.py").write_text("# mine", encoding="utf-8")


def test_their_file_is_cut_as_they_wrote_the_files_of_the_lesson(mine):
    folder = mine.parent / "my_framework"
    files = {
        "variable.py": "class Variable:\n    pass\n",
        "operators.py": "class Add:\n    pass\n",
        "settings.py": "class Config:\n    pass\n",
        "signs.py": "Variable.__add__ = print\n",
        "broken.py": "class Function(",
    }
    for name, text in files.items():
        write_new(folder / name, text)
    os.utime(folder / "operators.py", (0, 0))  # superseded by the next one
    write_new(folder / "calculations.py", files["operators.py"])
    assert main(["workshop", "judge", "23"]) == 0
    texts = {r: (mine / "core" / f"{r}.py").read_text("utf-8") for r in rooms_of(mine)}
    assert "class Config" in texts["settings"]
    assert "class Mul" in texts["calculations"]
    assert "Variable.__mul__ = mul" in texts["signs"]
    assert "operators" not in texts
    ran = python("-c", SLOPE, folder=mine.parent)
    assert ran.stdout == "39.334 mine.core.variable\n", ran.stderr


def test_a_core_that_cannot_be_cut_stays_in_one_room(mine, decides, capsys):
    decides(CIRCLE)
    said = capsys.readouterr().out
    assert "`Variable.__add__` needs `add`, in the module high, and" in said
    assert "stays in one module" in said
    assert not rooms_of(mine)
    assert (mine / "core.py").exists()
    ran = python("-c", SLOPE, folder=mine.parent)
    assert ran.stdout == "39.334 mine.core\n", ran.stderr
    # After a later split, the single module is removed; if it was edited, it stays and
    # is the core.
    decides(TOOLS)
    assert rooms_of(mine)
    assert not (mine / "core.py").exists()
    decides(CIRCLE)
    (mine / "core.py").write_text("# mine", encoding="utf-8")
    decides(TOOLS)
    assert "you edited them: core.py" in capsys.readouterr().out
    assert not rooms_of(mine)


def test_the_core_goes_on_in_its_rooms(done, decides):
    """In 32, gradients become variables there, and later modules import from them."""
    core = done.place.parent / "mine" / "core"
    done.own_file(LAST).unlink()
    done.own_file(32).write_text(read_code(32), encoding="utf-8")
    decides(TOOLS)
    assert "create_graph" in (core / "backward.py").read_text(encoding="utf-8")
    done.own_file(LAST).write_text(read_code(LAST), encoding="utf-8")
    learner_module.write_package(LAST, done.place)
    assert "class Parameter" in (core / "variable.py").read_text(encoding="utf-8")
    everything = "import mine.gpt, mine.optimizers; print(mine.gpt.GPT.__bases__)"
    ran = python("-c", f"{SLOPE}{everything}", folder=core.parent.parent)
    assert "<class 'mine.models.Model'>" in ran.stdout, ran.stderr
    names = {*build_package(LAST).modules["core"].definitions}
    found = "import mine.core; print(*vars(mine.core))"
    ran = python("-c", found, folder=core.parent.parent)
    assert {n for n in names if "." not in n} <= {*ran.stdout.split()}


def test_a_package_has_the_name_that_its_owner_gives_it(done, capsys):
    mine, spark = done.place.parent / "mine", done.place.parent / "spark"
    learner_module.write_package(LAST, done.place)
    (mine / "layers.py").write_text("# mine", encoding="utf-8")
    (mine / "notes.txt").write_text("mine, too", encoding="utf-8")
    assert main(["workshop", "name", "spark"]) == 0
    assert not mine.exists()
    assert (spark / "notes.txt").exists()
    assert (spark / "layers.py").read_text(encoding="utf-8") == "# mine"
    assert "you edited them: layers.py" in capsys.readouterr().out
    assert main(["workshop", "name"]) == 0
    assert capsys.readouterr().out.endswith("spark\n")
    for bad in ("numpy", "two words", "class", "json", "my_framework"):
        assert_refused(CourseError, bad, lambda bad=bad: learner_module.rename(bad))


def test_there_is_no_package_before_its_step(learner):
    assert_refused(CourseError, "This needs step 33", lambda: learner_module.pack())
    assert_refused(CourseError, "This needs step 22", learner_module.split_up)


def test_any_notebook_gets_the_package_by_steps_mine(done, monkeypatch, capsys):
    text = read_code(LAST).replace('"""A variable that an opt', 'mark = 1\n    """')
    done.own_file(LAST).write_text(text, encoding="utf-8")
    monkeypatch.chdir(done.place.parent)
    own = steps.mine(LAST)
    assert f"your own step{max(WRITE)}.py" in capsys.readouterr().out
    assert own.Parameter.mark == 1
    x = own.Variable(np.ones((2, 3)))
    assert own.matmul(x, x.T).sum().data == 12.0
    assert not isinstance(x, importlib.import_module(f"{STEPS}.step60").Variable)
    assert steps.mine(41).__name__ == "steps.step41"  # without the learner's files


@pytest.mark.slow
def test_a_packed_package_is_installed_elsewhere_and_reads_digits(done, tmp_path):
    pytest.importorskip("hatchling")
    pytest.importorskip("pip")
    target = learner_module.pack(tmp_path / "to-go", done.place)
    assert_refused(CourseError, "to-go", lambda: learner_module.pack(target))
    readme = (target / "README.md").read_text(encoding="utf-8")
    declared = (target / "pyproject.toml").read_text(encoding="utf-8")
    assert 'examples = ["matplotlib' in declared
    assert readme.count("\n- ") == len(capabilities_package.CAPABILITIES)
    assert "![](digits.png)" in readme
    assert (target / "spiral.png").stat().st_size > 5_000
    ran = python("-m", "pytest", "-q", "-p", "no:cacheprovider", folder=target)
    assert f"{len(capabilities_package.CAPABILITIES)} passed" in ran.stdout, ran.stdout
    built = python("-m", "hatchling", "build", "-t", "wheel", folder=target)
    (wheel,) = target.glob("dist/*.whl")
    assert wheel.exists(), built.stderr
    # The environment into which it is installed. NumPy and matplotlib are found on
    # PYTHONPATH, but the course, which is an editable install, is not.
    venv.create(tmp_path / "empty")
    programs = "Scripts" if os.name == "nt" else "bin"
    empty = tmp_path / "empty" / programs / "python"
    there = ["--no-index", "--no-deps", wheel]
    installed = python("-m", "pip", "--python", empty, "install", *there)
    assert installed.returncode == 0, installed.stderr
    shutil.copy(target / "examples" / "digits.py", tmp_path)
    ran = subprocess.run(
        [empty, "digits.py"],
        cwd=tmp_path,
        env={"PYTHONPATH": sysconfig.get_path("purelib"), "MPLBACKEND": "Agg"},
        capture_output=True,
        encoding="utf-8",
    )
    assert "% of the digits" in ran.stdout, ran.stderr
    assert float(ran.stdout.split()[2]) > 95
