"""Runs students' code in bubblewrap, if it is installed.

Of this machine's files, the code sees only its work folder and, read-only, those that
Python and the lesson need.
"""

import os
import shutil
import site
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from ..lessons import LESSONS, ROOT

SYSTEM = ("/usr", "/bin", "/lib", "/lib64", "/etc/fonts", "/etc/localtime")
# Lessons look up how much memory there is.
MACHINE = ("/proc/meminfo", "/proc/cpuinfo")
# Environment variables that an isolated process inherits.
KEPT = (
    "PATH",
    "LANG",
    "LC_ALL",
    "SYSTEMROOT",
    "LD_LIBRARY_PATH",
    "DEZERO_LITE_DATA",
    "COURSE_LANGUAGE",
)
KEPT_PREFIXES = "OPENBLAS_", "OMP_", "MALLOC_"
WITH_BUBBLEWRAP = "Students' code runs in a sandbox (bubblewrap) with an audit hook."
WITHOUT_BUBBLEWRAP = (
    "Students' code is only watched by an audit hook, which does not stop malicious "
    "code: docs/classroom.md explains what bubblewrap or a container adds."
)


@cache
def list_readable_paths():
    """List the paths that students' code may read."""
    import matplotlib as mpl

    python = [sys.prefix, sys.base_prefix, *site.getsitepackages(), mpl.get_cachedir()]
    data = filter(None, [os.environ.get("DEZERO_LITE_DATA")])
    return [*SYSTEM, *MACHINE, *python, str(LESSONS), str(ROOT / "dezero_lite"), *data]


def make_prefix(folder):
    """Return the command prefix for bubblewrap, or [] if it is unavailable."""
    return _make_command(folder) if is_available() else []


def _make_command(folder):
    paths = list_readable_paths()
    bindings = [word for path in paths for word in ("--ro-bind-try", path, path)]
    return [
        *("bwrap", "--unshare-all", "--die-with-parent", "--new-session"),
        *("--tmpfs", "/tmp", *bindings, "--dev", "/dev", "--proc", "/proc"),
        *("--bind", folder, folder, "--chdir", folder, "--"),
    ]


@cache
def is_available():
    """Return whether bubblewrap is installed and works; containers may forbid it."""
    if not shutil.which("bwrap"):
        return False
    with tempfile.TemporaryDirectory() as folder:
        imports = sys.executable, "-c", f"import {__package__}"
        command = [*_make_command(folder), *imports]
        variables = make_environment(folder)
        finished = subprocess.run(command, env=variables, capture_output=True)
    return finished.returncode == 0


def describe_isolation():
    """Return a sentence on how students' code is isolated on this machine."""
    return WITH_BUBBLEWRAP if is_available() else WITHOUT_BUBBLEWRAP


def make_environment(folder):
    """Make the environment variables of a child process. If it is isolated in a folder,
    it inherits only those that are in KEPT or have one of the KEPT_PREFIXES.
    """
    # Make the course importable from any folder.
    python_path = [str(Path(__file__).parents[__package__.count(".") + 1])]
    if folder is None:
        python_path += filter(None, [os.environ.get("PYTHONPATH")])
        return os.environ | {"PYTHONPATH": os.pathsep.join(python_path)}
    import matplotlib as mpl

    kept = [n for n in os.environ if n in KEPT or n.startswith(KEPT_PREFIXES)]
    folders = ("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP")
    return {
        **{name: os.environ[name] for name in kept},
        **dict.fromkeys(folders, str(folder)),
        "MPLCONFIGDIR": mpl.get_cachedir(),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": python_path[0],
    }
