"""Step 28: downhill."""

import numpy as np

from . import step27
from .framework.utils import plain
from .step27 import *  # noqa: F403
from .step27 import Variable

__all__ = [*step27.__all__]


def rosenbrock(x0, x1):
    """Compute a bent valley with a flat floor; its lowest point is 0 at (1, 1)."""
    return 100 * (x1 - x0**2) ** 2 + (x0 - 1) ** 2


def gradient_descent(f, start, lr, steps, box=Variable):
    """Walk downhill from ``start``; return all points as an array (steps + 1, n).

    ``box`` is the kind of variable that f takes.
    """
    xs = [box(np.array(float(value))) for value in start]
    path = [list(start)]
    with np.errstate(all="ignore"):
        for step in range(1, steps + 1):
            for x in xs:
                x.cleargrad()
            f(*xs).backward()
            for x in xs:
                x.data -= lr * plain(x.grad)
            path.append([float(x.data) for x in xs])
            if not np.all(np.isfinite(path[-1])):
                raise FloatingPointError(
                    f"step {step} overflows: use an lr closer to 0 than {lr}"
                )
    return np.array(path)
