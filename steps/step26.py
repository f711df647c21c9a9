"""Step 26: our graphs as pictures."""

from dezero_lite.player import play
from dezero_lite.utils import get_dot_graph, plot_dot_graph

from . import step25
from .step25 import *  # noqa: F403

__all__ = [*step25.__all__, "get_dot_graph", "play", "plot_dot_graph"]


def graph_of(y):
    """Return the nodes and edges of the graph behind ``y``, ready for `dot_text`."""
    ids, nodes, edges = {}, [], []
    waiting = [y]
    while waiting:
        thing = waiting.pop()
        if id(thing) in ids:
            continue
        ids[id(thing)] = f"n{len(ids)}"
        if hasattr(thing, "creator"):
            label = thing.name or ""
            before = [thing.creator] if thing.creator is not None else []
        else:
            label = type(thing).__name__
            before = [x for x in thing.inputs if hasattr(x, "creator")]
        nodes.append((ids[id(thing)], label))
        edges += [(other, thing) for other in before]
        waiting += before
    return nodes, [(ids[id(start)], ids[id(end)]) for start, end in edges]
