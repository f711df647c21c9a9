"""The core of a framework cut into rooms, by what its owner decided in lesson 23."""

import ast
import contextlib
import keyword
import re
import textwrap
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Any

from ..lessons import StepKind, of_kind, stem
from .folder import code_in
from .learner_code import as_python
from .modules import Module
from .parts import Kind, globals_used, owner, parts

# The first lesson of a package lets its reader decide.
LESSON = of_kind(StepKind.PACKAGE)[0]
# What lesson 23 cuts a core into, the lowest first, and where it puts each itself.
PIECES = {
    "as_array": ("as_array",),
    "Variable": ("Variable",),
    "as_variable": ("as_variable",),
    "settings": ("Config", "using_config", "no_grad"),
    "Function": ("Function",),
    "arithmetic": (
        *("Add", "Mul", "Neg", "Sub", "Div", "Pow", "add", "mul", "neg"),
        *("sub", "rsub", "div", "rdiv", "pow"),
    ),
    "functions": ("Square", "Exp", "square", "exp"),
    "signs": (),
    "walk": ("backward",),
    "checks": ("numerical_diff", "gradient_check"),
}
ROOMS = {
    "variable": ["Variable", "as_array", "as_variable"],
    "function": ["Function", "settings"],
    "operators": ["arithmetic", "signs", "functions"],
    "backward": ["walk", "checks"],
}
SIGN = re.compile(r"Variable\.__r?(add|mul|neg|sub|truediv|pow)__|Variable\.backward")
DECIDES = re.compile(r"^rooms\b", re.MULTILINE)


class Circle(Exception):
    """Two rooms need each other; the message names two definitions."""


# --- Pieces ---------------------------------------------------------------------------


def pieces(core):
    """A core cut into modules, by the names of the pieces, in the order of the core.

    The walk and the signs leave the class: a line attaches each from outside.
    """
    chunks = _opened(core)
    uses: dict[str, set[str]] = {}
    for chunk in chunks:
        uses |= dict.fromkeys(_names(chunk), globals_used(chunk))
    homes = _homes(uses)
    found: dict[str, list[str]] = {}
    for chunk in chunks:
        piece = homes[_names(chunk)[0]]
        there = found.get(piece, [])
        if piece == "signs":  # after all that they attach
            there = found.pop(piece, [])
        found[piece] = [*there, chunk]
    return {piece: Module(there, dict(core.imports)) for piece, there in found.items()}


def members(module):
    """The names that a piece defines or attaches; of a sign, that which is attached."""
    inside, there = (Kind.METHOD, Kind.ATTRIBUTE), module.parts()
    found = [name for name, part in there.items() if part.kind not in inside]
    return [name for name in found if not SIGN.fullmatch(f"Variable.{name}")]


def _names(chunk):
    """What a statement defines or, if it only attaches, what it attaches."""
    found = list(parts(chunk))
    return [name for name in found if "." not in name] or found or ["Variable.?"]


def _opened(core):
    """The statements of a core, those of the walk and of the signs outside."""
    opened = core.copy()
    walk: list[str] = []
    signs: list[str] = []
    for name, part in core.parts().items():
        if not SIGN.fullmatch(name) or part.kind == Kind.ATTACHED:
            continue
        opened.drop(name)
        value = short = name.partition(".")[2]
        if part.kind == Kind.ATTRIBUTE:  # __radd__ = __add__
            value = ast.unparse(ast.parse(part.text).body[0].value)
        found = [part.text] * (part.kind == Kind.METHOD) + [f"{name} = {value}"]
        (walk if short == "backward" else signs).extend(found)
    place = next(k for k, c in enumerate(opened.chunks) if "Variable" in _names(c))
    return [*opened.chunks[: place + 1], *walk, *opened.chunks[place + 1 :], *signs]


