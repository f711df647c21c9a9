"""What follows when a reader takes up *Predict, then change*, a file a lesson. In
`step14.md`, or in `start.md` for the map,

    ## runs

means that the lesson still runs with the change, a block of diff below it: lines with
a minus make way for lines with a plus, lines without a sign help to find the place, and
`@@` stands between two places. A block without a minus is a new cell. The changed cell
is run, and all after it up to the invitation or the next `###`; after `## runs alone`
nothing but it. A block of Python may follow, with what should then be true; there,
`says(1, f"{loss:.2f}", …)` gives the numbers that the answer to the lesson's first
invitation has, and that the invitation does not.

    ## stops: words of the error

means that it stops with a sentence that has these words. One test a lesson lists all
complaints.
"""

import pytest

from steps.course.lessons import MAP, read_facts, stem
from tests.support import told
from tests.support.lesson_attempts import child_of
from tests.support.lesson_changes import Changes


def tests(file, text):
    def complaints():
        return Changes.of_lesson(number, text).complaints(child_of(file.config))

    name = file.path.stem
    number = MAP if name == stem(MAP) else int(name.removeprefix("step"))
    is_slow = read_facts(number).change_takes == "seconds"
    yield name, complaints, *[pytest.mark.slow] * is_slow


pytest_collect_file = told.collecting(tests)
