"""Step 33: Newton, automatic."""

import numpy as np

from dezero_lite.graph import get_dot_graph, plot_dot_graph
from dezero_lite.player import play

from .framework.core import (
    Add,
    Config,
    Div,
    Exp,
    Function,
    Mul,
    Neg,
    Pow,
    Square,
    Sub,
    Variable,
    add,
    as_array,
    as_variable,
    check_gradient,
    div,
    exp,
    fitted,
    mul,
    neg,
    no_grad,
    operands,
    pow,
    rdiv,
    rsub,
    square,
    sub,
    using_config,
)
from .framework.utils import (
    GradientCheck,
    gradient_check,
    numerical_grad,
    plain,
    slopes,
)

# Step 32's file, step 24's gradient check, and the tools that draw every framework.
__all__ = [
    "Add",
    "Config",
    "Div",
    "Exp",
    "Function",
    "GradientCheck",
    "Mul",
    "Neg",
    "Pow",
    "Square",
    "Sub",
    "Variable",
    "add",
    "as_array",
    "as_variable",
    "check_gradient",
    "div",
    "exp",
    "fitted",
    "get_dot_graph",
    "gradient_check",
    "mul",
    "neg",
    "no_grad",
    "numerical_grad",
    "operands",
    "plain",
    "play",
    "plot_dot_graph",
    "pow",
    "rdiv",
    "rsub",
    "slopes",
    "square",
    "sub",
    "using_config",
]


def newton_minimize(f, start, steps):
    """Return the steps + 1 points of Newton's walk on ``f``, including ``start``.

    The framework also finds the second derivative of ``f``.
    """
    x = Variable(np.array(float(start)))
    path = [float(start)]
    for _ in range(steps):
        x.cleargrad()
        f(x).backward(create_graph=True)
        slope = x.grad
        x.cleargrad()
        slope.backward()
        x.data = x.data - slope.data / x.grad.data
        path.append(float(x.data))
    return np.array(path)
