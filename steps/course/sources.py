"""Source code in lessons: two pieces beside each other, and what the cells of a lesson
show of the package, found without running them.
"""

import ast
import inspect
import re
import textwrap
from difflib import SequenceMatcher
from itertools import product, zip_longest
from operator import attrgetter, itemgetter

from .definitions import imports
from .exercises import GOES_ON
from .lessons import STEPS, CourseError
from .listings import FONT, FOR_TOOLS, STYLE, Source, highlighted_lines

SHOWN_FROM = ("dezero_lite", "steps")
SHOWING = ("source", "side_by_side")
# What two lines must have in common, from 0 to 1, to stand in one row.
ALIKE = 0.8
# Where a name lives says nothing about what a line does.
WHERE = re.compile(r"\b(self|np|heapq|contextlib)(\.|, )")
DEFINES = re.compile(r"(?:def|class) \w+")
ASSIGNS = re.compile(r"([\w., ]+?) = ")
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
        self._left, self._right = _code(old), _code(new)
        places = _rows(self._left, self._right)
        begin = _row_of(since, places, self._left) if since else 0
        end = _row_of(until, places, self._left) if until else len(places)
        self._places = places[begin:end]
        self.rows = self._filled(self._left, self._right, "")

    def _filled(self, left, right, empty):
        return [
            (empty if i is None else left[i], empty if j is None else right[j], alike)
            for i, j, alike in self._places
        ]

    def __repr__(self):
        width = max(map(len, [self.titles[0], *self._left]))
        lines = [f"{self.titles[0]:{width}}   {self.titles[1]}"]
        lines += [
            f"{left:{width}} {'=' if alike else '|'} {right}".rstrip()
            for left, right, alike in self.rows
        ]
        return "\n".join(lines)

    def _repr_html_(self):
        left, right = _cells(self._left), _cells(self._right)
        filled = self._filled(left, right, _cell("", ""))
        rows = [
            f'<tr style="background:{SHADE if alike else "none"}">{left}{right}</tr>'
            for left, right, alike in filled
        ]
        th = '<th style="text-align:left; padding:0.3em 0.6em">'
        head = "".join(f"{th}{title}</th>" for title in self.titles)
        return (
            f'{STYLE}<table class="course-code" style="width:100%; '
            f'table-layout:fixed; border-collapse:collapse; font:{FONT}">'
            f'<tr style="background:none">{head}</tr>{"".join(rows)}</table>'
        )


def _row_of(words, places, lines):
    for row, (i, *_) in enumerate(places):
        if i is not None and words in lines[i]:
            return row
    raise CourseError(f"No line on the left holds {words!r}.")


def _cells(lines):
    html = highlighted_lines("\n".join(line.strip() for line in lines))
    return list(map(_cell, html, lines))


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
    text = textwrap.dedent(inspect.getsource(getattr(thing, "fget", thing)))
    lines = text.rstrip().splitlines()
    # From the last line to the first, so that those above keep their numbers.
    statements = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.stmt)]
    for node in sorted(statements, key=attrgetter("lineno"), reverse=True):
        if isinstance(node, ast.AnnAssign) and node.value:
            _without_annotation(lines, node)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            if ast.get_docstring(node):
                _without_docstring(lines, node)
            if isinstance(node, ast.FunctionDef):
                _with_bare_signature(lines, node)
    for i in reversed(range(1, len(lines))):
        # A comment above a line for tools says why the line needs one.
        if FOR_TOOLS.search(lines[i]) and lines[i - 1].lstrip().startswith("#"):
            del lines[i - 1]
    return [FOR_TOOLS.sub("", line) for line in lines]


def _without_annotation(lines, node):
    # Python counts columns in bytes.
    line = lines[node.lineno - 1].encode()
    start, end = node.target.end_col_offset, node.annotation.end_col_offset
    lines[node.lineno - 1] = (line[:start] + line[end:]).decode()


def _without_docstring(lines, node):
    first, last = node.body[0].lineno - 1, node.body[0].end_lineno
    last += not "".join(lines[last : last + 1]).strip()
    del lines[first:last]


def _with_bare_signature(lines, node):
    # On one line, and without annotations.
    first = node.lineno - 1
    if node.body[0].lineno == node.lineno:
        return
    for arg in ast.walk(node.args):
        if isinstance(arg, ast.arg):
            arg.annotation = None
    last = next(i for i in range(first, len(lines)) if lines[i].endswith(":"))
    signature = f"def {node.name}({ast.unparse(node.args)}):"
    lines[first : last + 1] = [" " * node.col_offset + signature]


def _rows(old, new):
    # The pairs of like lines, none crossing another, with the greatest sum of
    # likeness; then what lies between them, in order.
    none: tuple[float, tuple[tuple[int, int], ...]] = 0.0, ()
    best = [[none] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i, j in product(reversed(range(len(old))), reversed(range(len(new)))):
        score, pairs = best[i + 1][j + 1]
        together = score + _likeness(old[i], new[j]), ((i, j), *pairs)
        best[i][j] = max(best[i + 1][j], best[i][j + 1], together, key=itemgetter(0))
    rows, i, j = [], 0, 0
    for a, b in (*best[0][0][1], (len(old), len(new))):
        between = zip_longest(range(i, a), range(j, b))
        rows += [*((*pair, False) for pair in between), (a, b, True)]
        i, j = a + 1, b + 1
    return rows[:-1]


def _likeness(a, b):
    # A long line that both have counts for more than a short one.
    a, b = (WHERE.sub("", line.strip()) for line in (a, b))
    if _role(a) != _role(b):
        return 0.0
    if DEFINES.match(a):
        return len(a + b)
    ratio = SequenceMatcher(None, a, b, autojunk=False).ratio()
    return ratio * len(a + b) if ratio >= ALIKE else 0.0


def _role(line):
    # What a line defines, what it assigns to, or the word that it begins with.
    found = DEFINES.match(line) or ASSIGNS.match(line)
    return found.group() if found else line.partition(" ")[0]


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
    paths = [ast.unparse(argument) for argument in call.args] or [""]
    try:
        things = [_thing(path, names, text) for path in paths]
        how = {k.arg: ast.literal_eval(k.value) for k in call.keywords if k.arg}
        if ast.unparse(call.func).endswith("side_by_side"):
            return repr(SideBySide(*things, **how))
        return Source(*things, **how).text
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
    return attrgetter(rest)(names[home]) if rest else names[home]
