"""The message of a check for any kind of answer, and which results count as plain
numbers.
"""

from types import SimpleNamespace
from unittest.mock import ANY, MagicMock

import numpy as np
import pytest

import steps
from steps.course.judge import cells
from steps.course.mutating import planted


def ask(answer, check):
    """Run an answer and its check, each as a cell; return the check's failure."""
    names = cells.make_names() | {"steps": steps, "np": np}
    assert cells.catch_failure(answer, names) is None
    return cells.catch_failure(f"@steps.check(1)\ndef check():\n    {check}", names)


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("return x + 1", None),
        ("return x", "f(1) should be 2, not 1"),
        ("pass", "f(1): f returned nothing. Is there a return?"),
        (
            "return x + y",
            "f(1): your code stopped with NameError: name 'y' is not defined, at "
            "`return x + y`. Advice",
        ),
        (
            "assert x > 1",
            "f(1): your code stopped with AssertionError, at `assert x > 1`",
        ),
        ("assert x > 1, 'x is 1'", "f(1): x is 1"),
        ("return f(x)", "f(1): your code stopped with RecursionError"),
        ("raise SystemExit", "f(1): your code stopped with SystemExit"),
        ("raise TimeoutError", "f(1): your code stopped with TimeoutError"),
        ("return object()", "f should be numbers, not of type object"),
    ],
)
def test_an_answer_gets_one_sentence(body, sentence):
    check = "value = steps.plain(steps.call(f, 1, advice='Advice'), 'f'); "
    check += "assert value == 2, f'f(1) should be 2, not {value}'"
    failure = ask(f"def f(x):\n    {body}", check)
    if sentence is None:
        assert failure is None
    else:
        assert failure.kind == "AssertionError"
        assert failure.text.startswith(sentence)


def test_what_stops_in_a_check_itself_is_explained():
    assert (
        ask("", "g(1)").text == "g is not defined: run the cell with your answer first"
    )
    failure = ask("g = None", "g(1)")
    assert failure.text.startswith(
        "the result of your code cannot be checked: TypeError"
    )


def test_an_answer_that_stops_in_what_it_calls_is_explained():
    failure = ask("f = np.linalg.inv", "steps.call(f, 1)")
    assert failure.text.startswith("inv(1): your code stopped with LinAlgError: ")


def test_a_call_quotes_the_answer_and_not_the_check():
    failure = ask("f = None", "steps.call(lambda: f(1), what='f')")
    assert failure.text == (
        "f: your code stopped with TypeError: 'NoneType' object is not callable"
    )


def test_time_that_is_up_is_not_explained_away():
    check = "@steps.check(1)\ndef check():\n    while True: pass"
    assert cells.catch_failure(check, {"steps": steps}, 0.1).message == cells.TOO_SLOW


def test_a_check_that_is_content_says_so(capsys):
    steps.check(1)(lambda: None)
    steps.check(2)(lambda: "six steps")
    said = capsys.readouterr().out
    assert said == "Exercise 1 is right.\nExercise 2 is right: six steps\n"


@pytest.mark.parametrize(
    ("value", "result"),
    [
        (3, 3),
        (np.float32(0.5), 0.5),
        (np.array([[2.0]]), 2.0),
        ([1.0], 1.0),
        ([1, 2], np.array([1, 2])),
        ([[1.5], [1.2]], np.array([[1.5], [1.2]])),
        ([np.array([1.5]), np.array([1.2])], np.array([1.5, 1.2])),
        (SimpleNamespace(data=np.array([1.0, 2.0])), np.array([1.0, 2.0])),
        ([np.zeros(2), np.zeros(3)], [np.zeros(2), np.zeros(3)]),
        (("a", None, [1, 2]), ("a", None, np.array([1, 2]))),
        ({"a": np.array([1])}, {"a": 1}),
        ([], []),
    ],
)
def test_results_are_made_plain(value, result):
    found = steps.plain(value)
    assert type(found) is type(result)
    np.testing.assert_equal(found, result)


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (ANY, "y should be numbers, not of type _ANY"),
        (MagicMock(), "y holds a MagicMock, not an array"),
        (type("Float", (float,), {})(1.0), "y should be numbers, not of type Float"),
        (np.array([None]), "y should be numbers, not of dtype object"),
        (SimpleNamespace(data=None), "y holds nothing: does forward return something?"),
        (np.zeros((2, 1)), "y should have the shape (2,), not (2, 1)"),
        (1.0, "y should have the shape (2,), not ()"),
        (None, "y should be numbers, not None"),
        ("2", "y should be numbers, not a str"),
        (
            [[1.0, 2.0], [3.0]],
            "y should have the shape (2,), not rows of different lengths",
        ),
    ],
)
def test_what_is_not_plain_is_named(value, sentence):
    with pytest.raises(AssertionError) as caught:
        steps.plain(value, "y", (2,))
    assert str(caught.value) == sentence


def test_one_number_may_have_any_shape_of_one_number():
    assert steps.plain(np.array([[3.0]]), shape=()) == 3.0
    assert steps.plain(3.0, shape=(1,)).shape == (1,)


def test_failures_are_planted_in_the_functions_that_are_to_be_written():
    solution = (
        "def given(x):\n    return x\n\n\nclass A:\n    def forward(self):\n"
        "        ### BEGIN SOLUTION\n        return 1\n        ### END SOLUTION\n"
    )
    variants = planted.plant(solution, brief=1)
    assert {name.partition(": ")[0] for name in variants} == {"forward"}
    kinds = set(planted.BODIES) | {planted.EXCEPTIONS[1], "misspelt"}
    assert {name.partition(": ")[2] for name in variants} == kinds
    assert "def given(x):\n    return x" in variants["forward: ANY"]
    assert len(planted.plant(solution)) == len(planted.EXCEPTIONS) + len(kinds) - 1
