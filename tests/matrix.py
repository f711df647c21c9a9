"""Run the package's tests on the oldest and newest Python and NumPy: ``python -m
tests.matrix``.

Each combination gets a temporary environment with only NumPy and pytest. If this
machine lacks a Python, it is skipped and reported. ``--processors`` and ``--disturbed``
run lessons instead.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.support import disturbed, processors

ROOT = Path(__file__).resolve().parent.parent
# The Python version, and the requirements for pip; the first is the oldest that
# pyproject.toml allows.
COMBINATIONS = [
    ("3.10", "numpy==2.0.0"),
    ("3.10", "numpy"),
    ("3.12", "numpy==2.0.*"),
    ("3.13", "numpy"),
    ("3.14", "numpy"),
]
VERSIONS = """
import platform, numpy
print("Python", platform.python_version(), "with NumPy", numpy.__version__)
"""
TESTS = ["tests/package", "-m", "not slow", "-q", "-p", "no:cacheprovider"]


def main():
    parser = argparse.ArgumentParser(
        prog="python -m tests.matrix", description=__doc__.partition(":")[0] + "."
    )
    parser.add_argument(
        "--oldest",
        action="store_true",
        help="the oldest combination of which this machine has the Python, no other",
    )
    parser.add_argument(
        "--tests", nargs=argparse.REMAINDER, default=TESTS, help="what pytest is given"
    )
    add, yes = parser.add_argument, {"action": "store_true"}
    add("--processors", **yes, help="lessons, under the arithmetic of other machines")
    add("--disturbed", **yes, help="lessons, with slightly other initial weights")
    add("lessons", nargs="*", type=int, help="for these two: which, if not all")
    add("--setting", action="append", default=[], help="one of the processors, by name")
    add("--quick", **yes, help="the two that differ most, and lessons that train")
    add("--jobs", type=int, default=os.cpu_count(), help="lessons at the same time")
    add("--write", **yes, help="the table of processors, into docs/machines.md")
    options = parser.parse_args()
    if options.disturbed:
        return disturbed.main(options.lessons)
    if options.processors:
        return processors.main(
            options.lessons,
            options.setting,
            options.quick,
            options.jobs,
            options.write,
        )
    failed, run = [], 0
    for version, numpy in COMBINATIONS:
        name = f"Python {version}, {numpy}"
        python = interpreter(version)
        if python is None:
            print(f"-- {name}: skipped, there is no Python {version} here")
        elif options.oldest and run:
            print(f"-- {name}: left out")
        else:
            run += 1
            print(f"-- {name}", flush=True)
            if not passes(python, numpy, options.tests):
                failed.append(name)
    if not run:
        sys.exit("None of these Pythons is here, so nothing was tested.")
    if failed:
        sys.exit(f"Failed: {'; '.join(failed)}")


def interpreter(version):
    """Find a Python of a version, on the path or in pyenv; return None if there is
    none.
    """
    candidates = [
        shutil.which(f"python{version}"),
        *sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python")),
    ]
    return next((str(python) for python in candidates if _is(python, version)), None)


def _is(python, version):
    # pyenv puts a command on the path for every version, in use or not.
    if python is None:
        return False
    tell = "import sys; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([python, "-c", tell], capture_output=True, text=True)
    return done.stdout.strip() == version


def passes(python, numpy, tests):
    """Return whether the tests pass in a new environment."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([python, "-m", "venv", folder], check=True)
        inside = next(Path(folder).glob("[bS]*/python*"))
        pip = [inside, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*pip, numpy, "pytest"], check=True)
        subprocess.run([inside, "-c", VERSIONS], check=True)
        done = subprocess.run([inside, "-m", "pytest", *tests], cwd=ROOT)
    print(f"-- {time.monotonic() - start:.0f} s", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    main()
