"""Read the learner's definitions from the code cells of a notebook.

Cells are identified only by the names that they define, so they may be split, moved or
deleted. If several cells define a name, the last one counts.
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

# Imports from the course, which are not part of the learner's framework.
OURS = re.compile(r"(from|import) (steps|dezero_lite)\b")
NAMED = ast.Lambda | ast.Name
TODO = re.compile(r"^ *# TODO step \d+: .*\n?", re.M)
MAGIC = re.compile(r"\s*[%!]|.*\?\s*$")
BEGINS = re.compile(r"^(?:class|def) (\w+)", re.M)
CLASS = re.compile(r"^class (\w+)", re.M)
OUTSIDE = "it is outside its class, and nothing attaches it"
TO_SET = re.compile(r"# TODO step \d+: set (\w+) here")


@dataclass
class LearnerCode:
    """The definitions and imports in a notebook's cells, by name.

    ``broken`` maps a name to the syntax error in the cell that seems to define it, and
    ``ignored`` maps a name to the reason why its definition does not count. ``stubs``
    are the names of the stubs left in classes, and ``elsewhere`` the names that the
    cells, as they were created, did not define.
    """

    definitions: dict[str, Definition] = field(default_factory=dict)
    imports: dict[str, str] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)
    ignored: dict[str, str] = field(default_factory=dict)
    stubs: set[str] = field(default_factory=set)
    elsewhere: set[str] = field(default_factory=set)

    @property
    def written(self):
        """The names of all definitions, including those in classes."""
        texts = (d.text for d in self.definitions.values() if d.kind == Kind.CLASS)
        return {*self.definitions}.union(*map(read_definitions, texts))


def read_cells(cells, known, lesson=(), stub_cells=()):
    """Collect the definitions and imports of code cells as a LearnerCode.

    Parameters
    ----------
    cells : list of str
        Their sources, in order.
    known : collection of str
        The names of the step's definitions.
    lesson : collection of str
        Sources of the lesson's own cells, of which only the imports count.
    stub_cells : collection of str
        Sources of the cells as they were created for the learner. An unedited one does
        not override definitions from other cells.
    """
    code, owner = LearnerCode(), ""
    of_lesson = {cell.strip() for cell in lesson}
    untouched = {cell.strip() for cell in stub_cells}
    for cell in cells:
        source = strip_to_python(cell)
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError) as error:
            message = str(error)
            if isinstance(error, SyntaxError):
                message = f"{error.msg}, on line {error.lineno} of the cell"
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
    if stub_cells:
        code.elsewhere = code.written - read_cells(stub_cells, known).written
    return code


def strip_to_python(cell):
    """Remove magics, the stubs' TODO lines and common indentation from a cell."""
    lines = textwrap.dedent(cell).splitlines()
    lines = ["" if MAGIC.match(line) else line for line in lines]
    return TODO.sub("", "\n".join(lines) + "\n")


def _add_statement(code, source, node, known, owner, above):
    """Add the definitions of a statement, except the names in ``above``; return the
    class that methods after it belong to.
    """
    if isinstance(node, ast.ClassDef) and (base := _find_step_in_bases(node)):
        reason = f"a class derived from {base} is a separate experiment"
        code.ignored[node.name] = reason
        return owner
    text = cut_text(source, node)
    for name, definition in read_definitions(text).items():
        if definition.is_member or (name not in known and not _defines(node)):
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
    """Record the stubs of a class, and return its definition without them. The class
    replaces separate definitions of its methods, except those in ``above``.
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
    """Return whether a statement defines a function, a class or a constant, or attaches
    something to a class.
    """
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
    # A table of functions, for a loop that attaches them.
    is_table = isinstance(node.value, ast.Dict | ast.List | ast.Tuple)
    return is_table and not any(isinstance(n, ast.Call) for n in ast.walk(node.value))


def _find_step_in_bases(node):
    """Return the base of an experiment on another step, such as ``step10.Function``, or
    an empty string.
    """
    bases = map(ast.unparse, node.bases)
    return next((base for base in bases if re.match(r"step\d\d\.", base)), "")


def _is_method(node, name, known):
    # If the cell of a class is split in two, the second has methods without a class.
    arguments = node.args.posonlyargs + node.args.args
    return name in known and bool(arguments) and arguments[0].arg == "self"
