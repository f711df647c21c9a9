"""Skips the tests that need Hypothesis if it is not installed. Tests in tests/lint
check what learners never see, so they run only when named.
"""

import sys
from importlib.util import find_spec

collect_ignore = ["lint"]

if find_spec("hypothesis") is None:
    from tests.support import without_hypothesis

    for name in ("hypothesis", "hypothesis.strategies", "hypothesis.extra"):
        sys.modules[name] = without_hypothesis
