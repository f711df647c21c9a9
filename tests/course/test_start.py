"""The launcher, without network and without an install: its children are recorded, or
very small.
"""

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

import pytest

SOURCE = Path(__file__).parents[2] / "start.py"
posix = pytest.mark.skipif(os.name == "nt", reason="no such signals there")


def load(folder):
    """The launcher of the checkout in a folder, as a module of its own."""
    spec = importlib.util.spec_from_file_location(
        "launcher_in_" + folder.name, folder / "launcher.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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
def start(checkout):
    handler = signal.getsignal(signal.SIGTERM)
    yield load(checkout)
    signal.signal(signal.SIGTERM, handler)


class Children:
    """Stands in for start.run: notes what is run, and does what tests need of venv and
    pip.
    """

    def __init__(self, start):
        self.python = Path(start.PYTHON)
        self.ran = []
        self.codes = {}
        self.logs = {"pip": "Collecting a\nSuccessfully installed a-1 b-2 c-3\n"}

    def __call__(self, command, log=None, folder=None):
        name = command[2] if command[1] == "-m" else command[1].name
        self.folder = folder
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
        """What is run while an action is done."""
        self.ran = []
        action()
        return self.ran


@pytest.fixture
def children(start, monkeypatch):
    stand_in = Children(start)
    monkeypatch.setattr(start, "run", stand_in)
    return stand_in


def complaint(start, *arguments):
    """The one sentence with which the launcher gives up, exit code 1."""
    with pytest.raises(SystemExit) as caught:
        start.main(list(arguments))
    sentence = caught.value.code
    assert isinstance(sentence, str)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    return sentence


# An old Python gets as far as the message


TOO_NEW = (
    ast.JoinedStr,
    ast.AnnAssign,
    ast.NamedExpr,
    ast.Starred,
    ast.Nonlocal,
    ast.YieldFrom,
    ast.MatMult,
    ast.AsyncFunctionDef,
)


def too_new(node):
    if isinstance(node, ast.arguments):
        return node.kwonlyargs or node.posonlyargs
    if isinstance(node, ast.arg):
        return node.annotation
    if isinstance(node, ast.FunctionDef):
        return node.returns
    if isinstance(node, ast.ClassDef):
        return node.keywords
    if isinstance(node, ast.Raise):
        return node.cause
    if isinstance(node, ast.With):
        return len(node.items) > 1
    if isinstance(node, ast.Dict):
        return None in node.keys
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    ):
        return node.keywords
    return isinstance(node, TOO_NEW)


def test_old_pythons_can_read_the_source():
    source = SOURCE.read_bytes().decode("ascii")
    tree = ast.parse(source, feature_version=(3, 7))
    assert [ast.unparse(node) for node in ast.walk(tree) if too_new(node)] == []


@pytest.mark.parametrize(
    "line",
    [
        "f'{x}'",
        "x: int = 1",
        "(x := 1)",
        "f(*x, y)",
        "[*x]",
        "{**x}",
        "def f(*, a): pass",
        "def f(a, /): pass",
        "def f(a: int): pass",
        "def f() -> int: pass",
        "class A(metaclass=B): pass",
        "raise A from B",
        "with a as b, c as d: pass",
        "print(1, end='')",
        "def f():\n    nonlocal x",
        "def f():\n    yield from x",
        "a @ b",
        "async def f(): pass",
    ],
)
def test_the_reader_of_the_source_knows_what_is_too_new(line):
    assert any(too_new(node) for node in ast.walk(ast.parse(line)))


def test_the_guard_is_small_and_needs_nothing():
    body = ast.parse(SOURCE.read_bytes()).body
    imports = [node for node in body if isinstance(node, (ast.Import, ast.ImportFrom))]
    assert [ast.unparse(node) for node in imports] == ["import sys"]
    lines = SOURCE.read_text().partition("import sys")[2].split("\n")
    assert len([line for line in lines if line]) <= 15


@pytest.mark.parametrize("name", ["2.7", "3.6", "3.7", "3.8", "3.9"])
def test_an_old_python_is_told_so(name):
    python = shutil.which(f"python{name}")
    if not python or subprocess.run([python, "-c", ""], capture_output=True).returncode:
        pytest.skip("not installed")
    run = subprocess.run([python, SOURCE], capture_output=True, text=True)
    assert run.returncode == 1
    assert re.fullmatch(
        rf"The course needs Python 3\.10 or newer, and this is Python {name}\.\d+\.\s",
        run.stderr,
    )


