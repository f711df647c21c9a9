"""Transforms: each for one example, and those for arrays for a batch, with the same
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
from tests.support.arrays import assert_close, assert_equal

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


def test_a_batch_can_be_empty():
    chance = T.RandomHorizontalFlip(), T.RandomCrop(2)
    certain = T.Flatten(), T.ToFloat(), T.Normalize((1, 2, 3)), T.Compose([T.Flatten()])
    for transform in (*chance, *certain):
        assert len(transform.batch(images(0, 3, 4, 5))) == 0


def test_compose_goes_from_left_to_right():
    assert T.Compose([lambda x: x + 1, lambda x: x * 10])(2) == 30
    assert T.Compose([])(2) == 2


# --- arrays ---------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize(
    "mean",
    [3, 3.5, np.float64(3.5), np.array(3.5), (1, 2, 3), np.array([1.0, 2.0, 3.0])],
)
def test_normalize_keeps_the_dtype(dtype, mean):
    assert T.Normalize(mean, mean)(images(3, 4, 5, dtype=dtype)).dtype == dtype


def test_normalize_makes_float32_of_whole_numbers():
    result = T.Normalize(128, 2)(np.array([126, 130], np.uint8))
    assert result.dtype == np.float32
    assert result.tolist() == [-1, 1]


@pytest.mark.parametrize(
    ("transform", "x", "expected"),
    [
        (T.ToInt(), 3, np.int64(3)),
        (T.ToInt(), 3.7, np.int64(3)),
        (T.ToInt(), np.float32(3.7), np.int64(3)),
        (T.ToFloat(), True, np.float32(1)),
        (T.Normalize(1, 4), 3, np.float32(0.5)),
        (T.Normalize(1, 4), 3.0, np.float64(0.5)),
        (T.Normalize(1, 4), np.float32(3), np.float32(0.5)),
        (T.Normalize(1, 4), np.float16(3), np.float16(0.5)),
        (T.Normalize(1, 4), np.array(3, np.float32), np.float32(0.5)),
        (T.Compose([T.ToInt(), T.ToFloat()]), 3, np.float32(3)),
    ],
)
def test_numbers_are_transformed_too(transform, x, expected):
    result = transform(x)
    assert result.dtype == expected.dtype
    assert result.shape == ()
    assert result == expected


def test_lists_of_numbers_are_transformed_too():
    assert T.ToFloat()([1, 2]).tolist() == [1.0, 2.0]
    assert T.Flatten()([[1], [2]]).tolist() == [1, 2]
    assert T.Normalize((1, 2), 2)(((1.0,), (6.0,))).tolist() == [[0.0], [2.0]]


def test_normalize_takes_a_number_for_each_channel():
    x = images(3, 4, 5, dtype=np.float64)
    result = T.Normalize((1, 2, 3), (4, 5, 6))(x)
    for channel in range(3):
        assert_close(result[channel], (x[channel] - (channel + 1)) / (channel + 4))


def test_flatten_gives_an_array_of_its_own():
    x = images(1, 2, 3)
    y = T.Flatten()(x)
    y[:] = 0
    assert y.shape == (6,)
    assert x.any()


def test_dtypes_by_name():
    x = np.array([1.7, -1.7])
    assert T.AsType()(x).dtype == T.ToFloat()(x).dtype == np.float32
    assert T.AsType(np.float16)(x).dtype == np.float16
    assert T.ToInt()(x).dtype == np.int64
    assert T.ToInt()(x).tolist() == [1, -1]
    assert T.ToInt(np.int8)(x).dtype == np.int8


def repeated(x, count):
    return np.repeat(x[np.newaxis], count, axis=0)


def test_flips_are_as_likely_as_p():
    x = np.arange(6.0).reshape(1, 2, 3)
    manual_seed(0)
    assert_equal(T.RandomHorizontalFlip(1)(x), [[[2, 1, 0], [5, 4, 3]]])
    assert_equal(T.RandomHorizontalFlip(0)(x), x)
    firsts = T.RandomHorizontalFlip(0.3).batch(repeated(x, 2000))[:, 0, 0, 0]
    assert 0.25 < (firsts == 2).mean() < 0.35


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


def test_crops_reach_every_corner():
    manual_seed(0)
    crops = T.RandomCrop(2).batch(repeated(np.arange(9.0).reshape(1, 3, 3), 100))
    assert set(crops[:, 0, 0, 0]) == {0, 1, 3, 4}


def test_a_crop_is_an_array_of_its_own():
    x = np.ones((1, 2, 2))
    T.RandomCrop(2)(x)[:] = 0
    T.RandomHorizontalFlip(0)(x)[:] = 0
    assert x.all()


# --- images ---------------------------------------------------------------------------


def test_an_image_becomes_an_array_and_an_image_again():
    image = picture()
    array = T.ToArray(np.uint8)(image)
    assert array.shape == (3, 4, 5)
    assert array[1, 2, 3] == image.getpixel((3, 2))[1]
    assert T.ToPIL()(array).tobytes() == image.tobytes()
    grey = T.ToPIL()(array[:1])
    assert (grey.mode, grey.size) == ("L", (5, 4))
    assert_equal(T.ToArray()(grey), array[:1].astype(np.float32))
    assert T.ToArray()(picture()).dtype == np.float32
    assert T.ToArray()(array) is array


def test_convert_knows_modes_and_bgr():
    image = picture()
    r, g, b = image.getpixel((1, 2))
    assert T.Convert("BGR")(image).getpixel((1, 2)) == (b, g, r)
    assert T.Convert()(image.convert("L")).mode == "RGB"
    assert T.Convert("L")(image).mode == "L"


def test_resize_takes_width_and_height():
    image = picture()
    assert T.Resize((6, 3))(image).size == (6, 3)
    nearest = T.Resize((10, 8), Image.Resampling.NEAREST)(image)
    corner = image.getpixel((0, 0))
    assert nearest.getpixel((0, 0)) == nearest.getpixel((1, 1)) == corner
    bilinear = image.resize((6, 6), Image.Resampling.BILINEAR)
    assert T.Resize(6)(image).tobytes() == bilinear.tobytes()


def test_center_crop_takes_the_middle():
    image = picture(9, 4)
    crop = T.CenterCrop((4, 2))(image)
    assert_equal(np.asarray(crop), np.asarray(image)[1:3, 2:6])
    assert T.CenterCrop((9, 4))(image).tobytes() == image.tobytes()


@pytest.mark.parametrize(
    "size", [np.int64(3), np.array(3), (np.int8(3), 3), [3, 3], np.array([3, 3])]
)
@pytest.mark.parametrize("make", [T.Resize, T.CenterCrop, T.RandomCrop])
def test_a_size_may_be_of_numpy(make, size):
    made = make(size)
    assert made.size == (3, 3)
    x = np.zeros((1, 5, 5), np.uint8) if make is T.RandomCrop else picture()
    assert (made(x)[0].shape if make is T.RandomCrop else made(x).size) == (3, 3)


# What is done, to what, and what is said to it.


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
