"""The base class of all data sets of small images. Step 51 explains it."""

from __future__ import annotations

from importlib import import_module

import numpy as np

from ..random import generator
from ..transforms import Compose, Flatten, Normalize, ToFloat, Transform
from .dataset import Dataset

# Flatten an image and scale its pixels to the range from 0 to 1: scans have 17 levels
# of grey, photographs 256.
FROM_16: Transform = Compose([Flatten(), ToFloat(), Normalize(0.0, 16.0)])
FROM_255: Transform = Compose([Flatten(), ToFloat(), Normalize(0.0, 255.0)])


class Images(Dataset):
    """Images of one size, channels first, whose classes have names."""

    _kinds = "0, 1, 2, 3, 4, 5, 6, 7, 8, 9"

    def __init__(
        self,
        train: bool = True,
        transform: Transform | None = FROM_255,
        target_transform: Transform | None = None,
    ) -> None:
        super().__init__(train, transform, target_transform)

    @classmethod
    def labels(cls) -> dict[int, str]:
        """Return the names that the labels stand for."""
        return dict(enumerate(cls._kinds.split(", ")))

    def _check_kinds(self, source: str, count: int) -> None:
        if self.label.max(initial=0) >= count:
            raise ValueError(
                f"{source} contains the label {self.label.max()}, but labels go from 0 "
                f"to {count - 1}"
            )

    def show(self, row: int = 10, col: int = 10) -> None:
        """Show randomly chosen images in `row` rows of `col`. Requires the package
        matplotlib.
        """
        try:
            plt = import_module("matplotlib.pyplot")
        except ImportError:
            raise ImportError("to show images, run `pip install matplotlib`") from None
        picked = self.data[generator().integers(len(self.data), size=row * col)]
        rows = np.split(picked.transpose(0, 2, 3, 1), row)
        grid = np.concatenate([np.concatenate([*images], axis=1) for images in rows])
        plt.imshow(grid, cmap="gray", interpolation="nearest")
        plt.axis("off")
        plt.show()
