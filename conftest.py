"""Settings for all tests; those for notebooks are in notebooks/conftest.py."""

import gc
import os
import signal
from importlib.util import find_spec

import pytest

from steps.course.lessons import FILE, KERNELS, read_front_matter
from steps.course.translation.tool import VARIABLE

# For tests, and for the notebooks' kernels, which are in English.
os.environ.update(KERNELS | os.environ | {VARIABLE: ""})

# Programs that a shell runs in the background ignore Ctrl-C, and so would every program
# that the tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    # With `-n`, a file stays in one process, because the cells of a notebook need each
    # other.
    if getattr(config.option, "dist", None) == "no":
        config.option.dist = "loadfile"
    config.option.loadscopereorder = False


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    # So that no process is left running one long file at the end: files with slow tests
    # come first, then the notebooks, starting with the last, which take longest.
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    ends = {item.path: n for n, item in enumerate(items)}
    turn = -1 if hasattr(config, "workerinput") else 1
    items.sort(key=lambda item: (item.path not in slow, turn * ends[item.path]))
    if not find_spec("numba"):  # no wheel for some machines
        missing = pytest.mark.skip(reason="not installed: numba")
        for item in items:
            # What runs a lesson's cells: its notebook, attempts and changes
            lesson = FILE.fullmatch(item.path.name)
            if lesson and read_front_matter(int(lesson["number"])).compiles:
                item.add_marker(missing)


def pytest_collection_finish():
    # As a graph grows, the garbage collector scans all objects again and again. It can
    # skip those of the tests, and run less often.
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)
