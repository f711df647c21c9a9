"""Step 62: expressions, and functions compiled from them."""

import weakref
from threading import Thread
from time import sleep

import numpy as np

from steps import step62
from steps.step62 import Shared, exp, function, scalar, vector


def test_expressions_hold_no_values_and_a_call_leaves_none_behind():
    x = vector("x")
    f = function([x], exp(x))
    result = f(np.ones(3))
    freed = weakref.ref(result)
    del result
    assert freed() is None
    held = [value for y in f.order for value in vars(y).values()]
    assert not any(isinstance(value, np.ndarray) for value in held)


def test_no_update_is_lost_when_eight_threads_call():
    count, by = Shared(0, "count"), scalar("by", int)
    # A slow operation, during which another thread can run.
    slow = step62.Op("slow", lambda a: [sleep(0.0005), a + 1][1], step62.same)
    tick = function([by], count, [(count, step62.apply(slow, count) * by)])
    threads = [Thread(target=lambda: [tick(1) for _ in range(10)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert count.get_value() == 80
