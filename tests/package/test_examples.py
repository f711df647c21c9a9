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

import numpy as np
import pytest

from dezero_lite.datasets import Digits

pytest.importorskip("matplotlib")
ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
NAMES = [
    "spiral",
    "digits_mlp",
    "digits_cnn",
    "fashion_cnn",
    "sine_lstm",
    "characters",
    "gpt",
]
RESULT = re.compile(
    r"^[^:\n]+: (?P<value>[\d.]+)(?: %)? \(expected: (?P<side>above|below) "
    r"(?P<limit>[\d.]+)(?: %)?\)$",
    re.M,
)


@pytest.fixture
def run(tmp_path):
    def run(name, *options, **environment):
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "PYTHONWARNINGS": "error",
            "MPLBACKEND": "agg",
            # Products this small gain nothing from threads, and tests beside this one
            # need the processors, too.
            "OPENBLAS_NUM_THREADS": "1",
            "TQDM_DISABLE": "",
            "DEZERO_LITE_DATA": str(tmp_path / "data"),
            **environment,
        }
        command = [sys.executable, EXAMPLES / f"{name}.py", *options]
        return subprocess.run(
            command,
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )

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
        images = np.pad(
            digits.data[:, 0].repeat(3, axis=1).repeat(3, axis=2) * 15,
            ((0, 0), (2, 2), (2, 2)),
        )
        save_idx(folder / f"{part}-images-idx3-ubyte.gz", images)
        save_idx(folder / f"{part}-labels-idx1-ubyte.gz", digits.label)


def save_idx(path, array):
    header = bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">u4").tobytes()
    path.write_bytes(gzip.compress(header + array.astype(np.uint8).tobytes(), 1))


@pytest.mark.slow
@pytest.mark.usefixtures("clothes")
@pytest.mark.parametrize("name", NAMES)
def test_the_quick_run_reaches_its_result_and_saves_a_picture(run, tmp_path, name):
    done = run(name, "--quick", "--seed", "1")
    assert reached(done)
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == [
        f"{name}.png"
    ]
    assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", NAMES)
def test_help_begins_with_what_the_example_is_about(run, name):
    done = run(name, "--help")
    assert done.returncode == 0
    first_line = (
        (EXAMPLES / f"{name}.py").read_text(encoding="utf-8").splitlines()[0].strip('"')
    )
    assert first_line in done.stdout
    for option in ("--quick", "--seed", "--plot"):
        assert option in done.stdout


def test_every_example_is_tested():
    scripts = {
        path.stem
        for path in EXAMPLES.glob("*.py")
        if "__main__" in path.read_text(encoding="utf-8")
    }
    assert scripts == set(NAMES)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_run_and_another_one_another(run):
    first, again, other = [
        run("spiral", "--quick", "--plot", "x.svg", "--seed", seed).stderr
        for seed in "112"
    ]
    losses = [re.findall(r"loss [\d.]+", text)[-1] for text in (first, again, other)]
    assert losses[0] == losses[1] != losses[2]


@pytest.mark.slow
def test_a_picture_that_cannot_be_saved_is_refused_before_the_run(run):
    done = run("spiral", "--plot", "nowhere/spiral.png")
    assert done.returncode == 2
    assert "there is no folder nowhere" in done.stderr
    done = run("spiral", "--plot", "spiral.docx")
    assert done.returncode == 2
    assert "a picture ends in one of" in done.stderr
    assert "batches" not in done.stderr


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


def test_a_model_writes_with_the_letters_of_the_text_that_it_read(run, tmp_path):
    (tmp_path / "text.txt").write_text("ab ba abba baab.\n" * 300, encoding="utf-8")
    done = run(
        "characters", "--quick", "--text", "text.txt", "--length", "100", "--plot", ""
    )
    assert done.returncode == 0, done.stderr
    written, _, rest = done.stdout.partition("\nwords that occur in the text")
    assert rest
    assert set(written) <= set("ab .\n")
    assert len(written) == 100


