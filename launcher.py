"""Do the work of start.py: set the course up in .venv, once, and open the map of the
learner's own folder, my-course.

This runs before anything is installed, so it imports only the standard library.
"""

import hashlib
import io
import itertools
import os
import shutil
import signal
import subprocess
import sys
import time
import webbrowser
from pathlib import Path
from urllib.parse import quote

HELP = """\
python start.py [lab] [options]    open the map in your folder my-course in JupyterLab
python start.py workshop [...]     write the framework yourself, step by step
python start.py run FILE [...]     run a program, such as examples/digits_cnn.py
python start.py test [options]     run all tests, in parallel
python start.py steps [options]    run the course tool, python -m steps
python start.py class [...]        for teachers: hand out lessons, grade them
python start.py judge PATH         test what a framework written elsewhere can do
python start.py slides N           write slides of step N, for use without a network
python start.py docs [--no-browser]  build the course's site, and open it
python start.py docs --epub, --pdf   make an ebook of the lessons

Other options are passed on to JupyterLab, the program, pytest or the course tool:

python start.py --no-browser --port 8899
python start.py lab my-course/step12.ipynb
python start.py --language zh      continue in Chinese; `--language en` returns
python start.py workshop           continue with the step that you are writing
python start.py workshop next      judge it, and open the next one
python start.py test tests/course/test_start.py -x

Files are looked for in the current folder, then in the course's folder. The first start
installs what the course needs into .venv in the course's folder, which takes a network
and a few minutes. Delete .venv to start afresh."""

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
SCRIPTS = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = SCRIPTS / ("python.exe" if os.name == "nt" else "python")
LOG = VENV / "install.log"
MAP = "my-course/start.ipynb"
CONFIG_PATH = "JUPYTER_CONFIG_PATH"
WORKSPACES = "JUPYTERLAB_WORKSPACES_DIR"


def main(arguments):
    # A path with characters that the terminal cannot show must not hide the message
    # around it.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace", line_buffering=True)
    command, options = "lab", arguments
    if arguments and not arguments[0].startswith("-"):
        command, options = arguments[0], arguments[1:]
    if arguments[:1] in (["-h"], ["--help"]):
        print(HELP)
        return 0
    if command not in COMMANDS:
        sys.exit(
            f"'{command}' is not a command of start.py, which knows "
            f"{', '.join(COMMANDS)}; see --help."
        )
    try:
        set_up()
        code = COMMANDS[command](options)
        if code and command not in ("run", "test") and (why := what_is_lost()):
            sys.exit(
                f"{VENV} is damaged ({why}): delete that folder, and start again to "
                "reinstall everything."
            )
        return code
    except KeyboardInterrupt:
        return 130
    except PermissionError:
        sys.exit(
            f"No permission to write in {ROOT}: copy the course to a folder that you "
            "own."
        )
    except OSError as error:
        sys.exit(f"Could not set up the course: {error}.")


def lab(options):
    trust()
    if code := run([PYTHON, "-m", "steps", "lay"]):
        return code
    notebooks = [option for option in options if option.endswith(".ipynb")]
    others = [option for option in options if option not in notebooks]
    page = found(notebooks[0]) if notebooks else ROOT / MAP
    # Stop at Ctrl-C without asking, because the default answer is to continue.
    command = [PYTHON, "-m", "jupyterlab", "--ServerApp.answer_yes=True", *where(page)]
    return run([*command, *as_root(), *others], settings=settings_of_lab())


def settings_of_lab():
    """Return the environment variables for the JupyterLab that the course starts; its
    settings apply to no other JupyterLab, and the user's own take precedence.
    """
    places = [ROOT / "steps" / "course" / "jupyter", os.environ.get(CONFIG_PATH)]
    # Keep the open tabs of different checkouts apart.
    tabs = os.environ.get(WORKSPACES) or str(VENV / "workspaces")
    config = os.pathsep.join(str(place) for place in places if place)
    return {CONFIG_PATH: config, WORKSPACES: tabs}


