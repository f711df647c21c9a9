"""Learning rates that change during training: functions of the step number. Step 74
explains them. A loop uses one like this::

    rate = WarmupCosine(0.003, warmup=50, steps=1000)
    for step in range(1000):
        optimizer.alpha = rate(step)  # of Adam and AdamW; optimizer.lr of the others
"""

from __future__ import annotations

import math

__all__ = ["WarmupCosine", "WarmupLinear"]


class Warmup:
    """A linear warm-up to a peak, followed by the decay that a subclass defines.

    Parameters
    ----------
    peak : float
        The highest rate, reached at step number `warmup`.
    warmup : int
        The number of steps before the peak.
    steps : int
        The total number of steps; afterwards, the rate stays at `last`.
    last : float, optional
        The final rate.

    Raises
    ------
    ValueError
        Unless ``0 <= warmup < steps``.
    """

    def __init__(self, peak: float, warmup: int, steps: int, last: float = 0.0) -> None:
        if not 0 <= warmup < steps:
            raise ValueError(
                f"warmup={warmup} must be at least 0 and less than steps={steps}"
            )
        self.peak, self.last = peak, last
        self.warmup, self.steps = warmup, steps

    def __repr__(self) -> str:
        settings = ", ".join([f"{name}={value}" for name, value in vars(self).items()])
        return f"{type(self).__name__}({settings})"

    def __call__(self, step: int) -> float:
        """Return the rate at `step`; the first step is number 0."""
        if step < self.warmup:
            return self.peak * (step + 1) / (self.warmup + 1)
        way = (step - self.warmup) / (self.steps - self.warmup)
        return self.last + (self.peak - self.last) * self.left(min(way, 1.0))

    def left(self, way: float) -> float:
        """Return the remaining share of the peak, from 1 to 0; `way` is from 0 to 1."""
        raise NotImplementedError


class WarmupLinear(Warmup):
    """A linear warm-up to `peak`, and a linear decay.

    Examples
    --------
    >>> rate = WarmupLinear(1.0, warmup=1, steps=5)
    >>> [rate(step) for step in range(6)]
    [0.5, 1.0, 0.75, 0.5, 0.25, 0.0]
    """

    def left(self, way: float) -> float:
        return 1 - way


class WarmupCosine(Warmup):
    """A linear warm-up to `peak`, and a decay along half a cosine wave.

    Notes
    -----
    Source: I. Loshchilov and F. Hutter, "SGDR: stochastic gradient descent with warm
    restarts", 2017, arXiv:1608.03983.

    Examples
    --------
    >>> rate = WarmupCosine(1.0, warmup=1, steps=5)
    >>> [round(rate(step), 2) for step in range(6)]
    [0.5, 1.0, 0.85, 0.5, 0.15, 0.0]
    """

    def left(self, way: float) -> float:
        return (1 + math.cos(math.pi * way)) / 2
