"""The cells in which the learner writes: stubs, from the difference of two steps."""

import ast
import difflib
import textwrap

from .modules import with_member
from .parts import ENDING, Kind, Part, arguments, body_of, parts


def cells(step, module):
    """The sources of the cells to write in, one for what belongs together.

    Parameters
    ----------
    step : framework.Step
    module : modules.Module
        What the learner had after the step before.
    """
    had, found, attached = module.parts(), {}, []
    for name in step.to_write:
        part, owner = step.parts[name], name.partition(".")[0]
        if part.kind == Kind.ATTACHED:
            attached.append(name)
        elif owner != name:
            found[owner] = _own_class(step, owner, had)
        elif name in had:
            found[name] = _changed(step, name, had)
        else:
            found[name] = stub(step, name, part)
    return _joined(step, found) + [_attach(step, attached)] * bool(attached)


def _joined(step, found):
    """Short functions stand in the cell of what they go with."""
    joined: list[tuple[bool, str]] = []
    for name, text in found.items():
        part = step.parts[name]
        short = part.kind == Kind.FUNCTION and _count(part) == 1
        if joined and short and joined[-1][0]:
            joined[-1] = (True, f"{joined[-1][1]}\n\n\n{text}")
        else:
            goes_with = part.kind == Kind.CLASS and name in step.added
            joined.append((goes_with or short, text))
    return [text for _, text in joined]


# --- New parts ------------------------------------------------------------------------


def stub(step, name, part):
    if part.kind not in (Kind.CLASS, Kind.FUNCTION, Kind.METHOD):
        return f"# TODO step {step.number}: set {name.rpartition('.')[2]} here."
    head = "\n".join(part.text.splitlines()[: _begin(part.text)]).rstrip()
    if part.kind == Kind.CLASS:
        inside = {n: p for n, p in parts(part.text).items() if "." in n}
        members = [
            p.text if n in step.given else stub(step, n, p) for n, p in inside.items()
        ]
        return "\n\n".join([head, *(textwrap.indent(m, "    ") for m in members)])
    count = _count(part)
    return (
        f"{head}\n    # TODO step {step.number}: write this; the lesson's version has "
        f"{count} line{'s' * (count > 1)}.\n"
        f'    raise NotImplementedError("{name} {ENDING}")'
    )


def _begin(text):
    """How many lines a definition has before its first statement."""
    node = ast.parse(text).body[0]
    first = (body_of(node) or node.body)[0]
    decorators = getattr(first, "decorator_list", [])
    return min(inner.lineno for inner in [first, *decorators]) - 1


def _count(part):
    """How many lines of code a part has: without its head, its text and comments."""
    lines = map(str.strip, part.text.splitlines()[_begin(part.text) :])
    return sum(bool(line) and not line.startswith("#") for line in lines)


def _attach(step, names):
    todo = f"# TODO step {step.number}: "
    lines = textwrap.wrap(", ".join(names), 88 - len(todo))
    return "\n".join(f"{todo}{line}" for line in ["attach to the class:", *lines])


# --- Parts that change ----------------------------------------------------------------


def _own_class(step, owner, had):
    """The learner's own class, with stubs for what is new in it and a line above what
    changes.
    """
    text = _with_new_docstring(step, owner, had[owner].text)
    for name, part in step.parts.items():
        if not name.startswith(f"{owner}.") or part.kind == Kind.ATTACHED:
            continue
        if name in step.given:
            text = with_member(text, name, part, step.parts)
        elif name in step.changed and name in had:
            changed = Part(part.kind, _changed(step, name, had))
            text = with_member(text, name, changed, step.parts)
        elif name in step.added and name not in had:
            new = stub(step, name, part)
            if part.kind == Kind.METHOD:
                text = with_member(text, name, Part(part.kind, new), step.parts)
            else:  # A comment in place of what the class is to hold.
                lines, place = text.splitlines(), _begin(text)
                text = "\n".join([*lines[:place], f"    {new}", "", *lines[place:]])
    return text


def _with_new_docstring(step, owner, text):
    if owner not in step.before:
        return text
    texts = step.before[owner].text, step.parts[owner].text
    old, new = (ast.get_docstring(ast.parse(each).body[0]) for each in texts)
    return text.replace(f'"""{old}"""', f'"""{new}"""', 1) if old and new else text


def _changed(step, name, had):
    """The learner's own version, under a line that says that it has to change."""
    mine = had[name].text
    if had[name].kind not in (Kind.FUNCTION, Kind.METHOD):  # square = lambda x: ...
        return f"# TODO step {step.number}: change this.\n{mine}"
    lines, place = mine.splitlines(), _begin(mine)
    todo = [f"    # TODO step {step.number}: change this; {_news(step, name)}."]
    old, new = (ast.unparse(arguments(p[name])) for p in (step.before, step.parts))
    if old != new:
        todo.append(f"    # TODO step {step.number}: its head becomes")
        todo.append(f"    # def {name.rpartition('.')[2]}({new}):")
    return "\n".join([*lines[:place], *todo, *lines[place:]])


def _news(step, name):
    """How much of a part the lesson changes."""
    old, new = (p[name].text.splitlines() for p in (step.before, step.parts))
    marks = [line[0] for line in difflib.ndiff(old, new)]
    count = max(marks.count("+"), marks.count("-"))
    return f"the lesson changes {count} line{'s' * (count > 1)} of it"
