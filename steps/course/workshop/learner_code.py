"""What a learner has written, found in the code cells of a notebook.

Cells are known by nothing but what they define: they may be split, moved, renamed or
deleted, and of several definitions of one name the last one counts.
"""

import ast
import contextlib
import re
import textwrap
from dataclasses import dataclass, field

from ..definitions import Kind, imports, setting, text_of
from .modules import with_member, without_member
from .parts import Part, is_stub, owner, parts

# What the lessons import from the course is no part of a framework.
OURS = re.compile(r"(from|import) (steps|dezero_lite)\b")
NAMED = ast.Lambda | ast.Name
TODO = re.compile(r"^ *# TODO step \d+: .*\n?", re.M)
MAGIC = re.compile(r"\s*[%!]|.*\?\s*$")
BEGINS = re.compile(r"^(?:class|def) (\w+)", re.M)
CLASS = re.compile(r"^class (\w+)", re.M)
OUTSIDE = "it stands outside of its class, and nothing attaches it"
TO_SET = re.compile(r"# TODO step \d+: set (\w+) here")


@dataclass
class LearnerCode:
    """Definitions by name, imports by name; by name, why a cell that seems to define it
    is no Python (``broken``) or does not count (``aside``); and the names of the stubs
    that stand in classes.

    ``written`` are the names of all that is defined, what classes hold included, and
    ``elsewhere`` those of them that stand in none of the cells that were laid.
    """

    parts: dict[str, Part] = field(default_factory=dict)
    imports: dict[str, str] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)
    aside: dict[str, str] = field(default_factory=dict)
    stubs: set[str] = field(default_factory=set)
    elsewhere: set[str] = field(default_factory=set)

    @property
    def written(self):
        inside = (parts(p.text) for p in self.parts.values() if p.kind == Kind.CLASS)
        return {*self.parts}.union(*inside)


def learner_code(cells, known, lesson=(), laid=()):
    """Collect what cells define.

    Parameters
    ----------
    cells : list of str
        In their order.
    known : collection of str
        The names of the step's parts.
    lesson : collection of str
        Sources of cells that are the lesson's own: of these, imports alone count.
    laid : collection of str
        Sources of the cells to write in. While one is as it was laid, what it defines
        gives way to the same names in other cells.
    """
    found, inside = LearnerCode(), ""
    own = {cell.strip() for cell in lesson}
    untouched = {cell.strip() for cell in laid}
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
        above = {*found.parts} if cell.strip() in untouched else ()
        for node in tree.body:
            inside = _take(found, source, node, known, inside, above)
        classes = {*CLASS.findall(cell)}.difference(above)
        found.stubs |= {f"{c}.{n}" for c in classes for n in TO_SET.findall(cell)}
    if laid:
        found.elsewhere = found.written - learner_code(laid, known).written
    return found


def as_python(cell):
    """A cell without magics and without what the stubs say, its margin taken away."""
    lines = textwrap.dedent(cell).splitlines()
    lines = ["" if MAGIC.match(line) else line for line in lines]
    return TODO.sub("", "\n".join(lines) + "\n")


def _take(found, source, node, known, inside, above):
    """Note what a statement defines, unless it gives way to what stands above; return
    the class to which methods that follow belong.
    """
    if isinstance(node, ast.ClassDef) and (base := _step_of_base(node)):
        found.aside[node.name] = f"a class on top of {base} is an experiment of its own"
        return inside
    text = text_of(source, node)
    for name, part in parts(text).items():
        inner = part.kind in (Kind.METHOD, Kind.ATTRIBUTE)
        if inner or (name not in known and not _defines(node)):
            continue
        if part.kind == Kind.FUNCTION and _is_method(node, f"{inside}.{name}", known):
            name, part = f"{inside}.{name}", Part(Kind.METHOD, text)
        elif part.kind == Kind.FUNCTION and name not in known:
            members = [full for full in known if full.endswith(f".{name}")]
            found.aside |= dict.fromkeys(members, OUTSIDE)
        if part.kind == Kind.CLASS:
            inside = name
        defines = part.kind in (Kind.FUNCTION, Kind.METHOD, Kind.CLASS)
        if name in above or (defines and is_stub(node)):
            continue
        if part.kind == Kind.CLASS:
            stubs = _stubs_in(node)
            found.stubs = {n for n in found.stubs if owner(n) != name} | stubs
            for stub in stubs:
                part.text = without_member(part.text, stub)
            for replaced in {*parts(part.text)}.difference(above):
                found.parts.pop(replaced, None)
        found.parts[name] = part
        found.broken.pop(name, None)
    return inside


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


def _step_of_base(node):
    """The base of an experiment on another step: class Add(step10.Function)."""
    bases = map(ast.unparse, node.bases)
    return next((base for base in bases if re.match(r"step\d\d\.", base)), "")


def _stubs_in(node):
    functions = (child for child in node.body if isinstance(child, ast.FunctionDef))
    return {f"{node.name}.{child.name}" for child in functions if is_stub(child)}


def _is_method(node, name, known):
    # A class that was split in two leaves its methods behind, outside of it.
    arguments = node.args.posonlyargs + node.args.args
    return name in known and bool(arguments) and arguments[0].arg == "self"


def merged(text, name, others, order):
    """A class with the methods of another text of it that it lacks.

    Parameters
    ----------
    others : dict
        Parts by name, such as ``Variable.backward``.
    """
    there = parts(text)
    for other, part in others.items():
        is_inside = owner(other) == name != other and part.kind != Kind.ATTACHED
        if is_inside and other not in there:
            text = with_member(text, other, part, order)
    return text
