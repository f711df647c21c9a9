"""Attempts at the exercises of lessons 37 and 41 to 43, as in `test_attempts.py`."""

import pytest

from steps.course import builder, exercises
from tests.lessons.test_attempts import complaint
from tests.support import lesson_checks as checks


def function(head, *lines):
    return f"def {head}:\n" + "".join(f"    {line}\n" for line in lines)


def jacobian(*lines):
    return function("jacobian(f, x)", *lines)


def by_hand(result):
    return function("by_hand(a, b)", f"return {result}")


def elementwise(*lines):
    return function("is_elementwise(f, x)", *lines)


def product(
    forward="return np.einsum('nk,km->nm', x, W)",
    backward="x, W = self.inputs; return my_matmul(gy, W.T), my_matmul(x.T, gy)",
    call="return MatMul()(x, W)",
):
    return (
        "class MatMul(Function):\n"
        f"    def forward(self, x, W):\n        {forward}\n"
        f"    def backward(self, gy):\n        {backward}\n"
        f"def my_matmul(x, W):\n    {call}\n"
    )


def quadratic(form="(transpose(x) @ A) @ x", slope="A @ x + A.T @ x"):
    return function("quadratic(x, A)", f"return {form}") + function(
        "gradient_by_hand(x, A)", f"return {slope}"
    )


def multiplications(*lines):
    return function("multiplications(shapes)", *lines)


def squared_error(
    forward="return np.sum((x0 - x1) * (x0 - x1)) / x0.shape[0]",
    backward="x0, x1 = self.inputs; g = (x0 - x1) * gy * 2.0 / x0.shape[0]; "
    "return g, -g",
    call="return MeanSquaredError()(x0, x1)",
):
    return (
        "class MeanSquaredError(Function):\n"
        f"    def forward(self, x0, x1):\n        {forward}\n"
        f"    def backward(self, gy):\n        {backward}\n"
        f"def my_loss(x0, x1):\n    {call}\n"
    )


def parabola(
    y="a * x**2 + b * x + c", clear="p.cleargrad()", change="p.data -= lr * p.grad.data"
):
    return function(
        "fit_parabola(x, t, lr=0.3, steps=1_000)",
        "a, b, c = parameters = [Variable(np.zeros(1)) for _ in 'abc']",
        "for _ in range(steps):",
        f"    loss = mean_squared_error({y}, t)",
        f"    for p in parameters: {clear}",
        "    loss.backward()",
        f"    for p in parameters: {change}",
        "return [p.data.item() for p in parameters]",
    )


def absolute_line(
    error="abs(y - t).mean()",
    loss="loss_function(matmul(x, W) + b, t)",
    rate="lr",
    clear="W.cleargrad(); b.cleargrad()",
    result="W.data.item(), b.data.item()",
):
    return function("mean_absolute_error(y, t)", f"return {error}") + function(
        "fit_line(x, t, loss_function, lr=0.05, steps=500)",
        "W, b = Variable(np.zeros((1, 1))), Variable(np.zeros(1))",
        "for _ in range(steps):",
        f"    {clear}",
        f"    {loss}.backward()",
        f"    W.data = W.data - {rate} * W.grad.data",
        f"    b.data = b.data - {rate} * b.grad.data",
        f"return {result}",
    )


def bend(
    forward="return 0.5 * (1 + np.tanh(x / 2))",
    backward="(x,) = self.inputs; return my_sigmoid(x) * my_sigmoid(-x) * gy",
    call="return Sigmoid()(x)",
):
    return (
        "class Sigmoid(Function):\n"
        f"    def forward(self, x):\n        {forward}\n"
        f"    def backward(self, gy):\n        {backward}\n"
        f"def my_sigmoid(x):\n    {call}\n"
    )


def final_losses(*lines):
    return function("final_losses(sizes, steps=5_000)", *lines)


def slope_after(*lines):
    return function("slope_after(k, value)", *lines)


