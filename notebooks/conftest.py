"""How pytest runs the notebooks: strictly, and a failure names lesson and cell. What is
compared, this does not change: ``pytest --nbval --noconftest`` judges alike.
"""

from pathlib import Path

import pytest

SETTINGS = {
    "nbval": True,
    "nbval_current_env": True,
    "nbval_cell_timeout": 120,
}


def pytest_configure(config):
    if not config.pluginmanager.has_plugin("nbval"):
        raise pytest.UsageError(
            'Notebooks are tests under nbval: pip install -e ".[course,test]". '
            "Without it, `pytest tests/package` runs the package's own tests."
        )
    vars(config.option).update(SETTINGS)
    if not hasattr(config, "workerinput"):
        # On its first import matplotlib may announce on stderr that it collects the
        # machine's fonts; let it do so here.
        import matplotlib.font_manager  # noqa: F401


def pytest_sessionstart(session):
    import nbval.kernel

    from tests.support.warm_kernels import CAN_FORK, Warm

    if CAN_FORK:
        session.config.add_cleanup(Warm(Path(__file__).parent).end)
    # Each message of a kernel is laid out for a log, which nobody reads.
    nbval.kernel.pformat = lambda message: message


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
