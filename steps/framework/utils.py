"""Small helpers on plain arrays, the judge of gradients, and the random numbers."""

import inspect

import numpy as np

from .core import Variable, as_array

# --- Step 24: gradients by nudging ----------------------------------------------------


def slopes(f, *arrays, eps=1e-4):
    """Measure the slope of the number f(*arrays) for each element, by nudging it."""
    found = [np.zeros_like(array) for array in arrays]
    for array, slope in zip(arrays, found, strict=True):
        for i in np.ndindex(array.shape):
            middle = array[i]
            array[i] = middle + eps
            high = f(*arrays)
            array[i] = middle - eps
            low = f(*arrays)
            array[i] = middle
            slope[i] = (high - low) / (2 * eps)
    return found


def numerical_grad(f, x, *args):
    """Measure the slopes of the sum of f(x, ...) along the variable or array x."""
    box = type(x) if hasattr(x, "creator") else Variable
    data = x.data if hasattr(x, "creator") else x
    return slopes(lambda a: f(box(a), *args).data.sum(), np.array(data, float))[0]


def gradient_check(f, x, *args, rtol=1e-4, atol=1e-5):
    """Tell whether backward through f(x, ...) agrees with nudging, to second order."""
    return GradientCheck(f, x, *args).passes(rtol, atol)


class GradientCheck:
    """The derivatives of Σ w · f(x0, x1, …), by backward and by nudging."""

    def __init__(self, f, x, *args):
        x = x if hasattr(x, "creator") else Variable(as_array(x))
        self.f, self.inputs = f, [x, *args]
        self.box = type(x)
        self.moving = [
            i
            for i, v in enumerate(self.inputs)
            if hasattr(v, "creator") and v.dtype.kind == "f"
        ]
        self.arrays = [np.array(self.inputs[i].data, float) for i in self.moving]
        # Random weights, because with equal ones wrong gradients may cancel.
        rng = np.random.default_rng(0)
        self.w = rng.uniform(0.5, 1.5, self.call(*self.arrays)[1].shape)
        self.vs = [rng.uniform(0.5, 1.5, array.shape) for array in self.arrays]

    def call(self, *arrays):
        xs = [self.box(array.copy()) for array in arrays]
        inputs = list(self.inputs)
        for i, x in zip(self.moving, xs, strict=True):
            inputs[i] = x
        return xs, self.f(*inputs)

    def value(self, *arrays):
        """Return Σ w · f."""
        return np.sum(self.w * self.call(*arrays)[1].data)

    def gradients(self, *arrays, **options):
        xs, y = self.call(*arrays)
        (y * self.w).backward(**options)
        gradients = [x.grad for x in xs]
        for x in xs:
            x.cleargrad()
        return xs, gradients

    def slope(self, *arrays):
        """Return Σ v · (the gradient of Σ w · f)."""
        gradients = self.gradients(*arrays)[1]
        pairs = zip(self.vs, gradients, strict=True)
        return sum(np.sum(v * plain(g)) for v, g in pairs if g is not None)

    def second(self):
        """Return the gradients of `slope`."""
        xs, gradients = self.gradients(*self.arrays, create_graph=True)
        for v, g in zip(self.vs, gradients, strict=True):
            if g is not None:
                (g * v).backward()
        return [x.grad for x in xs]

    def passes(self, rtol, atol):
        _, found = self.gradients(*self.arrays)
        orders = [("gradient", found, self.value)]
        if "create_graph" in inspect.signature(self.box.backward).parameters:
            orders.append(("second derivative", self.second(), self.slope))
        for what, found, number in orders:
            wanted = slopes(number, *self.arrays)
            for i, g, numbers in zip(self.moving, found, wanted, strict=True):
                g = np.zeros_like(numbers) if g is None else plain(g)
                if g.shape != numbers.shape or not np.allclose(g, numbers, rtol, atol):
                    print(f"gradient_check failed: the {what} for input {i} differs:")
                    print(f"backward returned {g}, numerical_grad {numbers}")
                    return False
        return True


def plain(gradient):
    """Return a gradient as an array: from step 32 on, gradients are variables."""
    return gradient.data if hasattr(gradient, "creator") else np.asarray(gradient)


# --- Step 39: the shape of a sum before its axes were lost ----------------------------


def kept_shape(shape, axis):
    """Return ``shape`` with length 1 along ``axis``: a number, a tuple or None."""
    axes = range(len(shape)) if axis is None else np.atleast_1d(axis) % len(shape)
    return tuple([1 if i in axes else n for i, n in enumerate(shape)])


def reshape_sum_backward(gy, x_shape, axis, keepdims):
    """Put the lost axes back into the gradient of a sum, with length 1."""
    return gy if keepdims else gy.reshape(kept_shape(x_shape, axis))


def max_backward_shape(x, axis):
    """Return a maximum's shape along ``axis``, with lost axes put back at length 1."""
    return kept_shape(x.shape, axis)


# --- Step 44: random numbers ----------------------------------------------------------


class Random:
    """Where initial weights, dropout and data loaders draw their numbers from."""

    generator = None


def manual_seed(seed=None):
    """Begin the random numbers anew: the same seed gives the same numbers."""
    Random.generator = np.random.default_rng(seed)


def generator():
    """The generator of `manual_seed`; without a seed, one that nobody knows."""
    if Random.generator is None:
        manual_seed()
    return Random.generator


# --- Step 53: comparing ---------------------------------------------------------------


def array_equal(a, b):
    """Tell whether two variables or arrays have the same shape and elements."""
    return np.array_equal(plain(a), plain(b))


def array_allclose(a, b, rtol=1e-4, atol=1e-5):
    """Tell whether two variables or arrays agree up to ``atol + rtol * abs(b)``."""
    return np.allclose(plain(a), plain(b), rtol=rtol, atol=atol)


# --- Step 55: a window that slides over an image --------------------------------------


def get_conv_outsize(input_size, kernel_size, stride, pad):
    """Count the stops of a window: (H + 2P − K) // S + 1"""
    return (input_size + 2 * pad - kernel_size) // stride + 1


def get_deconv_outsize(size, k, s, p):
    """Return the smallest length with ``size`` stops: S(H − 1) + K − 2P"""
    return s * (size - 1) + k - 2 * p


def pair(x):
    """Return a size for each of the two axes, given one number or a pair."""
    return x if isinstance(x, tuple) else (x, x)
