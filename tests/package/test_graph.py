"""Pictures: drawn by what there is, and text with a hint where there is nothing."""

import contextlib
import html
import os
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

from dezero_lite import Function, Variable, graph, no_grad
from dezero_lite.graph import (
    GraphvizMissing,
    Picture,
    get_dot_graph,
    plot_dot_graph,
    render,
)

pygraphviz = pytest.importorskip("pygraphviz")

DOT = 'digraph { a [label="x"]; b [label="Square", shape=box]; a -> b }'


def test_a_picture_is_svg_png_and_text():
    bundle = Picture(DOT)._repr_mimebundle_()
    assert sorted(bundle) == ["image/png", "image/svg+xml", "text/plain"]
    assert bundle["text/plain"] == DOT
    assert "Square</text>" in bundle["image/svg+xml"]
    assert "<!-- " not in bundle["image/svg+xml"]
    assert '<svg style="max-width:100%; height:auto" width=' in bundle["image/svg+xml"]
    assert bundle["image/png"].startswith(b"\x89PNG")


def test_drawing_says_nothing_on_stderr():
    program = f"from dezero_lite.graph import render; render({DOT!r}, 'png')"
    assert (
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, check=True
        ).stderr
        == b""
    )


def test_without_graphviz_the_text_stays_and_a_hint_follows(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda program: None)
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    with pytest.raises(GraphvizMissing, match="pip install pygraphviz"):
        render(DOT, "svg")
    bundle = Picture(DOT)._repr_mimebundle_()
    assert list(bundle) == ["text/plain"]
    assert bundle["text/plain"].startswith(DOT)
    assert "pip install pygraphviz" in bundle["text/plain"]


def test_the_dot_program_comes_first(monkeypatch):
    class Source:
        def __init__(self, dot):
            self.dot = dot

        def pipe(self, format, quiet):
            return f"{format} of {self.dot}".encode()

    monkeypatch.setattr(shutil, "which", lambda program: "/somewhere/dot")
    monkeypatch.setitem(sys.modules, "graphviz", type(sys)("graphviz"))
    monkeypatch.setattr(sys.modules["graphviz"], "Source", Source, raising=False)
    assert render(DOT, "svg") == f"svg of {DOT}".encode()


def test_the_package_needs_numpy_alone(tmp_path):
    program = (
        "import sys; sys.modules.update(dict.fromkeys(['matplotlib', 'graphviz', "
        "'pygraphviz', 'IPython', 'PIL']));import dezero_lite, dezero_lite.graph; "
        "print(dezero_lite.__version__)"
    )
    run = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.count(".") == 2


# --- graphs of Variables --------------------------------------------------------------


def parts(dot):
    """The labels by node, and the edges, as Graphviz reads them."""
    read = pygraphviz.AGraph(string=dot)
    return {n: read.get_node(n).attr["label"] for n in read.nodes()}, {
        (a, b) for a, b in read.edges()
    }


def test_the_smallest_graph():
    x = Variable(np.array(2.0), name="x")
    labels, edges = parts(get_dot_graph(x * 3.5, verbose=False))
    assert {name: label.strip() for name, label in labels.items()} == {
        "v0": "",
        "f1": "Mul",
        "v2": "x",
        "f1c1": "3.5",
    }
    assert edges == {("v2", "f1"), ("f1c1", "f1"), ("f1", "v0")}


def test_verbose_adds_shape_and_dtype():
    y = Variable(np.zeros((2, 3), np.float32), name="x") + np.zeros(3, np.float32)
    labels, _ = parts(get_dot_graph(y))
    assert labels == {
        "v0": "(2, 3) float32",
        "f1": "Add",
        "v2": "x: (2, 3) float32",
        "f1c1": "array (3,)",
    }


def test_the_same_variable_twice_is_one_node_with_two_edges():
    x = Variable(np.array(2.0), name="x")
    text = get_dot_graph(x + x)
    assert text.count("v2 -> f1") == 2
    assert "v3" not in text


def test_the_same_computation_gives_the_same_text():
    def compute():
        x, y = Variable(np.array(1.0), name="x"), Variable(np.array(2.0), name="y")
        return (x * y + x) ** 2 / (y - x**y)

    assert get_dot_graph(compute()) == get_dot_graph(compute())


