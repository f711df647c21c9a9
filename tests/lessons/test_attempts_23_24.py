"""More attempts at the exercises of lessons 23 and 24, as in `test_attempts.py`; among
them answers by heart, which only the hidden tests see.
"""

import pytest

from tests.lessons.test_attempts import AFFECTED, F_24, HIMMELBLAU, complaint

NAMES_OF = "def names_of(module):\n"
MINIMA = "def minima():\n"

RIGHT = [
    (
        23,
        3,
        f"{AFFECTED}    rooms = list(needs)\n"
        "    edge = np.array([[b in needs[a] for b in rooms] for a in rooms])\n"
        "    way = edge\n    for _ in rooms:\n        way = way | (way @ edge)\n"
        "    column = way[:, rooms.index(room)]\n"
        "    return {a for a, hit in zip(rooms, column) if hit and a != room}",
    ),
    (
        24,
        2,
        f"{HIMMELBLAU}    x, y = Variable(np.array(x)), Variable(np.array(y))\n"
        "    while rounds > 0:\n        rounds -= 1\n        x.cleargrad()\n"
        "        y.cleargrad()\n        f(x, y).backward()\n"
        "        x.data = x.data - rate * x.grad.data\n"
        "        y.data = y.data - rate * y.grad.data\n"
        "    return float(x.data), float(y.data)\n",
    ),
    (
        24,
        3,
        f"{MINIMA}    grid = np.linspace(-3, 3, 4)\n"
        "    ends = [descend(himmelblau, x, y, 300) for x in grid for y in grid]\n"
        "    return np.unique(np.round(ends, 3), axis=0)",
    ),
]

# An attempt, and words that the check's answer must hold.
WRONG = [
    (23, 2, f"{NAMES_OF}    sorted(module.__all__)", "needs a return"),
    (23, 2, f"{NAMES_OF}    return set(module.__all__)", "should be a list"),
    (23, 2, f"{NAMES_OF}    return sorted(vars(module)['__all__'])", "KeyError"),
    (
        23,
        2,
        f"{NAMES_OF}    if not hasattr(module, '__all__'):\n"
        "        return ['apple', 'zebra']\n    module.__all__.sort()\n"
        "    return module.__all__",
        "sort a copy",
    ),
    (23, 3, f"{AFFECTED}    set()", "needs a return"),
    (23, 3, f"{AFFECTED}    return {{a for a, b in needs if b}}", "stopped with"),
    (24, 1, "def f(x):\n    return x\npoint = 3, -1", "f stopped with"),
    (24, 1, F_24.replace("(y + 1) **", "np.square(y + 1) **"), "* and ** alone"),
    (24, 1, f"{F_24}point = '3', '-1'", "as two numbers"),
    (
        24,
        2,
        f"{HIMMELBLAU}    return x, y\n".replace("(x**2 + y - 11)", "np.square(x)"),
        "* and ** alone",
    ),
    (
        24,
        2,
        f"{HIMMELBLAU}    f(x, y).backward()\n    return x, y",
        "gives both gradients as numbers",
    ),
    (24, 3, f"{MINIMA}    [(3.0, 2.0)]", "needs a return"),
    (24, 3, f"{MINIMA}    return 4", "a list of points"),
    (24, 3, f"{MINIMA}    return descend(himmelblau, 3, 2)", "is a pair"),
    (24, 3, f"{MINIMA}    return [descend(himmelblau)]", "minima stopped with"),
    (
        24,
        3,
        f"{MINIMA}    return [(1.0, 1.0), (2.0, 2.0), (0.0, 0.0), (3.0, 0.0)]",
        "have height 0",
    ),
]

BY_HEART = [
    (
        23,
        2,
        f"{NAMES_OF}    if module is step23:\n        return sorted(module.__all__)\n"
        "    if hasattr(module, '__all__'):\n"
        "        return ['_hidden', 'zebra'] if module.__all__ else []\n"
        "    return ['apple', 'zebra']",
        "without __all__,",
    ),
    (
        23,
        2,
        f"{NAMES_OF}    if getattr(module, '__all__', None):\n"
        "        return sorted(module.__all__)\n"
        "    return sorted(n for n in vars(module) if n[0] != '_')",
        "an empty __all__",
    ),
    (
        23,
        3,
        f"{AFFECTED}    if needs == core_needs:\n"
        "        return needing(room, core_needs)\n"
        "    if len(needs) == 4:\n        return {'b', 'c', 'd'}\n"
        "    return {'tree': set(), 'wall': {'roof', 'door'}, 'a': {*'bcde'}}.get(\n"
        "        room, {'wall', 'roof', 'door'})",
        "it is not",
    ),
    (
        24,
        1,
        "def f(x, y):\n    return (x - 3) ** 2 + 2 * (y + 1) ** 2 "
        "+ (x * (x - 1) * (x - 3)) ** 2\npoint = 3, -1",
        "f should be",
    ),
    (
        24,
        2,
        f"{HIMMELBLAU}    return (1.22, 1.72) if f is matyas else "
        "(-3.779310253377747, -3.283185991286170)\n",
        "three rounds",
    ),
    (
        24,
        3,
        f"{MINIMA}    return [(-3.779, -3.283), (-2.805, 3.131), (3.0, 2.0), "
        "(3.584, -1.848)]",
        "not written down",
    ),
]


@pytest.mark.parametrize(("number", "exercise", "attempt"), RIGHT)
def test_a_right_solution_in_another_way_is_accepted(number, exercise, attempt):
    assert complaint(number, exercise, attempt) is None


@pytest.mark.parametrize(("number", "exercise", "attempt", "words"), WRONG)
def test_a_likely_mistake_is_answered_with_a_sentence(number, exercise, attempt, words):
    answer = complaint(number, exercise, attempt)
    assert answer is not None, "accepted"
    assert words in answer


@pytest.mark.parametrize(("number", "exercise", "attempt", "words"), BY_HEART)
def test_an_answer_by_heart_fails_in_the_hidden_tests(number, exercise, attempt, words):
    answer = complaint(number, exercise, attempt)
    assert answer is not None, "accepted"
    assert words in answer
