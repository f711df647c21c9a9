"""Read the definitions in a module's source code.

The builder inserts them into lessons, ``diff`` compares them, and the workshop asks the
learner for them. A definition is a function, a class, a constant, a method
(``Variable.backward``), a class attribute (``Config.enable_backprop``), or a method
that is attached later (``Variable.__add__ = add``).
"""

import ast
import builtins
import symtable
from dataclasses import dataclass
from enum import Enum
from functools import cache, lru_cache
from textwrap import dedent

from .lessons import CourseError

IMPORTS = "imports"
Kind = Enum("Kind", "FUNCTION CLASS CONSTANT METHOD ATTRIBUTE ATTACHED")
# Cached: many functions need the tree and the lines of the same file.
parse = lru_cache(maxsize=16)(ast.parse)
_split_lines = lru_cache(maxsize=16)(str.splitlines)


@dataclass(frozen=True)
class Definition:
    """The kind of a definition, and its source code without indentation."""

    kind: Kind
    text: str

    def has_same_code(self, other):
        """Return whether another definition differs only in comments and layout."""
        if other is None or self.text == other.text:
            return other is not None
        return _dump(self.text) == _dump(other.text)

    @property
    def is_member(self):
        """Whether it is written inside a class."""
        return self.kind in (Kind.METHOD, Kind.ATTRIBUTE)

    @property
    def node(self):
        """The syntax tree of its statement."""
        return ast.parse(self.text).body[0]

    @property
    def arguments(self):
        """The arguments of a function; None for other definitions."""
        return getattr(self.node, "args", None)

    def returns_value(self):
        """Return whether a function returns or yields a value."""
        kinds = ast.Return | ast.Yield | ast.YieldFrom | ast.Lambda
        exits = [n for n in ast.walk(self.node) if isinstance(n, kinds)]
        return any(getattr(node, "value", True) is not None for node in exits)


@lru_cache(maxsize=4096)
def _dump(text):
    return ast.dump(ast.parse(text))


# --- The definitions of a module ------------------------------------------------------


@lru_cache(maxsize=4096)  # a package's source is read again and again
def read_definitions(source):
    """Read all definitions of a module: a dict from name to Definition, in order.

    A definition's source includes its decorators and the comments directly above. A
    class comes before its members, whose names begin with its own.
    """
    return {
        name: Definition(kind, dedent(cut_text(source, node)))
        for name, kind, node in walk_definitions(source)
    }


@lru_cache(maxsize=4096)
def list_top_names(source):
    """List the names that a module defines, without the members of classes."""
    return tuple(name for name in read_definitions(source) if "." not in name)


@cache
def read_texts(source):
    """Read the definitions that a lesson can show: a dict from name to source code, in
    order.

    Class attributes are left out, and so are statements that define names by unpacking
    a tuple or by ``setattr``.
    """
    return {name: dedent(cut_text(source, node)) for name, node in _shown(source)}


definitions = read_texts  # the name that older copies of lesson 23 use


def split_module(source, whole=()):
    """Split a module's source code into parts that do not overlap: a dict by name.

    Like :func:`read_texts`, but a class comes without its methods, unless `whole` has
    its name, and the module's imports are an entry of their own.
    """
    kinds = ast.Import | ast.ImportFrom
    nodes = [node for node in parse(source).body if isinstance(node, kinds)]
    imports = "\n".join(cut_text(source, node) for node in nodes)
    texts = {IMPORTS: imports} if imports else {}
    for name, node in _shown(source):
        is_split = isinstance(node, ast.ClassDef) and name not in whole
        members = node.body if is_split else []
        methods = [member for member in members if isinstance(member, ast.FunctionDef)]
        if not node.col_offset or get_owner(name) not in whole:
            texts[name] = dedent(cut_text(source, node, methods))
    return texts


def extract(source, names, file):
    """Extract definitions from a module as a notebook cell shows them.

    Parameters
    ----------
    source : str
        The module's source code.
    names : list of str
        Such as ``["Variable", "as_array"]`` or ``["Variable.backward"]``.
    file : str
        The name of the module's file, for the error message.

    Raises
    ------
    CourseError
        If the module does not define one of the names.
    """
    defined = read_texts(source)
    for name in names:
        if name not in defined:
            known = ", ".join(defined) or "nothing"
            raise CourseError(f"{file} defines no {name}. It defines {known}.")
    return join_statements(defined[name] for name in names)


def join_statements(statements):
    """Join the statements of a module; adjacent lines, such as constants, stay together
    without a gap.
    """
    text, above = "", ""
    for statement in statements:
        gap = "\n" if _is_line(above) and _is_line(statement) else "\n\n\n"
        text, above = f"{text}{gap if text else ''}{statement}", statement
    return text


def _is_line(statement):
    return "\n" not in statement and not statement.startswith(("def ", "class ", "@"))


