"""Training on Dask's workers; the tests are in on_dask.py."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support.programs import python


@pytest.mark.slow
@pytest.mark.skipif(find_spec("distributed") is None, reason="distributed is missing")
def test_on_dask():
    # In a separate process: Dask leaves threads, sockets and files behind, and its
    # workers become very slow among the millions of objects of a whole test run.
    pytest_alone = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "on_dask.py"]
    env = {"PYTEST_XDIST_WORKER": "", "PYTEST_ADDOPTS": ""}
    folder = Path(__file__).parent
    done = python(*pytest_alone, folder=folder, timeout=900, **env)
    assert done.returncode == 0, done.stdout[-5000:]
    assert " passed" in done.stdout
