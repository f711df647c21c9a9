"""Sums over workers: for any layout, dtype and number of elements."""

import signal
import textwrap
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import Pipe

import numpy as np
import pytest

from dezero_lite import Variable
from dezero_lite.parallel import (
    Ring,
    average_gradients,
    own_gradients,
    run_ring,
)
from steps.course.lessons import ROOT
from tests.support import training
from tests.support.arrays import assert_close
from tests.support.programs import python

LAYOUTS = {
    "Fortran": np.asfortranarray,
    "transposed": lambda a: np.ascontiguousarray(a.T).T,
    "every second": lambda a: np.repeat(a, 2, axis=1)[:, ::2],
    "broadcast": lambda a: np.broadcast_to(a[:1], a.shape),
}


def sums(*arrays):
    """Return what each worker of a ring gets; the workers are threads here."""
    links = [Pipe(duplex=False) for _ in arrays]
    count = len(arrays)
    rings = [Ring(i, count, links[i - 1][0], links[i][1]) for i in range(count)]
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(Ring.all_reduce, rings, arrays))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_sum_does_not_depend_on_the_layout(layout):
    array = LAYOUTS[layout](np.arange(12.0).reshape(3, 4))
    for total in sums(array, 10 * array, 100 * array):
        assert_close(total, 111 * array)


def test_a_mean_of_float16_over_many_examples_is_finite():
    model = training.make_model()
    x, t = training.part_of_digits(4)[np.arange(4)]
    training.loss(model, x, t).backward()
    for p in model.params():
        p.data = p.data.astype(np.float16)
        p.grad = Variable(np.full(p.shape, 100.0, dtype=np.float16))
    average_gradients(model, 4096, Ring(0, 1, None, None))
    for gradient in own_gradients(model):
        assert gradient.dtype == np.float16
        assert_close(gradient, np.full_like(gradient, 100.0))


@pytest.mark.slow
def test_a_program_without_a_guard_is_told_about_it(tmp_path):
    program = tmp_path / "unguarded.py"
    program.write_text(
        textwrap.dedent(
            """
            from dezero_lite.parallel import run_ring
            from tests.support.training import sum_of

            run_ring(sum_of, 2, (3,), "f8")
            """
        )
    )
    done = python(program, timeout=300, PYTHONPATH=str(ROOT))
    assert done.returncode == 1
    assert '`if __name__ == "__main__":`' in done.stderr.splitlines()[-1]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no signals to ignore")
def test_the_timeout_holds_where_being_terminated_is_ignored():
    with pytest.raises(TimeoutError, match="still at work"):
        run_ring(training.ignores_sigterm, 1, timeout=3)
