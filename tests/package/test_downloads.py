"""Files that users provide, or that are downloaded once; the network is a server on
this machine.
"""

import hashlib
import http.server
import io
import os
import sys
import threading
from pathlib import Path

import pytest

from dezero_lite import downloads
from dezero_lite.downloads import get_file, show_progress
from tests.support.needs import needs
from tests.support.programs import python

try:
    import requests
    import urllib3
except ImportError:  # the tests that need them are skipped
    requests = urllib3 = None

CONTENT = bytes(range(256)) * 1000
SHA256 = hashlib.sha256(CONTENT).hexdigest()
MD5 = "md5:" + hashlib.md5(CONTENT).hexdigest()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        if self.path.partition("?")[0] not in ("/data.bin", "/broken.bin"):
            return self.send_error(404)
        self.send_response(200)
        self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        # A broken transfer promises more than it delivers.
        self.wfile.write(CONTENT[:1000] if self.path == "/broken.bin" else CONTENT)

    def log_message(self, *args):
        pass


@pytest.fixture
def server(monkeypatch):
    for name in ("pooch", "tqdm"):
        pytest.importorskip(name)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.asked = []
        server.url = f"http://127.0.0.1:{server.server_port}/"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.delenv("DEZERO_LITE_DATA", raising=False)
    monkeypatch.setattr(downloads, "cache_dir", str(tmp_path / "cache"))
    return tmp_path / "cache"


def kept(cache):
    return sorted(path.name for path in cache.rglob("*") if path.is_file())


def place(cache, url, name="data.bin"):
    """Return where a download is kept: each address has its own folder."""
    return cache / hashlib.sha256(url.encode()).hexdigest()[:16] / name


@pytest.mark.parametrize("known_hash", [SHA256, "sha256:" + SHA256, MD5])
def test_a_file_is_downloaded_checked_and_kept(server, cache, known_hash, capsys):
    path = get_file(server.url + "data.bin", known_hash=known_hash)
    assert path == str(place(cache, server.url + "data.bin"))
    assert "100%" in capsys.readouterr().err
    assert get_file(server.url + "data.bin", known_hash=known_hash) == path
    assert server.asked == ["/data.bin"]
    assert kept(cache) == ["data.bin"]
    Path(path).write_bytes(CONTENT[:-1])  # damaged files are downloaded again
    assert get_file(server.url + "data.bin", known_hash=known_hash) == path
    assert Path(path).read_bytes() == CONTENT


def test_a_file_can_have_another_name_and_a_folder(server, cache):
    path = get_file(server.url + "data.bin", "some/where.bin", SHA256)
    assert path == str(place(cache, server.url + "data.bin", "some/where.bin"))
    assert Path(path).read_bytes() == CONTENT
    path = get_file(server.url + "data.bin?raw=true", known_hash=SHA256)
    assert Path(path).name == "data.bin"


UNEXPECTED = "not the expected file, and was deleted.*: SHA256 hash"


@pytest.mark.parametrize(
    ("name", "known_hash", "error", "words"),
    [
        ("", SHA256, ValueError, "does not end in a file name: name the"),
        ("data.bin", "0" * 64, ValueError, UNEXPECTED),
        ("broken.bin", SHA256, OSError, r"broken\.bin could not be downloaded"),
        ("gone.bin", SHA256, OSError, "404"),
        ("unreachable.bin", SHA256, OSError, "Try again when the network is"),
    ],
)
def test_a_download_that_fails_says_where_to_put_the_file(
    name, known_hash, error, words, server, cache
):
    url = server.url + name
    if name == "unreachable.bin":
        url = "http://127.0.0.1:1/" + name
    with pytest.raises(error, match=words) as caught:
        get_file(url, known_hash=known_hash)
    assert url in str(caught.value)
    if error is OSError:
        assert f"put it at {place(cache, url, name)}" in str(caught.value)
        assert "DEZERO_LITE_DATA" in str(caught.value)
    assert kept(cache) == []


@pytest.mark.parametrize(
    "start", ["http://", "HTTP://", " http://", "ftp://", "//", ""]
)
def test_an_address_that_anybody_can_change_needs_a_hash(server, start):
    message = "is not safe, .*: use https://, or pass known_hash"
    with pytest.raises(ValueError, match=message):
        get_file(start + server.url.removeprefix("http://") + "data.bin")
    assert server.asked == []


def redirects(target):
    """Start an https server that redirects every request."""

    class Redirects(requests.adapters.BaseAdapter):
        def send(self, request, **_):
            response = requests.Response()
            response.status_code, response.url = 302, request.url
            response.headers["location"] = target
            response.raw = urllib3.HTTPResponse(io.BytesIO(), preload_content=False)
            response.request = request
            return response

        def close(self):
            pass

    return Redirects()


