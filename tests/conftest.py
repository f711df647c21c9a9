"""Where Hypothesis is not installed, its tests are skipped and the others run. Those in
tests/lint guard what no learner meets: they run only where they are named.
"""

import sys
from importlib.util import find_spec

collect_ignore = ["lint"]

if find_spec("hypothesis") is None:
    from tests.support import without_hypothesis

    for name in ("hypothesis", "hypothesis.strategies", "hypothesis.extra"):
        sys.modules[name] = without_hypothesis