@pytest.mark.parametrize("version", [(2, 7, 18, "final", 0), (3, 9, 18, "final", 0)])
def test_too_old_a_python(monkeypatch, version):
    spec = importlib.util.spec_from_file_location("guard", SOURCE)
    guard = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(guard)
    monkeypatch.setattr(
        guard, "sys", SimpleNamespace(version_info=version, exit=sys.exit)
    )
    assert "this is Python {}.{}.18.".format(*version) in complaint(guard)


# What can go wrong


REFUSED = (
    "WARNING: Retrying (Retry(total=0, connect=None)) after connection broken by "
    "'NewConnectionError'"
)
RESET = (
    "ERROR: Could not install packages due to an OSError: HTTPSConnectionPool: Max "
    "retries exceeded"
)
NOTHING = (
    "ERROR: Could not find a version that satisfies the requirement hatchling (from "
    "versions: none)"
)


@pytest.mark.parametrize("said", [REFUSED, RESET, NOTHING])
def test_no_network(start, children, said):
    children.codes["pip"] = 1
    children.logs["pip"] = (
        f"Obtaining file:///\n   {said}\n  note: not a problem with pip\n"
    )
    sentence = complaint(start)
    assert "could not reach its package index" in sentence
    assert str(start.LOG) in sentence
    assert Path(start.LOG).read_text().startswith("Obtaining")


def test_a_retry_that_helped_is_not_called_no_network(start, children):
    children.codes["pip"] = 1
    children.logs["pip"] = (
        "WARNING: Retrying (Retry(total=4, a))\nERROR: No space left on device\nnote: x"
    )
    sentence = complaint(start)
    assert "(ERROR: No space left on device)" in sentence
    assert str(start.LOG) in sentence


def test_pip_fails_without_a_word(start, children):
    children.codes["pip"] = 137
    children.logs["pip"] = ""
    assert (
        "could not install the course (it did not say why; is the disk full?)"
        in complaint(start)
    )


def test_venv_fails(start, children):
    children.codes["venv"] = 1
    children.logs["venv"] = "Error: no ensurepip today\n\n"
    assert "make the environment (Error: no ensurepip today)" in complaint(start)


@pytest.mark.parametrize("module", ["venv", "ensurepip"])
def test_missing_modules(start, children, monkeypatch, module):
    monkeypatch.setitem(sys.modules, module, None)
    sentence = complaint(start)
    assert f"lacks its module {module};" in sentence
    assert "apt install python{}.{}-venv".format(*sys.version_info) in sentence
    assert children.ran == []


def test_no_write_permission(start, children, monkeypatch):
    def refuse(path):
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(Path, "mkdir", refuse)
    assert complaint(start).startswith(f"No permission to write in {start.ROOT};")


def test_disk_full(start, children, monkeypatch):
    def refuse(path):
        raise OSError(28, "No space left on device", path)

    monkeypatch.setattr(Path, "mkdir", refuse)
    assert "No space left on device" in complaint(start)


def test_an_environment_of_someone_else_is_left_alone(start, children, checkout):
    (checkout / ".venv").mkdir()
    (checkout / ".venv" / "theirs").touch()
    assert "did not make it" in complaint(start)
    assert (checkout / ".venv" / "theirs").exists()


def test_unknown_command(start, children):
    assert "not 'tests';" in complaint(start, "tests")
    assert children.ran == []


