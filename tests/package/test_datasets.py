"""Data sets: complete for those that are generated or shipped here; from small files in
the same format for the large ones.
"""

import gzip
import hashlib
import io
import re
import struct
import sys
import tarfile

import numpy as np
import pytest

from dezero_lite import datasets as D
from dezero_lite import downloads
from dezero_lite.transforms import Normalize, ToFloat, ToInt
from tests.support.arrays import assert_close, assert_equal
from tests.support.memory_checks import at_most
from tests.support.needs import needs


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("DEZERO_LITE_DATA", str(tmp_path))
    return tmp_path


class Numbers(D.Dataset):
    def prepare(self):
        self.data = np.arange(10) if self.train else np.arange(10, 14)
        self.label = self.data**2


class NumbersInLists(Numbers):
    def prepare(self):
        super().prepare()
        self.data, self.label = self.data.tolist(), self.label.tolist()


# --- Dataset --------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Numbers, NumbersInLists])
@pytest.mark.parametrize(
    "index", [[3, 1, 3], np.array([-1, 2]), slice(2, 8, 3), np.arange(10) > 6]
)
def test_many_indices_give_a_batch(kind, index):
    positions = np.arange(10)[index]
    numbers = kind()
    x, t = numbers[index]
    assert_equal(x, positions)
    assert_equal(t, positions**2)
    assert type(x) is type(t) is np.ndarray
    x[:] = t[:] = -1
    assert min(numbers.data) == min(numbers.label) == 0


@pytest.mark.parametrize("index", [2, [2, 3]])
def test_transforms_apply_to_examples_and_labels(index):
    plain = Numbers()[index]
    x, t = Numbers(transform=lambda x: x + 0.5, target_transform=lambda t: -t)[index]
    assert_equal(x, plain[0] + 0.5)
    assert_equal(t, -plain[1])


@pytest.mark.parametrize(
    ("transform", "dtype"), [(ToInt(np.int32), np.int32), (Normalize(1, 2), np.float32)]
)
def test_labels_in_a_list_of_numbers_can_be_transformed(transform, dtype):
    class Listed(D.Dataset):
        def prepare(self):
            self.data, self.label = [[1, 2], [3, 4], [5, 6]], [1, 3, 5]

    data = Listed(transform=ToFloat(), target_transform=transform)
    expected = transform(np.array([1, 3, 5]))
    (x, t), (xs, ts) = data[1], data[:]
    assert (t, t.dtype, x.tolist(), x.dtype) == (expected[1], dtype, [3, 4], np.float32)
    assert (ts.tolist(), ts.dtype, xs.tolist()) == (expected.tolist(), dtype, data.data)


# --- made here ------------------------------------------------------------------------


# The first rows that the book's `get_spiral` returns.
SPIRALS = {
    True: [[-0.13981389, -0.00721657], [0.37049392, 0.5820947]],
    False: [[0.13246453, 0.13620993], [-0.31427157, 0.24745378]],
}
ARMS = {True: [1, 1, 2, 0, 1, 2, 0, 0, 1, 2], False: [0, 1, 0, 1, 2, 2, 1, 2, 2, 0]}


@pytest.mark.parametrize("train", [True, False])
def test_the_spirals_are_those_of_the_book(train):
    before = np.random.get_state()[1].tolist()
    x, t = D.get_spiral(train)
    assert_close(x[:2], SPIRALS[train], rtol=1e-6)
    assert t[:10].tolist() == ARMS[train]
    assert (x.dtype, t.dtype) == (np.float32, np.int64)
    assert np.bincount(t).tolist() == [100, 100, 100]
    assert_close(np.sort(np.hypot(*x[t == 2].T)), np.arange(100) / 100, atol=1e-6)
    assert np.random.get_state()[1].tolist() == before
    spiral = D.Spiral(train)
    assert_equal(spiral.data, x)
    assert_equal(spiral.label, t)


# --- MNIST ----------------------------------------------------------------------------


