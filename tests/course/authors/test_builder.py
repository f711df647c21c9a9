"""The builder turns text and code into a notebook that is always identical byte for
byte, or reports a clear error.
"""

import ast
import base64
import inspect
import itertools
import json
import os
import re
import sys
from pathlib import Path

import pytest

import steps
from dezero_lite.layers import Linear
from dezero_lite.transforms import Compose
from steps.course import builder, lessons, listings, sources
from steps.course.lessons import ROOT, CourseError
from tests.course.texts import blocks, text
from tests.support.programs import python
from tests.support.refusals import assert_refused

LESSON = text("little.md")
CODE = '"""Step 1."""\n\n\ndef twice(x):\n    return 2 * x\n'


@pytest.fixture
def one_step(toy):
    """Create a course of one step and no map; call it with cells for the lesson."""
    steps, notebooks = toy / "steps", toy / "notebooks"
    for name in ("start.md", "step02.md", "step02.py"):
        (steps / name).unlink()
    (steps / "step01.py").write_text(CODE, encoding="utf-8")

    def write(*cells, lesson=LESSON):
        for cell in cells:
            lesson += f"\n```{{code-cell}} ipython3\n{cell}\n```\n"
        (steps / "step01.md").write_text(lesson, encoding="utf-8")
        return notebooks / "step01.ipynb"

    return write


def cells(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def outputs(path):
    return cells(path)[-1]["outputs"]


@pytest.mark.slow
def test_a_rich_lesson_is_built_twice_alike_and_keeps_nothing_of_the_machine(
    one_step, tmp_path
):
    """Plain nbval passes, also for a lesson with a player and graphs, without a
    conftest and without Graphviz.
    """
    path = one_step(lesson=LESSON + text("rich.md"))
    assert builder.build(1)
    first = path.read_bytes()
    path.unlink()
    builder.build(1)
    assert path.read_bytes() == first
    assert builder.explain_staleness(1) is None

    version = sys.version.split()[0]
    varying = ["iopub", "graphviz version", "matplotlib.org", sys.prefix, version]
    varying.append(str(Path.home()))
    assert [word for word in varying if word in first.decode()] == []
    plot, graph, film, player, printed, _ = (c["outputs"] for c in cells(path)[-6:])
    pictures = [plot[0], graph[0], film[0]]
    words = ["A line that <rises> from 1 to 3", "x: the input", '"It" <rises>']
    assert [one["metadata"]["image/png"]["alt"] for one in pictures] == words
    for picture in pictures:
        assert sorted(picture["data"]) == ["image/png", "text/plain"]
        png = base64.b64decode("".join(picture["data"]["image/png"]))
        assert b"IHDR" in png
        assert b"tEXt" not in png
    assert graph[0]["metadata"]["image/png"]["width"] > 100
    assert "x.grad is 6." in "".join(player[0]["data"]["text/plain"])
    # The number of messages that a kernel sends varies; nobody sees the bar.
    assert [(one["name"], len(one["text"])) for one in printed] == [("stdout", 50)]

    (tmp_path / "pygraphviz.py").write_text("raise ImportError", encoding="utf-8")
    bare = ["--nbval", "--noconftest", "-c", os.devnull]
    books = path, ROOT / "notebooks" / "step14.ipynb"
    report = nbval(*books, options=bare, PYTHONPATH=str(tmp_path))
    assert re.search(r"^\d+ passed", report, re.M), report
    assert "failed" not in report


def test_code_is_put_under_its_load_line(one_step, monkeypatch):
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    load = "# %load -s twice ../steps/step01.py"
    asked = "import os\n\nos.environ['OPENBLAS_NUM_THREADS']"
    path = one_step(asked, f"{load}\n{load}")
    builder.build(1)
    title, shown, used, threads, both = cells(path)
    lines = ["# %load -s twice ../steps/step01.py\n", "def twice(x):\n"]
    assert shown["source"] == [*lines, "    return 2 * x"]
    assert "".join(both["source"]) == "\n\n\n".join(["".join(shown["source"])] * 2)
    assert used["outputs"][0]["text"] == ["42\n"]
    assert threads["outputs"][0]["data"]["text/plain"] == ["'1'"]
    assert [title["id"], used["id"]] == ["step01-01", "step01-03"]
    # The first format in which cells have ids.
    book = json.loads(path.read_text(encoding="utf-8"))
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)


