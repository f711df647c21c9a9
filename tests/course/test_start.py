"""The launcher, without network or installs; its children are recorded, or tiny."""

import ast
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from tests.course.texts import blocks
from tests.support.programs import python as run_python

SOURCE = Path(__file__).parents[2] / "start.py"
posix = pytest.mark.skipif(os.name == "nt", reason="no such signals there")


def module(path):
    """Load a file as its own module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def load(folder):
    """Load the launcher of the checkout in a folder."""
    return module(folder / "launcher.py")


@pytest.fixture
def checkout(tmp_path):
    folder = tmp_path / "a course für you"
    (folder / "notebooks").mkdir(parents=True)
    shutil.copy(SOURCE, folder)
    shutil.copy(SOURCE.with_name("launcher.py"), folder)
    (folder / "pyproject.toml").write_text("[project]")
    (folder / "constraints.txt").write_text("numpy==2.0.0")
    (folder / "notebooks" / "step01.ipynb").write_text("{}")
    (folder / "notebooks" / "step02.ipynb").write_text("{}")
    return folder


@pytest.fixture
def start(checkout, monkeypatch):
    handler = signal.getsignal(signal.SIGTERM)
    start = load(checkout)
    monkeypatch.setattr(start.os, "geteuid", lambda: 1000, raising=False)
    yield start
    signal.signal(signal.SIGTERM, handler)


class Children:
    """Replace start.run: record what is run, and do the parts of venv and pip that
    tests need.
    """

    def __init__(self, start):
        self.python = Path(start.PYTHON)
        self.ran = []
        self.codes = {}
        self.logs = {"pip": "Collecting a\nSuccessfully installed a-1 b-2 c-3\n"}

    def __call__(self, command, log=None, folder=None, settings=None):
        name = command[2] if command[1] == "-m" else Path(command[1]).name
        if name == "--headless":  # of a browser
            name = Path(command[0]).name
        self.folder, self.settings = folder, settings
        self.ran.append(name)
        self.command = command
        if log:
            log.write(self.logs.get(name, "").encode())
        if command[2:] == ["steps", "lay"]:
            return 0
        code = self.codes.get(name, 0)
        if isinstance(code, BaseException):
            raise code
        if name == "venv":
            self.python.parent.mkdir()
            self.python.touch()
        return code

    def during(self, action):
        """Return the commands that an action runs."""
        self.ran = []
        action()
        return self.ran


@pytest.fixture
def children(start, monkeypatch):
    stand_in = Children(start)
    monkeypatch.setattr(start, "run", stand_in)
    return stand_in


def complaint(start, *arguments):
    """Return the sentence with which the launcher exits, with exit code 1."""
    with pytest.raises(SystemExit) as caught:
        start.main(list(arguments))
    sentence = caught.value.code
    assert isinstance(sentence, str)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    return sentence


# An old Python gets as far as the message


# Everything that start.py uses; Python 2.7 has all of it.
OLD = """
    Module Expr Constant Name Load Attribute Call Tuple Subscript Slice Compare Lt Eq
    BinOp Mod If Return Import ImportFrom alias FunctionDef arguments arg Assign Store
