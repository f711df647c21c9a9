"""The builder: from text and code to a notebook that is the same byte for byte, or a
clear refusal.
"""

import base64
import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from steps.course import builder, lessons, sources
from steps.course.lessons import ROOT, CourseError

LESSON = """\
---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

# Step 1: A little lesson

**Time** 1 minutes · **Builds on** nothing · **New** `twice`

```{code-cell} ipython3
# %load -s twice ../steps/step01.py
```

```{code-cell} ipython3
print(twice(21))
```
"""
CODE = '"""Step 1."""\n\n\ndef twice(x):\n    return 2 * x\n'


@pytest.fixture
def workshop(tmp_path, monkeypatch):
    """A course of one step in a folder of its own; call it with cells to add to the
    lesson.
    """
    steps, notebooks = tmp_path / "steps", tmp_path / "notebooks"
    steps.mkdir()
    notebooks.mkdir()
    for module in (lessons, builder):
        monkeypatch.setattr(module, "LESSONS", steps)
        monkeypatch.setattr(module, "NOTEBOOKS", notebooks)
    monkeypatch.setattr(builder.execute, "__defaults__", (notebooks,))
    (steps / "step01.py").write_text(CODE, encoding="utf-8")
    (steps / "course.mplstyle").write_text("", encoding="utf-8")

    def write(*cells, lesson=LESSON):
        text = lesson + "".join(
            f"\n```{{code-cell}} ipython3\n{cell}\n```\n" for cell in cells
        )
        (steps / "step01.md").write_text(text, encoding="utf-8")
        return notebooks / "step01.ipynb"

    return write


def cells(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def outputs(path):
    return cells(path)[-1]["outputs"]


RICH = [
    "import matplotlib.pyplot as plt\n\nplt.plot([1, 2, 3])\nplt.show()",
    'import steps\n\nsteps.draw("x -> Square -> y")',
    "from IPython.display import HTML\nfrom matplotlib.animation import "
    "FuncAnimation\n\nfigure, ax = plt.subplots(figsize=(1, 1))\nfilm = "
    "FuncAnimation(figure, lambda frame: ax.plot([0, frame]), frames=2)\nshown = "
    "HTML(film.to_jshtml())\nplt.close()\nshown",
    "import numpy as np\n\nfrom dezero_lite import Variable\n\n"
    "steps.play(Variable(np.array(3.0)) ** 2)",
    "for i in range(50):\n    print(i, flush=True)",
    ":tags: [raises-exception]\n\n1 / 0",
    ":tags: [raises-exception]\n\nimport json\n\njson.loads('{')",
]


@pytest.mark.slow
def test_building_twice_gives_the_same_bytes(workshop):
    path = workshop(*RICH)
    assert builder.build(1)
    first = path.read_bytes()
    path.unlink()
    builder.build(1)
    assert path.read_bytes() == first
    assert not builder.build(1), "nothing changed, so nothing is written"


def test_code_is_put_under_its_load_line(workshop):
    path = workshop()
    builder.build(1)
    shown, used = (cell for cell in cells(path) if cell["cell_type"] == "code")
    assert (
        "".join(shown["source"])
        == "# %load -s twice ../steps/step01.py\ndef twice(x):\n    return 2 * x"
    )
    assert used["outputs"][0]["text"] == ["42\n"]
    assert [cell["id"] for cell in cells(path)] == [
        "step01-01",
        "step01-02",
        "step01-03",
    ]
    assert builder.why_stale(1) is None
    # The first format whose cells have names.
    book = json.loads(path.read_text(encoding="utf-8"))
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)


def test_a_progress_bar_leaves_no_trace(workshop, monkeypatch):
    monkeypatch.delenv("TQDM_DISABLE", raising=False)
    path = workshop(
        "from tqdm import tqdm\n\nfor _ in tqdm(range(3)):\n    pass\nprint('done')"
    )
    builder.build(1)
    assert [output["text"] for output in outputs(path)] == [["done\n"]]


