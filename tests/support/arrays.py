"""Creates and compares arrays for tests."""

import numpy as np


def uniform(*shape, low=0.5, high=1.5, seed=0, dtype=float):
    """Return random numbers between `low` and `high`, the same in every run."""
    return np.random.default_rng(seed).uniform(low, high, shape).astype(dtype)


def normal(*shape, seed=0, dtype=float):
    """Return random numbers around 0, the same in every run."""
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def distinct(*shape, low=-2.0, high=2.0, seed=0):
    """Return numbers spread evenly from `low` to `high`, in random order.

    They are far enough from each other, and from 0, to be nudged if a function has
    kinks: the largest stays the largest.
    """
    n = int(np.prod(shape))
    x = low + (high - low) * (np.arange(n) + 0.4) / max(n, 1)
    return np.random.default_rng(seed).permutation(x).reshape(shape)


def assert_equal(actual, expected):
    """Fail unless two arrays have the same shape and equal numbers; NaN equals NaN."""
    __tracebackhide__ = True
    _assert_one_shape(actual, expected)
    np.testing.assert_array_equal(actual, expected)


def assert_close(actual, expected, rtol=1e-5, atol=1e-8):
    """Fail unless two arrays have the same shape and numbers that differ by at most
    ``atol + rtol * abs(expected)``.

    A Python number as `expected` is compared with every element of `actual`.
    """
    __tracebackhide__ = True
    if type(expected) not in (int, float):
        _assert_one_shape(actual, expected)
    np.testing.assert_allclose(actual, expected, rtol, atol, equal_nan=False)


def _assert_one_shape(actual, expected):
    __tracebackhide__ = True
    found, wanted = np.shape(actual), np.shape(expected)
    assert found == wanted, f"the shape is {found}, not {wanted}"
