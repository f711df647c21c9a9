"""Side-by-side measurements against other frameworks: ``python -m benchmarks``."""

import os

# If these are set, they slow NumPy's matrix products, but not PyTorch's. They have to
# be removed before NumPy is imported, here and in the child processes.
for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
    os.environ.pop(name, None)
