"""Runs one cell of a lesson without a kernel, and says what it fails with."""

import _signal  # type: ignore[import-not-found]
import contextlib
import linecache
import os
import signal
import sys
import warnings
from typing import Any, NamedTuple

from ..checks import TooSlow
from ..lessons import KERNELS

TOO_SLOW = "takes too long"
ENDS = "ends Python"
# Letters of what an error says that are kept.
MAX_LETTERS = 10_000


class Failure(NamedTuple):
    """What a cell fails with: the kind of its error, and what that says."""

    kind: str
    text: str

    @property
    def words(self):
        if self.kind == "TooSlow":
            return TOO_SLOW
        if self.kind == "AssertionError":
            return self.text or "an assertion fails"
        return f"{self.kind}: {self.text}" if self.text else self.kind


def prepare():
    """Let this process draw on no screen, show no progress and share the cores."""
    os.environ["MPLBACKEND"] = "Agg"
    os.environ["TQDM_DISABLE"] = "1"
    os.environ.update(KERNELS | os.environ)
    warnings.simplefilter("ignore")


def make_names():
    """Make the names that a notebook begins with; what it shows, nobody sees."""
    # Functions of no module: an attempt would reach ours through theirs.
    nothing = eval("lambda *_, **__: None", {})
    return {"__name__": "__main__", "display": nothing, "get_ipython": nothing}


def make_printable(text):
    """Replace the letters of a text that a terminal would obey: those that move the
    cursor, turn the line around, or are halves of letters.
    """
    return "".join(c if c.isprintable() or c == "\n" else " " for c in text)


def run(source, names, file=None, tree=None):
    """Run a cell, or a tree made of it; its lines can be read in a traceback, as in a
    notebook.
    """
    file = file or f"<cell {len(linecache.cache)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    exec(compile(tree or source, file, "exec"), names)


def catch_failure(source, names, seconds=None, run=run):
    """Run a cell in silence, and in some seconds if they are given; return its Failure,
    or None.

    It uses nothing of the library that an attempt could change so that errors are lost.
    """
    kind: str | None = ENDS
    message, streams = "", (sys.stdout, sys.stderr)
    try:
        with open(os.devnull, "w", encoding="utf-8", errors="replace") as null_file:
            try:
                sys.stdout = sys.stderr = null_file
                _set_alarm(seconds)
                run(source, names)
                kind = None
            finally:
                sys.stdout, sys.stderr = streams
                _set_alarm(seconds and 0)
    except BaseException as error:  # an attempt may raise anything
        error_types = TooSlow, AssertionError, type(error)
        kind = next(kind.__name__ for kind in error_types if isinstance(error, kind))
        message = _read_message(error)
    finally:
        close_pictures()
    return None if kind is None else Failure(kind, message)


def _read_message(error):
    try:
        return str(error)[:MAX_LETTERS]
    except Exception:  # an attempt may define errors that cannot be shown
        return ""


def close_pictures():
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


# The audit hook lets nobody else get at them.
_handle: Any = _signal.signal
_set_timer: Any = getattr(_signal, "setitimer", None)


def _set_alarm(seconds):
    """Raise TooSlow in so many seconds; never, if there are none."""
    if seconds is not None and hasattr(signal, "SIGALRM"):
        _handle(signal.SIGALRM, _raise_timeout)
        _set_timer(signal.ITIMER_REAL, seconds)


def _raise_timeout(*_):
    raise TooSlow


@contextlib.contextmanager
def silence_with_timeout(seconds):
    """Let what runs here print nowhere, and end it if it takes longer; where the system
    cannot do that, it goes on.
    """
    with (
        open(os.devnull, "w", encoding="utf-8", errors="replace") as null_file,
        contextlib.redirect_stdout(null_file),
        contextlib.redirect_stderr(null_file),
    ):
        _set_alarm(seconds)
        try:
            yield
        finally:
            _set_alarm(seconds and 0)
