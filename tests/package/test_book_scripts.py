"""Scripts in the manner of the book's stages 2 to 4, run as they are after ``import
dezero_lite as dezero``.

Those with networks, up to the book's end, are in the folder book.
"""

from copy import deepcopy

import numpy as np
import pytest

import dezero_lite as dezero
from dezero_lite import Function, Parameter, Variable
from tests.support.arrays import assert_close, assert_equal
from tests.support.needs import needs

F = dezero.functions


def test_goldstein_price_and_its_gradient():
    def goldstein(x, y):
        return (
            1
            + (x + y + 1) ** 2
            * (19 - 14 * x + 3 * x**2 - 14 * y + 6 * x * y + 3 * y**2)
        ) * (
            30
            + (2 * x - 3 * y) ** 2
            * (18 - 32 * x + 12 * x**2 + 48 * y - 36 * x * y + 27 * y**2)
        )  # fmt: skip

    x = Variable(np.array(1.0))
    y = Variable(np.array(1.0))
    z = goldstein(x, y)
    z.backward()
    assert (x.grad.data, y.grad.data) == (-5376.0, 8064.0)


def test_gradient_descent_on_rosenbrock():
    def rosenbrock(x0, x1):
        return 100 * (x1 - x0**2) ** 2 + (x0 - 1) ** 2

    x0 = Variable(np.array(0.0))
    x1 = Variable(np.array(2.0))
    lr = 0.001
    for _ in range(10_000):
        y = rosenbrock(x0, x1)
        x0.cleargrad()
        x1.cleargrad()
        y.backward()
        x0.data -= lr * x0.grad.data
        x1.data -= lr * x1.grad.data
    assert_close([x0.data, x1.data], [0.9945, 0.9890], atol=1e-3)


def simple_variable(data):
    """A Variable as the book's steps 28 and 29 come by it."""
    if not dezero.is_simple_core:
        from dezero_lite.core_simple import Variable, setup_variable

        setup_variable()
    return Variable(data)


def test_gradient_descent_with_gradients_that_are_arrays():
    def rosenbrock(x0, x1):
        return 100 * (x1 - x0**2) ** 2 + (x0 - 1) ** 2

    x0 = simple_variable(np.array(0.0))
    x1 = simple_variable(np.array(2.0))
    lr = 0.001
    for _ in range(1000):
        y = rosenbrock(x0, x1)
        x0.cleargrad()
        x1.cleargrad()
        y.backward()
        x0.data -= lr * x0.grad
        x1.data -= lr * x1.grad
    # The book's framework prints these two.
    assert f"{x0}, {x1}" == "variable(0.6837118569138317), variable(0.4659526837427042)"


def test_newtons_method_with_a_second_derivative_by_hand():
    x = simple_variable(np.array(2.0))
    for _ in range(10):
        y = x**4 - 2 * x**2
        x.cleargrad()
        y.backward()
        x.data -= x.grad / (12 * x.data**2 - 4)
    assert (x.data, y.data) == (1.0, -1.0)


def test_a_gradient_that_is_an_array_adds_up_and_is_copied():
    x = simple_variable(np.array([1.0, 2.0]))
    for _ in range(2):
        (x * x).backward()
    assert type(x.grad) is np.ndarray
    assert x.grad.tolist() == [4.0, 8.0]
    copy = deepcopy(x)
    copy.grad += 1
    assert (type(copy), copy.grad.tolist()) == (type(x), [5.0, 9.0])
    assert x.grad.tolist() == [4.0, 8.0]
    x.cleargrad()
    assert x.grad is None


def test_a_function_of_ones_own_whose_backward_computes_on_arrays():
    from dezero_lite.core_simple import Function

    class ReLU(Function):
        def forward(self, x):
            return np.maximum(x, 0)

        def backward(self, gy):
            return np.where(self.inputs[0].data > 0, gy, 0)

    class Doubled(ReLU):
        def backward(self, gy):
            return 2 * super().backward(gy)

    class Named(ReLU):
        pass

    for kind, slope in [(ReLU, 1.0), (Doubled, 2.0), (Named, 1.0)]:
        x = simple_variable(np.array([-1.0, 3.0]))
        y = kind()(x)
        y.backward()
        assert x.grad.tolist() == [0.0, slope]


