"""What the framework can do at each step, found out by trying.

The table in docs/capabilities.md is made from this: in the folder of the checkout,
``python -m tests.support.capabilities`` writes it.
"""

import gc
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np

import dezero_lite
from dezero_lite.gradcheck import gradient_check, numerical_grad
from steps.course.lessons import ROOT, StepKind, of_kind

SNAPSHOTS = of_kind(StepKind.SNAPSHOT)
PACKAGE = "dezero_lite"
WORKS = "works"
MISSING = "AttributeError"
WRONG = "AssertionError"
PAGE = ROOT / "docs" / "capabilities.md"


@dataclass
class Capability:
    """Something that a framework can do.

    ``history`` says what trying gives, as pairs (first step, outcome); an outcome holds
    until the next pair. It is WORKS, or the name of the error that a lesson speaks of;
    WRONG is a wrong answer.
    """

    name: str
    probe: Callable
    history: list

    def expected(self, number):
        return (
            WORKS
            if number == PACKAGE
            else [outcome for first, outcome in self.history if first <= number][-1]
        )


class Square(dezero_lite.Function):
    """As a reader of the book would write it."""

    def forward(self, x):
        return x**2

    def backward(self, gy):
        (x,) = self.inputs
        return 2 * x * gy


def package():
    """The package with the few functions that the snapshots have beside their core."""
    return SimpleNamespace(
        Variable=dezero_lite.Variable,
        Function=dezero_lite.Function,
        no_grad=dezero_lite.no_grad,
        Square=Square,
        square=lambda x: Square()(x),
        exp=dezero_lite.functions.exp,
        add=lambda a, b: a + b,
        numerical_diff=numerical_grad,
        gradient_check=gradient_check,
    )


@cache  # the test and the page ask the same
def outcome(probe, number):
    """Try a probe on a step, or on the package: WORKS, or the name of the error."""
    try:
        probe(
            package() if number == PACKAGE else import_module(f"steps.step{number:02d}")
        )
    except Exception as error:
        return type(error).__name__
    return WORKS


def box(step, value):
    return step.Variable(np.array(value))


def backward(y):
    """Run backward, with the first gradient set by hand as every step allows."""
    y.grad = np.ones_like(y.data)
    y.backward()


def plain(gradient):
    """Gradients are arrays up to step 31; in step 32 and the package, Variables."""
    return gradient.data if hasattr(gradient, "backward") else gradient


def square(step, x):
    """As each step would write it: with the function for people where there is one."""
    return step.square(x) if hasattr(step, "square") else step.Square()(x)


def exp(step, x):
    return step.exp(x) if hasattr(step, "exp") else step.Exp()(x)


# --- Stage 1 --------------------------------------------------------------------------


def holds_an_array(step):
    assert np.array_equal(box(step, [1.0, 2.0]).data, [1.0, 2.0])


def applies_a_function(step):
    assert square(step, box(step, 3.0)).data == 9.0


def chains_functions(step):
    assert np.isclose(
        square(step, exp(step, square(step, box(step, 0.5)))).data, np.exp(0.5)
    )


def measures_a_derivative(step):
    assert np.isclose(
        step.numerical_diff(lambda x: square(step, x), box(step, 2.0)), 4.0
    )


def differentiates_a_function(step):
    f = step.Square()
    if hasattr(step, "square"):
        f = step.square(box(step, 3.0)).creator
    else:
        f(box(step, 3.0))
    assert plain(f.backward(np.array(1.0))) == 6.0


def differentiates_a_chain(step):
    x = box(step, 0.5)
    backward(square(step, exp(step, square(step, x))))
    assert np.isclose(plain(x.grad), 2 * np.exp(0.5))


def differentiates_a_loop(step):
    x = box(step, 1.1)
    y = x
    while y.data < 100:
        y = square(step, y)
    backward(y)
    assert np.isclose(plain(x.grad), 64 * 1.1**63)


def differentiates_a_long_chain(step):
    class AddOne(step.Function):
        def forward(self, x):
            return x + 1

        def backward(self, gy):
            return gy

    x = box(step, 0.0)
    y = x
    for _ in range(100_000):
        y = AddOne()(y)
    backward(y)
    assert plain(x.grad) == 1.0


