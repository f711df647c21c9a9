"""Split the core of a framework into modules, as the learner decided in lesson 23.

A piece is a group of definitions that stay together, and a room is a module with one or
more pieces.
"""

import ast
import contextlib
import keyword
import re
import textwrap
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Any

from .. import package_files
from ..definitions import (
    Kind,
    find_globals,
    get_owner,
    list_top_names,
    read_definitions,
)
from ..lessons import StepKind, of_kind, stem
from ..module_text import ModuleText, format_all
from .learner_code import strip_to_python
from .workspace import read_code_cells

# The first lesson of the package, in which the learner decides how to split it.
LESSON = of_kind(StepKind.PACKAGE)[0]
# The pieces of a core, lowest first: the lesson's module of each, and its definitions.
# The backward pass has its own module, because from step 32 on it needs one above
# `variable`.
PIECES = {
    "as_array": ("variable", "as_array"),
    "Variable": ("variable", "Variable"),
    "as_variable": ("variable", "as_variable"),
    "settings": ("function", "Config", "using_config", "no_grad"),
    "Function": ("function", "Function"),
    "arithmetic": (
        *("operators", "Add", "Mul", "Neg", "Sub", "Div", "Pow", "add", "mul", "neg"),
        *("sub", "rsub", "div", "rdiv", "pow"),
    ),
    "functions": ("function", "Square", "Exp", "square", "exp"),
    "signs": ("operators",),
    "walk": ("backward", "backward"),
    "checks": ("checks", "numerical_diff", "gradient_check"),
}
FIRST_SIGN = "Variable.__add__"
SIGN = re.compile(r"Variable\.__r?(add|mul|neg|sub|truediv|pow)__|Variable\.backward")
DECIDES = re.compile(r"^rooms\b", re.MULTILINE)


class Circle(Exception):
    """Two modules need each other; the message names two definitions."""


# --- Pieces ---------------------------------------------------------------------------


def split(core):
    """Split a core into pieces: a dict from name to ModuleText, in the core's order.

    Operators and ``backward`` are moved out of the class, and attached to it.
    """
    statements = _open_class(core)
    uses: dict[str, set[str]] = {}
    for statement in statements:
        uses |= dict.fromkeys(_list_defined(statement), find_globals(statement))
    piece_of = _assign_pieces(uses)
    pieces: dict[str, ModuleText] = {}
    for statement in statements:
        name = piece_of[_list_defined(statement)[0]]
        piece = pieces.get(name) or ModuleText(imports=dict(core.imports))
        if name == "signs":  # last, after what it attaches
            pieces.pop(name, None)
        pieces[name] = piece
        piece.statements.append(statement)
    return pieces


def list_names(piece):
    """List the names that a piece defines or attaches; of an operator, only the
    attached name, such as ``Variable.__add__``.
    """
    names = [n for n, d in piece.definitions.items() if not d.is_member]
    return [name for name in names if not SIGN.fullmatch(f"Variable.{name}")]


def _list_defined(statement):
    """List the names that a statement defines or, if none, attaches."""
    attached = list(read_definitions(statement)) or ["Variable.?"]
    return list_top_names(statement) or attached


def _open_class(core):
    """List the statements of a core, with the operators and ``backward`` outside of the
    class.
    """
    opened = core.copy()
    walk: list[str] = []
    signs: list[str] = []
    for name, definition in core.definitions.items():
        if not SIGN.fullmatch(name) or definition.kind == Kind.ATTACHED:
            continue
        opened.drop(name)
        statements = walk if name == "Variable.backward" else signs
        value = name.partition(".")[2]
        if definition.kind == Kind.ATTRIBUTE:  # __radd__ = __add__
            value = ast.unparse(definition.node.value)
        else:
            statements.append(definition.text)
        statements.append(f"{name} = {value}")
    texts = opened.statements
    end = next(k for k, t in enumerate(texts, 1) if "Variable" in _list_defined(t))
    return [*texts[:end], *walk, *texts[end:], *signs]


def _assign_pieces(uses):
    """Map each name to its piece, given the names that each one uses."""
    piece_of = {name: p for p, (_, *names) in PIECES.items() for name in names}
    piece_of["Variable.backward"] = "walk"
    for name in uses:
        if get_owner(name) == "Variable" != name or SIGN.fullmatch(f"Variable.{name}"):
            piece_of.setdefault(name, "signs")
    waiting = [name for name in uses if name not in piece_of and "." not in name]
    # A helper of the learner's goes with the only piece that uses it, or else with the
    # highest piece that it needs.
    while waiting:
        free = (n for n in waiting if not any(n in uses[u] for u in waiting if u != n))
        name = next(free, waiting[0])
        waiting.remove(name)
        users = {piece_of[u] for u in uses if u in piece_of and name in uses[u]}
        needs = {piece_of[n] for n in _find_reached(name, uses) if n in piece_of}
        highest = max(needs, key=[*PIECES].index, default="as_array")
        piece_of[name] = users.pop() if len(users) == 1 else highest
    # Names attached to another class stay with that class.
    attached = {n: piece_of[get_owner(n)] for n in uses if "." in n}
    return attached | piece_of


