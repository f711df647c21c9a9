"""Runs the code of lessons 69 to 74 on the package that grows, without dezero_lite's
variables: ``python -m tests.support.own_lessons 74`` all cells, with ``--brief`` those
that the exercises stand on.
"""

import sys
from importlib import import_module
from time import process_time

import dezero_lite
from steps.course import builder
from steps.course.judge import cells
from steps.course.judge.needed import needed
from steps.course.workshop import own_lessons


def refuse(*_, **__):
    raise RuntimeError("this is dezero_lite")


def code_cells(number, brief):
    """The cells of a lesson, as a notebook has them."""
    found = builder.assemble(number)["cells"]
    found = [cell for cell in found if cell["cell_type"] == "code"]
    return needed(found) if brief else found


def main(arguments):
    brief = "--brief" in arguments
    numbers = [int(each) for each in arguments if each != "--brief"]
    cells.prepare()
    own_lessons.load(max(numbers))
    dezero_lite.Variable.__init__ = dezero_lite.Function.__call__ = refuse
    for number in numbers:
        names, begin, failed = cells.new_names(), process_time(), None
        for cell in code_cells(number, brief):
            failed = failed or cells.failure(cell["source"], names)
        said = failed.words if failed else "fine"
        print(f"{number} {said} ({process_time() - begin:.1f} s)", flush=True)
    step = import_module(f"steps.step{max(numbers)}")
    print("all of", step.Linear.__module__, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
