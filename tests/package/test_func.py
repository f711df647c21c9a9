"""Function transforms: jvp, vjp, grad, hvp, jacobian and vmap, compared with
differences, loops and torch.func.
"""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dezero_lite.functions as F
from dezero_lite import Function, Variable, no_grad, test_mode
from dezero_lite.func import grad, hvp, jacobian, jvp, jvp_rules, vjp, vmap
from dezero_lite.gradcheck import gradient_check
from dezero_lite.layers.recurrent import LSTMStep
from tests.support.arrays import assert_close
from tests.support.needs import needs

RNG = np.random.default_rng(0)
BATCH = 5  # no other axis has this length


def random(*shape):
    return RNG.normal(size=shape)


class Cube(Function):
    """A user's function, without a rule for either transform."""

    def forward(self, x):
        return x**3

    def backward(self, gy):
        return 3 * self.inputs[0] ** 2 * gy


class SumAndProduct(Function):
    def forward(self, a, b):
        return a + b, a * b

    def backward(self, gs, gp):
        a, b = self.inputs
        return gs + gp * b, gs + gp * a


def elementwise(x):
    y = F.sin(x) * F.gelu(x) + F.abs(x) / 3 - F.sigmoid(x) ** 2 + F.exp(F.tanh(x))
    y = y + F.relu(x) + F.leaky_relu(x) + F.clip(x, -0.5, 0.5) + F.cos(-x)
    y = y * F.softplus(x)
    return y + F.sqrt(F.abs(x) + 1) + F.log(F.abs(x) + 1)


def reduced(x):
    y = x.sum(0) + F.mean(x, axis=0) * F.max(x, axis=-2) + x.min()
    y = y + F.logsumexp(x, axis=0) + F.sum(x, (0, 1))
    y = x.sum(1, keepdims=True) * F.softmax(x, axis=-1) + y
    return F.log_softmax(y, axis=0) + x.sum((0, -1), keepdims=True)


def moved(x):
    y = F.transpose(x.reshape(2, -1), (1, 0)) * x.T.reshape(6, 2)
    y = y + F.squeeze(F.expand_dims(x, 1), 1).reshape(6, 2) * F.flatten(x).reshape(6, 2)
    return F.pad(y, ((1, 0), (0, 2)), 2.0)


def indexed(x):
    y = x[1:, ::2] * x[0, 0] + x[..., -1][None, :2].T
    return (
        y + x[[0, 0, 1], [1, 2, 3]][:2, None] + x[np.array([True, False, True])][:, :2]
    )


def joined(a, b):
    y = F.concat([a, b * b, a], axis=1)
    first, second = F.split(y, 2, axis=1)
    return F.stack([first, second], axis=-1) * F.stack(list(first), axis=0)[..., None]


def lstm(x, W):
    h = c = np.zeros((3, 2))
    for _ in range(2):
        h, c = LSTMStep()(x, h, c, W[:4], W[4:6], W[6])
    return h * c


def images(x, W, b):
    y = F.conv2d(x, W, b, stride=2, pad=1)
    return F.pooling(y, 2, 1) * F.average_pooling(y, 2, 1)


