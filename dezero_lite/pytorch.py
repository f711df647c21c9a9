"""PyTorch's weights in layers of this package. Step 91 explains it.

A ``state_dict`` is a dictionary of tensors, whose names look like ``'0.weight'`` or
``'encoder.bias'``. :func:`load_state_dict` knows which of them each kind of layer
needs, and in which layout: PyTorch stores the weights of `Linear` as (out, in), this
package as (in, out).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from . import layers as L
from .array_files import Array, StrPath, first_few, load_arrays
from .core import Parameter
from .layers.layer import Buffer, fill, members

__all__ = ["load_state_dict"]


def load_state_dict(
    layer: L.Layer,
    state_dict: Mapping[str, Any] | StrPath,
    names: Mapping[str, str] | None = None,
) -> None:
    """Load a PyTorch model's weights into a layer of the same architecture.

    Parameters
    ----------
    layer : Layer
        Sizes that are still unknown are taken from the weights.
    state_dict : mapping of str to tensor or array, or path
        The result of PyTorch's ``model.state_dict()``, or a ``.safetensors`` or
        ``.npz`` file of it. Tensors on a GPU need ``.cpu()`` first.
    names : mapping of str to str, optional
        PyTorch's names of layers that have another name here, as in ``{'l0': 'conv1',
        'l1': 'conv2'}``; they also apply to the contents of these layers. Default: the
        same names, with a dot where this package has a slash.

    Raises
    ------
    ValueError
        If an array is missing, surplus or of another shape, or a layer computes
        something different from PyTorch's; nothing has changed then.

    Notes
    -----
    Batch norm adds 2e-5 to a variance here, but 1e-5 in PyTorch: channels that hardly
    vary give slightly different results.

    Examples
    --------
    >>> from dezero_lite.models import Sequential
    >>> model = Sequential(L.Linear(2))
    >>> weight, bias = np.ones((2, 3), np.float32), np.zeros(2, np.float32)
    >>> load_state_dict(model, {"fc.weight": weight, "fc.bias": bias}, {"l0": "fc"})
    >>> model.l0.W.shape
    (3, 2)
    """
    if isinstance(state_dict, Mapping):
        path, found = "the state_dict", state_dict
    else:
        path, found = os.fsdecode(state_dict), load_arrays(state_dict)
    reader = Reader(path, found, names or {})
    reader.visit(layer, "", "")
    reader.check_all_used()
    fill(layer, reader.stored, path)


class Reader:
    """Goes through layers, and converts their tensors to this package's layout."""

    def __init__(
        self, path: str, found: Mapping[str, Any], names: Mapping[str, str]
    ) -> None:
        self.path, self.found, self.names = path, found, names
        self.stored: dict[str, Array] = {}
        self.used: set[str] = set()

    def visit(self, layer: L.Layer, ours: str, theirs: str) -> None:
        """Take the tensors of a layer. `ours` and `theirs` are the prefixes of its
        names here and in PyTorch.
        """
        if rule := _rule_of(layer):
            for name, array in rule(Tensors(self, theirs)).items():
                # A copy, because a tensor shares its memory with the PyTorch model.
                self.stored[ours + name] = np.array(array, order="C")
            return
        for name, member in members(layer):
            other = theirs + name.replace("/", ".")
            if isinstance(member, L.Layer):
                other = self.names.get(ours + name, other)
                self.visit(member, f"{ours}{name}/", f"{other}.")
            elif isinstance(member, Parameter | Buffer):
                self.stored[ours + name] = np.array(self.take(other))

    def take(self, name: str) -> Array:
        """Take the tensor of that name, as an array."""
        if name not in self.found:
            raise ValueError(
                f"{self.path} has no {name}, so nothing was loaded: it has "
                f"{first_few([*self.found])}; pass `names` if its layers have other "
                "names"
            )
        self.used.add(name)
        return np.asarray(self.found[name])

    def check_all_used(self) -> None:
        """Raise a ValueError if the file contains tensors that no layer took."""
        left = [n for n in self.found if n not in self.used and not n.endswith(COUNTS)]
        if left:
            raise ValueError(
                f"{self.path} holds arrays that the model lacks, so nothing was "
                f"loaded: {first_few(left)}"
            )


