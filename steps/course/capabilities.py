"""Find out by trying what a framework of the course can do.

The probes run on every snapshot, for the table in docs/capabilities.md, and in the
workshop on the learner's framework.
"""

import ast
import contextlib
import gc
import inspect
import io
import textwrap
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

WORKS = "works"
MISSING = "AttributeError"
WRONG = "AssertionError"


@dataclass
class Capability:
    """Something that a framework can do.

    ``idea`` is the insight behind it, shown to learners whose framework lacks it.
    ``history`` lists the expected outcomes of the probe as pairs (first step, outcome).
    An outcome holds until the next pair, and before the first it is MISSING. It is
    WORKS, or the name of an error; WRONG means a wrong answer. A row is ``strict`` if
    the book's own framework fails it.
    """

    name: str
    idea: str
    history: tuple[tuple[int, str], ...]
    probe: Callable[..., None]
    strict: bool = False

    def expected(self, number):
        """Return the expected outcome of the probe at a step."""
        past = [outcome for first, outcome in self.history if first <= number]
        return past[-1] if past else MISSING

    @property
    def code(self):
        """The probe's code without its docstring, as a string."""
        tree: Any = ast.parse(textwrap.dedent(inspect.getsource(self.probe)))
        (function,) = tree.body
        return "\n".join(map(ast.unparse, function.body[1:]))

    def learned_at(self, number):
        """Return the last step, up to this one, at which it began to work."""
        return max(n for n, outcome in self.history if n <= number and outcome == WORKS)


CAPABILITIES: list[Capability] = []
SIGNS = {WORKS: "✓", MISSING: "·", WRONG: "wrong", "TooSlow": "too slow"}
# Steps 11 and 12 rebuild the forward pass, and step 13 the backward pass.
GAP = [(11, MISSING), (13, WORKS)]


def can(*history, table=CAPABILITIES, strict=False):
    """Register the decorated probe in a table as a Capability. The probe's docstring
    holds the name of the capability and, below a blank line, its idea.
    """

    def added(probe):
        name, idea = (inspect.getdoc(probe) or "").split("\n\n")
        idea = " ".join(idea.split())
        table.append(Capability(name, idea, history, probe, strict))
        return probe

    return added


def run_probe(probe, framework, guard=None):
    """Run a probe on a framework, inside the context manager `guard` if given.

    Returns
    -------
    tuple
        The outcome (WORKS or the name of the error), and the error or None.
    """
    try:
        with guard or contextlib.nullcontext():
            probe(framework)
    except Exception as error:
        return type(error).__name__, error
    return WORKS, None


def expect_error(action, kind=Exception):
    """Raise an AssertionError unless an action raises an error of the given kind."""
    try:
        action()
    except kind:
        return
    raise AssertionError("no error is raised where one is due")


def expect_unchanged(boxes, values):
    """Raise an AssertionError unless the boxes still hold these values."""
    for each, value in zip(boxes, values, strict=True):
        if not np.array_equal(each.data, value):
            raise AssertionError("your forward changed its input")


def box(step, value):
    return step.Variable(np.array(value))


def backward(y):
    """Run backward with the output's gradient set by hand, which every step allows."""
    y.grad = np.ones_like(y.data)
    y.backward()


def get_array(gradient):
    """Return a gradient as an array; from step 32 on, gradients are Variables."""
    is_plain = isinstance(gradient, (np.ndarray, np.generic, int, float, type(None)))
    return gradient if is_plain else gradient.data


def square(step, x):
    """Square x with the step's plain function if it has one, else with its class."""
    return step.square(x) if hasattr(step, "square") else step.Square()(x)


def exp(step, x):
    return step.exp(x) if hasattr(step, "exp") else step.Exp()(x)


def gradients(step, f, *values):
    """Return the gradients of f with respect to the values, as arrays."""
    boxes = [box(step, value) for value in values]
    y = f(*boxes)
    expect_unchanged(boxes, values)
    backward(y)
    return [get_array(x.grad) for x in boxes]


def derive(step, name, **methods):
    """Create a subclass of Function, as a user of the framework would."""
    return type(name, (step.Function,), methods)


