"""Attempts at the exercises of lessons 23 and 24, as in `test_attempts.py`."""

import pytest

from steps.course import builder, exercises
from tests.lessons.test_attempts import complaint
from tests.support import lesson_checks as checks

GIVEN = {
    "variable": ["Variable"],
    "function": ["Function"],
    "operators": ["arithmetic"],
    "backward": ["walk"],
}


def rooms(**more):
    """The rooms that are given, with more pieces or other rooms."""
    placed = {room: pieces + more.pop(room, []) for room, pieces in GIVEN.items()}
    return f"rooms = {placed | more!r}"


def lines(*texts):
    return "\n".join(texts)


HIMMELBLAU = (
    "def himmelblau(x, y):\n    return (x**2 + y - 11) ** 2 + (x + y**2 - 7) ** 2\n"
)
DESCEND = "def descend(f, x, y, rounds=2_000, rate=0.01):\n"
F = "def f(x, y):\n    return (x - 3) ** 2 + 2 * (y + 1) ** 2\n"


def descending(*body):
    """`himmelblau`, and `descend` with these lines in its loop."""
    loop = "".join(f"        {line}\n" for line in body)
    return f"{HIMMELBLAU}{DESCEND}    for _ in range(rounds):\n{loop}    return x, y\n"


RIGHT = {
    (23, 1): [
        rooms(
            settings=["settings"],
            arrays=["as_array"],
            function=["as_variable", "functions"],
            operators=["signs"],
            tools=["checks"],
        ),
        rooms(
            function=["settings", "as_array", "as_variable"],
            operators=["functions", "checks"],
            backward=["signs"],
        )
        .replace("[", "(")
        .replace("]", ",)"),
    ],
    (23, 2): [
        lines(
            "def names_of(module):",
            "    names = getattr(module, '__all__', None)",
            "    if names is None:",
            "        names = [n for n in dir(module) if n[0] != '_']",
            "    result = list(names)",
            "    result.sort()",
            "    return result",
        ),
        lines(
            "def names_of(m):",
            "    try:",
            "        return sorted(set(m.__all__))",
            "    except AttributeError:",
            "        return sorted({*m.__dict__} - {n for n in m.__dict__ "
            "if n.startswith('_')})",
        ),
    ],
    (23, 3): [
        lines(
            "def affected(room, needs):",
            "    seen = set()",
            "    def visit(this):",
            "        for user, used in needs.items():",
            "            if this in used and user not in seen:",
            "                seen.add(user)",
            "                visit(user)",
            "    visit(room)",
            "    seen.discard(room)",
            "    return seen",
        ),
        lines(
            "def affected(room, needs):",
            "    rooms = list(needs)",
            "    edge = np.array([[b in needs[a] for b in rooms] for a in rooms])",
            "    way = edge",
            "    for _ in rooms:",
            "        way = way | (way @ edge)",
            "    column = way[:, rooms.index(room)]",
            "    return {a for a, hit in zip(rooms, column) if hit and a != room}",
        ),
    ],
    (24, 1): [
        "def f(x, y):\n    return x**2 - 6 * x + 9 + 2 * y**2 + 4 * y + 2\n"
        "point = np.array([3, -1])",
        "def f(x, y):\n    a, b = x - 3, 1 + y\n    return a * a + b * b + b * b\n"
        "point = [3.0, -1]",
    ],
    (24, 2): [
        HIMMELBLAU
        + DESCEND
        + "    place = np.array([x, y])\n    for _ in range(rounds):\n"
        "        place -= rate * np.array(gradient(f, *place))\n"
        "    return place\n",
        "def himmelblau(x, y):\n    a, b = x * x + y - 11, x + y * y - 7\n"
        "    return a * a + b * b\n"
        + DESCEND
        + "    x, y = Variable(np.array(x)), Variable(np.array(y))\n"
        "    while rounds > 0:\n        rounds -= 1\n        x.cleargrad()\n"
        "        y.cleargrad()\n        f(x, y).backward()\n"
        "        x.data = x.data - rate * x.grad.data\n"
        "        y.data = y.data - rate * y.grad.data\n"
        "    return float(x.data), float(y.data)\n",
        HIMMELBLAU + "def descend(f, x, y, rounds=100, rate=0.01):\n"
        "    if rounds == 0:\n        return x, y\n"
        "    gx, gy = gradient(f, x, y)\n"
        "    return descend(f, x - rate * gx, y - rate * gy, rounds - 1, rate)\n",
    ],
    (24, 3): [
        "def minima():\n    points = []\n"
        "    for x, y in [(4, 4), (-4, 4), (4, -4), (-4, -4), (0, 0), (1, 2)]:\n"
        "        end = np.round(descend(himmelblau, x, y), 3)\n"
        "        if not any(np.array_equal(end, p) for p in points):\n"
        "            points.append(end)\n    return points",
        "def minima():\n    grid = np.linspace(-3, 3, 4)\n"
        "    ends = [descend(himmelblau, x, y, 300) for x in grid for y in grid]\n"
        "    return np.unique(np.round(ends, 3), axis=0)",
    ],
}

