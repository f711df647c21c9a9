"""What all data sets of small images share: step 51 explains it."""

from __future__ import annotations

from importlib import import_module

from ..random import generator
from ..transforms import Compose, Flatten, Normalize, ToFloat, Transform
from .dataset import Dataset

# The numbers of an image in one row, from 0 to 1: scans have 17 shades of grey,
# photographs 256.
FROM_16: Transform = Compose([Flatten(), ToFloat(), Normalize(0.0, 16.0)])
FROM_255: Transform = Compose([Flatten(), ToFloat(), Normalize(0.0, 255.0)])

DIGIT_NAMES = {digit: str(digit) for digit in range(10)}


class Images(Dataset):
    """Images of one size, channels first."""

    def show(self, row: int = 10, col: int = 10) -> None:
        """Draw images picked by chance, in `row` rows of `col`. It takes the package
        matplotlib.
        """
        try:
            plt = import_module("matplotlib.pyplot")
        except ImportError:
            raise ImportError("to show images, run `pip install matplotlib`") from None
        picked = self.data[generator().integers(len(self.data), size=row * col)]
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
