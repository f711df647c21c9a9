"""The commands that trained the models in `steps/data` still do: one of them is run."""

import numpy as np

from steps import step96


def test_a_shipped_model_can_be_trained_again(tmp_path, monkeypatch):
    def share_off_arms(model):
        rng = np.random.default_rng(0)
        cloud = 2.5 * rng.normal(size=(1000, 2))
        return step96.off_arms(step96.roll(model, cloud, rng)[-1])

    shipped = share_off_arms(step96.landscape())
    monkeypatch.setattr(step96, "landscape_file", lambda: tmp_path / "landscape.npz")
    step96.make_landscape()
    step96.landscape.cache_clear()
    again = share_off_arms(step96.landscape())
    step96.landscape.cache_clear()
    assert (tmp_path / "landscape.npz").exists()
    assert max(shipped, again) < 0.15, (
        f"shipped {shipped:.2f}, trained again {again:.2f}"
    )
