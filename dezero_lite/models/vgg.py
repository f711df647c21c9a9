"""VGG16: many layers of small kernels. Step 58 explains it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .. import functions as F
from .. import layers as L
from ..core import Operand, Variable, kind_of
from ..npz import StrPath
from .model import Pretrained


class VGG16(Pretrained):
    """Sixteen layers of small kernels and large products: 138,357,544 parameters.
    Source: book step 58.

    Parameters
    ----------
    pretrained : bool or str or os.PathLike, optional
        With ``True``, the weights that come with the book are loaded: a file of 0.5 GB,
        downloaded once. A path names a file with such weights.

    Notes
    -----
    Source: K. Simonyan and A. Zisserman, "Very deep convolutional networks for
    large-scale image recognition", 2015.
    """

    WEIGHTS_PATH = (
        "https://github.com/koki0702/dezero-models/releases/download/v0.1/vgg16.npz"
    )

    def __init__(self, pretrained: bool | StrPath = False) -> None:
        self.conv1_1 = _conv3x3(64)
        self.conv1_2 = _conv3x3(64)
        self.conv2_1 = _conv3x3(128)
        self.conv2_2 = _conv3x3(128)
        self.conv3_1 = _conv3x3(256)
        self.conv3_2 = _conv3x3(256)
        self.conv3_3 = _conv3x3(256)
        self.conv4_1 = _conv3x3(512)
        self.conv4_2 = _conv3x3(512)
        self.conv4_3 = _conv3x3(512)
        self.conv5_1 = _conv3x3(512)
        self.conv5_2 = _conv3x3(512)
        self.conv5_3 = _conv3x3(512)
        self.fc6 = L.Linear(4096)
        self.fc7 = L.Linear(4096)
        self.fc8 = L.Linear(1000)
        self.load_pretrained(pretrained, self.WEIGHTS_PATH)

    def forward(self, x: Operand) -> Variable:
        """Images (N, 3, 224, 224), as `preprocess` makes them, to scores (N, 1000)."""
        x = F.relu(self.conv1_1(x))
        x = F.relu(self.conv1_2(x))
        x = F.pooling(x, 2, 2)
        x = F.relu(self.conv2_1(x))
        x = F.relu(self.conv2_2(x))
        x = F.pooling(x, 2, 2)
        x = F.relu(self.conv3_1(x))
        x = F.relu(self.conv3_2(x))
        x = F.relu(self.conv3_3(x))
        x = F.pooling(x, 2, 2)
        x = F.relu(self.conv4_1(x))
        x = F.relu(self.conv4_2(x))
        x = F.relu(self.conv4_3(x))
        x = F.pooling(x, 2, 2)
        x = F.relu(self.conv5_1(x))
        x = F.relu(self.conv5_2(x))
        x = F.relu(self.conv5_3(x))
        x = F.pooling(x, 2, 2)
        x = F.flatten(x)
        x = F.dropout(F.relu(self.fc6(x)))
        x = F.dropout(F.relu(self.fc7(x)))
        return self.fc8(x)

    @staticmethod
    def preprocess(
        image: Any,
        size: tuple[int, int] | None = (224, 224),
        dtype: DTypeLike = np.float32,
    ) -> NDArray[Any]:
        """Prepare an image as VGG16 was trained: blue, green and red, less the mean
        colour of ImageNet.

        Parameters
        ----------
        image : PIL.Image.Image
            Of any mode.
        size : (int, int), optional
            Width and height to stretch the image to; ``None`` leaves it.
        dtype : dtype, optional
            Of the result.

        Returns
        -------
        ndarray
            Of shape (3, height, width).

        Raises
        ------
        TypeError
            If `image` is no Pillow image.
        """
        if not hasattr(image, "convert"):
            raise TypeError(
                "preprocess takes an image of Pillow, Image.open(path), not "
                f"{kind_of(image)}"
            )
        image = image.convert("RGB")
        if size:
            image = image.resize(size)
        blue_green_red = np.asarray(image, dtype=dtype)[:, :, ::-1] - np.array(
            [103.939, 116.779, 123.68], dtype=dtype
        )
        return np.ascontiguousarray(blue_green_red.transpose(2, 0, 1))


def _conv3x3(out_channels: int) -> L.Conv2d:
    return L.Conv2d(out_channels, kernel_size=3, stride=1, pad=1)
