"""The table of capabilities from step 33 on, which the workshop tries on the learner's
package.
"""

import contextlib
import io
import itertools
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from ..capabilities import (
    WORKS,
    Capability,
    backward,
    box,
    can,
    derive,
    expect_error,
    expect_unchanged,
)

CAPABILITIES: list[Capability] = []
IN_THE_GRAPH = (
    "is all in backward computed with variables? `.data`, and NumPy's functions, leave "
    "the graph"
)


def since(step, strict=False):
    """Add the decorated function to the table, as a row that works from a step on."""
    return can((step, WORKS), table=CAPABILITIES, strict=strict)


def numbers(*shape):
    """Return an array of distinct numbers between 0.5 and 2, the same in every run."""
    return np.random.default_rng(0).uniform(0.5, 2.0, shape)


def has_values_and_gradients(step, f, wanted, *arguments):
    """Check the values of a function against those of ``wanted``, which takes arrays,
    and its gradients against small differences, to second order. Arrays of floats are
    passed as Variables, and all other arguments unchanged.
    """
    moves = lambda x: isinstance(x, np.ndarray) and x.dtype.kind == "f"
    xs = [box(step, x) if moves(x) else x for x in arguments]
    y = f(*xs)
    assert isinstance(y, step.Variable)
    boxes = [isinstance(x, step.Variable) for x in xs]
    expect_unchanged(
        itertools.compress(xs, boxes), itertools.compress(arguments, boxes)
    )
    value, right = y.data, wanted(*arguments)
    assert np.shape(value) == np.shape(right)
    assert np.allclose(value, right)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        # Squared, so that linear functions also have a second derivative.
        agrees = step.gradient_check(lambda *xs: f(*xs) ** 2, *xs)
    if not agrees:
        why = " ".join(said.getvalue().split()).removeprefix("gradient_check failed: ")
        if why.startswith("the second"):
            why += f" ({IN_THE_GRAPH})"
        raise AssertionError(why)


@since(33, strict=True)  # the book accepts any shape
def refuses_gradients_that_do_not_fit(step):
    """rejects gradients that do not fit

    the backward pass checks each gradient before adding it: a gradient has the shape of
    its variable, and an integer has none
    """
    Sloppy = derive(
        step, "Sloppy", forward=lambda _, x: x, backward=lambda _, gy: gy[:1]
    )
    y = Sloppy()(box(step, [1.0, 2.0]))
    expect_error(lambda: backward(y), Exception)
    Empty = derive(step, "Empty", forward=lambda _, x: x, backward=lambda _, gy: None)
    y = Empty()(box(step, [1.0, 2.0]))
    expect_error(lambda: backward(y), Exception)
    y = step.square(box(step, [1, 2]))
    expect_error(lambda: backward(y), Exception)


@since(33, strict=True)  # with NumPy 2, the book's arrays of one element widen it
def keeps_float32(step):
    """keeps float32 beside a number

    a plain number has no dtype of its own, and takes that of the other operand
    """
    x = step.Variable(np.ones(2, np.float32))
    results = x + 2.0, 2.0 * x, x - 2.0, 2.0 - x, x / 2.0, 2.0 / x
    dtypes = {str(y.dtype) for y in results}
    assert dtypes == {"float32"}
    values = [y.data[0].item() for y in results]
    assert values == [3.0, 2.0, -1.0, 1.0, 0.5, 2.0]


@since(34)
def differentiates_the_sine(step):
    """differentiates the sine twice

    the derivative of the sine is the cosine of the same x, computed with variables
    """
    has_values_and_gradients(step, step.sin, np.sin, numbers(3))


@since(34)
def differentiates_the_cosine(step):
    """differentiates the cosine twice

    the derivative of the cosine is minus the sine
    """
    has_values_and_gradients(step, step.cos, np.cos, numbers(3))


@since(35)
def differentiates_tanh(step):
    """differentiates tanh twice

    the derivative of tanh is 1 − y², where y is the function's own output, a variable
    """
    has_values_and_gradients(step, step.tanh, np.tanh, numbers(3))


