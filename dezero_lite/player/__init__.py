"""The backward player: the backward pass through a graph, recorded as it happens, to be
viewed step by step. Steps 7–18 and 32 explain what it shows.

=========== ==========================================================================
recording   the graph, and what happens in it while ``y.backward()`` runs
story       the resulting steps, each with a sentence
words       numbers and arrays as the player writes them
layout      the position of each node
drawing     the graph as SVG
page        the stepper: the drawing in its own page
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
    """Run ``y.backward()`` and record it, to be played step by step.

    It has the same effect as `backward`: it leaves the gradients, and nothing else.
    Earlier gradients are taken into account as always: clear them first.

    Parameters
    ----------
    y : Variable
        From `dezero_lite`, or from any step of the course from 7 on.
    retain_grad, create_graph : bool, optional
        Passed to `backward` if given.
    **names : Variable or Function
        Names of Variables and functions, as in ``play(y, a=a, A=a.creator)``. By
        default, leaves are called x, the result y, and all Variables between them a, b,
        c, …; functions have the name of their class.

    Returns
    -------
    Player
        Displays itself as a stepper in a notebook, and as one sentence per step in a
        terminal.

    Raises
    ------
    ValueError
        If the graph has more than 60 nodes, or if the pass visits functions more than
        300 times.

    Examples
    --------
    >>> import numpy as np
    >>> from dezero_lite import Variable
    >>> play(Variable(np.array(3.0)) ** 2)
    1. Forward: x is 3.
    2. Pow takes x = 3 and 2 and makes y = 9.
    3. Backward: y.grad is 1. Worklist: (0, 0, Pow).
    4. Pow receives 1 from y and passes 6 to x. y.grad is dropped. Worklist: empty.
    5. The backward pass is complete. x.grad is 6.
    """
    options = {"retain_grad": retain_grad, "create_graph": create_graph}
    given = {name: option for name, option in options.items() if option is not None}
    graph = Graph(y, names)
    recorder = Recorder(graph)
    recorder.run(lambda: y.backward(**given))
    return Player(graph, list(tell_story(graph, recorder)))
