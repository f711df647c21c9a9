"""What a framework of the course can do, found out by trying.

Tried on every snapshot for the table in docs/capabilities.md, and in the workshop on
what a learner has written.
"""

import contextlib
import gc
import io
import weakref
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

WORKS = "works"
MISSING = "AttributeError"
WRONG = "AssertionError"


@dataclass
class Capability:
    """Something that a framework can do.

    ``history`` says what trying gives, as pairs (first step, outcome); an outcome holds
    until the next pair. It is WORKS, or the name of the error that a lesson speaks of;
    WRONG is a wrong answer. ``idea`` is what someone has not seen yet whose framework
    cannot do it. ``quick`` tries the same on something smaller.
    """

    name: str
    probe: Callable[..., None]
    history: list[tuple[int, str]]
    idea: str
    quick: Callable[..., None] | None = None

    @property
    def short_probe(self):
        """For one who waits for the answer."""
        return self.quick or self.probe

    def expected(self, number):
        """What trying gives at a step."""
        return [outcome for first, outcome in self.history if first <= number][-1]

    def learned_at(self, number):
        """The step, up to this one, from which on it works."""
        return [n for n, outcome in self.history if n <= number and outcome == WORKS][
            -1
        ]


SIGNS = {WORKS: "✓", MISSING: "·", WRONG: "wrong", "TimeoutError": "too slow"}


def tried(probe, framework):
    """Try a probe on a framework: WORKS, or the name of the error."""
    try:
        probe(framework)
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
    return gradient.data if hasattr(gradient, "creator") else gradient


def square(step, x):
    """As each step would write it: with the plain function where there is one."""
    return step.square(x) if hasattr(step, "square") else step.Square()(x)


def exp(step, x):
    return step.exp(x) if hasattr(step, "exp") else step.Exp()(x)


# --- Stage 1 --------------------------------------------------------------------------


def holds_an_array(step):
    array = np.array([1.5, 2.5])
    assert step.Variable(array).data is array


def applies_a_function(step):
    class Thrice(step.Function):  # type: ignore[misc, name-defined]
        def forward(self, x):
            return [3 * x[0]] if isinstance(x, list) else 3 * x

    assert square(step, box(step, 3.0)).data == 9.0
    x = box(step, 2.0)
    try:
        y = Thrice()(x)
    except TypeError:  # step 11 has lists
        y = Thrice()([x])[0]
    assert (y.data, x.data) == (6.0, 2.0)


def chains_functions(step):
    assert np.isclose(
        square(step, exp(step, square(step, box(step, 0.5)))).data, np.exp(0.5)
    )


def measures_a_derivative(step):
    for f, at, slope in ((square, 2.0, 4.0), (exp, 1.0, np.e)):
        x = box(step, at)
        found = step.numerical_diff(lambda x, f=f: f(step, x), x)
        assert np.isclose(found, slope)
        assert x.data == at


def differentiates_a_function(step):
    f = step.Square()
    if hasattr(step, "square"):
        f = step.square(box(step, 3.0)).creator
    else:
        f(box(step, 3.0))
    assert plain(f.backward(np.array(1.0))) == 6.0


def begins_without_a_gradient(step):
    assert box(step, 3.0).grad is None


def leads_back_to_its_input(step):
    x = box(step, 3.0)
    y = square(step, x)
    f = y.creator
    several = hasattr(f, "inputs")
    (before,), (after,) = (f.inputs, f.outputs) if several else ([f.input], [f.output])
    assert before is x
    assert (after() if isinstance(after, weakref.ref) else after) is y


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


def differentiates_a_long_chain(step, length=100_000):
    class AddOne(step.Function):  # type: ignore[misc, name-defined]
        def forward(self, x):
            return x + 1

        def backward(self, gy):
            return gy

    x = box(step, 0.0)
    y = x
    for _ in range(length):
        y = AddOne()(y)
    backward(y)
    assert plain(x.grad) == 1.0


def differentiates_a_shorter_chain(step):
    """Still ten times what Python's stack holds."""
    differentiates_a_long_chain(step, 10_000)


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


def says_how_a_function_is_used(step):
    class Nothing(step.Function):  # type: ignore[misc, name-defined]
        def forward(self, x):
            pass

    said = []
    for slip in (lambda x: step.Square(x), lambda x: Nothing()(x)):
        try:
            slip(box(step, 3.0))
        except TypeError as error:
            said.append(str(error))
    assert len(said) == 2
    assert any(word in said[1] for word in ("forward", "Nothing", "array"))


def checks_gradients(step):
    def wrong(factor):
        class Wrong(step.Square):  # type: ignore[misc, name-defined]
            def backward(self, gy):
                return factor * super().backward(gy)

        return lambda x: Wrong()(x)

    def found(f, x):
        try:
            with contextlib.redirect_stdout(io.StringIO()):  # the package says where
                return bool(step.gradient_check(f, x))
        except AssertionError:
            return False

    x = box(step, 2.0)
    assert all(found(f, x) for f in (step.square, step.square, step.exp))
    assert found(step.exp, box(step, 12.0))  # large, and so is the truncation error
    assert not any(found(wrong(factor), x) for factor in (0.0, 0.999, 1.001, -1.0))
    assert (x.data, x.grad) == (2.0, None)


