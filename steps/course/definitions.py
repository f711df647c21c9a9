"""Read the definitions in the source text of a module.

The builder puts them into lessons, ``diff`` compares them, and the workshop asks the
learner for them. A definition is a function, a class, a constant, a method
(``Variable.backward``), an attribute of a class (``Config.enable_backprop``), or a
method that is attached later (``Variable.__add__ = add``).
"""

import ast
import builtins
import symtable
from dataclasses import dataclass
from enum import Enum
from functools import cache, lru_cache
from itertools import pairwise
from textwrap import dedent

from .lessons import CourseError

IMPORTS = "imports"
Kind = Enum("Kind", "FUNCTION CLASS CONSTANT METHOD ATTRIBUTE ATTACHED")
# Whoever asks again for the tree, or the lines, of a whole file gets the same ones.
parse = lru_cache(maxsize=16)(ast.parse)
_split_lines = lru_cache(maxsize=16)(str.splitlines)


@dataclass(frozen=True)
class Definition:
    """The kind of a definition, and its source text without indentation."""

    kind: Kind
    text: str

    def has_same_code(self, other):
        """Whether another definition differs in comments and layout alone."""
        if other is None or self.text == other.text:
            return other is not None
        return _dump(self.text) == _dump(other.text)

    @property
    def arguments(self):
        """The arguments of a function; None of anything else."""
        return getattr(ast.parse(self.text).body[0], "args", None)

    def returns_value(self):
        """Whether a function returns or yields anything."""
        kinds = ast.Return | ast.Yield | ast.YieldFrom | ast.Lambda
        exits = [n for n in ast.walk(ast.parse(self.text)) if isinstance(n, kinds)]
        return any(getattr(node, "value", True) is not None for node in exits)


@lru_cache(maxsize=4096)
def _dump(text):
    return ast.dump(ast.parse(text))


# --- The definitions of a module ------------------------------------------------------


@lru_cache(maxsize=4096)  # a package is asked again and again
def read_definitions(source):
    """Read all definitions of a module: a dict from name to Definition, in order.

    Decorators, and comments directly above, belong to the text. A class comes before
    the definitions in it, whose names begin with its own.
    """
    return {
        name: Definition(kind, dedent(cut_text(source, node)))
        for name, kind, node in walk_definitions(source)
    }


@cache
def read_texts(source):
    """Read what a lesson can show: a dict from name to source text, in order.

    Attributes of classes are left out, and statements that define several names at
    once by a tuple or by ``setattr``.
    """
    return {name: dedent(cut_text(source, node)) for name, node in _shown(source)}


definitions = read_texts  # as copies of lesson 23 call it that were laid before


def split_module(source):
    """Split a module into texts that do not overlap, by name.

    As :func:`read_texts`, but a class comes without its methods, and the imports of the
    module are a text of their own.
    """
    kinds = ast.Import | ast.ImportFrom
    nodes = [node for node in parse(source).body if isinstance(node, kinds)]
    imports = "\n".join(cut_text(source, node) for node in nodes)
    texts = {IMPORTS: imports} if imports else {}
    for name, node in _shown(source):
        members = node.body if isinstance(node, ast.ClassDef) else []
        methods = [member for member in members if isinstance(member, ast.FunctionDef)]
        texts[name] = dedent(cut_text(source, node, methods))
    return texts


def extract(source, names, file):
    """Extract definitions from a module as a notebook cell shows them.

    Parameters
    ----------
    source : str
        The text of the module.
    names : list of str
        Such as ``["Variable", "as_array"]`` or ``["Variable.backward"]``.
    file : str
        The name of the module's file, for the message.

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
    texts = [defined[name] for name in names]
    cell = texts[0]
    for above, text in pairwise(texts):
        lines = "\n" in above or "\n" in text  # neighbours of one line stay together
        cell += ("\n\n\n" if lines else "\n") + text
    return cell


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
    """List the names under which others have the same code."""
    return [n for n, d in definitions.items() if d.has_same_code(others.get(n))]


def get_owner(name):
    """Get the name of the class that a definition belongs to, or the name itself."""
    return name.partition(".")[0]


def format_names(names, most=None):
    """Format names for a sentence; of many, the first few."""
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
    """Pairs of name and node; of several names of one node, the first."""
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
    """Find the call in a statement that attaches by ``setattr``, or in such a loop."""
    for child in ast.walk(node) if isinstance(node, ast.For | ast.Expr) else ():
        if isinstance(child, ast.Call) and ast.unparse(child.func) == "setattr":
            return child
    return None


def find_lines(source, node):
    """Find the first line of a definition, counted from 0, and its end, decorators and
    comments directly above included.
    """
    lines = _split_lines(source)
    decorators = getattr(node, "decorator_list", [])
    start = min(inner.lineno for inner in [node, *decorators]) - 1
    indent = " " * node.col_offset
    while start and lines[start - 1].startswith(f"{indent}#"):
        start -= 1
    return start, node.end_lineno


def cut_text(source, node, without=()):
    """Cut the lines of a definition out of a source, without some inner ones."""
    lines, dropped = _split_lines(source), set()
    for inner in without:
        dropped |= set(range(*find_lines(source, inner)))
    kept = (lines[i] for i in range(*find_lines(source, node)) if i not in dropped)
    return "\n".join(kept).rstrip()


def get_body(node):
    """Get the statements of a function or class without its docstring."""
    return node.body if ast.get_docstring(node) is None else node.body[1:]


# --- Names that are used --------------------------------------------------------------


def find_names_needed_at_once(node):
    """Find the names that have to exist when a statement runs: bases, decorators,
    defaults; not those inside functions.
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
    """Find the names that a module uses and that are not local to a function."""
    names = set()
    tables = [symtable.symtable(source, "?", "exec")]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        is_top = table.get_type() == "module"
        used = [symbol for symbol in table.get_symbols() if symbol.is_referenced()]
        names |= {symbol.get_name() for symbol in used if is_top or symbol.is_global()}
    return frozenset(names if with_builtins else names - set(dir(builtins)))
