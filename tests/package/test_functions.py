"""Every function: both orders of its gradient, its dtypes, and that its inputs do not
change.
"""

import inspect

import numpy as np
import pytest

import dezero_lite
from dezero_lite import Variable, no_grad
from dezero_lite import functions as F
from tests.package.function_calls import CALLS, function_of
from tests.support.arrays import assert_close
from tests.support.function_checks import check_function, listed

WITHOUT_A_SLOPE = {"accuracy", "causal_mask", "im2col_array", "col2im_array"}


def test_no_function_is_left_out():
    names = {name for name in F.__all__ if inspect.isfunction(getattr(F, name))}
    missing = names - WITHOUT_A_SLOPE - set(CALLS)
    assert not missing, f"CALLS needs something that they compute: {missing}"
    assert set(CALLS) <= names


each_function = pytest.mark.parametrize("name", CALLS)


def call(name):
    code, *inputs = CALLS[name]
    return function_of(code, dezero_lite, F), *inputs


@each_function
def test_it_is_right_to_the_second_order_everywhere(name):
    check_function(*call(name))


def variables(inputs, dtype=float):
    floats = [x.dtype.kind == "f" for x in inputs]
    return [
        Variable(x.astype(dtype)) if is_float else x
        for x, is_float in zip(inputs, floats, strict=True)
    ]


@each_function
def test_no_rule_widens_on_its_way(name):
    # Backward would narrow the result again, but only after twice the work.
    f, *inputs = call(name)
    ys = listed(f(*variables(inputs, np.float32)))
    creator = ys[0].creator
    arrays = [x.data if isinstance(x, Variable) else x for x in creator.inputs]
    gys = [out().data for out in creator.outputs]
    for given, gy in [(creator.inputs, map(Variable, gys)), (arrays, gys)]:
        gxs = creator.vjp(given, *gy)
        gxs = gxs if isinstance(gxs, tuple) else (gxs,)
        assert {gx.dtype for gx in gxs if gx is not None} == {np.dtype(np.float32)}


@each_function
def test_it_takes_plain_arrays_and_leaves_no_graph_under_no_grad(name):
    f, *inputs = call(name)
    with no_grad():
        ys = listed(f(*variables(inputs)))
    for y, like in zip(ys, listed(f(*inputs)), strict=True):
        assert y.creator is None
        assert_close(y.data, like.data)


@each_function
def test_a_variable_without_data_is_named(name):
    f, *inputs = call(name)
    # The indices of get_item are not inputs of the graph, and of batch_norm's, only
    # the first is looked at.
    count = {"get_item": 1, "batch_norm": 1, "batch_nrom": 1}.get(name, len(inputs))
    for i in range(count):
        given = [*inputs[:i], Variable(None, "w"), *inputs[i + 1 :]]
        with pytest.raises(ValueError, match=r"Variable 'w'.* holds no data yet"):
            f(*given)
