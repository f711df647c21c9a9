"""The whole way at a glance: a mark for each step of the course."""

from pathlib import Path

from ..lessons import numbers
from . import folder as workshop

MINE, LENT, OPEN, LESSON = "■", "◧", "□", "·"
MEANING = {
    MINE: "yours",
    LENT: "yours, something in it lent",
    OPEN: "open",
    LESSON: "a lesson to read",
}
IN_A_GROUP = 10


class Way:
    """Which steps are the learner's, as a line of marks.

    Parameters
    ----------
    folder : Path, optional
        The workshop; that beside the notebook, if it is left out.
    """

    def __init__(self, folder=None):
        folder = folder or Path.cwd() / "workshop"
        self.marks = {number: _mark(number, folder) for number in numbers()}

    def __repr__(self):
        marks = "".join(self.marks.values())
        starts = range(0, len(marks), IN_A_GROUP)
        line = " ".join(marks[start : start + IN_A_GROUP] for start in starts)
        counts = [f"{sign} {what}" for sign, what in MEANING.items() if sign in marks]
        return f"{line}\n{'   '.join(counts)}"


def _mark(number, folder):
    if number not in workshop.steps():
        return LESSON
    text = workshop.own_text(number, folder)
    if text is None:
        return OPEN
    return LENT if workshop.lent(text) else MINE
