"""Runs one cell of a lesson without a kernel, and says what it fails with."""

import _signal  # type: ignore[import-not-found]
import contextlib
import linecache
import os
import signal
import sys
import warnings
from typing import Any, NamedTuple

from ..lessons import KERNELS

TOO_SLOW = "takes too long"
ENDS = "ends Python"
# Letters of what an error says that are kept.
MOST = 10_000


class Failure(NamedTuple):
    """What a cell fails with: the kind of its error, and what that says."""

    kind: str
    text: str

    @property
    def words(self):
        if self.kind == "TimeoutError":
            return TOO_SLOW
        if self.kind == "AssertionError":
            return self.text or "an assertion fails"
        return f"{self.kind}: {self.text}" if self.text else self.kind


def prepare():
    """Nothing is drawn on a screen, no progress shown; several runs share the cores."""
    os.environ["MPLBACKEND"] = "Agg"
    os.environ["TQDM_DISABLE"] = "1"
    os.environ.update(KERNELS | os.environ)
    warnings.simplefilter("ignore")


def new_names():
    """The names of a notebook before its first cell; what it shows, nobody sees."""
    # Functions of no module: an attempt would reach ours through theirs.
    nothing = eval("lambda *_, **__: None", {})
    return {"__name__": "__main__", "display": nothing, "get_ipython": nothing}


def plain(text):
    """A text in letters that a terminal shows, and does not obey: none that move the
    cursor, turn the line around, or are halves of letters.
    """
    return "".join(c if c.isprintable() or c == "\n" else " " for c in text)


def run(text, names, file=None, tree=None):
    """Run a cell, or a tree made of it; its lines can be read in a traceback, as in a
    notebook.
    """
    file = file or f"<cell {len(linecache.cache)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(tree or text, file, "exec"), names)


def failure(source, names, seconds=None, run=run):
    """Run a cell in silence, and in some seconds if they are given: its Failure, or
    None.

    It uses nothing of the library that an attempt could change so that errors are lost.
    """
    kind: str | None = ENDS
    said, shown = "", (sys.stdout, sys.stderr)
    try:
        with open(os.devnull, "w", encoding="utf-8", errors="replace") as nowhere:
            try:
                sys.stdout = sys.stderr = nowhere
                _wake(seconds)
                run(source, names)
                kind = None
            finally:
                sys.stdout, sys.stderr = shown
                _wake(seconds and 0)
    except BaseException as error:  # an attempt may raise anything
        kinds = TimeoutError, AssertionError, type(error)
        kind = next(kind.__name__ for kind in kinds if isinstance(error, kind))
        said = _text(error)
    finally:
        close_pictures()
    return None if kind is None else Failure(kind, said)


def _text(error):
    try:
        return str(error)[:MOST]
    except Exception:  # an attempt may define errors that cannot be shown
        return ""


def close_pictures():
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


# Behind the fence nobody else gets at them.
_handle: Any = _signal.signal
_set_timer: Any = getattr(_signal, "setitimer", None)


def _wake(seconds):
    """Raise a TimeoutError in so many seconds; never, if there are none."""
    if seconds is not None and hasattr(signal, "SIGALRM"):
        _handle(signal.SIGALRM, _stop)
        _set_timer(signal.ITIMER_REAL, seconds)


def _stop(*_):
    raise TimeoutError


@contextlib.contextmanager
def alone(seconds):
    """What runs here prints nowhere, and is ended if it takes longer; where the system
    cannot do that, it goes on.
    """
    with (
        open(os.devnull, "w", encoding="utf-8", errors="replace") as nowhere,
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
    ):
        _wake(seconds)
        try:
            yield
        finally:
            _wake(seconds and 0)
