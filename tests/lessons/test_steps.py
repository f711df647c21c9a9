"""Steps can be imported from anywhere, and quickly; the guards in
tests/lint/test_lessons.py check that imports are silent and light.
"""

import pytest

from steps.course.lessons import numbers
from tests.support.programs import python


@pytest.mark.slow
def test_importing_a_step_takes_little_longer_than_importing_numpy(tmp_path):
    timer = """
import sys, time
start = time.process_time()
import numpy
middle = time.process_time()
__import__(sys.argv[1])
print(middle - start, time.process_time() - middle)
"""

    # As for everybody from the second time on: with cached bytecode.
    at_hand = {"PYTHONDONTWRITEBYTECODE": ""}

    def share_of_numpys_time(module, limit, most=12):
        """Return the best time of several runs; a busy machine needs more of them."""
        runs = []
        while len(runs) < most:
            run = python("-c", timer, module, folder=tmp_path, **at_hand)
            runs.append([float(seconds) for seconds in run.stdout.split()])
            numpys, its = map(min, zip(*runs, strict=True))
            if len(runs) > 1 and its < limit * numpys:
                break
        return its / numpys

    # 0.33 on a quiet machine, up to 0.43 on a busy one.
    assert share_of_numpys_time("dezero_lite", 0.5) < 0.5
    # 0.6 on a quiet machine, up to 0.9 on a busy one.
    assert share_of_numpys_time(f"steps.step{numbers()[-1]:02d}", 1) < 1
    assert share_of_numpys_time("matplotlib.pyplot", 1, most=2) > 1, (
        "the clock sees a heavy import"
    )


def test_a_step_works_from_anywhere(tmp_path):
    program = (
        "from steps.step08 import *; import numpy as np; "
        "print(Square()(Variable(np.array(3.0))).data)"
    )
    run = python("-c", program, folder=tmp_path)
    assert (run.stdout, run.stderr) == ("9.0\n", "")
