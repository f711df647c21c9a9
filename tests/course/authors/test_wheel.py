"""The built wheel: its content, and that steps and course tool work from it, as
dezero_lite.steps.
"""

import re
import shutil
import zipfile

import pytest

from steps.course import MISSING
from steps.course.lessons import LESSONS, numbers
from tests.course.texts import blocks
from tests.support.programs import python

pytest.importorskip("hatchling")

PROGRAMS = blocks("programs.md")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    python("-m", "hatchling", "build", "-t", "wheel", "-d", folder)
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Run a program or a module with the unpacked wheel, far from the checkout."""
    site = tmp_path_factory.mktemp("site")
    zipfile.ZipFile(wheel).extractall(site)

    def run(*arguments):
        return python(*arguments, folder=site.parent, PYTHONPATH=str(site))

    run.site = site
    return run


@pytest.fixture(scope="module")
def laid(installed, tmp_path_factory):
    """Update a learner's folder that has an edited lesson of an older course; return
    the folder and the output.
    """
    folder = tmp_path_factory.mktemp("laid")
    (folder / "step03.ipynb").write_text('{"cells": []}', encoding="utf-8")
    run = installed("-m", "dezero_lite.steps", "lay", folder)
    assert "Created" in run.stdout, run.stderr
    return folder, run.stdout


@pytest.fixture
def folder(laid, tmp_path):
    """Return a folder to work in."""
    return shutil.copytree(laid[0], tmp_path / "my-course")


def test_one_package_comes_out_of_it(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"dezero_lite"}
    assert "dezero_lite/py.typed" in names
    assert "dezero_lite/steps/course.mplstyle" in names
    assert "dezero_lite/player/page.html" in names
    expected = {f"dezero_lite/steps/{p.name}" for p in LESSONS.glob("step[0-9][0-9].*")}
    assert expected <= set(names)
    others = "notebooks/", "__pycache__"
    assert not [name for name in names if any(part in name for part in others)]


def test_every_step_imports(installed):
    modules = [f"dezero_lite.steps.step{number:02d}" for number in numbers()]
    run = installed("-c", PROGRAMS["import the steps"], *modules)
    assert run.stderr == ""
    assert all(line.startswith(str(installed.site)) for line in run.stdout.split())
    assert len(run.stdout.split()) == len(modules)


@pytest.mark.slow
def test_the_helpers_of_the_lessons_work(installed):
    run = installed("-c", PROGRAMS["help in a lesson"])
    assert (run.stdout, run.stderr) == ("1 def\nTrue\nTrue\n", "")


def test_the_course_tool_knows_where_it_is(installed):
    listed = installed("-m", "dezero_lite.steps", "list")
    assert len(listed.stdout.splitlines()) == len(numbers()), listed.stderr
    helped_in_full = installed("-m", "dezero_lite.steps", "--help").stdout
    assert "python -m dezero_lite.steps" in " ".join(helped_in_full.split())
    bare = installed("-m", "dezero_lite.steps")
    assert (bare.returncode, bare.stdout) == (0, helped_in_full)
    without = "import sys, runpy; sys.modules['yaml'] = None; "
    without += "runpy.run_module('dezero_lite.steps', run_name='__main__')"
    told = installed("-c", without).stderr
    assert told == f"{MISSING.format('yaml')}\n"
    refused = installed("-m", "dezero_lite.steps", "build", "1")
    assert refused.returncode == 1
    assert "needs a checkout" in refused.stderr


@pytest.mark.slow
def test_run_all_goes_through_copies_in_an_empty_folder(installed, tmp_path):
    made = installed("-m", "dezero_lite.steps", "student", tmp_path / "a", 1, 14, 24)
    assert (made.returncode, made.stderr) == (0, "")
    names = ["start", "step01", "step14", "step24"]
    paths = [tmp_path / "a" / f"{name}.ipynb" for name in names]
    run = installed("-c", PROGRAMS["run all"], *paths)
    assert (run.returncode, run.stderr) == (0, "")
    assert re.findall(r"^unsolved: (\d+)$", run.stdout, re.M) == ["0", "3", "3", "3"]


@pytest.mark.slow
def test_the_learners_folder_and_progress_work(installed, folder):
    path = folder / "step02.ipynb"
    text = path.read_text(encoding="utf-8")
    stub = "    ...  # your code here"
    path.write_text(text.replace(stub, "    return x * x * x", 1), encoding="utf-8")
    said = installed("-m", "dezero_lite.steps", "progress", folder)
    assert said.stderr == ""
    assert "     1  right" in said.stdout
    ask = "from dezero_lite import steps; print(steps.solution(8, 2))"
    asked = installed("-c", ask)
    assert asked.stdout.startswith("def total"), asked.stderr


@pytest.mark.slow
def test_what_is_said_to_type_can_be_typed(installed, laid):
    """There is no start.py beside an installed package."""
    folder, kept = laid
    assert f"`python -m dezero_lite.steps fresh N {folder}`" in kept
    for path in folder.glob("*.ipynb"):
        assert "start.py" not in path.read_text(encoding="utf-8"), path.name
    the_map = (folder / "start.ipynb").read_text(encoding="utf-8")
    assert '"image/png"' in the_map, "the map shows its picture before it has run"
    assert "python -m dezero_lite.steps workshop" in the_map
    assert "python -m dezero_lite.steps progress my-course" in the_map
    said = installed("-m", "dezero_lite.steps", "workshop", "judge", "2").stderr
    assert "`python -m dezero_lite.steps workshop 2`" in said
    assert "start.py" not in said
