"""Settings of every test; those of the notebooks stand in notebooks/conftest.py."""

import gc
import os
import signal
from importlib.util import find_spec

import pytest

from steps.course.lessons import FILE, KERNELS, read_facts

# In tests, and in the kernels of the notebooks.
os.environ.update(KERNELS | os.environ)

# What a shell runs in the background ignores Ctrl-C, and so would all programs that the
# tests start and stop.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    # With `-n`, a file stays in one process: the cells of a notebook need each other.
    if getattr(config.option, "dist", None) == "no":
        config.option.dist = "loadfile"
    config.option.loadscopereorder = False


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    # Of several processes none is to be left alone at the end with a long file: those
    # with slow tests begin, then the notebooks, from the last, which take longest, on.
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    ends = {item.path: n for n, item in enumerate(items)}
    turn = -1 if hasattr(config, "workerinput") else 1
    items.sort(key=lambda item: (item.path not in slow, turn * ends[item.path]))
    if not find_spec("numba"):  # it has no wheel for some machines
        missing = pytest.mark.skip(reason="not installed: numba")
        for item in items:
            # What runs a lesson's cells: its notebook, attempts and changes.
            lesson = FILE.fullmatch(item.path.name)
            if lesson and read_facts(int(lesson["number"])).compiles:
                item.add_marker(missing)


def pytest_collection_finish():
    # A graph that grows makes the garbage collector look through all there is again and
    # again. The tests themselves it need not look at, nor so often.
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)