def _find_reached(name, uses):
    """Find the names that a definition uses, directly or indirectly."""
    reached: set[str] = set()
    to_follow = [name]
    while to_follow:
        new = uses.get(to_follow.pop(), set()) & uses.keys() - reached
        reached |= new
        to_follow += new
    return reached - {name}


# --- Modules --------------------------------------------------------------------------


def read_decision(folder):
    """Return the module of each piece, read from the package that lesson 23 wrote, or
    from an older copy of the lesson. A piece that the learner did not place gets the
    lesson's module.
    """
    room_of = {piece: room for piece, (room, *_) in PIECES.items()}
    files = (folder / package_files.NAME).glob("[!_]*.py")
    # An abandoned file is older than those that were rewritten, which come last.
    by_age = sorted(files, key=lambda path: path.stat().st_mtime)
    rooms = {path.stem: _list_pieces(path) for path in by_age}
    for room, pieces in (rooms or _read_old_decision(folder)).items():
        if room.isidentifier() and not keyword.iskeyword(room) and room[0] != "_":
            room_of |= {piece: room for piece in pieces if piece in room_of}
    return room_of


def _list_pieces(path):
    """List the pieces whose first definition is in a file of lesson 23."""
    names: set[str] = set()
    with contextlib.suppress(OSError, ValueError, SyntaxError):
        names = {*read_definitions(path.read_text(encoding="utf-8"))}
    pieces = [piece for piece, (_, *own) in PIECES.items() if names & {*own[:1]}]
    return [*pieces, "signs"] if FIRST_SIGN in names else pieces


def _read_old_decision(folder):
    """Read the dict `rooms` from an older copy of the lesson, which has the decision in
    a cell.
    """
    names: dict[str, Any] = {}
    path = folder / f"{stem(LESSON)}.ipynb"
    for cell in filter(DECIDES.search, read_code_cells(path) or ()):
        with contextlib.suppress(Exception):  # the cell may be unfinished
            exec(strip_to_python(cell), names)
    rooms = names.get("rooms")
    if not isinstance(rooms, dict):
        return {}
    return {
        room: pieces
        for room, pieces in rooms.items()
        if isinstance(room, str) and isinstance(pieces, (list, tuple))
    }


def format_rooms(core, room_of):
    """Format the modules of a core and its ``__init__``: a dict from name to source.

    Raises
    ------
    Circle
        If two modules need each other.
    """
    rooms: dict[str, ModuleText] = {}
    lowest: dict[str, int] = {}
    for name, piece in split(core).items():
        room, height = room_of[name], [*PIECES].index(name)
        rooms.setdefault(room, ModuleText(imports=dict(core.imports)))
        rooms[room].statements += piece.statements
        lowest[room] = min(height, lowest.get(room, height))
    home = {n: r for r, m in rooms.items() for n in list_names(m) if "." not in n}
    _refuse_circles(rooms, home, lowest)
    for room, module in rooms.items():
        others = {name: other for name, other in home.items() if other != room}
        lines = {name: f"from .{other} import {name}" for name, other in others.items()}
        module.imports |= lines
    texts = {room: module.format() for room, module in rooms.items()}
    return {"__init__": _format_front_door(rooms, home)} | texts


def _format_front_door(rooms, home):
    """Format the ``__init__`` module, which re-exports what the others define."""
    lines = []
    for room in rooms:
        names = sorted(name for name in home if home[name] == room)
        words = textwrap.indent(textwrap.fill(f"{', '.join(names)},", 84), "    ")
        whole = f"from . import {room}"
        lines.append(f"from .{room} import (\n{words}\n)" if names else whole)
    return "\n".join([*lines, f"\n{format_all(home)}\n"])


def _refuse_circles(rooms, home, lowest):
    uses = {room: [*_list_uses(module, home, room)] for room, module in rooms.items()}
    needs = {room: dict.fromkeys(home[n] for _, n in uses[room]) for room in rooms}
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        ring = [*pairwise(error.args[1][::-1])]
        # Of the modules in the cycle, the one with the lowest piece should need no
        # other.
        room, other = min(ring, key=lambda pair: lowest[pair[0]])
        name, used = next(use for use in uses[room] if home[use[1]] == other)
        raise Circle(
            f"`{name}` needs `{used}`, in the module {home[used]}, and that module "
            f"needs the module of `{name}`, so your core stays in one module."
        ) from None


def _list_uses(module, home, room):
    """Yield pairs: a definition in one module, and a name that it uses from another."""
    for statement in module.statements:
        for used in sorted(find_globals(statement)):
            if home.get(used, room) != room:
                yield _list_defined(statement)[0], used
