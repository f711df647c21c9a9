"""Sessions, and the result of each line, in the format described in
tests/package/sessions/conftest.py.
"""

import doctest
from tempfile import TemporaryDirectory

import pytest

from tests.support import told
from tests.support.mistakes import BLOCK, HEADING

FORM = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def complaints(name, begin, text):
    """Return the results that differ from the stated ones; `begin` runs first."""
    blocks = BLOCK.findall(begin + text)
    before, typed = (
        "\n".join(block for kind, block in blocks if kind == wanted)
        for wanted in ("python", "pycon")
    )
    names = {"__name__": name}
    session = doctest.DocTestParser().get_doctest(typed, names, name, None, 0)
    if not 0 < len(session.examples) == text.count(">>> "):
        return ["there is no session, or a misspelt block"]
    found = []
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        session.globs["monkeypatch"] = patch
        exec(before, session.globs)
        doctest.DocTestRunner(optionflags=FORM).run(session, out=found.append)
    return ["".join(found)] * bool(found)


def script(text):
    """Convert a file of sessions to a program."""
    return "\n".join(
        block if kind == "python" else doctest.script_from_examples(block)
        for kind, block in BLOCK.findall(text)
    )


def tests(_, text):
    begin, *rest = HEADING.split(text)
    for heading, below in zip(rest[::2], rest[1::2], strict=True):
        yield heading, lambda of=(heading, begin, below): complaints(*of)


pytest_collect_file = told.collecting(tests)
