"""Arrays in files: whole or not at all, and refused where anything is wrong."""

import contextlib
import io
import os
import pickle
import re
import struct
import subprocess
import sys
import threading
import warnings
import zipfile

import numpy as np
import pytest

from dezero_lite import npz
from dezero_lite.npz import check_fit, load_arrays, open_arrays, save_arrays
from tests.support.arrays import assert_equal
from tests.support.memory_checks import at_most


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
        for key in arrays:
            assert_equal(found[key], arrays[key])
            assert found[key].dtype == arrays[key].dtype


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
    write_array, both = np.lib.format.write_array, threading.Barrier(2, timeout=60)

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
    assert_equal(found, np.full(1000 + found[0], found[0]))


unix = pytest.mark.skipif(
    sys.platform == "win32", reason="permissions and links there are of another kind"
)


@unix
def test_a_saved_file_has_the_permissions_of_any_other(tmp_path):
    (tmp_path / "other").write_bytes(b"")
    save_arrays(tmp_path / "a.npz", {"W": np.arange(3)})
    assert (tmp_path / "a.npz").stat().st_mode == (tmp_path / "other").stat().st_mode


@unix
@pytest.mark.parametrize("mode", [0o600, 0o664, 0o777])
def test_a_file_keeps_its_permissions_when_it_is_replaced(mode, tmp_path, monkeypatch):
    path = tmp_path / "a.npz"
    save_arrays(path, {"W": np.arange(3)})
    path.chmod(mode)
    write_array, while_writing = np.lib.format.write_array, []

    def note(*args, **kwargs):
        (unfinished,) = tmp_path.glob("*.tmp")
        while_writing.append(unfinished.stat().st_mode & 0o777)
        write_array(*args, **kwargs)

    monkeypatch.setattr(np.lib.format, "write_array", note)
    save_arrays(path, {"W": np.arange(5)})
    assert path.stat().st_mode & 0o777 == mode
    # Nor may others read it while it is written.
    assert while_writing[0] & ~mode == 0
    assert len(load_arrays(path)["W"]) == 5


@unix
def test_a_file_that_is_read_only_is_not_replaced(tmp_path):
    path = tmp_path / "a.npz"
    save_arrays(path, {"W": np.arange(3)})
    path.chmod(0o444)
    with pytest.raises(PermissionError, match=r"a\.npz is read-only, so it was not"):
        save_arrays(path, {"W": np.arange(5)})
    assert len(load_arrays(path)["W"]) == 3
    assert os.listdir(tmp_path) == ["a.npz"]


def test_a_file_that_others_may_not_write_is_not_replaced_either(tmp_path, monkeypatch):
    save_arrays(tmp_path / "a.npz", {"W": np.arange(3)})
    asked = []
    monkeypatch.setattr(os, "access", lambda path, how: asked.append((path, how)))
    with pytest.raises(PermissionError, match="is read-only"):
        save_arrays(tmp_path / "a.npz", {"W": np.arange(5)})
    assert asked == [(str(tmp_path / "a.npz"), os.W_OK)]


@unix
def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path):
    (tmp_path / "real").mkdir()
    save_arrays(tmp_path / "real" / "a.npz", {"W": np.arange(3)})
    (tmp_path / "a.npz").symlink_to(tmp_path / "real" / "a.npz")
    save_arrays(tmp_path / "a.npz", {"W": np.arange(5)})
    assert (tmp_path / "a.npz").is_symlink()
    assert len(load_arrays(tmp_path / "real" / "a.npz")["W"]) == 5


def test_nobody_can_foresee_the_name_of_an_unfinished_file(tmp_path, monkeypatch):
    names = []
    replace = os.replace

    def note(source, target):
        names.append(os.path.basename(source))
        replace(source, target)

    monkeypatch.setattr(os, "replace", note)
    for _ in range(2):
        save_arrays(tmp_path / "a.npz", {"W": np.arange(3)})
    assert all(re.fullmatch(r"a\.npz\.[0-9a-f]{16}\.\d+\.tmp", name) for name in names)
    assert names[0] != names[1]


@unix
def test_no_link_is_followed_while_a_file_is_written(tmp_path, monkeypatch):
    (tmp_path / "precious").write_text("text")
    monkeypatch.setattr(os, "urandom", lambda n: bytes(n))
    trap = f"a.npz.{'0' * 16}.{os.getpid()}.tmp"
    (tmp_path / trap).symlink_to(tmp_path / "precious")
    with pytest.raises(FileExistsError):
        save_arrays(tmp_path / "a.npz", {"W": np.arange(3)})
    assert (tmp_path / "precious").read_text() == "text"


