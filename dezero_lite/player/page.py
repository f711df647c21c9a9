"""The stepper: Graphviz's drawing of the graph, in a page of its own.

The page stands in an iframe with `srcdoc`, so that it needs no server and no network. A
notebook that is not trusted shows no iframe, but it shows what stands between the
iframe's tags, which nobody sees otherwise: a picture of the last step, and all the
sentences. An animated SVG would play there, too; but nobody could stop it or go back,
and a screen reader would not hear the sentences.
"""

from __future__ import annotations

import base64
import json
import re
from html import escape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from .. import graph as drawing
from .recording import Graph, inputs_of
from .story import Step

# Graphviz makes room for the longest text; gradients get the second colour.
LOOK = f"""\
    graph [rankdir=LR, ranksep=0.35, bgcolor="transparent", {drawing.LAYOUT}]
    node [{drawing.NODES}]
    edge [{drawing.EDGES}, dir=none]"""
# Narrower than the ellipses of other pictures, for three lines of text.
VARIABLE = drawing.VARIABLE.replace("ellipse, style=filled", "box, style=rounded")
VARIABLE = VARIABLE.replace("rounded", '"rounded,filled"')
GRADIENT = "#a84300"
# Arrows have heads of our own, which the page can put at their other ends.
HEAD = """<marker id="head" viewBox="0 0 10 8" refX="10" refY="4" markerWidth="10"
 markerHeight="8" markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path
 d="M0 0 10 4 0 8z"/></marker>"""
# What Graphviz repeats at every text, and what a browser needs to know once.
SAID_ONCE = {
    "font-family": "sans-serif",
    "font-size": "14",
    "text-anchor": "middle",
    "{http://www.w3.org/XML/1998/namespace}space": "preserve",
}
SVG = "{http://www.w3.org/2000/svg}"


class Player:
    """A walk back through a graph, to be stepped through: :func:`play`."""

    def __init__(self, graph: Graph, steps: list[Step]) -> None:
        self.steps = steps
        self.dot = dot(graph, steps)

    def __repr__(self) -> str:
        return "\n".join(f"{i}. {step.say}" for i, step in enumerate(self.steps, 1))

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None
    ) -> dict[str, Any]:
        try:
            return {"text/plain": repr(self), "text/html": self.html()}
        except drawing.GraphvizMissing as missing:
            return {"text/plain": f"{self!r}\n\n// {missing}"}

    def html(self) -> str:
        """The stepper, and what stands in its place where scripts are not trusted.

        Raises
        ------
        GraphvizMissing
            If there is nothing to draw with.
        """
        svg = in_last_step(self.dot, self.steps)
        page = self._page(svg).replace("&", "&amp;").replace("'", "&#39;")
        picture = base64.b64encode(svg.encode()).decode()
        sentences = "".join(f"<li>{escape(step.say)}</li>" for step in self.steps)
        alt = escape(f"A graph, and the way back through it. {self.steps[-1].say}")
        return (
            '<iframe title="Backward, step by step" '
            'style="width:100%; height:480px; border:0" '
            f"srcdoc='{page}'>"
            f'<img alt="{alt}" src="data:image/svg+xml;base64,{picture}" '
            'style="max-width:100%; background:white">'
            f"<ol>{sentences}</ol></iframe>"
        )

    def _page(self, svg: str) -> str:
        page = Path(__file__).with_name("page.html").read_text(encoding="utf-8")
        told = [
            {k: v for k, v in vars(step).items() if v or type(v) is int}
            for step in self.steps
        ]
        steps = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
        # Nothing in it shall look like a tag.
        parts = {"graph": svg, "steps": steps.replace("<", r"\u003c")}
        return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], page)


def dot(graph: Graph, steps: list[Step]) -> str:
    """The graph in the DOT language, with room for all that will stand in it."""
    lines = ["digraph {", LOOK]
    for v in graph.variables:
        key, name = graph.key[id(v)], graph.name(v)
        texts = [longest(step.values.get(key) for step in steps)]
        if gradient := longest(step.gradients.get(key) for step in steps):
            texts.append(f"grad {gradient}")
        lines.append(f"    {key} [id={key}, label={label(name, *texts)}, {VARIABLE}]")
    for f in graph.functions:
        key = graph.key[id(f)]
        look = f"label={label(graph.name(f))}, {drawing.FUNCTION}"
        lines.append(f"    {key} [id={key}, {look}]")
        for i, x in enumerate(inputs_of(f)):
            if id(x) not in graph.key:
                look = f"label={label(graph.name(x))}, {drawing.CONSTANT}"
                lines.append(f"    {key}c{i} [id={key}c{i}, {look}]")
        for edge, (start, end) in graph.edges(f).items():
            said = longest(step.edges.get(edge) for step in steps)
            lines.append(f"    {start} -> {end} [id={edge}, label={label(said)}]")
    return "\n".join([*lines, "}"])


def longest(texts: Any) -> str:
    return max(filter(None, texts), key=len, default="")


def label(*lines: str) -> str:
    return drawing._quoted("\n".join(line.replace("\n", " ") for line in lines))


def in_last_step(dot: str, steps: list[Step]) -> str:
    """The drawing as SVG, with the gradients that are there at the end."""
    svg = ElementTree.fromstring(drawing.render(dot, "svg"))
    final: dict[str, str] = {}
    for step in steps:
        final |= step.gradients
    for group in svg.iter(f"{SVG}g"):
        is_node = group.get("class") == "node"
        gradient = final.get(group.get("id", "")) if is_node else None
        for line in group.findall(f"{SVG}text")[2 if is_node else 0 :]:
            line.text = f"grad {gradient}" if gradient else ""
            line.set("fill", GRADIENT)
        for title in group.findall(f"{SVG}title"):
            group.remove(title)
        if group.get("class") == "edge":
            for path in group.findall(f"{SVG}path"):
                path.set("marker-end", "url(#head)")
    for element in svg.iter():
        element.tag, element.tail = element.tag.removeprefix(SVG), ""
        for name in SAID_ONCE:
            element.attrib.pop(name, None)
        for name in {"d", "points"} & set(element.attrib):
            element.set(name, re.sub(r"(\d\.\d)\d+", r"\1", element.attrib[name]))
    svg.insert(0, ElementTree.fromstring(HEAD))
    svg.attrib |= {"xmlns": SVG.strip("{}")} | SAID_ONCE
    return ElementTree.tostring(svg, encoding="unicode")