# An attempt, and words that the check's answer must hold.
WRONG = [
    (23, 1, rooms(), "have no room yet: settings"),
    (23, 1, "rooms = ['variable']", "a dict"),
    (23, 1, rooms(tools="checks"), "a list of pieces"),
    (23, 1, rooms(tools=[]), "is empty"),
    (23, 1, rooms(tools=[["checks"]]), "the name of one piece"),
    (23, 1, rooms(tools=["Checks"]), "there is no piece 'Checks'"),
    (23, 1, rooms(tools=["walk"]), "walk has two places"),
    (23, 1, rooms().replace("'Variable'", "'as_array'"), "should stay in the room"),
    (23, 1, rooms(**{"my tools": ["checks"]}), "cannot be the name of a room"),
    (
        23,
        1,
        rooms(
            variable=["as_array", "signs"],
            function=["settings", "as_variable", "functions"],
            backward=["checks"],
        ),
        "there is a circle",
    ),
    (
        23,
        1,
        rooms(
            variable=["as_array"],
            function=["settings", "functions"],
            operators=["as_variable", "signs"],
            backward=["checks"],
        ),
        "needs as_variable from operators",
    ),
    (23, 2, "def names_of(module):\n    sorted(module.__all__)", "needs a return"),
    (
        23,
        2,
        "def names_of(module):\n"
        "    return getattr(module, '__all__', None) or ['apple', 'zebra']",
        "exactly that, sorted",
    ),
    (23, 2, "def names_of(module):\n    return sorted(module.__all__)", "none to ask"),
    (
        23,
        2,
        "def names_of(module):\n    return sorted(vars(module)['__all__'])",
        "KeyError",
    ),
    (
        23,
        2,
        "def names_of(module):\n    if not hasattr(module, '__all__'):\n"
        "        return ['apple', 'zebra']\n    module.__all__.sort()\n"
        "    return module.__all__",
        "sort a copy",
    ),
    (23, 2, "def names_of(module):\n    return set(module.__all__)", "a list"),
    (
        23,
        2,
        "def names_of(module):\n"
        "    return sorted(n for n in vars(module) if n[0] != '_')",
        "exactly that",
    ),
    (
        23,
        2,
        "def names_of(module):\n    if hasattr(module, '__all__'):\n"
        "        return sorted(module.__all__)\n    return sorted(vars(module))",
        "without a leading underscore",
    ),
    (
        23,
        2,
        "def names_of(module):\n    names = getattr(module, '__all__', vars(module))\n"
        "    return sorted(n for n in names if n[0] != '_')",
        "exactly that",
    ),
    # What only the hidden tests see.
    (
        23,
        2,
        "def names_of(module):\n    if getattr(module, '__all__', None):\n"
        "        return sorted(module.__all__)\n"
        "    return sorted(n for n in vars(module) if n[0] != '_')",
        "an empty __all__",
    ),
    (
        23,
        2,
        "def names_of(module):\n    if module is step23:\n"
        "        return sorted(module.__all__)\n    if hasattr(module, '__all__'):\n"
        "        return ['_hidden', 'zebra'] if module.__all__ else []\n"
        "    return ['apple', 'zebra']",
        "without __all__,",
    ),
    (23, 3, "def affected(room, needs):\n    set()", "needs a return"),
    (23, 3, "def affected(room, needs):\n    return list()", "not a list"),
    (
        23,
        3,
        "def affected(room, needs):\n    return set(needs[room])",
        "turn the question round",
    ),
    (
        23,
        3,
        "def affected(room, needs):\n"
        "    return {other for other in needs if room in needs[other]}",
        "through the wall",
    ),
    (
        23,
        3,
        "def affected(room, needs):\n    found = {room}\n    for _ in needs:\n"
        "        found |= {o for o in needs if found & set(needs[o])}\n"
        "    return found",
        "an empty set",
    ),
    (
        23,
        3,
        "def affected(room, needs):\n    found = set()\n    for other in needs:\n"
        "        if room in needs[other]:\n"
        "            found |= {other} | affected(other, needs)\n    return found",
        "without an end",
    ),
    (
        23,
        3,
        "def affected(room, needs):\n    found, todo = set(), [room]\n"
        "    while todo:\n        changed = todo.pop()\n        for other in needs:\n"
        "            if changed in needs[other]:\n                found.add(other)\n"
        "                todo.append(other)\n    return found",
        "without an end",
    ),
    (
        23,
        3,
        "def affected(room, needs):\n    found = set()\n    for other, used in needs:\n"
        "        found.add(other)\n    return found",
        "stopped with",
    ),
    (
        23,
        3,
        "def affected(room, needs):\n    needs.pop(room)\n    return set()",
        "leave needs as it is",
    ),
    # What only the hidden tests see: the answers to all that can be seen, by heart.
    (
        23,
        3,
        "def affected(room, needs):\n"
        "    if needs == core_needs:\n        return needing(room, core_needs)\n"
        "    if len(needs) == 4:\n        return {'b', 'c', 'd'}\n"
        "    return {'tree': set(), 'wall': {'roof', 'door'}, 'a': {*'bcde'}}.get(\n"
        "        room, {'wall', 'roof', 'door'})",
        "it is not",
    ),
    (24, 1, "def f(x, y):\n    (x - 3) ** 2\npoint = 3, -1", "needs a return"),
    (24, 1, "def f(x, y):\n    return (x - 3) ** 2\npoint = 3, -1", "should be 11"),
    (
        24,
        1,
        "def f(x, y):\n    return (x - 3) ** 2 + 2 * np.square(y + 1)\npoint = 3, -1",
        "with +, -, * and ** alone",
    ),
    (24, 1, "def f(x):\n    return x\npoint = 3, -1", "f stopped with"),
    (24, 1, F + "point = None", "as two numbers"),
    (24, 1, F + "point = '3', '-1'", "as two numbers"),
    (24, 1, F + "point = 3", "as two numbers"),
    (24, 1, F + "point = 3, 1", "and not zero"),
    # What only the hidden tests see: a formula that is right at the points shown.
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
        DESCEND + "    return x, y\ndef himmelblau(x, y):\n    x",
        "needs a return",
    ),
    (
        24,
        2,
        DESCEND + "    return x, y\ndef himmelblau(x, y):\n"
        "    return (x**2 + y - 11) + (x + y**2 - 7)",
        "himmelblau(0, 0) is 170",
    ),
    (
        24,
        2,
        DESCEND + "    return x, y\ndef himmelblau(x, y):\n"
        "    return np.square(x**2 + y - 11) + np.square(x + y**2 - 7)",
        "with +, -, * and ** alone",
    ),
    (24, 2, descending("pass"), "has not moved"),
    (
        24,
        2,
        descending(
            "x = x - rate * gradient(f, x, y)[0]", "y = y - rate * gradient(f, x, y)[1]"
        ),
        "both of the old point",
    ),
    (
        24,
        2,
        descending("gx, gy = gradient(f, x, y)", "x, y = x + rate * gx, y + rate * gy"),
        "subtract rate times",
    ),
    (
        24,
        2,
        descending("gx, gy = gradient(f, x, y)", "return x - rate * gx, y - rate * gy"),
        "are there all rounds",
    ),
    (24, 2, descending("f(x, y).backward()"), "gives both gradients as numbers"),
    (
        24,
        2,
        descending("gx, gy = gradient(f, x, y)", "x, y = x - gx, y - gy"),
        "one round on matyas",
    ),
    (24, 2, descending("pass").replace("return x, y\n", ""), "return a pair"),
    # What only the hidden tests see.
    (
        24,
        2,
        HIMMELBLAU + DESCEND + "    return (1.22, 1.72) if f is matyas else "
        "(-3.779310253377747, -3.283185991286170)\n",
        "three rounds",
    ),
    (24, 3, "def minima():\n    [(3.0, 2.0)]", "needs a return"),
    (24, 3, "def minima():\n    return 4", "a list of points"),
    (24, 3, "def minima():\n    return descend(himmelblau, 3, 2)", "is a pair"),
    (24, 3, "def minima():\n    return [descend(himmelblau)]", "minima stopped with"),
    (
        24,
        3,
        "def minima():\n    return [descend(himmelblau, x, x, 300) for x in (3, -3)]",
        "other corners",
    ),
    (
        24,
        3,
        "def minima():\n    return {descend(himmelblau, x, y, n) for n in (20, 21) "
        "for x in (3, -3) for y in (3, -3)}",
        "twice",
    ),
    (
        24,
        3,
        "def minima():\n    return {descend(himmelblau, x, y, 300) for x in (3, -3) "
        "for y in (3, -3)}",
        "three digits",
    ),
    (
        24,
        3,
        "def minima():\n    return [(1.0, 1.0), (2.0, 2.0), (0.0, 0.0), (3.0, 0.0)]",
        "have height 0",
    ),
    # What only the hidden tests see: the four points, written down.
    (
        24,
        3,
        "def minima():\n    return [(-3.779, -3.283), (-2.805, 3.131), (3.0, 2.0), "
        "(3.584, -1.848)]",
        "not written down",
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


@pytest.mark.parametrize("number", [23, 24])
def test_two_right_ways_are_kept_for_every_exercise(number):
    book = builder.assemble(number)
    count = sum(
        exercises.is_solution(checks.source(cell)) for cell in checks.code_cells(book)
    )
    assert {where for where in RIGHT if where[0] == number} == {
        (number, exercise) for exercise in range(1, count + 1)
    }
    assert all(len(attempts) >= 2 for attempts in RIGHT.values())
