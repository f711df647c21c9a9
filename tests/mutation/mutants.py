"""The faults for many files, and a selection of them."""

from __future__ import annotations

import ast
import hashlib
import json
import random
from dataclasses import dataclass
from pathlib import Path

from steps.course.mutating.mutants import Fault, list_faults

HARMLESS = Path(__file__).with_name("harmless.json")


@dataclass(frozen=True)
class Mutant:
    """A fault in a file, and where: "dezero_lite/graph.py dot_of"."""

    path: str
    fault: Fault
    file_hash: str

    @property
    def identity(self) -> str:
        """Identify a fault, for as long as its file does not change."""
        fault = self.fault
        return f"{self.file_hash} {fault.start} {fault.end} {fault.text}"

    @property
    def place(self) -> str:
        around = self.fault.around
        return f"{self.path} {around[-1] if around else 'the module'}"


def mutants_of(path: str, text: str) -> list[Mutant]:
    """List every fault that can be planted in a file."""
    file_hash = hashlib.sha256(text.encode()).hexdigest()[:12]
    return [Mutant(path, fault, file_hash) for fault in list_faults(text)]


def harmless() -> dict[str, dict[str, str]]:
    """Read the faults that nobody can see: their names by place, each with the
    reason.
    """
    return json.loads(HARMLESS.read_text("utf-8"))


def names_by_line(text: str) -> dict[int, str]:
    """Return the functions of a program, by the line on which each begins."""
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
    """Select this many faults, spread over the files in proportion to their number, but
    at least three from each. The selection from a file does not depend on the others.
    """
    of_file = {p: mutants_of(p, (root / p).read_text("utf-8")) for p in paths}
    total = sum(map(len, of_file.values()))
    chosen = []
    for path, mutants in of_file.items():
        share = max(3, round(count * len(mutants) / total))
        mixed = random.Random(f"{seed} {path}").sample(mutants, len(mutants))
        chosen += mixed[:share]
    # In random order, so that an interrupted run has covered something of everything.
    random.Random(seed).shuffle(chosen)
    return chosen
