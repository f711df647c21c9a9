"""The package that lesson 23 has as texts is written and run on a copy."""

import sys
from pathlib import Path

import pytest

from steps.course.lessons import CourseError
from steps.course.package_files import NAME, find_homes, put_in, try_out, write

FILES = {"__init__.py": "from . import low\n", "low.py": "# step22: as_array\n"}


def test_definitions_are_put_in_where_a_line_asks_for_them(tmp_path):
    paths = write(FILES, tmp_path)
    assert [path.name for path in paths] == [*FILES]
    assert paths[1].read_text(encoding="utf-8").startswith("def as_array(x):")
    assert find_homes("as_array", FILES) == ["low.py"]
    with pytest.raises(CourseError, match="defines no Adder"):
        put_in("# step22: Adder")


def test_what_is_tried_out_leaves_nothing_behind(tmp_path, monkeypatch):
    before, path = dict(sys.modules), list(sys.path)
    monkeypatch.chdir(tmp_path)
    files = FILES | {"low.py": "from . import high\n"}
    assert try_out(f"import {NAME}.low", FILES) == ([], "")
    way, error = try_out(f"import {NAME}", files)
    assert way == ["__init__.py:  from . import low", "low.py:  from . import high"]
    assert error.startswith("ImportError: cannot import name 'high' from partially")
    assert "/" not in error
    assert [name for name in sys.modules if name.startswith(NAME)] == []
    assert sys.path == path
    assert before.items() <= sys.modules.items()
    assert [*Path().iterdir()] == []


def test_a_package_that_is_imported_stays_so(monkeypatch):
    module = type(sys)(NAME)
    monkeypatch.setitem(sys.modules, NAME, module)
    assert try_out(f"import {NAME}; {NAME}.low", FILES) == ([], "")
    assert sys.modules[NAME] is module
