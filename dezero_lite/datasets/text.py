"""Text as a sequence of characters. Step 60 explains it."""

from __future__ import annotations

import numpy as np

from ..downloads import get_file
from .dataset import Dataset


class Shakespear(Dataset):
    """1,115,394 characters of plays: each example is a character's number, and its
    label the number of the next character.

    `data` and `label` have shape (1115393,) and dtype int64; `char_to_id` and
    `id_to_char` translate between characters and numbers. Characters are numbered in
    the order in which they first occur. There is no test set: `train` has no effect.

    Downloads about 1 MB at first use. A folder that ``DEZERO_LITE_DATA`` names must
    contain ``shakespear.txt``.

    Source: book, `dezero.datasets` (also for the spelling); the text comes from A.
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
