"""Graphs in lessons: paths written as text, drawn by Graphviz."""

from itertools import pairwise

from dezero_lite.graph import EDGES, FUNCTION, NODES, VARIABLE, Picture, quote

GRAPH = 'rankdir=LR; ranksep=0.3; size="7.5"; bgcolor="white"'
# From early to late: light to dark, so that the order shows without colour, too.
GENERATIONS = ["#ffffff", "#e3eef9", "#b9d6ee", "#85b8de"]
SECOND = 'color="#d55e00", fontcolor="#d55e00"'


def draw(forward="", back=""):
    """Draw a graph of variables (round) and functions (square): :func:`steps.draw`."""
    forward_edges, back_edges = _edges(forward), _edges(back)
    names = dict.fromkeys(
        name for edge in forward_edges + back_edges for name in edge[:2]
    )
    lines = ["digraph {", f"    {GRAPH}", f"    node [{NODES}]", f"    edge [{EDGES}]"]
    lines += [
        f"    {quote(name)} [label={quote(_label(name))}, {_look(name)}]"
        for name in names
    ]
    lines += [f"    {_arrow(edge)} [label={quote(edge[2])}]" for edge in forward_edges]
    # An arrow back is laid out as one forward with its head at the other end, so that
    # inputs stay on the left.
    back_arrows = [((end, start), label) for start, end, label in back_edges]
    lines += [
        f"    {_arrow(pair)} [label={quote(label)}, {SECOND}, dir=back]"
        for pair, label in back_arrows
    ]
    return Picture("\n".join([*lines, "}"]))


def _edges(text):
    edges = []
    for line in filter(None, map(str.strip, text.splitlines())):
        path, _, label = (part.strip() for part in line.partition(":"))
        nodes = [node.strip() for node in path.split("->")]
        edges += [(a, b, label) for a, b in pairwise(nodes)]
    return edges


def _label(name):
    return name.split("#")[0].replace("@", " ")


def _look(name):
    look = FUNCTION if name[0].isupper() else VARIABLE
    _, _, generation = name.partition("@")
    return f'{look}, fillcolor="{GENERATIONS[int(generation)]}"' if generation else look


def _arrow(edge):
    return f"{quote(edge[0])} -> {quote(edge[1])}"