def test_newtons_method():
    def f(x):
        return x**4 - 2 * x**2

    x = Variable(np.array(2.0))
    for _ in range(10):
        y = f(x)
        x.cleargrad()
        y.backward(create_graph=True)
        gx = x.grad
        x.cleargrad()
        gx.backward()
        gx2 = x.grad
        x.data -= gx.data / gx2.data
    assert np.isclose(x.data, 1.0, atol=1e-12)


def test_a_gradient_inside_a_formula():
    x = Variable(np.array(2.0))
    y = x**2
    y.backward(create_graph=True)
    gx = x.grad
    x.cleargrad()
    z = gx**3 + y
    z.backward()
    assert x.grad.data == 100.0


def test_a_function_of_ones_own_to_the_fourth_derivative():
    class Sin(Function):
        def forward(self, x):
            return np.sin(x)

        def backward(self, gy):
            (x,) = self.inputs
            return gy * cos(x)

    class Cos(Function):
        def forward(self, x):
            return np.cos(x)

        def backward(self, gy):
            (x,) = self.inputs
            return gy * -sin(x)

    def sin(x):
        return Sin()(x)

    def cos(x):
        return Cos()(x)

    x = Variable(np.linspace(-3, 3, 7))
    y = sin(x)
    y.backward(create_graph=True)
    found = [x.grad.data]
    for _ in range(3):
        gx = x.grad
        x.cleargrad()
        gx.backward(create_graph=True)
        found.append(x.grad.data)
    expected = [np.cos(x.data), -np.sin(x.data), -np.cos(x.data), np.sin(x.data)]
    assert_close(found, expected)


def test_taylors_sine():
    import math

    def my_sin(x, threshold=0.0001):
        y = 0
        for i in range(100_000):
            c = (-1) ** i / math.factorial(2 * i + 1)
            t = c * x ** (2 * i + 1)
            y = y + t
            if abs(t.data) < threshold:
                break
        return y

    x = Variable(np.array(np.pi / 4))
    y = my_sin(x)
    y.backward()
    assert np.isclose(y.data, np.sin(np.pi / 4), atol=1e-4)
    assert np.isclose(x.grad.data, np.cos(np.pi / 4), atol=1e-4)


def test_settings():
    x = Variable(np.array(3.0))
    with dezero.no_grad():
        assert (2 * x).creator is None
    with dezero.using_config("enable_backprop", False):
        assert (x + 1).creator is None
    assert (x + 1).creator is not None


def test_names_shapes_and_repr():
    x = Variable(np.array([[1, 2, 3], [4, 5, 6]]), name="x")
    assert (x.name, x.shape, x.ndim, x.size, len(x)) == ("x", (2, 3), 2, 6, 2)
    assert repr(x) == "variable([[1 2 3]\n          [4 5 6]])"


def test_the_same_variable_twice_and_a_diamond():
    x = Variable(np.array(2.0))
    a = x**2
    y = a**2 + a**2
    y.backward()
    assert x.grad.data == 64.0
    x.cleargrad()
    (x + x + x).backward()
    assert x.grad.data == 3.0


def test_retained_gradients():
    x0, x1 = Variable(np.array(1.0)), Variable(np.array(1.0))
    t = x0 + x1
    y = x0 + t
    y.backward()
    assert (y.grad, t.grad) == (None, None)
    assert (x0.grad.data, x1.grad.data) == (2.0, 1.0)
    y.backward(retain_grad=True)
    assert t.grad.data == 1.0


# --- functions of one's own -----------------------------------------------------------


