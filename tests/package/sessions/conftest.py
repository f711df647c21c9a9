"""Sessions at the prompt: a file per subject, and a test per heading. In `random.md`,

    ## What the test is about

    ```pycon
    >>> 1 + 1
    2
    ```

is compared as doctest does, with three full stops as the wildcard. Blocks of Python
above the first heading, and those under the heading, run before its session.
"""

from tests.support.sessions import pytest_collect_file as pytest_collect_file
