"""Mutants: which ones are made, and that a check which misses one is reported."""

import ast
import contextlib
import itertools
import json
from unittest.mock import Mock

import pytest

from steps.course import builder, exercises
from steps.course.commands import main
from steps.course.exercises import BEGIN, END
from steps.course.judge.child import Stopped
from steps.course.lessons import CourseError, numbers
from steps.course.mutating import fork_pool, scores
from steps.course.mutating.mutants import make_mutants
from steps.course.mutating.scores import Score
from tests.course.texts import text


def of(*lines):
    """Make the mutants of a function's solution."""
    body = "\n".join(f"    {line}" for line in lines)
    return make_mutants(f"def f(a, b):\n    {BEGIN}\n{body}\n    {END}\n")


def test_what_is_planted_in_a_line():
    wrong = []
    for block in text("planted.txt").split("\n\n"):
        line, *changes = block.splitlines()
        expected = [f"{line} {change.strip()}" for change in changes]
        if sorted(of(line)) != sorted(expected):
            wrong.append(f"{line}: {[*of(line)]}")
    assert not wrong, wrong


def test_every_exercise_has_mutants_that_are_python():
    wrong = []
    for number in numbers():
        found = exercises.find_exercises(builder.read_lesson_cells(number))
        of_each = [list(make_mutants(e.solution).values()) for e in found]
        # The answers of lesson 23 are files, as strings.
        if not of_each or (not all(of_each) and number != 23):
            wrong.append(f"{number}: no mutants")
        for source in itertools.chain(*of_each):
            with contextlib.suppress(SyntaxError):
                ast.parse(source)
                continue
            wrong.append(f"{number}: {source}")
    assert not wrong, wrong


# --- Trying them ----------------------------------------------------------------------


def outcomes(number, jobs=2):
    if not fork_pool.CAN_FORK:
        pytest.skip("mutants are tried in forks")
    found = scores._run_mutants(number, jobs)
    return {(exercise, change): survives for exercise, change, survives in found}


def edit(toy, old, new):
    path = toy / "steps" / "step01.md"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


HIDDEN = """\
for number in range(10):
    assert are_equal(twice(number), number + number), f"twice({number}) is wrong"
"""


def test_a_weak_check_lets_mutants_pass_and_a_good_one_finds_all(toy):
    edit(toy, HIDDEN, "")
    edit(toy, "assert twice(2) == 4", "assert twice(0) == 0")
    found = outcomes(1)
    assert {found.pop(key) for key in list(found) if key[0] == 2} == {False}
    assert found[1, "return 2 * x -> return 3 * x"]
    assert not found[1, "return 2 * x -> return 2 / x"]


def test_a_mutant_that_never_ends_counts_as_found(toy, monkeypatch):
    monkeypatch.setattr(fork_pool.run_attempts, "__defaults__", (1, 0.5))
    edit(toy, "    for number in numbers:", "    left = len(numbers)\n    while left:")
    edit(toy, "+= number\n", "+= numbers[left - 1]\n        left -= 1\n")
    assert not outcomes(1)[2, "left -= 1 -> pass"]


def test_a_check_that_rejects_the_solution_is_told(toy):
    edit(toy, "twice(2) == 4", "twice(2) == 5")
    with pytest.raises(CourseError, match="rejects the solution"):
        outcomes(1)


def test_a_process_that_fails_is_told(monkeypatch):
    stops = Mock(side_effect=Stopped("ends Python"))
    monkeypatch.setattr(fork_pool.Child, "receive", stops)
    with pytest.raises(CourseError, match=r"step 8 could not be run.*ends Python"):
        outcomes(8)


@pytest.fixture
def tried(toy, monkeypatch, tmp_path):
    """Replace the processes: they return the given outcomes for a lesson's mutants."""
    lines = []
    monkeypatch.setattr(scores, "_run_mutants", lambda number, jobs: iter(lines))
    monkeypatch.setattr(scores, "HARMLESS", tmp_path / "harmless.json")
    monkeypatch.setattr(scores, "PAGE", tmp_path / "exercises.md")
    monkeypatch.setattr(scores.write_table, "__defaults__", (scores.PAGE,))
    scores.HARMLESS.write_text("{}")
    scores.PAGE.write_text("# How good\n\n| step |\n| ---: |\n")
    return lines


def test_survivors_are_told_and_the_exit_code_says_so(tried, capsys):
    tried += [[1, "a -> b", False], [1, "c -> d", True], [2, "e -> f", False]]
    for named, code, said in (
        ({}, 1, ["3 mutants, 2 found, 0 harmless, 1 survivors", "1.1  c -> d"]),
        ({"c -> d": "x"}, 0, ["3 mutants, 2 found, 1 harmless, 0 survivors"]),
        ({"c -> d": "x", "a -> b": "x"}, 1, ["1.1  not harmless any more: a -> b"]),
    ):
        scores.HARMLESS.write_text(json.dumps({"1.1": named}))
        assert main(["mutate", "1"]) == code
        told = capsys.readouterr().out.replace("step01:", "").splitlines()
        assert [line.strip() for line in told][-len(said) :] == said


def test_how_far_it_is_is_shown_after_each_mutant(tried, monkeypatch):
    tried += [[1, "a -> b", False], [1, "c -> d", True]]
    monkeypatch.setattr(scores, "make_mutants", lambda solution: range(5))
    shown = []

    class Bar(contextlib.nullcontext):
        def __init__(self, total, **settings):
            super().__init__(self)
            shown.append(total)

        def update(self):
            shown.append(1)

    monkeypatch.setattr("tqdm.tqdm", Bar)
    scores.measure([1])
    assert shown == [10, 1, 1]


def test_the_table_keeps_the_rows_of_other_lessons(tried):
    page = scores.PAGE
    scores.write_table([Score(2, 3, 10, 8, 1, [(1, "a -> b")], [])])
    tried += [[1, "a -> b", False]]
    assert main(["mutate", "--table", "1"]) == 0
    assert page.read_text(encoding="utf-8").splitlines()[2:] == [
        *["| step |", "| ---: |", "| 1 | 2 | 1 | 1 | 0 | 0 | 100.0% |"],
        "| 2 | 3 | 10 | 8 | 1 | 1 | 88.9% |",
    ]


def test_harmless_survivors_have_a_reason_and_an_exercise():
    for key, changes in scores.read_harmless().items():
        step, exercise = map(int, key.split("."))
        found = exercises.find_exercises(builder.read_lesson_cells(step))
        planted = make_mutants(found[exercise - 1].solution)
        for change, reason in changes.items():
            assert change in planted, f"{key}: there is no mutant {change}"
            assert len(reason.split()) >= 3
    # The table only mentions existing lessons.
    rows = scores.ROW.findall(scores.PAGE.read_text(encoding="utf-8"))
    assert set(map(int, rows)) <= set(numbers())