def chain(step, length):
    same = lambda _, gy: gy
    AddOne = derive(step, "AddOne", forward=lambda _, x: x + 1, backward=same)

    def ones_added(y):
        for _ in range(length):
            y = AddOne()(y)
        return y

    assert gradients(step, ones_added, 0.0) == [1.0]


@can((1, WORKS))
def holds_an_array(step):
    """holds an array

    you get back what you put into the box as `data`
    """
    array = np.array([1.5, 2.5])
    assert step.Variable(array).data is array


@can((2, WORKS))
def applies_a_function(step):
    """applies a function to a variable

    a function opens the box, computes with the array, and puts the result into a new
    box
    """
    assert square(step, box(step, 3.0)).data == 9.0
    thrice = lambda _, x: [3 * x[0]] if isinstance(x, list) else 3 * x
    Thrice = derive(step, "Thrice", forward=thrice)
    x = box(step, 2.0)
    try:
        y = Thrice()(x)
    except TypeError:  # step 11 passes lists
        y = Thrice()([x])[0]
    assert (y.data, x.data) == (6.0, 2.0)


@can((3, WORKS))
def chains_functions(step):
    """chains functions

    the output of one function can be the input of the next
    """
    y = square(step, exp(step, square(step, box(step, 0.5))))
    assert np.isclose(y.data, np.exp(0.5))


@can((4, WORKS))
def measures_a_derivative(step):
    """measures a derivative

    a derivative is the slope between two nearby points, one on each side
    """
    for f, at, slope in ((square, 2.0, 4.0), (exp, 1.0, np.e)):
        x = box(step, at)
        assert np.isclose(step.numerical_diff(partial(f, step), x), slope)
        assert x.data == at


@can((6, WORKS))
def begins_without_a_gradient(step):
    """starts without a gradient

    `grad` is `None` until someone computes a gradient
    """
    assert box(step, 3.0).grad is None


@can((6, WORKS), *GAP)
def differentiates_a_function(step):
    """differentiates one function

    a function remembers its input, and `backward` multiplies the incoming gradient by
    its derivative at that input
    """
    f = step.Square()
    y = step.square(box(step, 3.0)) if hasattr(step, "square") else f(box(step, 3.0))
    f = getattr(y, "creator", None) or f
    assert get_array(f.backward(np.array(2.0))) == 12.0


@can((7, WORKS))
def leads_back_to_its_input(step):
    """traces a result back to its input

    a box knows the function that made it, and the function knows its input and output
    boxes
    """
    x = box(step, 3.0)
    y = square(step, x)
    f = y.creator
    several = hasattr(f, "inputs")
    (before,), (after,) = (f.inputs, f.outputs) if several else ([f.input], [f.output])
    assert before is x
    assert (after() if isinstance(after, weakref.ref) else after) is y


@can((7, WORKS), *GAP)
def differentiates_a_chain(step):
    """differentiates a chain by itself

    each box knows the function that made it, so `backward` can find its way without you
    """
    slopes = gradients(step, lambda x: square(step, exp(step, square(step, x))), 0.5)
    assert np.isclose(slopes, 2 * np.exp(0.5))


@can((7, WORKS), *GAP)
def differentiates_a_loop(step):
    """differentiates a loop of unknown length

    the backward pass follows the calls that were made, however many there were
    """

    def f(y):
        while y.data < 100:
            y = square(step, y)
        return y

    assert np.isclose(gradients(step, f, 1.1), 64 * 1.1**63)


@can((7, "RecursionError"), (8, WORKS), (11, "TypeError"), (12, MISSING), (13, WORKS))
def differentiates_a_long_chain(step):
    """differentiates a very long chain

    calls that wait for each other fill Python's stack; a to-do list does not
    """
    chain(step, 10_000)  # ten times Python's recursion limit


@can((7, "TypeError"), (9, WORKS), *GAP)
def begins_with_ones(step):
    """starts backward with ones

    the gradient of the output with respect to itself is known before the backward pass
    begins
    """
    x = box(step, 3.0)
    y = square(step, x)
    y.backward()
    assert get_array(x.grad) == 6.0


@can((9, WORKS))
def reads_like_a_formula(step):
    """reads like a formula

    a Python function that makes the function object and calls it saves a pair of
    parentheses
    """
    assert np.isclose(step.square(step.exp(box(step, 0.5))).data, np.e)


