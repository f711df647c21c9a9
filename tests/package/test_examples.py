"""Each example in its quick version, in its own folder, reaches the result that it
promises. Most run in this process, because a new one takes a second to import.
"""

import gzip
import itertools
import os
import re
import runpy
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import dezero_lite
from dezero_lite.datasets import Digits
from dezero_lite.optimizers import Adam
from tests.support.needs import needs

pytestmark = needs("matplotlib")
ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
IMAGES = ["digits_mlp", "digits_cnn", "fashion_cnn"]
NAMES = ["spiral", *IMAGES, "sine_lstm", "characters", "gpt"]
every_example = pytest.mark.parametrize("name", NAMES)
RESULT = re.compile(
    r"^[^:\n]+: (?P<value>[\d.]+)(?: %)? \(expected: (?P<side>above|below) "
    r"(?P<limit>[\d.]+)(?: %)?\)$",
    re.M,
)


@pytest.fixture
def begin(tmp_path):
    """Start a program as a user does, in its own folder."""

    def begin(program, *options, **environment):
        settings = {
            "PYTHONPATH": str(ROOT),
            "PYTHONWARNINGS": "error",
            "PYTHONUNBUFFERED": "1",
            "MPLBACKEND": "agg",
            # Products this small gain nothing from threads, and tests that run in
            # parallel also need the processors.
            "OPENBLAS_NUM_THREADS": "1",
            "TQDM_DISABLE": "",
            "DEZERO_LITE_DATA": str(tmp_path / "data"),
        }
        return subprocess.Popen(
            [sys.executable, program, *options],
            cwd=tmp_path,
            env=os.environ | settings | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return begin


def ended(program):
    """Return a program's complete output on both streams, and its exit code."""
    output, error = program.communicate(timeout=300)
    return SimpleNamespace(returncode=program.returncode, stdout=output, stderr=error)


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run an example in this process, as Python would; return its output and
    exit code.
    """
    monkeypatch.setattr(sys, "path", [str(EXAMPLES), *sys.path])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DEZERO_LITE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("TQDM_DISABLE", "")
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")

    def run(name, *options):
        program = str(EXAMPLES / f"{name}.py")
        monkeypatch.setattr(sys, "argv", [program, *options])
        code = None
        try:
            runpy.run_path(program, run_name="__main__")
        except SystemExit as ends:
            code = ends.code
        if isinstance(code, str):  # as Python shows it
            print(code, file=sys.stderr)
            code = 1
        output, error = capsys.readouterr()
        return SimpleNamespace(returncode=code or 0, stdout=output, stderr=error)

    yield run
    pyplot.close("all")
    dezero_lite.manual_seed(None)
    for name in {path.stem for path in EXAMPLES.glob("*.py")} & sys.modules.keys():
        del sys.modules[name]


def reached(done):
    """Return the results that a run printed, and whether each is on the right side of
    its limit.
    """
    assert done.returncode == 0, done.stdout + done.stderr
    results = list(RESULT.finditer(done.stdout))
    assert len(results) == 1, done.stdout
    value, limit = float(results[0]["value"]), float(results[0]["limit"])
    return value > limit if results[0]["side"] == "above" else value < limit


@pytest.fixture
def clothes(tmp_path):
    """Create files in the format of Fashion-MNIST: scans of digits, enlarged three
    times.
    """
    folder = tmp_path / "data" / "fashion-mnist"
    folder.mkdir(parents=True)
    for part, train in [("train", True), ("t10k", False)]:
        digits = Digits(train)
        large = digits.data[:, 0].repeat(3, axis=1).repeat(3, axis=2) * 15
        images = np.pad(large, ((0, 0), (2, 2), (2, 2)))
        save_idx(folder / f"{part}-images-idx3-ubyte.gz", images)
        save_idx(folder / f"{part}-labels-idx1-ubyte.gz", digits.label)


def save_idx(path, array):
    header = bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">u4").tobytes()
    path.write_bytes(gzip.compress(header + array.astype(np.uint8).tobytes(), 1))


def is_all_that_is_saved(picture):
    saved = [path for path in picture.parent.iterdir() if path.is_file()]
    assert saved == [picture]
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
@pytest.mark.usefixtures("clothes")
@pytest.mark.parametrize("name", [name for name in NAMES if name != "gpt"])
def test_the_quick_run_reaches_its_result_and_saves_a_picture(run, tmp_path, name):
    done = run(name, "--quick", "--seed", "1")
    assert reached(done)
    is_all_that_is_saved(tmp_path / f"{name}.png")


@every_example
def test_help_begins_with_what_the_example_is_about(run, name):
    done = run(name, "--help")
    assert done.returncode == 0
    text = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
    first_line = text.splitlines()[0].strip('"')
    for words in (first_line, "--quick", "--seed", "--plot"):
        assert words in done.stdout


def test_every_example_is_tested():
    texts = {path.stem: path.read_text("utf-8") for path in EXAMPLES.glob("*.py")}
    # test_gpt2.py has the files that this one needs.
    assert {n for n, text in texts.items() if "__main__" in text} == {*NAMES, "gpt2"}


@pytest.mark.slow
def test_without_tqdm_and_matplotlib_an_example_prints_lines_and_saves_no_picture(
    begin, tmp_path
):
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    # Python imports a module of this name at startup.
    (hidden / "sitecustomize.py").write_text(
        "import importlib.util as util\nfind = util.find_spec\nutil.find_spec = "
        "lambda name, *rest: None if name in ('tqdm', 'matplotlib') else find(name, "
        "*rest)\n"
    )
    path = f"{hidden}{os.pathsep}{ROOT}"
    done = ended(begin(EXAMPLES / "spiral.py", "--quick", PYTHONPATH=path))
    assert reached(done)
    assert "pip install matplotlib" in done.stdout
    assert "30 of 30 epochs: loss" in done.stdout
    assert not list(tmp_path.glob("*.png"))


@pytest.mark.slow
def test_a_model_writes_with_the_letters_of_the_text_that_it_read(run, tmp_path):
    (tmp_path / "text.txt").write_text("ab ba abba baab.\n" * 300, encoding="utf-8")
    options = ["--quick", "--text", "text.txt", "--length", "100", "--plot"]
    done = run("characters", *options, "")
    assert done.returncode == 0, done.stderr
    written, _, rest = done.stdout.partition("\nwords that occur in the text")
    assert rest
    assert set(written) <= set("ab .\n")
    assert len(written) == 100


def test_wrong_options_are_refused_and_data_that_cannot_be_had_are_one_line(
    run, tmp_path
):
    (tmp_path / "data").mkdir()
    (tmp_path / "short.txt").write_text("Once upon a time.", encoding="utf-8")
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    wrong = {
        "spiral --epochs 3": "unrecognized arguments",
        "spiral --qui": "unrecognized arguments",
        "spiral --seed -1": "a seed must be at least 0",
        "spiral --plot nowhere/spiral.png": "the folder nowhere does not exist",
        "spiral --plot spiral.docx": "must end in one of",
        "fashion_cnn --epochs 0": "0 is less than 1",
        "characters --epochs many": "invalid count value: 'many'",
        "characters --length -1": "-1 is less than 1",
        "characters --shakespear --text a.txt": "not allowed with",
        "characters --text short.txt": "a text of 17 characters is too short",
    }
    missing = {
        "fashion_cnn": "put the file there",
        "characters --shakespear": "put the file there",
        "characters --text nowhere.txt": "nowhere.txt",
        "characters --text binary": "can't decode",
    }
    before = sorted(tmp_path.iterdir())
    complaints = []
    for line, words in (wrong | missing).items():
        name, *options = line.split()
        done = run(name, *options)
        right = words in done.stderr and not done.stdout
        if line in wrong:
            right &= done.returncode == 2 and "batches" not in done.stderr
        else:
            right &= done.returncode == 1 and done.stderr.count("\n") == 1
            right &= done.stderr.startswith("Could not load the data: ")
        if not right:
            complaints.append((line, done))
    assert not complaints
    assert sorted(tmp_path.iterdir()) == before


@pytest.fixture
def stop_after(monkeypatch):
    """Press Ctrl-C once progress has been shown this often."""
    bar = pytest.importorskip("tqdm").tqdm
    update, shown = bar.update, itertools.count(1)

    def stop_after(count):
        def show(*arguments):
            if next(shown) == count:
                raise KeyboardInterrupt
            return update(*arguments)

        monkeypatch.setattr(bar, "update", show)

    return stop_after


@pytest.mark.usefixtures("clothes")
@every_example
def test_ctrl_c_is_one_line(run, stop_after, tmp_path, name):
    stop_after(1)
    assert_stopped(run(name), name)
    assert not list(tmp_path.glob("*.png"))


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is no signal on Windows")
def test_ctrl_c_in_a_terminal_is_one_line(begin):
    running = begin(EXAMPLES / "gpt.py")
    first = running.stderr.read(1)  # of the progress bar
    running.send_signal(signal.SIGINT)
    done = ended(running)
    assert first
    assert_stopped(done, "gpt")


def assert_stopped(done, name):
    left = "the same command resumes" if name == "gpt" else "nothing was saved"
    assert "Stopped; " + left in done.stderr
    assert done.stderr.endswith(".\n")
    assert "Traceback" not in done.stderr
    assert done.returncode == 130


@pytest.mark.slow
def test_a_quick_gpt_learns_to_write(run, tmp_path):
    assert reached(run("gpt", "--quick"))
    is_all_that_is_saved(tmp_path / "gpt.png")


def test_a_gpt_that_was_stopped_goes_on_as_if_nothing_had_been(
    run, stop_after, tmp_path
):
    (tmp_path / "text.txt").write_text("The old cat sleeps.\n" * 200, "utf-8")
    sizes = "--vocabulary 270 --context 16 --layers 1 --size 16 --heads 2 --steps 50"
    small = [*sizes.split(), "--text", "text.txt", "--plot", "", "--run"]
    whole = run("gpt", *small, "whole")
    stop_after(12)
    assert_stopped(run("gpt", *small, "parts"), "gpt")
    later = run("gpt", *small, "parts")
    assert "parts is at step 10 of 50." in later.stdout
    last = whole.stdout[whole.stdout.index("step 50:") :]
    assert later.stdout.endswith(last)

    told = run("gpt", "--run", "parts", "--prompt", "The old cat", "--length", "8")
    assert told.stdout.startswith("The old cat")
    assert "step" not in told.stdout
    early = run("gpt", "--run", "nowhere", "--prompt", "The")
    assert early.returncode == 2
    assert "nowhere contains no model" in early.stderr


def test_a_result_that_is_missed_ends_as_a_failure(run, monkeypatch):
    # Without learning, with everything else the same.
    monkeypatch.setattr(Adam, "update", lambda self: None)
    done = run("spiral", "--quick", "--plot", "")
    assert done.returncode == 1
    assert "misses the expectation" in done.stderr
