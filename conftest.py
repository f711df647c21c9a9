"""Settings of every test; those of the notebooks stand in notebooks/conftest.py."""

import os

import pytest

# One thread for matrix products, in tests and in the notebooks' kernels: several
# processes with several threads each take turns on the cores, and can be ten times
# slower. It has to be said before NumPy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# The lessons' progress bars go to stderr, which is compared.
os.environ["TQDM_DISABLE"] = "1"


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    # With `-n`, a file stays in one process: the cells of a notebook need each other.
    if getattr(config.option, "dist", None) == "no":
        config.option.dist = "loadfile"
