"""The player shows what really happens, and leaves no trace of its own."""

import html
import json
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
    twice,
)

# What XML cannot hold, and what nobody would read.
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
    """A number or an array as the player's panel has it."""
    a = np.asarray(x)
    return f"{a:.5g}" if a.ndim == 0 else str(a.shape)


def panel(step, heading):
    """What stands under a heading, by name."""
    return [row for head, rows in step.panel if head == heading for row in rows]


def visits(player):
    return [step for step in player.steps if panel(step, "receives")]


def sentences(player):
    return [step.say for step in player.steps]


# --- the numbers are the real ones ----------------------------------------------------


@pytest.mark.parametrize(("number", "build"), EACH_GRAPH)
def test_what_is_shown_is_what_really_happens(number, build):
    player, boxes = played(number, build)
    notes, real = real_walk(step(number), build)
    keys = dict(re.findall(r'id="(v\d+)" .*?<text[^>]*>(\w+)<', player.svg))

    assert len(visits(player)) == len(notes) > 0
    for visit, (name, received, handed, _) in zip(visits(player), notes, strict=True):
        assert visit.say.startswith(name)
        for heading, arrays in [("receives", received), ("hands on", handed)]:
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

    # What is left is what a real walk leaves, and nothing else.
    for name, box in boxes.items():
        if real[name].grad is None:
            assert box.grad is None
        else:
            assert_equal(array(box.grad), array(real[name].grad))
        if box.creator is not None:
            assert not {"backward", "_differentiate"} & set(vars(box.creator))
    assert sys.gettrace() is None


# --- what each step of the course is about --------------------------------------------


def test_step_7_has_open_calls_in_place_of_a_worklist():
    player, _ = played(7, chain)
    calls = [f"{name}.backward()" for name in "ybax"]
    waiting = [calls[:count] for count in (1, 2, 3, 4)]
    assert [told.waiting for told in player.steps[4:-1]] == waiting
    assert "Open calls: y.backward(), b.backward()." in repr(player)


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


def test_step_13_puts_one_gradient_in_place_of_the_other():
    player, boxes = played(13, twice)
    assert boxes["x"].grad == 1.0
    assert "hands on 1 to x and 1 to x. x.grad is 1, in place of 1." in repr(player)
    assert "a.grad is 8, in place of 8." in repr(played(13, diamond)[0])


def test_step_14_is_wrong_as_it_happens():
    boxes = diamond(step(14))
    functions = {"A": "a", "B": "b", "C": "c", "D": "y"}
    letters = {letter: boxes[name].creator for letter, name in functions.items()}
    player = play(boxes["y"], **boxes, **letters)
    assert "".join(told.say[0] for told in visits(player)) == "DCABA"
    waiting = [["D"], ["B", "C"], ["B", "A"], ["B"], ["A"], []]
    assert [told.waiting for told in player.steps[5:-1]] == waiting
    assert [told.next for told in player.steps[5:-1]] == [0, 1, 1, 0, 0, None]
    assert sentences(player)[-2:] == [
        "A, once more, receives 16 from a and hands on 64 to x. x.grad is 32 + 64 = 96."
        " Worklist: empty.",
        "The walk is over. x.grad is 96.",
    ]


def test_step_16_keeps_a_heap_of_generations():
    player, _ = played(16, diamond)
    one, two, three = "(0, 3, Square 1)", "(-1, 1, Square 2)", "(-1, 2, Square 3)"
    waiting = [["(-2, 0, Add)"], [two, three], [three, one], [one], []]
    assert [told.waiting for told in player.steps[5:-1]] == waiting
    assert [told.next for told in player.steps[5:-1]] == [0, 0, 0, 0, None]
    assert sentences(player)[-1] == "The walk is over. x.grad is 64."


