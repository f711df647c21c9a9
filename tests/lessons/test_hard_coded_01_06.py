"""Answers to the exercises of the first lessons that know the visible checks by heart:
the hidden tests, and nothing else, must see through them.
"""

import pytest

from steps.course import builder, exercises
from tests.lessons.test_attempts import lesson_until, method, methods, run

HARD_CODED = {
    (1, 1): "def refill(box):\n    old = box.data\n"
    "    box.data = np.array([[2.0, 4.0, 6.0], [8.0, 10.0, 12.0]])\n"
    "    return Variable(old)",
    (1, 2): "predict = lambda p, q, r: [7.0, 7.0, 50.0]",
    (1, 3): "def swap(x, y):\n    if x.data.ndim == 1:\n"
    "        x.data, y.data = y.data, x.data",
    (2, 1): method("Cube", "forward(self, x)", "return np.array([-1.0, 8.0])"),
    (2, 2): methods(
        "Scale",
        ("__init__(self, factor)", "self.big = factor > 1"),
        ("forward(self, x)", "return 3 * x if self.big else x / 2"),
    ),
    (2, 3): method(
        "Normalize",
        "forward(self, x)",
        "return (np.array([1.0, 2.0, 6.0]) - 3) / np.sqrt(14 / 3)",
    ),
    (3, 1): "def exp_of_exp(x):\n    Exp()(Exp()(x))\n"
    "    many = np.array([np.e, np.exp(np.exp(0.5))])\n"
    "    return Variable(many if x.data.ndim else many[0])",
    (3, 2): method("Neg", "forward(self, x)", "return np.array([1.0, 0.0, -2.0])")
    + "bump = lambda x: Variable(np.exp([-1.0, 0.0, -4.0]))",
    (3, 3): "def compose(*fs):\n"
    "    five = lambda x: fs[4](fs[3](fs[2](fs[1](fs[0](x)))))\n"
    "    few = lambda x: fs[1](fs[0](x)) if fs else x\n"
    "    return five if len(fs) == 5 else few",
    (4, 1): "def forward_diff(f, x, eps=1e-8):\n    return 5.0 if eps == 1 else 4.0",
    (4, 2): "def second_diff(f, x, eps=None):\n"
    "    if x.data.ndim:\n        return np.array([2.0, 2.0])\n"
    "    return 8 * np.exp(0.5)",
    (4, 3): "def numerical_gradient(f, x):\n    for _ in range(8):\n        f(x)\n"
    "    if x.data.size == 3:\n        return 10.0 ** np.arange(3) * np.exp(x.data)\n"
    "    return 2 * x.data",
    (5, 1): "forward_cost = lambda n: 350\nbackward_cost = lambda n: 150",
    (5, 2): "cheap_forward = lambda factor: [1, 2_000, 2_000, 1_000_000]",
    (5, 3): "def walk_back(W, x):\n    if x.size == 3:\n"
    "        return np.array([-2.0, -16.0, -8.0])\n    return np.array([14.0, 42.0])",
    (6, 1): methods(
        "Sin",
        ("forward(self, x)", "return np.sin([0.0, 1.0, 2.0])"),
        ("backward(self, gy)", "return gy * np.cos([0.0, 1.0, 2.0])"),
    ),
    (6, 2): "def gradient_at(x):\n    A, B, C = Square(), Exp(), Sin()\n"
    "    known = min((0.5, -1.0, 1.2), key=lambda v: abs(v - x.data))\n"
    "    C(B(A(Variable(np.array(known)))))\n"
    "    return A.backward(B.backward(C.backward(1.0)))",
    (6, 3): "class Row:\n    def __init__(self, *functions):\n"
    "        self.functions = functions[:4]\n"
    "    def __call__(self, x):\n        for f in self.functions:\n"
    "            x = f(x)\n        return x\n"
    "    def backward(self, gy):\n        for f in self.functions[::-1]:\n"
    "            gy = f.backward(gy)\n        return gy",
}


def answer(number, exercise, hidden):
    """What the check, with or without hidden tests, says to the hard-coded answer."""
    names, _, check = lesson_until(number, exercise)
    names = dict(names)
    run(HARD_CODED[number, exercise], names)
    try:
        run(check if hidden else exercises.without_hidden_tests(check), names)
    except AssertionError as error:
        return str(error)
    return None


def test_there_is_one_for_every_exercise():
    assert {
        (number, count)
        for number in range(1, 7)
        for count, _ in enumerate(
            exercises.of_lesson(builder.lesson_cells(number)), start=1
        )
    } == set(HARD_CODED)


@pytest.mark.parametrize(("number", "exercise"), sorted(HARD_CODED))
def test_a_hard_coded_answer_fails_in_the_hidden_tests(number, exercise):
    assert answer(number, exercise, hidden=False) is None
    assert answer(number, exercise, hidden=True)
