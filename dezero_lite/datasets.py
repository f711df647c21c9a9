"""Data to learn from: examples and labels that are reached by an index.

Steps 49 and 51 explain :class:`Dataset`. Spirals, the sine curve and the digits are
here at once, without a network; MNIST and the like are downloaded at first use, or come
from a folder of your own: see :mod:`dezero_lite.files`.
"""

from __future__ import annotations

import math
import operator
import os
from importlib import import_module
from typing import Any

import numpy as np
from numpy import ndarray
from numpy.typing import NDArray

from .files import get_file, own_folder
from .random import generator
from .transforms import (
    Compose,
    Flatten,
    Normalize,
    ToFloat,
    Transform,
    apply_to_batch,
    as_batch,
)

__all__ = [
    "CIFAR10",
    "CIFAR100",
    "MNIST",
    "Dataset",
    "Digits",
    "FashionMNIST",
    "ImageNet",
    "Shakespear",
    "SinCurve",
    "Spiral",
    "get_spiral",
]


class Dataset:
    """Examples, and labels if there are any. Source: book step 49.

    A subclass puts arrays, or lists, into `data` and `label` in its method `prepare`.
    Where the data do not fit into memory, it brings `__getitem__` and `__len__` of its
    own.

    Parameters
    ----------
    train : bool, optional
        The data for training, or those for testing?
    transform, target_transform : callable, optional
        What happens to an example, and to a label, on the way out; nothing by default.

    Attributes
    ----------
    data : ndarray or list
        The examples, along the first axis.
    label : ndarray or list or None
        As many labels; ``None`` where there are none.

    Examples
    --------
    >>> class Squares(Dataset):
    ...     def prepare(self):
    ...         self.data = np.arange(10)
    ...         self.label = self.data**2
    >>> squares = Squares(target_transform=ToFloat())
    >>> len(squares)
    10
    >>> squares[[2, 3, 5]]
    (array([2, 3, 5]), array([ 4.,  9., 25.], dtype=float32))
    """

    def __init__(
        self,
        train: bool = True,
        transform: Transform | None = None,
        target_transform: Transform | None = None,
    ) -> None:
        self.train = train
        self.transform = Compose() if transform is None else transform
        self.target_transform = (
            Compose() if target_transform is None else target_transform
        )
        self.data: Any = None
        self.label: Any = None
        self.prepare()

    def prepare(self) -> None:
        """Fill `data` and `label`; for subclasses."""

    def __len__(self) -> int:
        if self.data is None:
            name = type(self).__name__
            raise RuntimeError(
                f"{name} has no data: {name}.prepare sets self.data, and self.label "
                "if there are labels"
            )
        return len(self.data)

    def __getitem__(self, index: Any) -> tuple[Any, Any]:
        """The example and its label for an integer; for a slice, a list or an array of
        integers, a batch of both.

        A transform with a method ``batch`` gets the batch as a whole, any other each
        example for itself.
        """
        if isinstance(index, (slice, list)) or np.ndim(index) > 0:
            if not (isinstance(index, ndarray) and index.dtype.kind == "i"):
                index = np.arange(len(self))[index]
            label = (
                None
                if self.label is None
                else _batch(self.target_transform, self.label, index)
            )
            return _batch(self.transform, self.data, index), label
        index = operator.index(index)
        label = None if self.label is None else self.target_transform(self.label[index])
        return self.transform(self.data[index]), label

    @property
    def takes_batches(self) -> bool:
        """Whether `__getitem__` understands an array of integers; where a subclass has
        its own, nobody knows.
        """
        return type(self).__getitem__ is Dataset.__getitem__


def _batch(transform: Transform, values: Any, indices: NDArray[np.int64]) -> Any:
    if isinstance(values, ndarray):
        # It does the same as values[indices], in less time.
        return apply_to_batch(transform, values.take(indices, axis=0))
    return as_batch([transform(values[i]) for i in indices])


# --- made here ------------------------------------------------------------------------


