"""Sets the course up in .venv, once, and opens the first lesson; `python start.py
--help` tells the rest.

Nothing is installed yet when this runs, so it has only the standard library. And a
Python that is too old has to get as far as saying so: no syntax here that Python 2.7
cannot read, so no f-strings and only ASCII.
"""

import hashlib
import io
import os
import shutil
import signal
import subprocess
import sys
import time

HELP = """\
python start.py [lab] [options]    open the lessons in JupyterLab, at step 1
python start.py test [options]     run all tests, in parallel
python start.py steps [options]    run the course tool, python -m steps

Options go to JupyterLab, pytest or the course tool as they are:

python start.py --no-browser --port 8899
python start.py lab notebooks/step12.ipynb
python start.py test tests/course/test_start.py -x

Everything runs in the folder of the course. The first start installs what the course
needs into .venv there; that takes the network and a few minutes. Delete .venv to
begin afresh."""

ROOT = os.path.dirname(os.path.realpath(__file__))
VENV = os.path.join(ROOT, ".venv")
SCRIPTS = os.path.join(VENV, "Scripts" if os.name == "nt" else "bin")
PYTHON = os.path.join(SCRIPTS, "python.exe" if os.name == "nt" else "python")
LOG = os.path.join(VENV, "install.log")


def main(arguments):
    if sys.version_info < (3, 10):
        sys.exit(
            "The course needs Python 3.10 or newer, and this is Python %d.%d.%d."
            % sys.version_info[:3]
        )
    # A path with letters the terminal does not know must not hide the message it stands
    # in.
    sys.stdout.reconfigure(errors="replace", line_buffering=True)
    sys.stderr.reconfigure(errors="replace")
    command, options = "lab", arguments
    if arguments and not arguments[0].startswith("-"):
        command, options = arguments[0], arguments[1:]
    if arguments[:1] in (["-h"], ["--help"]):
        print(HELP)
        return 0
    if command not in COMMANDS:
        sys.exit(
            "start.py knows lab, test and steps, but not '%s'; --help tells more."
            % command
        )
    try:
        set_up()
        return COMMANDS[command](options)
    except KeyboardInterrupt:
        return 130
    except PermissionError:
        sys.exit(
            "No permission to write in %s; copy the course to a folder of your own."
            % ROOT
        )
    except OSError as error:
        sys.exit("The course cannot be set up: %s." % error)


def lab(options):
    trust()
    command = [PYTHON, "-m", "jupyterlab"]
    if not any(option.endswith(".ipynb") for option in options):
        # The folder of the notebook that Lab is given becomes the top of its file
        # browser.
        command.append("notebooks/step01.ipynb")
    return run(command + options)


def test(options):
    command = [PYTHON, "-m", "pytest"]
    if not any(option.startswith(("-n", "--numprocesses")) for option in options):
        command.extend(["-n", "auto", "--maxprocesses", "8"])
    return run(command + options)


def steps(options):
    command = [PYTHON, "-m", "steps"]
    return run(command + options)


COMMANDS = {"lab": lab, "test": test, "steps": steps}


def trust():
    """Jupyter hides part of a notebook's output until someone vouches for it."""
    names = sorted(
        name
        for name in os.listdir(os.path.join(ROOT, "notebooks"))
        if name.endswith(".ipynb")
    )
    paths = ["notebooks/" + name for name in names]
    # Jupyter takes a second to answer even if it trusts them all already.
    if not paths or recall("trusted") == digest(paths):
        return
    command = [
        PYTHON,
        "-m",
        "nbformat.sign",
    ]  # what `jupyter trust` runs, wherever its script may be
    with open(LOG, "ab") as log:
        code = run(command + paths, log)
    if code:
        print("Jupyter could not mark the notebooks as trusted; %s says why." % LOG)
    else:
        remember("trusted", digest(paths))


def set_up():
    """Stamps are set when a thing is finished, so that what was interrupted is done
    again.
    """
    began = time.time()
    if recall("python") != fingerprint() or not os.path.exists(PYTHON):
        make_environment()
        remember("python", fingerprint())
    wanted = digest(["pyproject.toml", "constraints.txt"])
    if recall("packages") != wanted:
        forget("packages")
        count = install()
        remember("packages", wanted)
        print("Installed %d package(s) in %d s." % (count, time.time() - began))


