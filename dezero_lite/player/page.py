"""The stepper: a drawing of the graph, in its own page.

The page is in an iframe with `srcdoc`, so it needs no server and no network. An
untrusted notebook shows the content of the iframe instead, which is otherwise
invisible: a picture of the last step. The sentences follow, collapsed, for pages that
remove iframes with their content. An animated SVG would also play there, but it could
not be stopped or reversed, and a screen reader would not read the sentences.
"""

from __future__ import annotations

import base64
import json
import re
from html import escape
from pathlib import Path
from typing import Any

from .drawing import draw
from .recording import Graph
from .story import Step

# The words of page.html.
WORDS = {
    "language": "en",
    "title": "Backward, step by step",
    "Back": "Back",
    "Play": "Play",
    "Pause": "Pause",
    "Next": "Next",
    "Step": "Step",
    "next": "next",
    "forward": "forward",
    "backward": "backward",
    "worklist": "worklist",
    "calls": "open calls",
    "empty": ": empty",
}


class Player:
    """A backward pass through a graph, to be viewed step by step: see :func:`play`."""

    def __init__(self, graph: Graph, steps: list[Step]) -> None:
        self.steps = steps
        self.svg = draw(graph, steps)

    def __repr__(self) -> str:
        return "\n".join(f"{i}. {step.say}" for i, step in enumerate(self.steps, 1))

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None
    ) -> dict[str, Any]:
        return {"text/plain": repr(self), "text/html": self.html()}

    def html(self, first: int = 0, pause: int = 2500) -> str:
        """Return the stepper, and its replacement for where scripts are not trusted.

        Parameters
        ----------
        first : int, optional
            The step to show first, counted from 0.
        pause : int, optional
            The duration of each step during playback, in milliseconds.
        """
        page = self._page(first, pause).replace("&", "&amp;").replace("'", "&#39;")
        picture = base64.b64encode(self.svg.encode()).decode()
        sentences = "".join(f"<li>{escape(step.say)}</li>" for step in self.steps)
        alt = escape(f"A graph, and the way back through it. {self.steps[-1].say}")
        return (
            '<iframe title="Backward, step by step" '
            'style="width:100%; height:480px; border:0" '
            f"srcdoc='{page}'>"
            f'<img alt="{alt}" src="data:image/svg+xml;base64,{picture}" '
            'style="max-width:100%; background:white"></iframe>'
            "<details><summary>All steps in words</summary>"
            f"<ol>{sentences}</ol></details>"
        )

    def _page(self, first: int, pause: int) -> str:
        page = Path(__file__).with_name("page.html").read_text(encoding="utf-8")
        described = [
            {k: v for k, v in vars(step).items() if v or type(v) is int}
            for step in self.steps
        ]
        steps = json.dumps(described, ensure_ascii=False, separators=(",", ":"))
        # Nothing in it must look like a tag.
        parts = {"graph": self.svg, "steps": steps.replace("<", r"\u003c")}
        parts |= {"first": str(first), "pause": str(pause)} | WORDS
        return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], page)
