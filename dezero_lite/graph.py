"""Graphs as pictures: from a Variable to DOT text, from DOT text to SVG, PNG and PDF.
Steps 25 and 26 explain it.

Graphviz does the layout. It is called through the ``dot`` program if that is on the
path, else through the pip package ``pygraphviz``, whose wheels include Graphviz. If
both are missing, a graph is shown as its DOT text.
"""

from __future__ import annotations

import contextlib
import os
import re
import warnings
import weakref
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import IO, Any

import numpy as np

from .atomic import open_atomic
from .core import kind_of

HINT = (
    "To see it as a picture, in a notebook or in a file, you need Graphviz: run `pip "
    "install pygraphviz`, or put Graphviz's program `dot` on the path."
)
UNREADABLE = (
    "Graphviz cannot read this text{}: check that every bracket and every double quote "
    'is closed, and write a double quote inside a label as \\".'
)
FORMATS = ("png", "svg", "pdf")
# Dots per inch. A page has 96, a high-resolution screen twice as many.
PAGE, SHARP = 96, 192

# Characters not allowed in XML, and therefore not in an SVG.
NOT_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# Longer names are cut, because they would be illegible.
LONGEST_NAME = 40

# A picture of more nodes is unreadable, and Graphviz's time grows faster than their
# number.
MOST_NODES = 2_000

# Fill and border colours.
BLUE, YELLOW = ("#d6eaf8", "#0072b2"), ("#fdf0d0", "#b07d00")
VARIABLE = 'shape=ellipse, style=filled, fillcolor="{}", color="{}"'.format(*BLUE)
FUNCTION = 'shape=box, style=filled, fillcolor="{}", color="{}"'.format(*YELLOW)
CONSTANT = "shape=plaintext, style=solid"
NODES = 'fontname="sans-serif", width=0.45, height=0.45, margin="0.08,0.04"'
# Without a limit, Graphviz may take a minute to optimise the layout of a hundred nodes.
LAYOUT = "nslimit=0.5"
EDGES = 'fontname="sans-serif", arrowsize=0.8'


class GraphvizMissing(RuntimeError):
    """Neither the ``dot`` program nor the package ``pygraphviz`` is installed."""


# --- what all frameworks of the course have in common ---------------------------------


def is_variable(x: Any) -> bool:
    return hasattr(x, "creator")


def inputs_of(f: Any) -> Sequence[Any]:
    return (f.input,) if hasattr(f, "input") else tuple(f.inputs)


def outputs_of(f: Any) -> list[Any]:
    """Return the outputs of a function, with ``None`` for one that was freed."""
    outputs = (f.output,) if hasattr(f, "input") else f.outputs
    return [y() if isinstance(y, weakref.ref) else y for y in outputs]


def legible(name: str) -> str:
    """Shorten a name, and replace characters that a picture cannot show."""
    short = name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
    return NOT_XML.sub("\ufffd", short)


# --- from a Variable to DOT text ------------------------------------------------------


def get_dot_graph(output: Any, verbose: bool = True) -> str:
    """Return the graph that computed `output`, as text in the DOT language. Source:
    book steps 25–26.

    Parameters
    ----------
    output : Variable
        From `dezero_lite`, or from any step of the course from 7 on. The graph is
        followed from it back to the leaves.
    verbose : bool, optional
        Write the shape and dtype into every Variable, beside its name.

    Returns
    -------
    str
        Variables are ellipses, functions boxes, plain numbers and arrays bare text. The
        nodes are numbered in the order in which the graph is followed, so that the same
        computation always gives the same text.
    """
    if not is_variable(output):
        raise TypeError(
            "get_dot_graph draws the graph behind a Variable, not behind "
            f"{kind_of(output)}"
        )
    names: dict[int, str] = {}
    looks = {"graph": LAYOUT, "node": f"{NODES}, {VARIABLE}", "edge": EDGES}
    lines = ["digraph {", *(f"    {kind} [{look}]" for kind, look in looks.items())]

    def name(node: Any) -> str:
        if id(node) not in names:
            names[id(node)] = f"{'v' if is_variable(node) else 'f'}{len(names)}"
            lines.append(f"    {names[id(node)]} [{_node_style(node, verbose)}]")
        return names[id(node)]

    name(output)
    for f in functions_behind(output):
        here = name(f)
        for i, x in enumerate(inputs_of(f)):
            start = name(x) if is_variable(x) else f"{here}c{i}"
            if not is_variable(x):
                lines.append(f"    {start} [label={quote(_value(x))}, {CONSTANT}]")
            lines.append(f"    {start} -> {here}")
        for y in outputs_of(f):
            if y is not None:
                lines.append(f"    {here} -> {name(y)}")
    return "\n".join([*lines, "}"])


def functions_behind(output: Any) -> Iterator[Any]:
    """Yield every function behind `output` once, depth-first, first inputs first."""
    waiting = [output.creator]
    seen: set[Any] = set()
    while waiting:
        f = waiting.pop()
        if f is None or f in seen:
            continue
        seen.add(f)
        yield f
        waiting += [x.creator for x in reversed(inputs_of(f)) if is_variable(x)]


