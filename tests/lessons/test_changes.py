"""*Predict, then change* is tested in every lesson that has it, and on the map."""

from pathlib import Path

import pytest

from steps.course.judge.child import Child
from steps.course.lessons import lesson_path, stem, with_map
from steps.course.mutating import fork_pool
from tests.support.lesson_changes import Changes, invitations, numbers_of_answers

FOLDER = Path(__file__).with_name("changes")


def test_every_invitation_has_its_answer_and_its_change():
    missing = []
    for number in with_map():
        text = lesson_path(number).read_text(encoding="utf-8")
        invited = invitations(text)
        path = FOLDER / f"{stem(number)}.md"
        kept = path.read_text(encoding="utf-8").count("\n## ") if path.exists() else 0
        answers = len(numbers_of_answers(text))
        if not invited == answers <= kept:
            counts = f"{answers} answers, {kept} changes"
            missing.append(f"{stem(number)}: {invited} invitations, {counts}")
    assert missing == []


# --- What is found wrong with a change ------------------------------------------------


def cell(text, kind="code"):
    return {"cell_type": kind, "source": text, "metadata": {}}


LESSON = [
    cell("import math\nx = 2"),
    cell("y = x * 3\nz = math.sqrt(x)"),
    cell('assert y == 6, f"6 is right, and not {y}"\nassert z < 2'),
    cell("*Predict, then change:* write 4.", "markdown"),
    cell("assert x == 2, 'this stands after the invitation'"),
]


def change(follows, old, new, then=""):
    diff = "".join(f"-{line}\n" for line in old) + "".join(f"+{line}\n" for line in new)
    then = f"\n```python\n{then}\n```\n" if then else ""
    return f"# Changes\n\n## {follows}\n\n```diff\n{diff}```\n{then}"


@pytest.fixture(scope="module")
def child():
    with Child(fork_pool.__name__) as child:
        yield child


SIX = "stops: 6 is right, and not 9"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (change(SIX, ["x = 2"], ["x = 3"]), ""),
        (change("runs alone", ["x = 2"], ["x = 3"], "assert x == 3"), ""),
        (change("runs", [], ["x = 5"], "assert x == 5 and y == 6"), ""),
        (change("runs", ["x = 2"], ["x = 1 + 1"]), ""),
        (change("runs", [], ["half = math.pi / 2"]), ""),
        (change("runs", ["x = 2"], ["x = 3"]), "stops: 6 is right, and not 9"),
        (change(SIX, ["x = 2"], ["x = 1 + 1"]), "runs, and should stop"),
        (change(SIX, ["x = 2"], ["x = 5"]), "stops: 6 is right, and not 15\nand not"),
        (
            change("stops: an assertion", ["z = math.sqrt(x)"], ["z = 3"]),
            "stops without a sentence",
        ),
        (change("runs", ["x = 2"], ["x = 1 + 1"], "assert x == 5"), "an assertion"),
        (change("runs", ["x = 7"], ["x = 3"]), "0 cells have these lines"),
        (change("walks", ["x = 2"], ["x = 3"]), "a heading or a block is misspelt"),
    ],
)
def test_what_does_not_follow_is_told(text, complaint, child):
    found = Changes(LESSON, text).complaints(child)
    assert complaint in "\n".join(found)
    assert bool(found) == bool(complaint)


INVITED = "*Predict, then change:* write 1 for 2.\n\n"
ANSWERED = f"{INVITED}```{{answer}}\nThen y is 3.0, half of 6, and not 1.\n```\n"


@pytest.mark.parametrize(
    ("then", "complaint"),
    [
        ("says(1, f'{y:.1f} of {2 * y:.0f}')", ""),
        ("says(1, f'{y:.2f} of {2 * y:.0f}')", "answer 1 has {'3.0'}"),
        ("says(1, f'{y:.1f}')", "answer 1 has {'6'}"),
        ("assert y == 3", "no run gives the numbers of answer 1"),
    ],
)
def test_an_answer_has_the_numbers_of_the_run(then, complaint, child):
    answers = numbers_of_answers(ANSWERED)
    text = change("runs alone", ["y = x * 3"], ["y = x / 2 * 3"], then)
    found = Changes(LESSON, text, answers).complaints(child)
    assert complaint in "\n".join(found)
    assert bool(found) == bool(complaint)


def test_a_change_that_binds_a_name_hides_it_from_no_other(child):
    lesson = [cell("f = abs"), *LESSON]
    first = change("runs alone", ["y = x * 3"], ["f = lambda x: 6", "y = f(x)"])
    second = change("runs alone", ["y = x * 3"], ["y = 3 * f(x)"], "assert y == 6")
    text = first + second.removeprefix("# Changes\n")
    assert Changes(lesson, text).complaints(child) == []


def test_a_lesson_that_stops_before_its_change_is_told(child):
    broken = [cell("import math\nx = 1 / 0"), *LESSON[1:]]
    text = change("runs", ["y = x * 3"], ["y = x * 3 + 0"])
    assert "before a change" in Changes(broken, text).complaints(child)[0]
