"""VGG16: many layers of small kernels. Step 58 explains it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .. import functions as F
from .. import layers as L
from ..array_files import StrPath
from ..core import Operand, Variable, kind_of
from .model import RELEASE, Pretrained


class VGG16(Pretrained):
    """Sixteen layers of small kernels and large products: 138,357,544 parameters.
    Source: book step 58.

    Parameters
    ----------
    pretrained : bool or str or os.PathLike, optional
        ``True`` loads the weights that come with the book: a file of 0.5 GB, downloaded
        once. A path names a file with such weights.

    Notes
    -----
    Source: K. Simonyan and A. Zisserman, "Very deep convolutional networks for
    large-scale image recognition", 2015.
    """

    WEIGHTS_PATH = RELEASE + "vgg16.npz"

    def __init__(self, pretrained: bool | StrPath = False) -> None:
        self.conv1_1, self.conv1_2 = _kernels(64, 2)
        self.conv2_1, self.conv2_2 = _kernels(128, 2)
        self.conv3_1, self.conv3_2, self.conv3_3 = _kernels(256, 3)
        self.conv4_1, self.conv4_2, self.conv4_3 = _kernels(512, 3)
        self.conv5_1, self.conv5_2, self.conv5_3 = _kernels(512, 3)
        self.fc6 = L.Linear(4096)
        self.fc7 = L.Linear(4096)
        self.fc8 = L.Linear(1000)
        self.load_pretrained(pretrained, self.WEIGHTS_PATH)

    def forward(self, x: Operand) -> Variable:
        """Map images (N, 3, 224, 224), from `preprocess`, to scores (N, 1000)."""
        for block in (
            [self.conv1_1, self.conv1_2],
            [self.conv2_1, self.conv2_2],
            [self.conv3_1, self.conv3_2, self.conv3_3],
            [self.conv4_1, self.conv4_2, self.conv4_3],
            [self.conv5_1, self.conv5_2, self.conv5_3],
        ):
            for conv in block:
                x = F.relu(conv(x))
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
        """Convert an image to the format of VGG16's training data: blue, green and red,
        minus the mean colour of ImageNet.

        Parameters
        ----------
        image : PIL.Image.Image
            Of any mode.
        size : (int, int), optional
            Width and height to stretch the image to; ``None`` keeps its size.
        dtype : dtype, optional
            The dtype of the result.

        Returns
        -------
        ndarray
            Of shape (3, height, width).

        Raises
        ------
        TypeError
            If `image` is not a Pillow image.
        """
        if not hasattr(image, "convert"):
            raise TypeError(
                "preprocess takes a Pillow image, as from Image.open(path), not "
                f"{kind_of(image)}"
            )
        image = image.convert("RGB")
        if size:
            image = image.resize(size)
        mean_colour = np.array([103.939, 116.779, 123.68], dtype=dtype)
        blue_green_red = np.asarray(image, dtype=dtype)[:, :, ::-1] - mean_colour
        return np.ascontiguousarray(blue_green_red.transpose(2, 0, 1))


def _kernels(out_channels: int, count: int) -> list[L.Conv2d]:
    return [L.Conv2d(out_channels, kernel_size=3, pad=1) for _ in range(count)]
