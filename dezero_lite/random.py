"""One source of random numbers for the framework, isolated from NumPy's global state.

Initial weights, dropout and examples draw from it, so that
``dezero_lite.manual_seed(0)`` makes a run repeatable. Data loaders bring generators of
their own.
"""

from __future__ import annotations

import numpy as np

# Made when the first number is drawn: NumPy loads its generators late, and so do we.
_generator: np.random.Generator | None = None


def manual_seed(seed: int | None = None) -> None:
    """Start the framework's random numbers anew.

    Parameters
    ----------
    seed : int, optional
        The same seed gives the same numbers; none gives new ones every time.
    """
    global _generator
    _generator = np.random.default_rng(seed)


def generator() -> np.random.Generator:
    """The generator that the framework draws from."""
    if _generator is None:
        manual_seed()
    assert _generator is not None
    return _generator
