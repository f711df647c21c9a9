"""Attempts at the exercises, a file a lesson. In `step44.md`

    ## 1 right

is an attempt at exercise 1, in the block of Python below, that the check must accept;

    ## 1 wrong: words of the answer

a likely mistake, which the check must answer with a sentence that has these words; and

    ## 1 by heart

an answer that fits what can be seen, so that only the hidden tests see it. Each
exercise needs two that are right, and one that is not. Beside them, each check is run
on the untouched stub, and again on its solution; where a lesson goes on with what its
exercises define, it is run without solutions. One test a lesson lists all complaints.
"""

from tests.support import told
from tests.support.lesson_attempts import Attempts, cells_of, child_of


def tests(file, text):
    def complaints():
        return Attempts(cells_of(number), text).complaints(child_of(file.config))

    number = int(file.path.stem.removeprefix("step"))
    yield file.path.stem, complaints


pytest_collect_file = told.collecting(tests)
