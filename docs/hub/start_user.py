"""Start a user's server, after creating or updating the course's folder in their home.

The hub runs this as the user, so that they own the files. Nothing that they changed is
overwritten. If the folder cannot be created, the server starts anyway, and the hub's
log has the reason.
"""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path


def main(arguments):
    installed = find_spec("dezero_lite") and find_spec("dezero_lite.steps")
    tool = "dezero_lite.steps" if installed else "steps"
    folder = Path.home() / "my-course"
    # Not where the user's files are: a calendar.py there would replace Python's.
    here = Path(__file__).resolve().parent
    subprocess.run([sys.executable, "-m", tool, "lay", folder], cwd=here, check=False)
    server = str(Path(sys.executable).with_name("jupyterhub-singleuser"))
    os.execv(server, [server, *arguments])


if __name__ == "__main__":
    main(sys.argv[1:])
