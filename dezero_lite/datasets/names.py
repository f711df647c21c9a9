"""First names as rows of letters. Step 69 explains them."""

from __future__ import annotations

import os
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from .dataset import Dataset
from .digits import DATA

# The character that marks the beginning and the end of a name.
EDGE = "."


class Names(Dataset):
    """5,163 first names, which come with the framework: each example is a name's
    letters as numbers, and its label the next letter at each position.

    `data` and `label` have shape (N, 12) and dtype int64. A row of data begins with 0,
    which marks the edge of a name. Its label contains a 0 after the last letter, and −1
    where there is no next letter. Every tenth name in alphabetical order is for
    testing, 516 in all.

    Attributes
    ----------
    names : list of str
        In lower case.
    letters : str
        A full stop for the edge, followed by the alphabet: letter i is number i.

    Source: U.S. Census Bureau, first names of the census of 1990, in the public domain.

    Examples
    --------
    >>> names = Names()
    >>> names.names[:3]
    ['aaron', 'abbey', 'abbie']
    >>> x, t = names[0]
    >>> print(x, t)
    [ 0  1  1 18 15 14  0  0  0  0  0  0] [ 1  1 18 15 14  0 -1 -1 -1 -1 -1 -1]
    """

    letters = EDGE + "abcdefghijklmnopqrstuvwxyz"

    def prepare(self) -> None:
        with open(os.path.join(DATA, "names.txt"), encoding="ascii") as file:
            names = file.read().split()
        longest = max(map(len, names))
        for_testing = names[9::10]
        del names[9::10]
        self.names = names if self.train else for_testing
        self.data = np.zeros((len(self.names), longest + 1), np.int64)
        self.label = np.full_like(self.data, -1)
        for x, t, name in zip(self.data, self.label, self.names, strict=True):
            ids = self.encode(name)
            x[1 : len(name) + 1] = ids
            t[: len(name) + 1] = [*ids, 0]

    def encode(self, name: str) -> NDArray[np.int64]:
        """Convert letters to their numbers."""
        unknown = sorted(set(name) - set(self.letters))
        if unknown:
            raise ValueError(
                f"a name has letters from a to z, but {name!r} contains "
                f"{', '.join(map(repr, unknown))}: write it in lower case, without "
                "accents"
            )
        return np.array([self.letters.index(letter) for letter in name], np.int64)

    def decode(self, ids: Iterable[int]) -> str:
        """Convert numbers to letters, up to the end of the first name among them."""
        name: str = "".join([self.letters[i] for i in ids])
        return name.lstrip(EDGE).partition(EDGE)[0]
