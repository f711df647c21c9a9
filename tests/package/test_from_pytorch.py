"""Typing PyTorch's names gives an error that says what to write here."""

import ast
import importlib
import inspect
import re
from functools import partial

import numpy as np
import pytest

import dezero_lite as d
from dezero_lite import functions as F
from dezero_lite import layers as L
from dezero_lite.from_pytorch import ARGUMENTS, ATTRIBUTES
from dezero_lite.models import MLP
from dezero_lite.optimizers import SGD, AdaDelta, Adam, AdamW, MomentumSGD, Optimizer
from tests.support import pytorch_table

OWNERS = {"Layer": MLP((3,)), "Optimizer": SGD(), "Variable": d.Variable(np.ones(2))}
CLASSES = {
    "Layer": [L.Linear, L.Conv2d, L.BatchNorm, L.Dropout, L.LSTM, L.TransformerBlock],
    "Optimizer": [AdaDelta, Adam, SGD],
    "functions": [partial(F.sum, np.ones(2)), partial(F.dropout, np.ones(2))],
    "Variable": [lambda **settings: d.Variable(np.ones(2), **settings)],
    "backward": [(OWNERS["Variable"] + 1).backward],
    "DataLoader": [lambda **settings: d.DataLoader([(1, 2)], 1, **settings)],
}
ROWS = [
    pytest.param(sentence, id=f"{kind}-{name}")
    for table in (ATTRIBUTES, ARGUMENTS)
    for kind, rows in table.items()
    for name, sentence in rows.items()
]


NAMES = {}
for module in ("functions", "layers", "optimizers", "schedules", "pytorch"):
    NAMES |= vars(importlib.import_module(f"dezero_lite.{module}"))
NAMES |= vars(d) | {"dezero_lite": d, "F": F, "np": np, "data": np.ones(2)}
NAMES |= {"model": OWNERS["Layer"], "optimizer": Adam(), "x": OWNERS["Variable"]}
NAMES["layer"] = L.Linear(1)
NAMES["y"] = NAMES["x"]


@pytest.mark.parametrize("sentence", ROWS)
def test_what_a_row_names_exists(sentence):
    for code in re.findall("`(.*?)`", sentence):
        tree = ast.parse(code.replace("(...)", "()") + " pass" * code.endswith(":"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                eval(ast.unparse(node), NAMES)
            if isinstance(node, ast.Call):
                function = eval(ast.unparse(node.func), NAMES)
                settings = {setting.arg: None for setting in node.keywords}
                if function is dict or inspect.isbuiltin(function):
                    continue  # older versions of NumPy have no signature for it
                if getattr(function, "__module__", None):
                    inspect.signature(function).bind_partial(*node.args, **settings)


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind in ATTRIBUTES for name in ATTRIBUTES[kind]]
)
def test_a_missing_attribute_is_answered_with_its_row(kind, name):
    owner = importlib.import_module(kind) if "dezero" in kind else OWNERS[kind]
    with pytest.raises(AttributeError) as caught:
        getattr(owner, name)
    assert str(caught.value).endswith(
        f" has no attribute {name!r}: {ATTRIBUTES[kind][name]}"
    )


@pytest.mark.parametrize("kind", ATTRIBUTES)
def test_pytorch_has_the_names_of_the_rows(kind):
    torch = pytest.importorskip("torch")
    homes = {
        "Layer": [torch.nn.Linear(1, 1)],
        "Optimizer": [torch.optim.Optimizer([torch.zeros(1)], {})],
        "Variable": [torch.zeros(1)],
        "dezero_lite": [torch],
        "dezero_lite.functions": [torch.nn.functional, torch],
        "dezero_lite.layers": [torch.nn],
        "dezero_lite.optimizers": [torch.optim],
        "dezero_lite.cuda": [torch.cuda],
    }[kind]
    has = lambda name: any(hasattr(home, name) for home in homes)
    assert [name for name in ATTRIBUTES[kind] if not has(name)] == []


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind in ARGUMENTS for name in ARGUMENTS[kind]]
)
def test_an_unknown_argument_is_answered_with_its_row(kind, name):
    answers = 0
    for make in CLASSES[kind]:
        if name not in inspect.signature(make).parameters:
            with pytest.raises(TypeError) as caught:
                make(**{name: 1})
            assert f" has no argument {name!r}: {ARGUMENTS[kind][name]}" in str(
                caught.value
            )
            answers += 1
    assert answers


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        (
            "from dezero_lite.layers import ReLU",
            ATTRIBUTES["dezero_lite.layers"]["ReLU"],
        ),
        ("import dezero_lite.nn as nn", ATTRIBUTES["dezero_lite"]["nn"]),
        ("from dezero_lite import relu", "it is `dezero_lite.functions.relu`"),
        ("from dezero_lite import Adam", "it is `dezero_lite.optimizers.Adam`"),
        ("from dezero_lite.functions import Adam", "it is `dezero_lite.optimizers.A"),
    ],
)
def test_an_import_is_answered_as_well(code, sentence):
    with pytest.raises(ImportError) as caught:
        exec(code)
    assert sentence in str(caught.value)
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'dezero_lite\.no'"):
        importlib.import_module("dezero_lite.no")


