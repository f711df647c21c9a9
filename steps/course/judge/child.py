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
from typing import Any

from . import bubblewrap
from .cells import ENDS, TOO_SLOW

# Beside the limit that the process keeps itself, for what cannot be interrupted there.
GRACE_SECONDS = 10
# The letters of what a task begins with.
TOKEN_LENGTH = 32
# No line of a process is longer; one that an attempt writes may be.
MAX_LINE = 10 << 20
# Notices of an isolated process: what its audit hook reports, and what comes without
# our token.
MAX_NOTICES = 50
STRAY = "wrote to where outcomes are told"


class Stopped(Exception):
    """The process takes too long, or ended; it says which."""


class Child(contextlib.AbstractContextManager["Child"]):
    """``with Child(module) as child`` starts a process that answers tasks.

    Parameters
    ----------
    module : str
        Has a function ``answer(task, say)``. What it says, and what it returns as
        ``{"done": ...}``, are the lines that `receive` gives.
    folder : path, optional
        Where the process works.
    isolated : bool
        Whether it is kept from all that lies outside of the folder.
    """

    def __init__(self, module, folder=None, isolated=False):
        self._token: str | None = None
        self._lines: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._isolated = isolated
        prefix = bubblewrap.make_prefix(folder) if isolated else []
        self._process = subprocess.Popen(
            [*prefix, sys.executable, "-m", __package__],
            cwd=folder,
            env=bubblewrap.make_environment(folder if isolated else None),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        assert self._process.stdin
        self._tasks = self._process.stdin
        threading.Thread(target=self._read, daemon=True).start()
        readable_paths = bubblewrap.list_readable_paths() if isolated else None
        self._write({"module": module, "readable_paths": readable_paths})

    def __exit__(self, *_):
        self.end()

    def send(self, task):
        """Hand over a task, whose answer `receive` gives."""
        self._token = secrets.token_hex(TOKEN_LENGTH // 2)
        self._write(task, self._token)

    def _write(self, task, token=""):
        # It ended, or was ended: then there are no lines.
        with contextlib.suppress(OSError, ValueError):
            self._tasks.write(f"{token}{json.dumps(task)}\n".encode())
            self._tasks.flush()

    def receive(self, seconds=None):
        """Return the next line of the process.

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
        notices_left = MAX_NOTICES if self._isolated else 0
        assert self._process.stdout
        with contextlib.suppress(ValueError, OSError), self._process.stdout as lines:
            while text := lines.readline(MAX_LINE):
                line = _parse(text)
                # What an attempt wrote there itself does not have it.
                if line.pop("token", "") == self._token:
                    self._lines.put(line)
                elif notices_left and text.strip():
                    notices_left -= 1
                    self._lines.put({"noticed": str(line.get("noticed", STRAY))})
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


def _parse(text):
    try:
        line = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return line if isinstance(line, dict) else {}