@since(36)
def differentiates_the_logarithm(step):
    """differentiates the logarithm twice

    the derivative of the logarithm is 1 / x
    """
    has_values_and_gradients(step, step.log, np.log, numbers(3))


@since(38)
def differentiates_reshape(step):
    """differentiates a change of shape

    the gradient goes back to the shape of x
    """
    has_values_and_gradients(step, step.reshape, np.reshape, numbers(2, 3), (3, 2))


@since(38)
def differentiates_transpose(step):
    """differentiates a change of axes

    in the backward pass, each axis returns to its place: the inverse of the order
    """
    x = numbers(2, 3, 2)
    for axes in (None, (2, 0, 1), (-1, 0, 1)):
        has_values_and_gradients(step, step.transpose, np.transpose, x, axes)


@since(39, strict=True)  # the book lacks tuples of axes
def differentiates_sums(step):
    """differentiates sums over axes

    each number that was summed gets the gradient of its sum
    """
    for how in ({}, {"axis": 0}, {"axis": (0, 2)}, {"axis": -1, "keepdims": True}):
        ours, wanted = partial(step.sum, **how), partial(np.sum, **how)
        has_values_and_gradients(step, ours, wanted, numbers(2, 3, 2))
    x = step.Variable(np.ones(2, np.float32))
    backward(step.sum(x))
    assert x.grad.dtype == np.float32


@since(40)
def differentiates_broadcast_to(step):
    """differentiates broadcasting

    a number that was copied gets the sum of the gradients of its copies
    """
    f, wanted = step.broadcast_to, np.broadcast_to
    has_values_and_gradients(step, f, wanted, numbers(3, 1), (2, 3, 2))


@since(40)
def differentiates_sum_to(step):
    """differentiates a sum to a shape

    sum over the axes that broadcasting would add or stretch
    """
    wanted = lambda x, shape: x.sum(axis=(0, 2)).reshape(shape)
    has_values_and_gradients(step, step.sum_to, wanted, numbers(2, 3, 2), (3, 1))


@since(40)
def stretches_its_operands(step):
    """broadcasts the operands of + − · /

    the four operators stretch their operands first, and the backward pass sums
    """
    f = lambda x, b: (x + b) * b / (x - 3 * b)
    has_values_and_gradients(step, f, f, numbers(2, 3), numbers(3))


@since(41, strict=True)  # the book lacks stacks of matrices
def differentiates_matrix_products(step):
    """differentiates matrix products

    the gradient of x is gy · Wᵀ, and that of W is xᵀ · gy: the shapes tell you
    """
    has_values_and_gradients(step, step.matmul, np.matmul, numbers(2, 3), numbers(3, 4))
    stack = numbers(2, 2, 3)
    has_values_and_gradients(step, step.matmul, np.matmul, stack, numbers(3, 2))


@since(42, strict=True)  # the book accepts targets of the wrong shape
def measures_squared_errors(step):
    """measures mean squared errors

    squared differences, added up, and divided by the number of examples
    """
    wanted = lambda x, t: ((x - t) ** 2).sum() / len(x)
    arrays = numbers(4, 2), numbers(4, 2)[::-1].copy()
    has_values_and_gradients(step, step.mean_squared_error, wanted, *arrays)
    y, t = box(step, numbers(4, 1)), box(step, numbers(4))
    expect_error(lambda: step.mean_squared_error(y, t), ValueError)


@since(43, strict=True)  # the book accepts a bias of the wrong shape
def computes_a_layer(step):
    """computes x · W + b

    a matrix product, plus a vector that is added to each of its rows
    """
    wanted = lambda x, W, b: x @ W + b
    arrays = numbers(2, 3), numbers(3, 4), numbers(4)
    has_values_and_gradients(step, step.linear, wanted, *arrays)
    has_values_and_gradients(step, step.linear, np.matmul, *arrays[:2])
    x, W, b = (box(step, array) for array in (*arrays[:2], numbers(2, 4)))
    expect_error(lambda: step.linear(x, W, b), ValueError)


