"""Training on Dask's workers; the tests stand in on_dask.py."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest


@pytest.mark.slow
@pytest.mark.skipif(find_spec("distributed") is None, reason="distributed is missing")
def test_on_dask():
    # In a process of their own: Dask leaves threads, sockets and files behind, and
    # among the millions of objects of a whole test run its workers hardly get on.
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "on_dask.py"],
        cwd=Path(__file__).parent,
        env=os.environ | {"PYTEST_XDIST_WORKER": "", "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stdout[-5000:]
    assert " passed" in done.stdout
