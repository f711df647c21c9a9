"""With DEZERO_LITE_COMPILED=1 in the environment, every test of the package runs with
compiled loops: ``DEZERO_LITE_COMPILED=1 python -m pytest tests/package``.
"""

import os

from dezero_lite import compiled

if os.environ.get("DEZERO_LITE_COMPILED"):
    compiled.use()
