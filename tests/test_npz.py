"""Arrays in files: whole or not at all, and refused where anything is wrong."""

import os
import pickle
import sys
import threading
import zipfile

import numpy as np
import pytest

from dezero_lite.npz import check_fit, load_arrays, save_arrays


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
