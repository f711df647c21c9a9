"""The course, step by step.

``steps.step08`` is the framework as it is after step 8; the lesson ``steps/step08.md``
explains it. The lessons' helpers are here: :func:`diff` shows the changes between two
steps, :func:`draw` draws a graph, :func:`play` plays the backward pass through one,
:func:`film` shows an animation, :func:`progress` a progress bar, and :func:`source` the
package's own code. :func:`hint` and :func:`solution` help with an exercise.
:func:`workshop` and :func:`judge` are for the notebooks in which you write the steps
yourself. The course tool is ``python -m steps``.
"""

import os
import sys


def diff(before, after):
    """Show the changes between two steps, definition by definition.

    Parameters
    ----------
    before, after : int
        Step numbers, for example ``diff(7, 8)``.

    Returns
    -------
    Differences
        Displayed as a table of changes in a notebook, and as a unified diff in a
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
        Paths such as ``"x -> Square -> y"``, one per line. A name that begins with a
        capital is a function. Text after ``#`` distinguishes nodes with the same name
        and is not drawn; a number after ``@`` is the node's generation and gives its
        shade. Text after ``:`` labels the path's arrows.
    back : str
        Paths in the same format but against the direction of the graph, such as ``"y ->
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
    """Show a matplotlib animation.

    Parameters
    ----------
    animation : matplotlib.animation.Animation
        The animation; its figure is closed.

    Returns
    -------
    Film
        Displayed in JupyterLab with a player that needs no network, and in a stored
        notebook as a picture that plays once.
    """
    from .course.films import Film

    return Film(animation)


def play(y, /, **names):
    """Run ``y.backward()``, and show it step by step.

    Parameters
    ----------
    y : Variable
        From any step from 7 on, or from the package. Afterwards, its gradients are
        those that backward has computed.
    **names : Variable or Function
        Names to display, as in ``play(y, a=a, A=a.creator)``. `retain_grad` and
        `create_graph` are passed on to backward.

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
    """Iterate over items, with a progress bar if a person is watching.

    Parameters
    ----------
    items : iterable
    total : int, optional
        The number of items, if `items` has no length.

    Returns
    -------
    tqdm.tqdm
        Yields the items. If nobody is watching, as under nbval, it shows nothing.
    """
    from tqdm import tqdm

    from .course.interactive import is_interactive

    return tqdm(items, total=total, leave=False, disable=not is_interactive())


def source(thing, doc=False, before=None):
    """Show the source of a class or function of the package, without running it again.

    Parameters
    ----------
    thing : class, function or method
    doc : bool, optional
        Show whole docstrings, not only their first paragraphs.
    before : class, function or method, optional
        An earlier version: show the changes since then, as :func:`diff` does.

    Returns
    -------
    Source or Change
        Shows itself highlighted in a notebook and as text in a terminal.
    """
    from .course.differences import compare_sources
    from .course.listings import Source

    return Source(thing, doc) if before is None else compare_sources(before, thing, doc)


def check(exercise):
    """Run the decorated function as the check of an exercise: whatever the answer does,
    the student gets one sentence about it.

    Raises
    ------
    AssertionError
        If the answer is not right.
    """
    from .course.checks import check

    return check(exercise)


def call(function, *args, **kwargs):
    """Call a student's function in a check, and return its result.

    `what` describes the call, `advice` says what may have been overlooked if it fails,
    and `returns=False` allows it to return nothing; all other arguments are passed to
    the function.

    Raises
    ------
    AssertionError
        If it fails or returns nothing.
    """
    from .course.checks import call

    return call(function, *args, **kwargs)


def plain(value, what="", shape=None):
    """Convert a student's result (a Variable, an array, a list …) to plain numbers.

    Raises
    ------
    AssertionError
        If it contains anything else, or does not have the shape.
    """
    from .course.checks import plain

    return plain(value, what, shape)


def hint(step, exercise, nearer=False):
    """Give a hint for an exercise, or for a definition: the first one, and a stronger
    one at a click.

    Parameters
    ----------
    step : int
    exercise : int or str
        ``hint(8, 2)`` is for exercise 2 of step 8, ``hint(8, "Variable.backward")`` for
        a definition that the step adds or changes.
    nearer : bool or int
        Whether to show the stronger hint at once; for a definition, 2 shows the
        strongest.

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
    differ and still be right.

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
    """Begin a notebook of the workshop: the definitions in its cells become the step.

    Parameters
    ----------
    step : int, optional
        ``workshop(8)`` makes ``steps.step08`` the learner's own in this notebook.
        ``workshop()`` shows their progress, one mark per step.
    """
    from .course.workshop import report, session

    return report.ProgressLine() if step is None else print(session.begin(step))


def judge(step, anyway=False):
    """Judge the learner's code for a step in the workshop; if it is right, write it to
    a file and continue with the next step.

    Parameters
    ----------
    step : int
    anyway : bool
        Whether to continue even if it is not right, with the lesson's own code for
        whatever is missing or wrong.

    Returns
    -------
    Report
        Shows itself in a notebook and in a terminal.
    """
    from .course.workshop import session

    return session.judge_step(step, anyway)


def mine(step):
    """Return the learner's framework after a step, as a module.

    This is the file that they wrote in the workshop, in the folder ``workshop`` beside
    the notebook, or the lesson's own if there is none. From step 33 to 60 it is their
    package, with all its names; the lesson lends whatever they have not written.
    """
    from .course.workshop.learner_module import load_own

    return load_own(step)


def _prepare():
    in_kernel = "ipykernel" in sys.modules
    if in_kernel or "COURSE_LANGUAGE" in os.environ:
        from .course.translation import tool

        tool.install()
    if in_kernel:
        from .course.kernel import prepare

        prepare()


_prepare()
