"""Step 63: branches in a graph.

At each call, a switch computes a condition, and then only the branch that the condition
chooses. The gradient flows through the same branch.
"""

import threading
from collections.abc import Callable
from functools import reduce
from typing import NamedTuple

import numpy as np

__all__ = [
    "Expression",
    "Function",
    "Op",
    "Shared",
    "Symbol",
    "equal",
    "exp",
    "function",
    "grad",
    "log",
    "logsumexp",
    "matmul",
    "matrix",
    "mean",
    "power",
    "scalar",
    "sigmoid",
    "switch",
    "tanh",
    "total",
    "transpose",
    "vector",
    "zeros_like",
]


# --- Expressions ----------------------------------------------------------------------


class Expression:
    """What to compute, and the result's type: dtype and shape (None: any length)."""

    # With this, NumPy leaves array + expression to Expression.__radd__.
    __array_ufunc__ = None

    def __init__(self, dtype, shape, op=None, inputs=(), name=None):
        self.dtype = np.dtype(dtype)
        self.shape = tuple(shape)
        self.op = op
        self.inputs = tuple(inputs)
        self.name = name

    @property
    def label(self):
        """A short name for messages."""
        return self.name or self.op.name

    def __repr__(self):
        return f"{type(self).__name__}({formula(self)}, {self.dtype}, {self.shape})"

    @property
    def T(self):
        return transpose(self)


class Symbol(Expression):
    """An argument of a function: a name and a type."""

    def __init__(self, name, shape, dtype=float):
        super().__init__(dtype, shape, name=name)


class Constant(Expression):
    """A number or an array in a formula."""

    def __init__(self, value):
        name = str(value) if value.shape == () else "an array"
        super().__init__(value.dtype, value.shape, name=name)
        self.value = value


class Shared(Expression):
    """A value that survives between calls, shared by all functions: a weight, say."""

    def __init__(self, value, name):
        value = as_array(value, name)
        super().__init__(value.dtype, value.shape, name=name)
        self.value = value

    def get_value(self):
        """Return a copy of the value."""
        return self.value.copy()

    def set_value(self, value):
        """Write a new value of the same type."""
        with ONE_AT_A_TIME:
            self.value = accepted(value, self)


def scalar(name, dtype=float):
    return Symbol(name, (), dtype)


def vector(name, length=None, dtype=float):
    return Symbol(name, (length,), dtype)


def matrix(name, rows=None, columns=None, dtype=float):
    return Symbol(name, (rows, columns), dtype)


def formula(x):
    """Describe how x is computed, one level deep, as in ``multiply(w, x)``."""
    return f"{x.op.name}({', '.join(i.label for i in x.inputs)})" if x.op else x.label


def named(x):
    """Describe anything that does not fit, for a message."""
    if isinstance(x, Expression):
        return f"{formula(x)}, which is {x.dtype} {x.shape}"
    return f"type {type(x).__name__}"


def no_value(x, *others, **options):
    raise TypeError(
        f"{formula(x)} has no value before a function runs: use switch(condition, "
        "then, otherwise) instead of if, and equal(a, b) instead of =="
    )


Expression.__bool__ = Expression.__iter__ = Expression.__array__ = no_value
Expression.__eq__ = Expression.__ne__ = no_value


# --- Values ---------------------------------------------------------------------------


def as_array(value, owner):
    """Copy a number or array, as a read-only array."""
    if not isinstance(value, np.ndarray | np.generic | bool | int | float):
        kind = type(value).__name__
        raise TypeError(
            f"{owner} takes a real number or an np.array(...), not type {kind}"
        )
    return frozen(np.array(value))


def frozen(array):
    """Return a read-only view of an array."""
    array = array.view()
    array.flags.writeable = False
    return array


