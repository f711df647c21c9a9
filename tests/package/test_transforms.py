"""Transforms: each on one example, and those for arrays also on a batch, with the same
result.
"""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dezero_lite import manual_seed
from dezero_lite import transforms as T
from dezero_lite.transforms.batches import apply_to_batch
from tests.support.arrays import assert_equal

Image = pytest.importorskip("PIL.Image")


def images(*shape, dtype=np.uint8):
    return np.random.default_rng(0).integers(0, 256, shape).astype(dtype)


def picture(width=5, height=4):
    return Image.fromarray(images(height, width, 3))


# --- examples and batches -------------------------------------------------------------


PLAIN = [T.AsType(np.float64), T.ToFloat(), T.ToInt(), T.Flatten(), lambda x: x * 2]
SCALED = [T.Normalize(2, 4), T.Normalize((1, 2, 3), (4, 5, 6)), T.Normalize([7], 2.0)]
DRAWN = [T.RandomHorizontalFlip(), T.RandomCrop(3), T.RandomCrop((2, 5), pad=2)]
PIPES = [T.Compose(), T.Compose([T.ToPIL(), T.Resize(6), T.ToArray()])]
PIPES += [T.Compose([T.Flatten(), T.ToFloat(), T.Normalize(0.0, 255.0)])]


@pytest.mark.parametrize("transform", [*PLAIN, *SCALED, *DRAWN, *PIPES])
@pytest.mark.parametrize("n", [1, 5])
def test_a_batch_is_transformed_like_its_examples(transform, n):
    xs = images(n, 3, 4, 5)
    original = xs.copy()
    manual_seed(0)
    expected = np.stack([transform(x) for x in xs])
    manual_seed(0)
    result = apply_to_batch(transform, xs)
    assert result.dtype == expected.dtype
    assert_equal(result, expected)
    assert_equal(xs, original)


# --- arrays ---------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize(
    "mean",
    [3, 3.5, np.float64(3.5), np.array(3.5), (1, 2, 3), np.array([1.0, 2.0, 3.0])],
)
def test_normalize_keeps_the_dtype(dtype, mean):
    assert T.Normalize(mean, mean)(images(3, 4, 5, dtype=dtype)).dtype == dtype


@given(
    height=st.integers(1, 6),
    width=st.integers(1, 6),
    size=st.tuples(st.integers(1, 6), st.integers(1, 6)),
    pad=st.integers(0, 2),
)
@settings(derandomize=True, deadline=None, max_examples=60)
def test_a_crop_is_a_part_of_the_padded_image(height, width, size, pad):
    x = np.arange(1, 1 + 2 * height * width).reshape(2, height, width)
    room = (height + 2 * pad - size[0], width + 2 * pad - size[1])
    if min(room) < 0:
        with pytest.raises(ValueError, match="RandomCrop cannot cut"):
            T.RandomCrop(size, pad)(x)
        return
    padded = np.pad(x, [(0, 0), (pad, pad), (pad, pad)])
    corners = np.ndindex(room[0] + 1, room[1] + 1)
    parts = [padded[:, i : i + size[0], j : j + size[1]] for i, j in corners]
    crop = T.RandomCrop(size, pad)(x)
    assert any([np.array_equal(crop, part) for part in parts])


# --- images ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "size", [np.int64(3), np.array(3), (np.int8(3), 3), [3, 3], np.array([3, 3])]
)
@pytest.mark.parametrize("make", [T.Resize, T.CenterCrop, T.RandomCrop])
def test_a_size_may_be_of_numpy(make, size):
    made = make(size)
    assert made.size == (3, 3)
    x = np.zeros((1, 5, 5), np.uint8) if make is T.RandomCrop else picture()
    assert (made(x)[0].shape if make is T.RandomCrop else made(x).size) == (3, 3)


# The transform, its input, and the message.


@pytest.mark.parametrize(
    "transform", [T.Convert(), T.Resize(2), T.CenterCrop(2), T.ToArray()]
)
def test_without_pillow_the_error_says_what_to_install(transform, monkeypatch):
    image = picture()
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(ImportError, match="`pip install pillow`"):
        transform(image)
    with pytest.raises(ImportError, match="`pip install pillow`"):
        T.ToPIL()(np.zeros((1, 2, 2), np.uint8))
    assert T.ToArray()(np.zeros(2)).shape == (2,)
