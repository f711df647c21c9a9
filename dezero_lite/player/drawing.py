"""The graph as SVG, with room for everything that any step shows: the page changes only
texts and colours.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

from ..graph import BLUE, YELLOW, inputs_of, is_variable, outputs_of
from .layout import Box, lay_out
from .recording import Graph, drop_missing
from .story import Step

# The approximate width of a letter, the height of a line, and two margins.
LETTER, LINE, PADDING, MARGIN = 8.0, 18, 8, 4
VARIABLE = 'fill="{}" stroke="{}" rx="9"'.format(*BLUE)
FUNCTION = 'fill="{}" stroke="{}"'.format(*YELLOW)
GRADIENT = "#a84300"
# Arrowheads of our own, which the page can move to the other ends.
HEAD = """<marker id="head" viewBox="0 0 10 8" refX="10" refY="4" markerWidth="10"
 markerHeight="8" markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path
 d="M0 0 10 4 0 8z"/></marker>"""


def draw(graph: Graph, steps: list[Step]) -> str:
    """Draw the graph as it is after the last step."""
    gradients = {key: text for step in steps for key, text in step.gradients.items()}
    lines = dict(_lines(graph, steps))
    nodes = {key: _room(*texts) for key, texts in lines.items()}
    edges = {
        key: (start, end, _room(_longest(step.edges.get(key) for step in steps)))
        for f in graph.functions
        for key, (start, end) in graph.edges(f).items()
    }
    ways = lay_out(nodes, edges)
    parts = [_edge(key, way) for key, way in ways.items()]
    parts += [
        _node(key, nodes[key], texts, gradients.get(key, ""))
        for key, texts in lines.items()
    ]
    boxes = [*nodes.values(), *(box for way in ways.values() for box in way)]
    width = max(box.x + box.width / 2 for box in boxes) + 2 * MARGIN
    height = max(box.y + box.height / 2 for box in boxes) + 2 * MARGIN
    size = f"{width:.0f} {height:.0f}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-{MARGIN} -{MARGIN} {size}" '
        f'width="{width:.0f}" height="{height:.0f}" font-family="sans-serif" '
        f'font-size="14" text-anchor="middle">{HEAD}{"".join(parts)}</svg>'
    )


def _lines(graph: Graph, steps: list[Step]) -> Iterator[tuple[str, list[str]]]:
    """Yield, for each node, its key, its name and the longest texts below it;
    predecessors come first.
    """

    def variable(v: Any) -> tuple[str, list[str]]:
        key = graph.key[id(v)]
        texts = [graph.name(v), _longest(step.values.get(key) for step in steps)]
        if gradient := _longest(step.gradients.get(key) for step in steps):
            texts.append(f"grad {gradient}")
        return key, texts

    yield from (variable(v) for v in graph.variables if v.creator is None)
    for f in graph.functions:
        key = graph.key[id(f)]
        for i, x in enumerate(inputs_of(f)):
            if not is_variable(x):
                yield f"{key}c{i}", [graph.name(x)]
        yield key, [graph.name(f)]
        yield from map(variable, drop_missing(outputs_of(f)))


def _longest(texts: Any) -> str:
    return max(filter(None, texts), key=len, default="")


def _room(*lines: str) -> Box:
    if not any(lines):
        return Box(24, 0)
    width = LETTER * max(map(len, lines)) + 2 * PADDING
    return Box(max(width, 36), LINE * len(lines) + PADDING)


def _node(key: str, box: Box, lines: list[str], gradient: str) -> str:
    look = VARIABLE if key.startswith("v") else "" if "c" in key else FUNCTION
    corner = f'x="{box.x - box.width / 2:.1f}" y="{box.y - box.height / 2:.1f}"'
    size = f'width="{box.width:.1f}" height="{box.height:.1f}"'
    shape = f"<rect {corner} {size} {look}/>" if look else ""
    kind = {VARIABLE: " variable", FUNCTION: " function"}.get(look, "")
    shown = [*lines[:2], f"grad {gradient}" if gradient else ""][: len(lines)]
    texts = [_text(box, i, len(lines), line) for i, line in enumerate(shown)]
    return f'<g id="{key}" class="node{kind}">{shape}{"".join(texts)}</g>'


def _text(box: Box, i: int, count: int, line: str) -> str:
    y = box.y + LINE * (i - (count - 1) / 2) + 5  # the baseline of the text
    colour = f' fill="{GRADIENT}"' if i == 2 else ""
    return f'<text x="{box.x:.1f}" y="{y:.1f}"{colour}>{escape(line)}</text>'


def _edge(key: str, way: list[Box]) -> str:
    """Draw an arrow through its boxes, straight across each column, with its text
    above.
    """
    x, y = way[0].x + way[0].width / 2, way[0].y
    path = f"M{x:.1f} {y:.1f}"
    for box in way[1:]:
        left, right = box.x - box.width / 2, box.x + box.width / 2
        middle = (x + left) / 2
        path += f"C{middle:.1f} {y:.1f} {middle:.1f} {box.y:.1f} {left:.1f} {box.y:.1f}"
        if box is not way[-1]:
            path += f"H{right:.1f}"
        x, y = right, box.y
    text = way[-2]
    label = f'<text x="{text.x:.1f}" y="{text.y - 5:.1f}" fill="{GRADIENT}"></text>'
    line = f'<path fill="none" stroke="black" marker-end="url(#head)" d="{path}"/>'
    return f'<g id="{key}" class="edge">{line}{label if text.height else ""}</g>'