def accepted(value, x):
    """Copy a value as an array of the type of x; raise an error if it does not fit."""
    array = as_array(value, x.label)
    # A bare number takes the precision of x; an array must not lose precision.
    rule = "same_kind" if isinstance(value, bool | int | float) else "safe"
    if not np.can_cast(array.dtype, x.dtype, rule):
        raise TypeError(f"{x.label} takes {x.dtype}, not {array.dtype}")
    if not may_be(array.shape, x.shape):
        raise ValueError(f"{x.label} takes the shape {x.shape}, not {array.shape}")
    return frozen(array.astype(x.dtype, copy=False))


def may_be(shape, other):
    """Return whether two shapes, as far as they are known, can be the same."""
    if len(shape) != len(other):
        return False
    return all(p == q or None in (p, q) for p, q in zip(shape, other, strict=True))


# --- Operations -----------------------------------------------------------------------


class Op(NamedTuple):
    """An operation: a name, a function for arrays, rules for shape and gradients.

    ``gradient(g, y, *inputs)`` makes expressions, given the gradient g of the result y.
    """

    name: str
    compute: Callable
    shape: Callable
    gradient: Callable | None = None


def apply(op, *inputs):
    """Make the expression of an operation; raise an error if the inputs do not fit."""
    inputs = as_expressions(*inputs)
    try:
        shape = op.shape(*(x.shape for x in inputs))
        with np.errstate(all="ignore"):
            # To find the result's dtype, compute with one element.
            tried = op.compute(*(np.ones((1,) * len(x.shape), x.dtype) for x in inputs))
    except (TypeError, ValueError) as error:
        types = ", ".join(f"{x.label} {x.dtype} {x.shape}" for x in inputs)
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{op.name} does not take {types}: {error}") from None
    return Expression(np.asarray(tried).dtype, shape, op, inputs)


def as_expressions(*xs):
    """Return expressions; bare numbers take the dtype of the first expression."""
    dtype = next((x.dtype for x in xs if isinstance(x, Expression)), np.dtype(float))
    return [as_expression(x, dtype) for x in xs]


def as_expression(x, dtype):
    """Return an expression unchanged, or a constant; a bare number gets the dtype."""
    if isinstance(x, Expression):
        return x
    array = as_array(x, "a formula")
    bare = isinstance(x, bool | int | float)
    return Constant(array.astype(np.result_type(dtype, x)) if bare else array)


def same(a):
    return a


def reverse(a):
    return a[::-1]


def broadcast(a, b):
    """Return the shape to which NumPy stretches two shapes."""
    n = max(len(a), len(b))
    shape = []
    for p, q in zip((1,) * (n - len(a)) + a, (1,) * (n - len(b)) + b, strict=True):
        if p != q and None not in (p, q) and 1 not in (p, q):
            raise ValueError(f"{p} and {q} do not broadcast")
        # If one length is unknown and the other is n ≠ 1, the unknown one must turn
        # out to be n or 1.
        shape.append(q if p == 1 or (p is None and q != 1) else p)
    return tuple(shape)


def product(a, b):
    """Return the shape of a matrix product."""
    if len(a) != 2 or len(b) != 2:
        raise ValueError("it needs two matrices")
    if None not in (a[1], b[0]) and a[1] != b[0]:
        raise ValueError(f"{a[1]} columns do not match {b[0]} rows")
    return a[0], b[1]


def second(a, b):
    return b


def last_is_one(a):
    if not a:
        raise ValueError("it needs an axis")
    return *a[:-1], 1


def repeated_to(a, b):
    return np.broadcast_to(a, b.shape).astype(b.dtype)


def add_up_to(a, b):
    """Sum a to the shape and dtype of b: the backward pass of a broadcast."""
    front = a.ndim - b.ndim
    repeated = [front + i for i, n in enumerate(b.shape) if n != a.shape[front + i]]
    return a.sum(axis=(*range(front), *repeated)).reshape(b.shape).astype(b.dtype)


def size_of(a):
    return np.array(a.size, np.result_type(a.dtype, np.float32))


