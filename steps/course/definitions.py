"""The definitions of a module, taken from its source text.

The builder puts them into lessons, ``diff`` compares them, and the tests hold a lesson
to what its step changes.
"""

import ast
import functools
import textwrap
from enum import Enum
from itertools import pairwise

from .lessons import CourseError

IMPORTS = "imports"
Kind = Enum("Kind", "FUNCTION CLASS CONSTANT METHOD ATTRIBUTE ATTACHED")


@functools.cache
def definitions(source):
    """The functions, classes and constants of a module: a dict from name to source
    text, in order.

    Decorators, and comments directly above, belong to the definition. Methods have
    names such as ``Variable.backward``, and so have methods that are assigned later, as
    in ``Variable.__add__ = add``.
    """
    named = _named(source)
    return {name: textwrap.dedent(text_of(source, node)) for name, node in named}


def pieces(source):
    """Cut a module into pieces that do not overlap: a dict from name to source text.

    As :func:`definitions`, but a class stands without its methods, and the module's
    imports are a piece of their own.
    """
    tree = ast.parse(source)
    kinds = ast.Import | ast.ImportFrom
    imports = [text_of(source, node) for node in tree.body if isinstance(node, kinds)]
    found = {IMPORTS: "\n".join(imports)} if imports else {}
    for name, node in _named(source):
        held = node.body if isinstance(node, ast.ClassDef) else []
        inside = [child for child in held if isinstance(child, ast.FunctionDef)]
        found[name] = textwrap.dedent(text_of(source, node, inside))
    return found


def extract(source, names, where):
    """The source text of some definitions, as a notebook cell shows it.

    Parameters
    ----------
    source : str
        The text of a module.
    names : list of str
        Such as ``["Variable", "as_array"]`` or ``["Variable.backward"]``.
    where : str
        The module's file name, for the message.

    Raises
    ------
    CourseError
        If the module does not define one of the names.
    """
    found = definitions(source)
    there = ", ".join(found) or "nothing"
    for name in names:
        if name not in found:
            raise CourseError(f"{where} defines no {name}. It defines {there}.")
    texts = [found[name] for name in names]
    shown = texts[0]
    for above, text in pairwise(texts):
        lines = "\n" in above or "\n" in text  # neighbours of one line stay together
        shown += ("\n\n\n" if lines else "\n") + text
    return shown


def _named(source):
    """Pairs of a name and a node, for each definition that can be shown: of several
    names the first, and no loop or tuple.
    """
    found: dict[str, ast.AST] = {}
    for name, kind, node in nodes(source):
        target = getattr(node, "targets", [None])[0]
        several = setting(node) or isinstance(target, ast.Tuple)
        if kind != Kind.ATTRIBUTE and not several:
            found.setdefault(node, name)
    return [(name, node) for node, name in found.items()]


def nodes(source):
    """Triples (name, kind, node), one for each part of a module."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, Kind.FUNCTION, node
        elif isinstance(node, ast.ClassDef):
            yield node.name, Kind.CLASS, node
            for child in node.body:
                if isinstance(child, ast.FunctionDef):
                    yield f"{node.name}.{child.name}", Kind.METHOD, child
                for name in _assigned(child):
                    yield f"{node.name}.{name}", Kind.ATTRIBUTE, child
        elif call := setting(node):
            of = ast.unparse(call.args[0])
            for inner in ast.walk(node):
                if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
                    yield f"{of}.{inner.value}", Kind.ATTACHED, node
        for name in _assigned(node):
            if name != "__all__":
                yield name, Kind.ATTACHED if "." in name else Kind.CONSTANT, node


def _assigned(node):
    targets = node.targets if isinstance(node, ast.Assign) else []
    if isinstance(node, ast.AnnAssign) and node.value:
        targets = [node.target]
    flat = [inner for each in targets for inner in getattr(each, "elts", [each])]
    named = [each for each in flat if isinstance(each, ast.Name | ast.Attribute)]
    return map(ast.unparse, named)


def setting(node):
    """The call of ``setattr`` in a statement that attaches by it, with or without a
    loop.
    """
    for child in ast.walk(node) if isinstance(node, ast.For | ast.Expr) else ():
        if isinstance(child, ast.Call) and ast.unparse(child.func) == "setattr":
            return child
    return None


def span(source, node):
    """First line, counted from 0, and end of a definition with its decorators and the
    comments directly above.
    """
    lines = _lines(source)
    decorators = getattr(node, "decorator_list", [])
    start = min(inner.lineno for inner in [node, *decorators]) - 1
    indent = " " * node.col_offset
    while start and lines[start - 1].startswith(f"{indent}#"):
        start -= 1
    return start, node.end_lineno


def text_of(source, node, without=()):
    """The lines of a definition, but for those of some definitions in it."""
    lines, gone = _lines(source), set()
    for inner in without:
        gone |= set(range(*span(source, inner)))
    kept = (lines[i] for i in range(*span(source, node)) if i not in gone)
    return "\n".join(kept).rstrip()


@functools.lru_cache(maxsize=16)  # of whole files, which take long
def parsed(source):
    """The tree of a source, to be read: whoever asks again gets the same one."""
    return ast.parse(source)


@functools.lru_cache(maxsize=8)  # a source is cut into many definitions
def _lines(source):
    return source.splitlines()


def imports(tree):
    """The imports at a module's top: from each name to the line that brings it."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                alone = type(node)(**(vars(node) | {"names": [alias]}))
                name = alias.asname or alias.name.split(".")[0]
                found[name] = ast.unparse(alone)
    return found
