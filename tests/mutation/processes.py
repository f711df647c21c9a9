"""Runs tests in their own processes, which start fast and see a copy of the
checkout.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
# The parts of a checkout that the tests need.
PARTS = ("dezero_lite", "steps", "tests", "notebooks", "examples", "benchmarks", "docs")
MOST_SECONDS = 600

# If the system can fork, new processes are forks of one that has already imported
# these.
FORKS = "forkserver" in multiprocessing.get_all_start_methods()
PROCESSES = multiprocessing.get_context("forkserver" if FORKS else "spawn")


def preload():
    if FORKS:
        PROCESSES.set_forkserver_preload(["numpy", "pytest", "hypothesis.extra.numpy"])


def run_pytest(folder, paths, **settings):
    """Run tests in a folder and a separate process; return pytest's exit code."""
    process = PROCESSES.Process(target=_run, args=(folder, paths, settings))
    process.start()
    process.join(MOST_SECONDS)
    process.kill()
    process.join()
    return process.exitcode


def _run(folder, paths, settings):
    os.environ |= settings | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    os.chdir(folder)
    # The real checkout must not be found from here.
    for name in [n for n in sys.modules if n.partition(".")[0] in PARTS]:
        del sys.modules[name]
    sys.path[:] = [str(folder)] + [p for p in sys.path if Path(p or ROOT) != ROOT]
    os.environ["PYTHONPATH"] = str(folder)
    sys.dont_write_bytecode = "MUTATION_CHOSEN" in settings
    with open("output.txt", "w") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
    import pytest

    options = "-q --tb=line --no-header -p no:cacheprovider -p tests.mutation.plugin"
    if "MUTATION_CHOSEN" in settings:
        options += " -x"
    sys.exit(pytest.main([*options.split(), *paths]))