def test_no_version_time_or_path_is_kept(workshop):
    path = workshop(*RICH)
    builder.build(1)
    text = path.read_text(encoding="utf-8")
    pictures = b"".join(
        base64.b64decode("".join(output["data"]["image/png"]))
        for cell in cells(path)
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    )
    assert b"IHDR" in pictures
    assert b"tEXt" not in pictures
    (printed,) = cells(path)[-3]["outputs"]
    assert len(printed["text"]) == 50, "how many messages a kernel sends varies"
    for word in (
        "iopub",
        "graphviz version",
        "matplotlib.org",
        str(Path.home()),
        sys.prefix,
        sys.version.split()[0],
    ):
        assert word not in text


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("File {root}/steps/step01.py:3", "File steps/step01.py:3"),
        ("File ~/course/me/x/steps/step01.py:3", "File steps/step01.py:3"),
        ("File {prefix}/lib/json.py:3", "File environment/lib/json.py:3"),
        ("File {base}/lib/json.py:3", "File python/lib/json.py:3"),
        ("File of someone", "File of someone"),
    ],
)
def test_a_traceback_names_no_place_of_this_machine(line, expected, monkeypatch):
    # A home's name can stand in a path a second time, as its own folder's.
    places = {"root": "/me/course/me/x", "prefix": "/opt/env", "base": "/opt/python"}
    monkeypatch.setattr(builder, "ROOT", Path(places["root"]))
    monkeypatch.setattr(Path, "home", lambda: Path("/me"))
    monkeypatch.setattr(sys, "prefix", places["prefix"])
    monkeypatch.setattr(sys, "base_prefix", places["base"])
    found = builder._without_paths(line.format(**places).replace("/", os.sep))
    assert found.replace(os.sep, "/") == expected


def test_a_picture_says_what_it_shows(workshop):
    path = workshop(
        f":alt: A line that <rises> from 1 to 3\n\n{RICH[0]}",
        f":alt: 'x: the input'\n\n{RICH[1]}",
    )
    builder.build(1)
    plot, graph = cells(path)[-2:]
    assert plot["metadata"]["alt"] == "A line that <rises> from 1 to 3"
    (shown,) = (o for o in plot["outputs"] if "image/png" in o["data"])
    assert shown["metadata"]["image/png"]["alt"] == "A line that <rises> from 1 to 3"
    (shown,) = graph["outputs"]
    svg = "".join(shown["data"]["image/svg+xml"])
    assert 'role="img" aria-label="x: the input"' in svg
    assert builder.why_stale(1) is None


def test_a_player_says_what_it_shows(workshop):
    path = workshop(RICH[1], f":alt: '\"6\" arrives at <x>'\n\n{RICH[3]}")
    builder.build(1)
    (shown,) = outputs(path)
    html = "".join(shown["data"]["text/html"])
    assert re.findall("<img alt=(.*?) src=", html) == ["'\"6\" arrives at &lt;x&gt;'"]
    assert "x.grad is 6." in "".join(shown["data"]["text/plain"])


def test_a_film_says_its_finding_in_the_player_and_in_its_last_frame(workshop):
    film = RICH[2].replace("HTML(film.to_jshtml())", "steps.film(film)")
    path = workshop(RICH[0], RICH[1], f":alt: 'It <rises>'\n\n{film}")
    builder.build(1)
    (shown,) = outputs(path)
    html = "".join(shown["data"]["text/html"])
    assert re.findall('<img alt="(.*?)" id="_anim', html) == ["It &lt;rises&gt;"]
    assert shown["metadata"]["image/png"]["alt"] == "It <rises>"


@pytest.mark.parametrize(
    ("cell", "complaint"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("import os\n\nprint(os.getcwd())", "names a path"),
        ("object()", "an address in memory"),
        (
            "# %load -s thrice ../steps/step01.py",
            r"step01\.py defines no thrice\. It defines twice\.",
        ),
        ("# %load -s twice ../steps/step01.py\nprint(1)", "holds one line"),
        ("### BEGIN SOLUTION\nx = 1", "END SOLUTION"),
        ("print(('x' * 99 + '\\n') * 11_000)", "the limit is"),
    ],
)
def test_a_lesson_that_cannot_be_built_is_refused(
    workshop, monkeypatch, cell, complaint
):
    path = workshop(cell)
    monkeypatch.setattr(builder, "ROOT", path.parent.parent)
    with pytest.raises(CourseError, match=complaint):
        builder.build(1)
    assert not path.exists()


MEASURED = ":tags: [nbval-ignore-output]\n\nimport time\n\nprint(time.perf_counter())"