@since(43)
def differentiates_the_sigmoid(step):
    """differentiates the sigmoid

    the derivative of the sigmoid is y · (1 − y)
    """
    wanted = lambda x: 1 / (1 + np.exp(-x))
    has_values_and_gradients(step, step.sigmoid, wanted, numbers(3) - 1)
    with np.errstate(over="raise"):
        far = step.sigmoid(box(step, [-1000.0, 1000.0])).data
    assert far.tolist() == [0.0, 1.0]


@since(44, strict=True)  # the book lacks layers in lists
def finds_parameters(step):
    """finds its parameters, each once and in order

    a layer looks through its attributes, and asks any layers among them
    """
    outer, inner = step.Layer(), step.Layer()
    inner.a, inner.b, other, p = [step.Parameter(np.array(1.0)) for _ in range(4)]
    outer.first, outer.layers, outer.again = inner, [step.Layer()], inner
    outer.layers[0].c, outer.p = other, p
    wanted = [inner.a, inner.b, other, p]
    assert [id(p) for p in outer.params()] == [id(p) for p in wanted]
    if hasattr(outer, "named_params"):
        names = [name for name, _ in outer.named_params()]
        assert names == ["first/a", "first/b", "layers/0/c", "p"]


@since(44, strict=True)  # with NumPy 2, the book's scale of W widens it
def learns_sizes_from_its_input(step):
    """learns the size of its input from the first one

    without `in_size`, W is created when the layer is first called
    """
    layer, x = step.Linear(2, dtype=np.float64), numbers(4, 3)
    y = layer(box(step, x))
    assert layer.W.shape == (3, 2)
    assert np.allclose(y.data, x @ layer.W.data + layer.b.data)
    backward(y)
    assert layer.b.grad.data.tolist() == [4.0, 4.0]
    layer.cleargrads()
    assert [p.grad for p in layer.params()] == [None, None]
    assert [p.dtype for p in step.Linear(2, in_size=3).params()] == [np.float32] * 2


@since(45)
def puts_layers_in_a_row(step):
    """chains layers

    the output of one layer is the input of the next; each is an attribute, so that its
    parameters are found
    """
    layers = [step.Linear(4, in_size=3), step.Linear(2, in_size=4)]
    model, x = step.Sequential(layers[0], step.sigmoid, layers[1]), numbers(5, 3)
    wanted = layers[1](step.sigmoid(layers[0](box(step, x))))
    assert np.allclose(model(box(step, x)).data, wanted.data)
    assert len(list(model.params())) == 4


@since(45)
def makes_a_network(step):
    """makes a network from sizes

    linear layers with the activation between them, but not after the last one
    """
    model, x = step.MLP((4, 2)), box(step, numbers(5, 3))
    y = model(x)
    first, last = model.layers
    assert np.allclose(y.data, last(step.sigmoid(first(x))).data)
    assert {p.shape for p in model.params()} == {(3, 4), (4,), (4, 2), (2,)}


def layer_of_one(step):
    """Return a layer with one parameter."""
    layer = step.Layer()
    layer.p = step.Parameter(np.array([1.0]))
    return layer


def updated(step, optimizer, gradients, layer=None):
    """Return a parameter that begins at 1, after updates with these gradients."""
    layer = layer or layer_of_one(step)
    layer.p.data = np.array([1.0])
    optimizer.setup(layer)
    for gradient in gradients:
        layer.p.grad = box(step, [gradient])
        optimizer.update()
    return layer.p.data.item()


def begins_anew(step, make):
    """Return whether an optimizer ignores what an earlier one noted for the same
    parameter.
    """
    layer = layer_of_one(step)
    updated(step, make(), [2.0], layer)
    found, wanted = updated(step, make(), [3.0], layer), updated(step, make(), [3.0])
    return np.isclose(found, wanted)


@since(46)
def goes_downhill(step):
    """goes downhill (SGD)

    subtract its gradient, times the learning rate, from each parameter
    """
    assert np.isclose(updated(step, step.SGD(lr=0.1), [2.0, 3.0]), 0.5)


