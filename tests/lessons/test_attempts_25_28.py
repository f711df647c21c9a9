"""Attempts at the exercises of lessons 25 to 28, as in `test_attempts.py`."""

import pytest

from steps.course import builder, exercises
from tests.lessons.test_attempts import complaint
from tests.support import lesson_checks as checks

DOT = """\
def dot_text(nodes, edges):
    lines = ["digraph {", "    rankdir=LR"]
    for name, label in nodes:
        shape = "box" if label[:1].isupper() else "ellipse"
        lines.append(f'    {name} [label="{label}", shape={shape}]')
    for start, end in edges:
        lines.append(f"    {start} -> {end}")
    lines.append("}")
    return "\\n".join(lines)
"""
DIAMOND = """\
nodes = [(v, v) for v in ["x", "a", "b", "c", "y", "A", "B", "C", "Add"]]
edges = [("x", "A"), ("A", "a"), ("a", "B"), ("B", "b"), ("b", "Add"), ("Add", "y")]
edges += [("a", "C"), ("C", "c"), ("c", "Add")]
"""
COLUMNS = """\
def with_columns(text, columns):
    new = text[:-1]
    for ids in columns:
        new += "    {rank=same; " + "; ".join(ids) + "}\\n"
    return new + "}"
"""

GRAPH = """\
def graph_of(y):
    ids, nodes, edges = {}, [], []
    def visit(thing):
        if id(thing) in ids:
            return ids[id(thing)]
        name = ids[id(thing)] = f"n{len(ids)}"
        if isinstance(thing, Variable):
            nodes.append((name, thing.name or ""))
            before = [thing.creator] if thing.creator is not None else []
        else:
            nodes.append((name, type(thing).__name__))
            before = [x for x in thing.inputs if isinstance(x, Variable)]
        for other in before:
            edges.append((visit(other), name))
        return name
    visit(y)
    return nodes, edges
"""
PLUS = """\
x = Variable(np.array(1.0), name="x")
drawn = get_dot_graph(x + x, verbose=False)
nodes_predicted, arrows_predicted = 3, 3
"""
DEPTH = """\
def depth(y):
    longest, waiting = 0, [(y, 0)]
    best = {}
    while waiting:
        v, so_far = waiting.pop()
        if best.get(id(v), -1) >= so_far:
            continue
        best[id(v)] = so_far
        longest = max(longest, so_far)
        if v.creator is not None:
            waiting += [(x, so_far + 1) for x in v.creator.inputs
                if isinstance(x, Variable)]
    return longest
"""

SIN = """\
class Sin(Function):
    def forward(self, x):
        return np.sin(x)
    def backward(self, gy):
        (x,) = self.inputs
        return sin(x + np.pi / 2) * gy
def sin(x):
    return Sin()(x)
"""
EXP = """\
def taylor_exp(x, threshold=1e-6):
    y, n = 0, 0
    while True:
        term = x**n / math.factorial(n)
        y = y + term
        if abs(term.data) < threshold:
            return y
        n += 1
"""
CHAINED = """\
def chained_sin(x, threshold=1e-6):
    square = x * x
    y, term, n = x, x, 1
    while abs(term.data) >= threshold:
        term = -term * square / ((n + 1) * (n + 2))
        y = y + term
        n += 2
    return y
"""

WALK = """\
def gradient_descent(f, start, lr, steps):
    xs = [Variable(np.array(float(value))) for value in start]
    path = [list(start)]
    for _ in range(steps):
        for x in xs:
            x.cleargrad()
        f(*xs).backward()
        for x in xs:
            x.data = x.data - lr * x.grad.data
        path.append([float(x.data) for x in xs])
    return np.array(path)
"""
MOMENTUM = """\
def momentum_descent(f, start, lr, steps, keep=0.9):
    xs = [Variable(np.array(float(value))) for value in start]
    vs = [0.0 for _ in xs]
    path = [list(start)]
    for _ in range(steps):
        for x in xs:
            x.cleargrad()
        f(*xs).backward()
        for i, x in enumerate(xs):
            vs[i] = keep * vs[i] - lr * x.grad.data
            x.data = x.data + vs[i]
        path.append([float(x.data) for x in xs])
    return np.array(path)
"""
CAREFUL = """\
def careful_descent(f, start, steps):
    path = [list(start)]
    for _ in range(steps):
        now = path[-1]
        xs = [Variable(np.array(float(value))) for value in now]
        f(*xs).backward()
        lr, best = 1.0, now
        for _ in range(50):
            new = [v - lr * float(x.grad.data) for v, x in zip(now, xs)]
            if f(*new) < f(*now):
                best = new
                break
            lr = lr / 2
        path.append(best)
    return np.array(path)
"""

