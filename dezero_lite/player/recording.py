"""Records a graph, and the backward pass through it as it happens.

It works for every framework of the course: any Variable whose `creator` has `inputs`,
or one `input`, and a `backward`.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from typing import Any

import numpy as np

from ..core import walk
from ..graph import inputs_of, is_variable, legible, outputs_of
from .words import phrase, text

MOST_NODES = 60
# A pass in the wrong order may visit a function again and again.
MOST_VISITS = 300


def drop_missing(outputs: list[Any]) -> list[Any]:
    return [y for y in outputs if y is not None]


def pairs_with(outputs: list[Any], gradients: list[Any]) -> list[tuple[Any, Any]]:
    """Pair the outputs that still exist with their gradients."""
    pairs = zip(outputs, gradients, strict=False)
    return [(y, gradient) for y, gradient in pairs if y is not None]


def copy_array(x: Any) -> Any:
    """Copy an array, or the array in a Variable; return ``None`` unchanged."""
    data = x.data if is_variable(x) else x
    return None if data is None else np.array(data)


class Graph:
    """Everything that a Variable was computed from, with names.

    Attributes
    ----------
    variables, functions : list
        In a possible order of computation.
    key : dict
        The drawing's name of each node, by its id().
    """

    def __init__(self, y: Any, names: dict[str, Any]) -> None:
        if not is_variable(y):
            raise TypeError(f"play needs a Variable, not type {type(y).__name__}")
        self.y = y
        self.variables: list[Any] = []
        self.functions: list[Any] = []
        self._seen: set[int] = set()
        self._follow(y)
        self.key = {id(v): f"v{i}" for i, v in enumerate(self.variables)}
        self.key |= {id(f): f"f{i}" for i, f in enumerate(self.functions)}
        own = {id(v): v.name for v in self.variables if getattr(v, "name", None)}
        self._label = own | {id(thing): name for name, thing in names.items()}
        self._name_variables()
        self._name_functions()

    def _follow(self, v: Any) -> None:
        if id(v) in self._seen:
            return
        self._seen.add(id(v))
        if len(self._seen) > MOST_NODES:
            raise ValueError(
                f"the graph has more than {MOST_NODES} nodes, too many to follow: play "
                "a part of it, or fewer turns of a loop"
            )
        f = v.creator
        if f is None:
            self.variables.append(v)
        elif id(f) not in self._seen:
            self._seen.add(id(f))
            for x in filter(is_variable, inputs_of(f)):
                self._follow(x)
            self.functions.append(f)
            ys = drop_missing(outputs_of(f))
            self.variables += ys
            self._seen |= set(map(id, ys))

    def _name_variables(self) -> None:
        rest = [v for v in self.variables if id(v) not in self._label]
        leaves = [v for v in rest if v.creator is None]
        inner = chain("abcdefghijklmnopqrstuvw", map("v{}".format, count()))
        outer = chain("x" if len(leaves) == 1 else "", map("x{}".format, count()))
        for v in rest:
            names: Iterator[str] = outer if v.creator is None else inner
            names = chain("y", names) if v is self.y else names
            taken = set(self._label.values())
            self._label[id(v)] = next(name for name in names if name not in taken)

    def _name_functions(self) -> None:
        rest = [f for f in self.functions if id(f) not in self._label]
        total = Counter(type(f).__name__ for f in rest)
        met: Counter[str] = Counter()
        for f in rest:
            name = type(f).__name__
            met[name] += 1
            self._label[id(f)] = f"{name} {met[name]}" if total[name] > 1 else name

    def knows(self, f: Any) -> bool:
        """Return whether `f` is one of the graph's functions."""
        return self.key.get(id(f), "").startswith("f")

    def name(self, x: Any) -> str:
        """Return the name of a node; for a plain number or array, its text."""
        return legible(self._label.get(id(x), "")) or text(x)

    def grad(self, v: Any) -> str:
        return f"{self.name(v)}.grad"

    def equation(self, x: Any) -> str:
        """Write a Variable and its value, as in "x = 3" or "x (2, 3)"."""
        if not is_variable(x):
            return phrase(x)
        value = text(x.data)
        return f"{self.name(x)} {'' if value.startswith('(') else '= '}{value}"

    def edges(self, f: Any) -> dict[str, tuple[str, str]]:
        """Return the edges of a function by key, each as (start, end)."""
        key = self.key[id(f)]
        xs = [self.key.get(id(x), f"{key}c{i}") for i, x in enumerate(inputs_of(f))]
        ys = [self.key[id(y)] for y in drop_missing(outputs_of(f))]
        into = {f"{key}i{i}": (x, key) for i, x in enumerate(xs)}
        return into | {f"{key}o{i}": (key, y) for i, y in enumerate(ys)}

    def around(self, f: Any, silent: Iterable[int] = ()) -> list[str]:
        """Return the keys of a function, its edges, and the nodes at their ends, except
        for the inputs numbered in `silent`.
        """
        edges = self.edges(f)
        for i in silent:
            del edges[f"{self.key[id(f)]}i{i}"]
        return list(dict.fromkeys(chain(edges, *edges.values())))


Gradients = dict[int, Any]  # an array or None, by id() of the Variable