def test_a_message_that_the_terminal_has_no_letters_for(checkout):
    (checkout / ".venv").mkdir()
    environment = dict(os.environ, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    command = [sys.executable, checkout / "start.py"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    assert "a course f?r you" in done.stderr
    assert "Traceback" not in done.stderr


# What is installed, and when


def test_the_first_start_installs_and_the_second_does_not(start, children, capsys):
    assert children.during(start.set_up) == ["venv", "pip"]
    assert children.command[-4:] == ["-e", ".[course,test]", "-c", "constraints.txt"]
    assert "Installed 3 package(s) in" in capsys.readouterr().out
    assert children.during(start.set_up) == []
    assert capsys.readouterr().out == ""


def test_a_pip_that_was_told_to_be_quiet_does_not_matter(start, children):
    children.logs["pip"] = ""
    assert children.during(start.set_up) == ["venv", "pip"]
    assert children.during(start.set_up) == []


@pytest.mark.parametrize("name", ["pyproject.toml", "constraints.txt"])
def test_changed_pins_are_installed_into_the_same_environment(
    start, children, checkout, name
):
    start.set_up()
    (checkout / name).write_text("changed")
    assert children.during(start.set_up) == ["pip"]
    assert children.during(start.set_up) == []


@pytest.mark.parametrize("failure", [KeyboardInterrupt(), 1])
def test_an_unfinished_install_goes_on(start, children, failure):
    children.codes["pip"] = failure
    with pytest.raises((KeyboardInterrupt, SystemExit)):
        start.set_up()
    children.codes["pip"] = 0
    assert children.during(start.set_up) == ["pip"]


def test_an_unfinished_install_counts_even_if_the_pins_go_back(
    start, children, checkout
):
    start.set_up()
    (checkout / "constraints.txt").write_text("numpy==9")
    children.codes["pip"] = 1
    with pytest.raises(SystemExit):
        start.set_up()
    (checkout / "constraints.txt").write_text("numpy==2.0.0")
    children.codes["pip"] = 0
    assert children.during(start.set_up) == ["pip"]


@pytest.mark.parametrize("failure", [KeyboardInterrupt(), 1])
def test_an_unfinished_environment_is_made_again(start, children, failure):
    children.codes["venv"] = failure
    with pytest.raises((KeyboardInterrupt, SystemExit)):
        start.set_up()
    children.codes["venv"] = 0
    assert children.during(start.set_up) == ["venv", "pip"]


def rebuilt(start, children):
    left_over = Path(start.VENV) / "left over"
    left_over.touch()
    ran = children.during(start.set_up)
    return ran == ["venv", "pip"] and not left_over.exists()


def test_another_build_of_python_rebuilds(start, children, monkeypatch):
    start.set_up()
    monkeypatch.setattr(start.sys, "base_prefix", "/another")
    assert rebuilt(start, children)


def test_another_version_of_python_rebuilds(start, children, monkeypatch):
    start.set_up()
    monkeypatch.setattr(start.sys.implementation, "cache_tag", "cpython-399")
    assert rebuilt(start, children)


def test_a_moved_checkout_rebuilds(start, children, checkout, monkeypatch):
    start.set_up()
    moved = load(checkout.rename(checkout.with_name("elsewhere")))
    again = Children(moved)
    monkeypatch.setattr(moved, "run", again)
    assert rebuilt(moved, again)


def test_an_environment_whose_python_is_gone_is_rebuilt(start, children):
    start.set_up()
    os.remove(start.PYTHON)
    assert rebuilt(start, children)


def test_a_rebuild_that_stops_in_the_middle_is_no_environment(
    start, children, monkeypatch
):
    start.set_up()
    with monkeypatch.context() as other:
        other.setattr(start.sys, "base_prefix", "/another")
        other.setattr(start.shutil, "rmtree", lambda path: sys.exit("stopped"))
        with pytest.raises(SystemExit):
            start.set_up()
    assert rebuilt(start, children)


def test_the_environment_is_made_by_the_python_beneath_the_one_that_goes(
    start, children, monkeypatch
):
    monkeypatch.setattr(start.sys, "executable", start.PYTHON)
    monkeypatch.setattr(start.sys, "prefix", start.VENV)
    monkeypatch.setattr(start, "install", lambda: 0)
    start.set_up()
    assert children.command == [
        os.path.realpath(sys._base_executable),
        "-m",
        "venv",
        start.VENV,
    ]


# Trust


def test_notebooks_are_trusted_once_and_again_when_they_change(
    start, children, checkout
):
    start.set_up()
    assert children.during(start.trust) == ["nbformat.sign"]
    assert children.command[3:] == ["notebooks/step01.ipynb", "notebooks/step02.ipynb"]
    assert children.during(start.trust) == []
    (checkout / "notebooks" / "step02.ipynb").write_text("{'changed': 1}")
    assert children.during(start.trust) == ["nbformat.sign"]
    (checkout / "notebooks" / "step03.ipynb").write_text("{}")
    assert children.during(start.trust) == ["nbformat.sign"]
    assert children.during(start.trust) == []


def test_trust_that_fails_is_told_and_tried_again(start, children, capsys):
    start.set_up()
    children.codes["nbformat.sign"] = 1
    start.trust()
    assert "could not mark the notebooks as trusted" in capsys.readouterr().out
    assert children.during(start.trust) == ["nbformat.sign"]


def test_no_notebooks_are_nothing_to_trust(start, children, checkout):
    start.set_up()
    shutil.rmtree(checkout / "notebooks")
    (checkout / "notebooks").mkdir()
    assert children.during(start.trust) == []


# Arguments


@pytest.fixture
def passed_on(start, children):
    """The command line that arguments lead to, after the environment's python -m."""
    start.set_up()
    start.trust()

    def passed_on(*arguments):
        children.codes["jupyterlab"] = children.codes["pytest"] = children.codes[
            "steps"
        ] = 5
        assert start.main(list(arguments)) == 5
        assert children.command[:2] == [start.PYTHON, "-m"]
        return " ".join(children.command[2:])

    return passed_on


def lab_at(start, page):
    return (
        f"jupyterlab --ServerApp.root_dir={start.ROOT} "
        f"--LabApp.default_url=/lab/tree/{page}"
    )


def is_root(start, monkeypatch, answer):
    monkeypatch.setattr(start.os, "geteuid", lambda: 0 if answer else 1000, False)


@pytest.fixture
def no_root(start, monkeypatch):
    is_root(start, monkeypatch, False)


@pytest.mark.usefixtures("no_root")
def test_lab_opens_the_map_of_the_learners_folder(start, passed_on):
    assert passed_on() == lab_at(start, "my-course/start.ipynb")
    assert passed_on("lab") == lab_at(start, "my-course/start.ipynb")


@pytest.mark.usefixtures("no_root")
def test_lab_gets_its_options(start, passed_on):
    expected = lab_at(start, "my-course/start.ipynb") + " --no-browser --port 8899"
    assert passed_on("--no-browser", "--port", "8899") == expected
    assert passed_on("lab", "--no-browser", "--port", "8899") == expected


@pytest.mark.usefixtures("no_root")
def test_lab_can_open_another_lesson_from_anywhere(
    start, passed_on, checkout, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    expected = lab_at(start, "notebooks/step02.ipynb") + " --x"
    assert passed_on("lab", "notebooks/step02.ipynb", "--x") == expected
    monkeypatch.chdir(checkout / "notebooks")
    assert passed_on("lab", "step02.ipynb", "--x") == expected
    own = tmp_path / "mine.ipynb"
    own.write_text("{}")
    assert passed_on("lab", str(own)) == f"jupyterlab {own}"


def test_a_notebook_that_is_not_there_is_named(start, children):
    start.set_up()
    assert "There is no my-course/step99.ipynb" in complaint(
        start, "lab", "my-course/step99.ipynb"
    )


def test_the_address_of_a_folder_with_a_space_is_written_as_one(start, checkout):
    (checkout / "my notes.ipynb").write_text("{}")
    assert start.where(checkout / "my notes.ipynb")[1].endswith("/my%20notes.ipynb")


def test_root_is_warned_and_let_in(start, passed_on, monkeypatch, capsys):
    is_root(start, monkeypatch, True)
    assert passed_on("--x").endswith("start.ipynb --allow-root --x")
    assert "You are root" in capsys.readouterr().out
    is_root(start, monkeypatch, False)
    assert "--allow-root" not in passed_on("--x")
    assert capsys.readouterr().out == ""


def test_a_folder_that_cannot_be_laid_stops_before_lab(start, children, monkeypatch):
    start.set_up()
    start.trust()
    monkeypatch.setattr(start, "run", lambda command, *_: command[2:].count("lay"))
    assert start.main([]) == 1


def test_lab_trusts_and_lays_first_and_the_others_do_not(start, children):
    start.set_up()
    assert children.during(lambda: start.main(["test"])) == ["pytest"]
    assert children.during(lambda: start.main(["steps"])) == ["steps"]
    assert children.during(lambda: start.main([])) == [
        "nbformat.sign",
        "steps",
        "jupyterlab",
    ]


def test_the_workshop_lays_and_judges_and_then_opens_what_is_next(
    start, children, checkout, monkeypatch
):
    start.set_up()
    start.trust()
    page = checkout / "my-course" / "workshop" / "step08.ipynb"
    page.parent.mkdir(parents=True)
    page.write_text("{}")
    monkeypatch.setattr(start, "output", lambda command: str(page))
    monkeypatch.delenv("JUPYTER_SERVER_URL", raising=False)
    opened = ["steps", "steps", "steps", "jupyterlab"]
    for words in ([], ["8"], ["next", "--anyway"], ["--no-browser"]):
        assert children.during(lambda w=words: start.main(["workshop", *w])) == opened
        assert any("step08.ipynb" in str(part) for part in children.command)
    assert children.command[-1] == "--no-browser"
    # The number of a port is not that of a step.
    port = ["--port", "8899"]
    for words in (port, ["8", *port]):
        assert children.during(lambda w=words: start.main(["workshop", *w])) == opened
        assert children.command[-2:] == port
        assert "8899" not in children.command[:-1]
    for words in (["hint", "8", "square"], ["judge", "8"]):
        ran = children.during(lambda w=words: start.main(["workshop", *w]))
        assert ran == ["steps", "steps"]
        assert children.command[4:] == words
    monkeypatch.setenv("JUPYTER_SERVER_URL", "http://127.0.0.1:8888/")
    ran = children.during(lambda: start.main(["workshop", "next"]))
    assert ran == ["steps", "steps"]


def test_a_step_that_is_not_right_opens_nothing(start, children, monkeypatch):
    start.set_up()
    start.trust()
    monkeypatch.setattr(start, "run", lambda command, *_: int("next" in command))
    assert start.main(["workshop", "next"]) == 1


def test_the_course_tool_and_programs_run_where_the_caller_stands(
    start, children, checkout, tmp_path, monkeypatch
):
    start.set_up()
    (checkout / "examples").mkdir()
    example = checkout / "examples" / "digits.py"
    example.touch()
    monkeypatch.chdir(tmp_path)
    start.main(["steps", "student", "here"])
    assert children.folder == tmp_path
    start.main(["run", "examples/digits.py", "--epochs", "1"])
    assert children.folder == tmp_path
    assert children.command == [start.PYTHON, example, "--epochs", "1"]
    (tmp_path / "mine.py").touch()
    start.main(["run", "mine.py"])
    assert children.command == [start.PYTHON, tmp_path / "mine.py"]


def test_a_program_has_to_be_named_and_to_be_there(start, children):
    start.set_up()
    assert "Name the program" in complaint(start, "run")
    assert "There is no nothing.py" in complaint(start, "run", "nothing.py")


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
    assert "core is gone from the environment" in capsys.readouterr().out
    assert children.during(start.set_up) == []


@pytest.mark.parametrize(("cores", "workers"), [(1, 2), (2, 3), (64, 8), (None, 2)])
def test_tests_run_in_parallel(passed_on, monkeypatch, cores, workers):
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    assert passed_on("test") == f"pytest -n {workers}"
    assert passed_on("test", "tests/a.py", "-x") == f"pytest -n {workers} tests/a.py -x"


@pytest.mark.parametrize(
    "own", ["-n 3", "-n3", "-nauto", "--numprocesses 3", "--numprocesses=3"]
)
def test_tests_run_as_the_user_says(passed_on, own):
    assert passed_on("test", "-x", *own.split()) == "pytest -x " + own


def test_steps_gets_its_options(passed_on):
    assert passed_on("steps", "check", "--help") == "steps check --help"


def test_the_site_is_built_and_opened(start, children, checkout, monkeypatch, capsys):
    opened = []
    monkeypatch.setattr(start.webbrowser, "open", opened.append)
    children.during(start.set_up)
    assert children.during(lambda: start.main(["docs"])) == ["pip", "sphinx"]
    page = checkout / "docs" / "_build" / "html" / "index.html"
    assert children.command[2:] == [
        *["sphinx", "-q", "-W", "--keep-going", "-b", "html", "docs", page.parent]
    ]
    assert opened == [page.as_uri()]
    # Sphinx is there now. A site that does not build is not opened.
    children.codes["sphinx"] = 2
    assert children.during(lambda: start.main(["docs"])) == ["sphinx"]
    children.codes["sphinx"] = 0
    capsys.readouterr()
    assert start.main(["docs", "--no-browser"]) == 0
    assert capsys.readouterr().out == f"The site is there: {page}\n"
    assert opened == [page.as_uri()]
    # What is installed changed: so may Sphinx.
    (checkout / "constraints.txt").write_text("numpy==2.1.0")
    ran = children.during(lambda: start.main(["docs", "--no-browser"]))
    assert ran == ["pip", "pip", "sphinx"]


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_names_every_command_and_does_nothing(start, children, capsys, option):
    assert start.main([option]) == 0
    help_text = capsys.readouterr().out
    assert all(
        f"python start.py {name} " in help_text
        for name in ("run", "test", "steps", "docs")
    )
    assert "python start.py [lab] " in help_text
    assert children.ran == []


# Children, real ones


def python(code):
    return [sys.executable, "-c", code]


def test_a_child_runs_in_the_checkout_with_the_environment_first(start, checkout):
    code = (
        "import os, sys; from pathlib import Path; first = "
        "os.environ['PATH'].split(os.pathsep)[0];Path('seen').write_text(first + "
        "'\\n' + os.environ['PIP_SAYS'], 'utf-8'); sys.exit(7)"
    )
    os.environ["PIP_SAYS"] = "what the user set"
    try:
        assert start.run(python(code)) == 7
    finally:
        del os.environ["PIP_SAYS"]
    assert (checkout / "seen").read_text("utf-8").splitlines() == [
        str(start.SCRIPTS),
        "what the user set",
    ]


SAID_IN_TURN = """
import sys
import launcher as start
start.set_up = lambda: print("launcher")
command = [sys.executable, "-c", "print('child')"]
start.COMMANDS["lab"] = lambda options: start.run(command)
start.main([])
"""


def test_a_file_gets_what_is_said_in_the_order_it_was_said(checkout):
    environment = {
        name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"
    }
    said = subprocess.check_output(
        python(SAID_IN_TURN), cwd=checkout, env=environment, text=True
    )
    assert said.split() == ["launcher", "child"]


LOGGED = """
import sys
import launcher as start
child = "import sys; print('out', flush=True); sys.stderr.write('err '); "
child += "print(repr(sys.stdin.read()))"
with open("log", "wb") as log:
    sys.exit(start.run([sys.executable, "-c", child], log))
"""


def test_a_child_with_a_log_is_silent_and_asks_nothing(checkout):
    done = subprocess.run(
        python(LOGGED), cwd=checkout, input="typed", capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (checkout / "log").read_text().split() == ["out", "err", "''"]


@posix
def test_a_child_that_is_killed(start):
    assert start.run(python("import os; os.kill(os.getpid(), 9)")) == 137


def test_progress_is_one_line_that_goes_away(start, checkout, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "21")
    monkeypatch.setattr(start.sys.stdout, "isatty", lambda: True)
    (checkout / ".venv").mkdir()
    Path(start.LOG).write_text(
        "Collecting a\n  Collecting a-package-with-a-long-name\n"
    )
    with open(start.LOG, "ab") as log:
        start.run(python("import time; time.sleep(0.3)"), log)
    lines = capsys.readouterr().out.split("\r")
    assert "  0 s  Collecting a-" in lines
    assert lines[-2:] == [" " * 20, ""]


def test_progress_is_for_terminals(start, capsys):
    start.show("Collecting a")
    assert capsys.readouterr().out == ""


# Whoever starts the tests in the background has them ignore Ctrl-C, and all they start.
INTERRUPTED = """
import signal
import sys
import launcher as start
signal.signal(signal.SIGINT, signal.default_int_handler)
start.set_up = lambda: None
child = '''
import pathlib, sys, time
try:
    print("up", flush=True)
    time.sleep(20)
except KeyboardInterrupt:
    time.sleep(0.5)
    pathlib.Path("ended").write_text("well")
'''
start.COMMANDS["lab"] = lambda options: start.run([sys.executable, "-c", child])
sys.exit(start.main([]))
"""


def interrupt(checkout, how):
    """Starts a launcher with a child, does something to them, and tells how the
    launcher ended.
    """
    pipe = subprocess.PIPE
    with subprocess.Popen(
        python(INTERRUPTED),
        cwd=checkout,
        stdout=pipe,
        stderr=pipe,
        text=True,
        start_new_session=True,
    ) as launcher:
        try:
            assert launcher.stdout.readline() == "up\n"
            how(launcher.pid)
            launcher.wait(timeout=10)
            child_ended = (checkout / "ended").exists()
            # The child holds the pipes too, so this returns only when neither is left.
            said = launcher.communicate(timeout=10)
        except BaseException:
            os.killpg(launcher.pid, signal.SIGKILL)
            raise
    assert said == ("", "")
    return launcher.returncode, child_ended


@posix
def test_ctrl_c_waits_for_the_child_and_is_quiet(checkout):
    assert interrupt(checkout, lambda pid: os.killpg(pid, signal.SIGINT)) == (130, True)


@posix
def test_a_launcher_that_is_stopped_takes_its_child_along(checkout):
    assert interrupt(checkout, lambda pid: os.kill(pid, signal.SIGTERM)) == (130, False)


def test_ctrl_c_during_the_install_is_quiet(start, children, capsys):
    children.codes["pip"] = KeyboardInterrupt()
    assert start.main([]) == 130
    assert capsys.readouterr().err == ""
