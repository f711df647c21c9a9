"""The judge: how cells fail, the separate process, and the fork_pool."""

import os
import warnings
from itertools import count
from pathlib import Path
from unittest.mock import Mock, call

import pytest

from steps.course.judge import attempts, cells
from steps.course.judge.attempts import ADDED, ATTEMPT, CHECK, LESSON
from steps.course.judge.cell_text import find_bound_names
from steps.course.judge.child import Child, Stopped
from steps.course.lessons import KERNELS, ROOT, STEPS
from steps.course.mutating import fork_pool

# --- One cell -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("assert 1 == 2, 'one is not two'", "one is not two"),
        ("assert False", "an assertion fails"),
        ("class A(AssertionError): ...\nraise A('odd')", "odd"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("raise ValueError", "ValueError"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("class A(BaseException): ...\nraise A", "A"),
        ("class A(Exception):\n    def __str__(self): 1 / 0\nraise A", "A"),
        ("raise TimeoutError", "TimeoutError"),
        ("def f(x:", "SyntaxError: '(' was never closed (<cell {}>, line 1)"),
    ],
)
def test_what_a_cell_fails_with_is_told_in_words(cell, words):
    count = len(cells.linecache.cache)
    assert cells.catch_failure(cell, {}).message == words.format(count)


def test_a_cell_that_does_not_fail_is_silent_and_leaves_its_names(capsys):
    names = cells.make_names()
    text = "import sys\nprint('seen')\nsys.stderr.write('×')\ndisplay(done := 1)"
    assert cells.catch_failure(text, names) is None
    assert names["done"] == 1
    assert capsys.readouterr() == ("", "")


def test_a_cell_that_never_ends_is_stopped_where_something_can_wake_us(monkeypatch):
    if hasattr(cells.signal, "SIGALRM"):
        assert (
            cells.catch_failure("while True: pass", {}, 0.2).message == cells.TOO_SLOW
        )
    monkeypatch.delattr(cells.signal, "SIGALRM", raising=False)
    assert cells.catch_failure("done = 1 + 1", {}, 0.2) is None


def test_a_judge_draws_on_no_screen_shares_the_cores_and_warns_of_nothing(monkeypatch):
    for before, threads in (({}, "1"), ({"OPENBLAS_NUM_THREADS": "3"}, "3")):
        monkeypatch.setattr(cells.os, "environ", before)
        with warnings.catch_warnings(record=True) as shown:
            warnings.simplefilter("always")
            cells.prepare()
            warnings.warn("a word", stacklevel=1)
        assert shown == []
        of_a_judge = {"MPLBACKEND": "Agg", "TQDM_DISABLE": "1"}
        of_a_judge["OPENBLAS_NUM_THREADS"] = threads
        assert before == KERNELS | of_a_judge


@pytest.mark.parametrize(
    ("text", "names", "imported"),
    [
        ("a, *b = c\nfor d in e: pass\nf: int = 1", "a b d f", ""),
        ("import a.b, c as d\nfrom e import f", "", "a d f"),
        ("from e import f\ndef f(): g = 1", "f", ""),
        ("a = 0\ndef b():\n    global a\n    a = 1", "a b", ""),
        ("print(a)\na.b = 1\na[0] = 2", "", ""),
        ("%matplotlib inline\na = 1", "a", ""),
        ("class A:\n    def f(self", "A", ""),
    ],
)
def test_the_names_that_a_cell_binds_are_found_without_running_it(
    text, names, imported
):
    assert find_bound_names(text, imports=False) == {*names.split()}
    assert find_bound_names(text) == {*names.split(), *imported.split()}


# --- In a process of its own ----------------------------------------------------------


def test_what_ends_python_is_told_and_the_rest_is_judged(tmp_path):
    ends = "import os\nos._exit(3)"
    writes, leaves, asks = "open('here', 'w')", "raise SystemExit(1)", "input()"
    answers = [ends, writes, "", leaves, asks]
    checks = ["assert two == 2", "assert two == 2", ends, "1 / 0", ""]
    run = [(LESSON, 0, "two = 2"), (ADDED, 0, ends)]
    for number, (attempt, check) in enumerate(zip(answers, checks, strict=True), 1):
        run += [(ATTEMPT, number, attempt), (CHECK, number, check)]
    outcomes, noticed = attempts.judge(run, tmp_path)
    said = ["ends Python", "right", "ends Python", "SystemExit: 1"]
    said += ["EOFError: EOF when reading a line"]
    assert outcomes == dict(enumerate(said, 1))
    assert noticed == ["0: a cell that is not an answer ends Python"]
    assert (tmp_path / "here").exists()


def test_an_exercise_may_ask_for_a_name_of_python_s_own():
    run = [(LESSON, 0, "sum = 3"), (ATTEMPT, 1, "def sum(x): return 7")]
    run += [(CHECK, 1, "assert sum([]) == 7")]
    assert attempts.judge(run, requested_names={"sum"}) == ({1: "right"}, [])


@pytest.mark.slow
def test_what_no_alarm_wakes_is_ended_from_outside(tmp_path, monkeypatch):
    monkeypatch.setattr(attempts, "GRACE_SECONDS", 1)
    run = [(ATTEMPT, 1, "sum(range(10**13))"), (CHECK, 1, "")]
    assert attempts.judge(run, tmp_path, seconds=1)[0] == {1: "takes too long"}


