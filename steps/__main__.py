"""The door to the course tool: ``python -m steps --help``."""

import os
import sys

# Python begins to look for modules in the folder where one is, which may hold what
# somebody handed in. It is to look where this package is in place of that.
if not getattr(sys.flags, "safe_path", False):
    top = os.path.dirname(os.path.abspath(__file__))
    for _ in __package__.split("."):
        top = os.path.dirname(top)
    sys.path[0] = top

from .course import MISSING

try:
    from .course.commands import main
except ModuleNotFoundError as error:
    sys.exit(MISSING.format(error.name))

if __name__ == "__main__":
    sys.exit(main())