@needs("requests")
def test_an_address_that_leads_on_to_an_unsafe_one_needs_a_hash(
    server, cache, monkeypatch
):
    get_adapter = requests.Session.get_adapter
    elsewhere = redirects(server.url + "data.bin")

    def adapter(self, url):
        return elsewhere if url.startswith("https:") else get_adapter(self, url)

    monkeypatch.setattr(requests.Session, "get_adapter", adapter)
    with pytest.raises(ValueError, match=r"^http://127.*/data\.bin is not safe"):
        get_file("https://example.org/data.bin")
    assert server.asked == []
    assert kept(cache) == []
    path = get_file("https://example.org/data.bin", known_hash=SHA256)
    assert Path(path).read_bytes() == CONTENT


def test_two_addresses_with_one_file_name_do_not_share_a_file(cache, monkeypatch):
    # An existing file without a hash needs no download.
    monkeypatch.setitem(sys.modules, "pooch", None)
    urls = [f"https://{host}/names.txt" for host in ("one.org", "two.org")]
    for url in urls:
        path = place(cache, url, "names.txt")
        path.parent.mkdir(parents=True)
        path.write_text(url)
    assert [Path(get_file(url)).read_text() for url in urls] == urls


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("name", ["../../x", "a/../../x", "/x", "a//b", "..\\x", "C:x"])
def test_a_file_name_that_leads_elsewhere_is_refused(
    own, name, server, tmp_path, monkeypatch
):
    if own:
        monkeypatch.setenv("DEZERO_LITE_DATA", str(tmp_path / "own"))
    with pytest.raises(ValueError, match="points outside the data folder"):
        get_file(server.url + "data.bin", name, SHA256)
    assert server.asked == []
    assert list(tmp_path.rglob("x")) == []


@pytest.mark.parametrize("end", ["", "..", ".", "..?a=b", "..#c"])
def test_an_address_that_ends_in_a_folder_is_no_file(end, cache):
    cache.mkdir()
    with pytest.raises(ValueError, match="does not end in a file name"):
        get_file("https://example.org/" + end)


@pytest.mark.parametrize("package", ["pooch", "tqdm"])
def test_a_missing_package_is_an_error_that_says_what_to_install(monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    message = "`pip install pooch tqdm`, or put the file into a folder .*DEZERO_LITE_"
    with pytest.raises(ImportError, match=message):
        get_file("https://example.org/data.bin")


def test_a_folder_of_ones_own_is_used_in_place_of_downloads(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    monkeypatch.setenv("DEZERO_LITE_DATA", str(tmp_path))
    (tmp_path / "mine").mkdir()
    url, path = "https://example.org/mine", os.path.join(str(tmp_path), "mine/data.bin")
    with pytest.raises(FileNotFoundError) as caught:
        get_file(url, "mine/data.bin", SHA256)
    for part in (path, "DEZERO_LITE_DATA", url, "put the file there"):
        assert part in str(caught.value)
    Path(path).write_bytes(b"short")
    assert get_file(url, "mine/data.bin", SHA256) == path
    with pytest.raises(FileNotFoundError):  # a folder is not a file
        get_file(url)


@pytest.mark.parametrize(
    ("platform", "folder"),
    [("linux", ".cache"), ("win32", "Local"), ("darwin", "Caches")],
)
def test_downloads_are_kept_where_the_system_keeps_such_files(
    monkeypatch, platform, folder
):
    monkeypatch.setattr(downloads.sys, "platform", platform)
    variable = {"linux": "XDG_CACHE_HOME", "win32": "LOCALAPPDATA"}.get(platform)
    if variable:
        monkeypatch.setenv(variable, "/elsewhere")
        assert downloads._user_cache() == "/elsewhere"
        monkeypatch.delenv(variable)
    assert os.path.basename(downloads._user_cache()) == folder


def test_importing_loads_no_package_and_makes_no_folder(tmp_path):
    program = (
        "import sys, dezero_lite.dataloaders, dezero_lite.datasets, "
        "dezero_lite.downloads;print(sorted({'pooch', 'tqdm', 'requests', 'PIL', "
        "'tarfile', 'gzip', 'matplotlib'} & set(sys.modules)))"
    )
    folders = dict.fromkeys(["XDG_CACHE_HOME", "LOCALAPPDATA"], str(tmp_path))
    assert python("-c", program, **folders).stdout == "[]\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ((0, 10, 100), "\r[" + "." * 30 + "] 0.00%"),
        ((5, 10, 100), "\r[" + "#" * 15 + "." * 15 + "] 50.00%"),
        ((11, 10, 100), "\r[" + "#" * 30 + "] 100.00%"),
        ((5, 10, -1), "\r[" + "." * 30 + "] 0.00%"),
    ],
)
def test_progress_is_a_bar(capsys, arguments, shown):
    show_progress(*arguments)
    assert capsys.readouterr().out == shown
