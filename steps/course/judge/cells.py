"""Runs one cell of a lesson without a kernel, and reports how it fails."""

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
# Maximum length of an error message, in characters.
MAX_LETTERS = 10_000


class Failure(NamedTuple):
    """The failure of a cell: the kind of error, and its text."""

    kind: str
    text: str

    @property
    def message(self):
        """Return a message for the person who wrote the cell."""
        if self.kind == "TooSlow":
            return TOO_SLOW
        if self.kind == "AssertionError":
            return self.text or "an assertion fails"
        return f"{self.kind}: {self.text}" if self.text else self.kind


def prepare():
    """Turn off windows, progress bars and warnings, and by default NumPy's threads."""
    os.environ["MPLBACKEND"] = "Agg"
    os.environ["TQDM_DISABLE"] = "1"
    os.environ.update(KERNELS | os.environ)
    warnings.simplefilter("ignore")


def make_names():
    """Make the namespace that a notebook begins with; its `display` shows nothing."""
    # Made by `eval`, without this module's globals, which an attempt could reach.
    nothing = eval("lambda *_, **__: None", {})
    return {"__name__": "__main__", "display": nothing, "get_ipython": nothing}


def make_printable(text):
    """Replace all unprintable characters but newlines with spaces: a terminal could
    move its cursor or reverse the line, or fail on a lone surrogate.
    """
    return "".join(c if c.isprintable() or c == "\n" else " " for c in text)


def run_cell(source, names, file=None, tree=None):
    """Run a cell, or a syntax tree made from it; as in a notebook, tracebacks show the
    cell's source lines.
    """
    file = file or f"<cell {len(linecache.cache)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    exec(compile(tree or source, file, "exec"), names)


def catch_failure(source, names, seconds=None, run=run_cell):
    """Run a cell without output, within a time limit if one is given; return its
    Failure, or None.

    It uses nothing from the standard library that an attempt could patch so as to hide
    errors.
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
    except Exception:  # the __str__ of an attempt's own error may fail
        return ""


def close_pictures():
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


# Keep the originals: the audit hook replaces `signal`.
_handle: Any = _signal.signal
_set_timer: Any = getattr(_signal, "setitimer", None)


def _set_alarm(seconds):
    """Raise TooSlow after some seconds; 0 cancels the alarm, None does nothing."""
    if seconds is not None and hasattr(signal, "SIGALRM"):
        _handle(signal.SIGALRM, _raise_timeout)
        _set_timer(signal.ITIMER_REAL, seconds)


def _raise_timeout(*_):
    raise TooSlow


@contextlib.contextmanager
def silence_with_timeout(seconds):
    """Discard what the block prints, and raise TooSlow in it after some seconds; there
    is no time limit on systems without SIGALRM.
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
