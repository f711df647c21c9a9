"""Digits: real scans that come with the framework. Step 51 explains them."""

from __future__ import annotations

import os

import numpy as np

from ..transforms import Transform
from .images import FROM_16, Images

# The package's data folder.
DATA = os.path.join(os.path.dirname(os.path.dirname(__file__)), "data")


class Digits(Images):
    """1,797 real handwritten digits of 8×8 pixels, which come with the framework, so no
    network is needed.

    `data` has shape (N, 1, 8, 8) and dtype uint8, with values from 0 (paper) to 16
    (ink); `label` holds the digits. By default, x has shape (64,), dtype float32 and
    values from 0 to 1.

    They were written by 13 people. Of each digit, every fifth scan is for testing (355
    in all), and the other 1,442 are for training; so both parts contain the handwriting
    of all 13. New handwriting is harder: to test a model for strangers, use scans of
    strangers.

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
        transform: Transform | None = FROM_16,
        target_transform: Transform | None = None,
    ) -> None:
        super().__init__(train, transform, target_transform)

    def prepare(self) -> None:
        with np.load(os.path.join(DATA, "digits.npz")) as file:
            data, label = file["data"], file["label"]
        for_testing = np.zeros(len(label), bool)
        for digit in np.unique(label):
            for_testing[np.flatnonzero(label == digit)[4::5]] = True
        part = ~for_testing if self.train else for_testing
        self.data, self.label = data[part], label[part]
