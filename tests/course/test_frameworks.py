"""Frameworks written elsewhere, in three styles, are judged by what they can do."""

import importlib
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from steps.course.capabilities import WORKS, run_probe
from steps.course.commands import main
from steps.course.frameworks.adapter import check_twice
from steps.course.frameworks.trial import list_rows, try_framework
from steps.course.lessons import CourseError
from steps.course.workshop import capabilities_package as rows

step60: Any = importlib.import_module("steps.step60")
FOLDER = Path(__file__).with_name("frameworks")
SCALARS = '[names]\nVariable = "Value"\n[methods]\ncleargrad = "zero"\n'
TENSORS = '[names]\nVariable = "Tensor"\n[methods]\ncleargrad = "zero_grad"\n'
TENSORS += "[settings]\nrequires_grad = true\n"


def judge(path, *options):
    return main(["judge", str(FOLDER / path), *map(str, options)])


@pytest.mark.parametrize(
    ("path", "adapter", "step", "works", "fails"),
    [
        (
            "booklike",
            "",
            14,
            ["differentiates two inputs", "differentiates a chain by itself"],
            {
                "uses a variable twice": "array(1.)",
                "runs without a graph (no_grad)": "no_grad",
            },
        ),
        (
            "scalars.py",
            SCALARS,
            16,
            [
                "differentiates a diamond",
                "uses a variable twice",
                "measures a derivative",
            ],
            {
                "differentiates a very long chain": "Function",
                "starts without a gradient": "",
            },
        ),
        (
            "tensors.py",
            TENSORS,
            16,
            ["differentiates a diamond", "clears a gradient", "holds an array"],
            {"differentiates matrix products": "matmul"},
        ),
    ],
)
def test_a_framework_is_judged(path, adapter, step, works, fails, tmp_path, capsys):
    names, report = tmp_path / "mine.toml", tmp_path / "report.json"
    names.write_text(adapter)
    assert judge(path, "--names", names, "-o", report) == 0
    said, facts = capsys.readouterr().out, json.loads(report.read_text())
    outcomes = facts["rows"]
    assert [outcomes[name] for name in works] == [WORKS] * len(works)
    for name, why in fails.items():
        assert outcomes[name] != WORKS
        assert why in outcomes[name]
        assert f"· {name}\n    {outcomes[name]}" in said
    assert facts["step"] == step
    assert f"about step {step}." in said


def test_a_framework_s_own_check_is_not_believed():
    class Sin(step60.Sin):
        def backward(self, gy):
            return gy * np.cos(self.inputs[0].data)

    names = {"sin": lambda x: Sin()(x), "gradient_check": lambda *_: True}
    framework = SimpleNamespace(Variable=step60.Variable, **names)
    _, why = run_probe(rows.differentiates_the_sine, check_twice(framework))
    assert "the second derivative for input 0 differs" in str(why)


def test_rows_ask_for_no_names_that_only_the_course_has():
    class LSTM(step60.LSTM):
        set_state = property()

    class DataLoader(step60.DataLoader):
        __len__ = property()

    names = vars(step60) | {"LSTM": LSTM, "DataLoader": DataLoader}
    for probe in (rows.guards_a_memory, rows.hands_out_batches):
        assert run_probe(probe, SimpleNamespace(**names)) == (WORKS, None)


def test_what_ends_or_hangs_is_noted_and_the_rest_is_tried(tmp_path):
    text = (FOLDER / "booklike" / "core.py").read_text()
    path = tmp_path / "ending.py"
    path.write_text(text.replace("return np.exp(x)", "import os; os._exit(0)"))
    *rows, trial = try_framework(path, {})
    assert rows == [row.name for row in list_rows()]
    assert trial.outcomes["chains functions"] == "ends Python"
    assert trial.outcomes["takes two inputs"] == WORKS


def test_reports_are_pages_and_badges(tmp_path):
    page, badge = tmp_path / "report.html", tmp_path / "badge.svg"
    assert judge("booklike", "-o", page, "-o", badge) == 0
    assert "What booklike can do" in page.read_text(encoding="utf-8")
    assert "○" in page.read_text(encoding="utf-8")
    assert ">step 14</text>" in badge.read_text(encoding="utf-8")
    assert judge("booklike", "-o", tmp_path / "report.txt") == 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("import nothing_of_this_name", "ModuleNotFoundError"),
        ("class Tensor: pass", "has no Variable"),
        ("raise SystemExit", "ends Python"),
    ],
)
def test_what_cannot_be_judged_says_why(text, sentence, tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(text)
    with pytest.raises(CourseError, match=sentence):
        list(try_framework(path, {}))
    with pytest.raises(CourseError, match="neither a folder nor a Python file"):
        list(try_framework(tmp_path / "missing.py", {}))
