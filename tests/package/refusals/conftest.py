"""Errors and their messages: a file per subject, and a test per heading. In `conv.md`,

    ## What the test is about

    ```pycon
    >>> Linear(2.0)
    >>> Linear((3, 2))
    ValueError: out_size of Linear … is
    ```

are two mistakes with the same error. The kind of error must match, and its message must
contain the given words, where … matches anything, and a long message continues on the
next line. Blocks of Python above the first heading and above the session run before
each mistake, and one below the session after each. Each mistake is made in an empty
folder, which is also the folder for data sets. With

    f = each(F.sum, F.mean)

all mistakes are made with one and then the other, and {f} in a message stands for it.
"""

from tests.support.mistakes import pytest_collect_file as pytest_collect_file
