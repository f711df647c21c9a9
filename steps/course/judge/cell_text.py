"""Reads the text of a cell without running it."""

import ast
import re
import symtable

NOT_PYTHON = SyntaxError, ValueError, RecursionError, MemoryError


def is_python(text):
    """Say whether Python can compile a text."""
    try:
        compile(text, "answer", "exec")
    except NOT_PYTHON:
        return False
    return True


def drop_magics(text):
    """Empty the lines that only Jupyter understands, if that makes a cell Python."""
    if is_python(text):
        return text
    lines = ("" if re.match(r"\s*[%!]", x) else x for x in text.splitlines())
    plain = "\n".join(lines)
    return plain if is_python(plain) else text


def find_bound_names(text, imports=True):
    """Find the names that a cell binds at its top, with or without what it imports."""
    try:
        table = symtable.symtable(drop_magics(text), "cell", "exec")
    except NOT_PYTHON:
        # Half a definition, as a split leaves it, still says what it begins.
        return set(re.findall(r"(?m)^(?:def|class) (\w+)", text))
    return {
        symbol.get_name()
        for symbol in table.get_symbols()
        if symbol.is_assigned() or (imports and symbol.is_imported())
    }


def find_set_attributes(text):
    """Find the names of the attributes that a cell sets, by whatever owner."""
    try:
        nodes = list(ast.walk(ast.parse(drop_magics(text))))
    except NOT_PYTHON:
        return set()
    return {
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