def workshop(options):
    """Run the course tool, which writes and judges notebooks; open the current one."""
    anyway = [option for option in options if option == "--anyway"]
    rest = [option for option in options if option not in anyway]
    # Everything from the first option on is for JupyterLab: a number there may be a
    # port.
    words = list(itertools.takewhile(lambda word: not word.startswith("-"), rest))
    others = rest[len(words) :]
    opens = not words or words[0] == "next" or words[0].isdecimal()
    if {"-h", "--help"} & {*others} or not opens:
        return steps(["workshop", *options])
    tool = [PYTHON, "-m", "steps"]
    if code := run([*tool, "lay"]) or run([*tool, "workshop", *words, *anyway]):
        return code
    # In a terminal of JupyterLab, the notebook is only a click away.
    if "JUPYTER_SERVER_URL" in os.environ:
        return 0
    number = words[:1] if words and words[0].isdecimal() else []
    page = output([*tool, "workshop", "where", *number])
    return lab([page, *others]) if page else 0


def where(page):
    """Return the options that make JupyterLab, and the address it prints, open a page.

    The file browser starts at the root of the course, which shows the learner's folder,
    the examples and the lessons.
    """
    if not page.is_relative_to(ROOT):
        return [str(page)]
    way = quote(page.relative_to(ROOT).as_posix())
    return [f"--ServerApp.root_dir={ROOT}", f"--LabApp.default_url=/lab/tree/{way}"]


def as_root():
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return []
    print(
        "You are root, so code in a notebook can change anything on this machine. "
        "A normal account is safer."
    )
    return ["--allow-root"]


def found(name):
    for path in (Path.cwd() / name, ROOT / name):
        if path.exists():
            return path.resolve()
    sys.exit(f"There is no {name}, either here or in {ROOT}.")


def program(options):
    if not options:
        sys.exit("Name the program to run, such as examples/digits_cnn.py.")
    return run([PYTHON, found(options[0]), *options[1:]], folder=Path.cwd())


def test(options):
    command = [PYTHON, "-m", "pytest"]
    if not any(option.startswith(("-n", "--numprocesses")) for option in options):
        # One more worker than cores, because some tests wait for kernels or timeouts.
        command += ["-n", str(min((os.cpu_count() or 1) + 1, 8))]
    return run([*command, *options])


def steps(options):
    # Folder names are relative to the caller's directory, but Python must not import
    # modules from there, such as a csv.py that a student submitted.
    settings = {"PYTHONSAFEPATH": "1", "COURSE_COMMAND": "python start.py steps"}
    command = [PYTHON, "-m", "steps", *options]
    return run(command, folder=Path.cwd(), settings=settings)


def classroom(options):
    return steps(["class", *options])


def judge(options):
    return steps(["judge", *options])


def slides(options):
    """Write slides; the first time, install the packages that they need."""
    if not any(option.isdecimal() for option in options):
        sys.exit("Name a step: python start.py slides 8.")
    if recall("classroom") != recall("packages"):
        install("classroom")
        remember("classroom", recall("packages"))
    return steps(["slides", *options])


def docs(options):
    """Build the site; the first time, install Sphinx."""
    if recall("site") != recall("packages"):
        install("docs")
        remember("site", recall("packages"))
    build = ROOT / "docs" / "_build"
    sphinx = [PYTHON, "-m", "sphinx", "-q", "-W", "--keep-going", "-b"]
    if "--epub" in options:
        return ebook([*sphinx, "epub"], build / "epub" / "dezero_lite.epub")
    if "--pdf" in options:
        return printed([*sphinx, "singlehtml"], build / "dezero_lite.pdf")
    page = build / "html" / "index.html"
    chinese = "docs/zh", page.parent / "zh"
    for source, target in (("docs", page.parent), chinese):
        if code := run([*sphinx, "html", source, target]):
            return code
    print(f"Built the site: {page}")
    if "--no-browser" not in options:
        webbrowser.open(page.as_uri())
    return 0


def ebook(sphinx, book):
    if code := run([*sphinx, "-c", "docs/ebook", "docs", book.parent]):
        return code
    print(f"Built the ebook: {book}")
    return 0