def idx(array, kind=8):
    array = np.asarray(array, np.uint8)
    lengths = struct.pack(f">{array.ndim}I", *array.shape)
    return bytes([0, 0, kind, array.ndim]) + lengths + array.tobytes()


PIXELS = np.random.default_rng(0).integers(0, 256, (5, 28, 28)).astype(np.uint8)
PIXELS[0, 0, :2] = 0, 255
KINDS = [3, 0, 4, 1, 9]
IMAGES, LABELS = "train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"


def put(folder, images, labels, part="mnist"):
    (folder / part).mkdir(exist_ok=True)
    (folder / part / IMAGES).write_bytes(images)
    (folder / part / LABELS).write_bytes(labels)


@pytest.mark.parametrize(
    ("kind", "part"), [(D.MNIST, "mnist"), (D.FashionMNIST, "fashion-mnist")]
)
def test_mnist_is_read_from_a_folder(folder, kind, part):
    put(folder, gzip.compress(idx(PIXELS)), gzip.compress(idx(KINDS)), part)
    data = kind()
    assert data.data.shape == (5, 1, 28, 28)
    assert_equal(data.data[:, 0], PIXELS)
    assert data.label.tolist() == KINDS
    x, t = data[0]
    assert (x.shape, x.dtype, x.min(), x.max(), t) == ((784,), np.float32, 0, 1, 3)
    assert x[1] == 1
    assert len(kind.labels()) == 10
    data.data[0] = 1


IDX = idx(PIXELS)
GZ = gzip.compress(IDX)
RIGHT_LABELS = gzip.compress(idx(KINDS))


def promising(*shape):
    return bytes([0, 0, 8, 3]) + struct.pack(">3I", *shape)


@pytest.mark.parametrize(
    ("begin", "message"),
    [
        (promising(60_001, 28, 28), r"shape \(60001, 28, 28\), but at most \(60000,"),
        (promising(5, 29, 28), r"shape \(5, 29, 28\), but at most \(60000, 28, 28\)"),
        (promising(5, 28, 2**31), r"\(5, 28, 2147483648\), but at most \(60000, 28"),
        (IDX, "declares 3920 values, .* but more follow"),
    ],
)
def test_no_more_is_unpacked_than_was_promised_and_can_be(folder, begin, message):
    put(folder, gzip.compress(begin + bytes(2**22)), RIGHT_LABELS)
    with at_most(2**20), pytest.raises(ValueError, match=f"{IMAGES} .*{message}"):
        D.MNIST()


def test_a_download_is_held_to_what_is_in_it(tmp_path, monkeypatch):
    class Small(D.MNIST):
        _sha256 = tuple(hashlib.sha256(part).hexdigest() for part in (IDX, idx(KINDS)))

    monkeypatch.delenv("DEZERO_LITE_DATA", raising=False)
    asked = []

    def get_file(url, name, known_hash):
        asked.append(name)
        return str(tmp_path / name)

    monkeypatch.setattr(D.mnist, "get_file", get_file)
    put(tmp_path, gzip.compress(IDX, 1), gzip.compress(idx(KINDS)))
    assert len(Small()) == 5
    put(tmp_path, GZ, gzip.compress(idx(KINDS[::-1])))
    wrong = r"train-labels.* has the SHA-256 [0-9a-f]{64}, but .* Delete it"
    with pytest.raises(ValueError, match=wrong):
        Small()
    assert asked == [f"mnist/{IMAGES}", f"mnist/{LABELS}"] * 2


def test_each_file_has_its_own_hashes(monkeypatch):
    asked = []

    def read_idx(path, most, sha256):
        asked.append((path, sha256))
        return np.zeros((1, *most[1:]), np.uint8)

    monkeypatch.delenv("DEZERO_LITE_DATA", raising=False)
    monkeypatch.setattr(D.mnist, "get_file", lambda url, name, known: f"{name} {known}")
    monkeypatch.setattr(D.mnist, "read_idx", read_idx)
    D.MNIST(), D.MNIST(train=False)
    names = [IMAGES, LABELS, *(x.replace("train", "t10k") for x in (IMAGES, LABELS))]
    paths = [f"mnist/{x} md5:{h}" for x, h in zip(names, D.MNIST._md5, strict=True)]
    assert asked == list(zip(paths, D.MNIST._sha256, strict=True))
    for kind in (D.MNIST, D.FashionMNIST):
        assert [len(h) for h in (*kind._md5, *kind._sha256)] == 4 * [32] + 4 * [64]


