"""Tries the table of capabilities on a framework, in a child process, which runs inside
bubblewrap if that is installed.
"""

import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ..capabilities import WORKS, run_probe
from ..judge.cells import ENDS, TOO_SLOW, silence_with_timeout
from ..judge.child import GRACE_SECONDS, Child, Stopped
from ..lessons import CourseError
from ..workshop import trial
from ..workshop.package import FIRST
from ..workshop.trial import instrument_module
from .adapter import check_twice, load_namespace

if sys.version_info >= (3, 11):
    import tomllib
else:  # a dependency of JupyterLab
    import tomli as tomllib  # type: ignore[import-not-found]

SECONDS = 20
MAX_BYTES = 50 << 20
MAX_LETTERS = 200
# The last step of the book; later rows of the table, such as a GPT, are left out.
LAST = 60
# Number of consecutive rows that tell how far a framework has come.
NEAR = 6


@dataclass
class Trial:
    """Results of a trial: for each row of the table, WORKS or how it failed."""

    name: str
    outcomes: dict[str, str]
    lent: list[str]

    @property
    def count(self):
        return sum(outcome == WORKS for outcome in self.outcomes.values())

    @property
    def step(self):
        """Return the last step near which most rows work, or 0."""
        rows = sorted(list_rows(), key=lambda row: row.learned_at(LAST))
        works = [self.outcomes[row.name] == WORKS for row in rows]
        reached = [
            row.learned_at(LAST)
            for n, row in enumerate(rows)
            if works[n] and sum(works[max(0, n + 1 - NEAR) : n + 1]) > NEAR * 0.6
        ]
        return max(reached, default=0)


@cache
def list_rows(get_names=vars):
    """List the rows of both tables, for snapshots and for the package, up to LAST."""
    rows = [*trial.list_rows(1, get_names), *trial.list_rows(FIRST, get_names)]
    return [row for row in rows if row.expected(LAST) == WORKS]


def read_adapter(path):
    """Read a framework's names from a TOML file; {} if no path is given."""
    if path is None:
        return {}
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CourseError(f"{path} cannot be read: {error}") from None


def try_framework(path, adapter):
    """Try every row of the table on a framework, a file or the folder of a package.

    Yields
    ------
    str or Trial
        The name of each row when it has been tried, and finally the Trial.

    Raises
    ------
    CourseError
        If there is no such file, if it is too large, or if it cannot be imported.
    """
    path = Path(path).resolve()
    size = _measure(path)
    if size > MAX_BYTES:
        raise CourseError(f"{path} is too large for a framework: {size >> 20} MB.")
    outcomes: dict[str, str] = {}
    lent: list[str] = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        copy = Path(folder) / path.name
        (shutil.copytree if path.is_dir() else shutil.copy)(path, copy)
        beginning = {"path": path.name, "adapter": adapter}
        while remaining := [r.name for r in list_rows() if r.name not in outcomes]:
            # If a row ends the process or hangs, a new process tries the rest.
            with Child(__name__, folder, isolated=True) as child:
                lent = _load(child, beginning)
                for row in remaining:
                    outcomes[row] = outcome = _ask(child, {"row": row})
                    yield row
                    if outcome in (ENDS, TOO_SLOW):
                        break
    yield Trial(path.stem, outcomes, lent)


def _measure(path):
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    if path.suffix != ".py" or not path.exists():
        raise CourseError(f"{path} is neither a folder nor a Python file.")
    return path.stat().st_size


def _load(child, task):
    result = _ask(child, task)
    if isinstance(result, str):
        raise CourseError(f"This framework cannot be tested: {result}")
    return result


def _ask(child, task):
    """Return the result of a task, or why the process gave none: ENDS or TOO_SLOW."""
    child.send(task)
    deadline = time.monotonic() + SECONDS + GRACE_SECONDS
    try:
        # Skip notices of forbidden actions, such as access outside the folder.
        while "done" not in (line := child.receive(deadline - time.monotonic())):
            continue
    except Stopped as stopped:
        return str(stopped)
    return line["done"]


# --- In the process -------------------------------------------------------------------

_framework: Any = None


def handle_task(task, say):
    """Load a framework and return the names of the added helpers, or a message if this
    fails. If the task has a row, try the row instead, and return the result.
    """
    global _framework

    if "row" not in task:
        try:
            with silence_with_timeout(SECONDS):
                _framework = load_namespace(task["path"], task["adapter"])
        except CourseError as error:
            return str(error)
        return _framework.lent
    rows = list_rows(instrument_module)
    (row,) = (row for row in rows if row.name == task["row"])
    in_package = row.learned_at(LAST) >= FIRST
    framework = check_twice(_framework) if in_package else _framework
    outcome, why = run_probe(row.probe, framework, silence_with_timeout(SECONDS))
    return outcome if why is None else f"{outcome}: {why}"[:MAX_LETTERS]
