"""What a student's repository needs, so that the service that hosts it judges."""

import os
import re
import subprocess
from pathlib import Path
from string import Template
from urllib.parse import urlsplit, urlunsplit

import dezero_lite

from .. import lessons, student_copies
from ..lessons import numbers
from . import handout

FILES = {
    ".github/workflows/exercises.yml": "github.yml",
    ".gitlab-ci.yml": "gitlab.yml",
    "README.md": "repository.md",
}
IGNORED = ".venv/\n.ipynb_checkpoints/\n.progress.json\nresults.xml\n"
TO_FILL_IN = "https://THE-ADDRESS-OF-THE-COURSE"


def lay_repository(folder, chosen, percent, agents):
    """Write notebooks, workflows and words for one student. Nothing is overwritten.

    Returns
    -------
    str, list of Path
        The course that the workflows install, as pip takes it; the files written.
    """
    folder = Path(folder).resolve()
    course = pinned()
    texts = {folder / ".gitignore": IGNORED}
    for path, template in FILES.items():
        page = Template((handout.TEMPLATES / template).read_text(encoding="utf-8"))
        texts[folder / path] = page.substitute(course=course, percent=percent)
    texts |= handout.texts_to_release(folder, chosen or numbers())
    written = student_copies.write_all(folder, texts)
    return course, written + (student_copies.write_agents(folder) if agents else [])


# --- Which course ---------------------------------------------------------------------


def pinned():
    """The course as pip installs it, always the same: at this commit of a checkout, or
    at the release that is installed.
    """
    address = os.environ.get("COURSE_URL") or _git("remote", "get-url", "origin")
    commit = _git("rev-parse", "HEAD") or f"v{dezero_lite.__version__}"
    return f"dezero-lite[course] @ git+{_public(address) or TO_FILL_IN}@{commit}"


def _git(*words):
    if not (lessons.ROOT / ".git").exists():
        return ""
    try:
        command = ["git", "-C", str(lessons.ROOT), *words]
        done = subprocess.run(command, capture_output=True, encoding="utf-8")
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _public(address):
    """An address that anybody can use, without the teacher's name and password; none
    if it leads nowhere but on this machine.
    """
    address = address.removeprefix("git+")
    address = re.sub(r"^(?:ssh://)?git@([^:/]+)[:/]", r"https://\1/", address)
    parts = urlsplit(address)
    host = parts.netloc.rpartition("@")[2]
    if parts.scheme not in ("http", "https") or not re.fullmatch(r"[\w.:-]+", host):
        return ""
    path = re.sub(r"[^\w./~+-]", "", parts.path)
    return urlunsplit((parts.scheme, host, path, "", ""))
