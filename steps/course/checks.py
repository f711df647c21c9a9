"""Checks of exercises: whatever an answer does, its reader gets one sentence.

A check reads::

    @steps.check(1)
    def check():
        value = steps.plain(steps.call(twice, 3))
        assert value == 6, f"twice(3) should be 6, not {value}"

It runs at once. An ordinary failure (a misspelt name, nothing returned, the wrong kind
of object) needs no line in the check: it is explained here, with the line of the answer
where it happened.
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


class TooSlow(TimeoutError):
    """Raised by the judge where time is up; no check may explain it away."""


def check(exercise):
    """Run the function below as the check of an exercise.

    What it returns, if anything, is shown behind "Exercise 1 is right".

    Raises
    ------
    AssertionError
        With one sentence, if the answer is not right. In a notebook, ``%tb`` shows
        where it was.
    """

    def run(function):
        try:
            detail = function()
        except (KeyboardInterrupt, TooSlow):
            raise
        except BaseException as error:
            raise _make_failure(error, function.__code__.co_filename) from error
        print(f"Exercise {exercise} is right{f': {detail}' if detail else '.'}")

    return run


def _make_failure(error, check_file):
    failure = AssertionError(explain(error, check_file))

    def render():
        # Only once: after that, the magic %tb shows everything.
        del failure._render_traceback_  # type: ignore[attr-defined]
        return [f"{BOLD}{failure}{PLAIN}"]

    failure._render_traceback_ = render  # type: ignore[attr-defined]
    return failure


def explain(error, check_file, is_called=False):
    """Explain in one sentence why an answer stopped that a check in a file called, or
    why the check itself did.
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
    return f"what your code gives cannot be checked: {kind}"


def _read_message(error):
    try:
        return str(error)
    except Exception:  # an answer may define errors that cannot be shown
        return ""


def _find_line_of_answer(error, check_file):
    """Find the last line that ran in a cell, which is not a file, but not the check."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        line = linecache.getline(frame.filename, frame.lineno or 0).strip()
        if line and frame.filename != check_file and not os.path.exists(frame.filename):
            return f"`{line}`"
    return ""


def call(function, *args, what="", advice="", returns=True, **kwargs):
    """Call what a student wrote, and return what it returns.

    Parameters
    ----------
    what : str
        What is tried, which begins the sentence; the call itself if not given.
    advice : str
        What a student may have overlooked if it stops, which ends the sentence.
    returns : bool
        Whether something has to be returned.

    Raises
    ------
    AssertionError
        If it stops or returns nothing.
    """
    name = getattr(function, "__name__", None) or type(function).__name__
    what = what or f"{name}({', '.join(map(_show_briefly, args))})"
    try:
        result = function(*args, **kwargs)
    except (KeyboardInterrupt, TooSlow):
        raise
    except BaseException as error:
        # Of our caller, which is steps.call, the caller.
        check_file = sys._getframe(2).f_code.co_filename
        sentence = explain(error, check_file, is_called=True)
        is_said = isinstance(error, AssertionError) and sentence == _read_message(error)
        advice = f". {advice}" if advice and not is_said else ""
        raise AssertionError(f"{what}: {sentence}{advice}") from error
    if returns and result is None:
        raise AssertionError(f"{what}: {name} returned nothing. Is there a return?")
    return result


def _show_briefly(value):
    shown = repr(value) if isinstance(value, (str, list, tuple, *NUMBERS)) else "…"
    return shown if len(shown) <= 20 else "…"


def plain(value, what="the result", shape=None):
    """Turn a result into plain numbers, which compare as numbers do.

    An object of another kind could call itself equal to everything.

    Parameters
    ----------
    value : Variable, array, number, text, None, or a list, tuple, set or dict of them
    what : str
        What to call it in the sentence.
    shape : tuple of int, optional
        The shape that it has to have; one number may have any shape of one number.

    Returns
    -------
    number, ndarray, str, None, list, tuple, set or dict
        A number for an array of one number; an array for other arrays, and for lists of
        numbers.

    Raises
    ------
    AssertionError
        If it is anything else, or has another shape.
    """
    result = _make_plain(value, what)
    if isinstance(result, np.ndarray) and result.size == 1:
        result = result.item()
    if shape is None:
        return result
    kind = type(result).__name__
    assert isinstance(result, (np.ndarray, list, tuple, *NUMBERS)), (
        f"{what} should be numbers, not {'None' if result is None else f'a {kind}'}"
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
    """Make an array of a list if it holds numbers, row by row."""
    shapes = {np.shape(item) for item in items}
    are_numbers = all(isinstance(item, (np.ndarray, *NUMBERS)) for item in items)
    if not items or not are_numbers or len(shapes) > 1:
        return items
    return np.array(items)
