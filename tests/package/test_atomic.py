"""The package writes files completely or not at all."""

import os
import sys
import time
from contextlib import contextmanager

import numpy as np
import pytest

from dezero_lite import Variable, graph, onnx
from dezero_lite.array_files import save_arrays
from dezero_lite.atomic import open_atomic
from dezero_lite.layers import Linear
from dezero_lite.tokenizer import Tokenizer
from dezero_lite.utils import plot_dot_graph
from tests.support.needs import needs

unix = pytest.mark.skipif(
    sys.platform == "win32", reason="its limits are of another kind"
)


@contextmanager
def full_disk(size):
    """Limit the length of files to this many bytes."""
    import resource

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


WRITERS = {
    "weights.npz": lambda path: save_arrays(path, {"W": np.arange(99)}),
    "tokens.json": lambda path: Tokenizer([(97, 98)]).save(path),
    "graph.svg": lambda path: plot_dot_graph(Variable(np.ones(1)) * 2, to_file=path),
    "model.onnx": lambda path: onnx.export(Linear(9), np.ones((2, 9)), path),
}


@unix
@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=needs("onnx")) if "onnx" in n else n for n in WRITERS],
)
def test_on_a_full_disk_the_old_file_stays_and_no_other(name, tmp_path, monkeypatch):
    monkeypatch.setattr(graph, "render", lambda *_: bytes(99))
    path = tmp_path / name
    path.write_bytes(b"old")
    with full_disk(64), pytest.raises(OSError, match="File too large"):
        WRITERS[name](path)
    assert os.listdir(tmp_path) == [name]
    assert path.read_bytes() == b"old"
    WRITERS[name](path)
    assert os.listdir(tmp_path) == [name]
    assert len(path.read_bytes()) > 64


def test_what_a_killed_save_has_left_goes_when_nobody_can_be_saving_it(tmp_path):
    path, now = tmp_path / "a[b].txt", time.time()
    names = {
        f"a[b].txt.{'0f' * 8}.tmp": 7200,
        f"a[b].txt.{'1f' * 8}.tmp": 60,
        f"other.txt.{'2f' * 8}.tmp": 7200,
        "a[b].txt.mine.tmp": 7200,
    }
    for name, age in names.items():
        (tmp_path / name).write_text("half")
        os.utime(tmp_path / name, (now - age, now - age))
    with open_atomic(path) as file:
        file.write(b"whole")
    assert sorted(os.listdir(tmp_path)) == sorted([path.name, *list(names)[1:]])


def test_a_folder_that_nobody_may_list_can_still_be_saved_in(tmp_path, monkeypatch):
    def refuse(_):
        raise PermissionError

    monkeypatch.setattr(os, "scandir", refuse)
    with open_atomic(tmp_path / "a.txt") as file:
        file.write(b"whole")
    assert (tmp_path / "a.txt").read_bytes() == b"whole"


@unix
def test_what_is_no_file_is_written_to_and_stays_as_it_is(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    end = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        with open_atomic(tmp_path / "pipe") as file:
            file.write(b"through")
        assert os.read(end, 99) == b"through"
    finally:
        os.close(end)
    assert os.listdir(tmp_path) == ["pipe"]
    with pytest.raises(IsADirectoryError), open_atomic(tmp_path):
        pytest.fail("a folder was opened")