def test_a_text_too_short_to_learn_from_is_refused(run, tmp_path):
    (tmp_path / "text.txt").write_text("Once upon a time.", encoding="utf-8")
    done = run("characters", "--text", "text.txt")
    assert done.returncode == 2
    assert "a text of 17 letters is too short" in done.stderr


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("spiral", ["--epochs", "3"], "unrecognized arguments"),
        ("spiral", ["--qui"], "unrecognized arguments"),
        ("spiral", ["--seed", "-1"], "a seed is 0 or more"),
        ("fashion_cnn", ["--epochs", "0"], "0 is too few"),
        ("characters", ["--epochs", "many"], "invalid count value: 'many'"),
        ("characters", ["--length", "-1"], "-1 is too few"),
        ("characters", ["--shakespear", "--text", "a.txt"], "not allowed with"),
    ],
)
def test_wrong_options_are_refused(run, tmp_path, name, options, words):
    done = run(name, *options)
    assert done.returncode == 2
    assert words in done.stderr
    assert not done.stdout
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("fashion_cnn", [], "put the file there"),
        ("characters", ["--shakespear"], "put the file there"),
        ("characters", ["--text", "nowhere.txt"], "nowhere.txt"),
        ("characters", ["--text", "binary"], "can't decode"),
    ],
)
def test_data_that_are_missing_or_damaged_are_one_line(
    run, tmp_path, name, options, words
):
    (tmp_path / "data").mkdir()
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    done = run(name, *options)
    assert done.returncode == 1
    assert done.stderr.startswith("The data cannot be had: ")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
@pytest.mark.usefixtures("clothes")
@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is no signal on Windows")
@pytest.mark.parametrize("name", NAMES)
def test_ctrl_c_is_one_line(tmp_path, name):
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "MPLBACKEND": "agg",
        "TQDM_DISABLE": "",
        "DEZERO_LITE_DATA": str(tmp_path / "data"),
    }
    # As a terminal does it: when the first progress is seen.
    running = subprocess.Popen(
        [sys.executable, EXAMPLES / f"{name}.py"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    running.stderr.read(1)
    running.send_signal(signal.SIGINT)
    _, error = running.communicate(timeout=120)
    left = b"the same command goes on" if name == "gpt" else b"nothing is saved"
    assert b"\nStopped; " + left in error
    assert error.endswith(b".\n")
    assert b"Traceback" not in error
    assert running.returncode == 130
    assert not list(tmp_path.glob("*.png"))


@pytest.mark.slow
def test_a_gpt_that_was_stopped_goes_on_as_if_nothing_had_been(run, tmp_path):
    whole = run("gpt", "--quick", "--run", "whole", "--plot", "")
    assert reached(whole)
    command = [sys.executable, EXAMPLES / "gpt.py"]
    command += ["--quick", "--run", "parts", "--plot", ""]
    stopped = subprocess.Popen(
        command,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    for line in stopped.stdout:
        if line.startswith("step 40:"):
            break
    stopped.send_signal(signal.SIGINT)
    _, said = stopped.communicate(timeout=300)
    assert stopped.returncode == 130
    assert "the same command goes on" in said
    assert "Traceback" not in said
    later = run("gpt", "--quick", "--run", "parts", "--plot", "")
    assert "parts is at step " in later.stdout
    last = whole.stdout[whole.stdout.index("step 200:") :]
    assert later.stdout.endswith(last)

    told = run("gpt", "--run", "parts", "--prompt", "The old cat", "--length", "8")
    assert told.stdout.startswith("The old cat")
    assert "step" not in told.stdout
    early = run("gpt", "--run", "nowhere", "--prompt", "The")
    assert early.returncode == 2
    assert "there is nothing in nowhere yet" in early.stderr


def test_a_result_that_is_missed_ends_as_a_failure(run, tmp_path):
    # Without learning, everything else being the same.
    (tmp_path / "idle.py").write_text(
        f"import sys; sys.path.insert(0, {str(EXAMPLES)!r}); sys.argv[0] = "
        "'spiral.py'\nfrom dezero_lite.optimizers import Adam\nAdam.update = lambda "
        "self: None\nimport spiral; spiral.main()\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "agg"}
    command = [sys.executable, "idle.py", "--quick", "--plot", ""]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 1
    assert "less than expected" in done.stderr