def printed(sphinx, book):
    """Print all lessons, as one long page, to a PDF with a headless browser."""
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    browser = next(filter(None, map(shutil.which, names)), None)
    if not browser:
        sys.exit("A PDF needs Chromium or Chrome: install one of them, or use --epub.")
    page = book.parent / "singlehtml" / "index.html"
    if code := run([*sphinx, "-c", "docs/ebook", "docs", page.parent]):
        return code
    command = [browser, "--headless", "--disable-gpu", "--no-pdf-header-footer"]
    # Tags would make the PDF five times as large.
    command += ["--disable-pdf-tagging", f"--print-to-pdf={book}"]
    # As root, the browser starts only without its sandbox; the page is our own.
    command += ["--no-sandbox"] if getattr(os, "geteuid", int)() == 0 else []
    if code := run([*command, page.as_uri()]):
        return code
    print(f"Built the PDF: {book}")
    return 0


COMMANDS = {
    "lab": lab,
    "workshop": workshop,
    "run": program,
    "test": test,
    "steps": steps,
    "class": classroom,
    "judge": judge,
    "slides": slides,
    "docs": docs,
}


def trust():
    """Mark the notebooks as trusted; otherwise Jupyter hides part of their outputs."""
    names = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))
    paths = [f"notebooks/{name}" for name in names]
    # Jupyter takes a second even if all notebooks are already trusted.
    if not paths or recall("trusted") == digest(paths):
        return
    # The module behind `jupyter trust`, whose script may be anywhere.
    command = [PYTHON, "-m", "nbformat.sign", *paths]
    with LOG.open("ab") as log:
        code = run(command, log)
    if code:
        print(f"Jupyter could not mark the notebooks as trusted; {LOG} says why.")
    else:
        remember("trusted", digest(paths))


def set_up():
    """Create the environment and install the course where needed.

    A stamp is set when its stage is finished, so that an interrupted stage is repeated.
    """
    began = time.time()
    lost = missing_folder()
    if lost:
        print(f"{lost} is missing from the environment; rebuilding it.")
    if lost or recall("python") != fingerprint() or not PYTHON.exists():
        make_environment()
        remember("python", fingerprint())
    wanted = digest(["pyproject.toml", "constraints.txt"])
    if recall("packages") != wanted:
        forget("packages")
        count = install()
        remember("folders", "\n".join(folders()))
        remember("packages", wanted)
        print(f"Installed {count} package(s) in {time.time() - began:.0f} s.")


def fingerprint():
    """Return the properties on which the environment depends.

    Another Python cannot use the environment, and its scripts contain its path.
    """
    return ascii([sys.implementation.cache_tag, sys.base_prefix, str(ROOT)])


def folders():
    """List the environment's folders, except caches and those named after versions."""
    names = []
    for place, inside, _ in os.walk(VENV):
        inside[:] = [
            name
            for name in sorted(inside)
            if name != "__pycache__" and not name.endswith(".dist-info")
        ]
        names += [os.path.relpath(os.path.join(place, name), VENV) for name in inside]
    return names


def missing_folder():
    """Return an installed folder that no longer exists, or None."""
    for name in recall("folders").splitlines():
        if not os.path.isdir(os.path.join(VENV, name)):
            return name
    return None


def make_environment():
    try:  # Debian's python3 lacks these two
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError as error:
        sys.exit(
            f"This Python lacks its module {error.name}; on Debian and Ubuntu, sudo "
            f"apt install python{sys.version_info[0]}.{sys.version_info[1]}-venv."
        )
    if VENV.is_dir() and not LOG.exists():
        sys.exit(f"{VENV} exists, but start.py did not create it: rename or delete it.")
    print(f"Creating a Python environment in {VENV} ...")
    python = sys.executable
    if sys.prefix != sys.base_prefix:
        # This may be the Python of the environment to delete; the one beneath it stays.
        python = os.path.realpath(sys._base_executable)  # type: ignore[attr-defined]
    if VENV.is_dir():
        forget("python")
        shutil.rmtree(VENV)
    VENV.mkdir()
    with LOG.open("wb") as log:
        code = run([python, "-m", "venv", VENV], log)
    if code:
        sys.exit(
            f"Python could not create the environment ({last_error()}); its full "
            f"output is in {LOG}."
        )


