"""A pytest plugin for the processes that :mod:`tests.mutation` starts: it records which
test calls which function, or runs only some tests, with a time limit.
"""

from __future__ import annotations

import functools
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from .mutants import names_by_line

# A test that takes this many bytes or seconds with a fault planted has noticed it.
MOST_MEMORY = 6 * 2**30
MOST_SECONDS = 30

NOTES = os.environ.get("MUTATION_NOTES")
CHOSEN = os.environ.get("MUTATION_CHOSEN")
calls: dict[str, list[object]] = {}
red: set[str] = set()


def pytest_configure(config):
    if CHOSEN and sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


def pytest_collection_modifyitems(config, items):
    if CHOSEN:
        order = {name: i for i, name in enumerate(Path(CHOSEN).read_text().split("\n"))}
        chosen = [item for item in items if item.nodeid in order]
        items[:] = sorted(chosen, key=lambda item: order[item.nodeid])


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    if NOTES:
        yield from _noting(item.nodeid)
    elif CHOSEN and hasattr(signal, "setitimer"):
        yield from _limited()
    else:
        yield


def _noting(name):
    codes = set()

    def note(frame, event, _):
        codes.add(frame.f_code)

    start = time.process_time()
    threading.settrace(note)
    sys.settrace(note)
    yield
    sys.settrace(None)
    threading.settrace(None)
    calls[name] = [round(time.process_time() - start, 3), sorted(_names(codes))]


def _names(codes):
    # Of the package's own functions, as in "dezero_lite/cuda.py:as_numpy".
    for code in codes:
        path = Path(code.co_filename)
        if path.is_relative_to(Path.cwd()):
            place = path.relative_to(Path.cwd()).as_posix()
            if place.startswith(("dezero_lite/", "steps/course/")):
                name = _functions(path).get(code.co_firstlineno)
                if name is not None:
                    yield f"{place}:{name}"


@functools.cache
def _functions(path):
    return names_by_line(path.read_text("utf-8"))


def _limited():
    def stop(*_):
        raise TimeoutError("the test takes too long")

    # Processor time, so that other work on the machine does not count; a test that
    # waits for ever is ended with its process.
    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
    yield
    signal.setitimer(signal.ITIMER_PROF, 0)


def pytest_runtest_logreport(report):
    if report.failed:
        red.add(report.nodeid)


def pytest_sessionfinish(session):
    if NOTES:
        kept = {name: c for name, c in calls.items() if name not in red}
        Path(NOTES).write_text(json.dumps(kept))
