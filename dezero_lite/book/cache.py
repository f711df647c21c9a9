"""The book's helpers that cache prepared data in a file; here for its readers."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import downloads
from ..array_files import load_arrays, save_arrays


def load_cache_npz(
    filename: str, train: bool = False
) -> tuple[NDArray[Any] | None, NDArray[Any] | None]:
    """Load data and labels that :func:`save_cache_npz` saved, or return ``None, None``.
    Source: book, `dezero.datasets`.

    Parameters
    ----------
    filename : str
        A name, or a URL that ends in it.
    train : bool, optional
        Whether to load the training or the test data.

    Raises
    ------
    ValueError
        If the file is damaged, or was not written by :func:`save_cache_npz`.
    """
    path = _cache_path(filename, train)
    if not os.path.isfile(path):
        return None, None
    arrays = load_arrays(path)
    if arrays.keys() != {"data", "label"}:
        raise ValueError(f"{path} holds {', '.join(arrays)}, not data and label")
    return arrays["data"], arrays["label"]


def save_cache_npz(data: Any, label: Any, filename: str, train: bool = False) -> None:
    """Save data and labels, unless the file already exists. Source: book,
    `dezero.datasets`.

    Parameters
    ----------
    data, label : ndarray
        The arrays to save.
    filename, train
        As for :func:`load_cache_npz`.
    """
    path = _cache_path(filename, train)
    if os.path.exists(path):
        return
    os.makedirs(downloads.cache_dir, exist_ok=True)
    save_arrays(path, {"data": np.asarray(data), "label": np.asarray(label)})


def _cache_path(filename: str, train: bool) -> str:
    name = filename.replace("\\", "/").rpartition("/")[2]
    return os.path.join(
        downloads.cache_dir, name + (".train.npz" if train else ".test.npz")
    )
