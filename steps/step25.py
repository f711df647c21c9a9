"""Step 25: graphs as pictures."""

from dezero_lite.graph import Picture

from . import step24
from .step24 import *  # noqa: F403

__all__ = [*step24.__all__]


def dot_text(nodes, edges):
    """Write a graph as DOT text: nodes are pairs (id, label), edges pairs (id, id).

    A node whose label begins with a capital letter is a function, and gets a box.
    """
    lines = ["digraph {", "    rankdir=LR"]
    for name, label in nodes:
        shape = "box" if label[:1].isupper() else "ellipse"
        lines.append(f'    {name} [label="{label}", shape={shape}]')
    for start, end in edges:
        lines.append(f"    {start} -> {end}")
    return "\n".join([*lines, "}"])


def show(text):
    """Draw DOT text with Graphviz, or show the text itself without Graphviz."""
    return Picture(text)