def _homes(uses):
    """From each name to its piece."""
    homes = {name: piece for piece, names in PIECES.items() for name in names}
    homes["Variable.backward"] = "walk"
    for name in uses:
        if owner(name) == "Variable" != name or SIGN.fullmatch(f"Variable.{name}"):
            homes.setdefault(name, "signs")
    waiting = [name for name in uses if name not in homes and "." not in name]
    # What is their own goes with what alone uses it, else with what it needs.
    while waiting:
        free = (n for n in waiting if not any(n in uses[u] for u in waiting if u != n))
        name = next(free, waiting[0])
        waiting.remove(name)
        users = {homes[u] for u in uses if u in homes and name in uses[u]}
        needs = {homes[n] for n in _reached(name, uses) if n in homes}
        highest = max(needs, key=[*PIECES].index, default="as_array")
        homes[name] = users.pop() if len(users) == 1 else highest
    # What is attached to another class stays with it.
    return {name: homes[owner(name)] for name in uses if "." in name} | homes


def _reached(name, uses):
    """What something uses, be it by way of others."""
    found: set[str] = set()
    to_follow = [name]
    while to_follow:
        new = uses.get(to_follow.pop(), set()) & uses.keys() - found
        found |= new
        to_follow += new
    return found - {name}


# --- Rooms ----------------------------------------------------------------------------


def decided(folder):
    """From each piece to its room, as the learner's notebook of lesson 23 has it, and
    as the lesson has it where they did not decide.
    """
    homes = {piece: room for room, names in ROOMS.items() for piece in names}
    found: dict[str, Any] = {}
    path = folder / f"{stem(LESSON)}.ipynb"
    for cell in filter(DECIDES.search, code_in(path) or ()):
        with contextlib.suppress(Exception):  # a cell that is half written
            exec(as_python(cell), found)
    rooms = found.get("rooms")
    with contextlib.suppress(AttributeError, TypeError):
        for room, names in (rooms or {}).items():
            if room.isidentifier() and not keyword.iskeyword(room) and room[0] != "_":
                homes |= {piece: room for piece in names if piece in homes}
    return homes


def cut(core, homes):
    """The texts of the rooms of a core, and of its front door, by name.

    Raises
    ------
    Circle
        If two rooms need each other.
    """
    chunks: dict[str, list[str]] = {}
    lowest: dict[str, int] = {}
    for piece, module in pieces(core).items():
        room, height = homes[piece], [*PIECES].index(piece)
        chunks.setdefault(room, []).extend(module.chunks)
        lowest[room] = min(height, lowest.get(room, height))
    rooms = {room: Module(found, dict(core.imports)) for room, found in chunks.items()}
    home = {n: room for room, m in rooms.items() for n in members(m) if "." not in n}
    _refuse_circles(rooms, home, lowest)
    for room, module in rooms.items():
        others = {name: other for name, other in home.items() if other != room}
        lines = {name: f"from .{other} import {name}" for name, other in others.items()}
        module.imports |= lines
    texts = {room: module.text() for room, module in rooms.items()}
    return {"__init__": _door(rooms, home)} | texts


def _door(rooms, home):
    """The front door, which hands on what the rooms define."""
    lines = []
    for room in rooms:
        names = sorted(name for name in home if home[name] == room)
        words = textwrap.indent(textwrap.fill(f"{', '.join(names)},", 84), "    ")
        one = f"from .{room} import (\n{words}\n)" if names else f"from . import {room}"
        lines.append(one)
    listed = "".join(f'    "{name}",\n' for name in sorted(home) if name[0] != "_")
    return "\n".join([*lines, f"\n__all__ = [\n{listed}]\n"])


def _refuse_circles(rooms, home, lowest):
    found = {room: [*_arrows(module, home, room)] for room, module in rooms.items()}
    needs = {room: dict.fromkeys(home[n] for _, n in found[room]) for room in rooms}
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        ring = [*pairwise(error.args[1][::-1])]
        # Of the ring, the room of what is lowest should need no other.
        room, other = min(ring, key=lambda arrow: lowest[arrow[0]])
        name, used = next(a for a in found[room] if home[a[1]] == other)
        raise Circle(
            f"`{name}` needs `{used}`, in the room {home[used]}, and that room needs "
            f"the room of `{name}`: so your core stays in one room."
        ) from None


def _arrows(module, home, room):
    """Pairs: a definition of a room, and what it uses of another one."""
    for chunk in module.chunks:
        for used in sorted(globals_used(chunk)):
            if home.get(used, room) != room:
                yield _names(chunk)[0], used
