"""Create the cells in which the learner writes: stubs for new definitions, and the
learner's own code with a TODO for those that change.
"""

import ast
import difflib
import textwrap
from functools import lru_cache

from ..definitions import Definition, Kind, get_body, get_owner, read_definitions
from ..lessons import read_front_matter
from ..module_text import put_into_class

ENDING = "is not written yet"


def make_stubs(step, module):
    """Return the sources of the cells, with related definitions in one cell.

    Parameters
    ----------
    step : Step
    module : ModuleText or Package
        The learner's framework after the step before.
    """
    had, cells, attached = module.definitions, {}, []
    for name in step.to_write:
        definition, owner = step.definitions[name], get_owner(name)
        if definition.kind == Kind.ATTACHED:
            attached.append(name)
        elif owner != name:
            cells[owner] = _mark_class(step, owner, had)
        elif name in had:
            cells[name] = _mark_changed(step, name, had)
        else:
            cells[name] = make_stub(step, name, definition)
    for name, asked in read_front_matter(step.number).asks.items():
        if name in cells:
            cells[name] = f"{_mark_todo(step, asked)}\n{cells[name]}"
    return _join(step, cells) + [_list_attached(step, attached)] * bool(attached)


def _join(step, cells):
    """Join one-line functions with the cell before, if that has a new class or other
    one-line functions.
    """
    joined: list[tuple[bool, str]] = []
    for name, text in cells.items():
        definition = step.definitions[name]
        is_short = definition.kind == Kind.FUNCTION and _count_lines(definition) == 1
        if joined and is_short and joined[-1][0]:
            joined[-1] = (True, f"{joined[-1][1]}\n\n\n{text}")
        else:
            is_new_class = definition.kind == Kind.CLASS and name in step.added
            joined.append((is_new_class or is_short, text))
    return [text for _, text in joined]


# --- Recognizing stubs ----------------------------------------------------------------


def is_stub(node):
    """Return whether a function or class is not written yet."""
    body = [c for c in get_body(node) if ast.unparse(c) not in ("pass", "...")]
    if isinstance(node, ast.ClassDef):
        return all(isinstance(c, ast.FunctionDef) and is_stub(c) for c in body)
    marked = [c for c in body if isinstance(c, ast.Raise) and ENDING in ast.unparse(c)]
    return len(body) < 2 and body == marked


@lru_cache(maxsize=4096)
def is_placeholder(definition):
    """Return whether a method only says, by an error or by its docstring, that a
    subclass must define it.
    """
    node = definition.node
    if not isinstance(node, ast.FunctionDef) or not get_body(node):
        return isinstance(node, ast.FunctionDef)
    texts = map(ast.unparse, get_body(node))
    raises = [text.startswith("raise NotImplementedError") for text in texts]
    return raises == [True] and not is_stub(node)


# --- New definitions ------------------------------------------------------------------


def make_stub(step, name, definition):
    """Return the stub of a definition; that of a class keeps the given methods."""
    if definition.kind not in (Kind.CLASS, Kind.FUNCTION, Kind.METHOD):
        return f"# TODO step {step.number}: set {name.rpartition('.')[2]} here."
    lines = definition.text.splitlines()
    head = "\n".join(lines[: _find_begin(definition.text)]).rstrip()
    if definition.kind == Kind.CLASS:
        inside = read_definitions(definition.text).items()
        texts = [
            d.text if n in step.given else make_stub(step, n, d)
            for n, d in inside
            if "." in n
        ]
        return "\n\n".join([head, *(textwrap.indent(text, "    ") for text in texts)])
    count = _count_lines(definition)
    size = f"the lesson's version has {count} lines"
    if count == 1:
        size = "the lesson's version has 1 line"
    return (
        f"{head}\n    # TODO step {step.number}: write this; {size}.\n"
        f'    raise NotImplementedError("{name} {ENDING}")'
    )


def _find_begin(text):
    """Count the lines of a definition before its first statement."""
    node = ast.parse(text).body[0]
    first = (get_body(node) or node.body)[0]
    decorators = getattr(first, "decorator_list", [])
    return min(inner.lineno for inner in [first, *decorators]) - 1


def _count_lines(definition):
    """Count the lines of code without the signature, docstring and comments."""
    lines = definition.text.splitlines()[_find_begin(definition.text) :]
    stripped = map(str.strip, lines)
    return sum(bool(line) and not line.startswith("#") for line in stripped)


def _list_attached(step, names):
    return "\n".join(
        _mark_todo(step, t) for t in ("attach to the class:", ", ".join(names))
    )


def _mark_todo(step, text):
    """Format a text as TODO comments, which are removed from the learner's code."""
    todo = f"# TODO step {step.number}: "
    return "\n".join(f"{todo}{line}" for line in textwrap.wrap(text, 88 - len(todo)))


# --- Definitions that change ----------------------------------------------------------


def _mark_class(step, owner, had):
    """Return the learner's own class, with stubs for new members and a TODO in each
    member that changes.
    """
    text = _replace_docstring(step, owner, had[owner].text)
    for name, definition in step.definitions.items():
        if not name.startswith(f"{owner}.") or definition.kind == Kind.ATTACHED:
            continue
        if name in step.given:
            text = put_into_class(text, name, definition, step.definitions)
        elif name in step.changed and name in had:
            marked = Definition(definition.kind, _mark_changed(step, name, had))
            text = put_into_class(text, name, marked, step.definitions)
        elif name in step.added and name not in had:
            stub = Definition(definition.kind, make_stub(step, name, definition))
            text = put_into_class(text, name, stub, step.definitions)
    return text


def _replace_docstring(step, owner, text):
    if owner not in step.previous:
        return text
    classes = step.previous[owner].node, step.definitions[owner].node
    old, new = map(ast.get_docstring, classes)
    return text.replace(f'"""{old}"""', f'"""{new}"""', 1) if old and new else text


def _mark_changed(step, name, had):
    """Return the learner's own version, with a TODO that says what changes."""
    text = had[name].text
    if had[name].kind not in (Kind.FUNCTION, Kind.METHOD):  # square = lambda x: ...
        return f"# TODO step {step.number}: change this.\n{text}"
    lines, begin = text.splitlines(), _find_begin(text)
    before, after = step.previous[name], step.definitions[name]
    change = _count_changes(before.text, after.text)
    todo = [f"    # TODO step {step.number}: change this; {change}."]
    old, new = ast.unparse(before.arguments), ast.unparse(after.arguments)
    if old != new:
        todo.append(f"    # TODO step {step.number}: its signature becomes")
        todo.append(f"    # def {name.rpartition('.')[2]}({new}):")
    return "\n".join([*lines[:begin], *todo, *lines[begin:]])


def _count_changes(before, after):
    """Say how many lines of a definition the lesson changes."""
    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    marks = [line[0] for line in lines]
    count = max(marks.count("+"), marks.count("-"))
    if count == 1:
        return "the lesson changes 1 line"
    return f"the lesson changes {count} lines"