def _node_style(node: Any, verbose: bool) -> str:
    if not is_variable(node):
        return f"label={quote(legible(type(node).__name__))}, {FUNCTION}"
    # The course's Variables have names from step 19 on.
    label = legible(getattr(node, "name", None) or "")
    if verbose and node.data is not None:
        label += f"{': ' if label else ''}{node.data.shape} {node.data.dtype}"
    return f"label={quote(label)}"


def _value(x: Any) -> str:
    return f"{np.asarray(x)[()]:.6g}" if np.ndim(x) == 0 else f"array {x.shape}"


def quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def plot_dot_graph(
    output: Any,
    verbose: bool = True,
    to_file: str | os.PathLike[str] | None = "graph.png",
) -> Any:
    """Draw the graph that computed `output`. Source: book step 26.

    Parameters
    ----------
    output : Variable
        The Variable from which the graph is followed back to the leaves.
    verbose : bool, optional
        Write the shape and dtype into every Variable, beside its name.
    to_file : path, optional
        The image file to write: png, svg or pdf, by its suffix. ``None`` writes no
        file.

    Returns
    -------
    Picture
        Displays itself in a notebook.

    Raises
    ------
    ValueError
        If the file has another suffix, or the graph is too large to draw or to read.

    Warns
    -----
    UserWarning
        If Graphviz is missing; then no file is written, and the result is shown as DOT
        text.
    """
    ending = "" if to_file is None else _ending(to_file)
    # There are about as many Variables as functions.
    beyond = islice(functions_behind(output), MOST_NODES // 2, None)
    if is_variable(output) and next(beyond, None):
        raise ValueError(
            f"the graph has more than {MOST_NODES:,} nodes, which nobody could read: "
            "draw a part of it, such as one layer or one step of a loop, or take its "
            "text from get_dot_graph"
        )
    picture = Picture(get_dot_graph(output, verbose))
    if to_file is not None:
        try:
            drawn = render(picture.dot, ending)
            with open_atomic(to_file) as file:
                file.write(drawn)
        except GraphvizMissing as missing:
            warnings.warn(f"{to_file!s} was not written. {missing}", stacklevel=2)
    return picture


def _ending(path: str | os.PathLike[str]) -> str:
    ending = os.path.splitext(os.fspath(path))[1].lstrip(".").lower()
    if ending in FORMATS:
        return ending
    raise ValueError(
        f"cannot draw to {os.fspath(path)!r}: the file's ending has to be one of "
        f"{', '.join(FORMATS)}"
    )


# --- from DOT text to an image --------------------------------------------------------


def render(dot: str, format: str) -> bytes:
    """Draw DOT text as an image.

    Parameters
    ----------
    dot : str
        A graph in the DOT language. Give every node its own label.
    format : {'svg', 'png', 'pdf'}
        The image format.

    Returns
    -------
    bytes
        The content of the image file.

    Raises
    ------
    GraphvizMissing
        If Graphviz is missing; the message says what to install.
    ValueError
        If the text is not in the DOT language.
    """
    import shutil
    import subprocess

    if shutil.which("dot"):
        with contextlib.suppress(ImportError):
            import graphviz

            try:
                return bytes(graphviz.Source(dot).pipe(format=format, quiet=True))
            except subprocess.CalledProcessError as error:
                raise _unreadable(error.stderr) from None
    try:
        import pygraphviz
    except ImportError:
        raise GraphvizMissing(HINT) from None
    with _stderr_in_a_file() as said:
        try:
            graph = pygraphviz.AGraph(string=dot)
        except pygraphviz.DotError:
            said.seek(0)
            raise _unreadable(said.read()) from None
        return bytes(graph.draw(format=format, prog="dot"))


def _unreadable(said: bytes | None) -> ValueError:
    """Make the error for text that is not DOT, with the place that Graphviz names."""
    place = re.search("syntax error in line .*", (said or b"").decode(errors="replace"))
    return ValueError(UNREADABLE.format(f" ({place[0].strip()})" if place else ""))


@contextlib.contextmanager
def _stderr_in_a_file() -> Iterator[IO[bytes]]:
    # The bundled font library warns about newer system settings from C, bypassing
    # sys.stderr, so the warning would appear in a notebook's output.
    import tempfile

    kept = os.dup(2)
    with tempfile.TemporaryFile() as said:
        try:
            os.dup2(said.fileno(), 2)
            yield said
        finally:
            os.dup2(kept, 2)
            os.close(kept)


class Picture:
    """A graph that displays itself: as a drawing in a notebook, as DOT text in a
    terminal.

    Parameters
    ----------
    dot : str
        The graph in the DOT language.
    """

    def __init__(self, dot: str) -> None:
        self.dot = dot

    def __repr__(self) -> str:
        return self.dot

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        # No SVG: each version of Graphviz writes it differently, and untrusted
        # notebooks do not show it. The text is the same on every machine.
        data: dict[str, Any] = {"text/plain": f"{self.dot}\n\n// {HINT}"}
        try:
            png = render(self.dot.replace("{", f"{{ dpi={SHARP};", 1), "png")
        except GraphvizMissing:
            return data, {}
        except ValueError as error:
            return {"text/plain": f"{self.dot}\n\n// {error}"}, {}
        width = int.from_bytes(png[16:20], "big") * PAGE // SHARP
        return data | {"image/png": png}, {"image/png": {"width": width}}
