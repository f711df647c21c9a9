"""Source code shown in a lesson, highlighted, without being run a second time."""

import ast
import contextlib
import inspect
import re
from operator import attrgetter

from .lessons import CourseError

SHOWN_FROM = ("dezero_lite", "steps")
SHOWING = ("source", "side_by_side")
FOR_TOOLS = re.compile(r"  # (type: ignore|noqa)\b.*")


class Listing:
    """Code that shows itself, highlighted in a notebook and as text in a terminal."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text

    def _repr_html_(self):
        # Without a font of its own, a page made by nbconvert would show the code in
        # that of its text.
        return _highlighted(self.text, prestyles="font-family: monospace")


def highlighted_lines(text):
    """The lines of a piece of code as HTML, for a table."""
    return _highlighted(text, nowrap=True).splitlines()


def _highlighted(text, **options):
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    look = HtmlFormatter(noclasses=True, nobackground=True, **options)
    return highlight(text, PythonLexer(stripnl=False), look)


class Source(Listing):
    """The source of a class or function of the package, but for comments that are meant
    for tools.
    """

    def __init__(self, thing):
        text = inspect.getsource(getattr(thing, "fget", thing)).rstrip()
        super().__init__(FOR_TOOLS.sub("", text))


def shown(cells):
    """The source of all that each cell of a lesson shows of the package, as in
    ``steps.source(Variable.backward)`` or ``steps.side_by_side(one, other)``.

    Parameters
    ----------
    cells : list of str
        The lesson's code. A name means what the lesson's own imports make it mean.

    Returns
    -------
    list of list of str
        For each cell what it shows, as text.

    Raises
    ------
    CourseError
        If what is shown is not a name, or a name that leads to no source text.
    """
    trees = [_parsed(cell) for cell in cells]
    names = _imported(trees)
    return [
        [
            _shown_text(call, names)
            for call in ast.walk(tree)
            if isinstance(call, ast.Call) and _shows(call)
        ]
        for tree in trees
    ]


def _shows(call):
    return ast.unparse(call.func).removeprefix("steps.") in SHOWING


def _parsed(cell):
    try:
        return ast.parse(cell)
    except SyntaxError:  # a magic, or an error on purpose
        if any(f"steps.{way}(" in cell for way in SHOWING):
            raise CourseError(
                f"A cell that shows source has to be all Python, and not: {cell}"
            ) from None
        return ast.parse("")


def _imported(trees):
    names: dict[str, object] = {}
    for tree in trees:
        for node in tree.body:
            if isinstance(node, ast.Import):
                homes = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                homes = [node.module or ""]
            else:
                continue
            if all(home.split(".")[0] in SHOWN_FROM for home in homes):
                # An import that fails on purpose brings no name.
                with contextlib.suppress(ImportError):
                    exec(ast.unparse(node), names)
    return names


def _shown_text(call, names):
    text = ast.unparse(call)
    paths = [ast.unparse(argument) for argument in call.args] or [""]
    things = [_thing(path, names, text) for path in paths]
    try:
        if ast.unparse(call.func).endswith("side_by_side"):
            from .side_by_side import SideBySide

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
