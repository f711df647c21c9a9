"""Arrays in files: written completely or not at all, and rejected if anything
is wrong.
"""

import contextlib
import io
import json
import os
import pickle
import re
import sys
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from dezero_lite.array_files import check_fit, load_arrays, save_arrays
from tests.support.arrays import assert_equal
from tests.support.memory_checks import at_most
from tests.support.needs import needs


def three(path, count=3):
    """Save this many numbers, and return the path."""
    save_arrays(path, {"W": np.arange(count)})
    return path


def numbers(path):
    return load_arrays(path)["W"].tolist()


@pytest.mark.parametrize("name", ["a.npz", "a", "a.b", "model.weights", "ünï cödé"])
def test_what_is_saved_under_a_name_loads_under_it(name, tmp_path):
    path = three(tmp_path / name)
    for form in (path, str(path), os.fsencode(path)):
        assert numbers(form) == [0, 1, 2]
    file = name if name.endswith(".npz") else name + ".npz"
    assert os.listdir(tmp_path) == [file]
    (tmp_path / file).rename(tmp_path / "weights.bin")
    assert numbers(tmp_path / "weights.bin") == [0, 1, 2]


def test_a_failure_while_saving_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    path = three(tmp_path / "a.npz")

    def fail(file, array, **_):
        file.write(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(np.lib.format, "write_array", fail)
    with pytest.raises(KeyboardInterrupt):
        three(path, 5)
    assert os.listdir(tmp_path) == ["a.npz"]
    assert numbers(path) == [0, 1, 2]


def test_threads_may_save_under_one_name_at_the_same_time(tmp_path, monkeypatch):
    write_array, both = np.lib.format.write_array, threading.Barrier(2, timeout=60)

    def together(*args, **kwargs):
        both.wait()
        write_array(*args, **kwargs)
        both.wait()

    monkeypatch.setattr(np.lib.format, "write_array", together)
    save = lambda i: save_arrays(tmp_path / "a.npz", {"W": np.full(1000 + i, i)})
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(save, range(2)))
    assert os.listdir(tmp_path) == ["a.npz"]
    found = load_arrays(tmp_path / "a.npz")["W"]
    assert_equal(found, np.full(1000 + found[0], found[0]))


unix = pytest.mark.skipif(
    sys.platform == "win32", reason="permissions and links there are of another kind"
)


@unix
def test_a_saved_file_has_the_permissions_of_any_other(tmp_path):
    (tmp_path / "other").write_bytes(b"")
    path = three(tmp_path / "a.npz")
    assert path.stat().st_mode == (tmp_path / "other").stat().st_mode


@unix
@pytest.mark.parametrize("mode", [0o600, 0o664, 0o777])
def test_a_file_keeps_its_permissions_when_it_is_replaced(mode, tmp_path, monkeypatch):
    path = three(tmp_path / "a.npz")
    path.chmod(mode)
    write_array, while_writing = np.lib.format.write_array, []

    def note(*args, **kwargs):
        (unfinished,) = tmp_path.glob("*.tmp")
        while_writing.append(unfinished.stat().st_mode & 0o777)
        write_array(*args, **kwargs)

    monkeypatch.setattr(np.lib.format, "write_array", note)
    three(path, 5)
    assert path.stat().st_mode & 0o777 == mode
    # Nor may others read it while it is being written.
    assert while_writing[0] & ~mode == 0
    assert len(numbers(path)) == 5


@unix
def test_a_file_that_is_read_only_is_not_replaced(tmp_path):
    path = three(tmp_path / "a.npz")
    path.chmod(0o444)
    with pytest.raises(PermissionError, match=r"a\.npz is read-only, so it was not"):
        three(path, 5)
    assert len(numbers(path)) == 3
    assert os.listdir(tmp_path) == ["a.npz"]


def test_a_file_that_others_may_not_write_is_not_replaced_either(tmp_path, monkeypatch):
    path, asked = three(tmp_path / "a.npz"), []
    monkeypatch.setattr(os, "access", lambda path, how: asked.append((path, how)))
    with pytest.raises(PermissionError, match="is read-only"):
        three(path, 5)
    assert asked == [(str(path), os.W_OK)]


