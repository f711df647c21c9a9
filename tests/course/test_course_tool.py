"""The course tool: what it prints, what it refuses, and that it overwrites nothing."""

import io
import re
import shutil
import sys
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from dezero_lite import Variable, no_grad
from dezero_lite.core.backward import walk
from dezero_lite.core.operators import Mul
from steps import diff, draw, film, progress, side_by_side, source, step22
from steps.course import builder, commands, lessons, listings
from steps.course.commands import main
from steps.course.definitions import definitions, extract, pieces
from steps.course.differences import change_as_html, changes
from steps.course.lessons import NOTEBOOKS, CourseError, notebook_path, numbers, spans
from tests.course.texts import text
from tests.support.refusals import assert_refused

# --- Definitions ----------------------------------------------------------------------

SOURCE = text("box.py.txt")


def test_definitions_come_with_decorators_and_their_own_comments_only():
    found = definitions(SOURCE)
    assert list(found) == ["LIMIT", "shout", "Box", "Box.area", "Box.grow", "last"]
    beginnings = {
        "LIMIT": "LIMIT = 3  # a constant",
        "shout": "# Why the next function is there.\n@functools.cache\n",
        "Box.area": "# Why it is made like this.\n@property\ndef area(self):",
        "Box.grow": "def grow(self):\n    self.size += 1",
    }
    for name, beginning in beginnings.items():
        assert found[name].startswith(beginning)
    # Pieces do not overlap.
    found = pieces(SOURCE)
    assert found["imports"] == "import functools\nfrom itertools import pairwise"
    assert found["Box"] == 'class Box:\n    """A box."""\n\n    size = 1'


def test_definitions_are_cut_out():
    # Neighbours of one line stay together.
    source = "a = 1\nb = 2\n\n\ndef f():\n    pass\n\n\nc = 3\nd = 4\n"
    assert extract(source, ["a", "b", "f", "c", "d"], "box.py") == source.rstrip()
    words = "box.py defines no Bag. It defines LIMIT, shout"
    assert_refused(CourseError, words, lambda: extract(SOURCE, ["Bag"], "box.py"))


# --- What changed ---------------------------------------------------------------------


def test_changes_are_found_definition_by_definition():
    after = SOURCE.replace("self.size += 1", "self.size += 2") + "\n\nNEW = '<b>&'\n"
    after = after.replace("def last():\n    pass\n", "")
    found = changes(SOURCE, after)
    kinds = [("changed", "Box.grow"), ("added", "NEW"), ("removed", "last")]
    assert [(c.kind, c.name) for c in found] == kinds
    assert "&lt;b&gt;&amp;" in change_as_html(found[1])
    # A new class is one change.
    (change,) = changes(SOURCE.replace(definitions(SOURCE)["Box"], ""), SOURCE)
    assert (change.kind, change.name) == ("added", "Box")
    assert "+    def grow(self):" in change.lines()


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


def test_the_source_of_the_package_is_shown_as_text_and_highlighted():
    shown = source(Variable.cleargrad)
    assert repr(shown).lstrip().startswith("def cleargrad(self)")
    page = shown._repr_html_()
    # Colours stand in the page itself, and the ground is the page's own.
    assert page.startswith("<style>.course-code ")
    assert '<span class="k">def</span>' in page
    assert "background" not in page
    assert re.search('<pre style="font:.* monospace', page)
    assert "cleargrad" in page
    # Code has as many lines in colour as in black.
    assert len(listings.highlighted_lines("\nx = 1\n\n\ny = 2\n")) == 5


def one(
    x: float,
    *others: float,
    eps: float = 1e-4,
    **_: float,
) -> float:
    """The one."""
    y: float = x + 1  # a comment stays
    if others:
        print(y, eps)
    # For the tool.
    return y  # type: ignore[no-any-return]


def other(x):
    if x < 0:
        raise ValueError(f"{x} < 0")
    y = x + 1  # a comment stays
    return y


def test_two_pieces_of_code_stand_side_by_side():
    shown = side_by_side(other, one)
    given = "    y = x + 1  # a comment stays"
    assert shown.rows == [
        ("def other(x):", "def one(x, *others, eps=0.0001, **_):", False),
        ("    if x < 0:", "", False),
        ('        raise ValueError(f"{x} < 0")', "", False),
        (given, given, True),
        ("", "    if others:", False),
        ("", "        print(y, eps)", False),
        ("    return y", "    return y", True),
    ]
    lines = repr(shown).splitlines()
    assert re.fullmatch(r"    return y +=     return y", lines[-1])
    assert lines[2].endswith("|")
    title = f"{__name__.replace('.', '/')}.py"
    assert lines[0].startswith(f"{title}: other ")


def test_a_part_of_two_pieces_of_code_can_be_shown():
    whole = side_by_side(other, one)
    first = side_by_side(other, one, until="y = x")
    second = side_by_side(other, one, since="y = x")
    assert first.rows == whole.rows[:3]
    assert second.rows == whole.rows[3:]
    for part, hidden in ((first, "a comment stays"), (second, "raise")):
        assert hidden in whole._repr_html_().replace("</span><span", "")
        assert hidden not in repr(part)
        assert hidden not in part._repr_html_()
    lost = lambda: side_by_side(other, one, since="z = x")
    assert_refused(CourseError, "No line on the left holds 'z = x'", lost)
    page = whole._repr_html_()
    assert (page.count("rgba"), page.count("<tr"), page.count(" < 0")) == (2, 8, 0)