def begins_with_ones(step):
    x = box(step, 3.0)
    y = square(step, x)
    y.backward()
    assert plain(x.grad) == 6.0


def reads_like_a_formula(step):
    assert np.isclose(step.square(step.exp(box(step, 0.5))).data, np.e)


def keeps_results_arrays(step):
    assert isinstance(square(step, box(step, 3.0)).data, np.ndarray)


def refuses_what_is_no_array(step):
    message = "accepted"
    try:
        step.Variable(1.0)
    except TypeError as error:
        message = str(error)
    assert "array" in message


def checks_gradients(step):
    assert step.gradient_check(step.square, box(step, 2.0))


# --- Stage 2 --------------------------------------------------------------------------


def takes_two_inputs(step):
    assert step.add(box(step, 2.0), box(step, 3.0)).data == 5.0


def differentiates_two_inputs(step):
    x, y = box(step, 2.0), box(step, 3.0)
    backward(step.add(step.square(x), step.square(y)))
    assert (plain(x.grad), plain(y.grad)) == (4.0, 6.0)


def uses_a_variable_twice(step):
    x = box(step, 3.0)
    backward(step.add(x, x))
    assert plain(x.grad) == 2.0


def differentiates_a_diamond(step):
    x = box(step, 2.0)
    a = step.square(x)
    backward(step.add(step.square(a), step.square(a)))
    assert plain(x.grad) == 64.0


def waits_for_the_longer_way(step):
    x = box(step, 2.0)
    a = step.square(x)
    backward(step.add(step.square(step.square(a)), a))
    assert plain(x.grad) == 1028.0


def is_freed_without_the_collector(step):
    was_on = gc.isenabled()
    gc.disable()
    try:
        y = square(step, box(step, 3.0))
        gone = weakref.ref(y)
        del y
        assert gone() is None
    finally:
        if was_on:
            gc.enable()


def runs_without_a_graph(step):
    with step.no_grad():
        assert step.square(box(step, 3.0)).creator is None


def gives_gradients_back(step):
    x = box(step, 3.0)
    a = square(step, x)
    backward(square(step, a))
    assert a.grad is None


def shows_itself(step):
    x = box(step, [1.0, 2.0])
    assert (x.shape, len(x), repr(x)) == ((2,), 2, "variable([1. 2.])")


def has_operators(step):
    assert (box(step, 2.0) * box(step, 3.0) + box(step, 1.0)).data == 7.0


def mixes_with_numbers(step):
    assert (np.array([2.0]) * box(step, 3.0) + 1).data == 7.0


def has_all_operators(step):
    x = box(step, 2.0)
    y = (1 - x) / x + 4 / x**2 - -x
    backward(y)
    assert (y.data, plain(x.grad)) == (2.5, -0.25)


def differentiates_a_gradient(step):
    x = box(step, 2.0)
    (x * x * x).backward(create_graph=True)
    gx = x.grad
    x.cleargrad()
    gx.backward()
    assert plain(x.grad) == 12.0


def sums_over_broadcast(step):
    x = box(step, 1.0)
    backward(np.ones(3) * x)
    assert x.grad.shape == ()


# Steps 11 and 12 rebuild the forward pass, and step 13 the backward pass.
GAP = [(11, MISSING), (13, WORKS)]
GAP_WRONG = [(11, MISSING), (13, WRONG)]

