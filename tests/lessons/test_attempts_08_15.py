"""Attempts at the exercises of lessons 8 to 15, in the manner of `test_attempts`."""

import pytest

from steps.course import builder, exercises
from tests.lessons.test_attempts import complaint, method, methods
from tests.support import lesson_checks as checks

LOOP_AND_CALL = (
    "def total_by_loop(nested):\n    worklist, result = [nested], 0\n"
    "    while worklist:\n        item = worklist.pop()\n"
)
CUBE = ("forward(self, x)", "return x**3")
CALL = "def cube(x):\n    return Cube()(x)\n"

RIGHT = {
    (8, 1): [
        "def clear(y):\n    worklist = [y]\n    while worklist:\n"
        "        v = worklist.pop()\n        v.grad = None\n"
        "        if v.creator:\n            worklist.append(v.creator.input)",
        "def clear(y):\n    while True:\n        y.grad = None\n"
        "        if y.creator is None:\n            return\n"
        "        y = y.creator.input",
    ],
    (8, 2): [
        "def total_by_loop(nested):\n    flat = [nested]\n"
        "    while any(isinstance(item, list) for item in flat):\n        once = []\n"
        "        for item in flat:\n"
        "            once += item if isinstance(item, list) else [item]\n"
        "        flat = once\n    return sum(flat)",
        "from collections import deque\ndef total_by_loop(nested):\n"
        "    queue, result = deque([nested]), 0\n    while queue:\n"
        "        item = queue.popleft()\n        try:\n"
        "            queue.extend(item)\n        except TypeError:\n"
        "            result = result + item\n    return result",
    ],
    (8, 3): [
        "def backward_to(y, target):\n    for_now = [y]\n    while for_now:\n"
        "        v = for_now.pop()\n        if v is target:\n            break\n"
        "        v.creator.input.grad = v.creator.backward(v.grad)\n"
        "        for_now.append(v.creator.input)",
        "def backward_to(y, target):\n    fs = []\n    v = y\n"
        "    while v is not target:\n        fs.append(v.creator)\n"
        "        v = v.creator.input\n    for f in fs:\n"
        "        f.input.grad = f.backward(f.output.grad)",
    ],
    (9, 1): [
        methods(
            "Cube",
            ("forward(self, x)", "return x * x * x"),
            (
                "backward(self, gy)",
                "return gy * np.power(self.input.data, 2) * 3.0",
            ),
        )
        + "cube = lambda box: Cube()(box)",
        methods(
            "Cube",
            ("forward(self, a)", "self.slope = 3 * a**2; return np.power(a, 3)"),
            ("backward(self, gy)", "return self.slope * gy"),
        )
        + "def cube(x):\n    f = Cube()\n    return f(x)",
    ],
    (9, 2): [
        "class Friendly(Variable):\n    def __init__(self, data):\n"
        "        try:\n            super().__init__(data)\n"
        "        except TypeError as error:\n"
        "            if not isinstance(data, Variable):\n                raise\n"
        "            raise TypeError('it is already a Variable') from error",
        "class Friendly(Variable):\n    def __init__(self, data):\n"
        "        if hasattr(data, 'creator'):\n"
        "            raise TypeError('already a Variable, ' + type(data).__name__)\n"
        "        Variable.__init__(self, data)",
    ],
    (9, 3): [
        "def strict_backward(y):\n    if y.creator:\n        y.backward()\n"
        "        return\n"
        "    raise RuntimeError('y has no creator; use the result of a function')",
        "class NoGraph(RuntimeError):\n    pass\ndef strict_backward(y):\n"
        "    if y.creator is None:\n"
        "        raise NoGraph(f'{y} was made by nobody: apply a function first')\n"
        "    return y.backward()",
    ],
}

