"""Notebooks to download: learners' copies that install the course where it is missing,
as in Colab.
"""

import json

from steps.course import student_copies
from steps.course.lessons import numbers

INSTALL = """\
# Where the course is missing, as in Colab, this fetches it; elsewhere it does nothing.
import importlib.util
import sys
from pathlib import Path

if importlib.util.find_spec("steps") is None:
    !git clone -q --depth 1 {url} course
    %pip install -q -e "./course[cluster,data]" matplotlib graphviz
    sys.path.insert(0, str(Path("course").resolve()))"""


def write(folder, url):
    """Write copies of the map and the lessons, each beginning with the cell that
    installs the course.
    """
    for path, text in student_copies.format_copies(folder, numbers()).items():
        notebook = json.loads(text)
        notebook["cells"].insert(0, install(url))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(notebook, indent=1) + "\n", "utf-8")


def install(url):
    """Return the cell that installs the course from a repository."""
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": "install",
        "metadata": {"cellView": "form", "jupyter": {"source_hidden": True}},
        "outputs": [],
        "source": INSTALL.format(url=url),
    }