@pytest.mark.parametrize(
    "kind",
    [D.MNIST, D.FashionMNIST, D.CIFAR10, D.CIFAR100, D.ImageNet.labels, D.Shakespear],
)
@pytest.mark.parametrize("train", [True, False])
def test_downloads_are_over_https_and_have_a_known_hash(monkeypatch, kind, train):
    asked = []

    class Enough(Exception):
        pass

    def get_file(url, name=None, known_hash=None):
        asked.append(url)
        assert url.startswith("https://")
        # The labels' address holds a hash.
        assert re.fullmatch(r"md5:[0-9a-f]{32}|[0-9a-f]{64}", known_hash or "0" * 64)
        raise Enough

    for module in (D.mnist, D.cifar, D.imagenet, D.text):
        monkeypatch.setattr(module, "get_file", get_file)
    with pytest.raises(Enough):
        kind() if kind is D.ImageNet.labels else kind(train)
    assert len(asked) == 1


# --- CIFAR ----------------------------------------------------------------------------


def archive(path, files):
    with tarfile.open(path, "w:gz") as tar:
        for name, content in files.items():
            info = tarfile.TarInfo("some-folder/" + name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))


def records(labels, first):
    # Red images, each of one shade.
    return b"".join(
        bytes([*np.atleast_1d(t)]) + bytes([first + i]) * 1024 + bytes(2048)
        for i, t in enumerate(labels)
    )


CIFAR10_FILES = {"readme.html": b"", "test_batch.bin": records([7, 8], 100)} | {
    f"data_batch_{i}.bin": records([i, 9], 10 * i) for i in (2, 1, 5, 4, 3)
}
CIFAR10_ARCHIVE = "cifar-10-binary.tar.gz"


def test_cifar10_is_read_in_order(folder):
    archive(folder / "cifar-10-binary.tar.gz", CIFAR10_FILES)
    train, test = D.CIFAR10(), D.CIFAR10(train=False)
    assert train.data.shape == (10, 3, 32, 32)
    assert train.data.dtype == np.uint8
    assert train.data[:, 0, 5, 5].tolist() == [10, 11, 20, 21, 30, 31, 40, 41, 50, 51]
    assert train.data[:, 1:].max() == 0
    assert train.label.tolist() == [1, 9, 2, 9, 3, 9, 4, 9, 5, 9]
    assert test.label.tolist() == [7, 8]
    assert D.CIFAR10.labels()[7] == "horse"
    x, _ = train[0]
    assert x.dtype == np.float32
    assert_close([x[0, 0, 0], x[1, 0, 0]], [10 / 127.5 - 1, -1])
    train.data[0] = 1


def test_cifar100_has_kinds_and_groups(folder):
    test, train = records([(2, 3)], 9), records([(0, 4), (19, 99)], 1)
    archive(folder / "cifar-100-binary.tar.gz", {"train.bin": train, "test.bin": test})
    assert D.CIFAR100().label.tolist() == [4, 99]
    assert D.CIFAR100(label_type="coarse").label.tolist() == [0, 19]
    assert D.CIFAR100(train=False).data[0, 0, 31, 31] == 9
    kinds, groups = D.CIFAR100.labels(), D.CIFAR100.labels("coarse")
    assert len(set(kinds.values())) == len(kinds) == 100
    assert list(kinds.values()) == sorted(kinds.values())
    assert (kinds[4], kinds[99]) == ("beaver", "worm")
    assert len(groups) == 20
    some = ["aquatic mammals", "household furniture", "vehicles 2"]
    assert [groups[i] for i in (0, 6, 19)] == some