# An attempt, and words that the check's answer must hold.
WRONG = [
    (
        8,
        1,
        "def clear(y):\n    while y is not None:\n        y.grad = None\n"
        "        y = y.creator.input",
        "The creator of an input is None",
    ),
    (
        8,
        1,
        "def clear(y):\n    while y.creator is not None:\n        y.grad = None\n"
        "        y = y.creator.input",
        "still have something in grad: x",
    ),
    (
        8,
        1,
        "def clear(y):\n    while y.creator is not None:\n"
        "        y = y.creator.input\n        y.grad = None",
        "still have something in grad: y",
    ),
    (
        8,
        1,
        "def clear(y):\n    y.grad = None\n    if y.creator is not None:\n"
        "        clear(y.creator.input)",
        "not recursion",
    ),
    (
        8,
        2,
        f"{LOOP_AND_CALL}        result += item\n    return result",
        "either a list or a number",
    ),
    (
        8,
        2,
        f"{LOOP_AND_CALL}        result += total(item)\n    return result",
        "do not call total",
    ),
    (
        8,
        2,
        "def total_by_loop(nested):\n    if isinstance(nested, list):\n"
        "        return sum(total_by_loop(item) for item in nested)\n"
        "    return nested",
        "use a loop",
    ),
    (
        8,
        2,
        "def total_by_loop(nested):\n    result = 0\n    while nested:\n"
        "        item = nested.pop()\n        if isinstance(item, list):\n"
        "            nested.extend(item)\n        else:\n"
        "            result += item\n    return result",
        "either a list or a number",
    ),
    (
        8,
        2,
        "def total_by_loop(nested):\n    if not isinstance(nested, list):\n"
        "        return nested\n    result = 0\n    while nested:\n"
        "        item = nested.pop()\n        if isinstance(item, list):\n"
        "            nested.extend(item)\n        else:\n"
        "            result += item\n    return result",
        "emptied the caller's list",
    ),
    (
        8,
        3,
        "def backward_to(y, target):\n    y.backward()\n"
        "    target.creator.input.grad = None",
        "get no gradient",
    ),
    (
        8,
        3,
        "def backward_to(y, target):\n    y.backward()\n    v = target\n"
        "    while v.creator:\n        v = v.creator.input\n        v.grad = None",
        "backward should run twice",
    ),
    (
        8,
        3,
        "def backward_to(y, target):\n    while y.creator is not target:\n"
        "        f = y.creator\n        f.input.grad = f.backward(y.grad)\n"
        "        y = f.input",
        "run past target",
    ),
    (
        8,
        3,
        "def backward_to(y, target):\n    if y is not target:\n        f = y.creator\n"
        "        f.input.grad = f.backward(y.grad)\n"
        "        backward_to(f.input, target)",
        "not recursion",
    ),
    (
        9,
        1,
        methods("Cube", CUBE, ("backward(self, gy)", "return 3 * x**2 * gy")) + CALL,
        "self.input.data",
    ),
    (
        9,
        1,
        methods("Cube", CUBE, ("backward(self, gy)", "return 3 * self.input**2 * gy"))
        + CALL,
        "self.input.data",
    ),
    (
        9,
        1,
        methods(
            "Cube", CUBE, ("backward(self, gy)", "return 3 * self.input.data * 2 * gy")
        )
        + CALL,
        "the derivative of x³ is",
    ),
    (
        9,
        1,
        methods("Cube", CUBE, ("backward(self, gy)", "return 3 * self.input.data**2"))
        + CALL,
        "where does gy go in",
    ),
    (
        9,
        1,
        method("Cube", "forward(self, x)", "return x**3")
        + "def cube(x):\n    return Cube(x)",
        "Cube()(x)",
    ),
    (
        9,
        1,
        method("Cube", "forward(self, x)", "x**3") + CALL,
        "must return an array",
    ),
    (
        9,
        1,
        method("Cube", "forward(self, x)", "return x**3") + CALL,
        "needs a backward",
    ),
    (
        9,
        2,
        "class Friendly(Variable):\n    def __init__(self, data):\n"
        "        super().__init__(data)\n        if isinstance(data, Variable):\n"
        "            raise TypeError('already a Variable')",
        "for a Variable the message is: Variable needs an array",
    ),
    (
        9,
        2,
        "class Friendly(Variable):\n    def __init__(self, data):\n"
        "        if isinstance(data, Variable):\n"
        "            raise TypeError('already a Variable')",
        "leave that to super()",
    ),
    (
        9,
        2,
        "class Friendly(Variable):\n    def __init__(self, data):\n"
        "        if not isinstance(data, np.ndarray):\n"
        "            raise TypeError('already a Variable')\n"
        "        super().__init__(data)",
        "should be the one of Variable",
    ),
    (
        9,
        2,
        "class Friendly(Variable):\n    def __init__(self, data):\n"
        "        if isinstance(data, Variable):\n"
        "            raise ValueError('already a Variable')\n"
        "        super().__init__(data)",
        "should be a TypeError",
    ),
    (
        9,
        3,
        "def strict_backward(y):\n    y.backward()\n    if y.creator is None:\n"
        "        raise RuntimeError('y is not the result of a function')",
        "has already run",
    ),
    (
        9,
        3,
        "def strict_backward(y):\n    if y.creator is None:\n"
        "        return RuntimeError('y is not the result of a function')\n"
        "    y.backward()",
        "should raise a RuntimeError",
    ),
    (
        9,
        3,
        "def strict_backward(y):\n    if y.creator is None:\n"
        "        raise RuntimeError\n    y.backward()",
        "in a sentence",
    ),
    (
        9,
        3,
        "def strict_backward(y):\n    if y.creator is None:\n"
        "        raise RuntimeError('y is not the result of a function')",
        "it should run backward",
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


@pytest.mark.parametrize("number", sorted({number for number, _ in RIGHT}))
def test_two_right_ways_are_kept_for_every_exercise(number):
    book = builder.assemble(number)
    count = sum(
        exercises.is_solution(checks.source(cell)) for cell in checks.code_cells(book)
    )
    assert {where for where in RIGHT if where[0] == number} == {
        (number, exercise) for exercise in range(1, count + 1)
    }
    assert all(len(attempts) >= 2 for attempts in RIGHT.values())
