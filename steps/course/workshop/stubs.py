"""Create the cells in which the learner writes: stubs for new definitions, and the
learner's own code with a TODO for those that change.
"""

import ast
import difflib
import textwrap
from functools import lru_cache

from ..definitions import Definition, Kind, get_body, get_owner, read_definitions
from ..module_text import put_into_class

ENDING = "is not written yet"
# Requirements of the table that a definition's signature and docstring do not state.
ASKED = {
    (42, "mean_squared_error"): "different shapes of x0 and x1 raise a ValueError.",
    (43, "linear"): "raise a ValueError unless b has the shape of a row of x · W.",
    (43, "Sigmoid"): "exp must not overflow, however large −x is.",
    (44, "Layer"): "subclasses set attributes without calling super().__init__().",
    (44, "Linear"): "its parameters are W and b.",
    (50, "accuracy"): "it returns a Variable with one number.",
    (53, "save_weights"): "a parameter without data raises an error.",
    (58, "batch_norm"): "remember(average, new, decay) changes the array average; new "
    "is a Variable.",
    (58, "BatchNorm"): "avg_mean, avg_var, gamma and beta are Parameters.",
    (59, "RNN"): "x2h and h2h are Linear layers, and h is the state.",
    (60, "LSTM"): "h and c are the states, both None at first.",
    (71, "attention_weights"): "a query that may look nowhere gets zeros.",
    (74, "GPT"): "more tokens than context raise a ValueError.",
}


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
    for name in [name for name in cells if (step.number, name) in ASKED]:
        asked = _mark_todo(step, ASKED[step.number, name])
        cells[name] = f"{asked}\n{cells[name]}"
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
    node = ast.parse(definition.text).body[0]
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
    return (
        f"{head}\n    # TODO step {step.number}: write this; the lesson's version has "
        f"{count} line{'s' * (count > 1)}.\n"
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
            stub = make_stub(step, name, definition)
            if definition.kind == Kind.METHOD:
                new = Definition(Kind.METHOD, stub)
                text = put_into_class(text, name, new, step.definitions)
            else:  # a comment where the attribute belongs
                lines, begin = text.splitlines(), _find_begin(text)
                text = "\n".join([*lines[:begin], f"    {stub}", "", *lines[begin:]])
    return text


def _replace_docstring(step, owner, text):
    if owner not in step.previous:
        return text
    texts = step.previous[owner].text, step.definitions[owner].text
    old, new = (ast.get_docstring(ast.parse(each).body[0]) for each in texts)
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
    return f"the lesson changes {count} line{'s' * (count > 1)}"
