"""The address of the course's repository, which all links to it from the site use.

``COURSE_URL`` gives the address, such as ``https://github.com/someone/course``. Without
it, ``Repository`` in pyproject.toml's ``[project.urls]`` does, or else git's remote. A
site built from an unpublished checkout has no such links.
"""

import os
import re
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
# A web address, or the form that ssh uses: git@github.com:someone/course.git
PUBLIC = re.compile(
    r"(?:https://(?:[^@/]+@)?|ssh://git@|git@)(?P<host>[^/:]+\.[^/:]+)[/:]"
    r"(?P<owner>[^/]+)/(?P<name>[^/]+?)(?:\.git)?/?$"
)
GITHUB = "github.com"


@dataclass(frozen=True)
class Repository:
    """A public repository of the course."""

    host: str
    owner: str
    name: str

    @property
    def url(self):
        return f"https://{self.host}/{self.owner}/{self.name}"

    @property
    def site(self):
        """The address at which the workflow publishes the site, or None."""
        host = f"{self.owner.lower()}.github.io"
        if self.host != GITHUB:
            return None
        return (
            f"https://{host}/" if self.name == host else f"https://{host}/{self.name}/"
        )

    @property
    def binder(self):
        """The address that opens the course in a container on Binder, or None."""
        if self.host != GITHUB:
            return None
        page = "urlpath=lab/tree/my-course/start.ipynb"
        return f"https://mybinder.org/v2/gh/{self.owner}/{self.name}/HEAD?{page}"

    def colab(self, notebook):
        """Return the address that opens a published notebook in Colab, or None."""
        if self.host != GITHUB:
            return None
        path = f"{self.owner}/{self.name}/blob/{BRANCH}/notebooks/{notebook}"
        return f"https://colab.research.google.com/github/{path}"

    def edit(self, path):
        """Return the address at which a file can be edited in the browser."""
        return f"{self.url}/edit/main/{path}"


# The branch to which the workflow pushes the site.
BRANCH = "gh-pages"


@cache
def repository():
    """Return the repository in which the course is published, or None."""
    named = os.environ.get("COURSE_URL") or _of_the_project() or _remote()
    found = PUBLIC.match(named)
    return Repository(found["host"], found["owner"], found["name"]) if found else None


def _of_the_project():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    found = re.search(r'^Repository = "(.+)"', text, re.M)
    return found[1] if found else ""


def _remote():
    asked = ["git", "-C", str(ROOT), "remote", "get-url", "origin"]
    try:
        return subprocess.run(asked, capture_output=True, text=True).stdout.strip()
    except OSError:  # no git
        return ""
