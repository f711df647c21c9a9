"""Side-by-side measurements against other frameworks: ``python -m benchmarks``."""

import os

# These may be set on a machine. They slow NumPy's products, and leave PyTorch alone; it
# has to be said before NumPy is imported, here and in the processes to come.
for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
    os.environ.pop(name, None)
