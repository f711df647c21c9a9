"""Attempts at the exercises, one file per lesson. In `step44.md`,

    ## 1 right

is an attempt at exercise 1, in the block of Python below, that the check must accept;

    ## 1 wrong: words of the answer

is a likely mistake, whose message from the check must contain these words; and

    ## 1 by heart

is a hard-coded answer, which only the hidden tests reject. Each exercise needs two
right attempts and a wrong one. In addition, each check runs on the untouched stub, and
again on its solution; if a lesson uses what its exercises define, it is also run
without solutions. One test per lesson lists all complaints.
"""

from tests.support import told
from tests.support.lesson_attempts import Attempts, cells_of, child_of


def tests(file, text):
    def complaints():
        return Attempts(cells_of(number), text).complaints(child_of(file.config))

    number = int(file.path.stem.removeprefix("step"))
    yield file.path.stem, complaints


pytest_collect_file = told.collecting(tests)
