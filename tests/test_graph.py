"""Pictures: drawn by what there is, and text with a hint where there is nothing."""

import subprocess
import sys

import pytest

from dezero_lite import graph
from dezero_lite.graph import GraphvizMissing, Picture, render

DOT = 'digraph { a [label="x"]; b [label="Square", shape=box]; a -> b }'


def test_a_picture_is_svg_png_and_text():
    bundle = Picture(DOT)._repr_mimebundle_()
    assert sorted(bundle) == ["image/png", "image/svg+xml", "text/plain"]
    assert bundle["text/plain"] == DOT
    assert "Square</text>" in bundle["image/svg+xml"]
    assert "<!-- " not in bundle["image/svg+xml"]
    assert bundle["image/png"].startswith(b"\x89PNG")


def test_drawing_says_nothing_on_stderr():
    program = f"from dezero_lite.graph import render; render({DOT!r}, 'png')"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stderr == b""


def test_without_graphviz_the_text_stays_and_a_hint_follows(monkeypatch):
    monkeypatch.setattr(graph.shutil, "which", lambda program: None)
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

    monkeypatch.setattr(graph.shutil, "which", lambda program: "/somewhere/dot")
    monkeypatch.setitem(sys.modules, "graphviz", type(sys)("graphviz"))
    monkeypatch.setattr(sys.modules["graphviz"], "Source", Source, raising=False)
    assert render(DOT, "svg") == f"svg of {DOT}".encode()


def test_the_package_needs_numpy_alone(tmp_path):
    program = (
        "import sys; sys.modules.update(dict.fromkeys(['matplotlib', 'graphviz', 'pygraphviz', 'IPython', 'PIL']));"
        "import dezero_lite, dezero_lite.graph; print(dezero_lite.__version__)"
    )
    run = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert run.stdout.count(".") == 2