@unix
def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path):
    (tmp_path / "real").mkdir()
    real, link = three(tmp_path / "real" / "a.npz"), tmp_path / "a.npz"
    link.symlink_to(real)
    three(link, 5)
    assert link.is_symlink()
    assert len(numbers(real)) == 5


@unix
def test_no_link_is_followed_while_a_file_is_written(tmp_path, monkeypatch):
    (tmp_path / "precious").write_text("text")
    monkeypatch.setattr(os, "urandom", lambda n: bytes(n))
    trap = f"a.npz.{'0' * 16}.tmp"
    (tmp_path / trap).symlink_to(tmp_path / "precious")
    with pytest.raises(FileExistsError):
        three(tmp_path / "a.npz")
    assert (tmp_path / "precious").read_text() == "text"


class Trap:
    def __reduce__(self):
        return (pytest.fail, ("the pickle was run",))


def test_an_archive_in_the_form_for_many_members_is_read(tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 1)
        save_arrays(tmp_path / "a.npz", {"a": np.arange(3), "b": np.ones(2)})
    assert b"PK\6\6" in (tmp_path / "a.npz").read_bytes()
    assert sorted(load_arrays(tmp_path / "a.npz")) == ["a", "b"]


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
            for bit in {0, 7, i % 8}:
                write(i, byte ^ 1 << bit)
                found = loaded_or_none(path)
                # The timestamp, for example, is never read.
                assert found is None or equal(found, arrays), f"bit {bit} of byte {i}"
                refused += found is None
            write(i, byte)
    assert refused > len(whole)


def test_a_cut_file_is_refused(tmp_path):
    path = tmp_path / "a.npz"
    np.savez_compressed(path, W=np.arange(6), b=np.ones(2))
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match=r"a\.npz cannot be read"):
            load_arrays(path)


@pytest.mark.parametrize(
    ("place", "error"),
    [("builtins.open", PermissionError), ("numpy.lib.format.read_array", MemoryError)],
)
def test_a_refusal_or_too_little_memory_is_no_damage(
    place, error, tmp_path, monkeypatch
):
    path = three(tmp_path / "a.npz")

    def fail(*_, **__):
        raise error("as it is said there")

    monkeypatch.setattr(place, fail)
    with pytest.raises(error, match="as it is said there"):
        load_arrays(path)


def member(array=np.arange(30)):  # noqa: B008
    """Return the bytes of a .npy file."""
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array)
    return buffer.getvalue()


def test_no_more_is_unpacked_than_a_hundred_times_the_size(tmp_path):
    # 100 kB that would unpack to 100 MB.
    path = tmp_path / "a.npz"
    np.savez_compressed(path, W=np.zeros(10**8, np.uint8))
    with at_most(2**22), pytest.raises(ValueError, match=r"bytes .* 100000128"):
        load_arrays(path)


# --- what fits ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "form", "fits"),
    [
        *[(shape, None, True) for shape in [(), (3,), (2, 0), (1, 2, 3)]],
        *[((2, 3), form, True) for form in [(None, 3), (2, None), (2, 3)]],
        *[((2, 3), form, False) for form in [(3, None), (2,), (2, 3, 1), ()]],
        ((0, 5), (None, 5), True),
        ((3, 4), (None, 5), False),
        ((5,), (None, 5), False),
    ],
)
def test_a_length_that_nobody_knows_may_be_any(shape, form, fits):
    known = re.escape(str(form).replace("None", "?"))
    misfit = pytest.raises(ValueError, match=f"of another shape: W .*model: {known}")
    with contextlib.nullcontext() if fits else misfit:
        check_fit("a.npz", "Net", {"W": np.ones(shape)}, {"W": form})


# --- safetensors ----------------------------------------------------------------------


