"""What follows when a reader takes up *Predict, then change*, a file a lesson. In
`step14.md`

    ## runs

means that the lesson still runs with the change, a block of diff below it: lines with
a minus make way for lines with a plus, lines without a sign help to find the place, and
`@@` stands between two places. A block without a minus is a new cell. The changed cell
is run, and all after it up to the invitation or the next `###`; after `## runs alone`
nothing but it. A block of Python may follow, with what should then be true.

    ## stops: words of the error

means that it stops with a sentence that has these words. One test a lesson lists all
complaints.
"""

import pytest

from steps.course.judge import forks
from steps.course.judge.child import Child
from tests.support.lesson_changes import Changes

CHILD = pytest.StashKey[Child]()
# These train for more than two seconds.
SLOW_LESSONS = (36, 43, 45, 50, 51, 54, 55, 60, 65, 73, 74, 75, 78, 80)
SLOW = {f"step{n}" for n in SLOW_LESSONS}


def pytest_collect_file(parent, file_path):
    if file_path.suffix == ".md":
        return Lesson.from_parent(parent, path=file_path)
    return None


def pytest_unconfigure(config):
    if CHILD in config.stash:
        config.stash[CHILD].end()


class Lesson(pytest.File):
    def collect(self):
        item = Changed.from_parent(self, name=self.path.stem)
        if self.path.stem in SLOW:
            item.add_marker(pytest.mark.slow)
        yield item


class Changed(pytest.Item):
    def runtest(self):
        # One process for all lessons: each is run in a fork of it.
        if CHILD not in self.config.stash:
            self.config.stash[CHILD] = Child(forks.__name__)
        number = int(self.path.stem.removeprefix("step"))
        text = self.path.read_text(encoding="utf-8")
        changes = Changes.of_lesson(number, text)
        complaints = changes.complaints(self.config.stash[CHILD])
        if complaints:
            pytest.fail("\n\n".join(complaints), pytrace=False)

    def reportinfo(self):
        return self.path, None, self.name