def test_a_traceback_names_no_place_of_this_machine(monkeypatch):
    monkeypatch.setattr(lessons, "ROOT", Path("/me/course/me/x"))
    monkeypatch.setattr(Path, "home", lambda: Path("/me"))
    monkeypatch.setattr(sys, "prefix", "/opt/env")
    monkeypatch.setattr(sys, "base_prefix", "/opt/python")
    for line, expected in {
        "/me/course/me/x/steps/step01.py:3": "steps/step01.py:3",
        # The name of a home folder can occur twice in a path.
        "~/course/me/x/steps/step01.py:3": "steps/step01.py:3",
        "/opt/env/lib/json.py:3": "environment/lib/json.py:3",
        "/opt/python/lib/json.py:3": "python/lib/json.py:3",
        "of someone": "of someone",
    }.items():
        found = builder._remove_paths(line.replace("/", os.sep))
        assert found.replace(os.sep, "/") == expected


@pytest.mark.parametrize(
    ("cell", "complaint"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("import os\n\nprint(os.getcwd())", "cell step01-04 contains a path"),
        (
            "# %load -s thrice ../steps/step01.py",
            r"step01\.py defines no thrice\. It defines twice\.",
        ),
        ("# %load -s twice ../steps/step01.py\nprint(1)", "only contain lines like"),
        ("### BEGIN SOLUTION\nx = 1", "END SOLUTION"),
        ("2", "the limit is 10"),
    ],
)
def test_a_lesson_that_cannot_be_built_is_refused(
    one_step, monkeypatch, cell, complaint
):
    path = one_step(cell)
    monkeypatch.setattr(lessons, "ROOT", path.parent.parent)
    monkeypatch.setattr(builder, "MAX_BYTES", 10)
    with pytest.raises(CourseError, match=complaint):
        builder.build(1)
    assert not path.exists()


def test_what_varies_is_refused():
    for output, complaint in (
        ({"text": "<Box object at 0x7f00>"}, "a contains a memory address: <Box"),
        ({"text": "a bar", "name": "stderr"}, "Cell a writes to stderr"),
        ({"text": f"in {Path.home()}/x"}, "cell a contains a path"),
    ):
        cell = {"id": "a", "outputs": [output]}
        refused = lambda cell=cell: builder._refuse_what_varies(cell)
        assert_refused(CourseError, complaint, refused)
    assert not builder._refuse_what_varies({"id": "a", "outputs": [{"text": "1"}]})


@pytest.fixture
def no_kernel(monkeypatch):
    """Replace kernels: a cell prints 42, or the time."""
    time = itertools.count()

    def execute(notebook):
        for count, cell in enumerate(notebook["cells"]):
            if cell["cell_type"] == "code":
                text = f"{next(time) if 'time' in cell['source'] else 42}\n"
                output = {"output_type": "stream", "name": "stdout", "text": text}
                cell["outputs"] = [output]
                cell["execution_count"] = count
        return notebook

    monkeypatch.setattr(builder, "execute", execute)


MEASURED = ":tags: [nbval-ignore-output]\n\nprint(time.perf_counter())"


def test_what_is_measured_stays_and_what_is_by_hand_is_not_overwritten(
    one_step, no_kernel
):
    path = one_step(MEASURED)
    builder.build(1)
    first = outputs(path)
    assert not builder.build(1)
    assert outputs(path) == first
    one_step(MEASURED + " ")
    builder.build(1)
    assert outputs(path) != first

    book = json.loads(path.read_text(encoding="utf-8"))
    book["cells"][-1]["source"] = ["my_own_work = 1"]
    path.write_text(json.dumps(book), encoding="utf-8")
    with pytest.raises(CourseError, match="edited after it was built"):
        builder.build(1)
    assert "my_own_work" in path.read_text(encoding="utf-8")
    builder.build(1, force=True)
    assert "my_own_work" not in path.read_text(encoding="utf-8")