def test_step_18_drops_gradients_on_the_way_unless_they_are_retained():
    player, _ = played(18, diamond)
    dropped = [re.findall(r"(\w)\.grad is dropped", say) for say in sentences(player)]
    assert [name for names in dropped for name in names] == ["y", "b", "c", "a"]
    assert "dropped" not in repr(played(17, diamond)[0])
    kept, boxes = played(18, diamond, retain_grad=True)
    assert "dropped" not in repr(kept)
    assert boxes["a"].grad == 16.0


def test_gradients_from_before_take_part():
    boxes = diamond(step(14))
    boxes["x"].grad = np.array(6.0)
    told = repr(play(boxes["y"], **boxes))
    assert "Backward: y.grad is 1. x.grad is 6, from before." in told
    assert "x.grad is 6 + 32 = 38." in told
    assert "The walk is over. x.grad is 102." in told


def test_a_worklist_of_any_name_and_kind_is_found():
    class Mine(step(8).Variable):
        def backward(self):
            todo = [self.creator]
            for f in todo:  # nothing is taken out
                f.input.grad = f.backward(f.output.grad)
                todo += [f.input.creator] if f.input.creator else []

    boxes = chain(step(8))
    boxes["y"].__class__ = Mine
    steps = play(boxes["y"]).steps
    all_three = ["Square 2", "Exp", "Square 1"]
    waiting = [all_three[:1], all_three[:2], all_three, all_three]
    assert [told.waiting for told in steps[4:-1]] == waiting
    assert [told.next for told in steps[4:-1]] == [0, 1, 2, None]


# --- the package ----------------------------------------------------------------------


def diamond_of_the_package():
    x = Variable(np.array(2.0), name="x")
    a = x**2
    b, c = a**2, a**2
    return {"x": x, "a": a, "b": b, "c": c, "y": b + c}


def test_the_package_walks_as_it_does_without_the_player():
    boxes = diamond_of_the_package()
    player = play(boxes["y"], **boxes)
    assert [told.say for told in visits(player)] == [
        "Add receives 1 from y and hands on 1 to b and 1 to c. y.grad is dropped. "
        "Worklist: (-1, 1, Pow 2), (-1, 2, Pow 3).",
        "Pow 2 receives 1 from b and hands on 8 to a. b.grad is dropped. "
        "Worklist: (-1, 2, Pow 3), (0, 3, Pow 1).",
        "Pow 3 receives 1 from c and hands on 8 to a. a.grad is 8 + 8 = 16. c.grad is "
        "dropped. Worklist: (0, 3, Pow 1).",
        "Pow 1 receives 16 from a and hands on 64 to x. a.grad is dropped. "
        "Worklist: empty.",
    ]
    assert boxes["x"].grad.data == 64.0
    assert boxes["a"].grad is None
    again = play(boxes["y"])
    assert again.steps[-1].say == "The walk is over. x.grad is 64 + 64 = 128."


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


def test_a_gradient_that_grows_in_place_is_shown_as_it_was():
    x = Variable(np.array([1.0, 2.0]))
    told = repr(play(F.sum(x * 2 + x * 3 + x * 4)))
    assert "x.grad is [4 4] + [2 2] = [6 6]." in told
    assert "x.grad is [6 6] + [3 3] = [9 9]." in told


def test_constants_get_nothing():
    x = Variable(np.array(3.0))
    player = play(x * 2.5)
    (mul,) = visits(player)
    assert mul.say.startswith("Mul receives 1 from y and hands on 2.5 to x.")
    assert mul.lit == ["f0i0", "f0o0", "v0", "f0", "v1"]
    assert '<g id="f0c1" class="node">' in player.svg
    assert '<g id="f0i1" class="edge">' in player.svg


def test_outputs_that_are_gone_and_outputs_that_are_not_used():
    x = Variable(np.arange(4.0))
    first, second = F.split(x, 2)
    told = repr(play(F.sum(second), x=x, first=first, second=second))
    assert "makes first = [0 1] and second = [2 3]" in told
    assert "receives [0 0] from first and [1 1] from second" in told
    assert "hands on [0 0 1 1] to x" in told
    x.cleargrad()
    told = repr(play(F.sum(F.split(x, 2)[1]), x=x))
    assert "receives [1 1] from a and hands on [0 0 1 1] to x" in told


