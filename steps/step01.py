"""Step 1: a box for data."""

__all__ = ["Variable"]


class Variable:
    """A box that holds an array in ``data``."""

    def __init__(self, data):
        self.data = data
