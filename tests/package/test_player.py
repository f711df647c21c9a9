"""The player shows what really happens, and leaves no trace."""

import re
import sys
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest

import dezero_lite.functions as F
from dezero_lite import Variable
from dezero_lite.graph import get_dot_graph
from dezero_lite.player import play
from tests.support.arrays import assert_equal
from tests.support.real_walks import (
    BROKEN,
    SNAPSHOTS,
    array,
    chain,
    diamond,
    graphs,
    grids,
    real_walk,
    step,
)

# Characters that XML does not allow, and text that nobody would read.
STRANGE_NAMES = ("\x1b[31m", "a\0b", "\ud800", "\uffff", "w" * 20_000)

EACH_GRAPH = [
    pytest.param(number, build, id=f"{number}-{build.__name__}")
    for number in SNAPSHOTS
    if number not in BROKEN
    for build in graphs(number)
]


def played(number, build, **options):
    boxes = build(step(number))
    return play(boxes["y"], **boxes, **options), boxes


def shown(x):
    """Format a number or an array as the player's panel does."""
    a = np.asarray(x)
    return f"{a:.5g}" if a.ndim == 0 else str(a.shape)


def panel(step, heading):
    """Return what is listed under a heading, by name."""
    return [row for head, rows in step.panel if head == heading for row in rows]


def visits(player):
    return [step for step in player.steps if panel(step, "receives")]


# --- the numbers are the real ones ----------------------------------------------------


@pytest.mark.parametrize(("number", "build"), EACH_GRAPH)
def test_what_is_shown_is_what_really_happens(number, build):
    player, boxes = played(number, build)
    notes, real = real_walk(step(number), build)
    keys = dict(re.findall(r'id="(v\d+)" .*?<text[^>]*>(\w+)<', player.svg))

    assert len(visits(player)) == len(notes) > 0
    for visit, (name, received, handed, _) in zip(visits(player), notes, strict=True):
        assert visit.say.startswith(name)
        for heading, arrays in [("receives", received), ("passes on", handed)]:
            found = [what["text"] for _, what in panel(visit, heading)]
            assert found == list(map(shown, arrays))
        assert list(visit.edges.values()) == list(map(shown, handed))

    # The gradients in the graph are those of each moment.
    moments = [gradients for *_, gradients in notes]
    moments.append({name: array(box.grad) for name, box in real.items()})
    now, found, values = {}, [], {}
    for told in player.steps:
        values |= told.values
        now |= told.gradients
        if told.back and told.say != player.steps[-1].say:
            found.append(dict(now))
    for drawn, gradients in zip(found, moments, strict=True):
        for key, name in keys.items():
            gradient = gradients[name]
            text = "" if gradient is None else shown(gradient)
            assert drawn.get(key, "") == text, name
    assert {keys[key]: text for key, text in values.items()} == {
        name: shown(box.data) for name, box in boxes.items()
    }

    # Afterwards the variables are as a real backward pass leaves them.
    for name, box in boxes.items():
        if real[name].grad is None:
            assert box.grad is None
        else:
            assert_equal(array(box.grad), array(real[name].grad))
        if box.creator is not None:
            assert not {"backward", "_differentiate"} & set(vars(box.creator))
    assert sys.gettrace() is None


# --- what each step of the course is about --------------------------------------------


def test_a_constant_has_a_value_and_no_name():
    player = play(Variable(array(2.0), "x") * 3.0)
    takes = next(step for step in player.steps if panel(step, "takes"))
    assert [name for name, _ in panel(takes, "takes")] == ["x", ""]


@pytest.mark.parametrize("number", BROKEN)
def test_an_error_of_the_walk_is_seen_and_nothing_is_left(number):
    boxes = chain_of_lists() if number == 11 else diamond(step(number))
    f = boxes["y"].creator
    with pytest.raises(AttributeError, match="input"):
        play(boxes["y"])
    assert "backward" not in vars(f)
    assert sys.gettrace() is None


def chain_of_lists():
    x = step(11).Variable(np.array(2.0))
    return {"x": x, "y": step(11).square(x)}


# --- the package ----------------------------------------------------------------------


@pytest.mark.parametrize("create_graph", [False, True])
def test_what_functions_of_the_package_receive_is_what_is_retained(create_graph):
    rng = np.random.default_rng(0)
    x, w, b = (Variable(rng.normal(size=s)) for s in [(2, 3), (3, 4), (4,)])
    h = F.matmul(x, w) + b
    y = F.sum(F.sigmoid(h) * 3)
    player = play(y, retain_grad=True, create_graph=create_graph, x=x, w=w, b=b, h=h)
    assert h.grad is not None
    assert (h.grad.creator is not None) == create_graph
    (add,) = [told for told in visits(player) if told.say.startswith("Add")]
    (received,) = [what for _, what in panel(add, "receives")]
    low, high = h.grad.data.min(), h.grad.data.max()
    assert received["text"] == "(2, 4)"
    assert received["note"] == f"from {low:.5g} to {high:.5g}"
    assert " b.grad is an array (4,), added up from (2, 4)." in add.say
    assert "dropped" not in repr(player)
    assert player.steps[-1].say.endswith("and b.grad is an array (4,).")


