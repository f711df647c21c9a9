"""The solutions of the exam in docs/teach.md, each computed."""

import inspect
from types import ModuleType
from unittest.mock import Mock

import numpy as np
import pytest

from dezero_lite import Variable
from dezero_lite import functions as F
from steps import step06, step13, step14, step16
from steps.course.lessons import ROOT

TEXT = (ROOT / "docs" / "teach.md").read_text(encoding="utf-8")
SOLUTIONS = TEXT.partition("### Solutions")[2]


def solution(number):
    """The text of one solution; a test names what it looks up there."""
    return SOLUTIONS.partition(f"\n**{number}.** ")[2].partition("\n\n")[0]


def test_there_are_ten_questions_with_solutions():
    questions = TEXT.partition("## Ten questions")[2].partition("### Solutions")[0]
    for part in (questions, SOLUTIONS):
        assert [f"\n**{n}.** " in part for n in range(1, 12)] == [True] * 10 + [False]


def test_1_three_numbers_in_order():
    x = step06.Variable(np.array(1.0))
    A, B = step06.Square(), step06.Exp()
    y = B(A(x))
    second = B.backward(np.array(1.0))
    third = A.backward(second)
    np.testing.assert_allclose([y.data, second, third], [np.e, np.e, 2 * np.e])
    assert "gy = 1" in solution(1)
    assert f"{second:.3f}" in solution(1)
    assert f"{third:.3f}" in solution(1)


@pytest.mark.parametrize("inputs", [1, 5])
def test_2_calls_and_walks(inputs):
    f = Mock(side_effect=np.sum)
    point = np.ones(inputs)
    for nudge in np.eye(inputs) * 1e-4:
        f(point + nudge), f(point - nudge)
    assert f.call_count == 2 * inputs
    x = Variable(point)
    F.sum(x).backward()
    assert np.array_equal(x.grad.data, np.ones(inputs))
    assert f"{2 * 1_000_000:,} calls; one walk" in solution(2)
    assert "two calls are enough" in solution(2)
    # Many outputs take a walk each.
    x, slopes = Variable(np.array(3.0)), []
    for y in [x * k for k in range(1, 5)]:
        x.cleargrad()
        y.backward()
        slopes.append(float(x.grad))
    assert slopes == [1, 2, 3, 4]


def gradient_of_a_sum_with_itself(step):
    x = step.Variable(np.array(3.0))
    y = step.add(x, x)
    y.backward()
    return x.grad, y.grad


def test_3_the_second_use_overwrites_the_first():
    assert gradient_of_a_sum_with_itself(step13)[0] == 1
    assert gradient_of_a_sum_with_itself(step14)[0] == 2
    wrong, right = "x.grad = gx", "gx if x.grad is None else x.grad + gx"
    assert wrong in solution(3)
    assert right in solution(3)
    assert right in inspect.getsource(step14.Variable.backward)
    assert right not in inspect.getsource(step13.Variable.backward)


def test_4_adding_in_place_changes_the_gradient_of_y():
    source = inspect.getsource(step14)
    kept = "x.grad = as_array(gx if x.grad is None else x.grad + gx)"
    assert kept in source
    in_place = "x.grad = gx if x.grad is None else x.grad.__iadd__(gx)"
    changed = ModuleType("changed")
    exec(source.replace(kept, in_place), changed.__dict__)
    assert gradient_of_a_sum_with_itself(step14)[1] == 1
    assert gradient_of_a_sum_with_itself(changed)[1] == 2
    assert "`y.grad` would be 2" in solution(4)


def test_5_a_diamond_goes_wrong_and_a_fork_of_leaves_does_not():
    def diamond(step):
        x = step.Variable(np.array(2.0))
        a = step.square(x)
        step.add(step.square(a), step.square(a)).backward()
        return x.grad

    def fork(step):
        x = step.Variable(np.array(2.0))
        step.add(step.square(x), step.exp(x)).backward()
        return x.grad

    assert diamond(step16) == 64 != diamond(step14)  # y = 2x⁴
    assert np.allclose([fork(step14), fork(step16)], 4 + np.exp(2))


def test_6_a_number_on_the_left():
    class Asked:
        def __rmul__(self, other):
            return f"asked with {other}"

    assert (2.0).__mul__(Asked()) is NotImplemented
    assert 2.0 * Asked() == "asked with 2.0"
    assert "`x.__rmul__(2.0)`" in solution(6)


def test_7_shapes_of_a_broadcast_sum():
    x, b = Variable(np.ones((3, 1))), Variable(np.ones(4))
    y = x + b
    y.backward()
    assert y.shape == (3, 4)
    assert np.array_equal(x.grad.data, np.full((3, 1), 4))
    assert np.array_equal(b.grad.data, np.full(4, 3))


def test_8_gradients_of_a_product():
    rng = np.random.default_rng(0)
    X, W = Variable(rng.normal(size=(5, 3))), Variable(rng.normal(size=(3, 2)))
    G = rng.normal(size=(5, 2))
    F.sum((X @ W) * G).backward()
    np.testing.assert_allclose(X.grad.data, G @ W.data.T)
    np.testing.assert_allclose(W.grad.data, X.data.T @ G)


def test_9_the_largest_is_subtracted():
    scores = np.array([1000.0, 0.0])
    with np.errstate(all="ignore"):
        naive = np.exp(scores) / np.exp(scores).sum()
    assert np.isnan(naive[0])
    shifted = np.exp(scores - 1000) / np.exp(scores - 1000).sum()
    np.testing.assert_allclose(shifted, [1, 0])
    exps, smaller = np.exp([3.0, 1.0]), np.exp([0.0, -2.0])
    np.testing.assert_allclose(smaller / smaller.sum(), exps / exps.sum())


def test_10_columns_of_an_image():
    columns = F.im2col(np.ones((1, 1, 28, 28)), 5, 1, 2)
    assert columns.shape == (784, 25)
    assert "784 rows" in solution(10)
    assert "25 columns" in solution(10)
    met = F.col2im(np.ones_like(columns.data), (1, 1, 28, 28), 5, 1, 2)
    assert met.data[0, 0, 14, 14] == 25
