"""Check exercises: whatever goes wrong in an answer, the student sees one sentence.

A check reads::

    @steps.check(1)
    def check():
        value = steps.plain(steps.call(twice, 3))
        assert value == 6, f"twice(3) should be 6, not {value}"

A check runs as soon as it is defined. It needs no code for ordinary failures, such as a
misspelt name, a missing return or the wrong type: this module explains them and quotes
the line of the answer that failed.
"""

import linecache
import os
import sys
import traceback
from typing import Any

import numpy as np

BOLD, PLAIN = "\x1b[1m", "\x1b[0m"
NUMBERS = bool, int, float, complex
MAX_LETTERS = 300
WORDS = {"said": "{}: {}", "advice": "{}. {}"}


class TooSlow(TimeoutError):
    """Raised by the judge when time is up; a check must not catch it."""


def check(exercise):
    """Run the decorated function as the check of an exercise.

    Its return value, if any, is printed after "Exercise 1 is right".

    Raises
    ------
    AssertionError
        With a one-sentence message, if the answer is wrong. In a notebook, ``%tb``
        shows the traceback.
    """

    def run(function):
        try:
            detail = function()
        except (KeyboardInterrupt, TooSlow):
            raise
        except BaseException as error:
            raise _make_failure(error, function.__code__.co_filename) from error
        is_right = f"Exercise {exercise} is right."
        print(f"Exercise {exercise} is right: {detail}" if detail else is_right)

    return run


def _make_failure(error, check_file):
    failure = AssertionError(explain(error, check_file))

    def render():
        # Show the sentence only once, so that %tb then shows the traceback.
        del failure._render_traceback_  # type: ignore[attr-defined]
        return [f"{BOLD}{failure}{PLAIN}"]

    failure._render_traceback_ = render  # type: ignore[attr-defined]
    return failure


def explain(error, check_file, is_called=False):
    """Explain in one sentence an error raised by an answer or by its check.

    `check_file` is the check's file name; `is_called` is true if the check was calling
    the answer.
    """
    text = _read_message(error)
    if isinstance(error, AssertionError) and text:
        return text
    text = text if len(text) <= MAX_LETTERS else f"{text[:MAX_LETTERS]}…"
    kind = f"{type(error).__name__}: {text}" if text else type(error).__name__
    if line := _find_line_of_answer(error, check_file):
        return f"your code stopped with {kind}, at {line}"
    if is_called:
        return f"your code stopped with {kind}"
    if isinstance(error, NameError) and getattr(error, "name", None):
        return f"{error.name} is not defined: run the cell with your answer first"
    return f"the result of your code cannot be checked: {kind}"


def _read_message(error):
    try:
        return str(error)
    except Exception:  # an answer may define errors whose __str__ fails
        return ""


def _find_line_of_answer(error, check_file):
    """Find the innermost line of the traceback that is in a cell (not in a file), but
    not in the check; an empty string if there is none.
    """
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        line = linecache.getline(frame.filename, frame.lineno or 0).strip()
        if line and frame.filename != check_file and not os.path.exists(frame.filename):
            return f"`{line}`"
    return ""


def call(function, *args, what="", advice="", returns=True, **kwargs):
    """Call a student's function, and return its result.

    Parameters
    ----------
    what : str
        The beginning of the error message; by default, the call itself.
    advice : str
        The end of the error message: what the student may have overlooked.
    returns : bool
        Whether the function has to return a value.

    Raises
    ------
    AssertionError
        If the function raises an error, or if it returns None although `returns` is
        true.
    """
    name = getattr(function, "__name__", None) or type(function).__name__
    what = what or f"{name}({', '.join(map(_show_briefly, args))})"
    try:
        result = function(*args, **kwargs)
    except (KeyboardInterrupt, TooSlow):
        raise
    except BaseException as error:
        # The check is two frames up: it calls steps.call, which calls this function.
        check_file = sys._getframe(2).f_code.co_filename
        sentence = explain(error, check_file, is_called=True)
        is_said = isinstance(error, AssertionError) and sentence == _read_message(error)
        said = WORDS["said"].format(what, sentence)
        if advice and not is_said:
            said = WORDS["advice"].format(said, advice)
        raise AssertionError(said) from error
    if returns and result is None:
        raise AssertionError(f"{what}: {name} returned nothing. Is there a return?")
    return result


def _show_briefly(value):
    shown = repr(value) if isinstance(value, (str, list, tuple, *NUMBERS)) else "…"
    return shown if len(shown) <= 20 else "…"


def plain(value, what="", shape=None):
    """Convert a result to plain numbers, which compare as numbers do.

    An object of the student's own class could claim to be equal to everything.

    Parameters
    ----------
    value : Variable, array, number, str, None, or a list, tuple, set or dict of them
    what : str
        The name of the result in error messages; by default, "the result".
    shape : tuple of int, optional
        The required shape; a single number may have any shape of size 1.

    Returns
    -------
    number, ndarray, str, None, list, tuple, set or dict
        A number for an array of size 1; an array for other arrays, and for lists of
        numbers.

    Raises
    ------
    AssertionError
        If the value is of another type, or has another shape.
    """
    what = what or "the result"
    result = _make_plain(value, what)
    if isinstance(result, np.ndarray) and result.size == 1:
        result = result.item()
    if shape is None:
        return result
    assert result is not None, f"{what} should be numbers, not None"
    assert isinstance(result, (np.ndarray, list, tuple, *NUMBERS)), (
        f"{what} should be numbers, not a {type(result).__name__}"
    )
    try:
        found: Any = np.shape(result)
    except ValueError:
        found = "rows of different lengths"
    are_one = np.prod(shape) == 1 and set(found) <= {1}
    assert found == tuple(shape) or are_one, (
        f"{what} should have the shape {tuple(shape)}, not {found}"
    )
    return np.reshape(result, shape) if shape else result


def _make_plain(value, what):
    if isinstance(value, list):
        return _stack([_make_plain(item, what) for item in list.__iter__(value)])
    if isinstance(value, tuple):
        return tuple(_make_plain(item, what) for item in tuple.__iter__(value))
    if type(value) in (set, frozenset):
        return {_make_plain(item, what) for item in value}
    if type(value) is dict:
        pairs = value.items()
        return {_make_plain(k, what): _make_plain(v, what) for k, v in pairs}
    if value is None or type(value) in (str, *NUMBERS):
        return value
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.array(value, subok=False)
        if array.dtype.kind in "biufc":
            return array.item() if array.size == 1 else array
        if array.dtype.kind == "U":
            return array.tolist()
        raise AssertionError(f"{what} should be numbers, not of dtype {array.dtype}")
    kind = type(value).__name__
    if not hasattr(value, "data"):
        raise AssertionError(f"{what} should be numbers, not of type {kind}")
    data = value.data
    if isinstance(data, (np.ndarray, np.generic, *NUMBERS)):
        return _make_plain(data, what)
    assert data is not None, f"{what} holds nothing: does forward return something?"
    raise AssertionError(f"{what} holds a {type(data).__name__}, not an array")


def _stack(items):
    """Convert a list of numbers, or of arrays of equal shape, to an array; return other
    lists unchanged.
    """
    shapes = {np.shape(item) for item in items}
    are_numbers = all(isinstance(item, (np.ndarray, *NUMBERS)) for item in items)
    if not items or not are_numbers or len(shapes) > 1:
        return items
    return np.array(items)
