"""A process of its own for what may never end, may end Python, or may fill memory."""

import contextlib
import json
import os
import queue
import secrets
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from .cells import ENDS, TOO_SLOW

# Beside the limit that the process keeps itself, for what cannot be interrupted there.
GRACE = 10
# What a process behind the fence knows of ours.
KEPT = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "LD_LIBRARY_PATH", "DEZERO_LITE_DATA")
KEPT_TOO = "OPENBLAS_", "OMP_", "MALLOC_"


class Stopped(Exception):
    """The process takes too long, or ended; it says which."""


class Child:
    """``with Child(module) as child`` starts a process that answers tasks.

    Parameters
    ----------
    module : str
        Has a function ``answer(task, say)``. What it says, and what it returns as
        ``{"done": ...}``, are the lines that `hear` gives.
    folder : path, optional
        Where the process works.
    fenced : bool
        Whether it is kept from all that lies outside of the folder.
    """

    def __init__(self, module, folder=None, fenced=False):
        self._token = secrets.token_hex(8)
        self._lines: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._process = subprocess.Popen(
            [sys.executable, "-m", __package__],
            cwd=folder,
            env=_surroundings(folder if fenced else None),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
        assert self._process.stdin
        self._tasks = self._process.stdin
        threading.Thread(target=self._read, daemon=True).start()
        self.send({"module": module, "token": self._token, "fenced": fenced})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def send(self, task):
        """Hand over a task; what it is answered, `hear` gives."""
        with contextlib.suppress(OSError):  # it ended: then there are no lines
            self._tasks.write(json.dumps(task) + "\n")
            self._tasks.flush()

    def hear(self, seconds=None):
        """The next line of the process.

        Raises
        ------
        Stopped
            If there is none in so many seconds, or none any more.
        """
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            raise Stopped(TOO_SLOW) from None
        if line is None:
            raise Stopped(ENDS)
        return line

    def _read(self):
        assert self._process.stdout
        with contextlib.suppress(ValueError, OSError), self._process.stdout as lines:
            for text in lines:
                line = _parsed(text)
                # What an attempt wrote there itself does not have it.
                if line.pop("token", "") == self._token:
                    self._lines.put(line)
        self._lines.put(None)

    def end(self):
        """End the process, and what it started."""
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        with contextlib.suppress(OSError):
            self._tasks.close()


def _parsed(text):
    try:
        line = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return line if isinstance(line, dict) else {}


def _surroundings(folder):
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
