"""What a learner has written, found in the code cells of a notebook.

Cells are known by nothing but what they define: they may be split, moved, renamed or
deleted, and of several definitions of one name the last one counts.
"""

import ast
import contextlib
import re
import textwrap
from dataclasses import dataclass, field

from ..definitions import imports, span
from .modules import with_member, without_member
from .parts import Kind, Part, is_stub, parts, setting

# What the lessons import from the course is no part of a framework.
OURS = re.compile(r"(from|import) (steps|dezero_lite)\b")
NAMED = ast.Lambda | ast.Name
TODO = re.compile(r"^ *# TODO step \d+: .*\n?", re.M)
MAGIC = re.compile(r"\s*[%!]|.*\?\s*$")
BEGINS = re.compile(r"^(?:class|def) (\w+)", re.M)


@dataclass
class LearnerCode:
    """Definitions by name, imports by name, and, by name, why a cell that seems to
    define it is no Python.
    """

    parts: dict[str, Part] = field(default_factory=dict)
    imports: dict[str, str] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)


def learner_code(cells, known, lesson=()):
    """Collect what cells define.

    Parameters
    ----------
    cells : list of str
        In their order.
    known : collection of str
        The names of the step's parts.
    lesson : collection of str
        Sources of cells that are the lesson's own: of these, imports alone count.
    """
    found, owner = LearnerCode(), ""
    own = {cell.strip() for cell in lesson}
    for cell in cells:
        source = as_python(cell)
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError) as error:
            said = str(error)
            if isinstance(error, SyntaxError):
                said = f"{error.msg}, in line {error.lineno} of its cell"
            found.broken |= dict.fromkeys(BEGINS.findall(source), said)
            continue
        found.imports |= {n: i for n, i in imports(tree).items() if not OURS.match(i)}
        if cell.strip() in own:
            continue
        for node in tree.body:
            owner = _take(found, source, node, known, owner)
    return found


def as_python(cell):
    """A cell without magics and without what the stubs say, its margin taken away."""
    lines = textwrap.dedent(cell).splitlines()
    lines = ["" if MAGIC.match(line) else line for line in lines]
    return TODO.sub("", "\n".join(lines) + "\n")


def _take(found, source, node, known, owner):
    """Note what a statement defines; return the class to which methods that follow
    belong.
    """
    if isinstance(node, ast.ClassDef) and _is_of_a_step(node):
        return owner
    text = "\n".join(source.splitlines()[slice(*span(source, node))])
    for name, part in parts(text).items():
        if name not in known and not _defines(node):
            continue
        if part.kind in (Kind.METHOD, Kind.ATTRIBUTE):
            continue
        if part.kind == Kind.FUNCTION and _is_method(node, f"{owner}.{name}", known):
            name, part = f"{owner}.{name}", Part(Kind.METHOD, text)
        if part.kind in (Kind.FUNCTION, Kind.METHOD, Kind.CLASS) and is_stub(node):
            owner = name if part.kind == Kind.CLASS else owner
            continue
        if part.kind == Kind.CLASS:
            owner, part = name, Part(Kind.CLASS, without_stubs(text))
            for inner in parts(part.text):
                found.parts.pop(inner, None)
        found.parts[name] = part
        found.broken.pop(name, None)
    return owner


def _defines(node):
    """Functions, classes, what is attached to a class, and constants."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef) or setting(node):
        return True
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
        return False
    target = node.targets[0] if isinstance(node, ast.Assign) else node.target
    if isinstance(target, ast.Attribute) or isinstance(node.value, NAMED):
        return True
    with contextlib.suppress(ValueError, TypeError):
        ast.literal_eval(node.value)  # a constant
        return True
    return False


def _is_of_a_step(node):
    # An experiment on another step: class Add(step10.Function).
    return any(re.match(r"step\d\d\.", ast.unparse(base)) for base in node.bases)


def _is_method(node, name, known):
    # A class that was split in two leaves its methods behind, outside of it.
    arguments = node.args.posonlyargs + node.args.args
    return name in known and bool(arguments) and arguments[0].arg == "self"


def without_stubs(text):
    """A class without the methods that are not written yet."""
    node = ast.parse(text).body[0]
    for child in node.body:
        if isinstance(child, ast.FunctionDef) and is_stub(child):
            text = without_member(text, f"{node.name}.{child.name}")
    return text


def merged(text, name, others, order):
    """A class with the methods of another text of it that it lacks.

    Parameters
    ----------
    others : dict
        Parts by name, such as ``Variable.backward``.
    """
    there = parts(text)
    for other, part in others.items():
        if other.startswith(f"{name}.") and other not in there:
            text = with_member(text, other, part, order)
    return text
