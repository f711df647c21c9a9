"""What the cells of a lesson show of the package, found without running them."""

import ast
from operator import attrgetter

from .lessons import CourseError
from .listings import Source
from .side_by_side import SideBySide

SHOWN_FROM = ("dezero_lite", "steps")
SHOWING = ("source", "side_by_side")


def shown(cells, failing=()):
    """The source of all that each cell of a lesson shows of the package, as in
    ``steps.source(Variable.backward)`` or ``steps.side_by_side(one, other)``.

    Parameters
    ----------
    cells : list of str
        The lesson's code. A name means what the lesson's own imports make it mean.
    failing : collection of str
        Those of them that fail on purpose; an import there may bring no name.

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
    trees = [_parsed(cell) for cell in cells]
    names: dict[str, object] = {}
    for cell, tree in zip(cells, trees, strict=True):
        _import(tree, names, cell in failing)
    calls = [filter(_shows, ast.walk(tree)) for tree in trees]
    return [[_shown_text(call, names) for call in found] for found in calls]


def _shows(node):
    called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
    return called.removeprefix("steps.") in SHOWING


def _parsed(cell):
    try:
        return ast.parse(cell)
    except SyntaxError:  # a magic, or an error on purpose
        if any(f"steps.{way}(" in cell for way in SHOWING):
            raise CourseError(
                f"A cell that shows source has to be all Python, and not: {cell}"
            ) from None
        return ast.parse("")


def _import(tree, names, may_fail):
    """Run the imports of a cell that bring what is shown."""
    for node in tree.body:
        if isinstance(node, ast.Import):
            homes = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            homes = [node.module or ""]
        else:
            continue
        if all(home.split(".")[0] in SHOWN_FROM for home in homes):
            text = ast.unparse(node)
            try:
                exec(text, names)
            except ImportError as error:
                if not may_fail:
                    raise CourseError(f"`{text}` fails: {error}.") from None


def _shown_text(call, names):
    text = ast.unparse(call)
    paths = [ast.unparse(argument) for argument in call.args] or [""]
    things = [_thing(path, names, text) for path in paths]
    try:
        if ast.unparse(call.func).endswith("side_by_side"):
            part = {k.arg: ast.literal_eval(k.value) for k in call.keywords if k.arg}
            return repr(SideBySide(*things, **part))
        return Source(*things).text
    except (AttributeError, TypeError, OSError) as error:
        raise CourseError(f"`{text}` shows nothing: {error}.") from None


def _thing(path, names, text):
    if not all(part.isidentifier() for part in path.split(".")):
        raise CourseError(
            f"`{text}` is not understood. Show a thing by a name that the lesson "
            "imports, such as `steps.source(Variable.backward)`; then the builder "
            "knows when it changes."
        )
    home, _, rest = path.partition(".")
    if home not in names:
        raise CourseError(
            f"`{text}`: no cell of the lesson imports {home} from dezero_lite or steps."
        )
    try:
        return attrgetter(rest)(names[home]) if rest else names[home]
    except AttributeError as error:
        raise CourseError(f"`{text}` shows nothing: {error}.") from None
