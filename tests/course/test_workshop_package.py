"""The workshop from step 33 on: the learner's package is written beside the workshop,
cut into files, and packed.
"""

import importlib
import json
import os
import shutil
import subprocess
import sysconfig
import venv

import numpy as np
import pytest

import steps
from steps.course import builder
from steps.course.commands import main
from steps.course.lessons import STEPS, CourseError
from steps.course.student_copies import write_new
from steps.course.workshop import capabilities_package, learner_module
from steps.course.workshop.package import LAST, MODULES, WRITE, build_package
from steps.course.workshop.step import read_code
from tests.course.texts import blocks
from tests.support.lesson_checks import code_cells, source
from tests.support.programs import python
from tests.support.refusals import assert_refused

CELLS = blocks("cells.md")
# An operator that is defined inside the class.
NEGATIVE = "    def __neg__(self):\n        return neg(self)\n"

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
