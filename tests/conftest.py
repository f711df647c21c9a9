"""Where Hypothesis is not installed, its tests are skipped and the others run."""

import sys
from importlib.util import find_spec

if find_spec("hypothesis") is None:
    from tests.support import without_hypothesis

    for name in ("hypothesis", "hypothesis.strategies", "hypothesis.extra"):
        sys.modules[name] = without_hypothesis
