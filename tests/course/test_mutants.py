"""Mutants: which are made, and that a check that lets one pass is told."""

import ast
import contextlib
import itertools
import json
from unittest.mock import Mock

import pytest

from steps.course import builder, exercises, mutating
from steps.course.commands import main
from steps.course.exercises import BEGIN, END
from steps.course.judge import forks
from steps.course.judge.child import Stopped
from steps.course.lessons import CourseError, numbers
from steps.course.mutants import ANOTHER, mutants
from steps.course.mutating import KILLED, SURVIVED, TOO_SLOW, Score
from tests.course.texts import text


def of(*lines):
    """The mutants of a function's solution."""
    body = "\n".join(f"    {line}" for line in lines)
    return mutants(f"def f(a, b):\n    {BEGIN}\n{body}\n    {END}\n")


def test_what_is_planted_in_a_line():
    wrong = []
    for block in text("planted.txt").split("\n\n"):
        line, *changes = block.splitlines()
        expected = [f"{line} {change.strip()}" for change in changes]
        if sorted(of(line)) != sorted(expected):
            wrong.append(f"{line}: {[*of(line)]}")
    assert not wrong, wrong


def test_a_whole_loop_is_dropped_and_its_inside_is_changed_line_by_line():
    found = of("for x in a:", "    b += x", "if b:", "    b -= 1", "elif a:", "    b()")
    assert {"for x in a: -> pass", "b += x -> b -= x"} <= set(found)
    assert "elif" not in found["if a: -> pass"]
    assert all(ast.parse(source) for source in found.values())


def test_each_mutant_has_one_fault_and_what_was_given_stays():
    lines = ["def f(a):", "c = 0", BEGIN, "b = a + 1", END, "return b"]
    cell = "\n    ".join(lines) + "\n"
    found = mutants(cell)
    assert {"b = a + 1 -> b = a - 1", "b = a + 1 -> pass"} < set(found)
    for source in found.values():
        lines = zip(source.splitlines(), cell.splitlines(), strict=True)
        assert sum(a != b for a, b in lines) == 1
        assert source.replace(source.splitlines()[3], "    b = a + 1") == cell


def test_the_same_fault_in_two_places_has_two_names():
    found = set(of("if a:", "    return a + b", "return a + b"))
    change = "return a + b -> return a - b"
    assert {change, f"{change} (2)"} <= found
    # Every operator of a comparison has another.
    assert set(ast.cmpop.__subclasses__()) <= set(ANOTHER)


def test_of_the_cells_after_a_solution_only_one_is_its_check():
    sources = ("a = 1", f"{BEGIN}\nb = 2\n{END}", "b", "assert b == 2", "b + 1")
    cells = [builder.code_cell(source) for source in sources]
    cells[3]["metadata"] = {"tags": ["check"]}
    (exercise,) = exercises.of_lesson(cells)
    assert (exercise.solution, exercise.check) == (sources[1], "assert b == 2")
    assert exercises.of_lesson(cells[3:]) == []


def test_every_exercise_has_mutants_that_are_python():
    wrong = []
    for number in numbers():
        found = exercises.of_lesson(builder.lesson_cells(number))
        of_each = [list(mutants(e.solution).values()) for e in found]
        if not of_each or not all(of_each):
            wrong.append(f"{number}: no mutants")
        for source in itertools.chain(*of_each):
            with contextlib.suppress(SyntaxError):
                ast.parse(source)
                continue
            wrong.append(f"{number}: {source}")
    assert not wrong, wrong


# --- Trying them ----------------------------------------------------------------------


def outcomes(number, jobs=2):
    if not forks.CAN_FORK:
        pytest.skip("mutants are tried in forks")
    found = mutating._tried(number, jobs)
    return {(exercise, change): outcome for exercise, change, outcome in found}


def edit(toy, old, new):
    path = toy / "steps" / "step01.md"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


HIDDEN = """\
for number in range(10):
    assert twice(number) == number + number, f"twice({number}) is wrong"
"""


def test_a_weak_check_lets_mutants_pass_and_a_good_one_finds_all(toy):
    edit(toy, HIDDEN, "")
    edit(toy, "assert twice(2) == 4", "assert twice(0) == 0")
    found = outcomes(1)
    assert {found.pop(key) for key in list(found) if key[0] == 2} == {KILLED}
    assert found[1, "return 2 * x -> return 3 * x"] == SURVIVED
    assert found[1, "return 2 * x -> return 2 / x"] == KILLED


