"""Writes the files of a student's repository, which GitHub or GitLab then judges."""

import os
import re
import subprocess
from pathlib import Path
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
IGNORED_FILES = ".venv/\n.ipynb_checkpoints/\n.progress.json\nresults.xml\n"
MISSING_ADDRESS = "https://THE-ADDRESS-OF-THE-COURSE"


def write_repository(folder, chosen, percent, agents):
    """Write notebooks, workflows and a README for one student; overwrite nothing.

    Returns
    -------
    str, list of Path
        The pip requirement with which the workflows install the course; and the files
        written.
    """
    folder = Path(folder).resolve()
    course = pin_course()
    texts = {folder / ".gitignore": IGNORED_FILES}
    fields = {"course": course, "percent": percent}
    for path, template in FILES.items():
        page = handout.TEMPLATES / template
        texts[folder / path] = student_copies.fill_template(page, fields)
    texts |= handout.make_texts(folder, chosen or numbers())
    written = student_copies.write_all(folder, texts)
    return course, written + (student_copies.write_agents(folder) if agents else [])


# --- Which course ---------------------------------------------------------------------


def pin_course():
    """Return a pip requirement for the course, pinned to the commit of this checkout,
    or else to the installed release.
    """
    address = os.environ.get("COURSE_URL") or _run_git("remote", "get-url", "origin")
    commit = _run_git("rev-parse", "HEAD") or f"v{dezero_lite.__version__}"
    address = _make_public(address) or MISSING_ADDRESS
    return f"dezero-lite[course] @ git+{address}@{commit}"


def _run_git(*arguments):
    if not (lessons.ROOT / ".git").exists():
        return ""
    try:
        command = ["git", "-C", str(lessons.ROOT), *arguments]
        finished = subprocess.run(command, capture_output=True, encoding="utf-8")
    except OSError:
        return ""
    return finished.stdout.strip() if finished.returncode == 0 else ""


def _make_public(address):
    """Return an address that anybody can use, without the teacher's name and password,
    or "" if it is not a web address.
    """
    address = address.removeprefix("git+")
    address = re.sub(r"^(?:ssh://)?git@([^:/]+)[:/]", r"https://\1/", address)
    parts = urlsplit(address)
    host = parts.netloc.rpartition("@")[2]
    if parts.scheme not in ("http", "https") or not re.fullmatch(r"[\w.:-]+", host):
        return ""
    path = re.sub(r"[^\w./~+-]", "", parts.path)
    return urlunsplit((parts.scheme, host, path, "", ""))
