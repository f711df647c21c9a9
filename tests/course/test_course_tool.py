"""The course tool: its output, its errors, and that it overwrites nothing."""

import io
import os
import re
import shutil
import subprocess
import sys
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from steps import diff, film, progress, source
from steps.course import MISSING, builder, commands, lessons
from steps.course.commands import main
from steps.course.lessons import NOTEBOOKS, CourseError, notebook_path, numbers, spans

# --- What changed ---------------------------------------------------------------------


def test_the_difference_of_two_steps(capsys):
    shown = diff(7, 8)
    (change,) = shown.changes
    assert (change.kind, change.name) == ("changed", "Variable.backward")
    first = "--- step07.py: Variable.backward\n+++ step08.py: Variable.backward\n"
    assert repr(shown).startswith(first + "@@ changed @@\n def backward(self):\n")
    assert "<code>Variable.backward</code>" in shown._repr_html_()
    assert "-    x.backward()" not in repr(diff(8, 9))
    assert "same code" in repr(diff(8, 8))
    assert main(["diff", "7", "8"]) == 0
    assert first in capsys.readouterr().out


def one(x, *others, eps=1e-4):
    """A function with a comment."""
    y = x + 1  # a comment stays
    if others:
        print(y, eps)
    return y


def other(x):
    if x < 0:
        raise ValueError(f"{x} < 0")
    y = x + 1  # a comment stays
    return y


def test_of_a_piece_of_code_its_change_can_be_shown():
    shown = source(one, before=other)
    marks = {"+": "if others:", "-": "raise", " ": "a comment stays"}
    for mark, words in marks.items():
        (line,) = [line for line in repr(shown).splitlines() if words in line]
        assert line[0] == mark
    page = shown._repr_html_()
    assert "<b>changed</b> <code>one</code>" in page
    # Four lines of one definition are new, and three of the other are removed.
    assert (page.count("rgba"), page.count(" < 0")) == (7, 0)


@pytest.fixture
def animation():
    import matplotlib.pyplot as plt
    from matplotlib.animation import FuncAnimation

    figure, ax = plt.subplots(figsize=(1, 1))
    yield FuncAnimation(figure, lambda i: ax.plot([0, i]), frames=3, interval=9_000)
    assert not plt.fignum_exists(figure.number)


def asked_by(monkeypatch, front_end):
    """Pretend that a kernel runs, for a front end that can or cannot ask its user."""
    IPython = pytest.importorskip("IPython")
    parent = {"content": {"allow_stdin": front_end}}
    kernel = SimpleNamespace(get_parent=lambda channel: parent)
    shell = SimpleNamespace(kernel=kernel)
    monkeypatch.setattr(IPython, "get_ipython", lambda: shell)


def test_a_stored_film_moves_once_and_not_for_long(animation, monkeypatch):
    from PIL import Image, ImageSequence

    asked_by(monkeypatch, False)
    bundle = film(animation)._repr_mimebundle_()
    assert sorted(bundle) == ["image/png", "text/plain"]
    assert bundle["text/plain"] == "a film of 3 frames"
    moving = Image.open(io.BytesIO(bundle["image/png"]))
    assert moving.info["loop"] == 1
    frames = ImageSequence.Iterator(moving)
    pictures = [frame.convert("RGB").tobytes() for frame in frames]
    # First the fallback where pictures do not move: the last frame.
    assert len(set(pictures)) == 3
    assert pictures[0] == pictures[-1]
    assert 3 * moving.info["duration"] < 5_000


def test_a_film_that_is_watched_has_a_player_that_needs_no_network(
    animation, monkeypatch
):
    asked_by(monkeypatch, True)
    html = film(animation)._repr_mimebundle_()["text/html"]
    assert not re.search("http|fa-", html)
    assert html.count("<button") == 9
    assert "▶</button>" in html
    # For screen readers, which cannot show what a button or slider does.
    assert '<img alt="a film of 3 frames" id="_anim_img' in html
    assert '<input aria-label="Frame" id="_anim_slider' in html


def test_a_bar_is_shown_to_who_watches(monkeypatch, capsys):
    pytest.importorskip("tqdm")
    for is_interactive in (True, False):
        asked_by(monkeypatch, is_interactive)
        assert list(progress(iter("ab"), total=2)) == ["a", "b"]
        assert ("0/2" in capsys.readouterr().err) == is_interactive
    # Without a kernel, it needs a terminal.
    monkeypatch.setattr("IPython.get_ipython", lambda: None)
    assert list(progress("ab")) == ["a", "b"]
    assert capsys.readouterr().err == ""


