"""The parts of a module: what a learner writes, and what is put in its place.

A part is a function, a class, a constant, a method (``Variable.backward``), something
that a class holds (``Config.enable_backprop``), or a method attached later
(``Variable.__add__ = add``).
"""

import ast
import builtins
import symtable
from dataclasses import dataclass
from functools import lru_cache
from textwrap import dedent

from ..definitions import Kind as Kind
from ..definitions import nodes, text_of

ENDING = "is not written yet"


@dataclass
class Part:
    """One definition: its kind, and its source text without indentation."""

    kind: Kind
    text: str

    def same_code(self, other):
        """Whether the two say the same, comments and layout aside."""
        if other is None or self.text == other.text:
            return other is not None
        return _code(self.text) == _code(other.text)


@lru_cache(maxsize=4096)
def _code(text):
    return ast.dump(ast.parse(text))


def alike(these, others):
    """The names of those of some parts that say the same among others."""
    return [n for n, part in these.items() if part.same_code(others.get(n))]


def owner(name):
    """The class to which something belongs, or the name itself."""
    return name.partition(".")[0]


def parts(source):
    """All parts of a module, by name, in order; a class comes before what it holds."""
    return {name: Part(kind, text) for name, kind, text in _found(source)}


@lru_cache(maxsize=4096)  # a package is asked for its parts again and again
def _found(source):
    return [(n, k, dedent(text_of(source, node))) for n, k, node in nodes(source)]


def listed(names, most=None):
    """Names in a sentence; of many, some."""
    shown = [f"`{name}`" for name in names[:most]]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def arguments(part):
    """The arguments of a function; None of anything else."""
    node = ast.parse(part.text).body[0]
    return node.args if isinstance(node, ast.FunctionDef) else None


def returns(part):
    """Whether a function hands anything back."""
    kinds = ast.Return | ast.Yield | ast.YieldFrom | ast.Lambda
    found = [n for n in ast.walk(ast.parse(part.text)) if isinstance(n, kinds)]
    return any(getattr(node, "value", True) is not None for node in found)


# --- What is written, and what is not -------------------------------------------------


def body_of(node):
    """The statements of a function or class, its docstring left out."""
    return node.body if ast.get_docstring(node) is None else node.body[1:]


def is_stub(node):
    """Whether a function, or a class, has nothing in it yet."""
    body = [c for c in body_of(node) if ast.unparse(c) not in ("pass", "...")]
    if isinstance(node, ast.ClassDef):
        return all(isinstance(c, ast.FunctionDef) and is_stub(c) for c in body)
    marked = [c for c in body if isinstance(c, ast.Raise) and ENDING in ast.unparse(c)]
    return len(body) < 2 and body == marked


def is_placeholder(part):
    """Whether a method only says, by an error or by its text, that a subclass has to
    write it.
    """
    return _says_who_writes_it(part.text)


@lru_cache(maxsize=4096)
def _says_who_writes_it(text):
    node = ast.parse(text).body[0]
    if not isinstance(node, ast.FunctionDef) or not body_of(node):
        return isinstance(node, ast.FunctionDef)
    raises = [
        ast.unparse(c).startswith("raise NotImplementedError") for c in body_of(node)
    ]
    return raises == [True] and not is_stub(node)


# --- Names ----------------------------------------------------------------------------


def names_needed_at_once(node):
    """The names that have to be there when a statement runs: bases, decorators,
    defaults; not what stands inside functions.
    """
    if isinstance(node, ast.FunctionDef | ast.Lambda):
        inside = [*getattr(node, "decorator_list", []), *node.args.defaults]
        inside += [default for default in node.args.kw_defaults if default]
    else:
        inside = list(ast.iter_child_nodes(node))
    found = {node.id} if isinstance(node, ast.Name) else set()
    return found.union(*(names_needed_at_once(child) for child in inside))


@lru_cache(maxsize=4096)
def globals_used(source, with_builtins=False):
    """The names that a module uses and that are no one's local names."""
    found = set()
    tables = [symtable.symtable(source, "?", "exec")]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        top = table.get_type() == "module"
        used = [symbol for symbol in table.get_symbols() if symbol.is_referenced()]
        found |= {symbol.get_name() for symbol in used if top or symbol.is_global()}
    return frozenset(found if with_builtins else found - set(dir(builtins)))
