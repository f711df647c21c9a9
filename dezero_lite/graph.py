"""Graphs as pictures: DOT text in, SVG and PNG out.

Graphviz does the layout. It is reached by the ``dot`` program where that is on the path, else by the pip package
``pygraphviz``, whose wheels bring Graphviz with them. Where there is neither, a graph shows as its DOT text.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Iterator
from typing import Any

HINT = "To see this graph as a picture, run `pip install pygraphviz`, or put Graphviz's program `dot` on the path."


class GraphvizMissing(RuntimeError):
    """Neither the ``dot`` program nor the package ``pygraphviz`` is there."""


def render(dot: str, format: str) -> bytes:
    """Draw DOT text as an image.

    Parameters
    ----------
    dot : str
        A graph in the DOT language. Give every node a label of its own.
    format : {'svg', 'png', 'pdf'}
        The kind of image.

    Returns
    -------
    bytes
        The image file's content.

    Raises
    ------
    GraphvizMissing
        If there is nothing to draw with; the message says what to install.
    """
    if shutil.which("dot"):
        with contextlib.suppress(ImportError):
            import graphviz

            return bytes(graphviz.Source(dot).pipe(format=format, quiet=True))
    try:
        import pygraphviz
    except ImportError:
        raise GraphvizMissing(HINT) from None
    with _silent_stderr():
        return bytes(pygraphviz.AGraph(string=dot).draw(format=format, prog="dot"))


@contextlib.contextmanager
def _silent_stderr() -> Iterator[None]:
    # The bundled font library warns about newer system settings, in C, past sys.stderr and into a notebook's output.
    kept = os.dup(2)
    sink = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(sink, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(sink)


class Picture:
    """A graph that shows itself: a drawing in a notebook, its DOT text in a terminal.

    Parameters
    ----------
    dot : str
        The graph in the DOT language.
    """

    def __init__(self, dot: str) -> None:
        self.dot = dot

    def __repr__(self) -> str:
        return self.dot

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        bundle: dict[str, Any] = {"text/plain": self.dot}
        try:
            bundle["image/svg+xml"] = _without_comments(render(self.dot, "svg").decode())
            # Untrusted notebooks show no SVG, so the same picture goes along as PNG.
            bundle["image/png"] = render(self.dot, "png")
        except GraphvizMissing as missing:
            bundle["text/plain"] = f"{self.dot}\n\n// {missing}"
        return bundle


def _without_comments(svg: str) -> str:
    # A comment names the Graphviz version, which would change with every update.
    return re.sub(r"<!--.*?-->\n?", "", svg, flags=re.DOTALL)