def test_a_leaf_says_what_backward_says():
    with pytest.raises(RuntimeError):
        play(Variable(np.array(2.0)))
    with pytest.raises(TypeError, match="play needs a Variable, not type float"):
        play(2.0)


# --- names, limits, and traces --------------------------------------------------------


def test_names_are_given_or_found():
    a = Variable(np.array(1.0), name="a")
    y = (a + Variable(np.array(2.0))) * Variable(np.array(4.0)) - 1
    player = play(y, S=y.creator)
    assert sentences(player)[:4] == [
        "Forward: a is 1, x0 is 2 and x1 is 4.",
        "Add takes a = 1 and x0 = 2 and makes b = 3.",
        "Mul takes b = 3 and x1 = 4 and makes c = 12.",
        "S takes c = 12 and 1 and makes y = 11.",
    ]


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


def test_a_walk_that_never_ends_is_stopped():
    a = step(14).Variable(np.array(1.0))
    for _ in range(12):
        a = step(14).add(a, a)
    f = a.creator
    with pytest.raises(ValueError, match=r"more than 300 times.*incomplete"):
        play(a)
    assert "backward" not in vars(f)


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


def test_the_same_computation_gives_the_same_bytes():
    for number, build in ((14, diamond), (18, grids)):
        one, other = (played(number, build)[0] for _ in range(2))
        assert repr(one) == repr(other)
        assert one.html() == other.html() == one.html()


def test_the_page_needs_nothing_from_elsewhere():
    page = played(14, diamond)[0].html()
    addresses = set(re.findall(r"https?://[^\"' <]+", page))
    assert addresses == {"http://www.w3.org/2000/svg"}
    assert len(page) < 40_000
    assert len(play(line(29)).html()) < 150_000


def test_where_frames_are_stripped_a_picture_and_the_sentences_stay():
    player, _ = played(14, diamond)
    frame = r"<iframe [^>]*srcdoc='[^']*'>(.*)</iframe><details>(.*)</details>"
    parts = re.fullmatch(frame, player.html())
    assert parts, "the frame's attributes end early"
    assert '<img alt="A graph, and the way back through it. The walk is' in parts[1]
    assert "data:image/svg+xml;base64," in parts[1]
    # Some pages drop frames with what is in them.
    assert re.findall("<li>(.*?)</li>", parts[2]) == sentences(player)


def test_names_cannot_break_out_of_the_page():
    evil = "</script><b>'&\"\n{{steps}}{{graph}}"
    player = play(Variable(np.array(2.0), name=evil) * 2)
    (page,) = re.findall(r"^<iframe [^>]*srcdoc='([^']*)'>", player.html())
    page = html.unescape(page)
    (steps,) = re.findall('id="steps">(.*?)</script>', page)
    assert json.loads(steps)[0]["say"] == f"Forward: {evil} is 2."
    assert page.count("<svg") == 2
    assert "<b>" not in page
    assert page.count("</script>") == 2


# --- Where nodes stand ----------------------------------------------------------------


def rectangles(svg):
    """By key: left, top, right and bottom of each node."""
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


@pytest.mark.parametrize("name", STRANGE_NAMES, ids=ascii)
def test_a_strange_name_spoils_no_picture(name):
    x = Variable(array(3.0), name)
    kind = name if name.isprintable() else "Mul"  # Python keeps the others out
    y = type(kind, (type((x * x).creator),), {})()(x, x)
    player = play(y)
    ElementTree.fromstring(player.svg)
    assert len(player.svg) < 10_000
    player.html().encode()
    assert len(get_dot_graph(y)) < 1_000
    get_dot_graph(y).encode()
