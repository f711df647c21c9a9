"""What happens when a reader follows *Predict, then change*, one file per lesson. In
`step14.md`, or in `start.md` for the map,

    ## runs

means that the lesson still runs with the change, which is a diff in the block below:
lines with a plus replace lines with a minus, lines without a sign help to find the
place, and `@@` separates two places. A block without a minus is a new cell. The changed
cell runs, and so do all cells after it up to the invitation or the next `###`; after
`## runs alone`, only the changed cell. A block of Python may follow, with assertions;
in it, `says(1, f"{loss:.2f}", …)` gives the numbers that the answer to the lesson's
first invitation must contain in addition to those of the invitation.

    ## stops: words of the error

means that the lesson stops with a message that contains these words. One test per
lesson lists all complaints.
"""

import pytest

from steps.course.lessons import MAP, read_front_matter, stem
from tests.support import told
from tests.support.lesson_attempts import child_of
from tests.support.lesson_changes import Changes


def tests(file, text):
    def complaints():
        return Changes.of_lesson(number, text).complaints(child_of(file.config))

    name = file.path.stem
    number = MAP if name == stem(MAP) else int(name.removeprefix("step"))
    is_slow = read_front_matter(number).change_takes == "seconds"
    yield name, complaints, *[pytest.mark.slow] * is_slow


pytest_collect_file = told.collecting(tests)
