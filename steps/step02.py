"""Step 2: a function from box to box."""

__all__ = ["Function", "Square", "Variable"]


class Variable:
    """A box that holds an array in ``data``."""

    def __init__(self, data):
        self.data = data


class Function:
    """A rule from one box to another: ``forward`` says what happens to the array."""

    def __call__(self, input):
        y = self.forward(input.data)
        return Variable(y)

    def forward(self, x):
        raise NotImplementedError(f"{type(self).__name__} needs a forward(self, x)")


class Square(Function):
    """y = x²"""

    def forward(self, x):
        return x**2
