"""The built pages of the site: each link leads somewhere, and each picture has
alternative text.
"""

import importlib
import json
import os
import subprocess
import sysconfig
import venv
from functools import cache
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import pytest

from steps.course.lessons import MAP, ROOT, notebook_path, numbers, stem
from tests.support import site

pytestmark = site.NEEDED


class Page(HTMLParser):
    """Collect a page's links, resources, anchors, pictures and frames."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loads, self.anchors = set(), set(), {""}
        self.pictures, self.frames = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.anchors |= {found[key] for key in ("id", "name") if found.get(key)}
        if tag == "a" and "href" in found:
            self.links.add(found["href"])
        if tag == "link" and found.get("rel") in ("stylesheet", "icon", "preload"):
            self.loads.add(found["href"])
        if tag in ("script", "img", "iframe", "source") and found.get("src"):
            self.loads.add(found["src"])
        if tag == "img":
            self.pictures.append((found.get("src", ""), found.get("alt")))
        if tag == "iframe":
            self.frames.append(found)


@cache
def page(path):
    return Page(path.read_text(encoding="utf-8"))


def pages():
    return sorted(site.HTML.rglob("*.html"))


def is_elsewhere(link):
    return urlsplit(link).scheme in ("http", "https", "mailto")


def leads_somewhere(path, link):
    """Return whether a file, and the anchor in it, exist."""
    parts = urlsplit(link)
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if not target.is_file() or target.suffix != ".html":
        return target.is_file()
    return unquote(parts.fragment) in page(target).anchors


def test_each_link_within_the_site_leads_somewhere():
    links = [(path, link) for path in pages() for link in sorted(page(path).links)]
    links = [(path, link) for path, link in links if not is_elsewhere(link)]
    assert [one for one in links if not leads_somewhere(*one)] == []


def test_nothing_is_loaded_from_elsewhere():
    for path in pages():
        for source in page(path).loads:
            assert source.startswith("data:") or leads_somewhere(path, source), path


def test_the_pictures_of_the_lessons_have_their_words():
    for number in [MAP, *numbers()]:
        book = json.loads(notebook_path(number).read_text(encoding="utf-8"))
        written = [cell["metadata"].get("alt") for cell in book["cells"]]
        path = site.HTML / "lessons" / f"{stem(number)}.html"
        said = [alt for _, alt in page(path).pictures]
        assert set(filter(None, written)) <= set(said), path.name


def test_every_picture_and_every_frame_says_what_it_shows():
    for path in pages():
        for source, alt in page(path).pictures:
            assert alt, (path, source[:60])
            assert not alt.endswith((".png", ".svg")), (path, alt)
        assert all(frame.get("title") for frame in page(path).frames), path


# --- copies to take away --------------------------------------------------------------

# Runs a notebook's first cell, and then a lesson's import, as its kernel would.
RUNS = """\
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell()
for cell in ({first!r}, "from steps.step08 import Variable"):
    shell.run_cell(cell).raise_error()
"""


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="a clone is made of it")
def test_a_copy_to_take_away_fetches_the_course_where_it_is_missing(
    tmp_path, monkeypatch
):
    monkeypatch.syspath_prepend(ROOT / "docs" / "_ext")
    colab = importlib.import_module("colab")
    colab.write(tmp_path / "copies", ROOT.as_uri())
    copies = [json.loads(p.read_text()) for p in (tmp_path / "copies").iterdir()]
    assert len(copies) == len(numbers()) + 1
    firsts = [copy["cells"][0] for copy in copies]
    assert firsts == firsts[:1] * len(copies)
    program = RUNS.format(first=firsts[0]["source"])

    # An environment without the course. The other packages that the cell would install
    # are found on PYTHONPATH, where editable installs are not.
    venv.create(tmp_path / "empty", with_pip=True)
    programs = "Scripts" if os.name == "nt" else "bin"
    settings = {"PYTHONPATH": sysconfig.get_path("purelib"), "PIP_NO_INDEX": "1"}
    run = subprocess.run(
        [tmp_path / "empty" / programs / "python", "-c", program],
        cwd=tmp_path,
        env=os.environ | settings | {"PIP_NO_BUILD_ISOLATION": "0"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert (tmp_path / "course" / "steps").is_dir()