def read_imports(tree):
    """Read the imports at the top of a module: a dict from name to statement."""
    imports = {}
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                single = type(node)(**(vars(node) | {"names": [alias]}))
                name = alias.asname or alias.name.split(".")[0]
                imports[name] = ast.unparse(single)
    return imports


def find_same(definitions, others):
    """List the names of the definitions that have the same code in `others`."""
    return [n for n, d in definitions.items() if d.has_same_code(others.get(n))]


def get_owner(name):
    """Return the class in a name such as ``Variable.backward``, or the name itself."""
    return name.partition(".")[0]


def format_names(names, most=None):
    """Format names for a sentence: the first `most`, and the number of the others."""
    shown = [f"`{name}`" for name in names[:most]]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


# --- Nodes and lines ------------------------------------------------------------------


def walk_definitions(source):
    """Yield (name, kind, node) for each definition of a module."""
    for node in parse(source).body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, Kind.FUNCTION, node
        elif isinstance(node, ast.ClassDef):
            yield node.name, Kind.CLASS, node
            for child in node.body:
                if isinstance(child, ast.FunctionDef):
                    yield f"{node.name}.{child.name}", Kind.METHOD, child
                for name in _list_targets(child):
                    yield f"{node.name}.{name}", Kind.ATTRIBUTE, child
        elif call := find_setattr(node):
            owner, name = map(ast.unparse, call.args[:2])
            texts = [n.value for n in ast.walk(node) if isinstance(n, ast.Constant)]
            names = [t for t in texts if isinstance(t, str) and t.strip("_")]
            for text in names or [name]:
                yield f"{owner}.{text}", Kind.ATTACHED, node
        for name in _list_targets(node):
            if name != "__all__":
                yield name, Kind.ATTACHED if "." in name else Kind.CONSTANT, node


def _shown(source):
    """List pairs (name, node) of the definitions that a lesson can show, with the first
    name of each node.
    """
    names: dict[ast.AST, str] = {}
    for name, kind, node in walk_definitions(source):
        is_tuple = isinstance(getattr(node, "targets", [None])[0], ast.Tuple)
        if kind != Kind.ATTRIBUTE and not is_tuple and not find_setattr(node):
            names.setdefault(node, name)
    return [(name, node) for node, name in names.items()]


def _list_targets(node):
    targets = node.targets if isinstance(node, ast.Assign) else []
    if isinstance(node, ast.AnnAssign) and node.value:
        targets = [node.target]
    flat = [inner for each in targets for inner in getattr(each, "elts", [each])]
    named = [each for each in flat if isinstance(each, ast.Name | ast.Attribute)]
    return map(ast.unparse, named)


def find_setattr(node):
    """Find the call of ``setattr`` in an expression statement or a for loop; None if
    there is none.
    """
    for child in ast.walk(node) if isinstance(node, ast.For | ast.Expr) else ():
        if isinstance(child, ast.Call) and ast.unparse(child.func) == "setattr":
            return child
    return None


def find_lines(source, node):
    """Find the lines of a definition, including its decorators and the comments
    directly above: the first, counted from 0, and the end (exclusive).
    """
    lines = _split_lines(source)
    decorators = getattr(node, "decorator_list", [])
    start = min(inner.lineno for inner in [node, *decorators]) - 1
    indent = " " * node.col_offset
    while start and lines[start - 1].startswith(f"{indent}#"):
        start -= 1
    return start, node.end_lineno


def cut_text(source, node, without=()):
    """Return a definition's source lines, without those of the nodes in `without`."""
    lines, dropped = _split_lines(source), set()
    for inner in without:
        dropped |= set(range(*find_lines(source, inner)))
    kept = (lines[i] for i in range(*find_lines(source, node)) if i not in dropped)
    return "\n".join(kept).rstrip()


def get_body(node):
    """Return the statements of a function or class without its docstring."""
    return node.body if ast.get_docstring(node) is None else node.body[1:]


# --- Names that are used --------------------------------------------------------------


def find_names_needed_at_once(node):
    """Find the names that have to exist when a statement runs, such as bases,
    decorators and defaults, but not those used inside functions.
    """
    if isinstance(node, ast.FunctionDef | ast.Lambda):
        inside = [*getattr(node, "decorator_list", []), *node.args.defaults]
        inside += [default for default in node.args.kw_defaults if default]
    else:
        inside = list(ast.iter_child_nodes(node))
    names = {node.id} if isinstance(node, ast.Name) else set()
    return names.union(*(find_names_needed_at_once(child) for child in inside))


@lru_cache(maxsize=4096)
def find_globals(source, with_builtins=False):
    """Find the names that a module uses, except those local to a function and, by
    default, built-ins.
    """
    names = set()
    tables = [symtable.symtable(source, "?", "exec")]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        is_top = table.get_type() == "module"
        used = [symbol for symbol in table.get_symbols() if symbol.is_referenced()]
        names |= {symbol.get_name() for symbol in used if is_top or symbol.is_global()}
    return frozenset(names if with_builtins else names - set(dir(builtins)))