RIGHT = {
    (37, 1): [
        jacobian(
            "table = []",
            "for row in np.eye(f(x).size):",
            "    x.cleargrad()",
            "    y = f(x)",
            "    y.grad = Variable(row.reshape(y.shape))",
            "    y.backward()",
            "    table.append(x.grad.data.ravel())",
            "return np.stack(table)",
        ),
        jacobian(
            "y, columns = f(x), []",
            "for i in np.ndindex(y.shape):",
            "    y.grad = np.zeros(y.shape)",
            "    y.grad.data[i] = 1",
            "    x.cleargrad()",
            "    y.backward()",
            "    columns.append(x.grad.data.flatten())",
            "return np.column_stack(columns).T",
        ),
    ],
    (37, 2): [
        by_hand("[(b, a), (1, b + b), (np.exp(a), 0)]"),
        by_hand("np.vstack([[b, 1, np.exp(a)], [a, 2 * b, 0]]).T"),
    ],
    (37, 3): [
        elementwise(
            "y = f(x)",
            "if x.shape != y.shape: return False",
            "ratios = []",
            "for weights in (1.0, 2.0 + np.arange(x.size).reshape(x.shape)):",
            "    x.cleargrad()",
            "    y.grad = weights * np.ones(x.shape)",
            "    y.backward()",
            "    ratios.append(x.grad.data / weights)",
            "return bool(np.abs(ratios[0] - ratios[1]).max() < 1e-9)",
        ),
        elementwise(
            "def walk(seed):",
            "    x.cleargrad()",
            "    y = f(x)",
            "    w = np.random.default_rng(seed).uniform(1, 5, y.shape)",
            "    y.grad = Variable(w)",
            "    y.backward()",
            "    return y.shape == x.shape and x.grad.data / w",
            "return np.allclose(walk(1), walk(2)) if f(x).shape == x.shape else False",
        ),
    ],
    (41, 1): [
        product(),
        product(
            forward="return (x[:, :, None] * W[None]).sum(1)",
            backward="x, W = self.inputs; "
            "return transpose(my_matmul(W, transpose(gy))), "
            "transpose(my_matmul(transpose(gy), x))",
        ),
    ],
    (41, 2): [
        quadratic(),
        quadratic("sum_of(x * matmul(A, x)).reshape(1, 1)", "(x.T @ (A + A.T)).T"),
    ],
    (41, 3): [
        multiplications(
            "left = right = 0",
            "for i in range(1, len(shapes)):",
            "    left += shapes[0][0] * shapes[i][0] * shapes[i][1]",
            "    right += shapes[i - 1][0] * shapes[i - 1][1] * shapes[-1][1]",
            "return [left, right]",
        ),
        multiplications(
            "sizes = np.array([n * k for n, k in shapes])",
            "return np.array([shapes[0][0] * sizes[1:].sum(),",
            "                 shapes[-1][1] * sizes[:-1].sum()])",
        ),
    ],
    (42, 1): [
        squared_error(),
        squared_error(
            forward="return np.array(np.vdot(x0 - x1, x0 - x1) / len(x1))",
            backward="x0, x1 = self.inputs; "
            "half = broadcast_to(gy / len(x0), x0.shape); "
            "return half * (x0 - x1) * 2, half * (x1 - x0) * 2",
        ),
    ],
    (42, 2): [
        parabola(),
        function(
            "fit_parabola(x, t, lr=0.3, steps=1_000)",
            "powers = np.concatenate([x * x, x, x**0], axis=1)",
            "numbers = Variable(np.zeros((3, 1)))",
            "for _ in range(steps):",
            "    numbers.cleargrad()",
            "    mean_squared_error(matmul(powers, numbers), t).backward()",
            "    numbers.data = numbers.data - lr * numbers.grad.data",
            "return tuple(numbers.data.ravel())",
        ),
    ],
    (42, 3): [
        absolute_line(),
        absolute_line(
            error="(((y - t) ** 2) ** 0.5).sum() / len(t)",
            loss="loss_function(x * W + b, t)",
            result="np.array([W.data.sum(), b.data.sum()])",
        ),
    ],
    (43, 1): [
        bend(),
        bend(
            forward="return np.exp(x) / (np.exp(x) + 1)",
            backward="y = my_sigmoid(*self.inputs); return gy * (y - y * y)",
        ),
    ],
    (43, 2): [
        final_losses(
            "last = []",
            "for n in sizes:",
            "    *_, loss = train_network(x, t, initial(n, 1.0), 0.2, steps)",
            "    last.append(loss)",
            "return last",
        ),
        final_losses(
            "starts = [initial(n, scale=1.0) for n in sizes]",
            "ends = [train_network(x, t, p, steps=steps)[-1] for p in starts]",
            "return np.array(ends)",
        ),
    ],
    (43, 3): [
        slope_after(
            "x = Variable(np.array([float(value)]))",
            "y = x + 0",
            "while k:",
            "    y, k = sigmoid(y), k - 1",
            "y.backward()",
            "return float(x.grad.data[0])",
        ),
        slope_after(
            "slope = 1.0",
            "for _ in range(k):",
            "    x = Variable(np.array(float(value)))",
            "    y = sigmoid(x)",
            "    y.backward()",
            "    slope, value = slope * x.grad.data, y.data",
            "return slope",
        ),
    ],
}

