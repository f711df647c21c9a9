"""The NumPy version of each benchmark does the same work; and the command says what it
will do.
"""

import inspect
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import benchmarks.__main__ as main
import dezero_lite.functions as F
from benchmarks import bare, gpt, programs, workers
from benchmarks.frameworks import FRAMEWORKS
from benchmarks.networks import image
from dezero_lite import Variable
from dezero_lite.models import GPT
from tests.support.arrays import assert_close
from tests.support.programs import python

ROOT = Path(__file__).parents[2]


def value_and_gradients(f, *arrays):
    xs = [Variable(array) for array in arrays]
    y = f(*xs)
    y.grad = Variable(np.ones_like(y.data))
    y.backward()
    return [y.data, *(x.grad.data for x in xs)]


def assert_same(ours, theirs):
    for one, other in zip(ours, theirs, strict=True):
        assert_close(one, other, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("stride", "pad"), [(1, 1), (2, 1), (1, 0)])
def test_convolution(stride, pad):
    shapes = (4, 2, 9, 9), (3, 2, 3, 3)
    y, gW, gx = bare.convolution(*shapes, stride, pad)(image_gradient=True)
    arrays = [image(*shape) for shape in shapes]
    f = lambda x, W: F.conv2d(x, W, stride=stride, pad=pad)
    assert_same([y, gx, gW.reshape(shapes[1])], value_and_gradients(f, *arrays))


@pytest.mark.parametrize(("kernel", "stride"), [(2, 2), (3, 2)])
def test_max_pooling(kernel, stride):
    x = image(2, 3, 9, 9)
    expected = value_and_gradients(lambda x: F.pooling(x, kernel, stride), x)
    assert_same(bare.max_pooling(x, kernel, stride)(), expected)


def test_a_row_times_a_matrix():
    x, row = image(5, 4), image(4)
    _, gx, grow = value_and_gradients(lambda x, row: F.sum(x * row), x, row)
    ours = bare.scaled_rows(x, row)
    assert_close(ours[0], gx)
    assert_close(ours[1], grow, rtol=1e-5)


def test_the_sum_of_a_product():
    x, W = image(5, 4), image(4, 3)
    y, *gradients = bare.sum_of_product(x, W)()
    expected = value_and_gradients(lambda x, W: F.sum(F.matmul(x, W)), x, W)
    assert_same([np.array(y), *gradients], expected)


# --- the command ----------------------------------------------------------------------


@pytest.fixture
def command(monkeypatch, capsys, tmp_path):
    """Run the command without measuring anything; its docs are `command.docs`."""

    def command(*options):
        monkeypatch.setattr(sys, "argv", ["benchmarks", *options])
        main.main()
        return capsys.readouterr().out

    def medians(names, rows, rounds):
        command.said_before = capsys.readouterr().out
        return {}

    command.docs = tmp_path
    command.said_before = None
    monkeypatch.setattr(main, "DOCS", tmp_path)
    monkeypatch.setattr(main, "find_spec", lambda name: True)
    monkeypatch.setattr(main, "medians", medians)
    monkeypatch.setattr(main, "import_ratios", lambda *_: {})
    monkeypatch.setattr(main, "on_oldest_numpy", lambda *_: 1.0)
    monkeypatch.setattr(main, "peaks", lambda *_: {})
    monkeypatch.setattr(main.limits, "measure", dict)
    monkeypatch.setattr(main, "report", lambda *_: "the tables")
    monkeypatch.setattr(main, "plot", lambda *_: (tmp_path / "benchmarks.png").touch())
    return command