@can((2, WRONG), (9, WORKS))
def keeps_results_arrays(step):
    """keeps every result an array

    NumPy turns results without axes into plain numbers
    """
    assert isinstance(square(step, box(step, 3.0)).data, np.ndarray)


@can((1, WRONG), (9, WORKS))
def refuses_what_is_no_array(step):
    """rejects anything but an array

    a mistake is easiest to find where it is made: when the box is filled
    """
    expect_error(lambda: step.Variable(1.0), TypeError)


@can((2, WRONG), (9, WORKS), strict=True)  # the book accepts None from forward
def says_how_a_function_is_used(step):
    """says how a function is used

    a function is created first and called afterwards, and `forward` returns arrays; a
    slip in either deserves a message
    """
    x = box(step, 3.0)
    expect_error(lambda: step.Square(x), TypeError)
    Nothing = derive(step, "Nothing", forward=lambda _, x: None)
    expect_error(lambda: Nothing()(x), TypeError)


@can((10, WORKS), *GAP, strict=True)  # the book's check leaves its gradient behind
def checks_gradients(step):
    """checks its gradients

    a gradient can be compared with a measured slope
    """

    def wrong(factor):
        class Wrong(step.Square):  # type: ignore[misc, name-defined]
            def backward(self, gy):
                return factor * super().backward(gy)

        return lambda x: Wrong()(x)

    def agrees(f, x):
        try:
            with contextlib.redirect_stdout(io.StringIO()):  # hide its report
                return bool(step.gradient_check(f, x))
        except AssertionError:
            return False

    x = box(step, 2.0)
    assert all(agrees(f, x) for f in (step.square, step.square, step.exp))
    assert agrees(step.exp, box(step, 12.0))  # a large truncation error
    assert not any(agrees(wrong(factor), x) for factor in (0.0, 0.999, 1.001, -1.0))
    assert (x.data, x.grad) == (2.0, None)


@can((12, WORKS))
def takes_two_inputs(step):
    """takes two inputs

    a function may get several boxes, and its `forward` several arrays
    """
    assert step.add(box(step, 2.0), box(step, 3.0)).data == 5.0


@can((2, "TypeError"), (12, WORKS))
def gives_two_outputs(step):
    """gives two outputs

    if `forward` returns a tuple, each array in it gets a box of its own
    """
    Swap = derive(step, "Swap", forward=lambda _, x0, x1: (x1, x0))
    first, second = Swap()(box(step, 2.0), box(step, 3.0))
    assert (first.data, second.data) == (3.0, 2.0)


@can((13, WORKS))
def differentiates_two_inputs(step):
    """differentiates two inputs

    a function with two inputs returns two gradients, one for each
    """

    def f(x, y):
        return step.square(step.add(step.square(x), step.square(y)))

    assert gradients(step, f, 2.0, 3.0) == [104.0, 156.0]


# The book accepts too few gradients.
@can((2, "TypeError"), (12, MISSING), (13, WORKS), strict=True)
def notices_a_missing_gradient(step):
    """notices that a gradient is missing

    there must be as many gradients as inputs; `zip` alone stops at the shorter of the
    two
    """
    methods = {"forward": lambda _, x0, x1: x0 + x1, "backward": lambda _, gy: gy}
    y = derive(step, "Forgetful", **methods)()(box(step, 2.0), box(step, 3.0))
    backward(step.square(box(step, 2.0)))  # with one input, one gradient is enough
    expect_error(lambda: backward(y), Exception)


@can((13, WRONG), (14, WORKS))
def uses_a_variable_twice(step):
    """uses a variable twice

    a gradient that arrives must not wipe out an earlier one
    """
    assert gradients(step, lambda x: step.add(x, x), 3.0) == [2.0]
    with contextlib.suppress(TypeError):  # a framework for single numbers
        (of_array,) = gradients(step, lambda x: step.add(x, x), [3.0, 1.0])
        assert of_array.tolist() == [2.0, 2.0]


@can((14, WORKS))
def clears_a_gradient(step):
    """clears a gradient

    a sum has to start from nothing when you compute again
    """
    x = box(step, 3.0)
    for _ in range(2):
        x.cleargrad()
        backward(square(step, x))
    assert get_array(x.grad) == 6.0