# --- names, limits, and traces --------------------------------------------------------


def line(length):
    x = Variable(np.array(0.5))
    for _ in range(length):
        x = F.tanh(x)
    return x


def test_sixty_nodes_are_played_and_more_are_refused():
    player = play(line(29))
    assert len(player.steps) == 1 + 29 + 1 + 29 + 1
    y = line(30)
    with pytest.raises(ValueError, match="more than 60 nodes"):
        play(y)
    with pytest.raises(ValueError, match="more than 60 nodes"):
        play(line(10_000))
    assert y.creator.inputs[0].grad is None


def test_what_stood_on_a_function_stands_there_again():
    boxes = chain(step(8))
    f, log = boxes["a"].creator, []

    def mine(gy):
        log.append(gy)
        return gy

    f.backward = mine
    play(boxes["y"])
    assert f.backward is mine
    assert len(log) == 1


def test_another_trace_function_is_put_back():
    def mine(frame, event, arg):
        return None

    before = sys.gettrace()
    sys.settrace(mine)
    try:
        play(line(2))
        assert sys.gettrace() is mine
    finally:
        sys.settrace(before)


# --- what is shown --------------------------------------------------------------------


def test_large_arrays_show_their_beginning_and_odd_ones_show_something():
    big = np.arange(-100.0, 100.0).reshape(10, 20)
    odd = np.array([[np.nan, np.inf, -np.inf, 0.0, 1.0, -2.0]])
    player = play(F.sum(Variable(big)) + F.sum(Variable(odd)))
    (_, what), (_, strange) = panel(player.steps[0], "given")
    assert what["text"] == "(10, 20)"
    assert what["note"] == "from -100 to 99; the first 8 × 8:"
    assert [len(row) for row in what["heat"]] == [8] * 8
    assert what["heat"][0][0] == "i"
    assert strange["heat"] == ["09i04i"]
    assert play(F.sum(Variable(np.zeros((0, 3))))).steps[0].say.endswith("(0, 3).")


def test_the_page_needs_nothing_from_elsewhere():
    page = played(14, diamond)[0].html()
    addresses = set(re.findall(r"https?://[^\"' <]+", page))
    assert addresses == {"http://www.w3.org/2000/svg"}
    assert len(page) < 40_000
    assert len(play(line(29)).html()) < 150_000


# --- Where nodes stand ----------------------------------------------------------------


def rectangles(svg):
    """Return left, top, right and bottom of each node, by key."""
    n = r'="([-\d.]+)"'
    shape = rf'id="([vf]\d+)" [^>]*><rect x{n} y{n} width{n} height{n}'
    found = {}
    for key, *numbers in re.findall(shape, svg):
        x, y, width, height = map(float, numbers)
        found[key] = x, y, x + width, y + height
    return found


@pytest.mark.parametrize("build", [diamond, grids, lambda s: {"y": line(29)}])
def test_nodes_stand_apart_and_arrows_lead_from_left_to_right(build):
    boxes = build(step(18))
    player = play(boxes["y"], **boxes)
    nodes = rectangles(player.svg)
    assert len(nodes) >= 6
    for one, other in combinations(nodes.values(), 2):
        is_beside = one[2] < other[0] or other[2] < one[0]
        assert is_beside or one[3] < other[1] or other[3] < one[1]
    drawn = re.findall(r' class="edge"><path [^>]* d="M([^"]+)"', player.svg)
    ways = [(way.split()[0], way.split()[-2]) for way in drawn]
    assert ways
    assert all(float(start) < float(end) for start, end in ways)


def test_an_input_stands_before_the_function_that_takes_it_and_all_in_the_picture():
    x, w = Variable(array(1.0), "x"), Variable(array(2.0), "w")
    player = play(F.sin(F.sin(x)) + w, x=x, w=w)
    nodes = rectangles(player.svg).values()
    middles = sorted(left + right for left, _, right, _ in nodes)
    # x, sin, its output, sin, then its output and w, Add, y
    assert middles[4] == middles[5]
    x0, y0, width, height = map(
        float, re.search(r'viewBox="([^"]+)"', player.svg)[1].split()
    )
    for left, top, right, bottom in nodes:
        assert x0 < left < right < x0 + width
        assert y0 < top < bottom < y0 + height


@pytest.mark.parametrize("name", STRANGE_NAMES, ids=ascii)
def test_a_strange_name_spoils_no_picture(name):
    x = Variable(array(3.0), name)
    kind = name if name.isprintable() else "Mul"  # Python rejects the others
    y = type(kind, (type((x * x).creator),), {})()(x, x)
    player = play(y)
    ElementTree.fromstring(player.svg)
    assert len(player.svg) < 10_000
    player.html().encode()
    assert len(get_dot_graph(y)) < 1_000
    get_dot_graph(y).encode()