def logistic(a):
    small = np.exp(-np.abs(a))  # never overflows
    return np.where(a >= 0, 1, small) / (1 + small)


def shifted(a):
    largest = a.max(axis=-1, keepdims=True)
    return largest + np.log(np.exp(a - largest).sum(axis=-1, keepdims=True))


ADD = Op("add", np.add, broadcast, lambda g, y, a, b: (g, g))
SUBTRACT = Op("subtract", np.subtract, broadcast, lambda g, y, a, b: (g, -g))
MULTIPLY = Op("multiply", np.multiply, broadcast, lambda g, y, a, b: (g * b, g * a))
DIVIDE = Op("divide", np.divide, broadcast, lambda g, y, a, b: (g / b, -g * y / b))
NEGATE = Op("negate", np.negative, same, lambda g, y, a: (-g,))
EXP = Op("exp", np.exp, same, lambda g, y, a: (g * y,))
LOG = Op("log", np.log, same, lambda g, y, a: (g / a,))
SIGMOID = Op("sigmoid", logistic, same, lambda g, y, a: (g * y * (1 - y),))
TANH = Op("tanh", np.tanh, same, lambda g, y, a: (g * (1 - y * y),))
TRANSPOSE = Op("transpose", np.transpose, reverse, lambda g, y, a: (transpose(g),))
MATMUL = Op("matmul", np.matmul, product, lambda g, y, a, b: (g @ b.T, a.T @ g))
LOGSUMEXP = Op("logsumexp", shifted, last_is_one, lambda g, y, a: (g * exp(a - y),))
SIZE = Op("size", size_of, lambda a: ())
STRETCH = Op("stretch", repeated_to, second, lambda g, y, a, b: (shrink(g, a), None))
SHRINK = Op("shrink", add_up_to, second, lambda g, y, a, b: (stretch(g, a), None))
ZEROS_LIKE = Op("zeros_like", np.zeros_like, same)
GREATER = Op("greater", np.greater, broadcast)
GREATER_EQUAL = Op("greater_equal", np.greater_equal, broadcast)
LESS = Op("less", np.less, broadcast)
LESS_EQUAL = Op("less_equal", np.less_equal, broadcast)
EQUAL = Op("equal", np.equal, broadcast)
NOT = Op("not", np.logical_not, same)
SWITCH = Op("switch", None, None)


Expression.__add__ = lambda a, b: apply(ADD, a, b)
Expression.__radd__ = lambda a, b: apply(ADD, b, a)
Expression.__sub__ = lambda a, b: apply(SUBTRACT, a, b)
Expression.__rsub__ = lambda a, b: apply(SUBTRACT, b, a)
Expression.__mul__ = lambda a, b: apply(MULTIPLY, a, b)
Expression.__rmul__ = lambda a, b: apply(MULTIPLY, b, a)
Expression.__truediv__ = lambda a, b: apply(DIVIDE, a, b)
Expression.__rtruediv__ = lambda a, b: apply(DIVIDE, b, a)
Expression.__matmul__ = lambda a, b: apply(MATMUL, a, b)
Expression.__rmatmul__ = lambda a, b: apply(MATMUL, b, a)
Expression.__neg__ = lambda a: apply(NEGATE, a)
Expression.__pow__ = lambda a, c: power(a, c)
Expression.__gt__ = lambda a, b: apply(GREATER, a, b)
Expression.__ge__ = lambda a, b: apply(GREATER_EQUAL, a, b)
Expression.__lt__ = lambda a, b: apply(LESS, a, b)
Expression.__le__ = lambda a, b: apply(LESS_EQUAL, a, b)


# --- Plain functions to call ----------------------------------------------------------


def exp(a):
    return apply(EXP, a)


def log(a):
    return apply(LOG, a)


def tanh(a):
    return apply(TANH, a)