@since(46)
def goes_on_rolling(step):
    """keeps rolling (MomentumSGD)

    the previous step, slightly shortened, is added to the new one
    """
    optimizer = step.MomentumSGD(lr=0.1, momentum=0.5)
    assert np.isclose(updated(step, optimizer, [2.0, 3.0]), 1 - 0.2 - (0.1 + 0.3))
    assert begins_anew(step, step.MomentumSGD)


@since(46)
def begins_with_a_step_of_alpha(step):
    """takes a first step of size alpha (Adam)

    the moving averages start at 0, and dividing makes up for that: the first step has
    the size alpha, whatever the gradient
    """
    for gradient in (5.0, -0.01):
        found = updated(step, step.Adam(alpha=0.1), [gradient])
        assert np.isclose(found, 1 - 0.1 * np.sign(gradient), atol=1e-5)
    m, v = 0.9 * 0.5 + 0.1 * 1.0, 0.999 * 0.025 + 0.001 * 1.0
    second = 0.1 * (m / (1 - 0.9**2)) / np.sqrt(v / (1 - 0.999**2))
    found = updated(step, step.Adam(alpha=0.1), [5.0, 1.0])
    assert np.isclose(found, 0.9 - second, rtol=1e-4)
    assert begins_anew(step, step.Adam)


@since(47)
def differentiates_items(step):
    """differentiates items

    an item that was taken twice gets both gradients, and the others get 0
    """
    for items in (np.array([0, 2, 2]), (slice(None), 1)):
        wanted = lambda x, items: x[items]
        has_values_and_gradients(step, step.get_item, wanted, numbers(3, 2), items)


def shares(x, axis=1):
    return np.exp(x) / np.exp(x).sum(axis=axis, keepdims=True)


@since(47)
def makes_shares_of_scores(step):
    """turns scores into shares (softmax)

    exp of each score, divided by their sum; adding the same number to all scores
    changes nothing, so large ones can be made small first
    """
    for axis in (1, 0):
        has_values_and_gradients(step, step.softmax, shares, numbers(2, 3), axis)
    x = box(step, [[1000.0, 1000.0]])
    found = step.softmax(x).data
    assert np.allclose(found, 0.5)


@since(47)
def measures_surprise(step):
    """measures surprise (cross-entropy)

    minus the logarithm of the right class's share, on average
    """
    labels = np.array([0, 2])
    f = step.softmax_cross_entropy
    wanted = lambda x, labels: -np.log(shares(x)[[0, 1], labels]).mean()
    has_values_and_gradients(step, f, wanted, numbers(2, 3), labels)
    far = f(box(step, [[0.0, 0.0, -1000.0], [0.0, 0.0, -1000.0]]), labels)
    assert np.isclose(far.data, 500 + np.log(2))


def letters(step):
    """Return a Dataset class with five pairs."""

    def prepare(self):
        self.data, self.label = np.arange(5.0), np.arange(5) % 2

    return type("Letters", (step.Dataset,), {"prepare": prepare})


@since(49, strict=True)  # the book lacks slices of datasets
def holds_examples(step):
    """holds examples, and returns them by index

    a data set has a length and an index; `transform` is applied to an example when it
    is asked for
    """
    data = letters(step)(transform=lambda x: 10 * x, target_transform=lambda t: -t)
    length, (x, t) = len(data), data[3]
    assert length == 5
    assert (x, t) == (30.0, -1)
    xs, ts = data[1:3]
    assert xs.tolist() == [10.0, 20.0]
    assert ts.tolist() == [-1, 0]


@since(50)
def counts_right_answers(step):
    """counts right answers

    the answer is the class with the highest score
    """
    scores = box(step, [[0.1, 0.9], [0.8, 0.2], [0.3, 0.7], [0.6, 0.4]])
    assert step.accuracy(scores, np.array([1, 0, 0, 0])).data == 0.75


