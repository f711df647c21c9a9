"""The passes as a story: values forward, then gradients backward, one function per
step.

The values are those that the Variables hold, in a possible order of computation; the
backward pass is the recorded one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from ..graph import inputs_of, is_variable, outputs_of
from .recording import (
    Gradients,
    Graph,
    Recorder,
    Visit,
    copy_array,
    drop_missing,
    pairs_with,
)
from .words import (
    addition,
    almost_equal,
    as_detail,
    describe_sum,
    join_words,
    phrase,
    text,
)

# The headings beside the picture.
WORDS = {
    "given": "given",
    "takes": "takes",
    "makes": "makes",
    "gradients": "gradients",
    "receives": "receives",
    "passes on": "passes on",
    "becomes": "becomes",
}
# The contents beside the picture: headings, each with pairs of a name and a value.
Panel = list[tuple[str, list[tuple[str, dict[str, Any]]]]]


@dataclass
class Step:
    """A sentence, and the state of the picture that belongs to it.

    Attributes
    ----------
    say : str
    back : bool
        Whether it belongs to the backward pass.
    lit : list of str
        The keys of the highlighted nodes and edges.
    panel : list
    values, gradients : dict
        Texts of nodes from this step on, by key; empty for a text that is removed.
    edges : dict
        Texts of edges, by key, for this step only.
    waiting : list of str
        The worklist after this step, or the open calls.
    next : int or None
        The index in `waiting` of the function that is next.
    """

    say: str
    back: bool
    lit: list[str]
    panel: Panel
    values: dict[str, str] = field(default_factory=dict)
    gradients: dict[str, str] = field(default_factory=dict)
    edges: dict[str, str] = field(default_factory=dict)
    waiting: list[str] = field(default_factory=list)
    next: int | None = None


def tell_story(graph: Graph, record: Recorder) -> Iterator[Step]:
    """Yield all steps."""
    yield show_leaves(graph)
    for f in graph.functions:
        yield show_function(graph, f)
    if len(record.visits) > 1:
        yield show_start(graph, record)
    seen: set[int] = set()
    for visit, following in pairwise(record.visits):
        is_again = id(visit.function) in seen
        step = show_visit(graph, visit, following.gradients, is_again)
        seen.add(id(visit.function))
        step.waiting, step.next = following.waiting, following.position
        step.say += describe_worklist(step.waiting, record)
        yield step
    yield show_end(graph, record)


# --- forward --------------------------------------------------------------------------


def show_leaves(graph: Graph) -> Step:
    """Show the values of the leaves."""
    leaves = [v for v in graph.variables if v.creator is None]
    says = [f"{graph.name(v)} is {phrase(v.data)}" for v in leaves]
    return Step(
        f"Forward: {join_words(says)}.",
        back=False,
        lit=[graph.key[id(v)] for v in leaves],
        panel=[(WORDS["given"], [(graph.name(v), as_detail(v.data)) for v in leaves])],
        values={graph.key[id(v)]: text(v.data) for v in leaves},
    )


def show_function(graph: Graph, f: Any) -> Step:
    """Show how a function computes its outputs."""
    xs, ys = inputs_of(f), drop_missing(outputs_of(f))
    takes, makes = (join_words([graph.equation(x) for x in side]) for side in (xs, ys))
    return Step(
        f"{graph.name(f)} takes {takes} and makes {makes}.",
        back=False,
        lit=graph.around(f),
        panel=[
            (
                WORDS["takes"],
                [(name_input(graph, x), as_detail(copy_array(x))) for x in xs],
            ),
            (WORDS["makes"], [(graph.name(y), as_detail(y.data)) for y in ys]),
        ],
        values={graph.key[id(y)]: text(y.data) for y in ys},
    )


def name_input(graph: Graph, x: Any) -> str:
    return graph.name(x) if is_variable(x) else ""  # a constant is its own name


# --- back -----------------------------------------------------------------------------


def show_start(graph: Graph, record: Recorder) -> Step:
    """Show the gradients before the first visit."""
    first = record.visits[0]
    held = [v for v in graph.variables if first.gradients.get(id(v)) is not None]
    held.sort(key=lambda v: v is not graph.y)
    says = [f"{graph.grad(v)} is {phrase(first.gradients[id(v)])}" for v in held]
    old = [f" {said}, from before." for said in says[1:]]
    worklist = describe_worklist(first.waiting, record)
    return Step(
        "".join([f"Backward: {says[0]}.", *old, worklist]),
        back=True,
        lit=[graph.key[id(graph.y)]],
        panel=[(WORDS["gradients"], list_gradients(graph, held, first.gradients))],
        gradients={graph.key[id(v)]: text(first.gradients[id(v)]) for v in held},
        waiting=first.waiting,
        next=first.position,
    )


def show_visit(
    graph: Graph, visit: Visit, after: Gradients, is_again: bool = False
) -> Step:
    """Show what a function receives and passes on, and the resulting gradients."""
    f, before, key = visit.function, visit.gradients, graph.key[id(visit.function)]
    received = pairs_with(outputs_of(f), visit.received)
    pairs = enumerate(zip(inputs_of(f), visit.handed, strict=False))
    handed = [(i, x, g) for i, (x, g) in pairs if is_variable(x) and g is not None]
    silent = {*range(len(inputs_of(f)))}.difference(i for i, _, _ in handed)
    changed = [v for v in graph.variables if is_news(v, before, after)]
    gone = [v for v in changed if after.get(id(v)) is None]

    receives = join_words([f"{phrase(g)} from {graph.name(y)}" for y, g in received])
    passes = join_words([f"{phrase(g)} to {graph.name(x)}" for _, x, g in handed])
    say = f"{graph.name(f)} receives {receives}"
    if is_again:
        say = f"{graph.name(f)}, once more, receives {receives}"
    say = f"{say} and passes {passes}." if passes else f"{say} and passes nothing on."
    sums = {}
    for v in graph.variables:
        parts, now = [g for _, x, g in handed if x is v], after.get(id(v))
        if words := describe_sum(before.get(id(v)), parts, now):
            sums[graph.grad(v)] = as_detail(now) | {"text": words}
            say += f" {graph.grad(v)} is {words}."
    for v in gone:
        say += f" {graph.grad(v)} is dropped."
    return Step(
        say,
        back=True,
        lit=graph.around(f, silent),
        panel=[
            (WORDS["receives"], [(graph.grad(y), as_detail(g)) for y, g in received]),
            (
                WORDS["passes on"],
                [(f"to {graph.name(x)}", as_detail(g)) for _, x, g in handed],
            ),
            (WORDS["becomes"], list(sums.items())),
        ],
        gradients={
            graph.key[id(v)]: "" if after.get(id(v)) is None else text(after[id(v)])
            for v in changed
        },
        edges={f"{key}i{i}": text(g) for i, _, g in handed},
    )


def show_end(graph: Graph, record: Recorder) -> Step:
    """Show the gradients that `backward` leaves."""
    final = record.final
    kept = [v for v in graph.variables if final.get(id(v)) is not None]
    news = [v for v in kept if is_news(v, record.last, final)]
    leaves = [v for v in kept if v.creator is None]
    sentences = [describe_leaf(graph, v, record) for v in leaves]
    return Step(
        f"The backward pass is complete. {join_words(sentences)}.",
        back=True,
        lit=[],
        panel=[(WORDS["gradients"], list_gradients(graph, kept, final))],
        gradients={graph.key[id(v)]: text(final[id(v)]) for v in news},
    )


def describe_leaf(graph: Graph, v: Any, record: Recorder) -> str:
    """State a leaf's gradient; as a sum if the package adds it to an earlier one."""
    times = (record.first, record.last, record.final)
    earlier, found, now = (gradients.get(id(v)) for gradients in times)
    is_sum = earlier is not None and found is not None and not almost_equal(found, now)
    said = addition([earlier, found], now) if is_sum else phrase(now)
    return f"{graph.grad(v)} is {said}"


def list_gradients(graph: Graph, variables: list[Any], gradients: Gradients) -> Any:
    return [(graph.grad(v), as_detail(gradients[id(v)])) for v in variables]


def describe_worklist(waiting: list[str], record: Recorder) -> str:
    if not waiting:
        return " Worklist: empty."
    entries = ", ".join(waiting)
    return (
        f" Open calls: {entries}." if record.is_recursion else f" Worklist: {entries}."
    )


def is_news(v: Any, before: Gradients, after: Gradients) -> bool:
    return not almost_equal(before.get(id(v)), after.get(id(v)))
