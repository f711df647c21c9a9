"""Checkpoints: what is named is whole, nothing else is touched, damage is told."""

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


def test_what_is_beside_a_checkpoint_stays(tmp_path, trained):
    (tmp_path / "steps").mkdir()
    (tmp_path / "step00000001").mkdir()
    (tmp_path / "step08.ipynb").write_text("mine")
    place = Checkpoint(tmp_path)
    for step in (1, 2, 3):
        place.save(step, *trained)
    names = "state.json step00000001 step00000003 step08.ipynb steps"
    assert " ".join(sorted(p.name for p in tmp_path.iterdir())) == names
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
    assert place.load(model, optimizer) == {"step": 4}
    for ours, data in zip(weights(model), expected, strict=True):
        np.testing.assert_array_equal(ours, data)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "cannot be read"),
        ("null", "is not the state of a training"),
        ("[]", "is not the state of a training"),
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