# --- The command line -----------------------------------------------------------------


def test_list(capsys):
    assert main([]) == 0
    assert "list the steps, with their new names" in capsys.readouterr().out
    assert main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(numbers())
    minutes = lessons.read_header(1).minutes
    assert lines[0] == f"  1  A box for data  [Variable]  {minutes} min"


@pytest.mark.skipif(os.name == "nt", reason="no such pipes there")
def test_a_closed_pipe_is_no_news():
    program = f"{sys.executable} -m steps list | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", program], capture_output=True, text=True, cwd=lessons.ROOT
    )
    assert done.stdout.splitlines()[1] == "0"
    assert done.stderr == ""


def test_an_unknown_step_is_named(capsys):
    assert spans([1, 2, 3, 7, 9, 10]) == "1-3, 7, 9-10"
    assert spans([]) == ""
    words = f"There is no step 99. The course has the steps {spans(numbers())}."
    for command in ("diff 7 99", "lab 99", "build 99", "verify 99"):
        assert main(command.split()) == 1
        assert words in capsys.readouterr().err


def test_student_writes_and_then_refuses(tmp_path, capsys):
    folder = tmp_path / "mine"
    assert main(["student", str(folder), "1", "2"]) == 0
    assert "Wrote start, step01, step02 into" in capsys.readouterr().out
    assert main(["student", str(folder)]) == 1
    assert "already contains step01.ipynb, step02.ipynb" in capsys.readouterr().err
    assert len(list(folder.iterdir())) == 3


@pytest.mark.slow
def test_check_names_a_spoiled_and_a_missing_notebook(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "notebooks"
    shutil.copytree(NOTEBOOKS, folder, ignore=shutil.ignore_patterns(".*"))
    monkeypatch.setattr(lessons, "NOTEBOOKS", folder)
    monkeypatch.setattr(commands, "with_map", lambda: [2, 3, 5])
    assert main(["check"]) == 0
    assert "All 3 notebooks" in capsys.readouterr().out
    book = notebook_path(3).read_text(encoding="utf-8")
    spoiled = book.replace("1.6487", "1.6486", 1)
    notebook_path(3).write_text(spoiled, encoding="utf-8")
    notebook_path(5).unlink()
    assert main(["check"]) == 1
    out = capsys.readouterr().out
    assert "step03.ipynb is stale: it was edited after it was built" in out
    assert "step05.ipynb is stale: it is not built yet" in out
    assert "python -m steps build 3" in out
    assert "step02" not in out
    assert main(["lab", "5"]) == 1
    assert "step05.ipynb is not built yet" in capsys.readouterr().err


def test_without_a_checkout_it_says_so_and_still_copies(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(lessons, "NOTEBOOKS", tmp_path / "none")
    for command in ("build", "check", "new 99 Title", "mutate 99"):
        assert main(command.split()) == 1
        assert "needs a checkout" in capsys.readouterr().err
    assert main(["student", str(tmp_path / "mine"), "1"]) == 0
    made = sorted(path.name for path in (tmp_path / "mine").iterdir())
    assert made == ["start.ipynb", "step01.ipynb"]


@pytest.mark.slow
def test_build_builds_all_if_none_is_named(monkeypatch, capsys):
    build = Mock(return_value=False)
    monkeypatch.setattr(builder, "build", build)
    assert main(["build"]) == 0
    assert [call.args[0] for call in build.call_args_list] == lessons.with_map()
    assert main(["build", "3"]) == 0
    assert build.call_args.args[0] == 3
    assert "step03 … unchanged (0.0 s)" in capsys.readouterr().out
    # A missing package is named.
    build.side_effect = ModuleNotFoundError("no nbclient", name="nbclient")
    assert main(["build", "3"]) == 1
    said = capsys.readouterr()
    assert said.out == "step03 … "
    assert said.err == f"{MISSING.format('nbclient')}\n"


def test_verify_runs_notebooks_as_tests(monkeypatch):
    run = Mock(return_value=5)
    monkeypatch.setattr("steps.course.commands.subprocess.call", run)
    assert main(["verify", "2"]) == 5
    command = [sys.executable, "-m", "pytest", str(notebook_path(2))]
    run.assert_called_once_with(command, cwd=lessons.ROOT)


def test_a_lesson_without_a_head_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(lessons, "LESSONS", tmp_path)
    (tmp_path / "step01.md").write_text("# Something\n")
    with pytest.raises(CourseError, match=r"step01\.md needs a title"):
        lessons.read_header(1)
