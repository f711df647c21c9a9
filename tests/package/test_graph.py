"""Pictures: drawn with whatever is installed, or the text with a hint if nothing is."""

import html
import os
import re
import shutil
import subprocess
import sys
from types import SimpleNamespace

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
from tests.support.programs import python

pygraphviz = pytest.importorskip("pygraphviz")

DOT = 'digraph { a [label="x"]; b [label="Square", shape=box]; a -> b }'


def test_a_picture_is_a_sharp_png_and_a_text_that_is_the_same_everywhere():
    data, metadata = Picture(DOT)._repr_mimebundle_()
    assert sorted(data) == ["image/png", "text/plain"]
    assert data["text/plain"] == f"{DOT}\n\n// {graph.HINT}"
    assert data["image/png"].startswith(b"\x89PNG")
    # On the page it is as wide as one at 96 dots per inch, with twice the dots.
    dots = int.from_bytes(data["image/png"][16:20], "big")
    plain = int.from_bytes(render(DOT, "png")[16:20], "big")
    assert metadata == {"image/png": {"width": dots // 2}}
    assert abs(dots - 2 * plain) <= 2


def test_drawing_says_nothing_on_stderr():
    program = f"from dezero_lite.graph import render; render({DOT!r}, 'png')"
    done = python("-c", program)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_the_font_library_says_is_not_heard(capfd):
    with graph._stderr_in_a_file():
        os.write(2, b"a warning from C")
    os.write(2, b"an error")
    assert capfd.readouterr().err == "an error"


def test_a_function_used_twice_is_found_once():
    square = Variable(np.array(3.0)) ** 2
    assert len([*graph.functions_behind(square + square)]) == 2


def test_the_dot_program_comes_first(monkeypatch):
    def source(dot):
        pipe = lambda format, quiet: f"{format} of {dot}".encode()
        return SimpleNamespace(pipe=pipe)

    monkeypatch.setattr(shutil, "which", lambda program: "/somewhere/dot")
    monkeypatch.setitem(sys.modules, "graphviz", SimpleNamespace(Source=source))
    assert render(DOT, "svg") == f"svg of {DOT}".encode()


@pytest.mark.parametrize("inside", ['a [label="say "x""]', "a ->", "x+y -> z", '"'])
def test_a_text_that_is_not_dot_gets_a_sentence_and_no_traceback(inside, monkeypatch):
    dot = f"digraph {{ {inside} }}"
    where = r"Graphviz cannot read this text \(syntax error in line 1.*\): check that"
    with pytest.raises(ValueError, match=where) as caught:
        render(dot, "png")
    data, _ = Picture(dot)._repr_mimebundle_()
    assert data["text/plain"].startswith(f"{dot}\n\n// Graphviz cannot read this")
    said = f"Error: <stdin>: {re.search('syntax[^)]*', str(caught.value))[0]}"

    def source(dot):
        def pipe(format, quiet):
            raise subprocess.CalledProcessError(1, "dot", stderr=said.encode())

        return SimpleNamespace(pipe=pipe)

    monkeypatch.setattr(shutil, "which", lambda program: "/somewhere/dot")
    monkeypatch.setitem(sys.modules, "graphviz", SimpleNamespace(Source=source))
    with pytest.raises(ValueError, match=where):
        render(dot, "png")


# --- graphs of Variables --------------------------------------------------------------


def parts(dot):
    """Return the labels by node, and the edges, as Graphviz reads them."""
    read = pygraphviz.AGraph(string=dot)
    return {n: read.get_node(n).attr["label"] for n in read.nodes()}, {
        (a, b) for a, b in read.edges()
    }


def test_the_smallest_graph():
    x = Variable(np.array(2.0), name="x")
    labels, edges = parts(get_dot_graph(x * 3.5, verbose=False))
    stripped = {name: label.strip() for name, label in labels.items()}
    assert stripped == {"v0": "", "f1": "Mul", "v2": "x", "f1c1": "3.5"}
    assert edges == {("v2", "f1"), ("f1c1", "f1"), ("f1", "v0")}
    text = get_dot_graph(x + x)
    assert text.count("v2 -> f1") == 2
    assert "v3" not in text


def test_verbose_adds_shape_and_dtype():
    y = Variable(np.zeros((2, 3), np.float32), name="x") + np.zeros(3, np.float32)
    labels, _ = parts(get_dot_graph(y))
    variables = {"v0": "(2, 3) float32", "v2": "x: (2, 3) float32"}
    assert labels == variables | {"f1": "Add", "f1c1": "array (3,)"}


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


FORMATS = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF", "PNG": b"\x89PNG"}


def small():
    return Variable(np.array(1.0)) * 2


def test_the_ending_chooses_the_format_and_nothing_else_is_left(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for ending, start in FORMATS.items():
        plot_dot_graph(small(), to_file=f"a graph; rm *.{ending}")
        (file,) = tmp_path.iterdir()
        assert file.name == f"a graph; rm *.{ending}"
        assert file.read_bytes().startswith(start)
        file.unlink()
    # The default file is the book's.
    picture = plot_dot_graph(small())
    assert [p.name for p in tmp_path.iterdir()] == ["graph.png"]
    assert sorted(picture._repr_mimebundle_()[0]) == ["image/png", "text/plain"]


def test_without_graphviz_there_is_text_with_a_hint_and_no_file(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda program: None)
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    with pytest.raises(GraphvizMissing, match="pip install pygraphviz"):
        render(DOT, "svg")
    missing = r"graph.png was not written.*pip install pygraphviz"
    with pytest.warns(UserWarning, match=missing):
        picture = plot_dot_graph(small(), to_file=tmp_path / "graph.png")
    assert list(tmp_path.iterdir()) == []
    data, metadata = picture._repr_mimebundle_()
    assert (data, metadata) == (
        {"text/plain": f"{get_dot_graph(small())}\n\n// {graph.HINT}"},
        {},
    )
    assert "pip install pygraphviz" in graph.HINT


def test_the_layout_of_a_graph_has_a_limit():
    # Without it, drawing forty functions that share one input Variable takes a minute.
    (limit,) = re.findall(r"graph \[.*nslimit=([\d.]+)", get_dot_graph(small()))
    assert float(limit) <= 1