def test_a_mutant_that_never_ends_counts_as_found(toy, monkeypatch):
    monkeypatch.setattr(forks.tries, "__defaults__", (1, 0.5))
    edit(toy, "    for number in numbers:", "    left = len(numbers)\n    while left:")
    edit(toy, "+= number\n", "+= numbers[left - 1]\n        left -= 1\n")
    assert outcomes(1)[2, "left -= 1 -> pass"] == TOO_SLOW


def test_a_check_that_rejects_the_solution_is_told(toy):
    edit(toy, "twice(2) == 4", "twice(2) == 5")
    with pytest.raises(CourseError, match="not content"):
        outcomes(1)


def test_a_process_that_fails_is_told(monkeypatch):
    stops = Mock(side_effect=Stopped("ends Python"))
    monkeypatch.setattr(mutating.Child, "hear", stops)
    with pytest.raises(CourseError, match="step 8 could not be tried: it ends Python"):
        outcomes(8)


@pytest.fixture
def tried(toy, monkeypatch, tmp_path):
    """Stands in for the processes: what a lesson's mutants are to give."""
    lines = []
    monkeypatch.setattr(mutating, "_tried", lambda number, jobs: iter(lines))
    monkeypatch.setattr(mutating, "HARMLESS", tmp_path / "harmless.json")
    monkeypatch.setattr(mutating, "PAGE", tmp_path / "exercises.md")
    monkeypatch.setattr(mutating.write_table, "__defaults__", (mutating.PAGE,))
    mutating.HARMLESS.write_text("{}")
    mutating.PAGE.write_text("# How good\n\n| step |\n| ---: |\n")
    return lines


def test_survivors_are_told_and_the_exit_code_says_so(tried, capsys):
    tried += [[1, "a -> b", KILLED], [1, "c -> d", SURVIVED], [2, "e -> f", TOO_SLOW]]
    for named, code, said in (
        ({}, 1, ["3 mutants, 2 found, 0 harmless, 1 survivors", "1.1  c -> d"]),
        ({"c -> d": "x"}, 0, ["3 mutants, 2 found, 1 harmless, 0 survivors"]),
        ({"c -> d": "x", "a -> b": "x"}, 1, ["1.1  harmless, but found now: a -> b"]),
    ):
        mutating.HARMLESS.write_text(json.dumps({"1.1": named}))
        assert main(["mutate", "1"]) == code
        told = capsys.readouterr().out.replace("step01:", "").splitlines()
        assert [line.strip() for line in told][-len(said) :] == said


def test_how_far_it_is_is_shown_after_each_mutant(tried, monkeypatch):
    tried += [[1, "a -> b", KILLED], [1, "c -> d", SURVIVED]]
    monkeypatch.setattr(mutating, "mutants", lambda solution: range(5))
    shown = []

    class Bar(contextlib.nullcontext):
        def __init__(self, total, **settings):
            super().__init__(self)
            shown.append(total)

        def update(self):
            shown.append(1)

    monkeypatch.setattr("tqdm.tqdm", Bar)
    mutating.measure([1])
    assert shown == [10, 1, 1]


def test_the_table_keeps_the_rows_of_other_lessons(tried):
    page = mutating.PAGE
    mutating.write_table([Score(2, 3, 10, 8, 1, [(1, "a -> b")], [])])
    tried += [[1, "a -> b", KILLED]]
    assert main(["mutate", "--table", "1"]) == 0
    assert page.read_text(encoding="utf-8").splitlines()[2:] == [
        *["| step |", "| ---: |", "| 1 | 2 | 1 | 1 | 0 | 0 | 100.0% |"],
        "| 2 | 3 | 10 | 8 | 1 | 1 | 88.9% |",
    ]


def test_harmless_survivors_have_a_reason_and_an_exercise():
    for key, changes in mutating.harmless().items():
        step, exercise = map(int, key.split("."))
        found = exercises.of_lesson(builder.lesson_cells(step))
        planted = mutants(found[exercise - 1].solution)
        for change, reason in changes.items():
            assert change in planted, f"{key}: there is no mutant {change}"
            assert len(reason.split()) >= 3
    # The table speaks of lessons that are there.
    rows = mutating.ROW.findall(mutating.PAGE.read_text(encoding="utf-8"))
    assert set(map(int, rows)) <= set(numbers())
