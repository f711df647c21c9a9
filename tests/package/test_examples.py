"""Each example in its quick form, run as a user runs it: in a folder of its own, to the
result that it promises.
"""

import gzip
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from dezero_lite.datasets import Digits
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
    """Start a program as a user does, in a folder of its own."""

    def begin(program, *options, **environment):
        settings = {
            "PYTHONPATH": str(ROOT),
            "PYTHONWARNINGS": "error",
            "PYTHONUNBUFFERED": "1",
            "MPLBACKEND": "agg",
            # Products this small gain nothing from threads, and tests beside this one
            # need the processors, too.
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
    """What a program said to the end, in its two ways, and how it ended."""
    output, error = program.communicate(timeout=300)
    return SimpleNamespace(returncode=program.returncode, stdout=output, stderr=error)


@pytest.fixture
def run(begin):
    def run(name, *options, **environment):
        return ended(begin(EXAMPLES / f"{name}.py", *options, **environment))

    return run


def reached(done):
    """What a run printed as its result, and whether that is on the side of the limit
    where it should be.
    """
    assert done.returncode == 0, done.stdout + done.stderr
    results = list(RESULT.finditer(done.stdout))
    assert len(results) == 1, done.stdout
    value, limit = float(results[0]["value"]), float(results[0]["limit"])
    return value > limit if results[0]["side"] == "above" else value < limit


@pytest.fixture
def clothes(tmp_path):
    """Files in the form of Fashion-MNIST: scans of digits, three times as large."""
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


@pytest.mark.slow
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
    run, tmp_path
):
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    # Python imports a module of this name when it starts.
    (hidden / "sitecustomize.py").write_text(
        "import importlib.util as util\nfind = util.find_spec\nutil.find_spec = "
        "lambda name, *rest: None if name in ('tqdm', 'matplotlib') else find(name, "
        "*rest)\n"
    )
    done = run("spiral", "--quick", PYTHONPATH=f"{hidden}{os.pathsep}{ROOT}")
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


@pytest.mark.slow
def test_wrong_options_are_refused_and_data_that_cannot_be_had_are_one_line(
    begin, tmp_path
):
    (tmp_path / "data").mkdir()
    (tmp_path / "short.txt").write_text("Once upon a time.", encoding="utf-8")
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    wrong = {
        "spiral --epochs 3": "unrecognized arguments",
        "spiral --qui": "unrecognized arguments",
        "spiral --seed -1": "a seed is 0 or more",
        "spiral --plot nowhere/spiral.png": "there is no folder nowhere",
        "spiral --plot spiral.docx": "a picture ends in one of",
        "fashion_cnn --epochs 0": "0 is too few",
        "characters --epochs many": "invalid count value: 'many'",
        "characters --length -1": "-1 is too few",
        "characters --shakespear --text a.txt": "not allowed with",
        "characters --text short.txt": "a text of 17 letters is too short",
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
        done = ended(begin(EXAMPLES / f"{name}.py", *options))
        right = words in done.stderr and not done.stdout
        if line in wrong:
            right &= done.returncode == 2 and "batches" not in done.stderr
        else:
            right &= done.returncode == 1 and done.stderr.count("\n") == 1
            right &= done.stderr.startswith("The data cannot be had: ")
        if not right:
            complaints.append((line, done))
    assert not complaints
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.slow
@pytest.mark.usefixtures("clothes")
@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is no signal on Windows")
@every_example
def test_ctrl_c_is_one_line(begin, tmp_path, name):
    # As a terminal does it: when the first progress is seen.
    running = begin(EXAMPLES / f"{name}.py")
    first = running.stderr.read(1)
    running.send_signal(signal.SIGINT)
    done = ended(running)
    error = first + done.stderr
    left = "the same command goes on" if name == "gpt" else "nothing is saved"
    assert "Stopped; " + left in error
    assert error.endswith(".\n")
    assert "Traceback" not in error
    assert done.returncode == 130
    assert not list(tmp_path.glob("*.png"))


@pytest.mark.slow
def test_a_quick_gpt_that_was_stopped_goes_on_as_if_nothing_had_been(
    begin, run, tmp_path
):
    whole = run("gpt", "--quick", "--run", "whole")
    assert reached(whole)
    is_all_that_is_saved(tmp_path / "gpt.png")
    parts = ["--quick", "--run", "parts", "--plot", ""]
    running = begin(EXAMPLES / "gpt.py", *parts)
    for line in running.stdout:
        if line.startswith("step 40:"):
            break
    running.send_signal(signal.SIGINT)
    stopped = ended(running)
    assert stopped.returncode == 130
    assert "the same command goes on" in stopped.stderr
    assert "Traceback" not in stopped.stderr
    later = run("gpt", *parts)
    assert "parts is at step " in later.stdout
    last = whole.stdout[whole.stdout.index("step 200:") :]
    assert later.stdout.endswith(last)

    told = run("gpt", "--run", "parts", "--prompt", "The old cat", "--length", "8")
    assert told.stdout.startswith("The old cat")
    assert "step" not in told.stdout
    early = run("gpt", "--run", "nowhere", "--prompt", "The")
    assert early.returncode == 2
    assert "there is nothing in nowhere yet" in early.stderr


@pytest.mark.slow
def test_a_result_that_is_missed_ends_as_a_failure(begin, tmp_path):
    # Without learning, everything else being the same.
    (tmp_path / "idle.py").write_text(
        f"import sys; sys.path.insert(0, {str(EXAMPLES)!r}); sys.argv[0] = "
        "'spiral.py'\nfrom dezero_lite.optimizers import Adam\nAdam.update = lambda "
        "self: None\nimport spiral; spiral.main()\n"
    )
    done = ended(begin("idle.py", "--quick", "--plot", ""))
    assert done.returncode == 1
    assert "less than expected" in done.stderr
