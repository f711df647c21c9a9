"""Derivatives of derivatives: of elementary functions up to sixth order against closed
forms, and the Hessian of a small network.
"""

import math

import numpy as np
import pytest
from numpy.polynomial import Polynomial

import dezero_lite
from dezero_lite import functions as F
from dezero_lite.models import MLP
from tests.support.arrays import assert_close, normal
from tests.support.function_checks import derivatives

# --- to the sixth order ---------------------------------------------------------------


def of_power(c, x):
    factors = np.cumprod([c - k for k in range(6)])
    return [factor * x ** (c - n) for n, factor in enumerate(factors, start=1)]


def of_tanh(x):
    # Each is a polynomial in t = tanh x, whose derivative is that with respect to t,
    # times 1 − t².
    polynomial, found = Polynomial([0, 1]), []
    for _ in range(6):
        polynomial = polynomial.deriv() * Polynomial([1, 0, -1])
        found.append(polynomial(np.tanh(x)))
    return found


ORDERS = range(1, 7)


@pytest.mark.parametrize(
    ("f", "closed_form"),
    [
        (F.sin, lambda x: [math.sin(x + n * math.pi / 2) for n in ORDERS]),
        (F.cos, lambda x: [math.cos(x + n * math.pi / 2) for n in ORDERS]),
        (F.exp, lambda x: [math.exp(x)] * 6),
        (F.log, lambda x: [-math.factorial(n - 1) / (-x) ** n for n in ORDERS]),
        (F.tanh, of_tanh),
        (F.sqrt, lambda x: of_power(0.5, x)),
        (lambda x: x**7, lambda x: of_power(7, x)),
        (lambda x: x**-2.5, lambda x: of_power(-2.5, x)),
        (lambda x: 1 / x, lambda x: of_power(-1, x)),
    ],
    ids=["sin", "cos", "exp", "log", "tanh", "sqrt", "x^7", "x^-2.5", "1/x"],
)
@pytest.mark.parametrize("x", [0.3, 0.7, 1.9])
def test_six_derivatives_are_those_of_the_closed_form(f, closed_form, x):
    assert_close(derivatives(f, x, 6), closed_form(x), rtol=1e-9, atol=1e-9)


# --- of a network ---------------------------------------------------------------------


def test_the_hessian_of_a_network_is_the_difference_of_its_gradients():
    dezero_lite.manual_seed(0)
    model = MLP((4, 2), activation=F.tanh)
    x, t = normal(6, 3), np.array([0, 1, 1, 0, 1, 0])
    model(x)
    params = list(model.params())
    for param in params:
        param.data = param.data.astype(float)

    def gradient(create_graph=False):
        model.cleargrads()
        loss = F.softmax_cross_entropy(model(x), t)
        loss.backward(create_graph=create_graph)
        return [param.grad for param in params]

    def flat(variables):
        return np.concatenate([v.data.ravel() for v in variables])

    hessian, measured = [], []
    for i, param in enumerate(params):
        for j in range(param.size):
            slopes = gradient(create_graph=True)
            model.cleargrads()
            slopes[i].reshape(-1)[j].backward()
            hessian.append(flat([p.grad for p in params]))
            found = []
            for nudge in (1e-5, -1e-5):
                param.data.flat[j] += nudge
                found.append(flat(gradient()))
                param.data.flat[j] -= nudge
            measured.append((found[0] - found[1]) / 2e-5)
    assert_close(np.array(hessian), np.array(measured), rtol=1e-4, atol=1e-7)
    assert_close(np.array(hessian), np.array(hessian).T, atol=1e-12)