def test_what_makes_a_notebook_stale(one_step, no_kernel, monkeypatch):
    path = one_step(":tags: [hide-input]\n\nprint(1)")
    assert "not built" in builder.explain_staleness(1)
    builder.build(1)
    built = path.read_text(encoding="utf-8")
    assert builder.explain_staleness(1) is None
    with monkeypatch.context() as patch:
        patch.setattr(builder, "FOLDED", "another-tag")
        assert builder.explain_staleness(1).startswith("the builder")

    for old, new in (("42", "43"), ('"execution_count": 2', '"execution_count": 3')):
        assert old in built
        path.write_text(built.replace(old, new, 1), encoding="utf-8")
        assert "edited after it was built" in builder.explain_staleness(1)
    path.write_text(built, encoding="utf-8")

    code = path.parent.parent / "steps" / "step01.py"
    code.write_text(CODE.replace("2 * x", "x + x"), encoding="utf-8")
    assert "code that its lesson uses" in builder.explain_staleness(1)
    code.write_text(CODE, encoding="utf-8")

    one_step(lesson=LESSON.replace("little", "small"))
    assert "its lesson" in builder.explain_staleness(1)


# --- What nbval sees ------------------------------------------------------------------


def nbval(*paths, options=(), **variables):
    """Run pytest on these notebooks in its own process; return its output."""
    run = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    return python(*run, *options, *paths, **variables).stdout


@pytest.mark.slow
def test_every_output_of_a_built_notebook_is_compared(tmp_path):
    """With the settings of notebooks/conftest.py, nbval reports a changed digit and an
    error, and names the cell as readers of the lesson know it.
    """
    book = json.loads((ROOT / "notebooks" / "step09.ipynb").read_text(encoding="utf-8"))
    outputs = [o for cell in book["cells"] for o in cell.get("outputs", [])]
    number = next(o for o in outputs if "x.grad = 3.2974\n" in o.get("text", []))
    number["text"] = "".join(number["text"]).replace("3.2974", "3.2975")
    error = next(o for o in outputs if o["output_type"] == "error")
    error["evalue"] = error["evalue"].replace("array", "list")
    changed = ROOT / "notebooks" / f".changed-{tmp_path.name}.ipynb"
    try:
        changed.write_text(json.dumps(book), encoding="utf-8")
        report = nbval(changed)
    finally:
        changed.unlink(missing_ok=True)
    assert "2 failed" in report
    assert "stored: x.grad = 3.2975\nnow:    x.grad = 3.2974\n" in report
    title = book["cells"][0]["source"][0].strip("# \n")
    for output in (number, error):
        count, section = place_of(book, output)
        assert f"{title}, cell [{count}], under “{section}”\n" in report
        assert re.search(rf"^FAILED .*::Cell {count} - ", report, re.M)


def place_of(book, output):
    """Return the number that Jupyter shows beside a cell, and the heading above it."""
    for cell in book["cells"]:
        for line in cell["source"] if cell["cell_type"] == "markdown" else []:
            if line.startswith("#"):
                section = line.strip("# \n")
        if output in cell.get("outputs", []):
            return cell["execution_count"], section
    raise LookupError("no cell has this output")


# --- What a notebook is made from -----------------------------------------------------

IMPORTS = blocks("programs.md")["imports of a lesson"]


def shown_by(*codes):
    return sources.list_shown(list(map(builder.make_code_cell, codes)))


def test_what_is_shown_is_found_where_it_is_defined():
    for shown, beginning in {
        "Function.__call__": "def __call__(self",
        "Variable.backward": "def backward(",
        "Variable.shape": "@property",
        "no_grad": "@switch\ndef no_grad(",
        "F.sin": "def sin(",
        "F.conv2d": "def conv2d(",
        "Linear": "class Linear(",
        "Adam": "class Adam(",
    }.items():
        _, (text,) = shown_by(IMPORTS, f"steps.source({shown})")
        assert text.lstrip().startswith(beginning)
    # Comments for tools are not shown.
    assert "# type: ignore" in inspect.getsource(Compose)
    assert "# type" not in listings.Source(Compose).text


