"""Files of one's own or downloaded once, the network being a server on this machine;
and files of arrays.
"""

import hashlib
import http.server
import os
import pickle
import subprocess
import sys
import threading
import zipfile

import numpy as np
import pytest

from dezero_lite import files
from dezero_lite.files import (
    check_fit,
    get_file,
    load_arrays,
    save_arrays,
    show_progress,
)
from tests.support.needs import needs

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
        thread = threading.Thread(
            target=server.serve_forever, kwargs={"poll_interval": 0.01}
        )
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.delenv("DEZERO_LITE_DATA", raising=False)
    monkeypatch.setattr(files, "cache_dir", str(tmp_path / "cache"))
    return tmp_path / "cache"


def kept(cache):
    return sorted(path.name for path in cache.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    "known_hash",
    [SHA256, "sha256:" + SHA256, MD5],
    ids=["sha256", "sha256 by name", "md5"],
)
def test_a_file_is_downloaded_checked_and_kept(server, cache, known_hash):
    path = get_file(server.url + "data.bin", known_hash=known_hash)
    assert path == str(cache / "data.bin")
    assert (cache / "data.bin").read_bytes() == CONTENT
    assert get_file(server.url + "data.bin", known_hash=known_hash) == path
    assert server.asked == ["/data.bin"]
    assert kept(cache) == ["data.bin"]


def test_a_download_shows_how_far_it_is(server, capsys):
    get_file(server.url + "data.bin", known_hash=SHA256)
    assert "100%" in capsys.readouterr().err


def test_a_file_can_have_another_name_and_a_folder(server, cache):
    assert get_file(server.url + "data.bin", "some/where.bin", SHA256) == os.path.join(
        str(cache), "some/where.bin"
    )
    assert (cache / "some" / "where.bin").read_bytes() == CONTENT


def test_the_name_in_the_address_ends_at_the_question_mark(server, cache):
    get_file(server.url + "data.bin?raw=true", known_hash=SHA256)
    assert kept(cache) == ["data.bin"]


def test_an_address_without_a_name_is_refused(server):
    with pytest.raises(
        ValueError, match="does not end in a file's name: say what to call the file"
    ):
        get_file(server.url, known_hash=SHA256)


def test_a_download_with_another_hash_is_thrown_away(server, cache):
    with pytest.raises(
        ValueError,
        match=r"not the file that was expected, and was thrown away.*: SHA256 hash",
    ) as caught:
        get_file(server.url + "data.bin", known_hash="0" * 64)
    assert server.url in str(caught.value)
    assert kept(cache) == []


def test_a_broken_transfer_is_thrown_away(server, cache):
    with pytest.raises(OSError, match=r"broken\.bin could not be downloaded") as caught:
        get_file(server.url + "broken.bin", known_hash=SHA256)
    assert str(cache / "broken.bin") in str(caught.value)
    assert kept(cache) == []


def test_a_file_that_the_server_lacks_is_an_error_that_says_where_to_put_it(
    server, cache
):
    with pytest.raises(OSError, match="404") as caught:
        get_file(server.url + "gone.bin", known_hash=SHA256)
    assert f"put it at {cache / 'gone.bin'}" in str(caught.value)
    assert "DEZERO_LITE_DATA" in str(caught.value)
    assert kept(cache) == []


