"""Runs a script or a notebook for the book's framework unchanged: ``python -m
dezero_lite.book step37.py``.
"""

import os
import runpy
import sys

from .dezero_alias import install_alias
from .notebook import run_notebook


def main() -> None:
    """Run the script or notebook named on the command line."""
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help"):
        sys.exit("usage: python -m dezero_lite.book SCRIPT_OR_NOTEBOOK [ARGUMENTS]")
    script = arguments[0]
    if not os.path.isfile(script):
        sys.exit(f"There is no file {script}.")
    sys.argv = arguments
    # Like Python when it runs a script.
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    install_alias()
    if script.endswith(".ipynb"):
        run_notebook(script)
    else:
        runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main()
