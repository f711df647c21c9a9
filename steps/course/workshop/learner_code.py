"""Read what a learner has written from the code cells of a notebook.

Cells are known by nothing but what they define: they may be split, moved, renamed or
deleted, and of several definitions of one name the last one counts.
"""

import ast
import contextlib
import re
import textwrap
from dataclasses import dataclass, field, replace

from ..definitions import (
    Definition,
    Kind,
    cut_text,
    find_setattr,
    get_owner,
    read_definitions,
    read_imports,
)
from ..module_text import drop_from_class
from .stubs import is_stub

# What the lessons import from the course is not part of a framework.
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
    """What cells define and import, by name.

    ``broken`` says, by name, why a cell that seems to define it is not Python, and
    ``ignored`` why a definition does not count. ``stubs`` are the names of the stubs
    that are left in classes, and ``elsewhere`` the names that are defined in none of
    the cells that were laid.
    """

    definitions: dict[str, Definition] = field(default_factory=dict)
    imports: dict[str, str] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)
    ignored: dict[str, str] = field(default_factory=dict)
    stubs: set[str] = field(default_factory=set)
    elsewhere: set[str] = field(default_factory=set)

    @property
    def written(self):
        """The names of all definitions, those in classes included."""
        texts = (d.text for d in self.definitions.values() if d.kind == Kind.CLASS)
        return {*self.definitions}.union(*map(read_definitions, texts))


def read_cells(cells, known, lesson=(), laid=()):
    """Collect what cells define, as LearnerCode.

    Parameters
    ----------
    cells : list of str
        In their order.
    known : collection of str
        The names of the step's definitions.
    lesson : collection of str
        Sources of cells that are the lesson's own: of these, imports alone count.
    laid : collection of str
        Sources of the cells to write in. While one is as it was laid, what it defines
        gives way to the same names in other cells.
    """
    code, owner = LearnerCode(), ""
    of_lesson = {cell.strip() for cell in lesson}
    untouched = {cell.strip() for cell in laid}
    for cell in cells:
        source = strip_to_python(cell)
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError) as error:
            message = str(error)
            if isinstance(error, SyntaxError):
                message = f"{error.msg}, in line {error.lineno} of its cell"
            code.broken |= dict.fromkeys(BEGINS.findall(source), message)
            continue
        imports = read_imports(tree).items()
        code.imports |= {n: line for n, line in imports if not OURS.match(line)}
        if cell.strip() in of_lesson:
            continue
        above = {*code.definitions} if cell.strip() in untouched else ()
        for node in tree.body:
            owner = _add_statement(code, source, node, known, owner, above)
        classes = {*CLASS.findall(cell)}.difference(above)
        code.stubs |= {f"{c}.{n}" for c in classes for n in TO_SET.findall(cell)}
    if laid:
        code.elsewhere = code.written - read_cells(laid, known).written
    return code


def strip_to_python(cell):
    """Strip magics, what the stubs say, and the margin from a cell."""
    lines = textwrap.dedent(cell).splitlines()
    lines = ["" if MAGIC.match(line) else line for line in lines]
    return TODO.sub("", "\n".join(lines) + "\n")


def _add_statement(code, source, node, known, owner, above):
    """Add what a statement defines, unless it gives way to what stands above; return
    the class to which methods that follow belong.
    """
    if isinstance(node, ast.ClassDef) and (base := _find_step_in_bases(node)):
        reason = f"a class on top of {base} is an experiment of its own"
        code.ignored[node.name] = reason
        return owner
    text = cut_text(source, node)
    for name, definition in read_definitions(text).items():
        if definition.kind in (Kind.METHOD, Kind.ATTRIBUTE):
            continue
        if name not in known and not _defines(node):
            continue
        if definition.kind == Kind.FUNCTION:
            if _is_method(node, f"{owner}.{name}", known):
                name, definition = f"{owner}.{name}", Definition(Kind.METHOD, text)
            elif name not in known:
                methods = [full for full in known if full.endswith(f".{name}")]
                code.ignored |= dict.fromkeys(methods, OUTSIDE)
        if definition.kind == Kind.CLASS:
            owner = name
        kinds = (Kind.FUNCTION, Kind.METHOD, Kind.CLASS)
        if name in above or (definition.kind in kinds and is_stub(node)):
            continue
        if definition.kind == Kind.CLASS:
            definition = _add_class(code, node, definition, above)
        code.definitions[name] = definition
        code.broken.pop(name, None)
    return owner


def _add_class(code, node, definition, above):
    """Note the stubs of a class, and return it without them; what it holds replaces
    what stood alone.
    """
    methods = (child for child in node.body if isinstance(child, ast.FunctionDef))
    stubs = {f"{node.name}.{method.name}" for method in methods if is_stub(method)}
    code.stubs = {n for n in code.stubs if get_owner(n) != node.name} | stubs
    text = definition.text
    for stub in stubs:
        text = drop_from_class(text, stub)
    for replaced in {*read_definitions(text)}.difference(above):
        code.definitions.pop(replaced, None)
    return replace(definition, text=text)


def _defines(node):
    """Whether it is a function, a class, what is attached to one, or a constant."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef) or find_setattr(node):
        return True
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
        return False
    target = node.targets[0] if isinstance(node, ast.Assign) else node.target
    if isinstance(target, ast.Attribute) or isinstance(node.value, NAMED):
        return True
    with contextlib.suppress(ValueError, TypeError):
        ast.literal_eval(node.value)  # a constant
        return True
    # A table of functions, from which a loop attaches them.
    is_table = isinstance(node.value, ast.Dict | ast.List | ast.Tuple)
    return is_table and not any(isinstance(n, ast.Call) for n in ast.walk(node.value))


def _find_step_in_bases(node):
    """Find the base of an experiment on another step: class Add(step10.Function)."""
    bases = map(ast.unparse, node.bases)
    return next((base for base in bases if re.match(r"step\d\d\.", base)), "")


def _is_method(node, name, known):
    # A class that was split in two leaves its methods behind, outside of it.
    arguments = node.args.posonlyargs + node.args.args
    return name in known and bool(arguments) and arguments[0].arg == "self"