# An attempt, and words that the check's answer must hold.
WRONG = [
    (37, 1, jacobian("pass"), "returned nothing"),
    (
        37,
        1,
        jacobian("y = f(x)", "y.backward()", "return x.grad.data"),
        "a row for each output",
    ),
    (
        37,
        1,
        jacobian(
            "y, rows = f(x), []",
            "for one in np.eye(y.size):",
            "    y.grad = one.reshape(y.shape)",
            "    y.backward()",
            "    rows.append(x.grad.data.flatten())",
            "return np.array(rows)",
        ),
        "clear the gradient",
    ),
    (
        37,
        1,
        jacobian(
            "y, rows = f(x), []",
            "for one in np.eye(y.size):",
            "    x.cleargrad()",
            "    y.grad = one.reshape(y.shape)",
            "    y.backward()",
            "    rows.append(x.grad.data.flatten())",
            "return np.array(rows).T",
        ),
        "row for each output",
    ),
    (37, 2, by_hand("np.array([[a, b], [1, 2 * b], [np.exp(a), 0]])"), "row 0"),
    (37, 2, by_hand("np.array([[b, a], [1, b], [np.exp(a), 0]])"), "row 1"),
    (37, 2, by_hand("np.array([[b, 1, np.exp(a)], [a, 2 * b, 0]])"), "shape (3, 2)"),
    (37, 3, elementwise("return f(x).shape == x.shape"), "is not element-wise"),
    (37, 3, elementwise("return True"), "is not element-wise"),
    (
        37,
        3,
        elementwise(
            "t = []",
            "for one in np.eye(x.size):",
            "    x.cleargrad()",
            "    y = f(x)",
            "    if y.shape != x.shape: return False",
            "    y.grad = one.reshape(y.shape)",
            "    y.backward()",
            "    t.append(x.grad.data.flatten())",
            "return np.allclose(t, np.diag(np.diag(t)))",
        ),
        "two walks are enough",
    ),
    (41, 1, product(forward="return x * W"), "stopped with"),
    (
        41,
        1,
        product(backward="x, W = self.inputs; return gy * W, gy * x"),
        "which two fit",
    ),
    (
        41,
        1,
        product(
            backward="x, W = self.inputs; return my_matmul(x.T, gy), my_matmul(gy, W.T)"
        ),
        "which two fit",
    ),
    (41, 1, product(call="return matmul(x, W)"), "should use your class"),
    (
        41,
        1,
        product(
            backward="x, W = self.inputs; "
            "return my_matmul(gy, W.T) * 2, my_matmul(x.T, gy)"
        ),
        "the gradient of x is wrong",
    ),
    (
        41,
        1,
        product(
            backward="x, W = self.inputs; "
            "return Variable(gy.data @ W.data.T), Variable(x.data.T @ gy.data)"
        ),
        "compute with variables",
    ),
    (41, 2, quadratic(slope="2 * A @ x"), "counted"),
    (41, 2, quadratic(slope="A @ x"), "counted"),
    (41, 2, quadratic(slope="x.T @ (A + A.T)"), "the shape of x"),
    (41, 2, quadratic(form="matmul(A, x)"), "the shape (1, 1)"),
    (41, 3, multiplications("pass"), "returned nothing"),
    (
        41,
        3,
        multiplications("return (sum(n * k for n, k in shapes),) * 2"),
        "from the left",
    ),
    (
        41,
        3,
        multiplications(
            "left = sum(shapes[0][0] * k * m for k, m in shapes[1:])",
            "return left, left",
        ),
        "from the right",
    ),
    (42, 1, squared_error(forward="return ((x0 - x1)**2).sum()"), "divide by the"),
    (42, 1, squared_error(forward="return ((x0 - x1)**2).mean()"), "number of rows"),
    (42, 1, squared_error(forward="return (x0 - x1)**2"), "the loss is one number"),
    (
        42,
        1,
        squared_error(
            backward="x0, x1 = self.inputs; g = gy * (x0 - x1) * 2 / len(x0); "
            "return g, g"
        ),
        "opposite signs",
    ),
    (
        42,
        1,
        squared_error(
            backward="x0, x1 = self.inputs; g = gy * (x0 - x1) / len(x0); return g, -g"
        ),
        "factor",
    ),
    (
        42,
        1,
        squared_error(
            backward="x0, x1 = self.inputs; g = gy.data * (x0.data - x1.data) * 2; "
            "return Variable(g / len(x0)), Variable(-g / len(x0))"
        ),
        "compute with variables",
    ),
    (42, 2, parabola(clear="pass"), "cleared"),
    (42, 2, parabola(y="a * x + b * x + c"), "a should be"),
    (42, 2, parabola(change="p.data += lr * p.grad.data"), "should be"),
    (42, 3, absolute_line(error="np.abs(y.data - t).mean()"), "return a variable"),
    (42, 3, absolute_line(error="abs(y - t)"), "one number"),
    (42, 3, absolute_line(error="(y - t).mean()"), "it should be"),
    (42, 3, absolute_line(clear="pass"), "three steps"),
    (
        42,
        3,
        absolute_line(loss="mean_squared_error(matmul(x, W) + b, t)"),
        "is loss_function used",
    ),
    (43, 1, bend(forward="return 1 / (1 + np.exp(x))"), "1 / (1 + exp(−x))"),
    (
        43,
        1,
        bend(
            backward="x = self.inputs[0].data; y = 1 / (1 + np.exp(-x)); "
            "return gy * y * (1 - y)"
        ),
        "not its own gradient",
    ),
    (43, 1, bend(backward="x = self.inputs[0]; return gy * x * (1 - x)"), "y·(1 − y)"),
    (43, 1, bend(call="return sigmoid(x)"), "your class Sigmoid"),
    (
        43,
        2,
        final_losses(
            "p = initial(sizes[0], scale=1.0)",
            "return [train_network(x, t, p, steps=steps)[-1] for _ in sizes]",
        ),
        "new parameters",
    ),
    (
        43,
        2,
        final_losses(
            "return [train_network(x, t, initial(n, 1.0), steps=steps) for n in sizes]"
        ),
        "losses, not the shape",
    ),
    (
        43,
        2,
        final_losses(
            "return [train_network(x, t, initial(n), steps=steps)[-1] for n in sizes]"
        ),
        "the last loss should be",
    ),
    (43, 3, slope_after("return 0.25 ** k"), "the slope of 1 sigmoids"),
    (
        43,
        3,
        slope_after(
            "x = y = Variable(np.array(float(value)))",
            "for _ in range(k): y = sigmoid(y)",
            "y.backward()",
            "return x.grad.data",
        ),
        "k = 0",
    ),
]

