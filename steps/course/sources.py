"""Source code shown in a lesson, highlighted, without being run a second time."""

import ast
import contextlib
import inspect
from operator import attrgetter

from .lessons import CourseError

SHOWN_FROM = ("dezero_lite", "steps")


class Listing:
    """Code that shows itself, highlighted in a notebook and as text in a terminal."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text

    def _repr_html_(self):
        from pygments import highlight
        from pygments.formatters import HtmlFormatter
        from pygments.lexers import PythonLexer

        # Without a font of its own, a page made by nbconvert would show the code in
        # that of its text.
        font = "font-family: monospace"
        return highlight(
            self.text,
            PythonLexer(),
            HtmlFormatter(noclasses=True, nobackground=True, prestyles=font),
        )


class Source(Listing):
    """The source of a class or function of the package."""

    def __init__(self, thing):
        super().__init__(inspect.getsource(getattr(thing, "fget", thing)).rstrip())


def shown(cells):
    """The source of all that a lesson shows of the package, as in
    ``steps.source(Variable.backward)``.

    Parameters
    ----------
    cells : list of str
        The lesson's code. A name means what the lesson's own imports make it mean.

    Returns
    -------
    list of str

    Raises
    ------
    CourseError
        If what is shown is not a name, or a name that leads to no source text.
    """
    trees = [tree for cell in cells if (tree := _parsed(cell))]
    names = _imported(trees)
    return [
        _source_text(call, names)
        for tree in trees
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        and ast.unparse(call.func) in ("steps.source", "source")
    ]


def _parsed(cell):
    try:
        return ast.parse(cell)
    except SyntaxError:  # a magic, or an error on purpose
        if "steps.source(" in cell:
            raise CourseError(
                f"A cell that shows source has to be all Python, and not: {cell}"
            ) from None
        return None


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


def _source_text(call, names):
    text = ast.unparse(call)
    path = ast.unparse(call.args[0]) if call.args else ""
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
        thing = attrgetter(rest)(names[home]) if rest else names[home]
        return Source(thing).text
    except (AttributeError, TypeError, OSError) as error:
        raise CourseError(f"`{text}` shows nothing: {error}.") from None
