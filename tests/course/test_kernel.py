"""The effects of `import steps` on a notebook's kernel: checks print one sentence, and
pages have a text.
"""

import sys
from types import SimpleNamespace

import pytest

import dezero_lite
import steps
from steps.course import kernel
from steps.course.listings import Source
from tests.support.needs import needs
from tests.support.programs import python

pytestmark = needs("IPython")

ASSERTION = "assert 1 == 2, 'look again at c'"


@pytest.fixture
def shell(monkeypatch):
    """Make IPython's shell in a kernel, which records its outputs; `asks` is what the
    notebook sends along with a cell.
    """
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    shell.shown, shell.asks = [], {}
    asked = lambda channel: {"metadata": shell.asks}
    monkeypatch.setattr(shell, "kernel", SimpleNamespace(get_parent=asked), raising=0)
    monkeypatch.setattr(
        shell, "_showtraceback", lambda *shown: shell.shown.append(shown)
    )
    monkeypatch.setattr(kernel, "get_ipython_shell", lambda: shell)
    monkeypatch.delenv("MPLBACKEND", raising=False)
    hook = sys.excepthook
    kernel.prepare()
    yield shell
    sys.excepthook = hook


def shown(shell, code, **asks):
    """Return the error that a cell raised, as the notebook gets it."""
    shell.asks = asks
    ran = shell.run_cell(code)
    (kind, error, lines), shell.shown = *shell.shown, []
    assert ran.error_in_exec is error or code == "%tb"
    return kind.__name__, str(error), "\n".join(lines)


def test_a_check_shows_its_sentence_and_the_traceback_on_request(shell):
    kind, sentence, text = shown(shell, ASSERTION, tags=["check"])
    assert (kind, sentence) == ("AssertionError", "look again at c")
    assert text == "\x1b[1mlook again at c\x1b[0m"
    *_, text = shown(shell, "%tb")
    assert "Traceback" in text


CHECK = "import steps\n@steps.check(1)\ndef check():\n    assert 1 == 2, 'again at c'"


@pytest.mark.parametrize("asks", [{}, {"tags": ["check"]}])
def test_a_check_shows_its_sentence_whatever_runs_the_notebook(shell, asks):
    kind, sentence, text = shown(shell, CHECK, **asks)
    assert (kind, sentence) == ("AssertionError", "again at c")
    assert text == "\x1b[1magain at c\x1b[0m"
    *_, text = shown(shell, "%tb")
    assert "Traceback" in text


@pytest.mark.parametrize(
    ("fact", "error"),
    [
        ("assert 1 == 2", "AssertionError"),
        ("assert [2][1] == 2", "IndexError"),
        ("assert (\n    [2][0]\n    == {}['a']\n)", "KeyError"),
    ],
)
def test_a_fact_of_the_original_numbers_shows_one_grey_line(shell, fact, error):
    kind, _, text = shown(shell, f"x = 1\n{fact}", cellId="step08-12")
    assert kind == error
    line = f"{fact.splitlines()[0]}  # the text above is about the original numbers"
    assert text == f"\x1b[90m{line}\x1b[0m"


ABOVE = "If you did not change this cell, the cause is above it"


@pytest.mark.parametrize(
    ("code", "asks", "advises"),
    [
        ("1 / 0", {"cellId": "step08-12"}, True),
        ("1 / 0", {"cellId": "step08-12", "tags": ["raises-exception"]}, False),
        ("1 / 0", {"cellId": "step08-12", "tags": ["check"]}, False),
        ("1 / 0", {"cellId": "d5e8a1"}, False),
        ("1 +", {"cellId": "step08-12"}, False),
        ("assert 1 == 2", {"cellId": "step08-12"}, False),
        ("assert 1 == 2, 'why'", {"cellId": "step08-12"}, False),
    ],
)
def test_an_error_in_a_lesson_s_cell_says_where_to_look(
    shell, capsys, code, asks, advises
):
    shell.asks = asks
    shell.run_cell(code)
    assert (ABOVE in capsys.readouterr().out) == advises


@pytest.mark.parametrize(
    ("code", "asks"),
    [
        ("assert 1 == 2", {"cellId": "d5e8a1"}),
        ("1 / 0", {"cellId": "step08-12"}),
        ("assert 1 / 0, 'why'", {"cellId": "step08-12"}),
        (ASSERTION, {"tags": ["hide-input"]}),
        (ASSERTION, {}),
        ("assert 1 == 2", {"tags": ["check"]}),
        ("1 / 0", {"tags": ["check"]}),
    ],
)
def test_what_is_no_sentence_of_a_check_shows_where_it_was(shell, code, asks):
    assert "Traceback" in shown(shell, code, **asks)[-1]


def test_a_page_has_a_text(shell):
    from IPython.display import HTML

    def text(page):
        data, _ = shell.display_formatter.format(HTML(page))
        return data["text/plain"]

    code = Source(dezero_lite.Variable.cleargrad)
    page = f"<details><summary>A &amp; B</summary>{code._repr_html_()}</details>"
    assert text(page) == f"A & B\n{code!r}".rstrip()
    assert "-        x.backward()\n+    funcs = " in text(
        steps.diff(7, 8)._repr_html_()
    )
    assert text("<p>One<br>two</p><ul><li>three</li></ul>") == "One\ntwo\nthree"


def test_a_python_without_a_kernel_stays_as_it_is():
    program = (
        "import sys, steps; print(*{'IPython', 'steps.course.kernel'} & {*sys.modules})"
    )
    assert python("-c", program).stdout.strip() == ""