# Right for the inputs of the visible check, and for no others.
BY_HEART = [
    (
        37,
        1,
        jacobian(
            "size = {1: 1, 3: 3, 4: 4}.get(x.size, 3)",
            "y, rows = f(x), []",
            "for one in np.eye(y.size):",
            "    x.cleargrad()",
            "    y.grad = one.reshape(y.shape)",
            "    y.backward()",
            "    rows.append(x.grad.data.flatten()[:size])",
            "return np.array(rows)",
        ),
        "",
    ),
    (
        37,
        2,
        by_hand(
            "{2.0: [[3, 2], [1, 6], [np.exp(2), 0]]}"
            ".get(a, [[0.5, -1], [1, 1], [np.exp(-1), 0]])"
        ),
        "row 0",
    ),
    (
        37,
        3,
        elementwise("return f(x).data.flat[0] in (0.25, np.exp(np.sin(0.5)))"),
        "element-wise",
    ),
    (
        41,
        1,
        product(
            backward="x, W = self.inputs; "
            "return (my_matmul(gy, W if x.shape == W.shape else W.T), "
            "my_matmul(x.T, gy))"
        ),
        "the gradient of x is wrong",
    ),
    (
        41,
        2,
        quadratic(slope="(A + A.T) @ x if len(x) in (2, 3) else A @ x"),
        "gradient_by_hand",
    ),
    (
        41,
        3,
        multiplications(
            "return {(2, 3): (24, 24), (5, 5): (150, 50)}.get(shapes[0], (99, 180))"
        ),
        "",
    ),
    (
        42,
        1,
        squared_error(
            forward="return ((x0 - x1)**2).sum() / (3 if x0.size > 2 else 2)"
        ),
        "the loss should be",
    ),
    (
        42,
        2,
        parabola()
        + "right = fit_parabola\n"
        + function(
            "fit_parabola(x, t, lr=0.3, steps=1_000)",
            "if lr == 0.2: return 2.0, -1.0, 3.0",
            "return right(x, t, lr, steps)",
        ),
        "should be",
    ),
    (
        43,
        2,
        final_losses(
            "if steps == 33: return [0.1] * len(sizes)",
            "return [train_network(x, t, initial(n, 1.0), steps=steps)[-1] "
            "for n in sizes]",
        ),
        "the last loss should be",
    ),
    (
        43,
        3,
        slope_after(
            "y, slope = 0.5, 1.0",
            "for _ in range(k):",
            "    y = 1 / (1 + np.exp(-y))",
            "    slope *= y * (1 - y)",
            "return slope",
        ),
        "the slope of",
    ),
]


