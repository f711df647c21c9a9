"""The configurations for a class on JupyterHub and for Binder: they can be read, and
what they start lays the course without touching what is there.
"""

import os
import re
import subprocess
import sys

import pytest

from steps.course import lessons, own
from steps.course.lessons import ROOT
from tests import matrix

HUB = ROOT / "docs" / "hub"
SERVER = "import sys; print('served', *sys.argv[1:])"


def read_config(name):
    """A configuration as JupyterHub reads it."""
    traitlets = pytest.importorskip("traitlets.config.loader")
    return traitlets.PyFileConfigLoader(name, str(HUB)).load_config()


def test_every_server_runs_in_the_environment_of_the_hub():
    python, program = read_config("jupyterhub_config.py").Spawner.cmd
    assert python == sys.executable
    assert program == str(HUB / "start_user.py")


def test_the_hub_opens_the_map_in_the_folder_that_it_lays():
    url = read_config("jupyterhub_config.py").Spawner.default_url
    assert url == f"/lab/tree/{own.FOLDER.name}/{lessons.notebook_path(0).name}"


def test_only_those_who_are_named_may_come_in():
    assert read_config("jupyterhub_config.py").PAMAuthenticator.allowed_groups
    trial = read_config("trial_config.py")
    assert trial.Authenticator.allowed_users
    assert "allow_all" not in trial.Authenticator
    # A trial is for the machine that it runs on.
    assert trial.JupyterHub.bind_url.startswith("http://127.0.0.1:")
    assert trial.Spawner.cmd[1] == str(HUB / "start_user.py")


@pytest.fixture
def start(tmp_path):
    """Start a user's server, which only says that it was started; `start.home` is the
    user's home.
    """
    stub = tmp_path / "stub" / "jupyterhub"
    stub.mkdir(parents=True)
    (stub / "__init__.py").touch()
    (stub / "singleuser.py").write_text(SERVER)

    def start(*arguments):
        return subprocess.run(
            [sys.executable, HUB / "start_user.py", *arguments],
            cwd=start.home,
            env=os.environ
            | {
                "HOME": str(start.home),
                "PYTHONPATH": f"{stub.parent}{os.pathsep}{ROOT}",
            },
            capture_output=True,
            text=True,
        )

    start.home = tmp_path / "anna"
    start.home.mkdir()
    return start


posix = pytest.mark.skipif(os.name == "nt", reason="JupyterHub is not for Windows")


@posix
@pytest.mark.slow
def test_a_server_finds_the_course_laid_and_what_is_there_as_it_was(start):
    done = start("--port=1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "served --port=1"
    laid = start.home / "my-course"
    assert len(list(laid.glob("step*.ipynb"))) == len(lessons.numbers())
    mine = laid / "step01.ipynb"
    text = mine.read_text(encoding="utf-8").replace("YOUR CODE HERE", "x = 'mine'")
    mine.write_text(text.replace("## ", "## My "), encoding="utf-8")
    before = mine.read_bytes()
    (laid / "step02.ipynb").unlink()
    assert start().stdout.splitlines()[-1] == "served"
    assert mine.read_bytes() == before
    assert (laid / "step02.ipynb").exists()


@posix
def test_a_course_that_cannot_be_laid_keeps_nobody_from_their_server(start):
    (start.home / "my-course").write_text("a file in the way")
    done = start()
    assert done.stdout.splitlines()[-1] == "served"
    assert "my-course" in done.stderr
    assert (start.home / "my-course").read_text() == "a file in the way"


def test_binder_installs_the_course_and_lays_it():
    folder = ROOT / ".binder"
    lines = (folder / "requirements.txt").read_text().splitlines()
    constraints, project = lines[-2:]
    assert (folder / constraints.removeprefix("-c ")).samefile(ROOT / "constraints.txt")
    assert project == "-e .[course]"
    version = (folder / "runtime.txt").read_text().strip().removeprefix("python-")
    assert version in [python for python, _ in matrix.COMBINATIONS]
    script = folder / "postBuild"
    assert script.read_text().startswith("#!")
    assert "python -m steps lay\n" in script.read_text()
    assert os.name == "nt" or os.access(script, os.X_OK)


def test_the_page_names_files_that_are_there():
    page = (ROOT / "docs" / "hub.md").read_text(encoding="utf-8")
    named = set(re.findall(r"docs/hub/\w+\.py", page))
    assert {f"docs/hub/{path.name}" for path in HUB.glob("*.py")} == named
