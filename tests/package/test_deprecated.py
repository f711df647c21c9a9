"""Old names still work, and name the new ones."""

import pytest

from dezero_lite.deprecated import NAMES
from tests.support.programs import python

WARNED = """
import warnings

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    {program}
    print(*[w.message for w in caught], sep="\\n")
    assert all([w.filename == "<string>" for w in caught]), caught
"""


def warnings_of(*lines):
    done = python("-c", WARNED.format(program="\n    ".join(lines)))
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("old", [old for old in NAMES if not old.endswith(".on")])
def test_an_old_name_is_the_new_thing(old):
    home, _, name = old.rpartition(".")
    new = f"{home}.{NAMES[old]}"
    said = warnings_of(
        f"import {home}",
        f"from {home} import {name} as old",
        f"from {home} import {NAMES[old]} as new",
        "assert old is new",
    )
    assert said[0] == f"{old} is now called {new}"
    assert set(said[1:]) <= set(said[:1])


def test_an_old_module_is_imported_in_every_way_and_warns_once():
    said = "dezero_lite.npz is now called dezero_lite.array_files"
    ways = [
        "import dezero_lite.npz",
        "from dezero_lite.npz import load_arrays, save_arrays",
        "import dezero_lite; dezero_lite.npz.load_arrays",
    ]
    assert warnings_of(*ways) == [said]
    for way in ways:
        assert warnings_of(way) == [said]
    assert warnings_of("import dezero_lite, dezero_lite.func") == [""]


def test_a_method_with_its_old_name():
    said = warnings_of(
        "from dezero_lite.functions.elementwise import Sin",
        "assert Sin().on(0.0) == 0",
    )
    old = "dezero_lite.core.Primitive"
    assert said == [f"{old}.on is now called {old}.apply"]


def test_what_never_was_is_an_error():
    for way in ("import dezero_lite.zip", "import dezero_lite; dezero_lite.zip"):
        done = python("-c", way)
        assert "Error: " in done.stderr
        assert "zip'" in done.stderr
