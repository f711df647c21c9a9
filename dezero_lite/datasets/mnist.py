"""MNIST and FashionMNIST: images in IDX files. Step 51 explains them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..downloads import data_folder, get_file
from .idx import read_idx
from .images import Images


class MNIST(Images):
    """70,000 handwritten digits of 28×28 pixels: 60,000 for training, 10,000 for
    testing. Source: book step 51.

    `data` has shape (N, 1, 28, 28) and dtype uint8, with values from 0 to 255; `label`
    has shape (N,) and dtype uint8. By default, x has shape (784,), dtype float32 and
    values from 0 to 1.

    Downloads about 12 MB at first use. A folder that ``DEZERO_LITE_DATA`` names must
    contain the four files, under their original names, in a folder ``mnist``; files
    with fewer examples also work.

    Raises
    ------
    ValueError
        If a file is not as expected; the message says how it differs.
    FileNotFoundError, ImportError, OSError
        If a file cannot be obtained: see :func:`dezero_lite.downloads.get_file`.

    References
    ----------
    Y. LeCun, C. Cortes, C. J. C. Burges (1998), The MNIST database of handwritten
    digits.
    """

    # For images and labels, first for training, then for testing: the MD5 of the file
    # as distributed, and the SHA-256 of its decompressed content.
    _url = "https://ossci-datasets.s3.amazonaws.com/mnist/"
    _folder = "mnist"
    _md5 = (
        "f68b3c2dcbeaaa9fbdd348bbdeb94873",
        "d53e105ee54ea40749a09fcbcd1e9432",
        "9fb629c4189551a2d022fa330f9573f3",
        "ec29112dd5afa0611ce80d1b7f02629c",
    )
    _sha256 = (
        "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
        "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
        "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
        "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
    )

    def prepare(self) -> None:
        part, first = ("train", 0) if self.train else ("t10k", 2)
        most = 60_000 if self.train else 10_000
        images, labels = f"{part}-images-idx3-ubyte.gz", f"{part}-labels-idx1-ubyte.gz"
        self.data = self._array(images, first, (most, 28, 28))[:, np.newaxis]
        self.label = self._array(labels, first + 1, (most,))
        if len(self.data) != len(self.label):
            raise ValueError(
                f"{images} holds {len(self.data)} images, but {labels} "
                f"{len(self.label)} labels: they do not belong together"
            )
        self._check_kinds(labels, 10)

    def _array(self, name: str, i: int, most: tuple[int, ...]) -> NDArray[np.uint8]:
        path = f"{self._folder}/{name}"
        path = get_file(self._url + name, path, f"md5:{self._md5[i]}")
        # Files in the user's own data folder are not checked against a hash.
        return read_idx(path, most, None if data_folder() else self._sha256[i])


class FashionMNIST(MNIST):
    """70,000 pictures of clothes of 28×28 pixels in ten classes, in the format of
    :class:`MNIST` but harder to classify.

    Downloads about 31 MB at first use. A folder that ``DEZERO_LITE_DATA`` names must
    contain the files in a folder ``fashion-mnist``.

    References
    ----------
    H. Xiao, K. Rasul, R. Vollgraf (2017), Fashion-MNIST: a novel image dataset for
    benchmarking machine learning algorithms, https://arxiv.org/abs/1708.07747. Licensed
    under MIT.
    """

    _url = "https://fashion-mnist.s3.eu-central-1.amazonaws.com/"
    _folder = "fashion-mnist"
    _kinds = (
        "T-shirt/top, trouser, pullover, dress, coat, sandal, shirt, sneaker, bag, "
        "ankle boot"
    )
    _md5 = (
        "8d4fb7e6c68d591d4c3dfef9ec88bf0d",
        "25c81989df183df01b3e8a0aad5dffbe",
        "bef4ecab320f06d8554ea6380940ec79",
        "bb300cfdad3c16e7a12a480ee83cd310",
    )
    _sha256 = (
        "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888",
        "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9",
        "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b",
        "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34",
    )