@since(50)
def hands_out_batches(step):
    """hands out batches, the last one shorter

    each example comes once per epoch, and each epoch has a new order
    """
    loader = step.DataLoader(letters(step)(), 2)
    passes = [[x.tolist() for x, _ in loader] for _ in range(4)]
    sizes = [len(batch) for batch in passes[0]]
    assert sizes == [2, 2, 1]
    if hasattr(loader, "__len__"):
        assert len(loader) == 3
    assert (loader.dataset is not None, loader.batch_size) == (True, 2)
    orders = [[x for batch in batches for x in batch] for batches in passes]
    first = sorted(orders[0])
    assert first == [0.0, 1.0, 2.0, 3.0, 4.0]
    different = len({tuple(order) for order in orders})
    assert different > 1
    in_order = step.DataLoader(letters(step)(), 3, shuffle=False)
    found = [x.tolist() for x, _ in in_order]
    assert found == [[0.0, 1.0, 2.0], [3.0, 4.0]]


@since(51)
def differentiates_relu(step):
    """differentiates a bend (ReLU)

    where x is above 0 the gradient passes; elsewhere it does not
    """
    x = numbers(3, 2) - 1.2
    has_values_and_gradients(step, step.relu, lambda x: np.maximum(x, 0), x)


@since(53, strict=True)  # the book accepts weights of another network
def saves_its_weights(step):
    """saves its weights under their names

    what has a name can be found again in the file; a file that does not fit changes
    nothing
    """
    one, other = step.MLP((4, 2)), step.MLP((4, 2))
    x = box(step, numbers(5, 3))
    y, _ = one(x), other(x)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "weights.npz"
        # In the book, they are methods of a layer.
        owner = step if hasattr(step, "save_weights") else step.Layer
        save, load = owner.save_weights, owner.load_weights
        save(one, path)
        load(other, path)
        assert np.array_equal(other(x).data, y.data)
        expect_error(lambda: save(step.Linear(2), path))
        new = step.MLP((4, 2))  # its input size comes from the file
        load(new, path)
        assert np.array_equal(new(x).data, y.data)
        for sizes in ((4,), (4, 2, 3), (5, 2)):
            model = step.MLP(sizes)
            before = model(x).data
            expect_error(partial(load, model, path))
            assert np.array_equal(model(x).data, before), (
                "a file that does not fit has changed the model"
            )


@since(54)
def drops_out(step):
    """drops out in training only

    what is kept grows by as much as is lost on average, and in test mode everything is
    kept
    """
    x = step.Variable(np.ones(1000, np.float32))
    y = step.dropout(x, 0.2)
    kept = np.mean(y.data > 0)
    assert 0.7 < kept < 0.9
    assert np.allclose(y.data[y.data > 0], 1.25)
    backward(y)
    assert np.allclose(x.grad.data, y.data)
    assert y.dtype == np.float32
    with step.test_mode():
        assert np.array_equal(step.dropout(x, 0.2).data, x.data)


def stops(x, size, stride, pad, border=0.0):
    """Yield the part of the images in the window, for each position of the window."""
    (kh, kw), (sh, sw), (ph, pw) = [np.broadcast_to(n, 2) for n in (size, stride, pad)]
    x = np.pad(x, ((0, 0), (0, 0), (ph, ph), (pw, pw)), constant_values=border)
    for i in range(0, x.shape[2] - kh + 1, sh):
        for j in range(0, x.shape[3] - kw + 1, sw):
            yield x[:, :, i : i + kh, j : j + kw]


@since(57)
def sees_through_a_window(step):
    """sees through a window (im2col)

    one row per stop of the window; in the backward pass, a pixel gets the sum over all
    windows that saw it
    """
    x = numbers(1, 2, 3, 3)
    wanted = lambda *how: np.vstack([*map(np.ravel, stops(*how))])
    for window in ((2, 1, 0), (2, 2, 1), ((2, 1), (1, 2), (0, 1))):
        has_values_and_gradients(step, step.im2col, wanted, x, *window)
        rows = wanted(x, *window)
        col = numbers(*rows.shape)
        back = step.col2im(box(step, col), x.shape, *window).data
        assert back.shape == x.shape
        # col2im is the transpose of im2col, so both inner products are equal.
        along_pixels, along_rows = np.sum(back * x), np.sum(col * rows)
        assert np.isclose(along_pixels, along_rows)