@dataclass
class Visit:
    """A function's turn in the backward pass: the state before it, and its effect."""

    function: Any
    received: list[Any]
    gradients: Gradients
    waiting: list[str]
    position: int | None
    handed: list[Any] = field(default_factory=list)


class Recorder:
    """Observes the functions of a graph, and the pass through them.

    While `backward` runs, each function records what it receives and passes on, and a
    trace function reads the worklist from the local variables of the pass. Both are
    removed at the end.

    Attributes
    ----------
    visits : list of Visit
        The last one has no function: it is the state at the end of the pass.
    is_recursion : bool
        Whether there is no worklist; the open calls are recorded instead.
    first, last, final : dict
        All gradients: before `backward`, at the end of the pass, and after `backward`.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.visits: list[Visit] = []
        self._codes = {walk.__code__, type(graph.y).backward.__code__}
        self._open: list[Any] = []  # frames of the pass; a recursion has many
        self._calls: list[str] = []
        self._name = ""  # the local name of the worklist
        self._lists: tuple[list[Any], list[Any]] = ([], [])  # previous and current one
        self._is_listening = True

    def run(self, backward: Callable[[], None]) -> None:
        """Record what happens while `backward` runs."""
        self.first = self.last = self._gradients()
        ways = ("backward", "_differentiate")
        pairs = [(f, way) for f in self.graph.functions for way in ways]
        own = [(f, way, vars(f).get(way)) for f, way in pairs if hasattr(f, way)]
        for f, way, _ in own:
            setattr(f, way, self._listen(f, way, getattr(f, way)))
        tracing = sys.gettrace()
        sys.settrace(self._enter)
        try:
            backward()
        finally:
            sys.settrace(tracing)
            for f, way, method in own:
                delattr(f, way) if method is None else setattr(f, way, method)
        self.is_recursion = not self._name
        self.visits.append(Visit(None, [], self.last, *self._worklist()))
        self.final = self._gradients()

    # --- listening

    def _listen(self, f: Any, way: str, method: Any) -> Any:
        def heard(*args: Any) -> Any:
            if not self._is_listening:  # one method of a function may call the other
                return method(*args)
            self._is_listening = False
            try:
                visit = self._visit(f, args if way == "backward" else args[0])
                gxs = method(*args)
            finally:
                self._is_listening = True
            several = gxs if isinstance(gxs, (tuple, list)) else (gxs,)
            visit.handed = [copy_array(gx) for gx in several]
            return gxs

        return heard

    def _visit(self, f: Any, gys: Sequence[Any]) -> Visit:
        if len(self.visits) == MOST_VISITS:
            raise ValueError(
                f"the backward pass visits functions more than {MOST_VISITS} times and "
                "was stopped, so gradients are incomplete: play a smaller graph"
            )
        received = [copy_array(gy) for gy in gys]
        # The package's walk has already removed these from its dict.
        taken = {id(y): gy for y, gy in pairs_with(outputs_of(f), received)}
        visit = Visit(f, received, self._gradients() | taken, *self._worklist(f))
        self.visits.append(visit)
        return visit

    def _gradients(self) -> Gradients:
        # The package's walk keeps the gradients in a dict until it ends.
        local = self._open[-1].f_locals if self._open else {}
        if isinstance(local.get("grads"), dict):
            found = local["grads"].items()
        else:
            found = [(v, v.grad) for v in self.graph.variables]
        return {id(v): copy_array(gradient) for v, gradient in found}

    # --- watching

    def _enter(self, frame: Any, event: str, _: Any) -> Any:
        # Python calls this at each function call, and the returned function at each
        # line.
        if frame.f_code not in self._codes:
            return None
        self._open.append(frame)
        box = frame.f_locals.get("self")
        if id(box) in self.graph.key:
            self._calls.append(f"{self.graph.name(box)}.backward()")
        return self._watch

    def _watch(self, frame: Any, event: str, _: Any) -> Any:
        lists = {k: v for k, v in frame.f_locals.items() if isinstance(v, list)}
        if not self._name:
            found = (name for name in lists if self._is_worklist(lists[name]))
            self._name = next(found, "")
        now = lists.get(self._name, self._lists[1])
        if now != self._lists[1]:
            self._lists = (self._lists[1], list(now))
        if event == "return":
            self.last = self._gradients()
            self._open.pop()
        return self._watch

    def _is_worklist(self, entries: list[Any]) -> bool:
        return bool(entries) and all(map(self.graph.knows, functions_in(entries)))

    def _worklist(self, taken: Any = None) -> tuple[list[str], int | None]:
        # The entries of the worklist, and the index of `taken` among them; if it has
        # already been removed, the list as it was before.
        if not self._name:
            return list(self._calls), None
        before, now = map(functions_in, self._lists)
        is_out = before.count(taken) > now.count(taken)
        entries = self._lists[0] if is_out else self._lists[1]
        places = [i for i, f in enumerate(functions_in(entries)) if f is taken]
        return list(map(self._text, entries)), max(places, default=None)

    def _text(self, entry: Any) -> str:
        if isinstance(entry, tuple):
            return f"({', '.join(map(self._text, entry))})"
        return self.graph.name(entry) if self.graph.knows(entry) else str(entry)


def functions_in(worklist: list[Any]) -> list[Any]:
    """Return the function of each entry, which may be a tuple that ends with it."""
    return [e[-1] if isinstance(e, tuple) and e else e for e in worklist]