"""
NEW = ("annotation", "returns", "kwonlyargs", "posonlyargs")


def too_new(source):
    return [
        type(node).__name__
        for node in ast.walk(ast.parse(source))
        if type(node).__name__ not in OLD.split()
        or any(getattr(node, name, None) for name in NEW)
    ]


def test_old_pythons_can_read_the_source():
    assert too_new(SOURCE.read_bytes().decode("ascii")) == []


def test_the_reader_of_the_source_knows_what_is_too_new():
    lines = """f'{x}' | x: int = 1 | f(*x, y) | def f(*, a): pass | print(1, end='')
    def f(a, /): return | def f(a: int): return | def f() -> int: return"""
    for line in re.split(r"\s*[|\n]\s*", lines):
        assert too_new(line), line


def test_the_guard_is_small_and_needs_nothing():
    body = ast.parse(SOURCE.read_bytes()).body
    imports = [node for node in body if isinstance(node, (ast.Import, ast.ImportFrom))]
    assert [ast.unparse(node) for node in imports] == ["import sys"]
    lines = SOURCE.read_text().partition("import sys")[2].split("\n")
    assert len([line for line in lines if line]) <= 15


def runs(python):
    """Version managers put a command on the path for each version, in use or not."""
    run = python and subprocess.run([python, "-c", ""], capture_output=True)
    return run and not run.returncode


@pytest.mark.slow
def test_an_old_python_is_told_so():
    versions = ("2.7", "3.6", "3.7", "3.8", "3.9")
    there = {name: shutil.which(f"python{name}") for name in versions}
    found = {name: python for name, python in there.items() if runs(python)}
    if not found:
        pytest.skip("there is no old Python here")
    for name, python in found.items():
        run = subprocess.run([python, SOURCE], capture_output=True, text=True)
        assert run.returncode == 1
        assert f"3.10 or newer, and this is Python {name}." in run.stderr
        assert len(run.stderr.splitlines()) == 1


@pytest.mark.parametrize("version", [(2, 7, 18, "final", 0), (3, 9, 18, "final", 0)])
def test_too_old_a_python(monkeypatch, version):
    guard = module(SOURCE)
    old = SimpleNamespace(version_info=version, exit=sys.exit)
    monkeypatch.setattr(guard, "sys", old)
    assert "this is Python {}.{}.18.".format(*version) in complaint(guard)


# What can go wrong


NO_INDEX = "could not reach its package index"
SPACE = "ERROR: No space left on device"


@pytest.mark.parametrize(
    ("program", "log", "said"),
    [
        # pip gives up retrying, or finds no version of anything.
        ("pip", "Obtaining\n  WARNING: Retry(total=0, a) broken\n note: x", NO_INDEX),
        ("pip", "ERROR: HTTPSConnectionPool: Max retries exceeded\n", NO_INDEX),
        ("pip", "ERROR: Could not find hatchling (from versions: none)", NO_INDEX),
        # A retry that succeeded is not reported as a missing network.
        ("pip", f"WARNING: Retry(total=4, a)\n{SPACE}\nnote: x", f"({SPACE})"),
        ("pip", "", "the course (it did not say why; is the disk full?)"),
        ("venv", "Error: no ensurepip today\n\n", "(Error: no ensurepip today)"),
    ],
)
def test_what_cannot_be_installed_is_told(start, children, program, log, said):
    children.codes[program], children.logs[program] = 137, log
    sentence = complaint(start)
    assert said in sentence
    assert str(start.LOG) in sentence
    assert Path(start.LOG).read_text() == log


def test_missing_modules(start, children, monkeypatch):
    for module in ("venv", "ensurepip"):
        with monkeypatch.context() as bare:
            bare.setitem(sys.modules, module, None)
            sentence = complaint(start)
        assert f"lacks its module {module};" in sentence
        assert "apt install python{}.{}-venv".format(*sys.version_info) in sentence
    assert children.ran == []


def test_a_folder_that_cannot_be_written_to(start, children, monkeypatch):
    for error, said in (
        (PermissionError(13, "Permission denied"), "No permission to write in"),
        (OSError(28, "No space left on device"), "No space left on device"),
    ):
        monkeypatch.setattr(Path, "mkdir", Mock(side_effect=error))
        assert said in complaint(start)


def test_an_environment_of_someone_else_is_left_alone(start, children, checkout):
    (checkout / ".venv").mkdir()
    (checkout / ".venv" / "theirs").touch()
    assert "did not create it" in complaint(start)
    assert (checkout / ".venv" / "theirs").exists()
    assert "'tests' is not a command" in complaint(start, "tests")
    assert children.ran == []


def test_a_message_that_the_terminal_has_no_letters_for(checkout):
    (checkout / ".venv").mkdir()
    letters = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = run_python(checkout / "start.py", **letters)
    assert done.returncode == 1
    assert "a course f?r you" in done.stderr
    assert "Traceback" not in done.stderr


# What is installed, and when


def test_the_first_start_installs_and_a_later_one_what_changed(
    start, children, checkout, capsys
):
    assert children.during(start.set_up) == ["venv", "pip"]
    assert children.command[-4:] == ["-e", ".[course,test]", "-c", "constraints.txt"]
    assert "Installed 3 package(s) in" in capsys.readouterr().out
    assert children.during(start.set_up) == []
    assert capsys.readouterr().out == ""
    children.logs["pip"] = ""  # The user has configured pip to be quiet.
    for name in ("pyproject.toml", "constraints.txt"):
        assert children.during(start.set_up) == []
        (checkout / name).write_text("changed")
        assert children.during(start.set_up) == ["pip"]
    assert children.during(start.set_up) == []


BOTH = ["venv", "pip"]


def fails(start, children, program, failure=1):
    children.codes[program] = failure
    with pytest.raises((KeyboardInterrupt, SystemExit)):
        start.set_up()
    children.codes[program] = 0


@pytest.mark.parametrize("failure", [KeyboardInterrupt(), 1])
def test_what_is_unfinished_is_done_again(start, children, checkout, failure):
    fails(start, children, "venv", failure)
    assert children.during(lambda: fails(start, children, "pip", failure)) == BOTH
    assert children.during(start.set_up) == ["pip"]
    # Even if the pins change back.
    (checkout / "constraints.txt").write_text("numpy==9")
    fails(start, children, "pip", failure)
    (checkout / "constraints.txt").write_text("numpy==2.0.0")
    assert children.during(start.set_up) == ["pip"]


def rebuilt(start, children):
    (Path(start.VENV) / "left over").touch()
    ran = children.during(start.set_up)
    return ran == ["venv", "pip"] and not (Path(start.VENV) / "left over").exists()


REBUILT = ["another build", "another version", "gone", "moved", "half rebuilt"]


@pytest.mark.parametrize("what", REBUILT)
def test_an_environment_that_another_python_made_is_rebuilt(
    start, children, checkout, monkeypatch, what
):
    start.set_up()
    with monkeypatch.context() as other:
        if what == "another build":
            other.setattr(start.sys, "base_prefix", "/another")
        elif what == "another version":
            other.setattr(start.sys.implementation, "cache_tag", "cpython-399")
        elif what == "gone":
            os.remove(start.PYTHON)
        elif what == "moved":
            start = load(checkout.rename(checkout.with_name("elsewhere")))
            children = Children(start)
            monkeypatch.setattr(start, "run", children)
        else:
            other.setattr(start.sys, "base_prefix", "/another")
            other.setattr(start.shutil, "rmtree", Mock(side_effect=SystemExit))
            with pytest.raises(SystemExit):
                start.set_up()
            other.undo()
        assert rebuilt(start, children)


def test_the_python_beneath_the_one_that_goes_makes_it(start, children, monkeypatch):
    monkeypatch.setattr(start.sys, "executable", start.PYTHON)
    monkeypatch.setattr(start.sys, "prefix", start.VENV)
    monkeypatch.setattr(start, "install", lambda: 0)
    start.set_up()
    python = os.path.realpath(sys._base_executable)
    assert children.command == [python, "-m", "venv", start.VENV]


# Trust


def test_notebooks_are_trusted_once_and_when_they_change(
    start, children, checkout, capsys
):
    start.set_up()
    assert children.during(start.trust) == ["nbformat.sign"]
    assert children.command[3:] == ["notebooks/step01.ipynb", "notebooks/step02.ipynb"]
    assert children.during(start.trust) == []
    (checkout / "notebooks" / "step02.ipynb").write_text("{'changed': 1}")
    assert children.during(start.trust) == ["nbformat.sign"]
    (checkout / "notebooks" / "step03.ipynb").write_text("{}")
    # Failing to trust the notebooks is reported, and tried again.
    children.codes["nbformat.sign"] = 1
    start.trust()
    assert "could not mark the notebooks as trusted" in capsys.readouterr().out
    assert children.during(start.trust) == ["nbformat.sign"]
    # Without notebooks, there is nothing to trust.
    shutil.rmtree(checkout / "notebooks")
    assert children.during(start.trust) == []


# Arguments


@pytest.fixture
def passed_on(start, children):
    """Return the command line that results from some arguments, after the environment's
    python -m.
    """
    start.set_up()
    start.trust()

    def passed_on(arguments):
        for name in ("jupyterlab", "pytest", "steps"):
            children.codes[name] = 5
        assert start.main(arguments.split()) == 5
        assert children.command[:2] == [start.PYTHON, "-m"]
        return " ".join(children.command[2:])

    return passed_on


def lab_at(start, page):
    return (
        f"jupyterlab --ServerApp.answer_yes=True --ServerApp.root_dir={start.ROOT} "
        f"--LabApp.default_url=/lab/tree/{page}"
    )


def test_lab_opens_the_map_or_another_lesson_from_anywhere(
    start, passed_on, checkout, tmp_path, monkeypatch, capsys
):
    for options in ("", " --no-browser --port 8899"):
        expected = lab_at(start, "my-course/start.ipynb") + options
        assert passed_on(options) == passed_on(f"lab{options}") == expected
    monkeypatch.chdir(tmp_path)
    expected = lab_at(start, "notebooks/step02.ipynb") + " --x"
    assert passed_on("lab notebooks/step02.ipynb --x") == expected
    monkeypatch.chdir(checkout / "notebooks")
    assert passed_on("lab step02.ipynb --x") == expected
    page = start.where(checkout / "my notes.ipynb")[1]
    assert page.endswith("/my%20notes.ipynb")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.ipynb").write_text("{}")
    assert passed_on("lab mine.ipynb").split()[2:] == [str(tmp_path / "mine.ipynb")]
    # Root is warned, but not stopped.
    monkeypatch.setattr(start.os, "geteuid", lambda: 0)
    assert passed_on("--x").endswith("start.ipynb --allow-root --x")
    assert "You are root" in capsys.readouterr().out


def test_what_is_to_be_opened_or_run_has_to_be_there(start, children):
    start.set_up()
    for arguments, said in (
        (["lab", "my-course/step99.ipynb"], "There is no my-course/step99.ipynb"),
        (["run"], "Name the program"),
        (["run", "nothing.py"], "There is no nothing.py"),
    ):
        assert said in complaint(start, *arguments)


def test_lab_trusts_and_lays_first_and_the_others_do_not(start, children, monkeypatch):
    start.set_up()
    assert children.during(lambda: start.main(["test"])) == ["pytest"]
    assert children.during(lambda: start.main(["steps"])) == ["steps"]
    ran = children.during(lambda: start.main([]))
    assert ran == ["nbformat.sign", "steps", "jupyterlab"]
    # If the folder cannot be created, Lab does not start.
    monkeypatch.setattr(start, "run", lambda command, *_: command[2:].count("lay"))
    assert start.main([]) == 1


def test_a_checkout_has_tabs_of_its_own(start, children, monkeypatch):
    start.set_up()
    monkeypatch.delenv("JUPYTERLAB_WORKSPACES_DIR", raising=False)
    for tabs in (os.path.join(start.VENV, "workspaces"), "/of/the/user"):
        start.main([])
        assert children.settings["JUPYTERLAB_WORKSPACES_DIR"] == tabs
        monkeypatch.setenv("JUPYTERLAB_WORKSPACES_DIR", "/of/the/user")


def test_the_workshop_judges_and_opens_what_is_next(
    start, children, checkout, monkeypatch
):
    start.set_up()
    start.trust()
    page = checkout / "my-course" / "workshop" / "step08.ipynb"
    page.parent.mkdir(parents=True)
    page.write_text("{}")
    monkeypatch.setattr(start, "output", lambda command: str(page))
    monkeypatch.delenv("JUPYTER_SERVER_URL", raising=False)

    def ran_for(words):
        return children.during(lambda: start.main(["workshop", *words.split()]))

    opened = ["steps", "steps", "steps", "jupyterlab"]
    for words in ("", "8", "next --anyway", "--no-browser"):
        assert ran_for(words) == opened
        assert any("step08.ipynb" in str(part) for part in children.command)
    assert children.command[-1] == "--no-browser"
    # A port number is not a step's number.
    for words in ("--port 8899", "8 --port 8899"):
        assert ran_for(words) == opened
        assert children.command[-2:] == ["--port", "8899"]
        assert "8899" not in children.command[:-1]
    for words in ("hint 8 square --nearer", "judge 8 --json --junit x.xml"):
        assert ran_for(words) == ["steps"]
        assert children.command[4:] == words.split()
    monkeypatch.setenv("JUPYTER_SERVER_URL", "http://127.0.0.1:8888/")
    assert ran_for("next") == ["steps", "steps"]
    # A step that is not right opens nothing.
    monkeypatch.setattr(start, "run", lambda command, *_: int("next" in command))
    assert start.main(["workshop", "next"]) == 1


def test_programs_run_where_the_caller_stands(
    start, children, checkout, tmp_path, monkeypatch
):
    start.set_up()
    example = checkout / "examples" / "digits.py"
    example.parent.mkdir()
    example.touch()
    monkeypatch.chdir(tmp_path)
    start.main(["steps", "student", "here"])
    assert children.folder == tmp_path
    assert children.settings["PYTHONSAFEPATH"] == "1"
    start.main(["run", "examples/digits.py", "--epochs", "1"])
    assert children.folder == tmp_path
    assert children.command == [start.PYTHON, example, "--epochs", "1"]
    (tmp_path / "mine.py").touch()
    start.main(["run", "mine.py"])
    assert children.command == [start.PYTHON, tmp_path / "mine.py"]


def test_slides_of_no_step_install_nothing(start, children):
    start.set_up()
    assert "Name a step" in complaint(start, "slides")
    assert children.during(lambda: start.main(["slides", "8"])) == ["pip", "steps"]


def test_an_environment_that_is_damaged_is_named(start, children, monkeypatch):
    start.set_up()
    children.codes["steps"] = 1
    says = SimpleNamespace(returncode=1, stderr="Traceback …\nImportError: numpy")
    monkeypatch.setattr(start.subprocess, "run", lambda *_, **__: says)
    with pytest.raises(SystemExit, match=r"damaged \(ImportError: numpy\): delete"):
        start.main(["steps", "check"])
    says.returncode = 0
    assert start.main(["steps", "check"]) == 1


def test_nothing_is_imported_from_where_the_caller_is(tmp_path):
    (tmp_path / "argparse.py").write_text("print('somebody else')")
    settings = {"PYTHONPATH": str(SOURCE.parent), "COURSE_COMMAND": "go"}
    done = run_python("-m", "steps", "--help", folder=tmp_path, **settings)
    assert done.stdout.startswith("usage: go ")


def test_an_environment_that_lost_a_folder_is_made_anew(start, children, capsys):
    start.set_up()
    package = Path(start.VENV) / "lib" / "numpy" / "core"
    info = Path(start.VENV) / "lib" / "numpy-2.0.dist-info"
    for folder in (package, info, package / "__pycache__"):
        folder.mkdir(parents=True)
    start.remember("folders", "\n".join(start.folders()))
    assert children.during(start.set_up) == []
    info.rmdir()
    (package / "__pycache__").rmdir()
    assert children.during(start.set_up) == []
    package.rmdir()
    assert children.during(start.set_up) == ["venv", "pip"]
    assert "core is missing from the environment" in capsys.readouterr().out
    assert children.during(start.set_up) == []


def test_tests_run_in_parallel_and_options_are_passed_on(passed_on, monkeypatch):
    for cores, workers in ((1, 2), (2, 3), (64, 8), (None, 2)):
        monkeypatch.setattr("os.cpu_count", lambda cores=cores: cores)
        assert passed_on("test tests/a.py -x") == f"pytest -n {workers} tests/a.py -x"
    for own in ("-n 3", "-n3", "-nauto", "--numprocesses 3", "--numprocesses=3"):
        assert passed_on(f"test -x {own}") == f"pytest -x {own}"
    assert passed_on("steps check --help") == "steps check --help"
    assert passed_on("class fetch") == "steps class fetch"


def test_the_site_is_built_and_opened(start, children, checkout, monkeypatch, capsys):
    opened = []
    monkeypatch.setattr(start.webbrowser, "open", opened.append)
    children.during(start.set_up)
    ran = children.during(lambda: start.main(["docs"]))
    assert ran == ["pip", "sphinx", "sphinx"]
    page = checkout / "docs" / "_build" / "html" / "index.html"
    said = ["sphinx", "-q", "-W", "--keep-going", "-b", "html", "docs/zh"]
    assert children.command[2:] == [*said, page.parent / "zh"]
    assert opened == [page.as_uri()]
    # Sphinx is now installed. A site that fails to build is not opened.
    children.codes["sphinx"] = 2
    assert children.during(lambda: start.main(["docs"])) == ["sphinx"]
    children.codes["sphinx"] = 0
    capsys.readouterr()
    assert start.main(["docs", "--no-browser"]) == 0
    assert capsys.readouterr().out == f"Built the site: {page}\n"
    assert opened == [page.as_uri()]
    # The installed packages have changed, so Sphinx may have changed.
    (checkout / "constraints.txt").write_text("numpy==2.1.0")
    ran = children.during(lambda: start.main(["docs", "--no-browser"]))
    assert ran == ["pip", "pip", "sphinx", "sphinx"]


def test_an_ebook_is_made_and_a_pdf_printed(start, children, monkeypatch, capsys):
    children.during(start.set_up)
    assert children.during(lambda: start.main(["docs", "--epub"])) == ["pip", "sphinx"]
    assert children.command[-4:-1] == ["-c", "docs/ebook", "docs"]
    assert "dezero_lite.epub" in capsys.readouterr().out
    # Without a browser, nothing is built.
    monkeypatch.setattr(start.shutil, "which", lambda name: None)
    with pytest.raises(SystemExit, match=r"or use --epub\.$"):
        start.main(["docs", "--pdf"])
    monkeypatch.setattr(start.shutil, "which", {"chrome": "/bin/chrome"}.get)
    ran = children.during(lambda: start.main(["docs", "--pdf"]))
    assert ran == ["sphinx", "chrome"]
    assert children.command[-1].endswith("singlehtml/index.html")
    assert "dezero_lite.pdf" in capsys.readouterr().out
    # A page that fails to build is not printed.
    children.codes["sphinx"] = 2
    assert children.during(lambda: start.main(["docs", "--pdf"])) == ["sphinx"]


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_names_every_command_and_does_nothing(start, children, capsys, option):
    assert start.main([option]) == 0
    help_text = capsys.readouterr().out
    for name in {"[lab]", *start.COMMANDS} - {"lab"}:
        assert f"python start.py {name} " in help_text
    assert children.ran == []


# Real child processes


PROGRAMS = blocks("children.md")


def python(code):
    return [sys.executable, "-c", code]


def test_a_child_runs_in_the_checkout(start, checkout, monkeypatch):
    # The environment is first on its path.
    monkeypatch.setenv("PIP_SAYS", "what the user set")
    assert start.run(python(PROGRAMS["what a child sees"])) == 7
    if os.name != "nt":
        assert start.run(python("import os; os.kill(os.getpid(), 9)")) == 137
    seen = (checkout / "seen").read_text("utf-8").splitlines()
    assert seen == [str(start.SCRIPTS), "what the user set"]


def test_a_file_gets_what_is_said_in_the_order_it_was_said(checkout):
    # An empty PYTHONUNBUFFERED does not count.
    program = PROGRAMS["launcher and child speak in turn"]
    done = run_python("-c", program, folder=checkout, PYTHONUNBUFFERED="")
    assert done.stdout.split() == ["launcher", "child"]


def test_a_child_with_a_log_is_silent_and_asks_nothing(checkout):
    program = PROGRAMS["a child with a log"]
    done = run_python("-c", program, folder=checkout, typed="typed")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (checkout / "log").read_text().split() == ["out", "err", "''"]


def test_progress_is_one_line_that_goes_away(start, checkout, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "21")
    monkeypatch.setattr(start.sys.stdout, "isatty", lambda: True)
    (checkout / ".venv").mkdir()
    said = "Collecting a\n  Collecting a-package-with-a-long-name\n"
    Path(start.LOG).write_text(said)
    with open(start.LOG, "ab") as log:
        start.run(python("import time; time.sleep(0.3)"), log)
    lines = capsys.readouterr().out.split("\r")
    assert "  0 s  Collecting a-" in lines
    assert lines[-2:] == [" " * 20, ""]


def test_where_lines_stay_progress_is_a_line_now_and_then(
    start, checkout, monkeypatch, capsys
):
    pauses = []

    class Child:
        returncode = None

        def wait(self, pause):
            pauses.append(pause)
            raise subprocess.TimeoutExpired("pip", pause)

    (checkout / ".venv").mkdir()
    for said in ("Collecting a", ""):
        Path(start.LOG).write_text(said)
        start.watch(Child(), log=True, began=start.time.time() - 7)
    assert capsys.readouterr().out == "  7 s  Collecting a\n  7 s\n"
    assert pauses == [5, 5]


def interrupt(checkout, how):
    """Start a launcher with a child, do something to them, and return how the launcher
    ended.
    """
    pipe = subprocess.PIPE
    of_its_own = {"cwd": checkout, "text": True, "start_new_session": True}
    program = python(PROGRAMS["a child that is interrupted"])
    with subprocess.Popen(program, stdout=pipe, stderr=pipe, **of_its_own) as launcher:
        try:
            assert launcher.stdout.readline() == "up\n"
            how(launcher.pid)
            launcher.wait(timeout=10)
            child_ended = (checkout / "ended").exists()
            # The child also holds the pipes, so this returns only when both are gone.
            said = launcher.communicate(timeout=10)
        except BaseException:
            os.killpg(launcher.pid, signal.SIGKILL)
            raise
    assert said == ("", "")
    return launcher.returncode, child_ended


@posix
def test_ctrl_c_waits_for_the_child_and_a_stop_takes_it_along_both_quietly(checkout):
    stop = interrupt(checkout, lambda pid: os.kill(pid, signal.SIGTERM))
    assert stop == (130, False)
    ctrl_c = interrupt(checkout, lambda pid: os.killpg(pid, signal.SIGINT))
    assert ctrl_c == (130, True)


def test_ctrl_c_during_the_install_is_quiet(start, children, capsys):
    children.codes["pip"] = KeyboardInterrupt()
    assert start.main([]) == 130
    assert capsys.readouterr().err == ""
