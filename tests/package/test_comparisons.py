"""The comparisons of arrays that all other tests use fail where they should."""

import numpy as np
import pytest

from tests.support.arrays import assert_close, assert_equal

DIFFERENT = [(np.ones(3), np.ones((2, 3))), (np.ones((1, 3)), np.ones(3))]
DIFFERENT += [(np.ones(3), np.float64(1)), (np.ones(3), [1, 1, 1.1])]
DIFFERENT += [(np.ones(0), np.ones(1))]


@pytest.mark.parametrize("fails", [assert_close, assert_equal])
@pytest.mark.parametrize(("actual", "expected"), DIFFERENT)
def test_another_shape_or_number_fails(fails, actual, expected):
    with pytest.raises(AssertionError):
        fails(actual, expected)


def test_a_number_of_pythons_is_expected_everywhere():
    assert_close(np.ones((2, 3)), 1)
    with pytest.raises(AssertionError):
        assert_close([1, 2], 1)


def test_close_is_what_it_is_in_numpy():
    assert_close([1.000009, 9e-9], [1, 0])
    for actual in ([1.00002, 0], [1, 2e-8]):
        with pytest.raises(AssertionError):
            assert_close(actual, [1, 0])
    with pytest.raises(AssertionError):
        assert_close([np.nan], [np.nan])
    assert_equal([np.nan], [np.nan])
