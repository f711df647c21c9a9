"""Step 91: files that others read."""

import json
from pathlib import Path

import numpy as np

from dezero_lite import manual_seed
from dezero_lite.datasets import Digits
from dezero_lite.functions import flatten, pooling, relu, softmax_cross_entropy
from dezero_lite.layers import BatchNorm, Conv2d, Linear
from dezero_lite.models import MLP, Sequential
from dezero_lite.onnx import RULES, export
from dezero_lite.optimizers import Adam
from dezero_lite.pytorch import load_state_dict

from . import step90
from .library import moved as __getattr__  # noqa: F401

__all__ = ["RULES", "digits_cnn", "digits_mlp", "export", "load_state_dict"]
__all__ += ["make_torch_digits", "pooled", "read_header", "torch_digits"]


def read_header(path):
    """Read what a safetensors file says about its arrays, and where the numbers begin.

    For each name there is a dict: ``'dtype'``, ``'shape'`` and ``'data_offsets'``, the
    first byte and the one after the last, counted from where the numbers begin.
    """
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        return json.loads(file.read(length)), 8 + length


def torch_digits():
    """Return two files: the weights of a network that PyTorch trained, and its scores
    for the first five test digits.
    """
    folder = Path(step90.__file__).parent / "data"
    return folder / "torch_digits.safetensors", folder / "torch_scores.safetensors"


def digits_mlp():
    """Make an untrained network with the same layers."""
    manual_seed(0)
    return MLP((32, 32, 10), relu)


def digits_cnn(epochs=6):
    """Train a small convolutional network to read digits."""
    manual_seed(0)
    model = Sequential(
        *(Conv2d(8, 3, pad=1), BatchNorm(), relu, pooled, flatten, Linear(10))
    )
    optimizer = Adam(0.01).setup(model)
    data = Digits()
    x, t = data.data.astype(np.float32) / 16, data.label
    rng = np.random.default_rng(0)
    for _ in range(epochs):
        for batch in np.array_split(rng.permutation(len(x)), len(x) // 48):
            model.cleargrads()
            softmax_cross_entropy(model(x[batch]), t[batch]).backward()
            optimizer.update()
    return model


def pooled(x):
    """Take the largest number in each 2×2 window."""
    return pooling(x, 2, 2)


def make_torch_digits():
    """Train the network in PyTorch, and save its weights and five rows of scores:
    `python -c "from steps.step91 import make_torch_digits; make_torch_digits()"`.
    """
    import torch
    from safetensors.torch import save_file

    torch.manual_seed(0)
    parts = [(64, 32), (32, 32), (32, 10)]
    layers = [torch.nn.Linear(*sizes) for sizes in parts]
    relu = torch.nn.ReLU()
    model = torch.nn.Sequential(layers[0], relu, layers[1], relu, layers[2])
    x, t = [torch.tensor(np.array(column)) for column in zip(*Digits(), strict=True)]
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
    for _ in range(30):
        for batch in torch.randperm(len(x)).split(48):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x[batch]), t[batch]).backward()
            optimizer.step()
    weights, scores = torch_digits()
    save_file(model.state_dict(), weights)
    few = torch.tensor(np.array([x for x, _ in list(Digits(train=False))[:5]]))
    save_file({"scores": model(few).detach()}, scores)