# --- Stage 2 --------------------------------------------------------------------------


def takes_two_inputs(step):
    assert step.add(box(step, 2.0), box(step, 3.0)).data == 5.0


def gives_two_outputs(step):
    class Swap(step.Function):  # type: ignore[misc, name-defined]
        def forward(self, x0, x1):
            return x1, x0

    first, second = Swap()(box(step, 2.0), box(step, 3.0))
    assert (first.data, second.data) == (3.0, 2.0)


def differentiates_two_inputs(step):
    x, y = box(step, 2.0), box(step, 3.0)
    backward(step.add(step.square(x), step.square(y)))
    assert (plain(x.grad), plain(y.grad)) == (4.0, 6.0)


def notices_a_missing_gradient(step):
    # In the package's own way; the book's may leave gradients out.
    rule = "vjp" if hasattr(step.Function, "vjp") else "backward"
    methods = {
        "forward": lambda self, x0, x1: x0 + x1,
        rule: lambda self, *given: given[-1],
    }
    Forgetful = type("Forgetful", (step.Function,), methods)
    y = Forgetful()(box(step, 2.0), box(step, 3.0))
    assert hasattr(y, "backward")
    noticed = False
    try:
        backward(y)
    except Exception:
        noticed = True
    assert noticed


def uses_a_variable_twice(step):
    x = box(step, 3.0)
    backward(step.add(x, x))
    assert plain(x.grad) == 2.0


