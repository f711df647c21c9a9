"""The pages of the site, as they were built: each link leads somewhere, each picture
has its words.
"""

import json
from functools import cache
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

from steps.course.lessons import MAP, notebook_path, numbers, stem
from tests.support import site

pytestmark = site.NEEDED


class Page(HTMLParser):
    """What a page links to, what it loads, its anchors, its pictures and frames."""

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
    """Whether a file, and the anchor in it, are there."""
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
