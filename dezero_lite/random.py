"""One source of random numbers for the framework, isolated from NumPy's global state.

Initial weights, dropout and random transforms draw from it, so that
``dezero_lite.manual_seed(0)`` makes a run repeatable. Data loaders have their own
generators.
"""

from __future__ import annotations

import numpy as np

# Created at the first draw: NumPy loads its generators late, and so do we.
_generator: np.random.Generator | None = None


def manual_seed(seed: int | None = None) -> None:
    """Restart the framework's random numbers.

    Parameters
    ----------
    seed : int, optional
        The same seed gives the same numbers; without one, they differ every time.
    """
    global _generator
    _generator = np.random.default_rng(seed)


def generator() -> np.random.Generator:
    """Return the generator that the framework draws from."""
    if _generator is None:
        manual_seed()
    assert _generator is not None
    return _generator
