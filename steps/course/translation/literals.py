"""The string literals of a program that a person reads: titles, labels and messages.

A unit is the text of a literal. In an f-string, each value is a field, such as
``{loss:.3f}``, which a translation must repeat.
"""

import ast
import json
import re

WORD = re.compile(r"[A-Za-z]{2,}")
WORDS = re.compile(r"[A-Za-z]{2,}\b.* .*\b[A-Za-z]{2,}", re.DOTALL)
WORD_AND_VALUE = re.compile(r"[A-Za-z]{2,}.* | .*[A-Za-z]{2,}", re.DOTALL)
# A single word counts only as one of these arguments, and in a call of these methods;
# elsewhere it may be a key.
SHOWN = {"label", "title", "xlabel", "ylabel", "suptitle"}
SHOWING = SHOWN | {"set_title", "set_xlabel", "set_ylabel", "text", "annotate"}
SINGLE = re.compile(r"[A-Za-z]{3,}")
# Each value of a dict of such a name counts, even a single word or a mark.
DICTS = {"WORDS", "SIGNS"}
SETTINGS = {"loc", "textcoords", "xycoords", "arrowprops", "va", "ha"}


def replace_literals(code, translate, keeps_lines=False):
    """Replace the literals of a program that a person reads.

    Parameters
    ----------
    translate : callable
        Takes a unit and returns its translation, with the same fields.
    keeps_lines : bool
        Whether each line keeps its number, for tracebacks.

    Raises
    ------
    ValueError
        If a translation does not have the same fields.
    """
    data = code.encode()
    starts = [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node, unit in reversed(find_literals(code)):
        translation = translate(unit)
        if translation != unit:
            begin = starts[node.lineno - 1] + node.col_offset
            end = starts[node.end_lineno - 1] + node.end_col_offset
            text = _format(node, translation)
            fewer = node.end_lineno - node.lineno - text.count("\n")
            if keeps_lines and fewer:
                text = f"({text}{fewer * chr(10)})"
            data = data[:begin] + text.encode() + data[end:]
    return data.decode()


def find_literals(code):
    """Find the literals of a program that a person reads: a list of pairs of a node and
    its unit, in order.
    """
    finder = _Finder()
    finder.visit(ast.parse(code))
    return sorted(finder.found, key=lambda pair: (pair[0].lineno, pair[0].col_offset))


class _Finder(ast.NodeVisitor):
    def __init__(self):
        self.found = []

    def visit_JoinedStr(self, node):
        self._add(node, WORD_AND_VALUE)

    def visit_Constant(self, node):
        self._add(node)

    def _add(self, node, pattern=WORDS):
        unit = make_unit(node)
        if pattern.search(re.sub(r"\{.*?\}", "{}", unit)):
            self.found.append((node, unit))

    def visit_keyword(self, node):
        if node.arg not in SETTINGS:
            self._visit_shown(node.value, node.arg in SHOWN)

    def visit_Call(self, node):
        self.visit(node.func)
        if ast.unparse(node.func).startswith("re."):  # takes a pattern
            return
        shows = isinstance(node.func, ast.Attribute) and node.func.attr in SHOWING
        for argument in node.args:
            self._visit_shown(argument, shows)
        for keyword in node.keywords:
            self.visit(keyword)

    def _visit_shown(self, node, is_shown):
        if is_shown and make_unit(node):
            self._add(node, WORD)
        else:
            self.visit(node)

    def visit_For(self, node):
        """Find words in what a loop goes over, if the loop draws with them."""
        if any(map(_shows, ast.walk(ast.Module(node.body, [])))):
            for part in ast.walk(node.iter):
                if SINGLE.fullmatch(make_unit(part)):
                    self.found.append((part, make_unit(part)))
        self.generic_visit(node)

    def visit_Assign(self, node):
        """Find every value of a dict with one of the names DICTS."""
        if ast.unparse(node.targets[0]) in DICTS and isinstance(node.value, ast.Dict):
            values = filter(make_unit, node.value.values)
            self.found += [(value, make_unit(value)) for value in values]
        else:
            self.generic_visit(node)

    def visit_Compare(self, node):
        """Skip it: what is compared must not change."""

    def visit_Subscript(self, node):
        self.visit(node.value)

    def visit_Dict(self, node):
        for value in node.values:
            self.visit(value)

    def visit_Expr(self, node):
        if not isinstance(node.value, ast.Constant):  # a docstring
            self.generic_visit(node)


def _shows(node):
    if isinstance(node, ast.keyword):
        return node.arg in SHOWN
    return isinstance(node, ast.Attribute) and node.attr in SHOWING


def make_unit(node):
    """Return the unit of a literal; an empty string if the node is not a string."""
    if isinstance(node, ast.JoinedStr):
        return "".join(_make_part(value) for value in node.values)
    is_string = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return node.value if is_string else ""


def _make_part(value):
    if isinstance(value, ast.Constant):
        return value.value
    return ast.unparse(ast.JoinedStr([value]))[2:-1]


def _format(node, translation):
    if isinstance(node, ast.Constant):
        lines = translation.count("\n")
        has_lines = 0 < lines == (node.end_lineno or 0) - node.lineno
        if has_lines and not re.search(r'\\|"""|"$', translation):
            return f'"""{translation}"""'
        return json.dumps(translation, ensure_ascii=False)
    fields = {_make_part(value): value for value in node.values}
    fields = {k: v for k, v in fields.items() if not isinstance(v, ast.Constant)}
    pattern = "|".join(map(re.escape, sorted(fields, key=len, reverse=True)))
    parts = re.split(f"({pattern})", translation)
    missing = sorted(set(fields) - set(parts))
    if missing or len(parts) // 2 != len(node.values) - _count_texts(node):
        raise ValueError(f"{translation!r} needs the fields {', '.join(fields)}")
    values = [fields.get(part) or ast.Constant(part) for part in parts if part]
    return ast.unparse(ast.JoinedStr(values))


def _count_texts(node):
    return sum(isinstance(value, ast.Constant) for value in node.values)


def make_skeleton(code):
    """Return a program without its texts, to compare two programs."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            fields = [v for v in node.values if not isinstance(v, ast.Constant)]
            node.values = sorted(fields, key=ast.dump)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
    return ast.dump(tree)
