"""Mistakes, and the message for each, in the format described in
tests/package/refusals/conftest.py.
"""

import re
from tempfile import TemporaryDirectory

import pytest

from tests.support import told

HEADING = re.compile(r"^## (.+)\n", re.M)
BLOCK = re.compile(r"^```(python|pycon)\n(.*?)^```$", re.M | re.S)
TYPED, SAID = r"^(?:>>>|\.\.\.)(?: .*)?\n", r"^(?!>>>|\.\.\.).+\n"
ENTRY = re.compile(f"((?:{TYPED})+)((?:{SAID})+)", re.M)


def mistakes(session):
    """Yield each mistake of a session, with the expected message."""
    found = []
    for typed, said in ENTRY.findall(session):
        said = " ".join(said.splitlines())
        for each in re.split(r"^>>> ", typed, flags=re.M)[1:]:
            found.append((re.sub(r"\n\.\.\. ?", "\n", each).strip(), said))
    return found


class Group:
    """The sessions below a heading; `begin` is the file's text above all headings."""

    def __init__(self, begin, text):
        self._setup, self._mistakes, self._after = code(begin), [], ""
        for kind, block in BLOCK.findall(text):
            if kind == "pycon":
                self._mistakes += mistakes(block)
            elif self._mistakes:
                self._after += block
            else:
                self._setup += block
        self._whole = len(self._mistakes) == text.count(">>> ") > 0
        self._whole &= text.count("```") == 2 * len(BLOCK.findall(text))

    def complaints(self):
        """Yield all complaints one after another."""
        if not self._whole:
            return ["there is no session, one without an answer, or a misspelt block"]
        found = [c for typed, said in self._mistakes for c in self._tried(typed, said)]
        return [complaint for complaint in found if complaint]

    def _tried(self, typed, said):
        """Yield complaints, or None, for each of the choices."""
        number, choices = 0, 1

        def each(*of):
            nonlocal choices
            choices = len(of)
            return of[number]

        while number < choices:
            names = {"each": each}
            with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
                patch.chdir(folder)
                patch.setenv("DEZERO_LITE_DATA", folder)
                exec(self._setup, names)
                yield complaint(typed, said, names)
                yield left_behind(typed, self._after, names)
            number += 1


def code(text):
    return "".join(block for _, block in BLOCK.findall(text))


def complaint(typed, said, names):
    """Find a fault in the message for a mistake, if any."""
    said = re.sub(r"\{(\w+)\}", lambda found: str(names[found[1]]), said)
    kind, _, words = said.partition(": ")
    try:
        exec(typed, names)
    except Exception as error:
        wanted = ".*".join(map(re.escape, re.split(r"\s*…\s*", words)))
        answer = " ".join(str(error).split())
        if type(error).__name__ == kind and re.search(wanted, answer):
            return None
        return f"{typed}\n   is answered: {type(error).__name__}: {answer}"
    return f"{typed}\n   is not refused"


def left_behind(typed, after, names):
    """Run the block below the session after a mistake; return the fault that it
    finds.
    """
    try:
        exec(after, names)
    except AssertionError as error:
        return f"{typed}\n   is followed by an AssertionError: {error}"


def groups(text):
    """Return the headings of a file, each with its content."""
    begin, *rest = HEADING.split(text)
    for heading, below in zip(rest[::2], rest[1::2], strict=True):
        yield heading, Group(begin, below)


def tests(_, text):
    return [(heading, group.complaints) for heading, group in groups(text)]


pytest_collect_file = told.collecting(tests)
