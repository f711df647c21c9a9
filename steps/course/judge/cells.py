"""Runs one cell of a lesson without a kernel, and says what it fails with."""

import contextlib
import linecache
import os
import signal
import sys
import warnings
from typing import NamedTuple

from ..lessons import KERNELS

TOO_SLOW = "takes too long"
ENDS = "ends Python"


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
    return {
        "__name__": "__main__",
        "display": lambda *_, **__: None,
        "get_ipython": lambda: None,
    }


def run(text, names, file=None, tree=None):
    """Run a cell, or a tree made of it; its lines can be read in a traceback, as in a
    notebook.
    """
    file = file or f"<cell {len(linecache.cache)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(tree or text, file, "exec"), names)


def failure(source, names, seconds=None):
    """Run a cell in silence, and in some seconds if they are given: its Failure, or
    None.
    """
    try:
        with silence(), limited(seconds):
            run(source, names)
    except BaseException as error:  # an attempt may raise anything
        kinds = TimeoutError, AssertionError, type(error)
        kind = next(kind for kind in kinds if isinstance(error, kind))
        return Failure(kind.__name__, _text(error))
    finally:
        close_pictures()
    return None


def _text(error):
    try:
        return str(error)
    except Exception:  # an attempt may define errors that cannot be shown
        return ""


def close_pictures():
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@contextlib.contextmanager
def limited(seconds):
    """End what takes longer; where the system cannot do that, it goes on."""
    if not seconds or not hasattr(signal, "SIGALRM"):
        yield
        return

    def stop(*_):
        raise TimeoutError

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


@contextlib.contextmanager
def silence():
    """What cells print goes nowhere."""
    with (
        open(os.devnull, "w", encoding="utf-8", errors="replace") as nowhere,
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
    ):
        yield