@needs("safetensors")
def test_arrays_of_every_kind_come_back_from_safetensors(tmp_path):
    path = tmp_path / "a.safetensors"
    rng = np.random.default_rng(0)
    kinds = [np.float32, np.float64, np.float16, np.int64, np.uint8, bool]
    arrays = {
        f"l{i}/W": rng.integers(0, 2, (3, i)).astype(k) for i, k in enumerate(kinds)
    }
    arrays |= {"none": np.array(2.5), "turned": rng.random((4, 3)).T}
    save_arrays(path, arrays)
    assert os.listdir(tmp_path) == ["a.safetensors"]
    found = load_arrays(path)
    assert found.keys() == arrays.keys()
    for name, array in arrays.items():
        assert_equal(found[name], array)
        assert found[name].dtype == array.dtype
        assert found[name].flags.writeable


def header(**entries):
    """Make a safetensors file with eight bytes of numbers under this header."""
    text = json.dumps(entries).encode()
    return len(text).to_bytes(8, "little") + text + bytes(8)


def entry(dtype="F32", shape=(2,), ends=(0, 8)):
    return {"dtype": dtype, "shape": shape, "data_offsets": ends}


HOSTILE = {
    "empty": b"",
    "a length beyond the file": (2**40).to_bytes(8, "little") + b"{}",
    "no JSON": (4).to_bytes(8, "little") + b"{{{{",
    "a shape that does not fit": header(W=entry(shape=(3,))),
    "a shape too large to count": header(W=entry(shape=(2**40, 2**40))),
    "overlapping arrays": header(W=entry(), V=entry()),
    "an end beyond the file": header(W=entry(shape=(4,), ends=(0, 16))),
    "an end before the beginning": header(W=entry(ends=(8, 0))),
    "a dtype that nobody knows": header(W=entry("F31")),
    "a pickle": pickle.dumps({"W": [1.0, 2.0]}),
    "an archive of arrays": b"PK\3\4" + bytes(60),
    "bytes after the last array": header(W=entry()) + b"more",
}


@needs("safetensors")
@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_a_damaged_or_hostile_file_of_tensors_is_refused_in_one_sentence(
    content, tmp_path
):
    path = tmp_path / "a.safetensors"
    path.write_bytes(content)
    with (
        at_most(2**20),
        pytest.raises(ValueError, match=r"a.safetensors cannot be read as") as error,
    ):
        load_arrays(path)
    assert "\n" not in str(error.value)


@needs("safetensors")
@pytest.mark.parametrize("error", [MemoryError, PermissionError])
def test_a_refusal_is_no_damage_of_a_file_of_tensors(error, tmp_path, monkeypatch):
    def fail(*_, **__):
        raise error("as it is said there")

    path = three(tmp_path / "a.safetensors")
    monkeypatch.setattr("safetensors.safe_open", fail)
    with pytest.raises(error, match="as it is said there"):
        load_arrays(path)


@needs("safetensors", "ml_dtypes")
def test_a_bfloat16_is_read_as_float32(tmp_path):
    (tmp_path / "a.safetensors").write_bytes(header(W=entry("BF16", (4,))))
    found = load_arrays(tmp_path / "a.safetensors")["W"]
    assert found.dtype == np.float32
    assert_equal(found, np.zeros(4, np.float32))


@needs("safetensors")
def test_a_file_cut_off_anywhere_is_refused(tmp_path):
    whole = three(tmp_path / "a.safetensors").read_bytes()
    for end in range(len(whole)):
        (tmp_path / "b.safetensors").write_bytes(whole[:end])
        with pytest.raises(ValueError, match="cannot be read"):
            load_arrays(tmp_path / "b.safetensors")


@needs("safetensors")
def test_what_is_no_number_goes_into_no_file_of_tensors(tmp_path):
    with pytest.raises(ValueError, match="kind are not: save as"):
        save_arrays(tmp_path / "a.safetensors", {"kind": np.array("Adam")})
    assert os.listdir(tmp_path) == []


def test_without_the_package_a_sentence_says_what_to_install(tmp_path, monkeypatch):
    (tmp_path / "a.safetensors").write_bytes(b"")
    monkeypatch.setitem(sys.modules, "safetensors.numpy", None)
    for act in (three, load_arrays):
        with pytest.raises(ImportError, match="`pip install safetensors`"):
            act(tmp_path / "a.safetensors")