def test_a_measured_output_stays_until_something_changes(workshop):
    path = workshop(MEASURED)
    builder.build(1)
    first = outputs(path)
    assert not builder.build(1)
    assert outputs(path) == first
    workshop(MEASURED + " ")
    builder.build(1)
    assert outputs(path) != first


def test_work_in_a_notebook_is_not_overwritten(workshop):
    path = workshop()
    builder.build(1)
    book = json.loads(path.read_text(encoding="utf-8"))
    book["cells"][-1]["source"] = ["my_own_work = 1"]
    path.write_text(json.dumps(book), encoding="utf-8")
    with pytest.raises(CourseError, match="changed since it was built"):
        builder.build(1)
    assert "my_own_work" in path.read_text(encoding="utf-8")
    builder.build(1, force=True)
    assert "my_own_work" not in path.read_text(encoding="utf-8")


def test_what_makes_a_notebook_stale(workshop):
    path = workshop(MEASURED)
    assert "not built" in builder.why_stale(1)
    builder.build(1)
    built = path.read_text(encoding="utf-8")
    assert builder.why_stale(1) is None

    for old, new in (("42", "43"), ('"execution_count": 2', '"execution_count": 3')):
        assert old in built
        path.write_text(built.replace(old, new, 1), encoding="utf-8")
        assert "changed since it was built" in builder.why_stale(1)
    path.write_text(built, encoding="utf-8")

    code = path.parent.parent / "steps" / "step01.py"
    code.write_text(CODE.replace("2 * x", "x + x"), encoding="utf-8")
    assert "code that its lesson uses" in builder.why_stale(1)
    code.write_text(CODE, encoding="utf-8")

    workshop(MEASURED, lesson=LESSON.replace("little", "small"))
    assert "its lesson" in builder.why_stale(1)


def test_an_older_builders_notebook_is_stale(workshop, monkeypatch):
    path = workshop(":tags: [hide-input]\n\nprint(1)")
    builder.build(1)
    assert cells(path)[-1]["metadata"]["jupyter"] == {"source_hidden": True}
    monkeypatch.setattr(builder.exercises, "FOLDED", "another-tag")
    assert builder.why_stale(1).startswith("the builder")


@pytest.mark.slow
def test_every_output_of_a_built_notebook_is_compared(tmp_path):
    """With the settings of notebooks/conftest.py, nbval sees a digit, and an error, and
    names the cell as a reader of the lesson would.
    """
    book = json.loads((ROOT / "notebooks" / "step09.ipynb").read_text(encoding="utf-8"))
    outputs = [o for cell in book["cells"] for o in cell.get("outputs", [])]
    number = next(o for o in outputs if "x.grad = 3.2974\n" in o.get("text", []))
    number["text"] = [line.replace("3.2974", "3.2975") for line in number["text"]]
    error = next(o for o in outputs if o["output_type"] == "error")
    error["evalue"] = error["evalue"].replace("array", "list")
    changed = ROOT / "notebooks" / f".changed-{tmp_path.name}.ipynb"
    try:
        changed.write_text(json.dumps(book), encoding="utf-8")
        run = [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:xdist",
            "-q",
            str(changed),
        ]
        report = subprocess.run(run, cwd=ROOT, capture_output=True, text=True).stdout
    finally:
        changed.unlink(missing_ok=True)
    assert "2 failed" in report
    assert "3.2975" in report
    number, error = (place_of(book, output) for output in (number, error))
    title = book["cells"][0]["source"][0].strip("# \n")
    for count, section in (number, error):
        assert f"{title}, cell [{count}], under “{section}”\n" in report
        assert re.search(rf"^FAILED .*::Cell {count} - ", report, re.M)
    assert number != error


def place_of(book, output):
    """The number that Jupyter writes in front of a cell, and the heading above it."""
    for cell in book["cells"]:
        for line in cell["source"] if cell["cell_type"] == "markdown" else []:
            if line.startswith("#"):
                section = line.strip("# \n")
        if output in cell.get("outputs", []):
            return cell["execution_count"], section
    raise LookupError("no cell has this output")


# --- What a notebook is made from -----------------------------------------------------

IMPORTS = """\
import dezero_lite.functions as F
import steps
from dezero_lite import Function, Variable, no_grad
from dezero_lite.layers import Linear
from dezero_lite.optimizers import Adam
"""


