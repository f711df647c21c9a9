"""Attempts at the exercises of lessons 29 to 32, as in `test_attempts.py`."""

import pytest

from steps.course import builder, exercises
from tests.lessons.test_attempts import complaint
from tests.support import lesson_checks as checks

NEWTON = """\
def newton_minimize(f, second, start, steps):
    x = Variable(np.array(float(start)))
    path = [x.data]
    for _ in range(steps):
        x.cleargrad()
        f(x).backward()
        x.data = x.data - x.grad.data / second(x.data)
        path.append(x.data)
    return np.array(path)
"""
HEIGHT = "def root_height(x, a):\n    return x**4 / 4 - a * x\n"
SECOND = "def root_second(x, a):\n    return 3 * x**2\n"

RIGHT = {
    (29, 1): [
        NEWTON,
        "def newton_minimize(f, second, start, steps):\n    if steps == 0:\n"
        "        return [start]\n    x = Variable(np.array(start))\n"
        "    f(x).backward()\n    x = x - x.grad / second(x.data)\n"
        "    rest = newton_minimize(f, second, float(x.data), steps - 1)\n"
        "    return [start, *rest]",
    ],
    (29, 2): [
        "first, bend = 4 * 0.5**3 - 2, 3 - 4\nends = np.array([-1.0, 0.0, -1.0])",
        "first, bend = -3 / 2, quartic_second(0.5)\n"
        "ends = [newton_minimize(quartic, quartic_second, s, 20)[-1]\n"
        "    for s in (-3, 0.3, 0.5)]",
    ],
    (29, 3): [
        "def root_height(x, a):\n    return x * x * x * x * 0.25 - x * a + 7\n"
        "def root_second(x, a):\n    return x * 3 * x",
        "def root_height(x, a):\n    return x * (x**3 - 4 * a) / 4\n"
        "root_second = lambda x, a: (x + x + x) * x",
    ],
}

WRONG = [
    (29, 1, NEWTON.replace("        x.cleargrad()\n", ""), "cleared"),
    (29, 1, NEWTON.replace("data - x.grad", "data + x.grad"), "subtract"),
    (29, 1, NEWTON.replace("/ second", "* second"), "divided by the second"),
    (29, 1, NEWTON.replace("        f(x).backward()\n", ""), "None until backward"),
    (29, 1, NEWTON.replace("second(x.data)", "second(x)"), "second takes its data"),
    (29, 1, NEWTON.replace("path = [x.data]", "path = []"), "there are 2"),
    (29, 1, NEWTON.replace("return np.array(path)", "pass"), "returned nothing"),
    (
        29,
        1,
        "def newton_minimize(f, second, start, steps):\n"
        "    return gradient_descent(f, (start,), 0.01, steps)[:, 0]",
        "divided by the second",
    ),
    (29, 2, "first, bend = -1.5, -1\nends = [-1, 0, 0]", "far to the left"),
    (29, 2, "first, bend = -1.5, -1\nends = [-1, 1, -1]", "in the trap"),
    (29, 2, "first, bend = -1.5, -1\nends = [1, 0, -1]", "nearest valley"),
    (29, 2, "first, bend = 2.5, -1\nends = [-1, 0, -1]", "4x³ − 4x"),
    (29, 2, "first, bend = -1.5, 2\nends = [-1, 0, -1]", "12x² − 4"),
    (29, 2, "first, bend = -1.5, -1\nends = -1", "three numbers"),
    (29, 3, HEIGHT.replace("x**4 / 4", "x**4") + SECOND, "should be x³ − a"),
    (29, 3, HEIGHT.replace("x**4 / 4 - a * x", "x**3 - a") + SECOND, "x³ − a"),
    (29, 3, HEIGHT.replace("- a * x", "- a") + SECOND, "should be x³ − a"),
    (29, 3, HEIGHT + SECOND.replace("3 * x**2", "3 * x**2 - a"), "slope of x³ − a"),
    (29, 3, HEIGHT + "def root_second(x, a):\n    3 * x**2", "returned nothing"),
    (
        29,
        3,
        "def root_height(x, a):\n    return a ** (1 / 3)\n" + SECOND,
        "should return a variable",
    ),
]


@pytest.mark.parametrize(
    ("number", "exercise", "attempt"),
    [(*where, attempt) for where, attempts in RIGHT.items() for attempt in attempts],
)
def test_a_right_solution_in_another_way_is_accepted(number, exercise, attempt):
    assert complaint(number, exercise, attempt) is None


@pytest.mark.parametrize(("number", "exercise", "attempt", "words"), WRONG)
def test_a_likely_mistake_is_answered_with_a_sentence(number, exercise, attempt, words):
    answer = complaint(number, exercise, attempt)
    assert answer is not None, "accepted"
    assert words in answer


@pytest.mark.parametrize("number", [29, 30, 31, 32])
def test_two_right_ways_are_kept_for_every_exercise(number):
    book = builder.assemble(number)
    count = sum(
        exercises.is_solution(checks.source(cell)) for cell in checks.code_cells(book)
    )
    assert {where for where in RIGHT if where[0] == number} == {
        (number, exercise) for exercise in range(1, count + 1)
    }
    assert all(len(attempts) >= 2 for attempts in RIGHT.values())