class Tensors:
    """The tensors of one PyTorch module, by their names in it, such as ``weight``."""

    def __init__(self, reader: Reader, prefix: str) -> None:
        self.reader, self.prefix = reader, prefix

    def __contains__(self, name: str) -> bool:
        return self.prefix + name in self.reader.found

    def __getitem__(self, name: str) -> Array:
        return self.reader.take(self.prefix + name)


# --- a rule for each kind of layer ----------------------------------------------------


def _transposed(t: Tensors) -> dict[str, Array]:
    # (out, in) in PyTorch, (in, out) here.
    return {"W": t["weight"].T} | _bias(t)


def _as_it_is(t: Tensors) -> dict[str, Array]:
    return {"W": t["weight"]} | _bias(t)


def _bias(t: Tensors) -> dict[str, Array]:
    return {"b": t["bias"]} if "bias" in t else {}


def _layer_norm(t: Tensors) -> dict[str, Array]:
    return {"gamma": t["weight"], "beta": t["bias"]}


def _batch_norm(t: Tensors) -> dict[str, Array]:
    averages = {"avg_mean": t["running_mean"], "avg_var": t["running_var"]}
    return averages | _layer_norm(t)


def _recurrent(t: Tensors, order: Sequence[int] = (0,)) -> dict[str, Array]:
    # PyTorch has two biases, which are added. A cell's names lack the _l0.
    end = "_l0" if "weight_ih_l0" in t else ""
    b = t[f"bias_ih{end}"] + t[f"bias_hh{end}"]
    Wx, Wh = t[f"weight_ih{end}"].T, t[f"weight_hh{end}"].T
    both = {"x2h/W": Wx, "x2h/b": b, "h2h/W": Wh}
    return {name: _in_order(array, order) for name, array in both.items()}


def _in_order(array: Array, order: Sequence[int]) -> Array:
    parts = np.split(array, len(order), axis=-1)
    return np.concatenate([parts[i] for i in order], axis=-1)


def _lstm(t: Tensors) -> dict[str, Array]:
    # The gates are i, f, g, o in PyTorch and f, i, o, u here; u is PyTorch's g.
    return _recurrent(t, order=(1, 0, 3, 2))


def _gru(t: Tensors) -> dict[str, Array]:
    raise ValueError(
        "a GRU cannot take PyTorch's weights: PyTorch applies the gate r after the "
        "product with the old state, this package before it"
    )


def _attention(t: Tensors) -> dict[str, Array]:
    qkv = {"qkv/W": t["in_proj_weight"].T, "qkv/b": t["in_proj_bias"]}
    return qkv | {"out/W": t["out_proj.weight"].T, "out/b": t["out_proj.bias"]}


RULES: dict[type[L.Layer], Callable[[Tensors], dict[str, Array]]] = {
    L.Linear: _transposed,
    L.EmbedID: _as_it_is,
    L.Conv2d: _as_it_is,  # also Deconv2d
    L.BatchNorm: _batch_norm,
    L.LayerNorm: _layer_norm,
    L.RNN: _recurrent,
    L.LSTM: _lstm,
    L.GRU: _gru,
    L.MultiHeadAttention: _attention,
}
# Counters of PyTorch that no layer here needs.
COUNTS = ("num_batches_tracked",)


def _rule_of(layer: L.Layer) -> Callable[[Tensors], dict[str, Array]] | None:
    """Return the function that converts PyTorch's tensors for this kind of layer."""
    return next((RULES[kind] for kind in type(layer).__mro__ if kind in RULES), None)
