"""What comes of what is typed: a file a subject, a test a heading. In `random.md`

    ## What the test is about

    ```pycon
    >>> 1 + 1
    2
    ```

is compared as doctest does it; … is three full stops. Blocks of Python above the first
heading, and those under the heading, run before its session.
"""

from tests.support.sessions import pytest_collect_file as pytest_collect_file