RIGHT = {
    (25, 1): [
        DOT,
        "def dot_text(nodes, edges):\n    def line(pair):\n"
        "        kind = 'box' if pair[1][0] in 'ABCDEFGHIJKLMNOPQRSTUVWXYZ' else "
        "'ellipse'\n        return f'{pair[0]} [shape = {kind} label = {pair[1]}];'\n"
        "    body = [line(p) for p in nodes] + [f'{a}->{b};' for a, b in edges]\n"
        "    return 'digraph{rankdir=LR;}'.replace('{', '{\\n').replace("
        "'}', '\\n' + '\\n'.join(body) + '\\n}')",
    ],
    (25, 2): [
        DIAMOND,
        "names = ['x', 'A', 'a', 'B', 'b', 'C', 'c', 'Add', 'y']\n"
        "nodes = tuple((f'n{i}', name) for i, name in enumerate(names))\n"
        "edges = [(f'n{i}', f'n{j}') for i, j in ((0, 1), (1, 2), (2, 3), (2, 5), "
        "(3, 4), (5, 6), (4, 7), (6, 7), (7, 8))]",
    ],
    (25, 3): [
        COLUMNS,
        "def with_columns(text, columns):\n    head, _, _ = text.rpartition('}')\n"
        "    rows = ['{rank=same;' + ';'.join(ids) + ';}' for ids in columns]\n"
        "    return '\\n'.join([head.rstrip(), *rows, '}'])",
    ],
    (26, 1): [
        GRAPH,
        "def graph_of(y):\n    things, edges = [y], []\n    for thing in things:\n"
        "        if isinstance(thing, Variable):\n"
        "            before = [thing.creator] if thing.creator else []\n"
        "        else:\n"
        "            before = [x for x in thing.inputs if isinstance(x, Variable)]\n"
        "        for other in before:\n"
        "            if not any(other is known for known in things):\n"
        "                things.append(other)\n"
        "            edges.append((id(other), id(thing)))\n"
        "    nodes = [(id(t), t.name or '' if isinstance(t, Variable) else "
        "t.__class__.__name__) for t in things]\n    return nodes, edges",
    ],
    (26, 2): [
        PLUS,
        "v = Variable(np.array([2.0, 3.0]), name='x')\n"
        "drawn = get_dot_graph(v + v, False)\n"
        "nodes_predicted = 2 + 1\narrows_predicted = 2 + 1.0",
    ],
    (26, 3): [
        DEPTH,
        "def depth(y):\n    return 0 if y.creator is None else "
        "y.creator.generation + 1",
    ],
    (27, 1): [
        SIN,
        SIN.replace("sin(x + np.pi / 2) * gy", "gy * -sin(x - np.pi / 2)"),
    ],
    (27, 2): [
        EXP,
        "def taylor_exp(x, threshold=1e-6):\n    term = x * 0 + 1\n    y, n = term, 1\n"
        "    while abs(term.data) >= threshold:\n        term = term * x / n\n"
        "        y = y + term\n        n = n + 1\n    return y",
    ],
    (27, 3): [
        CHAINED,
        "def chained_sin(x, threshold=1e-6, n=1):\n    minus = -(x * x)\n"
        "    terms = [x]\n    while abs(terms[-1].data) >= threshold:\n"
        "        n = n + 2\n        terms.append(terms[-1] * minus / (n * (n - 1)))\n"
        "    return sum(reversed(terms))",
    ],
    (28, 1): [
        WALK,
        "def gradient_descent(f, start, lr, steps):\n    path = [np.array(start)]\n"
        "    while len(path) <= steps:\n"
        "        xs = [Variable(np.array(v, dtype=float)) for v in path[-1]]\n"
        "        f(*xs).backward()\n"
        "        path.append(path[-1] - lr * np.array([x.grad.data for x in xs]))\n"
        "    return path",
    ],
    (28, 2): [
        MOMENTUM,
        "def momentum_descent(f, start, lr, steps, keep=0.9):\n"
        "    path = [np.array(start, dtype=float)] * 2\n"
        "    for _ in range(steps):\n"
        "        xs = [Variable(np.array(v)) for v in path[-1]]\n"
        "        f(*xs).backward()\n"
        "        slope = np.array([x.grad.data for x in xs])\n"
        "        path.append(path[-1] + keep * (path[-1] - path[-2]) - lr * slope)\n"
        "    return path[1:]",
    ],
    (28, 3): [
        CAREFUL,
        "def careful_descent(f, start, steps):\n    p = np.array(start, dtype=float)\n"
        "    path = [p]\n    for _ in range(steps):\n"
        "        xs = [Variable(np.array(v)) for v in p]\n        y = f(*xs)\n"
        "        y.backward()\n        g = np.array([x.grad.data for x in xs])\n"
        "        tries = [p - g / 2**k for k in range(50)]\n"
        "        p = next((t for t in tries if f(*t) < y.data), p)\n"
        "        path.append(p)\n    return path",
    ],
}

