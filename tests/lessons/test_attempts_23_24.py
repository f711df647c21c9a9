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
