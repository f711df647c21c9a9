"""Source code in lessons: two pieces beside each other, and what the cells of a lesson
show of the package, found without running them.
"""

import ast
import inspect
import re
import textwrap
from difflib import SequenceMatcher
from itertools import zip_longest

from .definitions import imports
from .exercises import GOES_ON
from .lessons import STEPS, CourseError
from .listings import FONT, FOR_TOOLS, STYLE, highlighted_lines

SHOWN_FROM = ("dezero_lite", "steps")
SHOWING = ("source", "side_by_side")
# Where a name lives says nothing about what a line does, nor does zip's strictness.
WHERE = re.compile(r"\b(self|np|heapq|contextlib)(\.|, )|, strict=True")
DEFINES = re.compile(r"(?:def|class) \w+")
DOCSTRING = re.compile(r'(?ms)^ *r?""".*?"""\n(?: *\n)?')
# A comment above a line for tools says why the line needs one.
WHY = re.compile(rf"(?m)^ *#.*\n(?=.*{FOR_TOOLS.pattern})")
SHADE = "rgba(0,114,178,0.12)"


class SideBySide:
    """Two functions or classes in two columns; shows itself in a notebook and in a
    terminal.

    Docstrings, annotations, and comments that are meant for tools are left out. `rows`
    are pairs of lines, each with whether the two say the same. They begin with the row
    whose left line holds `since`, and end before the one whose left line holds `until`.

    Raises
    ------
    CourseError
        If no line on the left holds `since` or `until`.
    """

    def __init__(self, old, new, since="", until=""):
        self.titles = _title(old), _title(new)
        rows = _rows(_code(old), _code(new))
        begin = _row_of(since, rows) if since else 0
        end = _row_of(until, rows) if until else len(rows)
        self.rows = rows[begin:end]

    def __repr__(self):
        width = max(len(left) for left, *_ in [self.titles, *self.rows])
        lines = [f"{self.titles[0]:{width}}   {self.titles[1]}"]
        lines += [
            f"{left:{width}} {'=' if alike else '|'} {right}".rstrip()
            for left, right, alike in self.rows
        ]
        return "\n".join(lines)

    def _repr_html_(self):
        cells = [_cells([row[side] for row in self.rows]) for side in (0, 1)]
        rows = [
            f'<tr style="background:{SHADE if alike else "none"}">{left}{right}</tr>'
            for left, right, (_, _, alike) in zip(*cells, self.rows, strict=True)
        ]
        th = '<th style="text-align:left; padding:0.3em 0.6em">'
        head = "".join(f"{th}{title}</th>" for title in self.titles)
        return (
            f'{STYLE}<table class="course-code" style="width:100%; '
            f'table-layout:fixed; border-collapse:collapse; font:{FONT}">'
            f'<tr style="background:none">{head}</tr>{"".join(rows)}</table>'
        )


def _row_of(words, rows):
    for number, (left, _, _) in enumerate(rows):
        if words in left:
            return number
    raise CourseError(f"No line on the left holds {words!r}.")


def _cells(lines):
    html = highlighted_lines("".join(f"{line.strip()}\n" for line in lines))
    return map(_cell, html, lines)


def _cell(html, line):
    # A line that is too long for its column goes on below, further to the right.
    indent = len(line) - len(line.lstrip()) + 4
    return (
        '<td style="text-align:left; vertical-align:top; white-space:pre-wrap; '
        f"overflow-wrap:anywhere; padding:0 0.6em 0 calc({indent}ch + 0.6em); "
        f'text-indent:-4ch">{html}</td>'
    )


def _title(thing):
    module = re.sub(rf"^{re.escape(STEPS)}\b", "steps", thing.__module__)
    return f"{module.replace('.', '/')}.py: {thing.__qualname__}"


def _code(thing):
    """The lines of a definition, without what is left out."""
    whole = textwrap.dedent(inspect.getsource(getattr(thing, "fget", thing)))
    text, lines = whole, whole.splitlines()
    for node in ast.walk(ast.parse(whole)):
        if isinstance(node, ast.AnnAssign) and node.value:
            annotation = ast.get_source_segment(whole, node.annotation)
            text = text.replace(f": {annotation} = ", " = ")
        elif isinstance(node, ast.FunctionDef) and node.body[0].lineno > node.lineno:
            signature, _, _ = "\n".join(lines[node.lineno - 1 :]).partition(":\n")
            text = text.replace(signature, _bare_signature(node))
    text = FOR_TOOLS.sub("", WHY.sub("", DOCSTRING.sub("", text)))
    return text.rstrip().splitlines()


def _bare_signature(node):
    # On one line, and without annotations.
    for arg in ast.walk(node.args):
        if isinstance(arg, ast.arg):
            arg.annotation = None
    return f"{' ' * node.col_offset}def {node.name}({ast.unparse(node.args)})"


def _rows(old, new):
    a, b = ([_said(line) for line in lines] for lines in (old, new))
    # Empty lines are alike only beside others that are.
    matcher = SequenceMatcher(lambda line: not line, a, b, autojunk=False)
    rows = []
    for kind, i, to_i, j, to_j in matcher.get_opcodes():
        pairs = zip_longest(old[i:to_i], new[j:to_j], fillvalue="")
        rows += [(*pair, kind == "equal") for pair in pairs]
    return rows


def _said(line):
    # What two lines that say the same have in common: of definitions, the name.
    line = WHERE.sub("", line.strip())
    found = DEFINES.match(line)
    return found.group() if found else line


# --- In the cells of a lesson ---------------------------------------------------------


def shown(cells):
    """The source of all that each cell of a lesson shows of the package, as in
    ``steps.source(Variable.backward)`` or ``steps.side_by_side(one, other)``.

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
    trees = [_parsed("".join(cell["source"])) for cell in cells]
    names: dict[str, object] = {}
    for cell, tree in zip(cells, trees, strict=True):
        _import(tree, names, GOES_ON in cell["metadata"].get("tags", ()))
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
    for text in imports(tree).values():
        if re.split(r"[ .]", text)[1] in SHOWN_FROM:
            try:
                exec(text, names)
            except ImportError as error:
                if not may_fail:
                    raise CourseError(f"`{text}` fails: {error}.") from None


def _shown_text(call, names):
    text = ast.unparse(call)
    try:
        return repr(eval(text, names))
    except (NameError, AttributeError, TypeError, OSError) as error:
        raise CourseError(
            f"`{text}` shows nothing: {error}. Show a thing by a name that the lesson "
            "imports from dezero_lite or steps, such as `steps.source(Variable"
            ".backward)`; then the builder knows when it changes."
        ) from None
