"""How pytest runs the notebooks: every output is compared, except what no two machines
draw alike.
"""

from pathlib import Path

import pytest

SANITIZE = Path(__file__).parents[1] / "tests" / "support" / "sanitize.cfg"
SETTINGS = {
    "nbval": True,
    "nbval_current_env": True,
    "nbval_cell_timeout": 120,
    "nbval_sanitize_with": str(SANITIZE),
}


def pytest_configure(config):
    if not config.pluginmanager.has_plugin("nbval"):
        raise pytest.UsageError(
            'Notebooks are tests under nbval: pip install "dezero-lite[course,test]". '
            "Without it, `pytest tests/package` runs the package's own tests."
        )
    vars(config.option).update(SETTINGS)
    if not hasattr(config, "workerinput"):
        # On its first import matplotlib may announce on stderr that it collects the
        # machine's fonts; let it do so here.
        import matplotlib.font_manager  # noqa: F401


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    # A failure names the lesson and the cell as a reader sees them.
    from nbval.plugin import IPyNbFile

    from tests.support.lesson_cells import Lesson

    return [
        Lesson.from_parent(file.parent, path=file.path)
        if isinstance(file, IPyNbFile)
        else file
        for file in (yield)
    ]


def pytest_collectstart(collector):
    if collector.path.suffix == ".ipynb":
        # Graphviz draws differently in each version; beside every HTML stands a text
        # form, which is compared.
        collector.skip_compare += ("image/svg+xml", "text/html")
