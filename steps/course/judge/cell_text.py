"""Examines the source of a cell without running it."""

import ast
import re
import symtable

NOT_PYTHON = SyntaxError, ValueError, RecursionError, MemoryError


def is_python(text):
    """Return whether Python can compile a cell."""
    try:
        compile(text, "answer", "exec")
    except NOT_PYTHON:
        return False
    return True


def drop_magics(text):
    """Blank out magics and shell commands, if that makes a cell valid Python."""
    if is_python(text):
        return text
    lines = ("" if re.match(r"\s*[%!]", x) else x for x in text.splitlines())
    plain = "\n".join(lines)
    return plain if is_python(plain) else text


def find_bound_names(text, imports=True):
    """Find the names that a cell binds at top level, with or without its imports."""
    try:
        table = symtable.symtable(drop_magics(text), "cell", "exec")
    except NOT_PYTHON:
        # The first half of a definition that was split still contains its name.
        return set(re.findall(r"(?m)^(?:def|class) (\w+)", text))
    return {
        symbol.get_name()
        for symbol in table.get_symbols()
        if symbol.is_assigned() or (imports and symbol.is_imported())
    }


def find_set_attributes(text):
    """Find the names of the attributes that a cell sets on any object."""
    try:
        nodes = list(ast.walk(ast.parse(drop_magics(text))))
    except NOT_PYTHON:
        return set()
    return {
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
