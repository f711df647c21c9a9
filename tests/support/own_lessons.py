"""Runs the code of lessons 69 to 74 on the package that grows, and reports which of
their names come from dezero_lite: ``python -m tests.support.own_lessons 74`` runs all
cells; with ``--brief``, only those that the exercises depend on, with two rounds of
each training run.
"""

import re
import sys
from time import process_time

from steps.course.judge import cells
from steps.course.mutating.slicing import slice_cells
from steps.course.workshop import notebook, package
from tests.support.lesson_checks import code_cells

# Arrays, and code that draws the graphs of every framework.
SHARED = ("dezero_lite.datasets.", "dezero_lite.graph", "dezero_lite.player")
ROUNDS = re.compile(r"(?<=progress\(range\()[\d_]+")


def strangers(names):
    """Return which of the names refer to something in dezero_lite."""
    homes = {name: str(getattr(names[name], "__module__", "")) for name in names}
    of_lite = [name for name in names if homes[name].startswith("dezero_lite")]
    return [name for name in of_lite if not homes[name].startswith(SHARED)]


def main(arguments):
    brief = "--brief" in arguments
    cells.prepare()
    for number in [int(each) for each in arguments if each != "--brief"]:
        step = package.load_lessons(number)
        names, begin, failed = cells.make_names(), process_time(), None
        lesson = code_cells(notebook.assemble_lesson(number))
        for cell in slice_cells(lesson) if brief else lesson:
            source = ROUNDS.sub("2", cell["source"]) if brief else cell["source"]
            failed = failed or cells.catch_failure(source, names)
        said = failed.message if failed else "fine"
        others = ", ".join(strangers(vars(step) | names)) or "nothing"
        took = process_time() - begin
        print(f"{number} {said}, of dezero_lite {others} ({took:.1f} s)", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
