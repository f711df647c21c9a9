"""Tables of mistakes: what is typed, and what is said to it.

They are written as in a session of Python. Several mistakes may have one answer, a long
answer goes on in the next line, and … stands for whatever is said in between::

    >>> Variable(2.0)
    >>> Variable([1.0])
    TypeError: Variable holds an array, not a … use np.array(...)

In files of Markdown, under a heading, such a table stands between what is there before
and, where there is something to say, what is still true afterwards.
"""

import re

import numpy as np
import pytest

from tests.support.sections import sections

ENTRY = re.compile(r"((?:^(?:>>>|\.\.\.) .*\n)+)((?:^(?!>>>).+\n)+)", re.MULTILINE)


def mistakes(table):
    """Each mistake, with what is said to it."""
    found = []
    for typed, said in ENTRY.findall(table.strip() + "\n"):
        said = " ".join(said.splitlines())
        for each in re.split(r"^>>> ", typed, flags=re.MULTILINE)[1:]:
            found.append((each.replace("\n... ", "\n").strip(), said))
    return found


def complaint(typed, said, names):
    """What is wrong with the answer to a mistake, if anything.

    The kind of error has to be the one that is said, and its words to hold what is
    said: at their beginning, at their end or in between.
    """
    try:
        exec(typed, dict(names))
    except Exception as error:
        kind, _, words = said.partition(": ")
        wanted = ".*".join(map(re.escape, re.split(r"\s*…\s*", words)))
        answer = " ".join(str(error).split())
        if type(error).__name__ == kind and re.search(wanted, answer):
            return None
        return f"{typed}\n   is answered: {type(error).__name__}: {answer}"
    return f"{typed}\n   is not refused"


def assert_answered(table, names):
    """Fail unless all mistakes of a table are answered as it says."""
    __tracebackhide__ = True
    found = [complaint(typed, said, names) for typed, said in mistakes(table)]
    wrong = [words for words in found if words]
    assert found, "the table is empty"
    assert not wrong, "\n".join(wrong)


def tables(folder):
    """The tables in a folder, for pytest: the file's name, and the blocks."""
    return [
        pytest.param(
            path.stem, before, table, *after or [""], id=f"{path.stem}, {title}"
        )
        for path in sorted(folder.glob("*.md"))
        for title, _, (before, table, *after) in sections(path)
    ]


def assert_table(names, before, table, afterwards):
    """Fail unless a table of a file is answered as it says."""
    __tracebackhide__ = True
    names |= {"np": np}
    exec(before, names)
    assert_answered(table, names)
    exec(afterwards, names)