@pytest.mark.parametrize(
    ("number", "exercise", "attempt"),
    [(*where, attempt) for where, attempts in RIGHT.items() for attempt in attempts],
)
def test_a_right_attempt_is_accepted(number, exercise, attempt):
    assert complaint(number, exercise, attempt) is None


@pytest.mark.parametrize(("number", "exercise", "attempt", "words"), WRONG)
def test_a_likely_mistake_gets_a_sentence_that_helps(number, exercise, attempt, words):
    answer = complaint(number, exercise, attempt)
    assert answer is not None, "accepted"
    assert words in answer


@pytest.mark.parametrize(("number", "exercise", "attempt", "words"), BY_HEART)
def test_an_answer_by_heart_fails_in_the_hidden_tests(number, exercise, attempt, words):
    answer = complaint(number, exercise, attempt)
    assert answer is not None, "accepted"
    assert words in answer


@pytest.mark.parametrize("number", [37, 41, 42, 43])
def test_two_right_ways_are_kept_for_every_exercise(number):
    book = builder.assemble(number)
    count = sum(
        exercises.is_solution(checks.source(cell)) for cell in checks.code_cells(book)
    )
    assert {where for where in RIGHT if where[0] == number} == {
        (number, exercise) for exercise in range(1, count + 1)
    }
    assert all(len(attempts) >= 2 for attempts in RIGHT.values())
