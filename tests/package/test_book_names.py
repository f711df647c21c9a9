"""Every public name of the book's framework, from where the book has it."""

import subprocess
import sys
from importlib import import_module
from inspect import isclass

import numpy as np
import pytest

from dezero_lite import Variable, core, functions, functions_conv
from tests.support.book_names import FOR_ITS_READER, INTRODUCED
from tests.support.public_names import MODULES, public_names


def one_by_one(names):
    return [(module, name) for module, text in names.items() for name in text.split()]


def found(module, name):
    """What ``from dezero.module import name`` brings."""
    program = f"from {f'dezero_lite.{module}'.rstrip('.')} import {name} as value"
    variables = {}
    exec(program, variables)
    return variables["value"]


@pytest.mark.parametrize(("module", "name"), one_by_one(INTRODUCED))
def test_what_a_step_introduces_is_the_same_wherever_the_book_has_it(module, name):
    assert found(module, name) is public_names()[name]


@pytest.mark.parametrize(("module", "name"), one_by_one(FOR_ITS_READER))
def test_what_only_the_books_reader_needs_is_there_and_no_step_has_it(module, name):
    value = found(module, name)
    assert isclass(value) if name[0].isupper() else not isclass(value)
    assert public_names().get(name) is not value
    if module in MODULES and module != "utils":
        home = import_module(f"dezero_lite.{module}".rstrip("."))
        assert name not in home.__all__


def test_every_name_is_listed_once_and_there():
    for module in (core, functions, functions_conv):
        assert len(set(module.__all__)) == len(module.__all__)
        assert [name for name in module.__all__ if not hasattr(module, name)] == []


AS_A_CLASS = {
    "Cos": "cos",
    "Exp": "exp",
    "Log": "log",
    "LogSoftmax": "log_softmax",
    "Max": "max",
    "Min": "min",
    "ReLU": "relu",
    "Sigmoid": "sigmoid",
    "Sin": "sin",
    "Softmax": "softmax",
    "Tanh": "tanh",
    "Transpose": "transpose",
}


@pytest.mark.parametrize("name", AS_A_CLASS)
def test_a_class_computes_what_its_function_does(name):
    x = np.array([[0.1, 0.2, 0.3], [1.0, 2.0, 3.0]])
    y = getattr(functions, name)()(x)
    wanted = getattr(functions, AS_A_CLASS[name])(x)
    assert np.array_equal(y.data, wanted.data)


def test_a_power_as_a_class_has_a_fixed_exponent():
    x = Variable(np.array([2.0, 3.0]))
    y = core.Pow(3)(x)
    y.backward()
    assert y.data.tolist() == [8, 27]
    assert x.grad.data.tolist() == [12, 27]


def test_a_star_brings_what_steps_introduce():
    program = (
        "from dezero_lite.functions import *; from dezero_lite.functions_conv import *;"
        "print('sin' in dir(), 'conv2d' in dir(), 'Sin' in dir(), 'Conv2d' in dir())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["True", "True", "False", "False"]
