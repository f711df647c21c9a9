"""Cells as tests, named as readers of the lesson find them.

nbval counts a notebook's code cells from 0 and ignores headings. A reader sees the
numbers that Jupyter writes in brackets, and looks for a section.
"""

import re
from difflib import SequenceMatcher

from nbval.plugin import IPyNbCell, IPyNbFile

HEADING = re.compile(r"^(#+) +(.+)$", re.M)


class Lesson(IPyNbFile):
    """A notebook."""

    def collect(self):
        cells = list(super().collect())
        for cell, place in zip(cells, places(self.nb.cells), strict=True):
            number = cell.cell_num + 1
            named = Cell.from_parent(
                self,
                name=f"Cell {number}",
                cell_num=number,
                cell=cell.cell,
                options=cell.options,
            )
            under = f", under “{place[-1]}”" if place[1:] else ""
            named.place = f"{place[0]}, cell [{number}]{under}"
            yield named


class Cell(IPyNbCell):
    """A code cell; `place` says where it is."""

    place = ""

    def reportinfo(self):
        path, line, _ = super().reportinfo()
        return path, line, self.place

    def repr_failure(self, excinfo):
        return f"{self.place}\n{super().repr_failure(excinfo)}"

    def format_output_compare(self, key, left, right):
        """Show which lines are stored in the notebook, and which the run gives."""
        stored, now = str(left).split("\n"), str(right).split("\n")
        pairs = SequenceMatcher(None, stored, now, autojunk=False)
        for tag, a, b, c, d in pairs.get_opcodes():
            if tag != "equal":
                lines = [f"stored: {line}" for line in stored[a:b]]
                lines += [f"now:    {line}" for line in now[c:d]]
                self.comparison_traceback += lines


def places(cells):
    """For each code cell, return the headings above it, from the title down."""
    above = []
    for cell in cells:
        if cell.cell_type == "code":
            yield [text for _, text in above] or ["A notebook without a title"]
            continue
        for marks, text in HEADING.findall(cell.source):
            above = [*(h for h in above if h[0] < len(marks)), (len(marks), text)]
