"""Find what the cells of a lesson show of the package, without running them."""

import ast
import re

from .definitions import read_imports
from .exercises import MAY_RAISE
from .lessons import CourseError

SHOWN_FROM = ("dezero_lite", "steps")
SHOWING = "steps.source"


def list_shown(cells):
    """List the source of all that each cell of a lesson shows of the package, as in
    ``steps.source(Variable.backward)``.

    Parameters
    ----------
    cells : list of dict
        The lesson's code. A name means what the lesson's own imports make it mean; in a
        cell that fails on purpose, an import may bring none.

    Returns
    -------
    list of list of str
        For each cell what it shows, as text.

    Raises
    ------
    CourseError
        If what is shown is not a name, or a name that leads to no source text, or if an
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
    except SyntaxError:  # a magic, or an error on purpose
        if f"{SHOWING}(" in cell:
            raise CourseError(
                f"A cell that shows source has to be all Python, and not: {cell}"
            ) from None
        return ast.parse("")


def _run_imports(tree, names, may_fail):
    """Run the imports of a cell that bring what is shown."""
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
            f"`{text}` shows nothing: {error}. Show a thing by a name that the lesson "
            "imports from dezero_lite or steps, such as `steps.source(Variable"
            ".backward)`; then the builder knows when it changes."
        ) from None
