"""Small faults in a program's text: each kind of them, and where it can be planted."""

from __future__ import annotations

import ast
import copy
import hashlib
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

OTHER_OPERATOR = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
OTHER_COMPARISON = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
DROPPED = (ast.Expr, ast.Assign, ast.AugAssign, ast.Raise, ast.Continue, ast.Delete)
# Where the order of two arguments makes no difference.
COMMUTE = ("np.add", "np.multiply", "np.array_equal", "max", "min", "TypeVar")


@dataclass(frozen=True)
class Mutant:
    """One fault: in a file, from byte to byte, this text instead of that."""

    path: str
    line: int
    function: str
    # All functions around it, the outermost first.
    around: tuple[str, ...]
    kind: str
    before: str
    after: str
    start: int
    end: int
    file_hash: str

    @property
    def identity(self) -> str:
        """A fault is the same for as long as its file is."""
        return f"{self.file_hash} {self.start} {self.end} {self.after}"

    @property
    def key(self) -> str:
        """What names it in a list, also when lines have moved."""
        return f"{self.path} {self.function}: {short(self.before)} → {self.after}"

    def planted(self, text: str) -> str:
        data = text.encode()
        fault = self.after.encode()
        return (data[: self.start] + fault + data[self.end :]).decode()


def short(text: str) -> str:
    return " ".join(text.split())


def mutants_of(text: str, path: str) -> list[Mutant]:
    """Every fault that can be planted in a program's text."""
    file_hash = hashlib.sha256(text.encode()).hexdigest()[:12]
    lines = [0]
    for line in text.encode().split(b"\n"):
        lines.append(lines[-1] + len(line) + 1)
    found = []
    for node, functions, kind, after in _faults(ast.parse(text), ()):
        if "TYPE_CHECKING" in after:
            continue
        start = lines[node.lineno - 1] + node.col_offset
        end = lines[node.end_lineno - 1] + node.end_col_offset
        before = text.encode()[start:end].decode()
        found.append(
            Mutant(
                path,
                node.lineno,
                ".".join(f.name for f in functions) or "the module",
                tuple(
                    ".".join(f.name for f in functions[: i + 1])
                    for i, f in enumerate(functions)
                    if not isinstance(f, ast.ClassDef)
                ),
                kind,
                before,
                after,
                start,
                end,
                file_hash,
            )
        )
    return found


def names_by_line(text: str) -> dict[int, str]:
    """The functions of a program, by the line that each begins in."""
    names = {}
    waiting: list[tuple[ast.AST, tuple[str, ...]]] = [(ast.parse(text), ())]
    while waiting:
        node, around = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            around = (*around, node.name)
            line = min(n.lineno for n in [node, *node.decorator_list])
            if isinstance(node, ast.FunctionDef):
                names[line] = ".".join(around)
        waiting += [(child, around) for child in ast.iter_child_nodes(node)]
    return names


def sample(root: Path, paths: list[str], count: int, seed: int) -> list[Mutant]:
    """So many faults, spread over the files in proportion to what each offers, three
    from each at least. What is chosen from a file does not depend on the others.
    """
    of_file = {p: mutants_of((root / p).read_text("utf-8"), p) for p in paths}
    total = sum(map(len, of_file.values()))
    chosen = []
    for path, mutants in of_file.items():
        share = max(3, round(count * len(mutants) / total))
        mixed = random.Random(f"{seed} {path}").sample(mutants, len(mutants))
        chosen += mixed[:share]
    # In a mixed order, so that a run that is cut short has seen something of all.
    random.Random(seed).shuffle(chosen)
    return chosen


# --- where a fault can be planted -----------------------------------------------------


def _faults(
    node: ast.AST, functions: tuple[Any, ...]
) -> Iterator[tuple[Any, tuple[Any, ...], str, str]]:
    for kind, after in _of_node(node):
        yield node, functions, kind, after
    test = getattr(node, "test", None)
    if isinstance(test, (ast.Name, ast.Attribute, ast.Call)):
        yield test, functions, "condition", f"(not {ast.unparse(test)})"
    inside = functions
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        inside = (*functions, node)
    for field, child in _children(node):
        # Defaults belong to the time when the function is made.
        here = functions if field in ("args", "decorator_list") else inside
        yield from _faults(child, here)


def _children(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    # Without what only people and type checkers read: annotations, and the words of
    # messages.
    if isinstance(node, (ast.Raise, ast.JoinedStr, ast.Import, ast.ImportFrom)):
        return
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield field, child


def _of_node(node: ast.AST) -> Iterator[tuple[str, str]]:
    if isinstance(node, (ast.BinOp, ast.BoolOp)):
        yield from _operator(node)
    elif isinstance(node, ast.Compare):
        yield from _comparison(node)
    elif isinstance(node, ast.UnaryOp):
        if isinstance(node.op, (ast.Not, ast.USub)):
            yield "operator", f"({ast.unparse(node.operand)})"
    elif isinstance(node, ast.Constant):
        yield from _constant(node)
    elif isinstance(node, ast.Call):
        yield from _call(node)
    elif isinstance(node, ast.Return) and node.value is not None:
        if not (isinstance(node.value, ast.Constant) and node.value.value is None):
            yield "dropped return", "return None"
    elif isinstance(node, DROPPED) and not _is_dull(node):
        yield "dropped statement", "pass"


def _is_dull(node: ast.AST) -> bool:
    # A docstring; and a name that is gone is seen by whatever runs the line after.
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    return isinstance(node, ast.Assign) and not any(
        isinstance(target, (ast.Attribute, ast.Subscript)) for target in node.targets
    )


def _operator(node: Any) -> Iterator[tuple[str, str]]:
    other = OTHER_OPERATOR.get(type(node.op))
    if other is not None:
        changed = copy.deepcopy(node)
        changed.op = other()
        yield "operator", f"({ast.unparse(changed)})"


def _comparison(node: ast.Compare) -> Iterator[tuple[str, str]]:
    other = OTHER_COMPARISON.get(type(node.ops[0]))
    if other is not None:
        changed = copy.deepcopy(node)
        changed.ops[0] = other()
        yield "comparison", f"({ast.unparse(changed)})"


def _constant(node: ast.Constant) -> Iterator[tuple[str, str]]:
    value = node.value
    if isinstance(value, bool):
        yield "constant", str(not value)
    elif isinstance(value, int):
        yield "constant", str(value + 1)
    elif isinstance(value, float):
        yield "constant", str(value * 2 if value else 1.0)


def _call(node: ast.Call) -> Iterator[tuple[str, str]]:
    arguments = node.args
    if len(arguments) < 2 or any(isinstance(a, ast.Starred) for a in arguments[:2]):
        return
    first, second = map(ast.unparse, arguments[:2])
    if first != second and ast.unparse(node.func) not in COMMUTE:
        changed = copy.deepcopy(node)
        changed.args[:2] = reversed(changed.args[:2])
        yield "swapped arguments", ast.unparse(changed)
