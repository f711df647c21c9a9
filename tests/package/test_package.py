"""The package as a whole: its exports, and the imports that it postpones."""

import platform
import re
import sys
import tracemalloc
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import pytest

import dezero_lite
from tests.support import signatures
from tests.support.programs import python


def run(program):
    done = python("-c", program)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_star_brings_everything():
    assert (
        run("from dezero_lite import *; print(Model.__name__, datasets.__name__)")
        == "Model dezero_lite.datasets"
    )


def test_importing_needs_numpy_alone():
    brought = run(
        "import sys, numpy; before = set(sys.modules); import dezero_lite.graph;"
        "print(*{m.split('.')[0] for m in set(sys.modules) - before})"
    )
    assert {*brought.split()} - sys.stdlib_module_names <= {"dezero_lite", "numpy"}


def test_an_unknown_name_is_an_error():
    with pytest.raises(AttributeError, match="no attribute 'Modell'"):
        dezero_lite.Modell  # noqa: B018


def test_no_default_has_changed():
    kept = signatures.KEPT.read_text(encoding="utf-8").splitlines()
    assert signatures.lines() == kept, (
        "if this is meant, run python -m tests.support.signatures"
    )


def test_an_editor_is_told_that_data_and_batches_are_arrays():
    array = np.typing.NDArray[Any]
    loader = dezero_lite.DataLoader
    assert get_type_hints(dezero_lite.Variable.data.fget)["return"] == array
    for method in (loader.next, loader.__next__):
        assert get_type_hints(method)["return"] == tuple[array, array]


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc",
    reason="other C libraries manage memory in other ways",
)
def test_steps_with_large_arrays_get_no_fresh_memory(monkeypatch):
    monkeypatch.delenv("DEZERO_LITE_KEEP_MEMORY", raising=False)
    # These are set for the lessons, with the same effect.
    monkeypatch.delenv("MALLOC_MMAP_THRESHOLD_", raising=False)
    monkeypatch.delenv("MALLOC_TRIM_THRESHOLD_", raising=False)
    program = """
import resource
import numpy as np
from dezero_lite import Variable

x, row = [Variable(np.ones(shape, np.float32)) for shape in [(1000, 1000), 1000]]

def faults_in(steps):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(steps):
        x.cleargrad()
        row.cleargrad()
        (x * row).sum().backward()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

faults_in(3)
print(faults_in(20))
"""
    # One array of this size has 1,000 pages.
    assert int(run(program)) < 1000


@pytest.mark.parametrize("setting", ["1", "0"])
def test_the_environment_decides_whether_memory_is_kept(setting, monkeypatch):
    monkeypatch.setenv("DEZERO_LITE_KEEP_MEMORY", setting)
    program = (
        "import numpy, tracemalloc; tracemalloc.start(); import dezero_lite;"
        "print(tracemalloc.get_traced_memory()[1] >= 31 * 2**20)"
    )
    assert run(program) == str(setting == "1")


def test_memory_is_kept_on_demand():
    tracemalloc.start()
    dezero_lite.keep_memory()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak >= 31 * 2**20


@pytest.mark.skipif(
    platform.system() != "Linux", reason="limits on memory are Linux's own"
)
def test_it_is_imported_where_memory_is_short():
    program = (
        "import numpy, resource, sys\n"
        # Room for the package's code, but not for an array of 31 MB.
        "pages = int(open('/proc/self/statm').read().split()[0])\n"
        "limit = pages * resource.getpagesize() + 24 * 2**20\n"
        "resource.setrlimit(resource.RLIMIT_AS, (limit, limit))\n"
        "import dezero_lite\n"
        "print(dezero_lite.Variable(numpy.array(1.0)) + 1)"
    )
    assert run(program) == "variable(2.0)"


@pytest.mark.slow
def test_the_programs_of_the_pages_run():
    docs = Path(__file__).parents[2] / "docs"
    pages = [
        (docs / f"{name}.md").read_text("utf-8") for name in ("learn", "framework")
    ]
    programs = re.findall(r"```python\n(.*?)```", "".join(pages), re.DOTALL)
    one_step, framework = programs[:2]
    assert run(one_step) == "6.0"
    accuracy = float(re.fullmatch(r"variable\((.*)\)", run(framework))[1])
    assert 0.95 < accuracy < 1