@since(57, strict=True)  # the book's second derivative raises an error or is wrong
def convolves(step):
    """convolves images

    the windows as rows, times the kernels as columns
    """

    def wanted(x, W, b, stride, pad):
        seen = [np.tensordot(s, W, ((1, 2, 3),) * 2) for s in stops(x, 2, stride, pad)]
        side = int(len(seen) ** 0.5)
        y = np.reshape(seen, (side, side, len(x), len(W))).transpose(2, 3, 0, 1)
        return y + b.reshape(1, -1, 1, 1)

    arrays = numbers(2, 2, 3, 3), numbers(3, 2, 2, 2), numbers(3)
    for stride, pad in ((1, 0), (2, 1)):
        has_values_and_gradients(step, step.conv2d, wanted, *arrays, stride, pad)
    layer = step.Conv2d(3, kernel_size=2, dtype=np.float64)
    y = layer(box(step, arrays[0])).data
    right = wanted(arrays[0], layer.W.data, layer.b.data, 1, 0)
    assert np.allclose(y, right)
    # The initial weights are smaller for larger kernels, so that outputs stay near 1.
    wide = step.Conv2d(20, kernel_size=3)
    wide(box(step, numbers(1, 20, 3, 3)))
    spread = wide.W.data.std() * np.sqrt(20 * 3 * 3)
    assert 0.4 < spread < 2


@since(57, strict=True)  # the book pads with zeros, which may be the largest
def keeps_the_largest(step):
    """keeps the largest in each window (pooling)

    the gradient goes to the largest pixel, which is never on the padded border
    """

    def wanted(x):
        seen = [s.max(axis=(2, 3)) for s in stops(x, 2, 2, 1, -np.inf)]
        return np.reshape(seen, (2, 2, *x.shape[:2])).transpose(2, 3, 0, 1)

    f = partial(step.pooling, kernel_size=2, stride=2, pad=1)
    has_values_and_gradients(step, f, wanted, numbers(1, 2, 3, 3) - 1)


@since(58)
def normalizes_batches(step):
    """normalizes each channel over its batch

    in training, use the mean and the variance of the batch, and remember them; in test
    mode, use what was remembered
    """
    x = numbers(6, 2, 2, 2)
    mean, var = x.mean(axis=(0, 2, 3)), x.var(axis=(0, 2, 3))
    shaped = lambda a: a.reshape(1, -1, 1, 1)
    wanted = lambda x: (x - shaped(mean)) / np.sqrt(shaped(var) + 2e-5)
    layer = step.BatchNorm()
    y = layer(box(step, x)).data
    assert np.allclose(y, wanted(x))
    remembered = layer.avg_mean.data, layer.avg_var.data
    assert np.allclose(remembered[0], 0.1 * mean)
    assert np.allclose(remembered[1], 0.9 + 0.1 * var * 24 / 23)
    with step.test_mode():
        y = layer(box(step, x)).data
    mean, var = remembered
    assert np.allclose(y, wanted(x))


@since(58, strict=True)  # the book's second derivative raises an error or is wrong
def differentiates_normalizing(step):
    """differentiates normalizing twice

    the mean and the variance also depend on x
    """
    f = lambda x, g, b: step.batch_norm(x, g, b, np.zeros(2), np.ones(2), eps=0.1)
    normal = lambda x: (x - x.mean(axis=0)) / np.sqrt(x.var(axis=0) + 0.1)
    wanted = lambda x, g, b: normal(x) * g + b
    has_values_and_gradients(step, f, wanted, numbers(3, 2), numbers(2), numbers(2))


def remembers(step, layer, wanted):
    """Check that a recurrent layer continues from its state until it is reset, and that
    gradients flow back through its steps.
    """
    xs = numbers(3, 2, 3)
    found = [layer(box(step, x)) for x in xs]
    right = wanted(xs)
    for h, one in zip(found, right, strict=True):
        assert np.allclose(h.data, one)
    layer.reset_state()
    again = layer(box(step, xs[0])).data
    assert np.allclose(again, right[0])
    layer.reset_state()
    x = box(step, xs[0])
    for one in (x, *xs[1:]):
        h = layer(one)
    backward(h)
    assert x.grad.shape == x.shape
    without = sum(p.grad is None for p in layer.params())
    assert without == 0


