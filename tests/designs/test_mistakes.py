"""What the designs say to mistakes: the tables in tests/designs/mistakes."""

import copy
from importlib import import_module
from pathlib import Path

import pytest

from steps import step64
from tests.support.mistakes import assert_table, tables

TABLES = tables(Path(__file__).with_name("mistakes"))


@pytest.mark.parametrize(("step", "before", "table", "afterwards"), TABLES)
def test_mistakes(step, before, table, afterwards):
    names = vars(import_module(f"steps.{step}")) | {"copy": copy}
    with step64.Graph().as_default():
        assert_table(names, before, table, afterwards)
