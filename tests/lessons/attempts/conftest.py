"""Attempts at the exercises, a file a lesson. In `step44.md`

    ## 1 right

is an attempt at exercise 1, in the block of Python below, that the check must accept;

    ## 1 wrong: words of the answer

a likely mistake, which the check must answer with a sentence that has these words; and

    ## 1 by heart

an answer that fits what can be seen, so that only the hidden tests see it. Each
exercise needs two that are right, and one that is not. Beside them, each check is run
on the untouched stub, and again on its solution.
"""

import re

import pytest

from tests.support.attempts import (
    complaint,
    complaint_about_stub,
    complaints_when_run_again,
    exercises_of,
)

KINDS = {"right", "wrong", "by heart"}
ATTEMPT = re.compile(
    r"^## (\d) ([a-z ]+?)(?:: ([^\n]+))?\n+```python\n(.*?)^```$", re.M | re.S
)


def pytest_collect_file(parent, file_path):
    if file_path.suffix == ".md":
        return Lesson.from_parent(parent, path=file_path)
    return None


class Lesson(pytest.File):
    def collect(self):
        number = int(self.path.stem.removeprefix("step"))
        text = self.path.read_text(encoding="utf-8")
        found, begun = ATTEMPT.findall(text), set()
        numbered = enumerate(found, 1)
        for count, (exercise, kind, words, attempt) in sorted(
            numbered, key=lambda one: one[1][0]
        ):
            if exercise not in begun:
                begun.add(exercise)
                for kind_of_item, what in ((Stub, "untouched"), (Again, "again")):
                    item = kind_of_item.from_parent(self, name=f"{exercise} {what}")
                    item.asked = number, int(exercise)
                    yield item
            item = Attempt.from_parent(self, name=f"{exercise} {kind} ({count})")
            item.asked = (number, int(exercise), attempt)
            item.kind, item.words = kind, words
            yield item
        item = Completeness.from_parent(self, name="two right ways for every exercise")
        item.number, item.found, item.headings = number, found, text.count("\n## ")
        yield item


class Attempt(pytest.Item):
    def runtest(self):
        answer = complaint(*self.asked)
        if self.kind == "right":
            assert answer is None, f"a right attempt is rejected: {answer}"
            return
        assert answer is not None, "a wrong attempt is accepted"
        assert self.words in answer, f"“{self.words}” is not in “{answer}”"
        if self.kind == "by heart":
            answer = complaint(*self.asked, hidden=False)
            assert answer is None, f"it can be seen that this is wrong: {answer}"

    def repr_failure(self, excinfo):
        return f"{excinfo.exconly()}\n\n{self.asked[-1]}"

    def reportinfo(self):
        return self.path, None, self.name


class Stub(pytest.Item):
    """The check fails on the untouched stub, with a sentence."""

    def runtest(self):
        assert complaint_about_stub(*self.asked) is None

    def reportinfo(self):
        return self.path, None, self.name


class Again(pytest.Item):
    """The check can be run again, on the solution, a stub, and the solution."""

    def runtest(self):
        assert complaints_when_run_again(*self.asked) == []

    def reportinfo(self):
        return self.path, None, self.name


class Completeness(pytest.Item):
    def runtest(self):
        assert len(self.found) == self.headings, "a heading or a block is misspelt"
        for exercise, kind, words, _ in self.found:
            assert kind in KINDS, kind
            assert words or kind != "wrong", f"exercise {exercise}: wrong without words"
        for exercise in exercises_of(self.number):
            kinds = [kind for number, kind, *_ in self.found if int(number) == exercise]
            assert kinds.count("right") >= 2, f"exercise {exercise}: {kinds}"
            assert len(kinds) > kinds.count("right"), f"exercise {exercise}: {kinds}"

    def reportinfo(self):
        return self.path, None, self.name