WRONG = [
    (25, 1, DOT.replace("isupper", "islower"), "should have the shape"),
    (25, 1, DOT.replace("[label=", "[").replace('", shape', '", shape'), "its label"),
    (25, 1, DOT.replace('return "\\n".join(lines)', "return lines"), "not a list"),
    (25, 1, DOT.replace("return", "_ ="), "returned nothing"),
    (25, 1, DOT.replace("{start} -> {end}", "{end} -> {start}"), "the arrows should"),
    (25, 1, DOT.replace(', "    rankdir=LR"', ""), "rankdir=LR is missing"),
    (25, 1, DOT.replace('    lines.append("}")\n', ""), "closes the bracket"),
    (25, 1, DOT.replace("{name} [", "{label} ["), "begins with its id"),
    (
        25,
        1,
        "def dot_text(nodes, edges):\n    return '''digraph {\n    rankdir=LR\n"
        '    v0 [label="x", shape=ellipse]\n    f0 [label="Square", shape=box]\n'
        "    v1 [label=\"y\", shape=ellipse]\n    v0 -> f0\n    f0 -> v1\n}'''",
        "there are 1 nodes",
    ),
    (25, 2, DIAMOND.replace('("c", "Add")', '("c", "y")'), "Add has 2 input(s)"),
    (25, 2, DIAMOND.replace('("a", "C"), ', '("x", "C"), '), "is an input"),
    (25, 2, DIAMOND.replace(', "Add"]]', "]]"), "which no node has"),
    (25, 2, DIAMOND.replace('"c", "y", ', '"c", "y", "c", '), "listed twice"),
    (25, 2, "nodes, edges = [], []", "missing"),
    (25, 3, COLUMNS.replace('"; ".join', '", ".join'), "the added lines should say"),
    (25, 3, COLUMNS.replace("text[:-1]", "text"), "closes its own bracket"),
    (25, 3, COLUMNS.replace('return new + "}"', "return new"), "closes its own"),
    (25, 3, COLUMNS.replace("return", "_ ="), "return the longer text"),
    (
        25,
        3,
        "def with_columns(text, columns):\n"
        "    return text[:-1] + '{rank=same; v0; v1}\\n}'",
        "closes its own bracket",
    ),
    (26, 1, GRAPH.replace("id(thing) in ids", "False"), "have the same id"),
    (26, 1, GRAPH.replace(" if thing.creator is not None else []", ""), "is None"),
    (26, 1, GRAPH.replace("    return nodes, edges", "    return nodes"), "two lists"),
    (26, 1, GRAPH.replace(" if isinstance(x, Variable)]", "]"), "plain number"),
    (26, 1, GRAPH.replace("visit(other), name)", "name, visit(other))"), "the arrows"),
    (26, 1, GRAPH.replace("thing.name or ", ""), "the labels should be"),
    (26, 1, GRAPH.replace("in before:", "in set(before):"), "one for each input"),
    (26, 1, GRAPH.replace("id(thing)", "thing.name"), "stopped"),
    (26, 2, PLUS.replace("3, 3", "4, 3"), "does not have 4 nodes"),
    (26, 2, PLUS.replace("3, 3", "3, 2"), "does not have 2 arrows"),
    (26, 2, PLUS.replace(", verbose=False", ""), "leave shapes"),
    (26, 2, PLUS.replace(', name="x"', ""), "the name x"),
    (26, 2, PLUS.replace("x + x", "2 * x"), "one function, Add"),
    (26, 2, "nodes_predicted, arrows_predicted, drawn = None, None, None", "predict"),
    (
        26,
        3,
        "def depth(y):\n    f = y.creator\n    return 0 if f is None else "
        "1 + max(depth(x) for x in f.inputs if isinstance(x, Variable))",
        "no recursion",
    ),
    (
        26,
        3,
        "def depth(y):\n    return sum(k[:1].isupper() for _, k in graph_of(y)[0])",
        "the depth is 2, not 3",
    ),
    (26, 3, DEPTH.replace("return longest", "print(longest)"), "returned nothing"),
    (26, 3, DEPTH.replace("0, [(y, 0)]", "1, [(y, 1)]"), "the depth is 0"),
    (26, 3, "def depth(y):\n    return 4", "the depth is 0, not 4"),
    (27, 1, SIN.replace("np.pi / 2", "np.pi"), "cos x is sin"),
    (27, 1, SIN.replace("return sin(x", "return np.cos(x"), "stopped"),
    (27, 1, SIN.replace("sin(x + np.pi / 2) * gy", "np.cos(x.data) * gy"), "again"),
    (27, 1, SIN.replace(" * gy", ""), "is gy used"),
    (27, 1, SIN.replace("    return Sin()(x)", "    Sin()(x)"), "returned nothing"),
    (27, 1, SIN.replace("Sin()(x)", "np.sin(x.data)"), "return a variable"),
    (27, 1, SIN.replace("(x,) = self", "x = self"), "stopped"),
    (27, 2, EXP.replace("x**n", "x.data**n"), "not from x.data"),
    (27, 2, EXP.replace("        n += 1", "        n += 2"), "and exp is"),
    (27, 2, EXP.replace("< threshold", "< 1e-6"), "more terms"),
    (27, 2, EXP.replace("math.factorial(n)", "(n + 1)"), "taylor_exp("),
    (27, 2, EXP.replace("y, n = 0, 0", "y, n = 0, 1"), "taylor_exp("),
    (
        27,
        2,
        "def taylor_exp(x, threshold=1e-6):\n"
        "    return Variable(np.exp(x.data), name='y')",
        "x.data",
    ),
    (
        27,
        2,
        EXP.replace("abs(term.data) < threshold", "False"),
        "stop at a term below the threshold",
    ),
    (27, 3, CHAINED.replace("-term", "term"), "and the sine"),
    (27, 3, CHAINED.replace("-term * square", "-term * x * x"), "x·x once"),
    (27, 3, CHAINED.replace("* square", "* x**2"), "no power"),
    (27, 3, CHAINED.replace("= x, x, 1", "= x.data, x.data, 1"), "not from x.data"),
    (27, 3, CHAINED.replace(">= threshold", ">= 1e-6"), "more terms"),
    (27, 3, CHAINED.replace("square = x * x", "square = x.data**2"), "the cosine"),
    (27, 3, CHAINED.replace("(n + 1) * (n + 2)", "n * (n + 1)"), "and the sine"),
    (
        27,
        3,
        "def chained_sin(x, threshold=1e-6):\n    return sin(x)",
        "more terms",
    ),
    (28, 1, WALK.replace("            x.cleargrad()\n", "            pass\n"), "clear"),
    (28, 1, WALK.replace("data - lr", "data + lr"), "subtract"),
    (28, 1, WALK.replace("        f(*xs).backward()\n", ""), "until backward has run"),
    (28, 1, WALK.replace("path = [list(start)]", "path = []"), "make 6 points"),
    (28, 1, WALK.replace("f(*xs)", "f(*path[-1])"), "takes variables"),
    (28, 1, WALK.replace("return np.array(path)", "pass"), "returned nothing"),
    (
        28,
        1,
        WALK.replace(
            "        f(*xs).backward()\n        for x in xs:\n",
            "        for x in xs:\n            f(*xs).backward()\n",
        ),
        "the first step from",
    ),
    (
        28,
        1,
        "def gradient_descent(f, start, lr, steps):\n"
        "    return [(0.8**k,) for k in range(steps + 1)]",
        "the shape is",
    ),
    (28, 2, MOMENTUM.replace("keep * vs[i] - ", "-"), "step 2"),
    (28, 2, MOMENTUM.replace("- lr", "+ lr"), "the first step"),
    (
        28,
        2,
        MOMENTUM.replace("            x.cleargrad()\n", "            pass\n"),
        "step 2",
    ),
    (28, 2, MOMENTUM.replace("return np.array(path)", "pass"), "returned nothing"),
    (28, 2, MOMENTUM.replace("keep * vs", "0.9 * vs"), "with keep=0.0"),
    (
        28,
        2,
        "def momentum_descent(f, start, lr, steps, keep=0.9):\n"
        "    return gradient_descent(f, start, lr, steps)",
        "step 2",
    ),
    (28, 3, CAREFUL.replace("            lr = lr / 2\n", ""), "should end at"),
    (
        28,
        3,
        CAREFUL.replace("lr, best = 1.0, now", "lr, best = 0.1, now"),
        "first rate",
    ),
    (28, 3, CAREFUL.replace("f(*new) < f(*now)", "True"), "first rate"),
    (28, 3, CAREFUL.replace("lr / 2", "lr / 3"), "the first rate of 1"),
    (28, 3, CAREFUL.replace("array(path)", "array(path[1:])"), "3 steps make 4"),
    (28, 3, CAREFUL.replace("return np.array(path)", "pass"), "returned nothing"),
    (
        28,
        3,
        "def careful_descent(f, start, steps):\n"
        "    return gradient_descent(f, start, 0.1, steps)",
        "the first rate of 1",
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


@pytest.mark.parametrize("number", [25, 26, 27, 28])
def test_two_right_ways_are_kept_for_every_exercise(number):
    book = builder.assemble(number)
    count = sum(
        exercises.is_solution(checks.source(cell)) for cell in checks.code_cells(book)
    )
    assert {where for where in RIGHT if where[0] == number} == {
        (number, exercise) for exercise in range(1, count + 1)
    }
    assert all(len(attempts) >= 2 for attempts in RIGHT.values())