def install(extras="course,test"):
    """Install the course with pip; return the number of packages installed."""
    print("Installing the course and its dependencies ...")
    command = [PYTHON, "-m", "pip", "install"]
    command += ["--no-input", "--disable-pip-version-check"]
    command += ["-e", f".[{extras}]", "-c", "constraints.txt"]
    with LOG.open("wb") as log:
        code = run(command, log)
    if code and any(sign in read(LOG) for sign in NO_INDEX):
        sys.exit(
            "pip could not reach its package index, which the first start needs: check "
            f"the network and start again (pip's full output is in {LOG})."
        )
    if code:
        sys.exit(
            f"pip could not install the course ({last_error()}); its full output is in "
            f"{LOG}."
        )
    done = [
        line
        for line in read(LOG).splitlines()
        if line.startswith("Successfully installed ")
    ]
    return len(done[-1].split()) - 2 if done else 0


# pip has no exit code for an unreachable index, only these messages: it stops retrying,
# or finds no version of a package.
NO_INDEX = ["Retry(total=0,", "Max retries exceeded", "(from versions: none)"]


def last_error():
    lines = [line.strip() for line in read(LOG).splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR:")]
    return (errors or lines or ["it did not say why; is the disk full?"])[-1]


def what_is_lost():
    """Return the error of a failing import in the environment, or an empty string."""
    probe = "import dezero_lite, jupyterlab, matplotlib.pyplot, nbformat"
    try:
        done = subprocess.run(
            [PYTHON, "-c", probe], cwd=ROOT, capture_output=True, encoding="utf-8"
        )
    except OSError:
        return ""
    return done.stderr.strip().rpartition("\n")[2] if done.returncode else ""


def run(command, log=None, folder=ROOT, settings=None):
    """Run a command, and return its exit code. If there is a log, the output goes
    there, and its last line is shown as progress.
    """
    # Terminals in JupyterLab should find this environment first.
    path = {"PATH": f"{SCRIPTS}{os.pathsep}{os.environ.get('PATH', '')}"}
    # Kernels should reuse the memory of large arrays, on Linux.
    memory = {
        "MALLOC_MMAP_THRESHOLD_": "33554432",
        "MALLOC_TRIM_THRESHOLD_": "67108864",
    }
    child = subprocess.Popen(
        command,
        cwd=folder,
        env=memory | os.environ | path | (settings or {}),
        stdin=subprocess.DEVNULL if log else None,
        stdout=log,
        stderr=log,
    )

    def stop(*_):
        child.terminate()
        raise KeyboardInterrupt

    # Ctrl-C also reaches the child, which may need time to shut down. An editor's stop
    # button reaches only this process.
    signal.signal(signal.SIGTERM, stop)
    began = time.time()
    interrupted = False
    while child.returncode is None:
        try:
            watch(child, log, began)
        except KeyboardInterrupt:
            interrupted = True
    if interrupted:
        raise KeyboardInterrupt
    return child.returncode if child.returncode >= 0 else 128 - child.returncode


def output(command):
    """Return the output of a command, stripped; an empty string if it fails."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8")
    return done.stdout.strip() if done.returncode == 0 else ""


def watch(child, log, began):
    # Show fewer lines where they cannot be overwritten.
    pause = 0.2 if sys.stdout.isatty() else 5
    try:
        child.wait(pause if log else None)
    except subprocess.TimeoutExpired:
        last_line = read(LOG).strip().rpartition("\n")[2].strip()
        show(f"{time.time() - began:3.0f} s  {last_line}".rstrip())
    if log and child.returncode is not None:
        show("")


def show(line):
    width = shutil.get_terminal_size().columns - 1
    if sys.stdout.isatty():
        print(f"\r{line[:width].ljust(width)}\r", end="", flush=True)
    elif line:
        print(line[:width], flush=True)


def digest(paths):
    total = hashlib.sha256()
    for path in paths:
        content = (ROOT / path).read_bytes()
        total.update((path + hashlib.sha256(content).hexdigest()).encode())
    return total.hexdigest()


def remember(stamp, text):
    stamp_path(stamp).write_text(text, encoding="utf-8")


def recall(stamp):
    return read(stamp_path(stamp))


def forget(stamp):
    stamp_path(stamp).unlink(missing_ok=True)


def stamp_path(stamp):
    return VENV / f"{stamp}.stamp"


def read(path):
    return path.read_text("utf-8", errors="replace") if path.is_file() else ""
