"""The learner's own framework with what they wrote in lessons 38 to 43."""

import json

import numpy as np
import pytest

import steps
from steps import step32
from steps.course import builder, exercises, student_copies
from steps.course.workshop.framework import code_of
from tests.support.arrays import assert_close


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A learner's folder with copies of two lessons, where notebooks run."""
    monkeypatch.chdir(tmp_path)
    student_copies.write_copies(tmp_path, [41, 43])
    return tmp_path


def write(folder, number, source):
    """Put an answer into the first exercise of a copy."""
    path = folder / f"step{number}.ipynb"
    book = json.loads(path.read_text(encoding="utf-8"))
    first = next(c for c in book["cells"] if exercises.STUB in "".join(c["source"]))
    first["source"] = source
    path.write_text(json.dumps(book), encoding="utf-8")


def solution(number):
    first = exercises.of_lesson(builder.lesson_cells(number))[0]
    return exercises.without_markers(first.solution)


def test_what_was_not_written_is_the_lesson_s(folder, capsys):
    own = steps.mine(43)
    assert own.Variable is step32.Variable
    x = own.Variable(np.array([0.0, 2.0]))
    y = own.sum(own.my_sigmoid(x))
    y.backward()
    slopes = 1 / (1 + np.exp(-x.data))
    assert_close(x.grad.data, slopes * (1 - slopes))
    assert capsys.readouterr().out == ""


def test_what_was_written_is_taken_and_said(folder, capsys):
    write(folder, 43, solution(43) + "\nmark = 'mine'\nprint('aside')\n")
    own = steps.mine(43)
    assert own.mark == "mine"
    assert capsys.readouterr().out == "Step 43: what you wrote.\n"


def test_what_does_not_run_is_told_and_replaced(folder, capsys):
    write(folder, 41, "half = 1\n" + solution(41) + "\n1 / 0\n")
    own = steps.mine(43)
    assert not hasattr(own, "half")
    assert own.my_matmul(np.eye(2), np.ones((2, 2))).shape == (2, 2)
    said = capsys.readouterr().out
    assert said.startswith("Step 41: what you wrote does not run here.")
    assert "ZeroDivisionError" in said


def test_it_stands_on_the_learner_s_own_step_32(folder, capsys):
    (folder / "workshop").mkdir()
    text = code_of(32) + "\n\nmine_alone = True\n"
    (folder / "workshop" / "step32.py").write_text(text, encoding="utf-8")
    own = steps.mine(39)
    assert own.Variable is not step32.Variable
    assert type(own.sum(own.Variable(np.ones(3))).data) is np.ndarray
    assert capsys.readouterr().out == "This is your own step32.py.\n"
    assert not hasattr(own, "my_matmul"), "that is written in step 41"


def test_a_cell_that_is_gone_and_a_notebook_that_cannot_be_read_are_passed_over(
    folder, capsys
):
    path = folder / "step43.ipynb"
    book = json.loads(path.read_text(encoding="utf-8"))
    for text in (json.dumps(book | {"cells": book["cells"][:2]}), "{"):
        path.write_text(text, encoding="utf-8")
        assert steps.mine(43).my_sigmoid
        assert capsys.readouterr().out == ""
