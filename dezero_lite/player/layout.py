"""The positions of a graph's nodes: in columns from left to right, where each arrow has
its own place in the columns that it crosses.

The layout of a graph is the same on every machine, whatever is installed there, so the
page of a player can be compared byte by byte.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, pairwise
from operator import attrgetter

GAP = 14  # between two boxes in a column
ASIDE = 10  # between two columns
ROUNDS = 8


@dataclass(eq=False)
class Box:
    """Something that needs room: a node, or an arrow's text.

    Attributes
    ----------
    width, height : float
    column : int
    before, after : list of Box
        Its neighbours in the adjacent columns.
    x, y : float
        The position of its centre.
    """

    width: float
    height: float
    column: int = 0
    before: list[Box] = field(default_factory=list, repr=False)
    after: list[Box] = field(default_factory=list, repr=False)
    x: float = 0.0
    y: float = 0.0


Beside = Callable[[Box], list[Box]]  # a box's neighbours on one side, or on both


def lay_out(
    nodes: dict[str, Box], edges: dict[str, tuple[str, str, Box]]
) -> dict[str, list[Box]]:
    """Give every Box its position, and find the path of each arrow.

    Parameters
    ----------
    nodes : dict
        By key, in an order in which each node follows its predecessors.
    edges : dict
        By key: the first node, the last node, and the room for the text.

    Returns
    -------
    dict
        By the key of an arrow: the boxes on its path, including both ends. The last but
        one is that of its text.
    """
    _into_columns(nodes, [(start, end) for start, end, _ in edges.values()])
    ways = {
        key: _way(nodes[start], nodes[end], text)
        for key, (start, end, text) in edges.items()
    }
    boxes = dict.fromkeys([*nodes.values(), *chain(*ways.values())])
    columns: list[list[Box]] = [[] for _ in range(max(b.column for b in boxes) + 1)]
    for box in boxes:
        columns[box.column].append(box)
    _in_order(columns)
    _spread(columns)
    return ways


def _into_columns(nodes: dict[str, Box], pairs: list[tuple[str, str]]) -> None:
    # Nodes are in even columns, and everything on the paths between them in odd ones.
    leading: dict[str, list[str]] = {key: [] for key in nodes}
    led: dict[str, list[str]] = {key: [] for key in nodes}
    for start, end in pairs:
        leading[end].append(start)
        led[start].append(end)
    for key in nodes:
        nodes[key].column = max((nodes[k].column + 2 for k in leading[key]), default=0)
    for key in nodes:
        # A node without predecessors goes right before the first node that needs it.
        if led[key] and not leading[key]:
            nodes[key].column = min(nodes[k].column for k in led[key]) - 2


def _way(start: Box, end: Box, text: Box) -> list[Box]:
    bends = range(start.column + 1, end.column - 1)
    way = [start, *(Box(0, 0, column) for column in bends), text, end]
    text.column = end.column - 1
    for one, next_ in pairwise(way):
        one.after.append(next_)
        next_.before.append(one)
    return way


def _in_order(columns: list[list[Box]]) -> None:
    # Sort each column by its neighbours' centres, forwards and backwards in turn, until
    # few arrows cross.
    for column in columns:
        _stack(column)
    for column, beside in _there_and_back(columns):
        column.sort(key=partial(_middle, beside=beside))
        _stack(column)


def _there_and_back(columns: list[list[Box]]) -> Iterator[tuple[list[Box], Beside]]:
    for _ in range(ROUNDS):
        yield from ((column, attrgetter("before")) for column in columns)
        yield from ((column, attrgetter("after")) for column in reversed(columns))


def _stack(column: list[Box]) -> None:
    total = sum(box.height + GAP for box in column)
    top = -total / 2
    for box in column:
        box.y = top + (box.height + GAP) / 2
        top += box.height + GAP


def _middle(box: Box, beside: Beside) -> float:
    return sum(b.y for b in beside(box)) / len(beside(box)) if beside(box) else box.y


def _spread(columns: list[list[Box]]) -> None:
    for column, beside in _there_and_back(columns):
        _move(column, beside)
    for column in columns:
        _move(column, lambda box: box.before + box.after)
    right = 0.0
    for column in columns:
        width = max(box.width for box in column)
        for box in column:
            box.x = right + width / 2
            if not box.height:  # a passing arrow bends beside a column, not in it
                box.width = width
        right += width + ASIDE
    boxes = [box for column in columns for box in column]
    top = min(box.y - box.height / 2 for box in boxes)
    for box in boxes:
        box.y -= top


def _move(column: list[Box], beside: Beside) -> None:
    # Move each box towards the centre of its neighbours, as far as the others allow.
    wished = [_middle(box, beside) for box in column]
    shift, least = 0.0, -math.inf
    for box, y in zip(column, wished, strict=True):
        box.y = max(y, least + box.height / 2)
        shift += box.y - y
        least = box.y + box.height / 2 + GAP
    for box in column:
        box.y -= shift / len(column)