def left(self, np, x):
    f = x.creator
    if x.on:
        self.grad = np.ones_like(x)
    return f


def right(ones_like, x):
    first = x.creator
    if first.off or not x.on:
        grad = ones_like(x)
    return first * grad


def test_lines_are_alike_only_where_they_do_the_same():
    # Neither the name defined or assigned to may differ, nor much of the rest; where a
    # name lives makes no difference.
    (alike,) = [row[:2] for row in side_by_side(left, right).rows if row[2]]
    assert alike[0].strip() == "self.grad = np.ones_like(x)"
    assert alike[1].strip() == "grad = ones_like(x)"


def test_side_by_side_shows_classes_methods_and_wrapped_functions():
    # Definitions of one name stand in one row.
    rows = side_by_side(step22.Mul, Mul).rows
    words = ["Mul(Function):", "forward(self,"]
    assert [row[0].split()[1] for row in rows if row[2]] == words
    rows = side_by_side(step22.Variable.backward, walk).rows
    assert [row[0].split()[0] for row in rows if row[2]] == ["while", "_,", "for"]
    heads = repr(side_by_side(step22.no_grad, no_grad)).splitlines()[0].split()
    assert heads[::2] == ["steps/step22.py:", "dezero_lite/core/settings.py:"]
    shown = repr(side_by_side(step22.Variable, Variable))
    assert "    def cleargrad(self):" in shown
    assert '"""' not in shown


@pytest.fixture
def animation():
    import matplotlib.pyplot as plt
    from matplotlib.animation import FuncAnimation

    figure, ax = plt.subplots(figsize=(1, 1))
    yield FuncAnimation(figure, lambda i: ax.plot([0, i]), frames=3, interval=9_000)
    assert not plt.fignum_exists(figure.number)


def asked_by(monkeypatch, front_end):
    """As if a kernel ran, for a front end that can ask its reader, or cannot."""
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
    # First what stands where pictures do not move: the last frame.
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
    # For who hears it, and has no picture of what a button or a slider is.
    assert '<img alt="a film of 3 frames" id="_anim_img' in html
    assert '<input aria-label="Frame" id="_anim_slider' in html


def test_a_bar_is_shown_to_who_watches(monkeypatch, capsys):
    pytest.importorskip("tqdm")
    for is_watched in (True, False):
        asked_by(monkeypatch, is_watched)
        assert list(progress(iter("ab"), total=2)) == ["a", "b"]
        assert ("0/2" in capsys.readouterr().err) == is_watched
    # Without a kernel, it needs a terminal.
    monkeypatch.setattr("IPython.get_ipython", lambda: None)
    assert list(progress("ab")) == ["a", "b"]
    assert capsys.readouterr().err == ""


# --- Pictures -------------------------------------------------------------------------


def test_a_drawing_is_deterministic_text_with_round_variables_and_square_functions():
    text = repr(draw('x -> Square#1 -> "y: label', back="y -> Square#1"))
    assert '"x" [label="x", shape=ellipse' in text
    assert '"Square#1" [label="Square", shape=box' in text
    assert '"Square#1" -> "\\"y" [label="label"]' in text
    assert "dir=back" in text
    assert text == repr(draw('x -> Square#1 -> "y: label', back="y -> Square#1"))
    # A generation gives the shade.
    early, late = repr(draw("x@0 -> A@0")), repr(draw("x@3 -> A@3"))
    assert '"x@0" [label="x 0"' in early
    assert 'fillcolor="#ffffff"]' in early
    assert 'fillcolor="#85b8de"]' in late


# --- The command line -----------------------------------------------------------------


def test_list(capsys):
    with pytest.raises(SystemExit, match="2"):
        main([])
    assert "arguments are required: command" in capsys.readouterr().err
    assert main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(numbers())
    assert lines[0] == f"  1  A box for data  [Variable]  {lessons.head(1).minutes} min"


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
    assert "already holds step01.ipynb, step02.ipynb" in capsys.readouterr().err
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
    assert "step03.ipynb is stale: it was changed since it was built" in out
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
    assert 'needs nbclient: pip install "dezero-lite[course,test]"' in said.err


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
        lessons.head(1)


def test_names_that_a_head_leaves_to_a_table_are_new_as_well():
    text = (
        "# Step 7: Far\n\n"
        "**Time** 9 minutes · **Builds on** step 6 · **New** `f` · **Changed** `h`\n\n"
        "| any | `x` |\n| - | - |\n\n"
        "| Also new | is |\n| :--- | :--- |\n| `g`, `Far` | as `f` |\n| `j` | - |\n"
    )
    head = lessons.head_of(text, 7)
    assert (head.new, head.changed) == (["f", "g", "Far", "j"], ["h"])
    assert lessons.head_of(text.partition("| Also")[0], 7).new == ["f"]