def get_spiral(train: bool = True) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Points on three spiral arms, and the arm that each is on. Source: book step 48.

    The random numbers have a seed of their own, so that the points are always the same,
    and those of the book.

    Parameters
    ----------
    train : bool, optional
        The points for training, or those for testing?

    Returns
    -------
    x : ndarray of float32, shape (300, 2)
        Coordinates between about −1 and 1.
    t : ndarray of int64, shape (300,)
        The arm, 0 to 2; 100 points are on each.

    Examples
    --------
    >>> x, t = get_spiral()
    >>> x.shape, t.shape, np.bincount(t)
    ((300, 2), (300,), array([100, 100, 100]))
    """
    random = np.random.RandomState(1984 if train else 2020)
    arm = np.repeat(np.arange(3), 100)
    radius = np.tile(np.arange(100) / 100, 3)
    angle = 4.0 * arm + 4.0 * radius + 0.2 * random.randn(300)
    x = np.stack([radius * np.sin(angle), radius * np.cos(angle)], axis=1).astype(
        np.float32
    )
    order = random.permutation(300)
    return x[order], arm[order].astype(np.int64)


class Spiral(Dataset):
    """The points of :func:`get_spiral`: x of shape (2,) and float32, t an integer.
    Source: book step 49.
    """

    def prepare(self) -> None:
        self.data, self.label = get_spiral(self.train)


class SinCurve(Dataset):
    """A curve to go on with: each example is a height, its label the next one. Source:
    book step 59.

    For training, one period of the sine with noise of up to ±0.05, which the
    framework's generator makes; for testing, one period of the cosine. 999 examples, x
    and t of shape (1,) and float64.
    """

    def prepare(self) -> None:
        x = np.linspace(0, 2 * np.pi, 1000)
        y = (
            np.sin(x) + generator().uniform(-0.05, 0.05, x.shape)
            if self.train
            else np.cos(x)
        )
        self.data = y[:-1, np.newaxis]
        self.label = y[1:, np.newaxis]


# --- images ---------------------------------------------------------------------------


# The numbers of an image in one row, from 0 to 1: scans have 17 shades of grey,
# photographs 256.
_FROM_16: Transform = Compose([Flatten(), ToFloat(), Normalize(0.0, 16.0)])
_FROM_255: Transform = Compose([Flatten(), ToFloat(), Normalize(0.0, 255.0)])


class _Images(Dataset):
    def show(self, row: int = 10, col: int = 10) -> None:
        """Draw images picked by chance, in `row` rows of `col`. It takes the package
        matplotlib.
        """
        try:
            plt = import_module("matplotlib.pyplot")
        except ImportError:
            raise ImportError("to show images, run `pip install matplotlib`") from None
        picked = self.data[generator().integers(len(self), size=row * col)]
        channels, height, width = picked.shape[1:]
        grid = picked.reshape(row, col, channels, height, width).transpose(
            0, 3, 1, 4, 2
        )
        grid = grid.reshape(row * height, col * width, channels)
        plt.imshow(
            grid if channels > 1 else grid[..., 0], cmap="gray", interpolation="nearest"
        )
        plt.axis("off")
        plt.show()


_DIGITS = {digit: str(digit) for digit in range(10)}


class Digits(_Images):
    """1,797 real handwritten digits of 8×8 pixels, shipped with the framework, so that
    no network is needed.

    `data` has shape (N, 1, 8, 8) and dtype uint8, with values from 0 (paper) to 16
    (ink); `label` holds the digits. By default, x has shape (64,), dtype float32 and
    values from 0 to 1.

    13 people wrote them. Of each digit, every fifth scan is for testing, 355 in all,
    and the other 1,442 are for training; so both parts know every hand. New hands are
    harder: test a model for strangers on strangers.

    Source: E. Alpaydin and C. Kaynak (1998), Optical Recognition of Handwritten Digits,
    UCI Machine Learning Repository, https://doi.org/10.24432/C50P49 (its test set),
    licensed under CC BY 4.0.

    Examples
    --------
    >>> x, t = Digits(train=False)[0]
    >>> x.shape, x.dtype, int(t)
    ((64,), dtype('float32'), 5)
    """

    def __init__(
        self,
        train: bool = True,
        transform: Transform | None = _FROM_16,
        target_transform: Transform | None = None,
    ) -> None:
        super().__init__(train, transform, target_transform)

    def prepare(self) -> None:
        with np.load(
            os.path.join(os.path.dirname(__file__), "data", "digits.npz")
        ) as file:
            data, label = file["data"], file["label"]
        for_testing = np.zeros(len(label), bool)
        for digit in range(10):
            for_testing[np.flatnonzero(label == digit)[4::5]] = True
        part = ~for_testing if self.train else for_testing
        self.data, self.label = data[part], label[part]

    @staticmethod
    def labels() -> dict[int, str]:
        """What the labels mean."""
        return dict(_DIGITS)


class MNIST(_Images):
    """70,000 handwritten digits of 28×28 pixels: 60,000 for training, 10,000 for
    testing. Source: book step 51.

    `data` has shape (N, 1, 28, 28) and dtype uint8, with values from 0 to 255; `label`
    has shape (N,) and dtype uint8. By default, x has shape (784,), dtype float32 and
    values from 0 to 1.

    Downloads about 11 MB at first use. A folder that ``DEZERO_LITE_DATA`` names holds
    the four files, named as their authors do, in a folder ``mnist``; smaller ones of
    the same form will do.

    Raises
    ------
    ValueError
        If a file is not what it should be; the message says how it differs.
    FileNotFoundError, ImportError, OSError
        If a file cannot be had: see :func:`dezero_lite.files.get_file`.

    References
    ----------
    Y. LeCun, C. Cortes, C. J. C. Burges (1998), The MNIST database of handwritten
    digits.
    """

    # Each file with the MD5 that its authors' packing has in use, and the SHA-256 of
    # what is in it.
    _url = "https://ossci-datasets.s3.amazonaws.com/mnist/"
    _folder = "mnist"
    _hashes = (
        (
            "train-images-idx3-ubyte.gz",
            "f68b3c2dcbeaaa9fbdd348bbdeb94873",
            "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
        ),
        (
            "train-labels-idx1-ubyte.gz",
            "d53e105ee54ea40749a09fcbcd1e9432",
            "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
        ),
        (
            "t10k-images-idx3-ubyte.gz",
            "9fb629c4189551a2d022fa330f9573f3",
            "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
        ),
        (
            "t10k-labels-idx1-ubyte.gz",
            "ec29112dd5afa0611ce80d1b7f02629c",
            "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
        ),
    )

    def __init__(
        self,
        train: bool = True,
        transform: Transform | None = _FROM_255,
        target_transform: Transform | None = None,
    ) -> None:
        super().__init__(train, transform, target_transform)

    def prepare(self) -> None:
        images, labels = self._hashes[:2] if self.train else self._hashes[2:]
        self.data = self._array(*images, axes=3)[:, np.newaxis]
        self.label = self._array(*labels, axes=1)
        if len(self.data) != len(self.label):
            raise ValueError(
                f"{images[0]} holds {len(self.data)} images, but {labels[0]} "
                f"{len(self.label)} labels: they do not belong together"
            )

    def _array(self, name: str, md5: str, sha256: str, axes: int) -> NDArray[np.uint8]:
        path = get_file(self._url + name, f"{self._folder}/{name}", f"md5:{md5}")
        content = _gunzip(path)
        if own_folder() is None:
            _check_sha256(path, content, sha256)
        return _idx(path, content, axes)

    @staticmethod
    def labels() -> dict[int, str]:
        """What the labels mean."""
        return dict(_DIGITS)


class FashionMNIST(MNIST):
    """70,000 pictures of clothes of 28×28 pixels, ten kinds, in the form of
    :class:`MNIST` and harder to tell apart.

    Downloads about 31 MB at first use. A folder that ``DEZERO_LITE_DATA`` names holds
    the files in a folder ``fashion-mnist``.

    References
    ----------
    H. Xiao, K. Rasul, R. Vollgraf (2017), Fashion-MNIST: a novel image dataset for
    benchmarking machine learning algorithms, https://arxiv.org/abs/1708.07747. Licensed
    under MIT.
    """

    _url = "https://fashion-mnist.s3.eu-central-1.amazonaws.com/"
    _folder = "fashion-mnist"
    _hashes = (
        (
            "train-images-idx3-ubyte.gz",
            "8d4fb7e6c68d591d4c3dfef9ec88bf0d",
            "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888",
        ),
        (
            "train-labels-idx1-ubyte.gz",
            "25c81989df183df01b3e8a0aad5dffbe",
            "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9",
        ),
        (
            "t10k-images-idx3-ubyte.gz",
            "bef4ecab320f06d8554ea6380940ec79",
            "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b",
        ),
        (
            "t10k-labels-idx1-ubyte.gz",
            "bb300cfdad3c16e7a12a480ee83cd310",
            "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34",
        ),
    )

    @staticmethod
    def labels() -> dict[int, str]:
        """What the labels mean."""
        names = (
            "T-shirt/top, trouser, pullover, dress, coat, sandal, shirt, sneaker, "
            "bag, ankle boot"
        )
        return dict(enumerate(names.split(", ")))


def _gunzip(path: str) -> bytes:
    import gzip
    import zlib

    with open(path, "rb") as file:
        packed = file.read()
    if packed[:2] != b"\x1f\x8b":
        raise ValueError(
            f"{path} is not a gzip file: it begins with {packed[:8]!r}. Is it "
            "unpacked, or a web page?"
        )
    try:
        return gzip.decompress(packed)
    except (EOFError, OSError, zlib.error) as error:
        raise ValueError(
            f"{path} is cut off or damaged: {error}. Remove it, and get it again"
        ) from None


def _check_sha256(path: str, content: bytes, expected: str) -> None:
    import hashlib

    found = hashlib.sha256(content).hexdigest()
    if found != expected:
        raise ValueError(
            f"what is in {path} has the SHA-256 {found}, but {expected} was expected. "
            "Remove it, and get it again"
        )


def _idx(path: str, content: bytes, axes: int) -> NDArray[np.uint8]:
    # The IDX format: two bytes 0, the type of the numbers (8: one byte each), how many
    # axes, the length of each axis in four bytes, and then the numbers.
    start = 4 + 4 * axes
    if len(content) < start:
        raise ValueError(
            f"{path} is cut off: it has {len(content)} bytes, fewer than the {start} "
            "of its header"
        )
    if content[:3] != b"\0\0\x08":
        raise ValueError(
            f"{path} is not an IDX file of bytes: it begins with {content[:4]!r}, not "
            "with b'\\x00\\x00\\x08'"
        )
    if content[3] != axes:
        kinds = {1: "labels", 3: "images"}
        raise ValueError(
            f"{path} is mislabelled: an array with {content[3]} axes "
            f"({kinds.get(content[3], 'something else')}) is in it, but {axes} "
            f"({kinds[axes]}) were expected"
        )
    shape: tuple[int, ...] = tuple(
        np.frombuffer(content, ">u4", axes, offset=4).tolist()
    )
    size = math.prod(shape)
    if len(content) - start != size:
        raise ValueError(
            f"{path} promises {size} values, of shape {shape}, but "
            f"{len(content) - start} follow: it is cut off, or something was added"
        )
    # A copy, for what a buffer of bytes gives is read-only.
    return np.array(
        np.frombuffer(content, np.uint8, offset=start).reshape(shape), np.uint8
    )


_CIFAR = "https://www.cs.toronto.edu/~kriz/"


class CIFAR10(_Images):
    """60,000 colour pictures of 32×32 pixels, ten kinds: 50,000 for training, 10,000
    for testing.

    `data` has shape (N, 3, 32, 32) and dtype uint8, with values from 0 to 255; `label`
    has shape (N,) and dtype int64. By default, x is float32 with values from −1 to 1.

    Downloads about 170 MB at first use: the archive that is made for C programs, since
    the one for Python holds pickles, which can run any program when they are read. A
    folder that ``DEZERO_LITE_DATA`` names holds ``cifar-10-binary.tar.gz``.

    Source: book, `dezero.datasets`; A. Krizhevsky (2009), Learning multiple layers of
    features from tiny images.

    Raises
    ------
    ValueError
        If the archive is not what it should be; the message says how it differs.
    FileNotFoundError, ImportError, OSError
        If it cannot be had: see :func:`dezero_lite.files.get_file`.
    """

    # The authors publish the MD5 alone.
    _archive = "cifar-10-binary.tar.gz"
    _md5 = "c32a1d4ab5d03f1284b67883e8d87530"
    _train: tuple[str, ...] = (
        "data_batch_1.bin",
        "data_batch_2.bin",
        "data_batch_3.bin",
        "data_batch_4.bin",
        "data_batch_5.bin",
    )
    _test: tuple[str, ...] = ("test_batch.bin",)
    # So many bytes of label come before an image, and this one of them counts.
    _label_bytes = 1
    _label_byte = 0
    _kinds = 10

    def __init__(
        self,
        train: bool = True,
        transform: Transform | None = Compose([ToFloat(), Normalize(127.5, 127.5)]),  # noqa: B008
        target_transform: Transform | None = None,
    ) -> None:
        super().__init__(train, transform, target_transform)

    def prepare(self) -> None:
        path = get_file(_CIFAR + self._archive, self._archive, f"md5:{self._md5}")
        members = _untar(path, self._train if self.train else self._test)
        width = self._label_bytes + 3 * 32 * 32
        for name, content in members.items():
            if not content or len(content) % width:
                raise ValueError(
                    f"{name} in {path} has {len(content)} bytes, but takes {width} "
                    "for each image: it is cut off"
                )
        records = np.frombuffer(b"".join(members.values()), np.uint8).reshape(-1, width)
        self.data = np.array(records[:, self._label_bytes :]).reshape(-1, 3, 32, 32)
        self.label = records[:, self._label_byte].astype(np.int64)
        if self.label.max() >= self._kinds:
            raise ValueError(
                f"{path} has a label of {self.label.max()}, but there are "
                f"{self._kinds} kinds, from 0 on"
            )

    @staticmethod
    def labels() -> dict[int, str]:
        """What the labels mean."""
        names = "airplane, automobile, bird, cat, deer, dog, frog, horse, ship, truck"
        return dict(enumerate(names.split(", ")))


# The authors' names, in the order of their numbers.
_FINE = """
apple, aquarium fish, baby, bear, beaver, bed, bee, beetle, bicycle, bottle, bowl, boy,
bridge, bus, butterfly, camel, can, castle, caterpillar, cattle, chair, chimpanzee,
clock, cloud, cockroach, couch, crab, crocodile, cup, dinosaur, dolphin, elephant,
flatfish, forest, fox, girl, hamster, house, kangaroo, keyboard, lamp, lawn mower,
leopard, lion, lizard, lobster, man, maple tree, motorcycle, mountain, mouse, mushroom,
oak tree, orange, orchid, otter, palm tree, pear, pickup truck, pine tree, plain, plate,
poppy, porcupine, possum, rabbit, raccoon, ray, road, rocket, rose, sea, seal, shark,
shrew, skunk, skyscraper, snail, snake, spider, squirrel, streetcar, sunflower, sweet
pepper, table, tank, telephone, television, tiger, tractor, train, trout, tulip, turtle,
wardrobe, whale, willow tree, wolf, woman, worm
"""
_COARSE = """
aquatic mammals, fish, flowers, food containers, fruit and vegetables, household
electrical devices, household furniture, insects, large carnivores, large man-made
outdoor things, large natural outdoor scenes, large omnivores and herbivores,
medium-sized mammals, non-insect invertebrates, people, reptiles, small mammals, trees,
vehicles 1, vehicles 2
"""


class CIFAR100(CIFAR10):
    """The same form as :class:`CIFAR10`, with a hundred kinds in twenty groups.

    Downloads about 169 MB at first use. A folder that ``DEZERO_LITE_DATA`` names holds
    ``cifar-100-binary.tar.gz``.

    Source: book, `dezero.datasets`; A. Krizhevsky (2009), Learning multiple layers of
    features from tiny images.

    Parameters
    ----------
    train, transform, target_transform
        As in :class:`CIFAR10`.
    label_type : {'fine', 'coarse'}, optional
        Labels are the kinds, or their groups?

    Raises
    ------
    ValueError
        If there is no such `label_type`; and as in :class:`CIFAR10`.
    """

    # The authors publish the MD5 alone.
    _archive = "cifar-100-binary.tar.gz"
    _md5 = "03b5dce01913d631647c71ecec9e9cb8"
    _train = ("train.bin",)
    _test = ("test.bin",)
    _label_bytes = 2

    def __init__(
        self,
        train: bool = True,
        transform: Transform | None = Compose([ToFloat(), Normalize(127.5, 127.5)]),  # noqa: B008
        target_transform: Transform | None = None,
        label_type: str = "fine",
    ) -> None:
        self._kinds = len(self.labels(label_type))
        self._label_byte = 1 if label_type == "fine" else 0
        self.label_type = label_type
        super().__init__(train, transform, target_transform)

    @staticmethod
    def labels(label_type: str = "fine") -> dict[int, str]:
        """What the labels mean."""
        if label_type not in ("fine", "coarse"):
            raise ValueError(f"label_type is 'fine' or 'coarse', not {label_type!r}")
        names = _FINE if label_type == "fine" else _COARSE
        return dict(enumerate(" ".join(names.split()).split(", ")))


def _untar(path: str, names: tuple[str, ...]) -> dict[str, bytes]:
    # What is in the files of these names. Nothing is unpacked to the disk.
    import tarfile
    import zlib

    found: dict[str, bytes] = {}
    try:
        with tarfile.open(path, "r:gz") as archive:
            for member in archive:
                name = os.path.basename(member.name)
                file = archive.extractfile(member) if name in names else None
                if file is not None:
                    found[name] = file.read()
                    if len(found) == len(names):
                        break
    except (EOFError, OSError, tarfile.TarError, zlib.error) as error:
        raise ValueError(
            f"{path} is not a whole .tar.gz archive: {error}. Remove it, and get it "
            "again"
        ) from None
    missing = [name for name in names if name not in found]
    if missing:
        raise ValueError(
            f"{path} holds no {', '.join(missing)}: is it another archive, or cut off?"
        )
    return {name: found[name] for name in names}


class ImageNet(Dataset):
    """The names of ImageNet's thousand kinds of pictures, which VGG16 and ResNet tell
    apart. Source: book step 58.
    """

    def prepare(self) -> None:
        raise NotImplementedError(
            "there are no pictures of ImageNet here; ImageNet.labels() gives the "
            "names of its kinds"
        )

    @staticmethod
    def labels() -> dict[int, str]:
        """What the labels mean; it takes a download of 31 kB, or a file in the folder
        for data.

        Raises
        ------
        ValueError
            If the file is not what it should be.
        """
        import ast

        # The address names one version by the hash of its content.
        url = (
            "https://gist.githubusercontent.com/yrevar/942d3a0ac09ec9e5eb3a/raw/"
            "238f720ff059c1f82f368259d1ca4ffa5dd8f9f5/imagenet1000_clsidx_to_labels.txt"
        )
        path = get_file(url)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        try:
            # Numbers and strings alone: what is read from a file is not executed.
            labels = ast.literal_eval(text)
        except (SyntaxError, ValueError) as error:
            raise ValueError(f"{path} is not a dict of labels: {error}") from None
        if not isinstance(labels, dict) or list(labels) != list(range(1000)):
            raise ValueError(
                f"{path} is not a dict of the labels 0 to 999: is it cut off, or "
                "another file?"
            )
        return labels


# --- text -----------------------------------------------------------------------------


class Shakespear(Dataset):
    """1,115,394 characters of plays: each example is a character's number, its label
    the next one's.

    `data` and `label` have shape (1115393,) and dtype int64; `char_to_id` and
    `id_to_char` translate. Characters are numbered as they first occur. There is no
    part for testing: `train` changes nothing.

    Downloads about 1 MB at first use. A folder that ``DEZERO_LITE_DATA`` names holds
    ``shakespear.txt``.

    Source: book, `dezero.datasets` (and the spelling); the text is that of A.
    Karpathy's char-rnn.
    """

    def prepare(self) -> None:
        url = "https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/input.txt"
        sha256 = "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed"
        with open(get_file(url, "shakespear.txt", sha256), encoding="utf-8") as file:
            text = file.read()
        self.char_to_id = {char: i for i, char in enumerate(dict.fromkeys(text))}
        self.id_to_char = {i: char for char, i in self.char_to_id.items()}
        indices = np.array([self.char_to_id[char] for char in text], np.int64)
        self.data = indices[:-1]
        self.label = indices[1:]
