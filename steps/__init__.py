"""The course, step by step.

``steps.step08`` is the framework as it is after step 8; the lesson ``steps/step08.md``
explains it. The helpers of the lessons are here: :func:`diff` shows what changed
between two steps, :func:`draw` draws a graph, :func:`play` plays a walk back through
one, :func:`film` shows an animation, :func:`progress` a progress bar, :func:`source`
the package's own code. :func:`hint` and :func:`solution` help with an exercise.
:func:`workshop` and :func:`judge` are for the notebooks in which you write the steps
yourself. The course tool is ``python -m steps``.
"""

import sys


def diff(before, after):
    """Show what changed between two steps, definition by definition.

    Parameters
    ----------
    before, after : int
        Step numbers, for example ``diff(7, 8)``.

    Returns
    -------
    Differences
        Shows itself as a table of changes in a notebook and as a unified diff in a
        terminal.

    Raises
    ------
    CourseError
        If there is no such step.
    """
    from .course.differences import Differences

    return Differences(before, after)


def draw(forward="", back=""):
    """Draw a graph of variables (round) and functions (square).

    Parameters
    ----------
    forward : str
        Paths such as ``"x -> Square -> y"``, one a line. A name that begins with a
        capital is a function. What follows ``#`` tells two nodes of one name apart and
        is not drawn; a number after ``@`` is the node's generation and gives its shade.
        Text after ``:`` labels the path's arrows.
    back : str
        Paths of the same form against the direction of the graph, such as ``"y ->
        Square -> x"``: gradients, or links that lead back. They are drawn in the second
        colour, from right to left.

    Returns
    -------
    dezero_lite.graph.Picture
        Shows itself as a drawing in a notebook.
    """
    from .course.pictures import draw

    return draw(forward, back)


def film(animation):
    """Show an animation of matplotlib's.

    Parameters
    ----------
    animation : matplotlib.animation.Animation
        Its figure is closed.

    Returns
    -------
    Film
        Shows itself in JupyterLab with a player that needs no network, and in a stored
        notebook as a picture that moves once.
    """
    from .course.films import Film

    return Film(animation)


def play(y, /, **names):
    """Run ``y.backward()``, and show it step by step.

    Parameters
    ----------
    y : Variable
        Of any step from 7 on, or of the package. Its gradients are afterwards what
        backward made them.
    **names : Variable or Function
        What to call things, as in ``play(y, a=a, A=a.creator)``. `retain_grad` and
        `create_graph` go to backward.

    Returns
    -------
    dezero_lite.player.Player
        Shows itself as a stepper in a notebook, and as one sentence a step in a
        terminal.

    Raises
    ------
    ValueError
        If the graph has more than 60 nodes, or if backward visits functions more than
        300 times.
    """
    from dezero_lite.player import play

    return play(y, **names)


def progress(items, total=None):
    """Go through things, with a progress bar while somebody watches.

    Parameters
    ----------
    items : iterable
    total : int, optional
        How many there are, if `items` cannot tell.

    Returns
    -------
    tqdm.tqdm
        Yields the items. Where nobody watches, as under nbval, it shows nothing.
    """
    from tqdm import tqdm

    from .course.watching import is_watched

    return tqdm(items, total=total, leave=False, disable=not is_watched())


def source(thing, doc=False, before=None):
    """Show the source of a class or function of the package, without running it again.

    Parameters
    ----------
    thing : class, function or method
    doc : bool, optional
        Show whole docstrings, not only what each says first.
    before : class, function or method, optional
        What it was before: shows what changed since then, as :func:`diff` does.

    Returns
    -------
    Source or Change
        Shows itself highlighted in a notebook and as text in a terminal.
    """
    from .course.differences import compare_sources
    from .course.listings import Source

    return Source(thing, doc) if before is None else compare_sources(before, thing, doc)


def check(exercise):
    """Run the function below as the check of an exercise: whatever the answer does,
    there is one sentence about it.

    Raises
    ------
    AssertionError
        If the answer is not right.
    """
    from .course.checks import check

    return check(exercise)


def call(function, *args, **kwargs):
    """Call what a student wrote, in a check, and return what it returns.

    `what` says what is tried, `advice` what may have been overlooked if it stops, and
    `returns=False` that nothing has to be returned; everything else goes to the
    function.

    Raises
    ------
    AssertionError
        If it stops or returns nothing.
    """
    from .course.checks import call

    return call(function, *args, **kwargs)


def plain(value, what="the result", shape=None):
    """Turn a student's result (a Variable, an array, a list …) into plain numbers.

    Raises
    ------
    AssertionError
        If it is made of anything else, or does not have the shape.
    """
    from .course.checks import plain

    return plain(value, what, shape)


def hint(step, exercise, nearer=False):
    """Give a hint for an exercise, or for a definition: the first one, and a nearer one
    at a click.

    Parameters
    ----------
    step : int
    exercise : int or str
        ``hint(8, 2)`` is for exercise 2 of step 8, ``hint(8, "Variable.backward")`` for
        a definition that the step adds or changes.
    nearer : bool or int
        Whether to show the nearer hint at once; of a definition's hints, 2 is the
        nearest.

    Returns
    -------
    Hint
        Shows itself in a notebook and in a terminal.

    Raises
    ------
    CourseError
        If there is no such exercise or definition, or if it has no hints.
    """
    if isinstance(exercise, str):
        from .course.workshop import hints

        return hints.make_hint(step, exercise, nearer)
    from .course.help import make_hint

    return make_hint(step, exercise, nearer)


def solution(step, exercise):
    """Show a solution of an exercise, or the lesson's code of a definition; yours may
    be another one and right as well.

    Parameters
    ----------
    step : int
    exercise : int or str
        ``solution(8, 2)`` is for exercise 2 of step 8, ``solution(8,
        "Variable.backward")`` for a definition.

    Returns
    -------
    Listing
        Shows itself highlighted in a notebook and as text in a terminal.

    Raises
    ------
    CourseError
        If there is no such exercise or definition.
    """
    if isinstance(exercise, str):
        from .course.workshop.hints import show_code

        return show_code(step, exercise)
    from .course.help import show_solution

    return show_solution(step, exercise)


def workshop(step=None):
    """Begin a notebook of the workshop: what its cells define becomes the step.

    Parameters
    ----------
    step : int, optional
        ``workshop(8)`` makes ``steps.step08`` the learner's own in this notebook.
        ``workshop()`` shows how far they are, a mark for each step.
    """
    from .course.workshop import report, session

    return report.ProgressLine() if step is None else print(session.begin(step))


def judge(step, anyway=False):
    """Judge what was written for a step in the workshop; if it is right, write it to a
    file and go on.

    Parameters
    ----------
    step : int
    anyway : bool
        Whether to go on even if it is not right, with the lesson's own code in place of
        what is missing or wrong.

    Returns
    -------
    Report
        Shows itself in a notebook and in a terminal.
    """
    from .course.workshop import session

    return session.judge_step(step, anyway)


def mine(step):
    """The learner's framework after a step, as a module.

    It is the file that they wrote in the workshop, in the folder ``workshop`` beside
    the notebook; where there is none, the lesson's own. From step 33 to 60 it is their
    package, with all its names; what they have not written in it, the lesson lends.
    """
    from .course.workshop.learner_module import load_own

    return load_own(step)


def _prepare_kernel():
    if "ipykernel" in sys.modules:
        from .course.kernel import prepare

        prepare()


_prepare_kernel()
