"""Tests that are written in Markdown files; each lists all its complaints."""

import pytest


def collecting(tests):
    """Make a pytest hook that turns the Markdown files of its folder into tests.

    Parameters
    ----------
    tests : callable
        Takes pytest's object for a file, and the file's text; yields a name, a
        function that returns complaints, and marks.
    """

    def pytest_collect_file(parent, file_path):
        if file_path.suffix == ".md":
            return File.from_parent(parent, path=file_path, tests=tests)
        return None

    return pytest_collect_file


class File(pytest.File):
    def __init__(self, *, tests, **others):
        super().__init__(**others)
        self._tests = tests

    def collect(self):
        text = self.path.read_text(encoding="utf-8")
        for name, complaints, *marks in self._tests(self, text):
            item = Told.from_parent(self, name=name, complaints=complaints)
            for mark in marks:
                item.add_marker(mark)
            yield item


class Told(pytest.Item):
    def __init__(self, *, complaints, **others):
        super().__init__(**others)
        self._complaints = complaints

    def runtest(self):
        if found := self._complaints():
            pytest.fail("\n\n".join(found), pytrace=False)

    def reportinfo(self):
        return self.path, 0, self.name