def test_docs_are_written_only_when_asked(command):
    assert "the tables" in command()
    assert "takes about a quarter of an hour" in command.said_before
    assert not list(command.docs.iterdir())
    command("--write")
    assert (command.docs / "benchmarks.md").read_text() == "the tables"
    assert (command.docs / "benchmarks.png").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--rounds", "0"], "0 is less than 1"),
        (["--rounds", "many"], "invalid count value: 'many'"),
        (["--only", "no such row"], "no row has this in its name"),
        (["--only", "import", "--write"], "cannot be combined with --only"),
        (["--wri"], "unrecognized arguments"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_measured(
    command, capsys, options, words
):
    with pytest.raises(SystemExit) as refusal:
        command(*options)
    assert refusal.value.code == 2
    assert words in capsys.readouterr().err
    assert command.said_before is None


def test_a_missing_package_is_named_before_anything_is_measured(command, monkeypatch):
    for missing, options in ("threadpoolctl", []), ("matplotlib", ["--write"]):
        monkeypatch.setattr(main, "find_spec", lambda name, gone=missing: name != gone)
        with pytest.raises(SystemExit, match=f"^The benchmarks need {missing}: pip"):
            command(*options)
    assert command.said_before is None


@pytest.mark.parametrize(("module", "name"), [(main, ""), (workers, ".workers")])
def test_the_page_names_the_command_that_writes_it(module, name):
    page = workers.PAGE if module is workers else ROOT / "docs" / "benchmarks.md"
    for text in (page.read_text(encoding="utf-8"), inspect.getsource(module.report)):
        assert f"Made by `python -m benchmarks{name} --write`:" in text


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is no signal on Windows")
def test_ctrl_c_is_one_line(tmp_path):
    (tmp_path / "threadpoolctl.py").write_text("")
    run = subprocess.Popen(
        [sys.executable, "-m", "benchmarks"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(tmp_path), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    # The first row is announced once the frameworks' processes have started.
    while not run.stdout.readline().startswith("   "):
        assert run.poll() is None, run.stderr.read()
    os.killpg(run.pid, signal.SIGINT)
    _, error = run.communicate(timeout=120)
    assert error == "\nStopped; nothing was written.\n"
    assert run.returncode == 130


def test_the_gpt_of_the_benchmark_runs_and_only_where_there_is_one(monkeypatch):
    monkeypatch.setattr(gpt, "one_thread", lambda: None)
    ours = gpt.Ours()
    ours.step()()
    assert ours.write()().shape == (gpt.WRITTEN + 1,)
    rows = [row for row in programs.ROWS if row.gpt]
    assert len(rows) == 2
    frameworks = ("dezero_lite", programs.COMPILED, "torch", "dezero", "numpy-bare")
    for row in rows:
        fits = [row.fits(name) for name in frameworks]
        assert fits == [True, True, True, False, False]


def test_a_column_is_of_compiled_loops():
    pytest.importorskip("numba")
    program = """
from benchmarks.frameworks import FRAMEWORKS
from benchmarks.programs import COMPILED, ROWS
framework = FRAMEWORKS[COMPILED]()
from dezero_lite import compiled
compiled.kernels = None  # whoever asks for one, fails
(row,) = [row for row in ROWS if row.title.startswith('max')][:1]
row.program(framework)
"""
    missing = "'NoneType' object has no attribute 'find_places'"
    assert missing in python("-c", program).stderr


def test_the_small_package_runs_what_it_has():
    left = [row.title for row in programs.ROWS if not row.fits(programs.SMALL)]
    assert [title.split()[0] for title in left] == ["VGG16", "GPT", "GPT"]
    framework = FRAMEWORKS[programs.SMALL]()
    for words in ("Goldstein", "Newton", "order 6", "k5 p2", "LeNet", "LSTM"):
        (row,) = [row for row in programs.ROWS if words in row.title]
        assert row.program(framework) > 0


def test_pytorch_s_gpt_is_the_same():
    torch = pytest.importorskip("torch")
    theirs, ours = gpt.gpt(torch, 17), GPT(27, 17, 2, 48, 4)
    count = sum(p.size for p in ours.params())
    assert sum(p.numel() for p in theirs.parameters()) == count
    x = torch.from_numpy(gpt.tokens()[:2, :17].copy())
    caches = [[] for _ in range(2)]
    with torch.no_grad():
        parts = [theirs(x[:, i : i + 1], i, caches) for i in range(17)]
        whole = theirs(x)
    assert_close(torch.cat(parts, dim=1).numpy(), whole.numpy(), rtol=1e-4, atol=1e-5)
