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

import pytest

from steps.course.judge import forks
from steps.course.judge.child import Child
from tests.support.lesson_attempts import Attempts, cells_of

CHILD = pytest.StashKey[Child]()


def pytest_collect_file(parent, file_path):
    if file_path.suffix == ".md":
        return Lesson.from_parent(parent, path=file_path)
    return None


def pytest_unconfigure(config):
    if CHILD in config.stash:
        config.stash[CHILD].end()


class Lesson(pytest.File):
    def collect(self):
        yield Judged.from_parent(self, name=self.path.stem)


class Judged(pytest.Item):
    def runtest(self):
        # One process for all lessons: each is run in a fork of it.
        if CHILD not in self.config.stash:
            self.config.stash[CHILD] = Child(forks.__name__)
        number = int(self.path.stem.removeprefix("step"))
        text = self.path.read_text(encoding="utf-8")
        attempts = Attempts(cells_of(number), text)
        complaints = attempts.complaints(self.config.stash[CHILD])
        if complaints:
            pytest.fail("\n\n".join(complaints), pytrace=False)

    def reportinfo(self):
        return self.path, None, self.name
