"""Tries the table of capabilities on a framework, in a process of its own, and inside
bubblewrap where that exists.
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
else:  # JupyterLab needs it there
    import tomli as tomllib  # type: ignore[import-not-found]

SECONDS = 20
MAX_BYTES = 50 << 20
MAX_LETTERS = 200
# What the course's own framework gets up to step 60; a GPT comes later.
LAST = 60
# So many rows of the table, one after the other, tell how far a framework has come.
NEAR = 6
# The book's own framework fails these, by the names of their probes.
STRICTER = {
    # It goes on with what does not fit: a forward that returns None, too few gradients
    # or those of another shape, a target or b of another shape, weights of another net.
    *("says_how_a_function_is_used", "notices_a_missing_gradient"),
    *("refuses_gradients_that_do_not_fit", "measures_squared_errors"),
    *("computes_a_layer", "saves_its_weights"),
    # Its check leaves a gradient behind, to which the next check adds.
    "checks_gradients",
    # With NumPy 2, its arrays of one number and its scale of W widen float32.
    *("keeps_float32", "learns_sizes_from_its_input"),
    # It knows no tuple of axes, stack of matrices, layer in a list, or slice of a set.
    *("differentiates_sums", "differentiates_matrix_products"),
    *("finds_parameters", "holds_examples"),
    # The second derivative stops, or is wrong.
    *("convolves", "differentiates_normalizing"),
    # A border of zeros is larger than a negative number.
    "keeps_the_largest",
    # The in_size of an RNN is also that of its state.
    "remembers_a_state",
}


@dataclass
class Trial:
    """What came of it: for each row of the table WORKS, or what it failed with."""

    name: str
    outcomes: dict[str, str]
    lent: list[str]

    @property
    def count(self):
        return sum(outcome == WORKS for outcome in self.outcomes.values())

    @property
    def step(self):
        """The last step near which most rows work; 0 if there is none."""
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
    """List the rows of both tables, up to the last step of the book."""
    rows = [*trial.list_rows(1, get_names), *trial.list_rows(FIRST, get_names)]
    return [row for row in rows if row.expected(LAST) == WORKS]


def read_adapter(path):
    """Read what a framework calls things, from a TOML file if there is one."""
    if path is None:
        return {}
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CourseError(f"{path} cannot be read: {error}") from None


def try_framework(path, adapter):
    """Try every row on a framework, a file or the folder of a package.

    Yields
    ------
    str or Trial
        The names of rows as they are tried, and at last what came of all.

    Raises
    ------
    CourseError
        If there is no such file, or if it cannot be imported.
    """
    path = Path(path).resolve()
    size = _measure(path)
    if size > MAX_BYTES:
        raise CourseError(f"{path} holds {size >> 20} MB, more than a framework needs.")
    outcomes: dict[str, str] = {}
    lent: list[str] = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        copy = Path(folder) / path.name
        (shutil.copytree if path.is_dir() else shutil.copy)(path, copy)
        beginning = {"path": path.name, "adapter": adapter}
        while remaining := [r.name for r in list_rows() if r.name not in outcomes]:
            # What ends the process, or hangs, is noted; another tries the rest.
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
    answer = _ask(child, task)
    if isinstance(answer, str):
        raise CourseError(f"This framework cannot be tried: {answer}")
    return answer


def _ask(child, task):
    """Return the answer to a task, or that it ends the process or takes too long."""
    child.send(task)
    deadline = time.monotonic() + SECONDS + GRACE_SECONDS
    try:
        # Between them may be notices of what it tried to do outside of its folder.
        while "done" not in (line := child.receive(deadline - time.monotonic())):
            continue
    except Stopped as stopped:
        return str(stopped)
    return line["done"]


# --- In the process -------------------------------------------------------------------

_framework: Any = None


def answer(task, say):
    """Load a framework, and return the names of what was lent; or try a row on it, and
    return the outcome. Where it cannot be loaded, return why, as text.
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
