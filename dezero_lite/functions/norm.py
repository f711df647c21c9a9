"""What keeps numbers in range, and networks from learning by heart. Steps 54 and 58
explain it.

Dropout and batch normalisation behave in training otherwise than in use: ``with
test_mode():`` tells them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from .. import cuda
from ..core import Config, Operand, Primitive, Variable, as_variable, describe
from ..core.sums import is_half
from ..core.types import Array, Shape, Value
from ..from_pytorch import unknown_argument
from ..random import generator
from .precision import downcast_half, into, picker, require_data, upcast_half
from .reduce import Mean, Sum

__all__ = ["batch_norm", "batch_nrom", "dropout", "layer_norm"]


# --- dropout --------------------------------------------------------------------------


def dropout(x: Operand, dropout_ratio: float = 0.5, **unknown: NoReturn) -> Variable:
    """Replace elements of `x` by 0 at random, in training; in test mode, `x` itself.
    Source: book step 54.

    The others are divided by ``1 - dropout_ratio``, so that the mean stays as it is.

    Parameters
    ----------
    x : Variable or ndarray
        Of any shape.
    dropout_ratio : float, optional
        The probability of an element to be replaced, from 0 to less than 1.

    Raises
    ------
    ValueError
        If `dropout_ratio` is outside that range.

    Notes
    -----
    The random numbers come from the framework's own generator, see
    :func:`dezero_lite.manual_seed`; they are drawn by the CPU, so that a GPU drops the
    same elements.
    """
    if unknown:
        raise unknown_argument("functions", unknown, "dropout")
    require_data(x)
    x = as_variable(x)
    if not 0 <= dropout_ratio < 1:
        raise ValueError(
            "dropout_ratio is the share of elements to drop, from 0 to less than 1, "
            f"not {dropout_ratio}: to drop everything leaves nothing to learn from"
        )
    if not Config.train or dropout_ratio == 0:
        return x
    mask = _random(x.shape, dropout_ratio) >= dropout_ratio
    return Dropout(cuda.get_array_module(x).asarray(mask), 1 / (1 - dropout_ratio))(x)


def _random(shape: Shape, ratio: float) -> Any:
    # float32 has 2²⁴ numbers from 0 to 1: too few to tell whether one is below 1e-9.
    ample = 2**-12 < ratio < 1 - 2**-12
    return generator().random(shape, np.float32 if ample else np.float64)


class Dropout(Primitive):
    """Numbers where `mask` holds, `scale` times as large, else 0."""

    def __init__(self, mask: Any, scale: float) -> None:
        self.mask, self.scale = mask, scale

    def forward(self, x: Array) -> Array:
        # A large scale has no place in a float16.
        y = upcast_half(x)
        y = y * y.dtype.type(self.scale)
        y = picker(y)(self.mask, y, out=into(y))
        return downcast_half(y, x)

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        return Dropout(self.mask, self.scale).apply(gy)


# --- normalisation --------------------------------------------------------------------


class _Normalisation(Primitive):
    # Along `axes`, the mean becomes 0 and the variance 1; then gamma and beta, in the
    # shape `form`, set others.
    axes: Shape
    form: Shape

    def __init__(self, eps: float) -> None:
        self.eps = eps

    def moments(self, x: Any) -> tuple[Any, Any, Any]:
        """The mean, the distances from it, and the variance; for a float16, whose
        squares do not fit it, as float32.
        """
        x = upcast_half(x)
        mean = self.mean(x)
        centred = x - mean
        return mean, centred, self.mean(centred * centred)

    def mean(self, x: Any) -> Any:
        return Mean(self.axes, keepdims=True).apply(x)

    def rescale(self, x: Any, centred: Any, var: Any, gamma: Any, beta: Any) -> Any:
        # `centred` is given away, and may become the result.
        slope = (var + self.eps) ** -0.5 * gamma.reshape(self.form)
        y = centred.astype(np.result_type(centred, gamma, beta), copy=False)
        y *= slope
        y += beta.reshape(self.form)
        return y.astype(np.result_type(x, gamma, beta)) if is_half(x) else y


def batch_norm(
    x: Operand,
    gamma: Operand,
    beta: Operand,
    mean: Operand,
    var: Operand,
    decay: float = 0.9,
    eps: float = 2e-5,
) -> Variable:
    """Normalise each channel over the batch, then scale it by `gamma` and shift it by
    `beta`.

    Parameters
    ----------
    x : Variable or ndarray
        The batch, of shape (N, C) or (N, C, H, W).
    gamma, beta : Variable or ndarray, shape (C,)
        The standard deviation and the mean that each channel shall have.
    mean, var : Variable or ndarray, shape (C,)
        Running averages over the batches seen in training, which changes them in place:
        by ``decay``, the old value stays. Test mode normalises by them, and leaves them
        alone.
    decay : float, optional
        See `mean`.
    eps : float, optional
        Added to the variance, so that a constant channel does not divide by 0.

    Raises
    ------
    ValueError
        If the shapes do not go together, or a batch to train on is empty.

    Notes
    -----
    The running variance is the unbiased one, m / (m − 1) times that of m numbers. One
    number alone has variance 0, so that its channel becomes `beta`.

    Sources: the book's function of this name; Ioffe and Szegedy, Batch Normalization,
    2015, arXiv:1502.03167.
    """
    return BatchNorm(mean, var, decay, eps)(x, gamma, beta)


#: The book spells it so.
batch_nrom = batch_norm


class BatchNorm(_Normalisation):
    def __init__(
        self, mean: Operand, var: Operand, decay: float = 0.9, eps: float = 2e-5
    ) -> None:
        super().__init__(eps)
        self.avg_mean = as_variable(mean).data
        self.avg_var = as_variable(var).data
        self.decay = decay

    def forward(self, x: Array, gamma: Array, beta: Array) -> Array:
        self._check(x, gamma, beta)
        self.axes = (0, *range(2, x.ndim))
        self.form = (1, x.shape[1], *[1] * (x.ndim - 2))
        # Copies: by the time of backward, the averages may have moved on.
        self.fixed = None
        if not Config.train:
            dtype = upcast_half(x[:0]).dtype
            averages = self.avg_mean.astype(dtype), self.avg_var.astype(dtype)
            self.fixed = [average.reshape(self.form) for average in averages]
        mean, centred, var = self.moments(x)
        if self.fixed is None:
            m = x.size // x.shape[1]
            self._remember(self.avg_mean, mean)
            self._remember(self.avg_var, var * (m / max(m - 1, 1)))
        return self.rescale(x, centred, var, gamma, beta)

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        x, gamma, beta = xs
        gy = upcast_half(gy)
        _, centred, var = self.moments(x)
        scale = (var + self.eps) ** -0.5
        gbeta = self.sum(gy)
        ggamma = self.sum(gy * centred) * scale
        gx = None
        if self.needs_input_grad(0):
            slope = gamma.reshape(self.form) * scale
            gx = gy * slope
            if self.fixed is None:
                # Each number moves the mean and the variance as well, so that much of
                # gy cancels out.
                slope = slope * (gamma.size / x.size)
                centred *= slope * scale * ggamma
                centred += slope * gbeta
                gx -= centred
        return gx, ggamma.reshape(gamma.shape), gbeta.reshape(beta.shape)

    def moments(self, x: Any) -> tuple[Any, Any, Any]:
        if self.fixed is None:
            return super().moments(x)
        mean, var = self.fixed
        return mean, upcast_half(x) - mean, var

    def sum(self, x: Any) -> Any:
        return Sum(self.axes, keepdims=True).apply(x)

    def _remember(self, average: Any, new: Any) -> None:
        average *= self.decay
        average += (1 - self.decay) * new.reshape(-1)

    def _check(self, x: Any, gamma: Any, beta: Any) -> None:
        if x.ndim not in (2, 4):
            raise ValueError(
                "batch_norm takes x of shape (N, C) or (N, C, H, W), but x is "
                f"{describe(x)}"
            )
        arrays = gamma, beta, self.avg_mean, self.avg_var
        named = dict(zip(("gamma", "beta", "mean", "var"), arrays, strict=True))
        for name, array in named.items():
            if np.shape(array) != x.shape[1:2]:
                raise ValueError(
                    f"batch_norm takes one number of {name} for each of the "
                    f"{x.shape[1]} channels of x, but x is {describe(x)}, {name} is "
                    f"{describe(array)}"
                )
        for name in ("mean", "var"):
            if named[name].dtype.kind != "f":
                raise ValueError(
                    f"batch_norm changes {name} by fractions, but {name} is "
                    f"{describe(named[name])}"
                )
        if Config.train and not x.size:
            raise ValueError(
                f"batch_norm has nothing to average: the batch of shape {x.shape} is "
                "empty"
            )


def layer_norm(
    x: Operand, gamma: Operand, beta: Operand, eps: float = 1e-5
) -> Variable:
    """Normalise each example over its features, then scale these by `gamma` and shift
    them by `beta`.

    Parameters
    ----------
    x : Variable or ndarray, shape (..., D)
        Normalised over the last axis, or over as many as `gamma` has.
    gamma, beta : Variable or ndarray, shape (D,)
        The standard deviation and the mean that each feature shall have.
    eps : float, optional
        Added to the variance, so that an example of equal features does not divide by
        0.

    Raises
    ------
    ValueError
        If the shapes do not go together.

    Notes
    -----
    Training and use are the same, and so is every size of batch. Source: Ba, Kiros and
    Hinton, Layer Normalization, 2016, arXiv:1607.06450.
    """
    return LayerNorm(eps)(x, gamma, beta)


class LayerNorm(_Normalisation):
    def forward(self, x: Array, gamma: Array, beta: Array) -> Array:
        n = gamma.ndim
        fits = gamma.shape == beta.shape == x.shape[-n:]
        if not n or not gamma.size or not fits:
            raise ValueError(
                "layer_norm takes gamma and beta of the shape of one example, the "
                f"last axes of x; but x is {describe(x)}, gamma is "
                f"{describe(gamma)}, beta is {describe(beta)}"
            )
        self.axes = tuple(range(-n, 0))
        self.form = gamma.shape
        _, centred, var = self.moments(x)
        return self.rescale(x, centred, var, gamma, beta)

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        x, gamma, _ = xs
        gy = upcast_half(gy)
        _, z, var = self.moments(x)
        scale = (var + self.eps) ** -0.5
        z *= scale
        products = gy * z
        ggamma, gbeta = self.over_examples(products), self.over_examples(gy)
        gx = None
        if self.needs_input_grad(0):
            # Each feature moves the mean and the variance as well, so that much of gx
            # cancels out.
            gx = gy * gamma
            products *= gamma
            z *= self.mean(products)
            z += self.mean(gx)
            gx -= z
            gx *= scale
        return gx, ggamma, gbeta

    def over_examples(self, x: Any) -> Any:
        # In the shape of gamma, whose axes are the last.
        return Sum(tuple(range(x.ndim + self.axes[0]))).apply(x)
