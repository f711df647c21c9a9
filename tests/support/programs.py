"""Programs that tests run in their own process."""

import os
import subprocess
import sys

from steps.course.lessons import ROOT


def python(*arguments, folder=ROOT, typed=None, timeout=None, **variables):
    """Run this Python in a folder, with more environment variables; return its output
    and exit code. Without PYTHONPATH it finds what is installed.
    """
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=folder,
        env=os.environ | variables,
        input=typed,
        capture_output=True,
        encoding="utf-8",
        timeout=timeout,
    )