def sigmoid(a):
    """1 / (1 + e⁻ᵃ), precise even for small results; never overflows."""
    return apply(SIGMOID, a)


def logsumexp(a):
    """log(Σ exp a) along the last axis, kept with length 1; never overflows."""
    return apply(LOGSUMEXP, a)


def matmul(a, b):
    return apply(MATMUL, a, b)


def transpose(a):
    return apply(TRANSPOSE, a)


def power(a, c):
    """Raise a to the power of c, a number."""
    if not isinstance(c, int | float):
        raise TypeError(f"a ** c needs a number for c, not type {type(c).__name__}")

    def gradient(g, y, a):
        # For c = 0, the formula below would compute 0 · a ** −1, which is nan at a = 0.
        return (g * c * a ** (c - 1) if c else None,)

    return apply(Op("power", lambda a: a**c, same, gradient), a)


def total(a, axis=None):
    """Sum all elements, or sum along one axis, which keeps length 1."""

    def compute(a):
        return np.sum(a, axis=axis, keepdims=axis is not None)

    def shape(a):
        if axis is None:
            return ()
        if not -len(a) <= axis < len(a):
            raise ValueError(f"there is no axis {axis}")
        return tuple(1 if i == axis % len(a) else n for i, n in enumerate(a))

    return apply(Op("total", compute, shape, lambda g, y, a: (stretch(g, a),)), a)


def mean(a):
    return total(a) / apply(SIZE, a)


def zeros_like(a):
    return apply(ZEROS_LIKE, a)


def stretch(a, b):
    """Repeat ``a`` to the shape of ``b``."""
    return apply(STRETCH, a, b)


def shrink(a, b):
    """Sum ``a`` to the shape of ``b``; return it unchanged if the types are equal."""
    if a.dtype == b.dtype and a.shape == b.shape and None not in a.shape:
        return a
    return apply(SHRINK, a, b)


def equal(a, b):
    """Compare a and b when a function runs; ``a == b`` would need an answer now."""
    return apply(EQUAL, a, b)


def switch(condition, then, otherwise):
    """Choose ``then`` or ``otherwise`` at each call, and compute only that branch."""
    condition = as_condition(condition)
    then, otherwise = as_expressions(then, otherwise)
    if then.dtype != otherwise.dtype or not may_be(then.shape, otherwise.shape):
        types = f"{named(then)}, and {named(otherwise)}"
        raise TypeError(f"a switch needs branches of one dtype and shape, not {types}")
    pairs = zip(then.shape, otherwise.shape, strict=True)
    shape = [p if p == q else None for p, q in pairs]
    return Expression(then.dtype, shape, SWITCH, (condition, then, otherwise))


def as_condition(x):
    """Return x as one truth value; a whole number is true if it is not 0."""
    x = as_expression(x, np.dtype(bool))
    if x.shape != () or x.dtype.kind not in "biu":
        raise TypeError(f"switch needs one truth value, as in x > 0, not {named(x)}")
    return x if x.dtype == bool else apply(NOT, equal(x, 0))


# --- Functions ------------------------------------------------------------------------


def function(inputs, outputs, updates=()):
    """Make a function from the values of symbols to one output, or to a list.

    ``updates`` are pairs (shared variable, new value), computed from the old values.
    """
    inputs = list(inputs) if isinstance(inputs, list | tuple) else [inputs]
    several = isinstance(outputs, list | tuple)
    outputs = [as_expression(y, float) for y in (outputs if several else [outputs])]
    pairs = updates.items() if isinstance(updates, dict) else updates
    updates = [(target, as_update(target, new)) for target, new in pairs]
    check_signature(inputs, outputs, updates)
    return Function(inputs, outputs, updates, several)