@since(59, strict=True)  # the book's RNN takes in_size for the size of its state
def remembers_a_state(step):
    """remembers a state (RNN)

    tanh of the sum of two parts: one from the input, one from the previous state
    """
    layer = step.RNN(4, in_size=3)

    def wanted(xs, h=0.0):
        W, b, U = layer.x2h.W.data, layer.x2h.b.data, layer.h2h.W.data
        first = np.tanh(xs[0] @ W + b)
        second = np.tanh(xs[1] @ W + b + first @ U)
        return [first, second, np.tanh(xs[2] @ W + b + second @ U)]

    remembers(step, layer, wanted)


@since(60)
def guards_a_memory(step):
    """guards a memory (LSTM)

    a gate forgets, a gate lets in, and a gate lets out
    """
    layer = step.LSTM(4, in_size=3)
    x, h = box(step, numbers(2, 3)), box(step, numbers(2, 4))
    memories, outputs = [], []
    for number in (0.0, 1.0, 2.0):
        c = box(step, np.full((2, 4), number))
        if hasattr(layer, "set_state"):
            layer.set_state(h, c)
        else:
            layer.h, layer.c = h, c
        y = layer(x)
        memories.append(layer.c.data)
        outputs.append(y.data / np.tanh(layer.c.data))
    kept, let_out = np.diff(memories, axis=0), np.array(outputs)
    # Both gates depend on x and h, but not on the memory.
    assert np.allclose(kept[0], kept[1])
    assert np.allclose(let_out[0], let_out[2])
    low, high = np.min([kept[0], let_out[0]]), np.max([kept[0], let_out[0]])
    assert low > 0
    assert high < 1
    layer.reset_state()
    found = [layer(box(step, x)).data for x in numbers(3, 2, 3)]
    layer.reset_state()
    remembers(step, layer, lambda _: found)
    assert isinstance(layer.c, step.Variable)
    assert layer.c.shape == (2, 4)
    # With all gates open, each step adds 1 to the memory.
    for parameter in layer.params():
        parameter.data = np.full_like(parameter.data, 20.0 * (parameter.ndim == 1))
    layer.reset_state()
    added_up = [(layer(x), layer.c.data.max())[1] for _ in range(3)]
    assert np.allclose(added_up, [1, 2, 3])
    assert np.allclose(layer.h.data, np.tanh(3))


# --- Stage 7 --------------------------------------------------------------------------


def looks(q, k, mask):
    """Return the attention weights of each query, computed on arrays."""
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    may = True if mask is None else mask
    return shares(np.where(may, scores, -np.inf), axis=-1)


@since(71)
def hides_what_comes_later(step):
    """hides what comes later (the causal mask)

    a position may look at itself and at those before it; if there are fewer queries
    than keys, the last query belongs to the last key
    """
    square, wide = step.causal_mask(3), step.causal_mask(2, 4)
    assert np.array_equal(square, [[1, 0, 0], [1, 1, 0], [1, 1, 1]])
    assert np.array_equal(wide, [[1, 1, 1, 0], [1, 1, 1, 1]])


@since(71)
def looks_where_it_may(step):
    """looks where it may (attention)

    the products of a query and the keys, divided by √D, go through a softmax over the
    keys that it may look at; it takes that share of each value
    """
    q, k, v = numbers(2, 3, 4), numbers(3, 4), numbers(3, 2)
    takes = lambda q, k, v, mask: looks(q, k, mask) @ v
    for mask in (None, np.tri(3, dtype=bool)):
        has_values_and_gradients(step, step.attention_weights, looks, q, k, mask)
        has_values_and_gradients(step, step.attention, takes, q, k, v, mask)
    nowhere = step.attention_weights(box(step, q), box(step, k), np.zeros((3, 3), bool))
    assert not nowhere.data.any()


