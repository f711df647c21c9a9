"""Every public name of the book's framework, from where the book has it."""

from importlib import import_module
from inspect import isclass
from pkgutil import walk_packages

import numpy as np
import pytest

import dezero_lite
from dezero_lite import Variable, core, functions
from tests.support.book_names import FOR_ITS_READER, INTRODUCED
from tests.support.public_names import MODULES, public_names


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
    found = walk_packages(dezero_lite.__path__, "dezero_lite.")
    names = [name for _, name, _ in found if not name.endswith("__main__")]
    assert "dezero_lite.core.backward" in names
    for module in map(import_module, names):
        listed = getattr(module, "__all__", ())
        assert len(set(listed)) == len(listed), module
        assert set(listed) <= set(dir(module)), module


AS_CLASSES = "Cos Exp Log LogSoftmax Max Min ReLU Sigmoid Sin Softmax Tanh Transpose"


@pytest.mark.parametrize("name", AS_CLASSES.split())
def test_a_class_computes_what_its_function_does(name):
    x = np.array([[0.1, 0.2, 0.3], [1.0, 2.0, 3.0]])
    function = "log_softmax" if name == "LogSoftmax" else name.lower()
    wanted = getattr(functions, function)(x)
    assert np.array_equal(getattr(functions, name)()(x).data, wanted.data)


def test_a_power_as_a_class_has_a_fixed_exponent():
    x = Variable(np.array([2.0, 3.0]))
    y = core.Pow(3)(x)
    y.backward()
    assert y.data.tolist() == [8, 27]
    assert x.grad.data.tolist() == [12, 27]


def test_a_star_brings_what_steps_introduce():
    names = {}
    for module in ("functions", "functions_conv"):
        exec(f"from dezero_lite.{module} import *", names)
    assert {"sin", "conv2d"} <= names.keys()
    assert not {"Sin", "Conv2d"} & names.keys()
