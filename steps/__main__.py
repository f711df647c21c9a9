"""The door to the course tool: ``python -m steps --help``."""

import sys

from .course.commands import main

if __name__ == "__main__":
    sys.exit(main())
