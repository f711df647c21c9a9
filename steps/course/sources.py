"""Find the package code that the cells of a lesson show, without running them."""

import ast
import re

from .definitions import read_imports
from .exercises import MAY_RAISE
from .lessons import CourseError

SHOWN_FROM = ("dezero_lite", "steps")
SHOWING = "steps.source"


def list_shown(cells):
    """List the source code that each cell of a lesson shows with a call such as
    ``steps.source(Variable.backward)``.

    Parameters
    ----------
    cells : list of dict
        The lesson's code cells. Names are resolved with the lesson's own imports, which
        may fail in a cell that is tagged ``raises-exception``.

    Returns
    -------
    list of list of str
        The source code that each cell shows.

    Raises
    ------
    CourseError
        If a call shows anything but an imported name that has source code, or if an
        import fails.
    """
    trees = [_parse_cell("".join(cell["source"])) for cell in cells]
    names: dict[str, object] = {}
    for cell, tree in zip(cells, trees, strict=True):
        _run_imports(tree, names, MAY_RAISE in cell["metadata"].get("tags", ()))
    calls = [[*filter(_is_showing, ast.walk(tree))] for tree in trees]
    return [[_get_text(call, names) for call in of_cell] for of_cell in calls]


def _is_showing(node):
    return isinstance(node, ast.Call) and ast.unparse(node.func) == SHOWING


def _parse_cell(cell):
    try:
        return ast.parse(cell)
    except SyntaxError:  # a magic, or a deliberate error
        if f"{SHOWING}(" in cell:
            raise CourseError(
                f"A cell that shows source may only contain Python, but this one is: "
                f"{cell}"
            ) from None
        return ast.parse("")


def _run_imports(tree, names, may_fail):
    """Run a cell's imports from dezero_lite and steps."""
    for text in read_imports(tree).values():
        if re.split(r"[ .]", text)[1] in SHOWN_FROM:
            try:
                exec(text, names)
            except ImportError as error:
                if not may_fail:
                    raise CourseError(f"`{text}` fails: {error}.") from None


def _get_text(call, names):
    text = ast.unparse(call)
    try:
        return repr(eval(text, names))
    except (NameError, AttributeError, TypeError, OSError) as error:
        raise CourseError(
            f"`{text}` shows nothing: {error}. Use a name that the lesson imports from "
            "dezero_lite or steps, as in `steps.source(Variable.backward)`, so that "
            "the builder notices changes."
        ) from None
