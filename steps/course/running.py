"""Runs a lesson's cells without a kernel, to judge attempts at its exercises.

``python -m steps.course.running`` reads cells from its input, as JSON, runs them in
order, and writes one line of JSON for each check. It is a process of its own, because
what it runs may never end.
"""

import contextlib
import io
import json
import linecache
import os
import signal
import sys
import warnings

LESSON = "lesson"
ATTEMPT = "attempt"
JUDGE = "check"
RIGHT = "right"
TOO_SLOW = "takes too long"
# For an attempt and for its check; they take a second or two.
SECONDS = 20


def prepare():
    """Nothing is drawn on a screen, no progress shown; several runs share the cores."""
    os.environ["MPLBACKEND"] = "Agg"
    os.environ["TQDM_DISABLE"] = "1"
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    warnings.simplefilter("ignore")


def run(text, names):
    """Run a cell; its lines can be read in a traceback, as in a notebook."""
    file = f"<cell {len(linecache.cache)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), names)


def close_pictures():
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def in_time(source, names):
    """What an attempt or a check fails with, in words; None if it does not fail."""

    def action():
        with limited(SECONDS):
            run(source, names)

    return complaint(action)


def complaint(action):
    """What an action fails with, in words; None if it does not fail."""
    try:
        action()
    except TimeoutError:
        return TOO_SLOW
    except AssertionError as error:
        return str(error) or "an assertion fails"
    except (Exception, SystemExit) as error:
        return f"{type(error).__name__}: {error}"
    return None


@contextlib.contextmanager
def limited(seconds):
    """End what takes longer; where the system cannot do that, it goes on."""
    if not hasattr(signal, "SIGALRM"):
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
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        yield


def judge(cells, say):
    """Run cells, triples (kind, number of the exercise, source), and say the outcome of
    each check.
    """
    names = {"__name__": "__main__"}
    failed = {}
    for kind, exercise, source in cells:
        with silence():
            if kind == LESSON:
                complaint(lambda source=source: run(source, names))
            elif kind == ATTEMPT:
                failed[exercise] = in_time(source, names)
            else:
                found = failed.get(exercise) or in_time(source, names) or RIGHT
            close_pictures()
        if kind == JUDGE:
            say({"exercise": exercise, "outcome": found})


def main():
    prepare()
    cells = json.loads(sys.stdin.read())
    lines = os.fdopen(os.dup(1), "w", encoding="utf-8")
    judge(cells, lambda line: print(json.dumps(line), file=lines, flush=True))


if __name__ == "__main__":
    main()