def as_update(target, new):
    """Return the new value of a shared variable as an expression; check its type."""
    if not isinstance(target, Shared):
        raise TypeError(f"only shared variables can be updated, not {named(target)}")
    new = as_expression(new, target.dtype)
    right_dtype = np.can_cast(new.dtype, target.dtype, "safe")
    if not right_dtype or not may_be(new.shape, target.shape):
        kind = f"{target.dtype} {target.shape}"
        raise TypeError(f"{target.label} is {kind} and cannot take {named(new)}")
    return new


def check_signature(inputs, outputs, updates):
    """Raise an error, when a function is made, if its calls could not work."""
    for x in inputs:
        if not isinstance(x, Symbol):
            raise TypeError(
                f'an input must be a symbol, as in scalar("x"), not {named(x)}'
            )
    named_so_far = set()
    for x in [*inputs, *(target for target, _ in updates)]:
        if x in named_so_far:
            raise ValueError(f"{x.label} is named twice")
        named_so_far.add(x)
    needed = inputs_first([*outputs, *(new for _, new in updates)])
    for x in needed:
        if isinstance(x, Symbol) and x not in named_so_far:
            users = [user for user in needed if any(x is i for i in user.inputs)]
            needed_by = five(map(formula, users)) or "an output"
            raise ValueError(
                f"{x.label}, needed by {needed_by}, is not among the inputs"
            )


def five(words):
    """Join the first five words, for a message."""
    words = list(words)
    return ", ".join(words[:5]) + ", …" * (len(words) > 5)


def inputs_first(targets):
    """List the targets and all that they depend on, inputs first, without recursion."""
    order, seen, stack = [], set(), [(x, False) for x in reversed(targets)]
    while stack:
        x, inputs_done = stack.pop()
        if inputs_done:
            order.append(x)
        elif x not in seen:
            seen.add(x)
            stack.append((x, True))
            stack += [(i, False) for i in reversed(x.inputs)]
    return order


# Two calls at once would read the same old values, and one update would be lost.
ONE_AT_A_TIME = threading.RLock()


class Function:
    """A function from arrays to arrays; ``ran`` lists what its last call computed."""

    def __init__(self, inputs, outputs, updates, several):
        self.inputs = inputs
        self.outputs = outputs
        self.updates = updates
        self.several = several
        self.targets = [*outputs, *(new for _, new in updates)]
        self.ran = []

    def __call__(self, *arguments):
        with ONE_AT_A_TIME:
            values = self.taken_in(arguments)
            self.ran = run(self.targets, values)
            self.write(values)
        results = [np.array(values[y]) for y in self.outputs]
        return results if self.several else results[0]

    def taken_in(self, arguments):
        """Check the arguments, and return the inputs' values."""
        given, wanted = len(arguments), len(self.inputs)
        if given != wanted:
            names = ", ".join(x.label for x in self.inputs)
            advice = "; pass them one by one" * (given < wanted)
            raise TypeError(
                f"wrong number of arguments: {given}, not {wanted} ({names}){advice}"
            )
        pairs = zip(self.inputs, arguments, strict=True)
        return {x: accepted(value, x) for x, value in pairs}

    def write(self, values):
        """Check that all new values can be written, then write them."""
        new_values = [accepted(values[new], target) for target, new in self.updates]
        for (target, _), value in zip(self.updates, new_values, strict=True):
            target.value = value

    def __repr__(self):
        takes = ", ".join(x.label for x in self.inputs)
        writes = ", ".join(target.label for target, _ in self.updates)
        returns = ", ".join(y.label for y in self.outputs)
        return f"Function({takes} -> {returns}{f'; {writes}' if writes else ''})"


def run(targets, values):
    """Compute expressions into ``values``, each at most once; return them in order."""
    ran, stack = [], list(reversed(targets))
    while stack:
        x = stack[-1]
        asked = [] if x in values else asks(x, values)
        waits_for = [i for i in asked if i not in values]
        if waits_for:
            stack += reversed(waits_for)
            continue
        stack.pop()
        if x not in values:
            values[x] = computed(x, values)
            if x.op:
                ran.append(x)
    return ran