@pytest.mark.parametrize(
    ("shown", "beginning"),
    [
        ("Function.__call__", "def __call__(self"),
        ("Variable.backward", "def backward("),
        ("Variable.shape", "@property"),
        ("no_grad", "@switch\ndef no_grad("),
        ("F.sin", "def sin("),
        ("F.conv2d", "def conv2d("),
        ("Linear", "class Linear("),
        ("Adam", "class Adam("),
    ],
)
def test_what_is_shown_is_found_where_it_is_defined(shown, beginning):
    _, (text,) = sources.shown([IMPORTS, f"steps.source({shown})"])
    assert text.lstrip().startswith(tuple(beginning.split("|")))


def test_comments_for_tools_are_not_shown():
    from dezero_lite.transforms import Compose

    assert "# type: ignore" in inspect.getsource(Compose)
    assert "# type" not in sources.Source(Compose).text


@pytest.mark.parametrize(
    ("cell", "complaint"),
    [
        ("steps.source(type(product.creator))", "is not understood"),
        ("steps.source()", "is not understood"),
        ("steps.source(SGD)", "no cell of the lesson imports SGD"),
        ("steps.source(Variable.rewind)", "shows nothing: .* 'rewind'"),
        ("steps.source(Variable.__slots__)", "shows nothing"),
        ("%time steps.source(Adam)", "has to be all Python"),
    ],
)
def test_what_cannot_be_shown_is_refused(cell, complaint):
    with pytest.raises(CourseError, match=complaint):
        sources.shown([IMPORTS, cell])


def test_of_two_pieces_side_by_side_only_the_shown_part_counts():
    imports = "from dezero_lite import Variable\nfrom steps import step22"
    call = "steps.side_by_side(step22.Variable.backward, Variable.backward"
    ((whole,), (part,)) = sources.shown(
        [imports, f"{call})", f"{call}, until='while queue')"]
    )[1:]
    assert part in whole
    assert "heappop" in whole
    assert "heappop" not in part


def test_cells_that_are_not_python_and_imports_that_fail_are_passed_over():
    cells = ["%time 1", "1 +", "from dezero_lite import nothing"]
    assert sources.shown(cells) == [[], [], []]


def test_a_change_of_what_a_lesson_shows_of_the_package_makes_it_stale(
    workshop, monkeypatch
):
    workshop(IMPORTS, "steps.source(Variable.backward)")
    before = builder.sources_digest(1)
    assert builder.sources_digest(1) == before
    original = sources.inspect.getsource
    monkeypatch.setattr(
        sources.inspect, "getsource", lambda thing: original(thing) + "    pass"
    )
    assert builder.sources_digest(1) != before


def test_a_change_of_the_player_makes_a_lesson_stale_that_plays(
    workshop, monkeypatch, tmp_path
):
    here = tmp_path / "player"
    here.mkdir()
    (here / "page.html").write_text("another page", encoding="utf-8")
    for cell, is_stale in (("steps.play(y)", True), ("steps.draw('y')", False)):
        workshop(cell)
        before = builder.sources_digest(1)
        with monkeypatch.context() as patch:
            patch.setattr(builder.player, "__file__", str(here / "__init__.py"))
            assert (builder.sources_digest(1) != before) == is_stale


@pytest.mark.parametrize("missing", ["step01.py", "course.mplstyle", "step07.py"])
def test_a_missing_file_is_an_error(workshop, missing):
    path = workshop("from steps.step07 import Variable")
    steps = path.parent.parent / "steps"
    (steps / "step07.py").write_text(CODE, encoding="utf-8")
    builder.build(1)
    (steps / missing).unlink()
    assert missing in builder.why_stale(1)
    with pytest.raises(CourseError, match=missing):
        builder.build(1, force=True)


def test_nbformat_comes_without_parsers_that_no_notebook_needs():
    program = """
import sys
from steps.course.formats import jupytext, nbformat
assert "lark" not in sys.modules
assert sys.modules.get("rfc3987_syntax", ...) is not None
try:
    poem = {"cell_type": "poem", "id": "a"}
    nbformat.validate(nbformat.v4.new_notebook(cells=[poem]))
except nbformat.ValidationError:
    print("refused")
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == ("refused\n", "")