@can((13, WRONG), (16, WORKS))
def differentiates_a_diamond(step):
    """differentiates a diamond

    a function is processed once, after everything that uses its output
    """

    def f(x):
        a = step.square(x)
        return step.add(step.square(a), step.square(a))

    assert gradients(step, f, 2.0) == [64.0]


@can((13, WRONG), (16, WORKS))
def waits_for_the_longer_way(step):
    """waits for the longer path

    of two paths from the output, the shorter one has to wait for the longer one
    """

    def f(x):
        a = step.square(x)
        return step.add(step.square(step.square(a)), a)

    assert gradients(step, f, 2.0) == [1028.0]


@can((7, WRONG), (17, WORKS))
def is_freed_without_the_collector(step):
    """is freed without the garbage collector

    two objects that refer to each other are never freed, so one of the two references
    must be weak
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        y = square(step, box(step, 3.0))
        assert y.creator  # without a graph, there is nothing to free
        gone = weakref.ref(y)
        del y
        assert gone() is None
    finally:
        if was_on:
            gc.enable()


@can((18, WORKS))
def runs_without_a_graph(step):
    """runs without a graph (no_grad)

    if you only want the result, there is no need to record how it was computed
    """
    with step.no_grad():
        assert step.square(box(step, 3.0)).creator is None
    with contextlib.suppress(KeyError), step.no_grad():
        raise KeyError("an error ends it, too")
    assert step.square(box(step, 3.0)).creator is not None


@can((7, WRONG), (11, MISSING), (13, WRONG), (18, WORKS))
def gives_gradients_back(step):
    """frees intermediate gradients

    the gradients of intermediate variables are no longer needed once they have been
    passed on
    """
    x = box(step, 3.0)
    a = square(step, x)
    backward(square(step, a))
    assert a.grad is None


@can((19, WORKS))
def shows_itself(step):
    """shows its shape and content

    the box can pass your questions on to its array
    """
    x, y = box(step, [1.0, 2.0]), box(step, [[1.0, 2.0], [3.0, 4.0]])
    assert (y.shape, y.ndim, y.size, len(y)) == ((2, 2), 2, 4, 2)
    assert y.dtype == float
    assert repr(x) == "variable([1. 2.])"
    assert repr(y) == "variable([[1. 2.]\n          [3. 4.]])"


@can((1, "TypeError"), (20, WORKS))
def has_operators(step):
    """multiplies and adds with operators

    Python looks for `__add__` and `__mul__` when it sees + and *
    """
    assert (box(step, 2.0) * box(step, 3.0) + box(step, 1.0)).data == 7.0


@can((1, "TypeError"), (21, WORKS))
def mixes_with_numbers(step):
    """mixes with numbers and arrays

    a number or an array has no history, so put it into a box first; and Python asks the
    left operand before it asks you
    """
    assert (np.array([2.0]) * box(step, 3.0) + 1).data == 7.0


@can((1, "TypeError"), (22, WORKS))
def has_all_operators(step):
    """subtracts, divides, takes powers

    in subtraction and division, it matters which side is which
    """

    def f(x):
        return (1 - x) / x + 4 / x**2 - -x

    assert f(box(step, 2.0)).data == 2.5
    assert gradients(step, f, 2.0) == [-0.25]


@can((1, "TypeError"), (21, WRONG))
def sums_over_broadcast(step):
    """sums a gradient over broadcast axes

    a value that was stretched was used many times, and each use counts
    """
    (gradient,) = gradients(step, lambda x: np.ones(3) * x, 1.0)
    assert gradient.shape == ()


@can((1, "TypeError"), (32, WORKS))
def differentiates_a_gradient(step):
    """differentiates a gradient again

    a gradient is also a computation, and can have a graph of its own
    """
    x = box(step, 2.0)
    (x * x * x).backward(create_graph=True)
    gx = x.grad
    x.cleargrad()
    gx.backward()
    assert get_array(x.grad) == 12.0
    y = step.add(box(step, 1.0), box(step, 2.0))
    y.backward(retain_grad=True, create_graph=True)
    assert isinstance(y.grad, step.Variable)