def clears_a_gradient(step):
    x = box(step, 3.0)
    for _ in range(2):
        x.cleargrad()
        backward(square(step, x))
    assert plain(x.grad) == 6.0


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
    x, y = box(step, [1.0, 2.0]), box(step, [[1.0, 2.0], [3.0, 4.0]])
    assert (y.shape, y.ndim, y.size, len(y)) == ((2, 2), 2, 4, 2)
    assert y.dtype == float
    assert repr(x) == "variable([1. 2.])"
    assert repr(y) == "variable([[1. 2.]\n          [3. 4.]])"


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
    Capability(
        "holds an array",
        holds_an_array,
        [(1, WORKS)],
        idea="what goes into the box can be taken out of it as `data`",
    ),
    Capability(
        "applies a function to a variable",
        applies_a_function,
        [(1, MISSING), (2, WORKS)],
        idea=(
            "a function opens the box, computes with the array, and puts the "
            "result into a new box"
        ),
    ),
    Capability(
        "puts functions in a row",
        chains_functions,
        [(1, MISSING), (3, WORKS)],
        idea="what comes out of one function can go into the next",
    ),
    Capability(
        "measures a derivative",
        measures_a_derivative,
        [(1, MISSING), (4, WORKS)],
        idea=(
            "a derivative is a slope between two points that lie close together, "
            "one on each side"
        ),
    ),
    Capability(
        "begins without a gradient",
        begins_without_a_gradient,
        [(1, MISSING), (6, WORKS)],
        idea="`grad` is `None` as long as nobody has computed a gradient",
    ),
    Capability(
        "differentiates one function",
        differentiates_a_function,
        [(1, MISSING), (6, WORKS), *GAP],
        idea=(
            "a function remembers its input, and `backward` multiplies the "
            "gradient that comes in by its derivative there"
        ),
    ),
    Capability(
        "leads from a result back to its input",
        leads_back_to_its_input,
        [(1, MISSING), (7, WORKS)],
        idea=(
            "a box knows the function that made it, and the function knows the boxes "
            "that went in and came out"
        ),
    ),
    Capability(
        "differentiates a chain by itself",
        differentiates_a_chain,
        [(1, MISSING), (7, WORKS), *GAP],
        idea=(
            "each box knows the function that made it, so the way back can be "
            "found without you"
        ),
    ),
    Capability(
        "differentiates a loop of unknown length",
        differentiates_a_loop,
        [(1, MISSING), (7, WORKS), *GAP],
        idea="the way back follows the calls that were made, however many they were",
    ),
    Capability(
        "differentiates a very long chain",
        differentiates_a_long_chain,
        [
            (1, MISSING),
            (7, "RecursionError"),
            (8, WORKS),
            (11, "TypeError"),
            (12, MISSING),
            (13, WORKS),
        ],
        idea=(
            "calls that wait for each other fill Python's stack; a list of what "
            "is still to do does not"
        ),
        quick=differentiates_a_shorter_chain,
    ),
    Capability(
        "begins backward with ones",
        begins_with_ones,
        [(1, MISSING), (7, "TypeError"), (9, WORKS), *GAP],
        idea=(
            "the gradient of the output with respect to itself is known before "
            "the walk begins"
        ),
    ),
    Capability(
        "reads like a formula",
        reads_like_a_formula,
        [(1, MISSING), (9, WORKS)],
        idea=(
            "a function that makes the function object and calls it saves a pair "
            "of parentheses"
        ),
    ),
    Capability(
        "keeps every result an array",
        keeps_results_arrays,
        [(1, MISSING), (2, WRONG), (9, WORKS)],
        idea="NumPy turns the result of an array without axes into a plain number",
    ),
    Capability(
        "rejects anything but an array",
        refuses_what_is_no_array,
        [(1, WRONG), (9, WORKS)],
        idea=(
            "a mistake is easiest to find where it is made: in the box, when it "
            "is filled"
        ),
    ),
    Capability(
        "says how a function is used",
        says_how_a_function_is_used,
        [(1, MISSING), (2, WRONG), (9, WORKS), (11, WRONG), (12, WORKS)],
        idea=(
            "a function is made first and called afterwards, and `forward` returns "
            "arrays; a slip in either deserves a message"
        ),
    ),
    Capability(
        "checks its gradients",
        checks_gradients,
        [(1, MISSING), (10, WORKS), *GAP],
        idea="a gradient can be compared with a slope that was measured",
    ),
    Capability(
        "takes two inputs",
        takes_two_inputs,
        [(1, MISSING), (12, WORKS)],
        idea="a function may get several boxes, and its `forward` several arrays",
    ),
    Capability(
        "gives two outputs",
        gives_two_outputs,
        [(1, MISSING), (2, "TypeError"), (12, WORKS)],
        idea="what `forward` returns as a tuple comes out as several boxes",
    ),
    Capability(
        "differentiates two inputs",
        differentiates_two_inputs,
        [(1, MISSING), (13, WORKS)],
        idea="a function with two inputs hands back two gradients, one for each",
    ),
    Capability(
        "notices that a gradient is missing",
        notices_a_missing_gradient,
        [(1, MISSING), (2, "TypeError"), (12, WORKS), (13, WORKS)],
        idea=(
            "as many gradients have to come back as there were inputs; `zip` alone "
            "stops at the shorter of two"
        ),
    ),
    Capability(
        "uses a variable twice",
        uses_a_variable_twice,
        [(1, MISSING), (13, WRONG), (14, WORKS)],
        idea="a gradient that arrives must not wipe out the one that was there before",
    ),
    Capability(
        "clears a gradient",
        clears_a_gradient,
        [(1, MISSING), (14, WORKS)],
        idea="what adds itself up has to begin at nothing when you compute again",
    ),
    Capability(
        "differentiates a diamond",
        differentiates_a_diamond,
        [(1, MISSING), (13, WRONG), (16, WORKS)],
        idea=(
            "a function has its turn once, when all that uses its output has had "
            "its turn"
        ),
    ),
    Capability(
        "waits for the longer way",
        waits_for_the_longer_way,
        [(1, MISSING), (13, WRONG), (16, WORKS)],
        idea="of two ways from the output, the shorter one has to wait for the longer",
    ),
    Capability(
        "is freed without the garbage collector",
        is_freed_without_the_collector,
        [(1, MISSING), (2, WORKS), (7, WRONG), (17, WORKS)],
        idea=(
            "two objects that hold each other are never free: one of the two "
            "links has to be weak"
        ),
    ),
    Capability(
        "runs without a graph (no_grad)",
        runs_without_a_graph,
        [(1, MISSING), (18, WORKS)],
        idea=(
            "if you only want the result, there is no need to record how it came about"
        ),
    ),
    Capability(
        "lets go of the gradients in between",
        gives_gradients_back,
        [(1, MISSING), (7, WRONG), *GAP_WRONG, (18, WORKS)],
        idea=(
            "the gradients of the variables in between have done their work when "
            "they were handed on"
        ),
    ),
    Capability(
        "shows its shape and content",
        shows_itself,
        [(1, MISSING), (19, WORKS)],
        idea="what you ask of the box, the box can ask of its array",
    ),
    Capability(
        "multiplies and adds with signs",
        has_operators,
        [(1, "TypeError"), (20, WORKS)],
        idea="Python looks for `__add__` and `__mul__` when it sees + and *",
    ),
    Capability(
        "mixes with numbers and arrays",
        mixes_with_numbers,
        [(1, "TypeError"), (21, WORKS)],
        idea=(
            "a number or an array has no past: put it into a box first; and on "
            "the left of a sign, Python asks it before it asks you"
        ),
    ),
    Capability(
        "subtracts, divides, takes powers",
        has_all_operators,
        [(1, "TypeError"), (22, WORKS)],
        idea="with minus and division it matters which side is which",
    ),
    Capability(
        "sums a gradient over broadcast axes",
        sums_over_broadcast,
        [(1, "TypeError"), (21, WRONG)],
        idea=(
            "a value that was stretched has taken part many times, and each time counts"
        ),
    ),
    Capability(
        "differentiates a gradient again",
        differentiates_a_gradient,
        [(1, "TypeError"), (32, WORKS)],
        idea="a gradient is a computation, too, and can have a graph of its own",
    ),
]
