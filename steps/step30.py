"""Step 30: what the graph keeps (before the change)."""

import numpy as np

from . import step29
from .step25 import dot_text, show
from .step29 import *  # noqa: F403

__all__ = [*step29.__all__]


def trace(y):
    """List what the two passes left in the graph of ``y``, one row for each variable.

    A row is the variable's name, the class of its creator, its generation and the type
    of its gradient.
    """
    rows, met, waiting = [], set(), [y]
    while waiting:
        v = waiting.pop(0)
        if id(v) in met:
            continue
        met.add(id(v))
        f = v.creator
        creator = None if f is None else type(f).__name__
        rows.append((v.name, creator, v.generation, type(v.grad).__name__))
        if f is not None:
            waiting += f.inputs
    return rows


def graph_behind(*ys):
    """Return the nodes and edges of the graph behind variables, ready for `dot_text`.

    A variable without a name is labelled with its value.
    """
    ids, nodes, edges = {}, [], []
    waiting = list(ys)
    while waiting:
        thing = waiting.pop()
        if id(thing) in ids:
            continue
        ids[id(thing)] = f"n{len(ids)}"
        if hasattr(thing, "creator"):
            before = [thing.creator] if thing.creator is not None else []
            label = thing.name or str(np.round(thing.data, 4))
        else:
            label = type(thing).__name__
            before = list(thing.inputs)
        nodes.append((ids[id(thing)], label))
        edges += [(other, thing) for other in before]
        waiting += before
    return nodes, [(ids[id(start)], ids[id(end)]) for start, end in edges]


def draw_graphs(*results):
    """Draw the graph behind named variables; the last one, a gradient, is orange."""
    text = dot_text(*graph_behind(*results))
    look = 'rankdir=LR; ranksep=0.3; size="7.5"; node [fontname="sans-serif"]'
    text = text.replace("rankdir=LR", look)
    looks = ("box", "#fdf0d0", "#b07d00"), ("ellipse", "#d6eaf8", "#0072b2")
    for shape, fill, line in looks:
        filled = f'shape={shape}, style=filled, fillcolor="{fill}", color="{line}"'
        text = text.replace(f"shape={shape}", filled)
    before, last, after = text.partition(f'label="{results[-1].name}"')
    orange = 'color="#d55e00", fontcolor="#d55e00"'
    return show(before + last + after.replace('color="#0072b2"', orange, 1))
