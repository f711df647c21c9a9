"""The backward player: a walk back through a graph, recorded as it happens, to be
stepped through. Steps 7–18 and 32 explain what it shows.

=========== ==========================================================================
recording   the graph, and what happens in it while ``y.backward()`` runs
story       the steps that come of it, each with a sentence
words       numbers and arrays as the player writes them
layout      where each node stands
drawing     the graph as SVG
page        the stepper: the drawing in a page of its own
=========== ==========================================================================
"""

from __future__ import annotations

from typing import Any

from .page import Player
from .recording import Graph, Recorder
from .story import tell_story

__all__ = ["play"]


def play(
    y: Any,
    /,
    *,
    retain_grad: bool | None = None,
    create_graph: bool | None = None,
    **names: Any,
) -> Player:
    """Run ``y.backward()``, and record it, to be played step by step.

    It leaves what `backward` leaves, the gradients, and nothing else. Gradients that
    were there before take part as always: clear them first.

    Parameters
    ----------
    y : Variable
        Of `dezero_lite`, or of any step of the course from 7 on.
    retain_grad, create_graph : bool, optional
        Handed to `backward` if given.
    **names : Variable or Function
        The names of things, as in ``play(y, a=a, A=a.creator)``. Without a name, leaves
        are called x, the result y, and all between a, b, c, …; functions are called by
        their class.

    Returns
    -------
    Player
        Shows itself as a stepper in a notebook, and as one sentence a step in a
        terminal.

    Raises
    ------
    ValueError
        If the graph has more than 60 nodes, or if the walk visits functions more than
        300 times.

    Examples
    --------
    >>> import numpy as np
    >>> from dezero_lite import Variable
    >>> play(Variable(np.array(3.0)) ** 2)
    1. Forward: x is 3.
    2. Pow takes x = 3 and 2 and makes y = 9.
    3. Backward: y.grad is 1. Worklist: (0, 0, Pow).
    4. Pow receives 1 from y and hands on 6 to x. y.grad is dropped. Worklist: empty.
    5. The walk is over. x.grad is 6.
    """
    options = {"retain_grad": retain_grad, "create_graph": create_graph}
    given = {name: option for name, option in options.items() if option is not None}
    graph = Graph(y, names)
    recorder = Recorder(graph)
    recorder.run(lambda: y.backward(**given))
    return Player(graph, list(tell_story(graph, recorder)))
