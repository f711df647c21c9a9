"""Makes pytest run the notebooks strictly, and name the lesson and cell of a failure.
It does not change the comparison: ``pytest --nbval --noconftest`` judges the same.
"""

from pathlib import Path

import pytest

SETTINGS = {
    "nbval": True,
    "nbval_current_env": True,
    "nbval_cell_timeout": 300,
}


def pytest_configure(config):
    if not config.pluginmanager.has_plugin("nbval"):
        raise pytest.UsageError(
            'Notebooks are tests under nbval: pip install -e ".[course,test]". '
            "Without it, `pytest tests/package` runs the package's own tests."
        )
    vars(config.option).update(SETTINGS)
    if not hasattr(config, "workerinput"):
        # On its first import, matplotlib may report on stderr that it collects fonts:
        # let it do so here.
        import matplotlib.font_manager  # noqa: F401


def pytest_sessionstart(session):
    import nbval.kernel

    from tests.support.warm_kernels import CAN_FORK, Warm

    if CAN_FORK:
        session.config.add_cleanup(Warm(Path(__file__).parent).end)
    # nbval would format each message of a kernel for a log that nobody reads.
    nbval.kernel.pformat = lambda message: message


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    # So that a failure names the lesson and the cell as a reader sees them.
    from nbval.plugin import IPyNbFile

    from tests.support.lesson_cells import Lesson

    return [
        Lesson.from_parent(file.parent, path=file.path)
        if isinstance(file, IPyNbFile)
        else file
        for file in (yield)
    ]
