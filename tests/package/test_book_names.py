"""Every public name of the book's framework can be imported from where the book
has it.
"""

from importlib import import_module
from inspect import isclass

import numpy as np
import pytest

from dezero_lite import functions
from tests.support.book_names import FOR_ITS_READER, INTRODUCED
from tests.support.public_names import MODULES, modules, public_names


def one_by_one(names):
    return [(module, name) for module, text in names.items() for name in text.split()]


def home(module):
    return import_module(f"dezero_lite.{module}".rstrip("."))


def test_what_a_step_introduces_is_the_same_wherever_the_book_has_it():
    public = public_names()
    others = [
        f"{module}.{name}"
        for module, name in one_by_one(INTRODUCED)
        if getattr(home(module), name, None) is not public[name]
    ]
    assert others == []


def test_what_only_the_books_reader_needs_is_there_and_no_step_has_it():
    wrong = []
    for module, name in one_by_one(FOR_ITS_READER):
        value = getattr(home(module), name, None)
        introduced = public_names().get(name) is value
        if module in MODULES and module != "utils":
            introduced |= name in home(module).__all__
        if value is None or isclass(value) != name[0].isupper() or introduced:
            wrong.append(f"{module}.{name}")
    assert wrong == []


def test_every_name_is_listed_once_and_there():
    found = modules()
    assert "dezero_lite.core.backward" in {module.__name__ for module in found}
    for module in found:
        listed = getattr(module, "__all__", ())
        assert len(set(listed)) == len(listed), module
        assert all(hasattr(module, name) for name in listed), module


AS_CLASSES = "Cos Exp Log LogSoftmax Max Min ReLU Sigmoid Sin Softmax Tanh Transpose"


@pytest.mark.parametrize("name", AS_CLASSES.split())
def test_a_class_computes_what_its_function_does(name):
    x = np.array([[0.1, 0.2, 0.3], [1.0, 2.0, 3.0]])
    function = "log_softmax" if name == "LogSoftmax" else name.lower()
    wanted = getattr(functions, function)(x)
    assert np.array_equal(getattr(functions, name)()(x).data, wanted.data)
