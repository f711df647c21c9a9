"""What is refused, and in which words: a file a subject, a test a heading. In `conv.md`

    ## What the test is about

    ```pycon
    >>> Linear(2.0)
    >>> Linear((3, 2))
    ValueError: out_size of Linear … is
    ```

are two mistakes with one answer. The kind of error has to be the one that is said, and
its words to hold what is said; … stands for whatever is between, and a long answer goes
on in the next line. A block of Python above the first heading, and one above the
session, is run before each mistake, one below the session after each; each mistake is
made in an empty folder, in which data sets are sought, too. With

    f = each(F.sum, F.mean)

all mistakes are made with one and then the other, and {f} in an answer stands for it.
"""

import pytest

from tests.support.mistakes import groups


def pytest_collect_file(parent, file_path):
    if file_path.suffix == ".md":
        return Subject.from_parent(parent, path=file_path)
    return None


class Subject(pytest.File):
    def collect(self):
        for heading, group in groups(self.path.read_text(encoding="utf-8")):
            yield Answered.from_parent(self, name=heading, group=group)


class Answered(pytest.Item):
    def __init__(self, *, group, **others):
        super().__init__(**others)
        self._group = group

    def runtest(self):
        complaints = self._group.complaints()
        if complaints:
            pytest.fail("\n".join(complaints), pytrace=False)

    def reportinfo(self):
        return self.path, None, self.name
