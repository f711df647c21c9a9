"""Steps are importable from anywhere, silently and at once."""

import ast
import json
import os
import subprocess
import sys
from importlib import import_module
from itertools import pairwise
from types import ModuleType

import pytest

from steps.course.definitions import definitions
from steps.course.lessons import (
    StepKind,
    kind,
    module_path,
    numbers,
    of_kind,
    stands_alone,
)

HEAVY_PACKAGES = {"matplotlib", "IPython", "graphviz", "pygraphviz", "PIL", "cupy"}

# Runs in a process of its own: imports a module and reports what that did.
WATCH = """
import json, sys, threading, time
import numpy
before, seen = set(sys.modules), []

def hook(event, arguments):
    opening = event == "open" and isinstance(arguments[1], str)
    writing = opening and set(arguments[1]) & set("wax+")
    reaching = ("socket.connect", "socket.bind", "subprocess.Popen", "os.system")
    if writing or event in reaching:
        seen.append(f"{event} {arguments[0]!r}")

sys.dont_write_bytecode = True
sys.addaudithook(hook)
start = time.perf_counter()
__import__(sys.argv[1])
seconds = time.perf_counter() - start
print(json.dumps({
    "seconds": seconds,
    "packages": sorted({name.split(".")[0] for name in set(sys.modules) - before}),
    "seen": seen,
    "threads": threading.active_count(),
}))
"""


def watched(module, folder, path=None):
    run = subprocess.run(
        [sys.executable, "-c", WATCH, module],
        cwd=path or folder,
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stderr == ""
    (report,) = run.stdout.splitlines()
    return json.loads(report)


# Each package step begins with the import of the one before, so the last imports all.
PACKAGE = [number for number in numbers() if kind(number) is StepKind.PACKAGE]


@pytest.mark.parametrize(("before", "number"), list(pairwise(PACKAGE)))
def test_a_package_step_imports_the_one_before(before, number):
    tree = ast.parse(module_path(number).read_text(encoding="utf-8"))
    imported = {
        n.module for n in tree.body if isinstance(n, ast.ImportFrom) and n.level
    }
    assert f"step{before:02d}" in imported


@pytest.mark.parametrize(
    "number", [number for number in numbers() if number not in PACKAGE[:-1]]
)
def test_importing_a_step_is_silent_and_light(number, tmp_path):
    report = watched(f"steps.step{number:02d}", tmp_path)
    assert report["seen"] == []
    assert report["threads"] == 1
    assert not HEAVY_PACKAGES & set(report["packages"])
    assert not stands_alone(number) or "dezero_lite" not in report["packages"]


def strays(names, defined):
    """What a star import brings though the module does not define it."""
    return sorted(
        name
        for name, value in names.items()
        if isinstance(value, ModuleType) or name not in defined
    )


@pytest.mark.parametrize("number", numbers())
def test_a_star_import_brings_what_the_step_defines_and_nothing_else(number):
    names = {}
    exec(f"from steps.step{number:02d} import *", names)
    del names["__builtins__"]
    defined = set(definitions(module_path(number).read_text("utf-8")))
    if not stands_alone(number):
        defined |= set(import_module(f"steps.step{number:02d}").__all__)
    assert names
    assert strays(names, defined) == []


def test_a_stray_name_is_seen():
    import heapq
    from itertools import count

    names = {"box": 1, "heapq": heapq, "count": count}
    assert strays(names, {"box", "heapq"}) == ["count", "heapq"]


@pytest.mark.slow
def test_importing_a_step_takes_little_longer_than_importing_numpy(tmp_path):
    timer = """
import sys, time
start = time.process_time()
import numpy
middle = time.process_time()
__import__(sys.argv[1])
print((time.process_time() - middle) / (middle - start))
"""

    def share_of_numpys_time(module, count=5):
        run = [sys.executable, "-c", timer, module]
        # As it is for everybody from the second time on: with the bytecode at hand.
        settings = os.environ | {
            "PYTHONDONTWRITEBYTECODE": "",
            "PYTHONPYCACHEPREFIX": str(tmp_path),
        }
        runs = [
            subprocess.run(
                run, cwd=tmp_path, env=settings, capture_output=True, check=True
            )
            for _ in range(count)
        ]
        return min(float(done.stdout) for done in runs)

    assert share_of_numpys_time("dezero_lite") < 0.4
    assert share_of_numpys_time(f"steps.step{numbers()[-1]:02d}") < 0.8
    assert share_of_numpys_time("matplotlib.pyplot", 2) > 0.8, (
        "the clock sees a heavy import"
    )


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("print('hello')", "two lines"),
        ("import matplotlib", "packages"),
        (
            "import threading; threading.Thread(target=threading.Event().wait, "
            "daemon=True).start()",
            "threads",
        ),
        ("open('notes.txt', 'w').close()", "seen"),
    ],
)
def test_a_noisy_or_heavy_import_is_seen(source, complaint, tmp_path):
    (tmp_path / "noisy.py").write_text(source)
    try:
        report = watched("noisy", tmp_path)
    except ValueError:
        assert complaint == "two lines"
        return
    found = {
        "packages": bool(HEAVY_PACKAGES & set(report["packages"])),
        "seen": bool(report["seen"]),
        "threads": report["threads"] > 1,
    }
    assert [name for name, there in found.items() if there] == [complaint]


def test_a_step_works_from_anywhere(tmp_path):
    program = (
        "from steps.step08 import Variable, Square; import numpy as np; "
        "print(Square()(Variable(np.array(3.0))).data)"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True
    )
    assert (run.stdout, run.stderr) == ("9.0\n", "")


@pytest.mark.parametrize("number", of_kind(StepKind.SNAPSHOT))
def test_a_star_import_brings_the_names_of_the_step_and_no_others(number):
    step = import_module(f"steps.step{number:02d}")
    own = {
        name
        for name, value in vars(step).items()
        if getattr(value, "__module__", None) == step.__name__
    }
    assert set(step.__all__) == {name for name in own if not name.startswith("test_")}