def test_docstrings_are_cut_to_what_they_say_first_and_whole_on_request():
    _, (short,), (whole,) = shown_by(
        IMPORTS, "steps.source(Linear)", "steps.source(Linear, doc=True)"
    )
    shown = repr(steps.source(Linear)), repr(steps.source(Linear, doc=True))
    assert (short, whole) == shown
    assert "Parameters" in whole
    # Every definition keeps its first paragraph, and all of its code.
    long, cut = ast.parse(whole), ast.parse(short)
    for one, other in zip(ast.walk(long), ast.walk(cut), strict=True):
        if isinstance(one, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(one):
            first = ast.get_docstring(one).partition("\n\n")[0]
            assert ast.get_docstring(other) == first
            del one.body[0], other.body[0]
    assert ast.dump(long) == ast.dump(cut)


def test_what_cannot_be_shown_is_refused():
    for cell, complaint in {
        "steps.source(type(product.creator))": "'product' is not defined. Use a",
        "steps.source()": "shows nothing: .* 'thing'",
        "steps.source(SGD)": "'SGD' is not defined. Use .* the lesson imports",
        "steps.source(Variable.rewind)": "shows nothing: .* 'rewind'",
        "steps.source(Variable.__slots__)": "shows nothing",
        "%time steps.source(Adam)": "may only contain Python",
    }.items():
        with pytest.raises(CourseError, match=complaint):
            shown_by(IMPORTS, cell)


def test_of_what_changed_both_versions_count():
    imports = "import steps\nfrom steps import step14, step16"
    call = "steps.source(step16.Variable.backward, before=step14.Variable.backward)"
    _, (change,) = shown_by(imports, call)
    assert "\n-    funcs = [self.creator]" in change
    assert "\n+" in change


def test_an_import_that_fails_is_named_if_it_does_not_on_purpose():
    # Cells that are not Python are skipped.
    lost = builder.make_code_cell("from dezero_lite import nothing")
    words = "`from dezero_lite import nothing` fails: can"
    assert_refused(CourseError, words, lambda: sources.list_shown([lost]))
    lost["metadata"]["tags"] = ["raises-exception"]
    others = map(builder.make_code_cell, ("%time 1", "1 +"))
    assert sources.list_shown([*others, lost]) == [[], [], []]


def test_a_change_of_what_a_lesson_shows_makes_it_stale(
    one_step, monkeypatch, tmp_path
):
    (tmp_path / "page.html").write_text("another page", encoding="utf-8")
    original = listings.inspect.getsource
    source = (listings.inspect, "getsource", lambda thing: original(thing) + "    pass")
    player = (builder.player, "__file__", str(tmp_path / "__init__.py"))
    for cell, stale_by, other in [
        ("steps.source(Variable.backward)", source, player),
        ("steps.play(y)", player, source),
    ]:
        one_step(IMPORTS, cell)
        before = builder.digest_sources(1)
        with monkeypatch.context() as patch:
            patch.setattr(*other)
            assert builder.digest_sources(1) == before
            patch.setattr(*stale_by)
            assert builder.digest_sources(1) != before


def test_a_missing_file_is_an_error(one_step, no_kernel):
    path = one_step("from steps.step07 import Variable")
    steps = path.parent.parent / "steps"
    (steps / "step07.py").write_text(CODE, encoding="utf-8")
    builder.build(1)
    for missing in ("step01.py", "course.mplstyle", "step07.py"):
        text = (steps / missing).read_text(encoding="utf-8")
        (steps / missing).unlink()
        assert missing in builder.explain_staleness(1)
        with pytest.raises(CourseError, match=missing):
            builder.build(1, force=True)
        (steps / missing).write_text(text, encoding="utf-8")


def test_nbformat_comes_without_parsers_that_no_notebook_needs():
    done = python("-c", blocks("programs.md")["few parsers"])
    assert (done.stdout, done.stderr) == ("refused\n", "")
