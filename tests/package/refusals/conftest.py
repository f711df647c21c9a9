"""What is refused, and in which words: a file a subject, a test a heading. In `conv.md`

    ## What the test is about

    ```pycon
    >>> Linear(2.0)
    >>> Linear((3, 2))
    ValueError: out_size of Linear … is
    ```

are two mistakes with one answer. The kind of error has to be the one that is said, and
its words to hold what is said; … stands for whatever is between, and a long answer goes
on in the next line. A block of Python above the first heading, and one above the
session, is run before each mistake, one below the session after each; each mistake is
made in an empty folder, in which data sets are sought, too. With

    f = each(F.sum, F.mean)

all mistakes are made with one and then the other, and {f} in an answer stands for it.
"""

from tests.support.mistakes import pytest_collect_file as pytest_collect_file
