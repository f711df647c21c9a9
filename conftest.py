"""How pytest runs the notebooks: every output is compared, except what no two machines
draw alike.
"""

import os
from pathlib import Path

# One thread for matrix products, in tests and in the notebooks' kernels: several
# processes with several threads each take turns on the cores, and can be ten times
# slower. It has to be said before NumPy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

ROOT = Path(__file__).parent


def pytest_configure(config):
    config.option.nbval_sanitize_with = str(ROOT / "tests" / "support" / "sanitize.cfg")
    if not hasattr(config, "workerinput"):
        # On its first import matplotlib may announce on stderr that it collects the
        # machine's fonts; let it do so here.
        import matplotlib.font_manager  # noqa: F401


def pytest_collectstart(collector):
    if collector.path.suffix == ".ipynb":
        # Graphviz draws differently in each version; beside every HTML stands a text
        # form, which is compared.
        collector.skip_compare += ("image/svg+xml", "text/html")
