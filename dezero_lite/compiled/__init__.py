"""Loops compiled by Numba that replace slow NumPy code: max pooling, layer norm,
softmax cross-entropy, Adam, the gradients of products with a row or a column, and the
sum of columns into images.

None of it is used before :func:`use` is called, and only that call needs Numba. A
kernel takes contiguous arrays of one dtype, float32 or float64. Everything else is
computed as before, in particular Variables, which occur in double backprop. Steps 83
and 84 explain it.

Max pooling, Adam and the sum of columns give the same bits as before, except for the
sign of a zero where a gradient is infinite. The other results agree up to rounding;
sums are computed in float64.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from ..core.operators import Mul
from ..core.types import Shape
from ..functions import conv_fast
from ..functions.loss import SoftmaxCrossEntropy
from ..functions.norm import LayerNorm
from ..functions.pool import LARGE, Pooling, _overlap
from ..optimizers import Adam
from ..optimizers.optimizer import gradient_of

__all__ = ["use"]

DTYPES = np.float32, np.float64
# With more scores, NumPy is faster, because it computes several exponentials at once.
FEW_SCORES = 5_000

kernels: ModuleType


def _fit(arrays: Sequence[Any], shapes: Sequence[Shape]) -> bool:
    """Return whether kernels may use these arrays, each in the given shape: a kernel
    checks neither bounds nor dtypes, and may write into its arguments.
    """
    return all(
        type(x) is np.ndarray
        and x.dtype in DTYPES
        and x.dtype == arrays[0].dtype
        and x.shape == shape
        and x.flags.carray  # contiguous, aligned and writeable
        for x, shape in zip(arrays, shapes, strict=True)
    )


class use:
    """Use compiled loops from now on; ``with use():`` restores the previous functions
    at the end of the block.

    Raises
    ------
    ImportError
        If Numba is not installed.
    """

    def __init__(self) -> None:
        global kernels
        try:
            from . import kernels
        except ImportError as error:
            raise ImportError(
                "compiled.use() needs Numba, unlike the rest of the package: pip "
                f"install numba ({error})"
            ) from None
        self._before = {key: key[0].__dict__[key[1]] for key in COMPILED}
        _swap(COMPILED)

    def __enter__(self) -> use:
        return self

    def __exit__(self, *_: object) -> None:
        _swap(self._before)


def _swap(methods: dict[tuple[Any, str], Any]) -> None:
    for (owner, name), method in methods.items():
        setattr(owner, name, method)


# --- the replacements -----------------------------------------------------------------


def _pooling_back(self: Any, xs: Any, gy: Any) -> Any:
    (x,), y, window = xs, self._y, self.window
    shape = *x.shape[:2], *window.output_size(x.shape)
    gy = np.ascontiguousarray(gy) if type(gy) is np.ndarray else gy
    # Beyond LARGE, NumPy's code adds in another order.
    if window.area > LARGE or not _fit([x, y, gy], [x.shape, shape, shape]):
        return BEFORE[Pooling, "vjp"](self, xs, gy)
    settings, places = (window.kernel, window.stride), np.empty(shape, np.int8)
    # A border of NaN never wins.
    images = _images(window.add_border(x, np.nan))
    kernels.find_places(images, _images(y), *settings, _images(places))
    bordered = np.zeros(window.bordered_shape(x.shape), gy.dtype)
    share = kernels.add_up if _overlap(window) else kernels.spread
    share(_images(gy), _images(places), *settings, _images(bordered))
    return window.remove_border(bordered) if any(window.pad) else bordered


def _images(x: Any) -> Any:
    return x.reshape(-1, *x.shape[2:])


def _scatter(y: Any, W: Any, window: Any, shape: Any, groups: int) -> Any:
    dtype = np.result_type(y, W)
    plain = type(y) is type(W) is np.ndarray and dtype in DTYPES
    if not plain or y.shape[2:] != window.output_size(shape):
        return BEFORE[conv_fast, "_scatter"](y, W, window, shape, groups)
    kernel = conv_fast._as_matrices(W, groups).transpose(0, 2, 1)
    bordered = np.zeros(window.bordered_shape(shape), dtype)
    blocks = conv_fast._blocks(bordered, shape, y.shape[2:], window, groups)
    for images, rows, columns, matrix in blocks:
        np.matmul(kernel, conv_fast._group(y[images, :, rows], groups), out=matrix)
        kernels.add_columns(
            *(columns.transpose(1, 2, 3, 0, 4, 5), window.stride, window.dilation),
            *(rows.start, bordered[images]),
        )
    return window.remove_border(bordered)


def _adam(self: Adam, param: Any) -> None:
    state = self.state(param)
    arrays = param.data, gradient_of(param), state["m"], state["v"]
    if not _fit(arrays, [param.shape] * len(arrays)):
        return BEFORE[Adam, "update_one"](self, param)  # type: ignore[no-any-return]
    state["t"] += 1
    new = 1 - float(self.beta1), 1 - float(self.beta2)
    step, keep = self._step_size(int(state["t"])), 1 - self._decay()
    flat = [x.reshape(-1) for x in arrays]
    kernels.adam(
        *flat,
        *[
            param.data.dtype.type(number)
            for number in (*new, float(self.eps), step, keep)
        ],
    )


def _product_left(self: Mul, gy: Any, a: Any, b: Any) -> Any:
    sums = _summed(gy, b, a)
    return BEFORE[Mul, "vjp_left"](self, gy, a, b) if sums is None else sums


def _product_right(self: Mul, gy: Any, a: Any, b: Any) -> Any:
    sums = _summed(gy, a, b)
    return BEFORE[Mul, "vjp_right"](self, gy, a, b) if sums is None else sums


def _summed(gy: Any, x: Any, thin: Any) -> Any:
    # gy * x, summed down to a row or a column.
    if not type(gy) is type(thin) is np.ndarray or thin.size >= gy.size:
        return None
    if not _fit([x, thin], [gy.shape, thin.shape]):
        return None
    is_row = thin.shape[-1:] == x.shape[-1:] == (thin.size,)
    if not is_row and thin.shape != (*x.shape[:-1], 1):
        return None
    matrix = x.reshape(-1, x.shape[-1])
    if not any(gy.strides):  # a single number, as from the gradient of a sum
        gy = np.full((1, x.shape[-1]), gy.flat[0])
    gy = np.ascontiguousarray(gy).reshape(-1, x.shape[-1])
    total = np.zeros(thin.size)
    (kernels.sum_of_rows if is_row else kernels.sum_of_columns)(gy, matrix, total)
    return total.astype(x.dtype).reshape(thin.shape)


def _layer_norm(self: LayerNorm, x: Any, gamma: Any, beta: Any) -> Any:
    example = x.shape[-gamma.ndim :]
    empty = 0 in (gamma.ndim, gamma.size)
    if empty or not _fit([x, gamma, beta], [x.shape, example, example]):
        return BEFORE[LayerNorm, "forward"](self, x, gamma, beta)
    self.axes, self.form = tuple(range(-gamma.ndim, 0)), gamma.shape
    y = np.empty_like(x)
    rows = [array.reshape(-1, gamma.size) for array in (x, y)]
    kernels.layer_norm(rows[0], gamma.ravel(), beta.ravel(), self.eps, rows[1])
    return y


def _layer_norm_back(self: LayerNorm, xs: Any, gy: Any) -> Any:
    x, gamma, _ = xs
    example = x.shape[-len(self.form) :]
    if not _fit([x, gamma, gy], [x.shape, example, x.shape]):
        return BEFORE[LayerNorm, "vjp"](self, xs, gy)
    gx, ggamma, gbeta = np.empty_like(x), np.zeros(gamma.size), np.zeros(gamma.size)
    rows = [array.reshape(-1, gamma.size) for array in (x, gy, gx)]
    kernels.layer_norm_back(
        rows[0], gamma.ravel(), rows[1], self.eps, rows[2], ggamma, gbeta
    )
    sums = [g.astype(x.dtype).reshape(gamma.shape) for g in (ggamma, gbeta)]
    return gx if self.needs_input_grad(0) else None, *sums


def _cross_entropy(self: SoftmaxCrossEntropy, x: Any, t: Any) -> Any:
    if not _few(x, t):
        return BEFORE[SoftmaxCrossEntropy, "forward"](self, x, t)
    return x.dtype.type(kernels.cross_entropy(x, t.astype(np.int64)))


def _cross_entropy_back(self: SoftmaxCrossEntropy, xs: Any, gy: Any) -> Any:
    x, t = xs
    if not _few(x, t) or np.ndim(gy):
        return BEFORE[SoftmaxCrossEntropy, "vjp"](self, xs, gy)
    gx = np.empty_like(x)
    kernels.cross_entropy_back(x, t.astype(np.int64), float(gy) / len(x), gx)
    return gx, None


def _few(x: Any, t: Any) -> bool:
    return 0 < x.size <= FEW_SCORES and _fit([x], [(*t.shape, *x.shape[-1:])])


COMPILED: dict[tuple[Any, str], Any] = {
    (Pooling, "vjp"): _pooling_back,
    (conv_fast, "_scatter"): _scatter,
    (Adam, "update_one"): _adam,
    (Mul, "vjp_left"): _product_left,
    (Mul, "vjp_right"): _product_right,
    (LayerNorm, "forward"): _layer_norm,
    (LayerNorm, "vjp"): _layer_norm_back,
    (SoftmaxCrossEntropy, "forward"): _cross_entropy,
    (SoftmaxCrossEntropy, "vjp"): _cross_entropy_back,
}
BEFORE = {key: key[0].__dict__[key[1]] for key in COMPILED}
