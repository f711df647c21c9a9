"""The definitions of a module, taken from its source text.

The builder puts them into lessons, ``diff`` compares them, and the tests hold a lesson
to what its step changes.
"""

import ast
import functools
import textwrap
from itertools import pairwise

from .lessons import CourseError

IMPORTS = "imports"


@functools.cache
def definitions(source):
    """The functions, classes and constants of a module: a dict from name to source
    text, in order.

    Decorators, and comments directly above, belong to the definition. Methods have
    names such as ``Variable.backward``, and so have methods that are assigned later, as
    in ``Variable.__add__ = add``.
    """
    found = {}
    for node in ast.parse(source).body:
        if name := _name(node):
            found[name] = text_of(source, node)
            for method in _methods(node):
                text = textwrap.dedent(text_of(source, method))
                found[f"{name}.{method.name}"] = text
    return found


def pieces(source):
    """Cut a module into pieces that do not overlap: a dict from name to source text.

    As :func:`definitions`, but a class stands without its methods, and the module's
    imports are a piece of their own.
    """
    tree = ast.parse(source)
    kinds = ast.Import | ast.ImportFrom
    imports = [text_of(source, node) for node in tree.body if isinstance(node, kinds)]
    found = {IMPORTS: "\n".join(imports)} if imports else {}
    for node in tree.body:
        if _name(node):
            found |= definitions(text_of(source, node))
        if methods := _methods(node):
            found[node.name] = _without(source, node, methods)
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


def _name(node):
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return node.name
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    name = ast.unparse(target) if isinstance(target, ast.Name | ast.Attribute) else None
    return None if name == "__all__" else name  # a list of names, no definition


def _methods(node):
    inside = getattr(node, "body", [])
    return [child for child in inside if isinstance(child, ast.FunctionDef)]


def span(source, node):
    """First line, counted from 0, and end of a definition with its decorators and the
    comments directly above.
    """
    lines = source.splitlines()
    decorators = getattr(node, "decorator_list", [])
    start = min(inner.lineno for inner in [node, *decorators]) - 1
    indent = " " * node.col_offset
    while start and lines[start - 1].startswith(f"{indent}#"):
        start -= 1
    return start, node.end_lineno


def text_of(source, node):
    """The lines of a definition."""
    start, end = span(source, node)
    return "\n".join(source.splitlines()[start:end])


def _without(source, node, methods):
    start, end = span(source, node)
    inside = {line for method in methods for line in range(*span(source, method))}
    lines = source.splitlines()
    return "\n".join(lines[i] for i in range(start, end) if i not in inside).rstrip()


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