@pytest.mark.parametrize("kind", OWNERS)
def test_names_that_are_only_answered_are_not_listed(kind):
    names = set(dir(OWNERS[kind]))
    assert not names & set(ATTRIBUTES[kind])
    assert names >= {"__init__", *vars(type(OWNERS[kind]))} - set(ATTRIBUTES[kind])


def test_a_name_that_a_user_gives_is_listed():
    model = MLP((3,))
    model.device = "cpu"
    assert model.device == "cpu"
    assert "device" in dir(model)


def test_requires_grad_of_a_variable_cannot_be_set():
    for x in (d.Variable(np.ones(2)), d.Parameter(np.ones(2))):
        with pytest.raises(AttributeError, match=r"hook `FreezeParam\(layer\)`"):
            x.requires_grad = False

    class Switched(d.Variable):
        def __init__(self, data):
            super().__init__(data)
            self.requires_grad = False

    assert not Switched(np.ones(2)).requires_grad


def test_other_unknown_names_are_called_unknown():
    for owner in (F, L, d):
        with pytest.raises(
            AttributeError, match="has no attribute 'nothing'"
        ) as caught:
            owner.nothing  # noqa: B018
        assert caught.value.name == "nothing"
        assert caught.value.obj is owner  # so that Python can suggest a similar name
    for make in (d.Variable, L.Linear, SGD):
        with pytest.raises(TypeError, match="nothing"):
            make(np.ones(1), nothing=1)


def test_a_class_of_a_user_takes_what_it_likes():
    class Block(L.Layer):
        def __init__(self, size, **settings):
            self.p, self.bias = settings["p"], settings["bias"]
            self.train = True

        def to(self, place):
            return place

    class Rule(SGD):
        def __init__(self, alpha, momentum):
            super().__init__(alpha)
            self.alpha, self.momentum = alpha, momentum

    class Empty(L.Layer):
        pass

    block = Block(3, p=0.1, bias=False)
    assert (block.p, block.train, block.to("cpu")) == (0.1, True, "cpu")
    assert Rule(0.1, momentum=0.9).momentum == 0.9
    for sizes, settings in (((3,), {}), ((), {"size": 3})):
        with pytest.raises(TypeError, match="Empty has no __init__ that takes argum"):
            Empty(*sizes, **settings)


@pytest.mark.parametrize(
    ("optimizer", "name", "right"),
    [
        (SGD, "alpha", "lr"),
        (SGD, "beta1", "lr"),
        (Adam, "lr", "alpha"),
        (MomentumSGD, "rho", "lr, momentum"),
    ],
)
def test_a_setting_of_another_rule_is_not_set_in_vain(optimizer, name, right):
    message = f"{optimizer.__name__} has no setting {name}: it has {right}"
    with pytest.raises(AttributeError, match=message):
        setattr(optimizer(), name, 5.0)


def test_the_order_of_arguments():
    for make, sizes, message in [
        (L.Conv2d, (3, 16, 3), r"would be 16×16: .* write Conv2d\(16, 3\), and if not"),
        (L.Conv2d, (16, 32, 3), r"write Conv2d\(32, 3\)"),
        (L.Deconv2d, (1, 6, 5), r"write Deconv2d\(6, 5\)"),
        (L.BatchNorm, (16,), r"first input: write BatchNorm\(\)"),
        (L.LayerNorm, (16,), r"first input: write LayerNorm\(\)"),
        (L.Linear, (784, 10), "nobias of Linear is True or False, not 10"),
    ]:
        with pytest.raises(TypeError, match=message):
            make(*sizes)
    for sizes in [(96, 11, 4), (64, 16, 16), (64, 7, 2), (3, (16, 16), 3), (16, 3, 3)]:
        assert L.Conv2d(*sizes).kernel_size == sizes[1]


@pytest.mark.parametrize("optimizer", [SGD, AdamW])
def test_an_optimizer_is_not_made_with_a_model_or_nan(optimizer):
    model = L.Linear(1, in_size=1)
    for found in (model, model.params(), [*model.params()]):
        for settings in ({}, {"lr": 0.1}):  # which Adam does not have
            with pytest.raises(
                TypeError, match=r"takes its model in setup: \w+\(\)\.setup"
            ):
                optimizer(found, **settings)
    with pytest.raises(TypeError, match=r"takes a number for (lr|alpha), not nan"):
        optimizer(float("nan"))
    assert isinstance(optimizer(), Optimizer)


def test_backward_again_needs_no_retain_graph():
    x = d.Variable(np.ones(2))
    y = F.sum(x * x)
    y.backward()
    y.backward()
    assert x.grad.data.tolist() == [4.0, 4.0]


def test_the_page_has_the_table():
    page = pytorch_table.PAGE.read_text(encoding="utf-8")
    assert page == pytorch_table.replace_table(page), (
        "run python -m tests.support.pytorch_table"
    )


def test_the_loop_of_the_page_learns():
    page = pytorch_table.PAGE.read_text(encoding="utf-8")
    (loop,) = re.findall(r"```python\n(.*?)```", page, re.S)
    d.manual_seed(0)
    names = {}
    exec(loop, names)
    assert names["right"] > 0.9
