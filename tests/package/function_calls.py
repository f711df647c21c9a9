"""A computation for each function of the framework, in terms that dezero_lite and the
package that grows share, with its inputs: first numbers, then labels and the like.
"""

import numpy as np

from dezero_lite.cuda import get_array_module
from tests.support.arrays import distinct, normal, uniform

ROWS = distinct(3, 4)
IMAGES = distinct(2, 2, 5, 5)
KERNELS = normal(4, 2, 3, 3)
SHARES = uniform(3, 4, low=0.1, high=0.9)
LABELS = np.array([0, 3, 1])
YES_OR_NO = np.array([[0, 1, 1, 0]] * 3)
GAMMA, BETA = uniform(4), normal(4)
PICK = np.array([0, 2, 2])

CALLS = {
    "abs": ("abs", ROWS),
    "average": ("lambda x: average(x, axis=1)", ROWS),
    "average_pooling": ("lambda x: average_pooling(x, 3, 2, 1)", IMAGES),
    "batch_norm": ("in_both_modes(batch_norm)", ROWS, GAMMA, BETA),
    "batch_nrom": ("in_both_modes(batch_nrom)", ROWS, GAMMA, BETA),
    "binary_cross_entropy": ("binary_cross_entropy", SHARES, YES_OR_NO),
    "broadcast_to": ("lambda x: broadcast_to(x, (2, 3, 4))", ROWS),
    "clip": ("lambda x: clip(x, -1, 1)", ROWS),
    "col2im": ("lambda x: col2im(x, (1, 1, 4, 4), 3, 1, 0)", distinct(4, 9)),
    "concat": ("lambda x, y: concat([x, y], axis=1)", ROWS, normal(3, 2)),
    "conv2d": ("lambda *xs: conv2d(*xs, 2, 1)", IMAGES, KERNELS, BETA),
    "conv2d_simple": ("lambda *xs: conv2d_simple(*xs, 2, 1)", IMAGES, KERNELS, BETA),
    "cos": ("cos", ROWS),
    "deconv2d": ("lambda *xs: deconv2d(*xs, stride=2)", IMAGES, normal(2, 3, 3, 3)),
    "dropout": ("lambda x: [manual_seed(0), dropout(x, 0.4)][1]", ROWS),
    "embed_id": ("lambda W, x: embed_id(x, W)", ROWS, PICK),
    "exp": ("exp", ROWS),
    "expand_dims": ("lambda x: expand_dims(x, 1)", ROWS),
    "flatten": ("flatten", IMAGES),
    "gelu": ("gelu", ROWS),
    "get_item": ("lambda x, i: get_item(x, i)", ROWS, PICK),
    "im2col": ("lambda x: im2col(x, 3, 2, 1)", IMAGES),
    "attention": ("attention", ROWS, ROWS, ROWS),
    "attention_weights": ("attention_weights", ROWS, ROWS),
    "layer_norm": ("layer_norm", ROWS, GAMMA, BETA),
    "leaky_relu": ("leaky_relu", ROWS),
    "linear": ("linear", ROWS, normal(4, 2), normal(2)),
    "linear_simple": ("linear_simple", ROWS, normal(4, 2), normal(2)),
    "log": ("log", uniform(3, 4)),
    "log_softmax": ("log_softmax", ROWS),
    "logsumexp": ("lambda x: logsumexp(x, axis=0)", ROWS),
    "matmul": ("matmul", ROWS, normal(4, 2)),
    "max": ("lambda x: max(x, axis=1)", ROWS),
    "maximum": ("maximum", ROWS, normal(3, 4)),
    "mean": ("lambda x: mean(x, axis=0, keepdims=True)", ROWS),
    "mean_squared_error": ("mean_squared_error", ROWS, normal(3, 4)),
    "mean_squared_error_simple": ("mean_squared_error_simple", ROWS, normal(3, 4)),
    "min": ("lambda x: min(x, axis=0)", ROWS),
    "minimum": ("minimum", ROWS, normal(3, 4)),
    "pad": ("lambda x: pad(x, ((1, 0), (0, 2)))", ROWS),
    "pooling": ("lambda x: pooling(x, 3, 2, 1)", IMAGES),
    "pooling_simple": ("lambda x: pooling_simple(x, 3, 2, 1)", IMAGES),
    "relu": ("relu", ROWS),
    "reshape": ("lambda x: reshape(x, (2, 6))", ROWS),
    "sigmoid": ("sigmoid", ROWS),
    "sigmoid_cross_entropy": ("sigmoid_cross_entropy", ROWS, YES_OR_NO),
    "sigmoid_simple": ("sigmoid_simple", ROWS),
    "sin": ("sin", ROWS),
    "softmax": ("softmax", ROWS),
    "softmax_cross_entropy": ("softmax_cross_entropy", ROWS, LABELS),
    "softmax_cross_entropy_simple": ("softmax_cross_entropy_simple", ROWS, LABELS),
    "softmax_simple": ("softmax_simple", ROWS),
    "softplus": ("softplus", ROWS),
    "split": ("lambda x: split(x, 2, axis=1)", ROWS),
    "sqrt": ("sqrt", uniform(3, 4)),
    "squeeze": ("squeeze", ROWS[:, None]),
    "stack": ("lambda x, y: stack([x, y])", ROWS, normal(3, 4)),
    "sum": ("lambda x: sum(x, axis=(0, 2))", IMAGES),
    "sum_to": ("lambda x: sum_to(x, (1, 4))", ROWS),
    "tanh": ("tanh", ROWS),
    "transpose": ("lambda x: transpose(x, (2, 0, 3, 1))", IMAGES),
    "where": ("lambda a, b, c: where(c, a, b)", ROWS, normal(3, 4), ROWS > 0),
}


def function_of(code, package, functions):
    """Evaluate the code of a call with the functions of a package."""

    def in_both_modes(f):
        def both(x, gamma, beta):
            xp = get_array_module(x)
            averages = xp.zeros(4, gamma.dtype), xp.ones(4, gamma.dtype)
            with package.test_mode():
                tested = f(x, gamma, beta, *averages)
            return tested + f(x, gamma, beta, *averages)

        return both

    own = {"in_both_modes": in_both_modes, "manual_seed": package.manual_seed}
    return eval(code, vars(functions) | own)