@pytest.mark.parametrize(
    ("kind", "name", "width", "most"),
    [
        (D.CIFAR10, "data_batch_1.bin", 3073, 10_000),
        (D.CIFAR100, "train.bin", 3074, 50_000),
    ],
)
def test_more_than_cifar_can_hold_is_refused_before_it_is_unpacked(
    folder, kind, name, width, most
):
    for too_many in (0, 1):
        with tarfile.open(folder / kind._archive, "w:gz", compresslevel=1) as tar:
            info = tarfile.TarInfo(name)
            info.size = (most + too_many) * width
            # The header promises data, but nothing follows.
            tar.fileobj.write(info.tobuf())
        message = f"{name} in .* has {most + 1} images, but at most {most}"
        with (
            at_most(2**22 + (not too_many) * 2 * most * width),
            pytest.raises(ValueError, match=message if too_many else "not a complete"),
        ):
            kind()


# --- names and text -------------------------------------------------------------------

NAMES = "imagenet1000_clsidx_to_labels.txt"


def test_imagenet_names_its_kinds(folder):
    kinds = {i: f"kind {i}, é" for i in range(1000)}
    (folder / NAMES).write_text(str(kinds), encoding="utf-8")
    assert D.ImageNet.labels() == kinds


def test_a_play_is_characters_by_number(folder):
    (folder / "shakespear.txt").write_text("to be, or not", encoding="utf-8")
    play = D.Shakespear()
    assert play.data.dtype == np.int64
    assert play.data[:6].tolist() == [0, 1, 2, 3, 4, 5]
    assert_equal(play.data[1:], play.label[:-1])
    letters = [play.id_to_char[i] for i in [*play.data, play.label[-1]]]
    assert "".join(letters) == "to be, or not"
    assert play.char_to_id["o"] == 1
    assert play[0] == (0, 1)


# --- the book's helpers ---------------------------------------------------------------


def test_prepared_data_can_be_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(downloads, "cache_dir", str(tmp_path / "cache"))
    url = "https://example.org/cifar.tar.gz"
    assert D.load_cache_npz(url, train=True) == (None, None)
    data, label = np.arange(6).reshape(3, 2), np.arange(3)
    D.save_cache_npz(data, label, url, train=True)
    D.save_cache_npz(data + 1, label, url, train=True)
    D.save_cache_npz(data + 2, label, url)
    for train, expected in ((True, data), (False, data + 2)):
        found = D.load_cache_npz("cifar.tar.gz", train)
        assert_equal(found[0], expected)
        assert_equal(found[1], label)
    kept = sorted(path.name for path in (tmp_path / "cache").iterdir())
    assert kept == ["cifar.tar.gz.test.npz", "cifar.tar.gz.train.npz"]
    np.savez(tmp_path / "cache" / "a.test.npz", data=np.ones(2))
    with pytest.raises(ValueError, match="holds data, not data and label"):
        D.load_cache_npz("a")


# --- pictures -------------------------------------------------------------------------


@needs("matplotlib")
def test_images_can_be_shown(monkeypatch):
    import matplotlib.pyplot as plt

    monkeypatch.setattr(plt, "show", lambda: None)
    digits = D.Digits()
    digits.data = np.arange(3, dtype=np.uint8).repeat(64).reshape(3, 1, 8, 8)
    digits.show(row=2, col=4)
    axes = plt.gca()
    shown = axes.images[-1].get_array()
    plt.close()
    assert not axes.axison
    assert shown.shape == (16, 32)
    for block in (shown[:8, :8], shown[8:, 24:]):
        assert np.ptp(block) == 0
    digits.data = digits.data.repeat(3, axis=1)
    digits.show(row=1, col=1)
    assert plt.gca().images[-1].get_array().shape == (8, 8, 3)
    plt.close()


def test_without_matplotlib_showing_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match="`pip install matplotlib`"):
        D.Digits().show()