@unix
def test_what_a_killed_process_left_behind_is_cleared_by_the_next_save(tmp_path):
    program = (
        "import os, signal, sys, numpy as np\n"
        "from dezero_lite.npz import save_arrays\n"
        "np.lib.format.write_array = lambda *_, **__: os.kill(os.getpid(), 9)\n"
        "save_arrays(sys.argv[1], {'W': np.arange(3)})"
    )
    path = tmp_path / "a.npz"
    run = subprocess.run([sys.executable, "-c", program, str(path)])
    assert run.returncode == -9
    (left,) = os.listdir(tmp_path)
    mine = [
        # Somebody else is writing; another file; no name of ours.
        f"a.npz.{'0' * 16}.{os.getppid()}.tmp",
        "b" + left,
        "a.npz.backup.tmp",
        "a.npz.x.1.tmp",
    ]
    for name in mine:
        (tmp_path / name).write_bytes(b"")
    save_arrays(path, {"W": np.arange(3)})
    assert sorted(os.listdir(tmp_path)) == sorted(["a.npz", *mine])


def test_where_no_process_can_be_asked_only_our_own_is_known_to_live(monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(os, "name", "nt")
        alive = [npz._is_alive(process) for process in (os.getpid(), os.getppid())]
    assert alive == [True, False]


@pytest.mark.parametrize("end", ["", os.sep])
def test_a_folder_is_no_name_for_a_file(end, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").mkdir()
    path = "here" + end if end else ""
    with pytest.raises(ValueError, match="names a folder: say what to call the file"):
        save_arrays(path, {"W": np.arange(3)})
    assert os.listdir(tmp_path / "here") == []


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


def test_objects_are_not_saved(tmp_path):
    with pytest.raises(ValueError, match="Object arrays cannot be saved"):
        save_arrays(tmp_path / "a.npz", {"a": np.array([{}])})
    assert os.listdir(tmp_path) == []


def test_an_archive_in_the_form_for_many_members_is_read(tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 1)
        save_arrays(tmp_path / "a.npz", {"a": np.arange(3), "b": np.ones(2)})
    assert b"PK\6\6" in (tmp_path / "a.npz").read_bytes()
    assert sorted(load_arrays(tmp_path / "a.npz")) == ["a", "b"]


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


# --- damage ---------------------------------------------------------------------------


def equal(found, expected):
    return found.keys() == expected.keys() and all(
        (found[name].dtype, found[name].shape, found[name].tobytes())
        == (array.dtype, array.shape, array.tobytes())
        for name, array in expected.items()
    )


def loaded_or_none(path):
    try:
        return load_arrays(path)
    except ValueError as error:
        if not str(error).startswith(f"{path} cannot be read as an .npz file"):
            raise
        return None


@pytest.mark.parametrize("save", [save_arrays, np.savez, np.savez_compressed])
def test_a_flipped_bit_changes_nothing_or_is_refused(save, tmp_path):
    arrays = {"W": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.ones(2)}
    path = tmp_path / "a.npz"
    save(path, arrays) if save is save_arrays else save(path, **arrays)
    whole = path.read_bytes()
    refused = 0
    with open(path, "r+b", buffering=0) as file:

        def write(position, byte):
            file.seek(position)
            file.write(bytes([byte]))

        for i, byte in enumerate(whole):
            for bit in range(8):
                write(i, byte ^ 1 << bit)
                found = loaded_or_none(path)
                # The time of day, for example, is nothing that anybody reads.
                assert found is None or equal(found, arrays), f"bit {bit} of byte {i}"
                refused += found is None
            write(i, byte)
    assert refused > 8 * len(whole) / 2


def test_a_cut_file_is_refused(tmp_path):
    path = tmp_path / "a.npz"
    np.savez_compressed(path, W=np.arange(6), b=np.ones(2))
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match=r"a\.npz cannot be read"):
            load_arrays(path)


def test_damage_in_the_numbers_is_found_when_they_are_read(tmp_path):
    path = tmp_path / "a.npz"
    save_arrays(path, {"W": np.arange(1000), "b": np.ones(2)})
    damaged = bytearray(path.read_bytes())
    damaged[3000] ^= 1
    path.write_bytes(damaged)
    with open_arrays(path) as stored:
        assert stored["W"].shape == (1000,)
        assert stored["b"].read().tolist() == [1, 1]
        with pytest.raises(ValueError, match=r"a\.npz cannot be read .*CRC"):
            stored["W"].read()


def test_a_file_that_may_not_be_read_is_no_damaged_file(tmp_path, monkeypatch):
    save_arrays(tmp_path / "a.npz", {"W": np.arange(3)})

    def refuse(*_):
        raise PermissionError("not yours")

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(PermissionError, match="not yours"):
        load_arrays(tmp_path / "a.npz")


def test_too_little_memory_is_no_damage(tmp_path, monkeypatch):
    save_arrays(tmp_path / "a.npz", {"W": np.arange(3)})

    def fail(*_, **__):
        raise MemoryError

    monkeypatch.setattr(np.lib.format, "read_array", fail)
    with pytest.raises(MemoryError):
        load_arrays(tmp_path / "a.npz")


def member(array, **changes):
    """The bytes of a .npy file, with words in its header changed."""
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array)
    content = buffer.getvalue()
    for old, new in changes.items():
        content = content.replace(old.encode(), new.encode())
    return content


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"no array", "magic"),
        (member(np.arange(30))[:-1], "has 367 bytes, but promises 368"),
        (member(np.arange(30)) + b"!", "has 369 bytes, but promises 368"),
        (member(np.arange(30)).replace(b"(30,)", b"(29,)"), "has 368 bytes"),
        (member(np.arange(30)).replace(b"<i8", b"<i4"), "has 368 bytes"),
        (member(np.arange(30)).replace(b"<i8", b"|O8"), "is a pickle"),
        (b"\x93NUMPY\x03" + member(np.arange(30))[7:], r"header of version \(3, 0\)"),
    ],
)
def test_a_member_that_is_no_array_is_refused(content, reason, tmp_path):
    # With a checksum that is right, as only a person can bring about.
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("W.npy", content)
    with pytest.raises(ValueError, match=rf"a.npz cannot be read .*{reason}"):
        load_arrays(tmp_path / "a.npz")