def asks(x, values):
    """List the inputs that x needs: for a switch, the condition, then one branch."""
    if x.op != SWITCH:
        return x.inputs
    condition, then, otherwise = x.inputs
    if condition not in values:
        return [condition]
    return [then if values[condition] else otherwise]


def computed(x, values):
    if x.op is None:
        return x.value
    arrays = [values[i] for i in asks(x, values)]
    if x.op == SWITCH:
        return arrays[0]
    try:
        return frozen(np.asarray(x.op.compute(*arrays)))
    except ValueError as error:
        raise ValueError(why_not(x, arrays, error)) from None


def why_not(x, arrays, error):
    if "read-only" in str(error):
        return f"{formula(x)} writes into its input: let it make a new array"
    pairs = zip(x.inputs, arrays, strict=True)
    shapes = ", ".join(f"{i.label} {a.shape}" for i, a in pairs)
    return f"{formula(x)} cannot be computed from the shapes {shapes}: {error}"


# --- Gradients ------------------------------------------------------------------------


def grad(cost, wrt):
    """Build the gradient of a single number with respect to an expression or a list."""
    several = isinstance(wrt, list | tuple)
    wrt = list(wrt) if several else [wrt]
    order = inputs_first([cost]) if isinstance(cost, Expression) else []
    check_gradient(cost, wrt, set(order))
    depends = set(wrt)
    for x in order:
        if not depends.isdisjoint(x.inputs):
            depends.add(x)

    # The gradients that reached each expression, with their conditions (None: always).
    arrived = {cost: [(Constant(np.array(1, cost.dtype)), None)]}
    for x in reversed(order):
        if x in depends and x in arrived:
            arrived[x] = [collected(x, arrived[x])]
            for i, g, given in handed_on(x, *arrived[x][0]):
                if i in depends and g is not None and i.dtype.kind == "f":
                    arrived.setdefault(i, []).append((shrink(g, i), given))
    found = [
        or_zeros(x, *arrived[x][0]) if x in arrived else zeros_like(x) for x in wrt
    ]
    return found if several else found[0]


def check_gradient(cost, wrt, order):
    if not isinstance(cost, Expression) or cost.shape != () or cost.dtype.kind != "f":
        raise TypeError(f"only a single real number has a gradient, not {named(cost)}")
    for x in wrt:
        if not isinstance(x, Expression) or x.dtype.kind != "f":
            raise TypeError(
                f"a gradient is with respect to real numbers, not {named(x)}"
            )
        if x not in order:
            raise ValueError(f"{formula(cost)} does not depend on {x.label}")


def handed_on(x, g, given):
    """List triples of input, gradient and condition that an expression passes on."""
    if x.op == SWITCH:
        yes, then, otherwise = x.inputs
        return [
            (then, g, both(given, yes)),
            (otherwise, g, both(given, apply(NOT, yes))),
        ]
    if x.op is None or x.op.gradient is None:
        return []
    gradients = x.op.gradient(g, x, *x.inputs)
    return [(i, gi, given) for i, gi in zip(x.inputs, gradients, strict=True)]


def collected(x, arrived):
    """Sum the gradients that reached an expression; return sum and condition."""
    conditions = list(dict.fromkeys(given for _, given in arrived))
    if len(conditions) == 1:
        return reduce(lambda a, b: a + b, [g for g, _ in arrived]), conditions[0]
    g = reduce(lambda a, b: a + b, [or_zeros(x, g, given) for g, given in arrived])
    always = any(given is None for given in conditions)
    return g, None if always else reduce(either, conditions)


def or_zeros(x, g, given):
    return g if given is None else switch(given, g, zeros_like(x))


def both(a, b):
    """a and b; if a is false, b is not computed, because its branch is not taken."""
    return b if a is None else switch(a, b, False)


def either(a, b):
    return switch(a, True, b)