@since(72)
def looks_with_many_heads(step):
    """looks with many heads

    each head has its own numbers for each position; later positions change nothing,
    unless they may be seen
    """
    x = numbers(2, 4, 6)
    later = x.copy()
    later[:, -1] = 0
    for causal in (True, False):
        layer = step.MultiHeadAttention(6, 3, causal, dtype=np.float64)
        one, other = layer(box(step, x)).data, layer(box(step, later)).data
        assert one.shape == x.shape
        assert np.allclose(one[:, :-1], other[:, :-1]) == causal
        seen = layer.weights(box(step, x)).data
        assert seen.shape == (2, 3, 4, 4)
        assert np.allclose(seen.sum(axis=-1), 1)
        assert not np.allclose(seen[:, 0], seen[:, 1])
    # A place that is hidden from all has no effect, whatever it contains.
    mask = np.array([True, True, True, False])
    one, other = (layer(box(step, y), mask).data[:, :-1] for y in (x, later))
    assert np.allclose(one, other)
    expect_error(lambda: step.MultiHeadAttention(5, 2), ValueError)


@since(73)
def normalizes_rows(step):
    """normalizes each row by itself (LayerNorm)

    the mean and the variance are those of the last axis, in training and in test mode
    alike
    """
    layer, x = step.LayerNorm(dtype=np.float64), numbers(2, 3, 4)

    def wanted(x):
        middle = x - x.mean(axis=-1, keepdims=True)
        return middle / np.sqrt((middle**2).mean(axis=-1, keepdims=True) + 1e-5)

    has_values_and_gradients(step, layer, wanted, x)
    sizes = sorted(p.shape for p in layer.params())
    assert sizes == [(4,), (4,)]


@since(73)
def adds_what_its_parts_find(step):
    """adds its parts' results to its input (the block)

    x bypasses the attention and the MLP: where they add nothing, the block changes
    nothing
    """
    block, x = step.TransformerBlock(4, 2, dtype=np.float64), numbers(2, 3, 4)
    y = block(box(step, x))
    assert y.shape == x.shape
    assert not np.allclose(y.data, x)
    # Norms come first, so that the parts add the same to a larger x.
    found, more = (block(box(step, k * x)).data - k * x for k in (1e4, 1e6))
    assert np.allclose(found, more, atol=0.01)
    for parameter in block.params():
        parameter.data = np.zeros_like(parameter.data)
    assert np.array_equal(block(box(step, x)).data, x)


def small_gpt(step):
    return step.GPT(7, context=6, layers=1, size=8, heads=2, dtype=np.float64)


@since(74)
def scores_what_comes_next(step):
    """scores the next token (GPT)

    a token becomes its own vector plus that of its position; a position sees none of
    the later ones
    """
    model, ids = small_gpt(step), np.array([[3, 1, 3, 2]])
    scores = model(ids).data
    assert scores.shape == (1, 4, 7)
    other = model(np.array([[3, 1, 3, 6]])).data
    assert np.allclose(scores[:, :3], other[:, :3])
    same = model(np.array([[3, 3]])).data
    assert not np.allclose(same[:, 0], same[:, 1])
    turned = model(np.array([[1, 3, 3, 2]])).data
    assert not np.allclose(scores[:, -1], turned[:, -1])
    both = model(np.array([[3, 1, 3, 2], [0, 0, 0, 0]])).data
    assert np.allclose(both[:1], scores)
    expect_error(lambda: model(np.zeros((1, 7), int)), ValueError)
    y = model(ids)
    backward((y * y).sum())
    without = [name for name, p in model.named_params() if p.grad is None]
    assert without == []


@since(74)
def writes_token_by_token(step):
    """writes token by token

    it reads as much as fits of what it has written, and at temperature 0 takes the
    token with the highest score
    """
    model, ids = small_gpt(step), np.array([[3, 1, 3, 2], [0, 5, 0, 1]])
    wanted = ids
    for _ in range(4):
        scores = model(wanted[:, -6:]).data[:, -1]
        wanted = np.concatenate([wanted, scores.argmax(axis=1)[:, None]], axis=1)
    found = step.generate(model, ids, 4, temperature=0)
    assert np.array_equal(found, wanted)
    rngs = [np.random.default_rng(seed) for seed in (0, 0, 1)]
    drawn = [step.generate(model, ids, 30, 2.0, rng=rng).tolist() for rng in rngs]
    assert drawn[0] == drawn[1] != drawn[2]
