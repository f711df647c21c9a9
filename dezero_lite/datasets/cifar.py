"""CIFAR10 and CIFAR100: small colour pictures in a tar archive. Step 51."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ..downloads import get_file
from ..transforms import Compose, Normalize, ToFloat, Transform
from .images import Images

URL = "https://www.cs.toronto.edu/~kriz/"


class CIFAR10(Images):
    """60,000 colour pictures of 32×32 pixels in ten classes: 50,000 for training,
    10,000 for testing.

    `data` has shape (N, 3, 32, 32) and dtype uint8, with values from 0 to 255; `label`
    has shape (N,) and dtype int64. By default, x is float32 with values from −1 to 1.

    Downloads about 170 MB at first use: the archive for C programs, because the one for
    Python contains pickles, which can run any code when loaded. A folder that
    ``DEZERO_LITE_DATA`` names must contain ``cifar-10-binary.tar.gz``.

    Source: book, `dezero.datasets`; A. Krizhevsky (2009), Learning multiple layers of
    features from tiny images.

    Raises
    ------
    ValueError
        If the archive is not as expected; the message says how it differs.
    FileNotFoundError, ImportError, OSError
        If it cannot be obtained: see :func:`dezero_lite.downloads.get_file`.
    """

    # The authors publish only the MD5.
    _archive = "cifar-10-binary.tar.gz"
    _md5 = "c32a1d4ab5d03f1284b67883e8d87530"
    _train = tuple(f"data_batch_{i}.bin" for i in range(1, 6))
    _test: tuple[str, ...] = ("test_batch.bin",)
    # Each image follows this many label bytes, of which _label_byte is the label.
    _label_bytes = 1
    _label_byte = 0
    _count = 10
    _kinds = "airplane, automobile, bird, cat, deer, dog, frog, horse, ship, truck"
    # The maximum number of images in a file.
    _most = 10_000

    def __init__(
        self,
        train: bool = True,
        transform: Transform | None = Compose([ToFloat(), Normalize(127.5, 127.5)]),  # noqa: B008
        target_transform: Transform | None = None,
    ) -> None:
        super().__init__(train, transform, target_transform)

    def prepare(self) -> None:
        path = get_file(URL + self._archive, self._archive, f"md5:{self._md5}")
        names = self._train if self.train else self._test
        width = self._label_bytes + 3 * 32 * 32
        content = b"".join(_untar(path, names, width, self._most))
        records = np.frombuffer(content, np.uint8).reshape(-1, width)
        self.data = np.array(records[:, self._label_bytes :]).reshape(-1, 3, 32, 32)
        self.label = records[:, self._label_byte].astype(np.int64)
        self._check_kinds(path, self._count)


# The authors' names, in the order of the labels.
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
    """Like :class:`CIFAR10`, with a hundred classes in twenty groups.

    Downloads about 169 MB at first use. A folder that ``DEZERO_LITE_DATA`` names must
    contain ``cifar-100-binary.tar.gz``.

    Source: book, `dezero.datasets`; A. Krizhevsky (2009), Learning multiple layers of
    features from tiny images.

    Parameters
    ----------
    train, transform, target_transform
        As in :class:`CIFAR10`.
    label_type : {'fine', 'coarse'}, optional
        Whether labels are the classes or their groups.

    Raises
    ------
    ValueError
        If `label_type` is not one of these; and as in :class:`CIFAR10`.
    """

    # The authors publish only the MD5.
    _archive = "cifar-100-binary.tar.gz"
    _md5 = "03b5dce01913d631647c71ecec9e9cb8"
    _train = ("train.bin",)
    _test = ("test.bin",)
    _label_bytes = 2
    _most = 50_000

    def __init__(
        self,
        train: bool = True,
        transform: Transform | None = Compose([ToFloat(), Normalize(127.5, 127.5)]),  # noqa: B008
        target_transform: Transform | None = None,
        label_type: str = "fine",
    ) -> None:
        self._count = len(self.labels(label_type))
        self._label_byte = 1 if label_type == "fine" else 0
        self.label_type = label_type
        super().__init__(train, transform, target_transform)

    @classmethod
    def labels(cls, label_type: str = "fine") -> dict[int, str]:
        """Return the names that the labels stand for."""
        if label_type not in ("fine", "coarse"):
            raise ValueError(f"label_type is 'fine' or 'coarse', not {label_type!r}")
        names = _FINE if label_type == "fine" else _COARSE
        return dict(enumerate(" ".join(names.split()).split(", ")))


def _untar(path: str, names: tuple[str, ...], width: int, most: int) -> list[bytes]:
    # The contents of the named files, each of at most `most` records of `width` bytes.
    # Nothing is extracted to disk.
    import tarfile
    import zlib

    found: dict[str, bytes] = {}
    try:
        with tarfile.open(path, "r:gz") as archive:
            for member in archive:
                name = os.path.basename(member.name)
                if name in names:
                    _check_member(path, name, member, width, most)
                    found[name] = archive.extractfile(member).read()  # type: ignore[union-attr]
                if len(found) == len(names):
                    break
    except (EOFError, OSError, tarfile.TarError, zlib.error) as error:
        raise ValueError(
            f"{path} is not a complete .tar.gz archive: {error}. Delete it and get it "
            "again"
        ) from None
    missing = [name for name in names if name not in found]
    if missing:
        raise ValueError(
            f"{path} lacks {', '.join(missing)}: is it another archive, or truncated?"
        )
    return [found[name] for name in names]


def _check_member(path: str, name: str, member: Any, width: int, most: int) -> None:
    images, rest = divmod(member.size, width)
    if not member.isreg():
        wrong = "is not a regular file: is it another archive?"
    elif rest or not images:
        wrong = (
            f"has {member.size} bytes, but each image takes {width}: it is truncated"
        )
    elif images > most:
        wrong = f"has {images} images, but at most {most} were expected"
    else:
        return
    raise ValueError(f"{name} in {path} {wrong}")
