"""Checkpoints: named files are complete, other files are untouched, and damage is
reported.
"""

import os
import shutil
import time

import numpy as np
import pytest

from dezero_lite import checkpoint
from dezero_lite.checkpoint import Checkpoint
from dezero_lite.optimizers import Adam
from tests.support import training


@pytest.fixture
def trained():
    optimizer = Adam()
    _, model = training.alone(optimizer, size=50)
    return model, optimizer


def weights(model):
    return [p.data.copy() for p in model.params()]


def found(folder):
    """List the content of a folder, without the endings that are unique to a save."""
    return sorted(path.name.partition("-")[0] for path in folder.iterdir())


def test_what_is_beside_a_checkpoint_stays(tmp_path, trained):
    (tmp_path / "steps").mkdir()
    (tmp_path / "step00000001").mkdir()
    (tmp_path / "step08.ipynb").write_text("mine")
    place = Checkpoint(tmp_path)
    for step in (1, 2, 3):
        place.save(step, *trained)
    names = "state.json step00000001 step00000003 step08.ipynb steps"
    assert " ".join(found(tmp_path)) == names
    assert (tmp_path / "step00000001").exists()
    assert place.load(*trained) == place.state() == {"step": 3}


@pytest.mark.parametrize("interrupted", ["model", "optimizer", "state"])
def test_a_step_saved_again_and_interrupted_leaves_the_first(
    tmp_path, trained, monkeypatch, interrupted
):
    model, optimizer = trained
    place = Checkpoint(tmp_path)
    place.save(4, model, optimizer)
    expected = weights(model)
    for p in model.params():
        p.data = p.data + 1.0

    def power_cut(*_):
        raise OSError("the power is cut")

    owner, name = {
        "model": (model, "save_weights"),
        "optimizer": (optimizer, "save_state"),
        "state": (checkpoint.os, "replace"),
    }[interrupted]
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, power_cut)
        with pytest.raises(OSError, match="power is cut"):
            place.save(4, model, optimizer)
    assert found(tmp_path) == ["state.json", "step00000004"]
    assert place.load(model, optimizer) == {"step": 4}
    for ours, data in zip(weights(model), expected, strict=True):
        np.testing.assert_array_equal(ours, data)


@pytest.mark.parametrize("step", [99_999_999, 100_000_000, 10**12, np.int64(5)])
def test_a_step_of_any_size_is_saved(tmp_path, trained, step):
    place = Checkpoint(tmp_path)
    for number in (1, step, step + 1):
        place.save(number, *trained)
        assert place.load(*trained) == place.state() == {"step": number}
    assert len(found(tmp_path)) == 2


@pytest.mark.parametrize(
    ("step", "more", "error"),
    [
        (-1, {}, ValueError),
        (2.0, {}, TypeError),
        (2, {"losses": np.zeros(3)}, TypeError),
        (2, {"losses": [np.float32(1)]}, TypeError),
    ],
)
def test_what_cannot_be_saved_is_refused_before_anything_is_written(
    tmp_path, trained, monkeypatch, step, more, error
):
    model, optimizer = trained
    place = Checkpoint(tmp_path)
    place.save(1, model, optimizer)
    monkeypatch.setattr(model, "save_weights", lambda _: pytest.fail("it was written"))
    with pytest.raises(error):
        place.save(step, model, optimizer, **more)
    assert found(tmp_path) == ["state.json", "step00000001"]
    assert place.load(model, optimizer) == {"step": 1}


@pytest.mark.parametrize("moment", range(5))
def test_another_process_may_save_into_the_same_folder_at_any_moment(
    tmp_path, trained, monkeypatch, moment
):
    to_disk, moments = checkpoint._flush, []

    def interrupted(path):
        to_disk(path)
        moments.append(path)
        if len(moments) == moment + 1:
            Checkpoint(tmp_path).save(3, *trained)

    place = Checkpoint(tmp_path)
    place.save(1, *trained)
    monkeypatch.setattr(checkpoint, "_flush", interrupted)
    place.save(2, *trained)
    assert len(moments) == 10
    # The later one of the two is there, and nothing else.
    last = 3 if moment == 4 else 2
    assert place.load(*trained) == {"step": last}
    assert found(tmp_path) == ["state.json", f"step0000000{last}"]


def test_what_a_killed_save_has_left_goes_when_nobody_can_be_saving_it(
    tmp_path, trained, monkeypatch
):
    def killed(*_, **__):
        raise KeyboardInterrupt

    place = Checkpoint(tmp_path)
    place.save(1, *trained)
    with monkeypatch.context() as patch:
        patch.setattr(trained[1], "save_state", killed)
        patch.setattr(shutil, "rmtree", lambda *_, **__: None)
        with pytest.raises(KeyboardInterrupt):
            place.save(2, *trained)
    place.save(3, *trained)
    assert found(tmp_path) == ["state.json", "step00000002", "step00000003"]
    (left,) = tmp_path.glob("step00000002-*")
    two_hours_ago = time.time() - 7200
    for path in (left / "model.npz", *tmp_path.iterdir()):
        os.utime(path, (two_hours_ago, two_hours_ago))
    place.save(4, *trained)
    assert found(tmp_path) == ["state.json", "step00000004"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "cannot be read"),
        ("null", "is not the state of a training run"),
        ("[]", "is not the state of a training run"),
        ("{}", "its step is None"),
        ('{"step": "3", "in": "step00000003"}', "its step is '3'"),
        ('{"step": 3, "in": "../model"}', "its folder '../model'"),
        ('{"step": 3, "in": 3}', "its folder 3"),
    ],
)
def test_a_damaged_state_is_one_error_that_names_the_file(
    tmp_path, trained, text, words
):
    (tmp_path / "state.json").write_text(text)
    place = Checkpoint(tmp_path)
    load, save = lambda: place.load(*trained), lambda: place.save(1, *trained)
    for action in (place.state, load, save):
        with pytest.raises(ValueError, match=r"state\.json") as told:
            action()
        assert words in str(told.value)
