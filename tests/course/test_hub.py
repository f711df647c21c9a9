"""The configurations for a class on JupyterHub and for Binder can be read, and their
start scripts create the course's folder without changing existing files. If JupyterHub
is installed, two users log in.
"""

import contextlib
import os
import re
import shutil
import sys
import time
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPCookieProcessor, build_opener

import pytest

from steps.course import learner_folder, lessons
from steps.course.lessons import ROOT
from tests import matrix
from tests.course.servers import free_ports, serving
from tests.support.programs import python as run_python

HUB = ROOT / "docs" / "hub"
SERVER = "import sys; print('served', *sys.argv[1:])"


def read_config(name):
    """Read a configuration as JupyterHub does."""
    traitlets = pytest.importorskip("traitlets.config.loader")
    return traitlets.PyFileConfigLoader(name, str(HUB)).load_config()


def test_servers_run_beside_the_hub_for_those_who_are_named_and_open_the_map():
    config = read_config("jupyterhub_config.py")
    assert config.Spawner.cmd == [sys.executable, str(HUB / "start_user.py")]
    the_map = f"{learner_folder.FOLDER.name}/{lessons.notebook_path(0).name}"
    assert config.Spawner.default_url == f"/lab/tree/{the_map}"
    assert config.PAMAuthenticator.allowed_groups
    trial = read_config("trial_config.py")
    assert trial.Authenticator.allowed_users
    assert "allow_all" not in trial.Authenticator
    # A trial only serves its own machine.
    assert trial.JupyterHub.bind_url.startswith("http://127.0.0.1:")
    assert trial.Spawner.cmd[1] == str(HUB / "start_user.py")


@pytest.fixture
def start(tmp_path):
    """Start a user's server, which only reports that it was started; `start.home` is
    the user's home.
    """
    stub = tmp_path / "bin" / "jupyterhub-singleuser"
    stub.parent.mkdir()
    stub.write_text(f"#!{sys.executable}\n{SERVER}")
    stub.chmod(0o755)
    python = stub.with_name("python")
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"')
    python.chmod(0o755)
    began = f"import runpy, sys\nsys.executable = {str(python)!r}\ndel sys.argv[0]\n"
    began += "runpy.run_path(sys.argv[0], run_name='__main__')"

    def start(*arguments):
        command = ["-c", began, HUB / "start_user.py", *arguments]
        places = {"HOME": str(start.home), "PYTHONPATH": str(ROOT)}
        return run_python(*command, folder=start.home, **places)

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
    (start.home / "calendar.py").write_text("raise SystemExit('the wrong one')")
    done = start()
    assert done.stdout.splitlines()[-1] == "served"
    assert "my-course" in done.stderr
    assert (start.home / "my-course").read_text() == "a file in the way"


# --- A hub that runs ------------------------------------------------------------------

PROXY = shutil.which(
    "configurable-http-proxy", path=f"{os.environ.get('PATH')}:{ROOT}/node_modules/.bin"
)
PASSWORD = "only-a-trial"


@pytest.fixture
def trial(tmp_path):
    """Start a hub with the trial configuration, but with its own ports and homes."""
    pytest.importorskip("jupyterhub", reason="not installed: pip install jupyterhub")
    if not PROXY:
        pytest.skip("no proxy: npm install configurable-http-proxy")
    page, api, inner = free_ports(3)
    configuration = tmp_path / "config.py"
    configuration.write_text(
        f"load_subconfig({str(HUB / 'trial_config.py')!r})\n"
        f"c.JupyterHub.bind_url = 'http://127.0.0.1:{page}'\n"
        f"c.JupyterHub.hub_port = {inner}\n"
        f"c.ConfigurableHTTPProxy.api_url = 'http://127.0.0.1:{api}'\n"
        # Only a trial may do this, and only if tests run as root.
        f"c.Spawner.args = {['--allow-root'] * (os.geteuid() == 0)}\n"
    )
    command = [sys.executable, "-m", "jupyterhub", "-f", configuration]
    path = f"{Path(PROXY).parent}:{os.environ['PATH']}"
    variables = {"PATH": path, "PYTHONPATH": str(ROOT)}
    says = "JupyterHub is now running"
    with serving(command, tmp_path, says, **variables) as (_, _, said):
        yield f"http://127.0.0.1:{page}", said


class Visitor:
    """A user with a browser, as far as the hub can tell."""

    def __init__(self, address):
        self.address = address
        self.cookies = CookieJar()
        self._open = build_opener(HTTPCookieProcessor(self.cookies)).open

    def get(self, way, **fields):
        data = urlencode(fields).encode() or None
        with self._open(self.address + way, data, timeout=120) as answer:
            return answer.url, answer.read().decode()

    def log_in(self, name, password):
        self.get("/hub/login")
        token = next(c.value for c in self.cookies if c.name == "_xsrf")
        return self.get("/hub/login", username=name, password=password, _xsrf=token)

    def reaches(self, way):
        for _ in range(300):
            with contextlib.suppress(HTTPError):
                if urlsplit(self.get(way)[0]).path == way:
                    return True
            time.sleep(0.2)
        return False


@posix
@pytest.mark.slow
def test_two_users_find_their_maps_and_no_third_one_comes_in(trial, tmp_path):
    address, said = trial
    visitors = {"anna": Visitor(address), "ben": Visitor(address)}
    for name, visitor in visitors.items():
        visitor.log_in(name, PASSWORD)
    for name, visitor in visitors.items():
        mine = f"/user/{name}/lab/tree/my-course/start.ipynb"
        assert visitor.reaches(mine), said.read_text("utf-8")
        laid = tmp_path / "hub-homes" / name / "my-course"
        assert len(list(laid.glob("step*.ipynb"))) == len(lessons.numbers())
    for stranger in (("anna", "another word"), ("cleo", PASSWORD)):
        with pytest.raises(HTTPError, match="403"):
            Visitor(address).log_in(*stranger)
    assert "deprecated" not in said.read_text("utf-8")


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
    # The page names files that exist.
    page = (ROOT / "docs" / "hub.md").read_text(encoding="utf-8")
    named = set(re.findall(r"docs/hub/(\w+\.py)", page))
    assert {path.name for path in HUB.glob("*.py")} == named