# Each with the shapes of its arguments, for one example.
PROGRAMS = {
    "elementwise": (elementwise, [(3, 4)]),
    "operators": (
        lambda a, b: a * b + F.maximum(a, b) - F.minimum(a, b) / (b * b + 1),
        [(3, 4), (4,)],
    ),
    "powers": (lambda a, b: a - b + (a * a + 1) ** b, [(4,), (3, 1)]),
    "where": (lambda a, b: F.where(a > b, a * a, F.sin(b)), [(4,), (3, 1)]),
    "where with numbers": (lambda a, b: F.where(a > 0, 1.0, b), [(3, 4), (4,)]),
    "where of a mask": (
        lambda a: F.where(np.arange(4) > 1, a, a * a),
        [(3, 4)],
    ),
    "reduced": (reduced, [(3, 4)]),
    "sum_to": (
        lambda a: F.sum_to(a, (3, 1)) * F.broadcast_to(F.sum_to(a, (4,)), (3, 4)),
        [(3, 4)],
    ),
    "moved": (moved, [(3, 4)]),
    "transposed": (
        lambda a: a.transpose(2, 0, 1) * F.transpose(a, (-1, 0, -2)),
        [(2, 3, 4)],
    ),
    "indexed": (indexed, [(3, 4)]),
    "an index on each side": (lambda a: a[0, :, [1, 2]] ** 2, [(2, 3, 4)]),
    "joined": (joined, [(3, 4), (3, 2)]),
    "matrix, matrix": (F.matmul, [(3, 4), (4, 2)]),
    "matrix, vector": (F.matmul, [(3, 4), (4,)]),
    "vector, matrix": (F.matmul, [(4,), (4, 3)]),
    "vector, vector": (F.matmul, [(4,), (4,)]),
    "matrices, matrix": (F.matmul, [(2, 3, 4), (4, 2)]),
    "matrix, matrices": (F.matmul, [(3, 4), (6, 4, 2)]),
    "linear": (F.linear, [(3, 4), (4, 2), (2,)]),
    "linear without a bias": (F.linear, [(3, 4), (4, 2)]),
    "linear of a vector": (F.linear, [(4,), (4, 2), (2,)]),
    "layer_norm": (F.layer_norm, [(3, 4), (4,), (4,)]),
    "batch_norm": (
        lambda x, g, b: F.batch_norm(x, g, b, np.zeros(4), np.ones(4)),
        [(3, 4), (4,), (4,)],
    ),
    "batch_norm of images": (
        lambda x, g: F.batch_norm(x, g, np.ones(2), np.zeros(2), np.ones(2)),
        [(3, 2, 4, 1), (2,)],
    ),
    "lstm": (lstm, [(3, 4), (7, 8)]),
    "mean_squared_error": (F.mean_squared_error, [(3, 4), (3, 4)]),
    "sigmoid_cross_entropy": (
        lambda x, t: F.sigmoid_cross_entropy(x, F.sigmoid(t)),
        [(3, 4), (3, 4)],
    ),
    "sigmoid_cross_entropy of answers": (
        lambda x: F.sigmoid_cross_entropy(x, np.array([1, 0, 1])),
        [(3, 1)],
    ),
    "binary_cross_entropy": (
        lambda p, t: F.binary_cross_entropy(F.sigmoid(p), F.sigmoid(t)),
        [(3, 4), (3, 4)],
    ),
    "simple functions": (
        lambda x: (
            F.softmax_simple(F.sigmoid_simple(x))
            + F.softmax_cross_entropy_simple(x, np.array([1, 3, 0]))
            + F.mean_squared_error_simple(x, np.ones((3, 4)))
        ),
        [(3, 4)],
    ),
    "attention": (
        lambda q, k, v: F.attention(q, k, v, F.causal_mask(3)),
        [(2, 3, 4), (2, 3, 4), (2, 3, 6)],
    ),
    "images": (images, [(2, 3, 7, 6), (4, 3, 3, 2), (4,)]),
    "groups": (lambda x, W: F.conv2d(x, W, groups=2), [(2, 4, 6, 3), (4, 2, 3, 2)]),
    "deconv2d": (
        lambda x, W, b: F.deconv2d(x, W, b, stride=2, pad=1),
        [(2, 3, 4, 3), (3, 4, 3, 3), (4,)],
    ),
    "im2col": (lambda x: F.im2col(x, 2, 1, 1), [(2, 3, 4, 6)]),
}
PROGRAM = pytest.mark.parametrize("name", PROGRAMS)


# --- one example ----------------------------------------------------------------------

# Functions with no rule for tangents, or only with their vjp.
WITHOUT_BATCHES = {
    "cube": (lambda x: Cube()(x), [(3, 4)]),
    "softmax_cross_entropy": (
        lambda x: F.softmax_cross_entropy(x, np.array([1, 3, 0])),
        [(3, 4)],
    ),
}


@pytest.mark.parametrize("name", [*PROGRAMS, *WITHOUT_BATCHES])
def test_jvp_is_a_difference_and_fits_vjp(name):
    f, shapes = (PROGRAMS | WITHOUT_BATCHES)[name]
    xs, vs = [random(*s) for s in shapes], [random(*s) for s in shapes]
    y, ty = jvp(f, xs, vs)
    eps = 1e-6
    with no_grad():
        up, down = [
            f(*[Variable(x + e * v) for x, v in zip(xs, vs, strict=True)]).data
            for e in (eps, -eps)
        ]
    assert_close(ty.data, (up - down) / (2 * eps), rtol=1e-4, atol=1e-6)
    # gy · (J v) = (gy J) · v
    y_again, pull = vjp(f, *xs)
    gy = random(*y.shape)
    gxs = pull(gy)
    assert_close(y.data, y_again.data)
    assert_close(
        (gy * ty.data).sum(),
        sum((g.data * v).sum() for g, v in zip(gxs, vs, strict=True)),
    )