CAPABILITIES = [
    Capability("holds an array", holds_an_array, [(1, WORKS)]),
    Capability(
        "applies a function to a variable",
        applies_a_function,
        [(1, MISSING), (2, WORKS)],
    ),
    Capability("puts functions in a row", chains_functions, [(1, MISSING), (3, WORKS)]),
    Capability(
        "measures a derivative", measures_a_derivative, [(1, MISSING), (4, WORKS)]
    ),
    Capability(
        "differentiates one function",
        differentiates_a_function,
        [(1, MISSING), (6, WORKS), *GAP],
    ),
    Capability(
        "differentiates a chain by itself",
        differentiates_a_chain,
        [(1, MISSING), (7, WORKS), *GAP],
    ),
    Capability(
        "differentiates a loop of unknown length",
        differentiates_a_loop,
        [(1, MISSING), (7, WORKS), *GAP],
    ),
    Capability(
        "differentiates a chain of 100,000",
        differentiates_a_long_chain,
        [
            (1, MISSING),
            (7, "RecursionError"),
            (8, WORKS),
            (11, "TypeError"),
            (12, MISSING),
            (13, WORKS),
        ],
    ),
    Capability(
        "begins backward with ones",
        begins_with_ones,
        [(1, MISSING), (7, "TypeError"), (9, WORKS), *GAP],
    ),
    Capability(
        "reads like a formula", reads_like_a_formula, [(1, MISSING), (9, WORKS)]
    ),
    Capability(
        "keeps every result an array",
        keeps_results_arrays,
        [(1, MISSING), (2, WRONG), (9, WORKS)],
    ),
    Capability(
        "refuses what is no array", refuses_what_is_no_array, [(1, WRONG), (9, WORKS)]
    ),
    Capability(
        "checks its gradients", checks_gradients, [(1, MISSING), (10, WORKS), *GAP]
    ),
    Capability("takes two inputs", takes_two_inputs, [(1, MISSING), (12, WORKS)]),
    Capability(
        "differentiates two inputs",
        differentiates_two_inputs,
        [(1, MISSING), (13, WORKS)],
    ),
    Capability(
        "uses a variable twice",
        uses_a_variable_twice,
        [(1, MISSING), (13, WRONG), (14, WORKS)],
    ),
    Capability(
        "differentiates a diamond",
        differentiates_a_diamond,
        [(1, MISSING), (13, WRONG), (16, WORKS)],
    ),
    Capability(
        "waits for the longer way",
        waits_for_the_longer_way,
        [(1, MISSING), (13, WRONG), (16, WORKS)],
    ),
    Capability(
        "is freed without the garbage collector",
        is_freed_without_the_collector,
        [(1, MISSING), (2, WORKS), (7, WRONG), (17, WORKS)],
    ),
    Capability(
        "runs without a graph (no_grad)",
        runs_without_a_graph,
        [(1, MISSING), (18, WORKS)],
    ),
    Capability(
        "gives gradients on the way back",
        gives_gradients_back,
        [(1, MISSING), (7, WRONG), *GAP_WRONG, (18, WORKS)],
    ),
    Capability(
        "shows its shape and content", shows_itself, [(1, MISSING), (19, WORKS)]
    ),
    Capability(
        "multiplies and adds with signs", has_operators, [(1, "TypeError"), (20, WORKS)]
    ),
    Capability(
        "mixes with numbers and arrays",
        mixes_with_numbers,
        [(1, "TypeError"), (21, WORKS)],
    ),
    Capability(
        "subtracts, divides, takes powers",
        has_all_operators,
        [(1, "TypeError"), (22, WORKS)],
    ),
    Capability(
        "sums a gradient over broadcast axes",
        sums_over_broadcast,
        [(1, "TypeError"), (21, WRONG)],
    ),
    Capability(
        "differentiates a gradient again",
        differentiates_a_gradient,
        [(1, "TypeError"), (32, WORKS)],
    ),
]

SIGNS = {
    WORKS: "✓",
    MISSING: "·",
    WRONG: "wrong",
    "RecursionError": "Recursion\u00adError",
}


def table():
    """The page for the docs, made by trying everything on every step."""
    steps = [*SNAPSHOTS, PACKAGE]
    lines = [
        "# What each step can do",
        "",
        "Found out by trying. `✓` works; `·` is not there yet; `wrong` gives a wrong "
        "answer; a name is the error",
        "that is raised. The last column is the package that the course arrives at; "
        "the designs of steps 61 to 67 have",
        "a [table of their own](designs.md). `python -m tests.support.capabilities` "
        "makes this page, and a test",
        "holds that it is up to date.",
        "",
        "| step | " + " | ".join(map(str, steps)) + " |",
        "| :--- |" + " :-: |" * len(steps),
    ]
    for capability in CAPABILITIES:
        found = [outcome(capability.probe, number) for number in steps]
        lines.append(
            f"| {capability.name} | "
            + " | ".join(SIGNS.get(name, name) for name in found)
            + " |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(PAGE).write_text(table(), encoding="utf-8", newline="\n")
    print(f"Wrote {PAGE.relative_to(ROOT)}.")