def fingerprint():
    """Another Python cannot use the environment, and its scripts hold the path it was
    made at.
    """
    return ascii([sys.implementation.cache_tag, sys.base_prefix, ROOT])


def make_environment():
    try:  # Debian leaves these two out of its python3
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError as error:
        sys.exit(
            "This Python lacks its module %s; on Debian and Ubuntu, sudo apt install "
            "python%d.%d-venv." % (error.name, sys.version_info[0], sys.version_info[1])
        )
    if os.path.isdir(VENV) and not os.path.exists(LOG):
        sys.exit(
            "%s is there already, but start.py did not make it; rename or delete it."
            % VENV
        )
    print("Making a Python environment, %s ..." % VENV)
    python = sys.executable
    if sys.prefix != sys.base_prefix:
        # Ours may be the very environment that goes now; the Python beneath it stays.
        python = os.path.realpath(sys._base_executable)
    if os.path.isdir(VENV):
        forget("python")
        shutil.rmtree(VENV)
    os.mkdir(VENV)
    with open(LOG, "wb") as log:
        code = run([python, "-m", "venv", VENV], log)
    if code:
        sys.exit(
            "Python could not make the environment (%s); all it said is in %s."
            % (last_error(), LOG)
        )


def install():
    """The number of packages that pip installed."""
    print("Installing the course and what it needs ...")
    command = [
        PYTHON,
        "-m",
        "pip",
        "install",
        "--no-input",
        "--disable-pip-version-check",
    ]
    command.extend(["-e", ".[course,test]", "-c", "constraints.txt"])
    with open(LOG, "wb") as log:
        code = run(command, log)
    if code and any(sign in read(LOG) for sign in NO_INDEX):
        sys.exit(
            "pip could not reach its package index, which the first start needs; "
            "check the network and start again (all pip said is in %s)." % LOG
        )
    if code:
        sys.exit(
            "pip could not install the course (%s); all it said is in %s."
            % (last_error(), LOG)
        )
    done = [
        line
        for line in read(LOG).splitlines()
        if line.startswith("Successfully installed ")
    ]
    return len(done[-1].split()) - 2 if done else 0


# pip has no exit code for this: it says so when it gives up trying again, or finds no
# version of anything.
NO_INDEX = ["Retry(total=0,", "Max retries exceeded", "(from versions: none)"]


def last_error():
    lines = [line.strip() for line in read(LOG).splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR:")]
    return (errors or lines or ["it did not say why; is the disk full?"])[-1]


def run(command, log=None):
    """The exit code of a command; with a log it is silent, and we show its progress."""
    child = subprocess.Popen(
        command,
        cwd=ROOT,
        # For the terminals in Lab, which should find this environment first.
        env=dict(os.environ, PATH=SCRIPTS + os.pathsep + os.environ.get("PATH", "")),
        stdin=subprocess.DEVNULL if log else None,
        stdout=log,
        stderr=log,
    )

    def stop(*_):
        child.terminate()
        raise KeyboardInterrupt

    # Ctrl-C reaches the child too, which may want time to end well. An editor's stop
    # button reaches only us.
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


def watch(child, log, began):
    try:
        child.wait(0.2 if log else None)
    except subprocess.TimeoutExpired:
        show(
            "%3d s  %s"
            % (time.time() - began, read(LOG).strip().rpartition("\n")[2].strip())
        )
    if log and child.returncode is not None:
        show("")


def show(line):
    if sys.stdout.isatty():
        width = shutil.get_terminal_size().columns - 1
        sys.stdout.write("\r" + line[:width].ljust(width) + "\r")
        sys.stdout.flush()


def digest(paths):
    total = hashlib.sha256()
    for path in paths:
        with open(os.path.join(ROOT, path), "rb") as file:
            total.update((path + hashlib.sha256(file.read()).hexdigest()).encode())
    return total.hexdigest()


def remember(stamp, text):
    with io.open(stamp_path(stamp), "w", encoding="utf-8") as file:
        file.write(text)


def recall(stamp):
    return read(stamp_path(stamp))


def forget(stamp):
    if os.path.exists(stamp_path(stamp)):
        os.remove(stamp_path(stamp))


def stamp_path(stamp):
    return os.path.join(VENV, stamp + ".stamp")


def read(path):
    if not os.path.isfile(path):
        return ""
    with io.open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
