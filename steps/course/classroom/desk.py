"""The desk at which one notebook is judged: a process of its own.

``python -m steps.course.classroom.desk`` reads a task from its input, as JSON: cells,
the seconds that one may take, and a token. It writes lines of JSON, each with that
token: which cell it is at, what was noticed, and the outcome of each check.
"""

import builtins
import contextlib
import io
import json
import os
import sys
import tempfile
import types

from .. import running
from ..running import ATTEMPT, JUDGE, LESSON, RIGHT
from . import watch

# For NumPy and a network of a lesson's size with room to spare; a file may not fill the
# disk.
MEMORY = 4 << 30
FILE = 100 << 20


class Nowhere(io.TextIOBase):
    """Where what cells print goes: it is not kept, so that it cannot fill memory."""

    def writable(self):
        return True

    def write(self, text):
        return len(text)


class Desk:
    """Runs the cells of one notebook, in order."""

    def __init__(self, say):
        self._say = say
        self._names = {
            "__name__": "__main__",
            "display": lambda *_, **__: None,
            "get_ipython": lambda: None,
        }
        self._failed: dict[int, str] = {}
        self._theirs = False

    def noticed(self, text):
        # What a lesson does is none of the student's doing.
        if self._theirs:
            self._say({"noticed": text})

    def run(self, cells):
        with contextlib.redirect_stdout(Nowhere()), contextlib.redirect_stderr(None):
            for at, (kind, exercise, source) in enumerate(cells):
                self._say({"at": at})
                self._run(kind, exercise, source)
                running.close_pictures()

    def _run(self, kind, exercise, source):
        if kind == LESSON:
            running.complaint(lambda: running.run(source, self._names))
            return
        self._theirs = True
        before = _what_checks_rely_on(self._names)
        failed = in_time(source, self._names)
        if changed := _put_back(before):
            self.noticed(f"changed {', '.join(changed)}")
        self._theirs = False
        if kind == ATTEMPT:
            self._failed[exercise] = failed
        elif kind == JUDGE:
            found = self._failed.get(exercise) or failed or RIGHT
            self._say({"exercise": exercise, "outcome": found})


def in_time(source, names):
    """What a cell fails with, in words; None if it does not fail."""
    try:
        return running.in_time(source, names)
    except (
        BaseException
    ) as error:  # an attempt may raise anything, KeyboardInterrupt too
        return type(error).__name__


def _what_checks_rely_on(names):
    """What is in the modules that checks compare with, and the notebook's own names
    for modules.
    """
    import numpy as np

    modules = {n: x for n, x in names.items() if isinstance(x, types.ModuleType)}
    places = [vars(builtins), vars(np), vars(np.testing)]
    return [*((place, dict(place)) for place in places), (names, modules)]


def _put_back(before):
    """The names of what was changed, which is put back."""
    changed = []
    for place, content in before:
        for name, thing in content.items():
            if place.get(name) is not thing:
                changed.append(name)
                place[name] = thing
    return changed


def _limits():
    # Windows has none; there the time limit alone has to do.
    with contextlib.suppress(ImportError):
        import resource

        for limit, most in (
            (resource.RLIMIT_AS, MEMORY),
            (resource.RLIMIT_FSIZE, FILE),
            (resource.RLIMIT_CORE, 0),
        ):
            _, hard = resource.getrlimit(limit)
            if hard != resource.RLIM_INFINITY:
                most = min(most, hard)
            resource.setrlimit(limit, (most, hard))


def _no_help():
    """Hints do nothing, solutions cannot be asked for."""
    from importlib import import_module

    steps = import_module(running.__package__.removesuffix(".course"))
    for name in ("hint", "solution"):
        setattr(steps, name, lambda *_, **__: None)


def main():
    task = json.loads(sys.stdin.read())
    lines = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)

    def say(line):
        line = json.dumps(line | {"token": task["token"]})
        print(line, file=lines, flush=True)

    running.prepare()
    running.SECONDS = task["seconds"]
    # What writes when it is first imported has to be there before the watch.
    import matplotlib.pyplot  # noqa: F401
    import numpy.testing  # noqa: F401

    tempfile.gettempdir()
    _no_help()
    _limits()
    desk = Desk(say)
    watch.set_up(os.getcwd(), desk.noticed)
    desk.run(task["cells"])
    say({"at": len(task["cells"])})
    # What a student's code left running ends here.
    os._exit(0)


if __name__ == "__main__":
    main()