def test_a_function_of_ones_own_with_two_inputs_and_a_setting():
    class ScaledProduct(Function):
        def __init__(self, scale):
            self.scale = scale

        def forward(self, x0, x1):
            self.x0_shape, self.x1_shape = x0.shape, x1.shape
            return self.scale * x0 * x1

        def backward(self, gy):
            x0, x1 = self.inputs
            gx0, gx1 = self.scale * gy * x1, self.scale * gy * x0
            if self.x0_shape != self.x1_shape:
                gx0 = dezero.functions.sum_to(gx0, self.x0_shape)
                gx1 = dezero.functions.sum_to(gx1, self.x1_shape)
            return gx0, gx1

    a = Variable(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    b = Variable(np.array([1.0, 0.5, -1.0]))
    y = ScaledProduct(2.0)(a, b)
    y.backward()
    assert_equal(a.grad.data, [[2.0, 1.0, -2.0], [2.0, 1.0, -2.0]])
    assert_equal(b.grad.data, [10.0, 14.0, 18.0])
    assert y.creator.inputs[0] is a
    assert y.creator.__class__.__name__ == "ScaledProduct"


def test_a_function_of_ones_own_works_on_either_kind_of_array_and_uses_its_output():
    class Softplus(Function):
        def forward(self, x):
            xp = dezero.cuda.get_array_module(x)
            return xp.log(1 + xp.exp(x))

        def backward(self, gy):
            (x,) = self.inputs
            return gy * F.sigmoid(x)

    class MyExp(Function):
        def forward(self, x):
            xp = dezero.cuda.get_array_module(x)
            return xp.exp(x)

        def backward(self, gy):
            y = self.outputs[0]()  # a weak reference
            return gy * y

    x = Variable(np.array([-1.0, 0.0, 2.0]))
    s = 1 / (1 + np.exp(-x.data))
    y = Softplus()(x)
    y.backward(create_graph=True)
    gx = x.grad
    assert_close(gx.data, s)
    x.cleargrad()
    gx.backward()
    assert_close(x.grad.data, s * (1 - s))

    x.cleargrad()
    y = MyExp()(x * 2)
    y.backward(create_graph=True)
    gx = x.grad
    x.cleargrad()
    gx.backward()
    assert_close(x.grad.data, 4 * np.exp(2 * x.data))


def test_a_function_of_ones_own_that_masks_an_array():
    class MyReLU(Function):
        def forward(self, x):
            self.mask = x <= 0
            y = x.copy()
            y[self.mask] = 0
            return y

        def backward(self, gy):
            return gy * (1 - self.mask)

    x = Variable(np.array([[-1.0, 2.0], [3.0, -4.0]]))
    y = MyReLU()(x)
    y.backward()
    assert_equal(y.data, [[0.0, 2.0], [3.0, 0.0]])
    assert_equal(x.grad.data, [[0.0, 1.0], [1.0, 0.0]])


def test_a_function_of_ones_own_with_two_outputs():
    class MinMax(Function):
        def forward(self, x0, x1):
            xp = dezero.cuda.get_array_module(x0)
            self.first_is_less = x0 < x1
            return xp.minimum(x0, x1), xp.maximum(x0, x1)

        def backward(self, g_low, g_high):
            less = self.first_is_less
            return g_low * less + g_high * (1 - less), g_low * (
                1 - less
            ) + g_high * less

    a, b = Variable(np.array([1.0, 5.0])), Variable(np.array([2.0, 3.0]))
    low, high = MinMax()(a, b)
    z = F.sum(low * 10 + high)
    z.backward()
    assert_equal(low.data, [1.0, 3.0])
    assert (a.grad.data.tolist(), b.grad.data.tolist()) == ([10.0, 1.0], [1.0, 10.0])


def test_an_own_function_is_checked_by_numbers():
    class Cube(Function):
        def forward(self, x):
            return x**3

        def backward(self, gy):
            (x,) = self.inputs
            return 3 * x**2 * gy

    class WrongCube(Cube):
        def backward(self, gy):
            (x,) = self.inputs
            return 2 * x**2 * gy

    x = Variable(np.random.RandomState(0).rand(2, 3) + 1)
    assert dezero.utils.gradient_check(Cube(), x) is True
    assert dezero.utils.gradient_check(
        lambda x: F.sum(Cube()(x), axis=1), np.random.RandomState(0).rand(2, 3)
    )
    assert dezero.utils.gradient_check(WrongCube(), Variable(x.data.copy())) is False
    assert dezero.utils.array_allclose(
        dezero.utils.numerical_grad(Cube(), x), 3 * x.data**2
    )


def test_a_function_of_ones_own_that_masks_a_single_number():
    class MyReLU(Function):
        def forward(self, x):
            y = x.copy()
            y[x <= 0] = 0
            return y

        def backward(self, gy):
            (x,) = self.inputs
            return gy * (x.data > 0)

    x = Variable(np.array(3.0))
    y = MyReLU()(x)
    y.backward()
    assert (float(y.data), float(x.grad.data)) == (3.0, 1.0)


# --- higher derivatives ---------------------------------------------------------------


def test_higher_derivatives_of_sine():
    x = Variable(np.linspace(-7, 7, 200))
    y = F.sin(x)
    y.backward(create_graph=True)

    logs = [y.data]
    for _ in range(3):
        logs.append(x.grad.data)
        gx = x.grad
        x.cleargrad()
        gx.backward(create_graph=True)
    logs.append(x.grad.data)

    sin, cos = np.sin(x.data), np.cos(x.data)
    assert_close(logs, [sin, cos, -sin, -cos, sin])


@pytest.mark.parametrize(
    ("f", "derivatives"),
    [
        (F.cos, lambda x: [-np.sin(x), -np.cos(x), np.sin(x), np.cos(x)]),
        (F.exp, lambda x: [np.exp(x)] * 4),
        (F.log, lambda x: [1 / x, -1 / x**2, 2 / x**3, -6 / x**4]),
        (
            lambda x: x**5 - 2 * x,
            lambda x: [5 * x**4 - 2, 20 * x**3, 60 * x**2, 120 * x],
        ),
        (lambda x: 1 / x, lambda x: [-1 / x**2, 2 / x**3, -6 / x**4, 24 / x**5]),
    ],
    ids=["cos", "exp", "log", "a polynomial", "1 / x"],
)
def test_four_derivatives(f, derivatives):
    x = Variable(np.array([0.5, 1.0, 2.5]))
    y = f(x)
    found = []
    for _ in range(4):
        x.cleargrad()
        y.backward(create_graph=True)
        y = x.grad
        found.append(y.data)
    assert_close(found, derivatives(x.data))


@needs("pygraphviz")
def test_tanh_to_a_high_order_and_its_graph(tmp_path):
    x = Variable(np.array(1.0))
    y = F.tanh(x)
    x.name = "x"
    y.name = "y"
    y.backward(create_graph=True)

    iters = 3
    for _ in range(iters):
        gx = x.grad
        x.cleargrad()
        gx.backward(create_graph=True)

    gx = x.grad
    gx.name = "gx" + str(iters + 1)
    t = np.tanh(1.0)
    assert np.isclose(gx.data, (1 - t**2) * (16 * t - 24 * t**3), rtol=1e-12)

    dezero.utils.plot_dot_graph(gx, verbose=False, to_file=str(tmp_path / "tanh.png"))
    assert (tmp_path / "tanh.png").read_bytes().startswith(b"\x89PNG")
    assert "gx4" in dezero.utils.get_dot_graph(gx, verbose=False)


def test_a_product_of_the_hessian_and_a_vector():
    x = Variable(np.array([1.0, 2.0]))
    v = Variable(np.array([4.0, 5.0]))

    def f(x):
        t = x**2
        return F.sum(t)

    y = f(x)
    y.backward(create_graph=True)
    gx = x.grad
    x.cleargrad()
    z = F.matmul(v, gx)
    z.backward()
    assert_equal(x.grad.data, [8.0, 10.0])


def test_newton_beats_gradient_descent_on_rosenbrock():
    def rosenbrock(x0, x1):
        return 100 * (x1 - x0**2) ** 2 + (x0 - 1) ** 2

    x0, x1 = Variable(np.array(0.0)), Variable(np.array(2.0))
    for _ in range(6):
        x0.cleargrad()
        x1.cleargrad()
        y = rosenbrock(x0, x1)
        y.backward(create_graph=True)
        g0, g1 = x0.grad, x1.grad
        hessian = []
        for g in (g0, g1):
            x0.cleargrad()
            x1.cleargrad()
            g.backward()
            hessian.append([float(x0.grad.data), float(x1.grad.data)])
        step = np.linalg.solve(np.array(hessian), np.array([g0.data, g1.data]))
        x0.data -= step[0]
        x1.data -= step[1]
    assert_close([x0.data, x1.data], [1.0, 1.0], atol=1e-10)


# --- pictures -------------------------------------------------------------------------


@needs("pygraphviz")
def test_the_graph_of_goldstein_price(tmp_path, monkeypatch):
    def goldstein(x, y):
        z = (
            1
            + (x + y + 1) ** 2
            * (19 - 14 * x + 3 * x**2 - 14 * y + 6 * x * y + 3 * y**2)
        ) * (
            30
            + (2 * x - 3 * y) ** 2
            * (18 - 32 * x + 12 * x**2 + 48 * y - 36 * x * y + 27 * y**2)
        )
        return z

    x = Variable(np.array(1.0))
    y = Variable(np.array(1.0))
    z = goldstein(x, y)
    z.backward()
    x.name = "x"
    y.name = "y"
    z.name = "z"
    # By its name alone, the file lands where the reader works.
    monkeypatch.chdir(tmp_path)
    dezero.utils.plot_dot_graph(z, verbose=False, to_file="goldstein.png")
    dezero.utils.plot_dot_graph(z)
    assert {path.name for path in tmp_path.iterdir()} == {"goldstein.png", "graph.png"}


def test_the_text_of_a_small_graph():
    x0 = Variable(np.array(1.0))
    x1 = Variable(np.array(1.0))
    y = x0 + x1
    x0.name = "x0"
    x1.name = "x1"
    y.name = "y"
    txt = dezero.utils.get_dot_graph(y, verbose=False)
    assert txt.startswith("digraph")
    assert txt.count("->") == 3
    assert all(f'label="{name}"' in txt for name in ("x0", "x1", "y", "Add"))
    assert "() float64" in dezero.utils.get_dot_graph(y)


# --- arrays ---------------------------------------------------------------------------


def test_the_forms_of_reshape_and_transpose():
    x = Variable(np.random.RandomState(0).randn(1, 2, 3))
    for y in (
        x.reshape((2, 3)),
        x.reshape([2, 3]),
        x.reshape(2, 3),
        F.reshape(x, (2, 3)),
    ):
        assert y.shape == (2, 3)
    m = Variable(np.array([[1, 2, 3], [4, 5, 6]], dtype=float))
    for y in (
        m.transpose(),
        m.T,
        F.transpose(m),
        m.transpose(1, 0),
        m.transpose((1, 0)),
    ):
        assert y.data.tolist() == [[1, 4], [2, 5], [3, 6]]
    y = F.transpose(x, (2, 0, 1))
    (y * np.arange(6.0).reshape(3, 1, 2)).backward()
    assert x.grad.data.tolist() == [[[0, 2, 4], [1, 3, 5]]]
    assert F.flatten(Variable(np.zeros((4, 2, 3)))).shape == (4, 6)
    assert F.expand_dims(m, 0).shape == (1, 2, 3)


def test_the_forms_of_sum_and_broadcast():
    x = Variable(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    y = F.sum(x, axis=0)
    y.backward()
    assert (y.data.tolist(), x.grad.data.tolist()) == (
        [5, 7, 9],
        [[1, 1, 1], [1, 1, 1]],
    )
    assert F.sum(Variable(np.zeros((2, 3, 4, 5))), keepdims=True).shape == (1, 1, 1, 1)
    assert (x.sum(axis=1, keepdims=True).shape, float(x.sum().data)) == ((2, 1), 21.0)
    assert F.sum_to(x, (1, 3)).data.tolist() == [[5, 7, 9]]
    assert F.broadcast_to(Variable(np.array([1.0, 2.0])), (3, 2)).shape == (3, 2)
    assert dezero.utils.sum_to(x.data, (2, 1)).tolist() == [[6], [15]]

    x0 = Variable(np.array([1.0, 2.0, 3.0]))
    x1 = Variable(np.array([10.0]))
    y = x0 + x1
    y.backward()
    assert (y.data.tolist(), x1.grad.data.tolist()) == ([11, 12, 13], [3])


def test_slices_and_repeated_rows():
    x = Variable(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    y = F.get_item(x, 1)
    y.backward()
    assert (y.data.tolist(), x.grad.data.tolist()) == (
        [4, 5, 6],
        [[0, 0, 0], [1, 1, 1]],
    )
    x.cleargrad()
    indices = np.array([0, 0, 1])
    F.get_item(x, indices).backward()
    assert x.grad.data.tolist() == [[2, 2, 2], [1, 1, 1]]
    assert (x[:, 2].data.tolist(), x[1, 0].data.tolist(), x[..., -1].shape) == (
        [3, 6],
        4,
        (2,),
    )
    assert [float(row.sum().data) for row in x] == [6.0, 15.0]


def test_the_largest_the_smallest_and_limits():
    x = Variable(np.array([[1.0, 5.0, 3.0], [4.0, -2.0, 6.0]]))
    y = F.max(x, axis=1)
    y.backward()
    assert (y.data.tolist(), x.grad.data.tolist()) == ([5, 6], [[0, 1, 0], [0, 0, 1]])
    assert (
        x.max().data,
        x.min().data,
        F.min(x, axis=0, keepdims=True).data.tolist(),
    ) == (6, -2, [[1, -2, 3]])
    x.cleargrad()
    F.clip(x, 0.0, 4.5).backward()
    assert x.grad.data.tolist() == [[1, 0, 1], [1, 0, 0]]


def test_matrix_products():
    rng = np.random.RandomState(0)
    x = Variable(rng.randn(2, 3))
    W = Variable(rng.randn(3, 4))
    y = F.matmul(x, W)
    y.backward()
    assert_close(y.data, x.data.dot(W.data))
    assert_close(x.grad.data, np.ones((2, 4)).dot(W.data.T))
    assert_close(W.grad.data, x.data.T.dot(np.ones((2, 4))))
    assert_close(x.dot(W).data, y.data)


def test_numbers_and_arrays_on_either_side():
    x = Variable(np.array([1.0, 2.0]))
    row = np.array([10.0, 20.0])
    results = [
        x + row,
        row + x,
        x + 1,
        1 + x,
        x - row,
        row - x,
        3 - x,
        x * row,
        row * x,
        2 * x,
        -x,
    ]
    results += [x / row, row / x, 1 / x, x / 2, x**2, np.float64(3.0) * x]
    values = [y.data.tolist() for y in results]
    assert values[:7] == [
        [11, 22],
        [11, 22],
        [2, 3],
        [2, 3],
        [-9, -18],
        [9, 18],
        [2, 1],
    ]
    assert values[7:11] == [[10, 40], [10, 40], [2, 4], [-1, -2]]
    assert values[11:] == [[0.1, 0.1], [10, 10], [1, 0.5], [0.5, 1], [1, 4], [3, 6]]
    assert all(isinstance(y, Variable) for y in results)


def test_a_graph_begins_with_a_gradient_of_the_readers_own():
    x = Variable(np.array([1.0, 2.0, 3.0]))
    y = x**2
    y.grad = Variable(np.array([1.0, 0.0, 10.0]))
    y.backward()
    assert x.grad.data.tolist() == [2.0, 0.0, 60.0]


def test_whole_numbers_are_refused_with_advice():
    # Where the book writes np.array([[1, 2, 3], [4, 5, 6]]), its framework gives a
    # gradient of whole numbers.
    x = Variable(np.array([[1, 2, 3], [4, 5, 6]]))
    y = F.sum(x)
    assert y.data == 21
    with pytest.raises(
        TypeError, match=r"make them so, as in np.array\(..., dtype=float\)"
    ):
        y.backward()


def test_a_number_an_array_and_a_wrong_type():
    assert dezero.as_array(3.0).shape == ()
    x = dezero.as_variable(np.array([1.0]))
    assert dezero.as_variable(x) is x
    with pytest.raises(TypeError):
        Variable(1.0)
    assert Variable(None).data is None
    assert repr(Variable(None)) == "variable(None)"


# --- regression with Variables --------------------------------------------------------


def test_linear_regression():
    rng = np.random.RandomState(0)
    x = rng.rand(100, 1)
    y = 5 + 2 * x + rng.rand(100, 1)
    x, y = Variable(x), Variable(y)

    W = Variable(np.zeros((1, 1)))
    b = Variable(np.zeros(1))

    def predict(x):
        return F.matmul(x, W) + b

    def mean_squared_error(x0, x1):
        diff = x0 - x1
        return F.sum(diff**2) / len(diff)

    lr = 0.1
    iters = 100
    losses = []
    for _ in range(iters):
        y_pred = predict(x)
        loss = mean_squared_error(y, y_pred)
        W.cleargrad()
        b.cleargrad()
        loss.backward()
        W.data -= lr * W.grad.data
        b.data -= lr * b.grad.data
        losses.append(float(loss.data))

    # The same descent, with gradients derived on paper.
    w, c = 0.0, 0.0
    for found in losses:
        error = w * x.data + c - y.data
        assert np.isclose(found, (error**2).mean())
        w -= lr * 2 * (error * x.data).mean()
        c -= lr * 2 * error.mean()
    assert_close([W.data[0, 0], b.data[0]], [w, c])
    assert losses[-1] < 0.1


def test_a_network_of_two_layers_of_variables():
    rng = np.random.RandomState(0)
    x = rng.rand(100, 1)
    y = np.sin(2 * np.pi * x) + rng.rand(100, 1)

    n_in, n_hidden, n_out = 1, 10, 1
    W1 = Variable(0.1 * rng.randn(n_in, n_hidden))
    b1 = Variable(np.zeros(n_hidden))
    W2 = Variable(0.1 * rng.randn(n_hidden, n_out))
    b2 = Variable(np.zeros(n_out))
    w1, c1, w2, c2 = (p.data.copy() for p in (W1, b1, W2, b2))

    def predict(x):
        y = F.linear_simple(x, W1, b1)
        y = F.sigmoid_simple(y)
        y = F.linear_simple(y, W2, b2)
        return y

    lr = 0.2
    iters = 500
    for _ in range(iters):
        y_pred = predict(x)
        loss = F.mean_squared_error(y, y_pred)
        for p in (W1, b1, W2, b2):
            p.cleargrad()
        loss.backward()
        for p in (W1, b1, W2, b2):
            p.data -= lr * p.grad.data

    # The same descent, with gradients derived on paper.
    for _ in range(iters):
        h = 1 / (1 + np.exp(-(x @ w1 + c1)))
        g = 2 * (h @ w2 + c2 - y) / len(x)
        gh = g @ w2.T * h * (1 - h)
        w1 = w1 - lr * x.T @ gh
        c1 = c1 - lr * gh.sum(axis=0)
        w2 = w2 - lr * h.T @ g
        c2 = c2 - lr * g.sum(axis=0)
    for p, q in zip((W1, b1, W2, b2), (w1, c1, w2, c2), strict=True):
        assert_close(p.data, q)
    assert float(loss.data) < 0.3


def test_a_parameter_is_a_variable_of_its_own_kind():
    x = Variable(np.array(1.0))
    p = Parameter(np.array(2.0), name="p")
    y = x * p
    assert (
        isinstance(p, Parameter),
        isinstance(x, Parameter),
        isinstance(y, Parameter),
    ) == (True, False, False)
    assert (p.name, float(y.data)) == ("p", 2.0)


# --- settings and memory --------------------------------------------------------------


def test_settings_change_and_come_back():
    Config = dezero.Config
    assert (Config.enable_backprop, Config.train) == (True, True)
    with dezero.test_mode():
        assert Config.train is False
        with dezero.no_grad():
            assert Config.enable_backprop is False
    with pytest.raises(ZeroDivisionError), dezero.using_config("train", False):
        raise ZeroDivisionError
    assert (Config.enable_backprop, Config.train) == (True, True)
    Config.train = False
    try:
        x = Variable(np.ones(5))
        assert_equal(F.dropout(x).data, x.data)
    finally:
        Config.train = True


def test_a_chain_is_cut():
    x = Variable(np.array(2.0))
    a = x * 3
    y = a * a
    y.unchain_backward()
    assert a.creator is None
    y = a * 5
    y.backward()
    assert (x.grad, float(a.grad.data)) == (None, 5.0)


def test_many_steps_leave_no_graph_behind():
    for _ in range(10):
        x = Variable(np.random.randn(10_000))
        y = (x**2) ** 2 * (x**2)
    with dezero.no_grad():
        y = Variable(np.ones(3))
        for _ in range(1000):
            y = y * 1.001
    assert y.creator is None
    assert np.isclose(y.data[0], 1.001**1000)


def test_the_branch_for_a_gpu():
    x = Variable(np.ones((2, 2)))
    xp = dezero.cuda.cupy if dezero.cuda.gpu_enable else np
    if dezero.cuda.gpu_enable:
        x.to_gpu()
    y = F.sum(x * xp.ones((2, 2)))
    y.backward()
    x.to_cpu()
    assert dezero.cuda.get_array_module(x) is np
    assert dezero.cuda.as_numpy(y).tolist() == 4.0
    if not dezero.cuda.gpu_enable:
        # The book's message is another one, but it is an error there, too.
        with pytest.raises(Exception, match="CuPy"):
            dezero.cuda.as_cupy(x)