@pytest.mark.parametrize(
    "name", ['"; a -> b', "<b>", "\\N", "two\nlines", "a\\", "ü 日", "{x|y}"]
)
def test_any_name_draws_as_itself(name):
    text = get_dot_graph(Variable(np.array(2.0), name=name) * 2, verbose=False)
    labels, edges = parts(text)
    assert len(labels) == 4
    assert len(edges) == 3
    svg = render(text, "svg").decode()
    shown = html.unescape("".join(re.findall("<text[^>]*>(.*?)</text>", svg))).replace(
        "\xa0", " "
    )
    assert name.replace("\n", "") in shown


def test_outputs_beside_the_way_are_drawn_while_they_live():
    class Split(Function):
        def forward(self, x):
            return x, x

        def backward(self, ga, gb):
            return ga + gb

    a, b = Split()(Variable(np.array(2.0)))
    assert get_dot_graph(a).count("-> v") == 2
    del b
    assert get_dot_graph(a).count("-> v") == 1


def test_a_graph_made_under_no_grad_is_one_node():
    with no_grad():
        y = Variable(np.array(2.0)) * 2
    assert len(parts(get_dot_graph(y))[0]) == 1


@pytest.mark.slow
def test_a_long_chain_becomes_text():
    y = x = Variable(np.array(1.0))
    for _ in range(100_000):
        y = y + 1.0
    text = get_dot_graph(y, verbose=False)
    assert text.count("label=") == 300_001
    with pytest.raises(ValueError, match=r"more than 2,000 nodes.*draw a part of it"):
        plot_dot_graph(y, to_file=None)
    assert x.creator is None


@pytest.mark.parametrize(
    ("ending", "start"),
    [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF"), ("PNG", b"\x89PNG")],
)
def test_the_ending_chooses_the_format_and_nothing_else_is_left(
    ending, start, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    plot_dot_graph(Variable(np.array(1.0)) * 2, to_file=f"a graph; rm *.{ending}")
    assert [p.name for p in tmp_path.iterdir()] == [f"a graph; rm *.{ending}"]
    assert next(tmp_path.iterdir()).read_bytes().startswith(start)


def test_the_default_file_is_the_books(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    picture = plot_dot_graph(Variable(np.array(1.0)) * 2)
    assert [p.name for p in tmp_path.iterdir()] == ["graph.png"]
    assert sorted(picture._repr_mimebundle_()) == [
        "image/png",
        "image/svg+xml",
        "text/plain",
    ]


@pytest.mark.parametrize("name", ["graph.gif", "graph", "graph.png.txt"])
def test_another_ending_is_refused_before_anything_is_written(name, tmp_path):
    with pytest.raises(ValueError, match="png, svg, pdf"):
        plot_dot_graph(Variable(np.array(1.0)) * 2, to_file=tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_without_graphviz_no_file_is_written_and_a_warning_says_so(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(shutil, "which", lambda program: None)
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    with pytest.warns(
        UserWarning, match=r"graph.png was not written.*pip install pygraphviz"
    ):
        picture = plot_dot_graph(
            Variable(np.array(1.0)) * 2, to_file=tmp_path / "graph.png"
        )
    assert list(tmp_path.iterdir()) == []
    assert "Mul" in picture._repr_mimebundle_()["text/plain"]


def test_a_variable_that_feeds_every_function_of_a_chain_draws_in_time():
    def seconds():
        # Of the processor, in this process and the programs it starts: what else runs
        # on the machine does not count.
        return sum(os.times()[:4])

    y = x = Variable(np.array(1.0))
    for _ in range(40):
        y = y * x + 1.0
    start = seconds()
    render(get_dot_graph(y), "svg")
    # A tenth of a second; without a limit to the layout, it would be a minute.
    assert seconds() - start < 5


def test_what_silences_graphviz_puts_everything_back():
    def of(descriptor):
        return os.fstat(descriptor)

    before, count = of(2), len(open_descriptors())
    for _ in range(3):
        with graph._silent_stderr():
            assert not os.path.samestat(of(2), before)
    assert os.path.samestat(of(2), before)
    assert len(open_descriptors()) == count


def open_descriptors():
    """The numbers below 100 that stand for an open file."""
    found = []
    for number in range(100):
        with contextlib.suppress(OSError):
            os.fstat(number)
            found.append(number)
    return found