@pytest.mark.parametrize("names", [("W.npy", "W.npy"), ("W.npy", "W")])
def test_two_arrays_of_one_name_are_refused(names, tmp_path):
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        for name in names:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                archive.writestr(name, member(np.arange(3)))
    with pytest.raises(ValueError, match="two of its arrays are called 'W'"):
        load_arrays(tmp_path / "a.npz")


def test_nothing_is_unpacked_before_somebody_asks(tmp_path):
    path = tmp_path / "a.npz"
    np.savez_compressed(path, W=np.zeros((2**13, 2**12)), b=np.ones(2))
    assert path.stat().st_size < 2**19
    with at_most(2**20), open_arrays(path) as stored:
        assert stored["W"].shape == (2**13, 2**12)
        assert stored["W"].dtype == np.float64
        assert stored["b"].read().tolist() == [1, 1]


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])
def test_no_more_is_unpacked_than_a_member_can_hold(method, tmp_path):
    # A few kB that promise 4 GB.
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("W.npy", member(np.zeros(2**20, np.uint8)))
    content = bytearray(path.read_bytes())
    struct.pack_into("<I", content, content.index(b"PK\x01\x02") + 24, 2**32 - 2)
    path.write_bytes(content)
    with pytest.raises(ValueError, match="cannot hold the 4294967294 bytes"):
        load_arrays(path)


# --- what fits ------------------------------------------------------------------------


def test_long_lists_of_what_does_not_fit_are_cut():
    with pytest.raises(
        ValueError, match=r"missing from the file: p0, p1, p2, p3, p4, p5 and 14 more"
    ):
        check_fit("a.npz", "Net", {}, {f"p{i}": (1,) for i in range(20)})


@pytest.mark.parametrize("shape", [(), (3,), (2, 0), (1, 2, 3)])
def test_where_no_form_is_known_every_shape_fits(shape):
    check_fit("a.npz", "Net", {"W": np.ones(shape)}, {"W": None})


@pytest.mark.parametrize(
    ("shape", "fits"), [((3, 5), True), ((0, 5), True), ((3, 4), False), ((5,), False)]
)
def test_a_length_that_nobody_knows_may_be_any(shape, fits):
    with (
        contextlib.nullcontext()
        if fits
        else pytest.raises(ValueError, match=r"model: \(\?, 5\)")
    ):
        check_fit("a.npz", "Net", {"W": np.ones(shape)}, {"W": (None, 5)})


def test_a_parameter_without_a_form_takes_any():
    found = {"w": np.ones((2, 3))}
    for expected in (None, (None, 3), (2, None), (2, 3)):
        check_fit("w.npz", "MLP", found, {"w": expected})
    for expected in ((3, None), (2,), (2, 3, 1), ()):
        with pytest.raises(ValueError, match="of another shape: w"):
            check_fit("w.npz", "MLP", found, {"w": expected})
