"""IDX files, which hold one array each, compressed by gzip. Step 51 explains them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def read_idx(
    path: str, most: tuple[int, ...], sha256: str | None = None
) -> NDArray[np.uint8]:
    """Read the array in an IDX file. The header is read first, and only as many bytes
    as it promises are decompressed.

    Parameters
    ----------
    path : str
        The path of a gzip file.
    most : tuple of int
        The maximum length of each axis.
    sha256 : str, optional
        The expected hash of the decompressed content.

    Raises
    ------
    ValueError
        If the file is not as expected; the message says how it differs.
    """
    import gzip
    import hashlib
    import zlib

    with open(path, "rb") as file:
        start = file.read(8)
    if start[:2] != b"\x1f\x8b":
        raise ValueError(
            f"{path} is not a gzip file: it begins with {start!r}. Was it unpacked, or "
            "is it a web page?"
        )
    try:
        with gzip.open(path) as unpacked:
            header = unpacked.read(4 + 4 * len(most))
            shape = _shape(path, header, most)
            size = math.prod(shape)
            # One byte more shows whether the file ends here; at its end, gzip verifies
            # the checksum.
            content = unpacked.read(size + 1)
    except (EOFError, OSError, zlib.error) as error:
        raise ValueError(
            f"{path} is truncated or damaged: {error}. Delete it and get it again"
        ) from None
    if len(content) != size:
        follow = len(content) if len(content) < size else "more"
        raise ValueError(
            f"{path} declares {size} values, of shape {shape}, but {follow} follow: it "
            "is truncated, or was appended to"
        )
    found = hashlib.sha256(header + content).hexdigest()
    if sha256 not in (None, found):
        raise ValueError(
            f"the content of {path} has the SHA-256 {found}, but {sha256} was "
            "expected. Delete it and get it again"
        )
    # A copy, because an array made from a buffer of bytes is read-only.
    return np.array(np.frombuffer(content, np.uint8).reshape(shape))


def _shape(path: str, header: bytes, most: tuple[int, ...]) -> tuple[int, ...]:
    # Two zero bytes, the type of the numbers (8: one byte each), the number of axes,
    # and the length of each axis in four bytes.
    axes = len(most)
    if len(header) < 4 + 4 * axes:
        raise ValueError(
            f"{path} is truncated: it has {len(header)} bytes, fewer than the "
            f"{4 + 4 * axes} of its header"
        )
    if header[:3] != b"\0\0\x08":
        raise ValueError(
            f"{path} is not an IDX file of bytes: it begins with {header[:4]!r}, not "
            "with b'\\x00\\x00\\x08'"
        )
    if header[3] != axes:
        kinds = {1: "labels", 3: "images"}
        raise ValueError(
            f"{path} is mislabelled: it contains an array with {header[3]} axes "
            f"({kinds.get(header[3], 'something else')}), but {axes} ({kinds[axes]}) "
            "were expected"
        )
    shape = tuple(np.frombuffer(header, ">u4", axes, offset=4).tolist())
    if any(n > longest for n, longest in zip(shape, most, strict=True)):
        raise ValueError(
            f"{path} declares an array of shape {shape}, but at most {most} was "
            "expected: is it another file?"
        )
    return shape