def test_what_is_noticed_brings_a_cell_no_time(monkeypatch):
    monkeypatch.setattr(attempts, "time", Mock(monotonic=count().__next__))
    child = Mock()
    child.receive.side_effect = [{"noticed": "x"}, {"noticed": "x"}, {"done": None}]
    task = {"kind": ATTEMPT, "exercise": 1, "seconds": 20}
    assert attempts._await_result(child, task, {}) is None
    patience = 20 + attempts.GRACE_SECONDS
    assert child.receive.call_args_list == [call(patience - n) for n in (1, 2, 3)]


@pytest.mark.slow
def test_a_notebook_whose_cells_all_keep_their_time_has_an_end(tmp_path, monkeypatch):
    monkeypatch.setattr(attempts, "LESSON_SECONDS", 1)
    monkeypatch.setattr(attempts, "GRACE_SECONDS", 0)
    waits = [(ADDED, 0, f"import time\ntime.sleep(0.6)  # {n}") for n in range(9)]
    run = [*waits, (ATTEMPT, 1, ""), (CHECK, 1, "")]
    outcomes, noticed = attempts.judge(run, tmp_path, seconds=1)
    assert outcomes == {1: "takes too long"}
    assert noticed == ["0: a cell that is not an answer takes too long"]


def test_a_process_finds_this_package_and_hears_nothing_but_its_own(tmp_path):
    # Wherever the learner's folder is, the judge comes from this package.
    odd = ["[]", "{", "[" * 100_000, '{"done": 1}', '{"done": 7, "token": ""}', "half"]
    write = f"import os\nfor text in {odd}:\n    "
    write += "os.write(file, (text + chr(10) * (text != 'half')).encode())"
    where = f"import steps\nassert str({str(ROOT)!r}) in steps.__file__"
    with Child(f"{STEPS}.course.judge.attempts", tmp_path) as child:
        for text in [where, *(f"file = {n}\n{write}" for n in range(1, 8)), "1 / 0"]:
            child.send({"kind": LESSON, "source": text})
            assert child.receive(60) == {"done": None}
        child.send({"kind": ATTEMPT, "source": where, "seconds": 60, "kept_names": []})
        assert child.receive(60) == {"done": None}
        with pytest.raises(Stopped, match="takes too long"):
            child.receive(0.1)
    with pytest.raises(Stopped, match="ends Python"):
        child.receive(60)


# --- In forks -------------------------------------------------------------------------

fork = pytest.mark.skipif(not fork_pool.CAN_FORK, reason="this system cannot fork")


def tried(*attempts, jobs=2, lesson=("x = [1]",), patience=60):
    """Judge attempts after a lesson, in order; return the outcomes."""
    with Child(fork_pool.__name__, ROOT) as child:
        at = {len(lesson): [list(attempt) for attempt in attempts]}
        found = fork_pool.run_attempts(child, [*lesson, ""], at, jobs, patience)
        return [failures for _, _, failures in sorted(found, key=lambda f: f[1] or 0)]


@fork
@pytest.mark.parametrize("jobs", [1, 3])
def test_an_attempt_spoils_nothing_for_the_others(jobs, tmp_path):
    log = str(tmp_path / "log")
    lesson = f"open({log!r}, 'a').write('x')", "x = [1]"
    lesson += ("import steps\nlist(steps.progress('a bar, and no thread'))",)
    spoils = "x.append(2)\nimport math\nmath.pi = 3", "assert x == [1, 2]"
    checks = ["import math\nassert math.pi > 3\nassert x == [1]"]
    attempts = spoils, checks, ["import os\nos._exit(0)"], checks, ["1 / 0", "y"]
    found = tried(*attempts, jobs=jobs, lesson=lesson)
    assert found[:2] == [{}, {}]
    assert found[2][fork_pool.WHOLE_ATTEMPT].message == "ends Python"
    assert found[3] == {}
    kinds = [(n, failed.kind) for n, failed in sorted(found[4].items())]
    assert kinds == [(0, "ZeroDivisionError"), (1, "NameError")]
    # The cells above them ran once.
    assert Path(log).read_text() == "x"


@fork
def test_an_attempt_that_never_ends_is_ended_whatever_it_does():
    never = "while True:\n    try:\n        while True: pass\n    except: pass"
    (_, stopped, after) = tried([""], [never], ["x"], patience=1)
    assert stopped == {fork_pool.WHOLE_ATTEMPT: cells.Failure("TooSlow", "")}
    assert after == {}


@fork
def test_what_takes_more_memory_than_any_solution_fails():
    small, large = (f"import numpy\nnumpy.empty({n}, 'u1')" for n in (2**27, 2**33))
    fine, failed = tried([small], [large])
    assert fine == {}
    assert "MemoryError" in failed[0].kind


@pytest.mark.parametrize("why", ["no fork", "threads"])
def test_where_no_fork_would_do_an_attempt_gets_a_copy_of_the_names(why, monkeypatch):
    if why == "no fork":
        monkeypatch.setattr(fork_pool, "CAN_FORK", False)
    lesson = ["here = 1"]
    if why == "threads":
        lesson += ["import threading\nstop = threading.Event()"]
        lesson += ["threading.Thread(target=stop.wait, daemon=True).start()"]
    sequences = [["here = 2\nown = os.getpid()"], ["assert here == 1\n1 / 0"]]
    lesson += [f"import os\nassert os.getpid() == {os.getpid()}"]
    said = []
    task = {"cells": [*([text, []] for text in lesson), ["", sequences]]}
    fork_pool._run_lesson(task | {"jobs": 2, "min_seconds": 5}, said.append)
    found = [(line["number"], line["failures"]) for line in said]
    assert found == [(0, []), (1, [(0, ("ZeroDivisionError", "division by zero"))])]