@pytest.mark.parametrize("name", PROGRAMS)
def test_transposing_twice_gives_what_the_rules_give(name, monkeypatch):
    f, shapes = PROGRAMS[name]
    xs, vs = [random(*s) for s in shapes], [random(*s) for s in shapes]
    _, by_rules = jvp(f, xs, vs)
    monkeypatch.setattr(jvp_rules, "RULES", {})
    _, by_vjp = jvp(f, xs, vs)
    assert_close(by_rules.data, by_vjp.data)


@pytest.mark.parametrize("name", [*PROGRAMS, "cube"])
def test_hvp_is_the_difference_of_gradients(name):
    f, shapes = (PROGRAMS | WITHOUT_BATCHES)[name]
    xs, vs = [random(*s) for s in shapes], [random(*s) for s in shapes]
    weights = random(*f(*map(Variable, xs)).shape)
    slope = grad(lambda *xs: (f(*xs) * weights).sum(), tuple(range(len(xs))))
    found = hvp(lambda *xs: (f(*xs) * weights).sum(), xs, vs)
    eps = 1e-6
    up, down = [
        slope(*[x + e * v for x, v in zip(xs, vs, strict=True)]) for e in (eps, -eps)
    ]
    for h, g, before in zip(found, up, down, strict=True):
        assert_close(h.data, (g.data - before.data) / (2 * eps), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", PROGRAMS)
def test_back_over_forward_is_forward_over_back(name):
    f, shapes = PROGRAMS[name]
    xs, vs = [random(*s) for s in shapes], [random(*s) for s in shapes]
    weights, every = random(*f(*map(Variable, xs)).shape), tuple(range(len(xs)))
    found = grad(lambda *xs: (jvp(f, xs, vs)[1] * weights).sum(), every)(*xs)
    right = hvp(lambda *xs: (f(*xs) * weights).sum(), xs, vs)
    for g, h in zip(found, right, strict=True):
        assert_close(g.data, h.data)


def test_derivatives_of_every_order_either_way():
    up = {
        "forward": lambda f: lambda x: jvp(f, (x,), (np.array(1.0),))[1],
        "back": grad,
    }
    for ways in itertools.product(up, repeat=3):
        f = lambda x: F.sin(x) * x**2
        for way in ways:
            f = up[way](f)
        x = 0.7
        third = 6 * np.cos(x) - x**2 * np.cos(x) - 6 * x * np.sin(x)
        assert f(np.array(x)).item() == pytest.approx(third), ways


@pytest.mark.parametrize("kept", [0, 1])
def test_without_a_rule_and_with_an_output_dropped(kept):
    a, b = np.array([2.0, 3.0]), np.array([5.0, 7.0])
    _, ty = jvp(lambda *xs: SumAndProduct()(*xs)[kept], (a, b), (a, 2 * b))
    assert ty.data.tolist() == [(a + 2 * b).tolist(), (3 * a * b).tolist()][kept]


# --- a user's backward that leaves the graph ------------------------------------------


class Own(Function):
    def __init__(self, forward, slope):
        self.forward, self.slope = forward, slope

    def backward(self, gy):
        return self.slope(self.inputs[0], gy)


class SavedCube(Function):
    def forward(self, x):
        self.x = x
        return x**3

    def backward(self, gy):
        return 3 * self.x**2 * gy


class OwnExp(Function):
    def forward(self, x):
        return np.exp(x)

    def backward(self, gy):
        return gy * self.outputs[0]()


def own(f, slope):
    return lambda x: Own(f, slope)(x)


# Named after what backward computes with; "arrays" also leaves out the graph of gy.
CUBES = {
    "data": own(lambda x: x**3, lambda x, gy: 3 * x.data**2 * gy),
    "saved": lambda x: SavedCube()(x),
    "arrays": own(lambda x: x**3, lambda x, gy: 3 * x.data**2 * gy.data),
}
SECOND = {
    "hvp": lambda f: lambda x: hvp(lambda x: f(x).sum(), x, np.ones(3)),
    "grad of grad": lambda f: grad(lambda x: grad(lambda x: (2 * f(x)).sum())(x).sum()),
    "grad of jvp": lambda f: grad(lambda x: jvp(f, x, np.ones(3))[1].sum()),
    "jacobian of jacobian": lambda f: (
        lambda x: jacobian(lambda x: jacobian(f, x, "reverse"), x)
    ),
    "a product": lambda f: grad(lambda x: grad(lambda x: (x * f(x)).sum())(x).sum()),
    "gradient_check": lambda f: lambda x: gradient_check(f, Variable(x)),
}
POINT = np.array([0.0, 1.0, 2.0])


@pytest.mark.parametrize("name", CUBES)
@pytest.mark.parametrize("way", SECOND)
def test_a_missing_second_order_is_no_silent_zero(way, name):
    f = CUBES[name]
    what = "second-order gradient"
    if (way, name) == ("grad of jvp", "arrays"):
        what = "forward derivative"
    with pytest.warns(UserWarning, match=f"{what} is missing"):
        SECOND[way](f)(POINT)


# Their second derivatives are 0, or have a graph.
RIGHT = {
    "linear": own(lambda x: 3 * x, lambda x, gy: 3 * gy),
    "a constant": own(lambda x: 3 * x, lambda x, gy: np.full(3, 3.0) * gy),
    "a corner at 0": own(lambda x: x * (x > 0), lambda x, gy: gy * (x.data > 0)),
    "steps": own(np.sign, lambda x, gy: Variable(np.zeros(3))),
    "by Variables": lambda x: Cube()(x),
    "by the output": lambda x: OwnExp()(x),
}


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("way", [way for way in SECOND if way != "gradient_check"])
def test_a_right_second_order_is_not_accused(way, name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SECOND[way](RIGHT[name])(POINT)


def test_only_what_is_asked_for_can_be_missing():
    cube, one = CUBES["data"], np.ones(3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert jvp(cube, POINT, one)[1].data.tolist() == [0, 3, 12]
        assert grad(lambda x: cube(x).sum())(POINT).data.tolist() == [0, 3, 12]
        # w² x³: twice with respect to w, and once each to x and w
        twice = hvp(lambda w: (w**2 * cube(Variable(POINT))).sum(), one, one)
        assert twice.data.tolist() == [0, 2, 16]
        once = lambda w: grad(lambda x: (w**2 * cube(x)).sum())(POINT).sum()
        assert grad(once)(one).data.tolist() == [0, 6, 24]
        _, pull = vjp(cube, POINT)
        rows = vmap(lambda gy: pull(gy)[0])(np.eye(3))
        assert rows.data.tolist() == np.diag([0, 3, 12]).tolist()


def test_nothing_is_left_behind():
    x, w = Variable(np.array(2.0)), Variable(np.array(3.0))
    with no_grad():
        assert jvp(lambda x: w * x * x, (x,), (np.array(1.0),))[1].item() == 12
        assert jvp(lambda x: Cube()(x), (x,), (np.array(1.0),))[1].item() == 12
        assert grad(lambda x: w * x * x)(x).item() == 12
        assert grad(lambda x: w * x * x)(x).creator is None
    assert x.grad is w.grad is None
    grad(lambda x: w * x * x)(x).backward()
    assert (x.grad.item(), w.grad.item()) == (6, 4)


@pytest.mark.parametrize(
    ("argnums", "right"), [(-1, 12), (-2, 9), ((0, -1), (9, 12)), (np.int64(1), 12)]
)
def test_negative_argnums_count_from_the_last(argnums, right):
    found = grad(lambda a, b: a * b * b, argnums)(np.array(2.0), np.array(3.0))
    numbers = [g.item() for g in found] if isinstance(found, tuple) else [found.item()]
    assert numbers == list(np.ravel(right))


@pytest.mark.parametrize("mode", ["forward", "reverse", None])
def test_jacobian(mode):
    W, x, calls = random(4, 2), random(3, 4), []
    J = jacobian(lambda x: calls.append(x) or F.tanh(x @ W), x, mode)
    assert len(calls) == 1 + 12 * (mode == "forward")
    if mode is None:  # few inputs
        jacobian(lambda x: calls.append(x) or F.stack([x] * 5), x[0, :1], mode)
        assert len(calls) == 3
    assert J.shape == (3, 2, 3, 4)
    y = np.tanh(x @ W)
    right = np.einsum("ij,kj,il->ijlk", 1 - y**2, W, np.eye(3))
    assert_close(J.data, right)


# --- every example --------------------------------------------------------------------


def over(f, axes, *args):
    """Compute what vmap should return, with a loop over the examples."""

    def at(k):
        pairs = zip(args, axes, strict=True)
        return f(*[x if i is None else np.take(x, k, i) for x, i in pairs])

    return np.stack([at(k).data for k in range(BATCH)])


def batches(shapes, axes):
    return [
        random(*s) if i is None else np.moveaxis(random(BATCH, *s), 0, i)
        for s, i in zip(shapes, axes, strict=True)
    ]


def all_axes(shapes):
    choices = itertools.product([0, None, -1], repeat=len(shapes))
    return [axes for axes in choices if set(axes) != {None}]


@PROGRAM
def test_vmap_is_a_loop(name):
    f, shapes = PROGRAMS[name]
    for axes in all_axes(shapes):
        args = batches(shapes, axes)
        assert_close(vmap(f, axes)(*args).data, over(f, axes, *args))


@PROGRAM
def test_gradients_inside_vmap_are_those_of_each_example(name):
    f, shapes = PROGRAMS[name]
    n = len(shapes)
    weights = random(*f(*[Variable(random(*s)) for s in shapes]).shape)
    score = lambda *xs: (f(*xs) * weights).sum()
    for axes in all_axes(shapes):
        args, vs = batches(shapes, axes), batches(shapes, axes)
        for k, g in enumerate(vmap(grad(score, tuple(range(n))), axes)(*args)):
            assert_close(g.data, over(grad(score, k), axes, *args))
        forward = lambda *zs: jvp(f, zs[:n], zs[n:])[1]
        second = lambda *zs: hvp(score, zs[:n], zs[n:])[0]
        for each in (forward, second):
            found = vmap(each, axes * 2)(*args, *vs)
            assert_close(found.data, over(each, axes * 2, *args, *vs))


@PROGRAM
def test_gradients_of_vmap_are_those_of_the_loop(name):
    f, shapes = PROGRAMS[name]
    for axes in all_axes(shapes):
        args = [Variable(x) for x in batches(shapes, axes)]
        once, pull = vjp(vmap(f, axes), *args)

        def loop(*args, f=f, axes=axes):
            pairs = list(zip(args, axes, strict=True))
            at = lambda x, i, k: x[(slice(None),) * (i % x.ndim) + (k,)]
            return F.stack(
                [
                    f(*[x if i is None else at(x, i, k) for x, i in pairs])
                    for k in range(BATCH)
                ]
            )

        gy = random(*once.shape)
        for found, right in zip(pull(gy), vjp(loop, *args)[1](gy), strict=True):
            assert_close(found.data, right.data)


def test_running_averages_are_those_of_a_loop():
    x, f = random(BATCH, 3, 4), lambda x, a: F.batch_norm(x, np.ones(4), np.ones(4), *a)
    ours, loops = [(np.zeros(4), np.ones(4)) for _ in range(2)]
    vmap(lambda x: f(x, ours))(x)
    for example in x:
        f(example, loops)
    assert_close(ours[0], loops[0])
    assert_close(ours[1], loops[1])
    with test_mode():
        found = vmap(lambda x: f(x, ours))(x)
        assert_close(found.data, over(lambda x: f(x, loops), (0,), x))
    assert_close(ours[0], loops[0])


def test_indices_and_labels_that_differ_between_examples():
    x, t = random(BATCH, 7), RNG.integers(7, size=BATCH)
    axes = (0, 0)
    picked = lambda x, t: F.log_softmax(x, axis=0)[t]
    assert_close(vmap(picked)(x, t).data, over(picked, axes, x, t))
    for entropy in (F.softmax_cross_entropy, F.softmax_cross_entropy_simple):
        loss = lambda x, t, entropy=entropy: entropy(x.reshape(1, -1), t.reshape(1, 1))
        assert_close(vmap(loss)(x, t).data, over(loss, axes, x, t))
        assert_close(vmap(grad(loss))(x, t).data, over(grad(loss), axes, x, t))
        with pytest.raises(ValueError, match="labels go from 0 to 6"):
            vmap(loss)(x, t + 7)
    for answers in (x > 0, (x > 0).astype(int)):
        loss = F.sigmoid_cross_entropy
        assert_close(vmap(loss)(x, answers).data, over(loss, axes, x, answers))
    W, ids = Variable(random(9, 4)), RNG.integers(9, size=(BATCH, 3))
    words = lambda W, ids: (F.embed_id(ids, W) ** 2).sum() + W[ids, 2].sum()
    for f in (words, grad(words)):
        assert_close(vmap(f, (None, 0))(W, ids).data, over(f, (None, 0), W, ids))
    with pytest.raises(TypeError, match="with slices: transpose"):
        vmap(lambda i: W[:, i])(ids)


# --- random programs, against torch.func ----------------------------------------------

OPERATIONS = [
    lambda lib, x, y: x + y,
    lambda lib, x, y: x * y,
    lambda lib, x, y: x - y / 2,
    lambda lib, x, y: lib.tanh(x @ y),
    lambda lib, x, y: lib.sin(x),
    lambda lib, x, y: lib.tanh(x) ** 2,
    lambda lib, x, y: x.T.reshape(9)[2:5] + y,
    lambda lib, x, y: lib.softmax(x, 1) + y,
    lambda lib, x, y: lib.maximum(x, y),
    lambda lib, x, y: lib.where(x > y, x * x, y),
    lambda lib, x, y: lib.stack([x[0], y[1], x[:, 2]]),
    lambda lib, x, y: x.sum(0) + y,
]
PLACES = st.integers(0, 9)
STEPS = st.lists(
    st.tuples(st.sampled_from(OPERATIONS), PLACES, PLACES), min_size=1, max_size=8
)


def program(lib, steps):
    """A function of two 3 × 3 matrices, with the functions of `lib`."""

    def f(a, b):
        made = [a, b]
        for operation, i, j in steps:
            made.append(operation(lib, made[i % len(made)], made[j % len(made)]))
        return lib.tanh(made[-1] / 3)

    return f


@settings(max_examples=40, deadline=None)
@given(STEPS, st.integers(0, 2**32 - 1))
def test_random_programs_against_loops(steps, seed):
    f, rng = program(F, steps), np.random.default_rng(seed)
    a, b, va, vb = rng.normal(size=(4, BATCH, 3, 3))
    score = lambda a, b: (f(a, b) ** 2).sum()

    def each(a, b, va, vb):
        (y, ty), g = jvp(f, (a, b), (va, vb)), grad(score)(a, b)
        return F.stack([y, ty, g, *hvp(score, (a, b), (va, vb))])

    found = vmap(each)(a, b, va, vb)
    assert_close(found.data, over(each, (0,) * 4, a, b, va, vb))


@needs("torch")
@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
@settings(max_examples=60, deadline=None)
@given(STEPS, st.integers(0, 2**32 - 1))
def test_random_programs_against_torch(steps, seed):
    import torch
    from torch import func

    rng = np.random.default_rng(seed)
    arrays = rng.normal(size=(4, BATCH, 3, 3))

    def results(f, jvp, grad, vmap, like):
        score = lambda a, b: (f(a, b) ** 2).sum()
        gradient = grad(score, (0, 1))
        a, b, va, vb = [like(array) for array in arrays]
        yield from vmap(lambda *z: jvp(f, z[:2], z[2:]))(a, b, va, vb)
        yield from vmap(gradient)(a, b)
        yield from vmap(lambda *z: jvp(gradient, z[:2], z[2:])[1])(a, b, va, vb)
        yield from jvp(vmap(gradient), (a, b), (va, vb))[1]

    found = results(program(F, steps), jvp, grad, vmap, Variable)
    right = results(program(torch, steps), func.jvp, func.grad, func.vmap, torch.tensor)
    for mine, other in zip(found, right, strict=True):
        assert_close(mine.data, other.numpy(), rtol=1e-8, atol=1e-10)
