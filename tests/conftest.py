"""Skips the tests that need Hypothesis if it is not installed. What only an author can
break runs only when named: the project's own texts and tools, how lessons are built and
packed, and what lessons answer to wrong attempts and to changes.
"""

import sys
from importlib.util import find_spec

collect_ignore = ["lint", "course/authors", "lessons/attempts", "lessons/changes"]

if find_spec("hypothesis") is None:
    from tests.support import without_hypothesis

    for name in ("hypothesis", "hypothesis.strategies", "hypothesis.extra"):
        sys.modules[name] = without_hypothesis
