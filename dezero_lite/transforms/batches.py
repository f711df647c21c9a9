"""Chains of transforms, and their application to batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

Transform = Callable[[Any], Any]


def as_batch(examples: Iterable[Any]) -> Any:
    """Stack examples of equal shape along a new first axis.

    Raises
    ------
    ValueError
        If their shapes differ.
    """
    arrays = [np.asarray(example) for example in examples]
    shapes = list(dict.fromkeys([array.shape for array in arrays]))
    if len(shapes) > 1:
        raise ValueError(
            f"examples of shape {shapes[0]} and {shapes[1]} cannot form a batch: give "
            "them one shape with a transform, such as Resize or CenterCrop for images"
        )
    return np.stack(arrays)


def apply_to_batch(transform: Transform, xs: Any) -> Any:
    """Apply `transform` to every example of a batch: at once if it can, else one by
    one.
    """
    batch = getattr(transform, "batch", None)
    return as_batch([transform(x) for x in xs]) if batch is None else batch(xs)


class Compose:
    """Several transforms, applied in order; without any, examples stay unchanged.

    Source: book, `dezero.transforms`.

    Raises
    ------
    TypeError
        If `transforms` is not a list of callables.

    Examples
    --------
    >>> from dezero_lite.transforms import Flatten, Normalize, ToFloat
    >>> f = Compose([Flatten(), ToFloat(), Normalize(0.0, 255.0)])
    >>> f(np.full((1, 2, 2), 51, np.uint8))
    array([0.2, 0.2, 0.2, 0.2], dtype=float32)
    """

    def __init__(self, transforms: Sequence[Transform] = ()) -> None:
        several = transforms if hasattr(transforms, "__iter__") else None
        if several is None or not all(map(callable, several)):
            raise TypeError(
                "Compose takes a list of transforms, as in Compose([Flatten(), "
                f"ToFloat()]), not {transforms!r}"
            )
        self.transforms = list(several)

    def __call__(self, x: Any) -> Any:
        for transform in self.transforms:
            x = transform(x)
        return x

    def batch(self, xs: Any) -> Any:
        """Apply the transforms to a whole batch."""
        if not all(hasattr(transform, "batch") for transform in self.transforms):
            return as_batch([self(x) for x in xs])
        for transform in self.transforms:
            xs = transform.batch(xs)  # type: ignore[attr-defined]
        return xs