@needs("pooch", "tqdm")
def test_without_a_network_the_error_says_where_to_put_the_file(cache, monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with pytest.raises(OSError, match="Try again when the network is there") as caught:
        get_file("http://127.0.0.1:1/data.bin", known_hash=SHA256)
    assert f"put it at {cache / 'data.bin'}" in str(caught.value)


def test_a_file_that_was_damaged_in_the_cache_is_downloaded_again(server, cache):
    path = get_file(server.url + "data.bin", known_hash=SHA256)
    (cache / "data.bin").write_bytes(CONTENT[:-1])
    assert get_file(server.url + "data.bin", known_hash=SHA256) == path
    assert (cache / "data.bin").read_bytes() == CONTENT


def test_an_address_that_anybody_can_change_needs_a_hash(server):
    with pytest.raises(
        ValueError, match=r"is not safe, .*: use https://, or give known_hash"
    ):
        get_file(server.url + "data.bin")
    assert server.asked == []


def test_a_file_without_a_hash_that_is_there_needs_nothing(cache, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    cache.mkdir()
    (cache / "names.txt").write_text("one")
    assert get_file("https://example.org/names.txt") == str(cache / "names.txt")


@pytest.mark.parametrize("package", ["pooch", "tqdm"])
def test_a_missing_package_is_an_error_that_says_what_to_install(monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(
        ImportError,
        match=(
            r"`pip install pooch tqdm`, or put the file into a folder "
            r".*DEZERO_LITE_DATA"
        ),
    ):
        get_file("https://example.org/data.bin")


def test_a_folder_of_ones_own_is_used_in_place_of_downloads(
    server, tmp_path, monkeypatch
):
    monkeypatch.setitem(sys.modules, "pooch", None)
    monkeypatch.setenv("DEZERO_LITE_DATA", str(tmp_path))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "data.bin").write_bytes(b"short")
    assert get_file(server.url + "data.bin", "mine/data.bin", SHA256) == os.path.join(
        str(tmp_path), "mine/data.bin"
    )
    assert server.asked == []


def test_what_the_folder_lacks_is_an_error_that_says_what_to_put_where(
    server, tmp_path, monkeypatch
):
    monkeypatch.setenv("DEZERO_LITE_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError) as caught:
        get_file(server.url + "data.bin", "mine/data.bin", SHA256)
    for part in (
        os.path.join(str(tmp_path), "mine/data.bin"),
        "DEZERO_LITE_DATA",
        server.url + "data.bin",
    ):
        assert part in str(caught.value)
    assert server.asked == []


@pytest.mark.parametrize(
    ("platform", "variable", "folder"),
    [
        ("linux", "XDG_CACHE_HOME", ".cache"),
        ("win32", "LOCALAPPDATA", "Local"),
        ("darwin", None, "Caches"),
    ],
)
def test_downloads_are_kept_where_the_system_keeps_such_files(
    monkeypatch, platform, variable, folder
):
    monkeypatch.setattr(files.sys, "platform", platform)
    if variable:
        monkeypatch.setenv(variable, "/elsewhere")
        assert files._user_cache() == "/elsewhere"
        monkeypatch.delenv(variable)
    assert os.path.basename(files._user_cache()) == folder


def test_importing_loads_no_package_and_makes_no_folder(tmp_path):
    program = (
        "import sys, dezero_lite.dataloaders, dezero_lite.datasets, "
        "dezero_lite.files;print(sorted({'pooch', 'tqdm', 'requests', 'PIL', "
        "'tarfile', 'gzip', 'matplotlib'} & set(sys.modules)))"
    )
    environment = {
        **os.environ,
        "XDG_CACHE_HOME": str(tmp_path),
        "LOCALAPPDATA": str(tmp_path),
    }
    run = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == "[]\n"
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


# --- arrays ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a.npz", "a", "a.b", "model.weights", "ünï cödé"])
def test_what_is_saved_under_a_name_loads_under_it(name, tmp_path):
    save_arrays(tmp_path / name, {"W": np.arange(3)})
    assert load_arrays(tmp_path / name)["W"].tolist() == [0, 1, 2]
    assert load_arrays(str(tmp_path / name))["W"].tolist() == [0, 1, 2]
    expected = name if name.endswith(".npz") else name + ".npz"
    assert os.listdir(tmp_path) == [expected]


def test_a_file_without_the_ending_can_be_read(tmp_path):
    save_arrays(tmp_path / "a.npz", {"W": np.arange(3)})
    (tmp_path / "a.npz").rename(tmp_path / "weights.bin")
    assert load_arrays(tmp_path / "weights.bin")["W"].tolist() == [0, 1, 2]


def test_numpy_reads_what_was_saved(tmp_path):
    arrays = {
        "l0/W": np.random.default_rng(0).random((2, 3), dtype=np.float32),
        "file": np.array(3),
        "s": np.array("x"),
    }
    save_arrays(tmp_path / "a.npz", arrays)
    with np.load(tmp_path / "a.npz") as found:
        assert sorted(found.files) == sorted(arrays)
        assert all(
            np.array_equal(found[key], arrays[key])
            and found[key].dtype == arrays[key].dtype
            for key in arrays
        )


def test_the_same_arrays_make_the_same_file(tmp_path):
    for name in ("a.npz", "b.npz"):
        save_arrays(tmp_path / name, {"W": np.arange(3)})
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.npz") as archive:
        assert archive.infolist()[0].date_time == (1980, 1, 1, 0, 0, 0)


def test_a_failure_while_saving_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    save_arrays(tmp_path / "a.npz", {"W": np.arange(3)})

    def fail(file, array, **_):
        file.write(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(np.lib.format, "write_array", fail)
    with pytest.raises(KeyboardInterrupt):
        save_arrays(tmp_path / "a.npz", {"W": np.arange(5)})
    assert os.listdir(tmp_path) == ["a.npz"]
    assert load_arrays(tmp_path / "a.npz")["W"].tolist() == [0, 1, 2]


def test_threads_may_save_under_one_name_at_the_same_time(tmp_path, monkeypatch):
    write_array, both = np.lib.format.write_array, threading.Barrier(2, timeout=10)

    def together(*args, **kwargs):
        both.wait()
        write_array(*args, **kwargs)
        both.wait()

    monkeypatch.setattr(np.lib.format, "write_array", together)
    errors = []

    def save(i):
        try:
            save_arrays(tmp_path / "a.npz", {"W": np.full(1000 + i, i)})
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=save, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert os.listdir(tmp_path) == ["a.npz"]
    found = load_arrays(tmp_path / "a.npz")["W"]
    assert np.array_equal(found, np.full(1000 + found[0], found[0]))


@pytest.mark.skipif(
    sys.platform == "win32", reason="the permissions there are of another kind"
)
def test_a_saved_file_has_the_permissions_of_any_other(tmp_path):
    (tmp_path / "other").write_bytes(b"")
    save_arrays(tmp_path / "a.npz", {"W": np.arange(3)})
    assert (tmp_path / "a.npz").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_a_path_may_be_bytes(tmp_path):
    path = os.fsencode(tmp_path / "ünï cödé")
    with pytest.raises(
        FileNotFoundError, match=r"there is no file .*ünï cödé\.npz or .*ünï cödé$"
    ):
        load_arrays(path)
    save_arrays(path, {"W": np.arange(3)})
    assert load_arrays(path)["W"].tolist() == [0, 1, 2]
    assert os.listdir(tmp_path) == ["ünï cödé.npz"]
    with pytest.raises(
        ValueError, match=r"ünï cödé does not fit this Net, so nothing was loaded"
    ):
        check_fit(path, "Net", {}, {"W": (3,)})


def test_a_number_is_no_path():
    with pytest.raises(
        TypeError, match=r"expected str, bytes or os\.PathLike object, not int"
    ):
        save_arrays(3, {})


def test_saving_into_no_folder_says_so(tmp_path):
    with pytest.raises(
        FileNotFoundError,
        match=r"there is no folder .*missing to save in: make it first",
    ):
        save_arrays(tmp_path / "missing" / "a.npz", {"W": np.arange(3)})


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(
        FileNotFoundError, match=r"there is no file .*model\.npz or .*model$"
    ):
        load_arrays(tmp_path / "model")
    with pytest.raises(FileNotFoundError, match=r"there is no file \S*model\.npz$"):
        load_arrays(tmp_path / "model.npz")


class Trap:
    def __reduce__(self):
        return (pytest.fail, ("the pickle was run",))


def test_pickles_are_refused(tmp_path):
    np.savez(tmp_path / "objects.npz", W=np.array([Trap()], dtype=object))
    (tmp_path / "pickle.npz").write_bytes(pickle.dumps(Trap()))
    for name in ("objects.npz", "pickle.npz"):
        with pytest.raises(
            ValueError, match=rf"{name} cannot be read .* pickles, which are refused"
        ):
            load_arrays(tmp_path / name)


def test_damaged_files_are_refused(tmp_path):
    path = tmp_path / "a.npz"
    save_arrays(path, {"W": np.arange(1000), "b": np.arange(10)})
    whole = path.read_bytes()
    flipped = bytearray(whole)
    flipped[3000] ^= 1
    single = tmp_path / "single.npy"
    np.save(single, np.arange(3))
    for wrong in (
        b"",
        b"\x00" * 50,
        whole[: len(whole) // 2],
        whole[:-30],
        bytes(flipped),
        b"text",
        single.read_bytes(),
    ):
        path.write_bytes(wrong)
        with pytest.raises(
            ValueError, match=r"a.npz cannot be read as an .npz file of plain arrays"
        ):
            load_arrays(path)


def test_a_member_that_is_no_array_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("W.npy", b"no array")
    with pytest.raises(ValueError, match=r"a.npz cannot be read"):
        load_arrays(tmp_path / "a.npz")


def test_long_lists_of_what_does_not_fit_are_cut():
    with pytest.raises(
        ValueError, match=r"missing from the file: p0, p1, p2, p3, p4, p5 and 14 more"
    ):
        check_fit("a.npz", "Net", {}, {f"p{i}": (1,) for i in range(20)})
