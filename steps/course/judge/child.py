"""A child process for code that may never end, exit Python, or fill the memory."""

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

# Added to the limit that the process enforces, for code that it cannot interrupt.
GRACE_SECONDS = 10
# Length of the token that precedes each task, in characters.
TOKEN_LENGTH = 32
# Maximum length of a line, in bytes; only an attempt could write a longer one.
MAX_LINE = 10 << 20
# Maximum number of notices from an isolated process: reports of its audit hook, and
# lines without our token.
MAX_NOTICES = 50
STRAY = "wrote to the judge's output"


class Stopped(Exception):
    """Raised if the process takes too long or has ended; the message says which."""


class Child(contextlib.AbstractContextManager["Child"]):
    """A process that handles tasks; ``with Child(module) as child`` ends it afterwards.

    Parameters
    ----------
    module : str
        Name of a module with a function ``handle_task(task, say)``. `receive` returns
        each dict passed to ``say``, and finally ``{"done": ...}`` with the returned
        value.
    folder : path, optional
        The working folder of the process.
    isolated : bool
        Whether to keep the process from everything outside the folder.
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
        """Send a task, whose result `receive` returns."""
        self._token = secrets.token_hex(TOKEN_LENGTH // 2)
        self._write(task, self._token)

    def _write(self, task, token=""):
        # If the process has ended, `receive` will raise Stopped.
        with contextlib.suppress(OSError, ValueError):
            self._tasks.write(f"{token}{json.dumps(task)}\n".encode())
            self._tasks.flush()

    def receive(self, seconds=None):
        """Return the next line from the process, as a dict.

        Raises
        ------
        Stopped
            If no line arrives in time, or the process has ended.
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
                # Lines written by an attempt do not carry the token.
                if line.pop("token", "") == self._token:
                    self._lines.put(line)
                elif notices_left and text.strip():
                    notices_left -= 1
                    self._lines.put({"noticed": str(line.get("noticed", STRAY))})
        self._lines.put(None)

    def end(self):
        """Kill the process and, except on Windows, the processes that it started."""
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
