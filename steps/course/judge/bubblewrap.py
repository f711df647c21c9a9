"""A wall around what students wrote, where bubblewrap is installed: of this machine
there is in it what Python and the lesson need, to be read, and the work folder.
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
# Lessons ask how much memory there is.
MACHINE = ("/proc/meminfo", "/proc/cpuinfo")
# What a process behind the fence knows of ours.
KEPT = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "LD_LIBRARY_PATH", "DEZERO_LITE_DATA")
KEPT_TOO = "OPENBLAS_", "OMP_", "MALLOC_"
WALLED = "Students' code runs behind a wall (bubblewrap) and a fence."
FENCED = (
    "Students' code is fenced only, which stops no one who means harm: docs/classroom"
    ".md tells what bubblewrap, or a container, adds."
)


@cache
def reads():
    """The folders that code behind the fence, or the wall, may read."""
    import matplotlib as mpl

    python = [sys.prefix, sys.base_prefix, *site.getsitepackages(), mpl.get_cachedir()]
    data = filter(None, [os.environ.get("DEZERO_LITE_DATA")])
    return [*SYSTEM, *MACHINE, *python, str(LESSONS), str(ROOT / "dezero_lite"), *data]


def around(folder):
    """What a command begins with that runs walled in a folder; nothing without it."""
    return _command(folder) if stands() else []


def _command(folder):
    readable = [part for place in reads() for part in ("--ro-bind-try", place, place)]
    return [
        *("bwrap", "--unshare-all", "--die-with-parent", "--new-session"),
        *("--tmpfs", "/tmp", *readable, "--dev", "/dev", "--proc", "/proc"),
        *("--bind", folder, folder, "--chdir", folder, "--"),
    ]


@cache
def stands():
    """Whether bubblewrap is there and works; containers may forbid it."""
    if not shutil.which("bwrap"):
        return False
    with tempfile.TemporaryDirectory() as folder:
        command = [*_command(folder), sys.executable, "-c", f"import {__package__}"]
        done = subprocess.run(command, env=surroundings(folder), capture_output=True)
    return done.returncode == 0


def said():
    """Whether grading runs walled, or only fenced."""
    return WALLED if stands() else FENCED


def surroundings(folder):
    """The variables of the process; if it is fenced in a folder, nothing of ours is
    passed on but where Python and the fonts are.
    """
    # Our own package has to be found from any folder.
    path = [str(Path(__file__).parents[__package__.count(".") + 1])]
    if folder is None:
        path += filter(None, [os.environ.get("PYTHONPATH")])
        return os.environ | {"PYTHONPATH": os.pathsep.join(path)}
    import matplotlib as mpl

    kept = [n for n in os.environ if n in KEPT or n.startswith(KEPT_TOO)]
    here = ("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP")
    return {
        **{name: os.environ[name] for name in kept},
        **dict.fromkeys(here, str(folder)),
        "MPLCONFIGDIR": mpl.get_cachedir(),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": path[0],
    }
