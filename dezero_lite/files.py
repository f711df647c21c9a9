"""Files: data that are downloaded once and kept, and arrays that are saved and loaded.

:func:`get_file` gives the path of a file. Where the environment variable
``DEZERO_LITE_DATA`` names a folder, the file is looked for there and nowhere else,
which serves a classroom without a network. Else it is downloaded at the first call,
checked, and kept in :data:`cache_dir`. Downloads take the packages ``pooch`` and
``tqdm``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["cache_dir", "get_file", "show_progress"]

Array = NDArray[Any]
StrPath = str | bytes | os.PathLike[str] | os.PathLike[bytes]

#: The environment variable that names a folder to use in place of downloads.
DATA_DIR_ENV = "DEZERO_LITE_DATA"


def _user_cache() -> str:
    home = os.path.expanduser("~")
    if sys.platform == "win32":
        return os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Caches")
    return os.environ.get("XDG_CACHE_HOME") or os.path.join(home, ".cache")


#: The folder that keeps downloads; it is made with the first of them.
cache_dir = os.path.join(_user_cache(), "dezero_lite")


def get_file(
    url: str, file_name: str | None = None, known_hash: str | None = None
) -> str:
    """The path of a file that is downloaded from `url`, unless it is here already.
    Source: book step 51.

    Parameters
    ----------
    url : str
        Where the file is on the network. An address that begins with ``http://`` needs
        a `known_hash`, since anybody on the way can change what it delivers.
    file_name : str, optional
        What to call the file here; may begin with a folder, as in ``'mnist/train.gz'``.
        Default: as in the `url`.
    known_hash : str, optional
        The SHA-256 of the file in hexadecimal digits, or another kind of hash after its
        name, as in ``'md5:d53e10…'``. A download with another hash is thrown away.
        Files in a folder of your own are yours, and taken as they are.

    Returns
    -------
    str
        The path: in the folder that ``DEZERO_LITE_DATA`` names, if it names one, else
        in :data:`cache_dir`.

    Raises
    ------
    FileNotFoundError
        If ``DEZERO_LITE_DATA`` names a folder, and the file is not in it.
    ImportError
        If a download is due, and ``pooch`` or ``tqdm`` is not installed.
    OSError
        If the download fails.
    ValueError
        If the download has another hash, or the `url` is not safe to use.
    """
    if file_name is None:
        file_name = url.partition("?")[0].rpartition("/")[2]
    if not file_name:
        raise ValueError(
            f"{url} does not end in a file's name: say what to call the file, as in "
            "file_name='data.txt'"
        )
    folder = own_folder()
    if folder is None:
        return _download(url, file_name, known_hash)
    path = os.path.join(folder, file_name)
    if not os.path.exists(path):
        raise FileNotFoundError(
            f"{path} is missing: {DATA_DIR_ENV} names the folder {folder} for data, "
            f"so put the file there (it comes from {url}), or unset {DATA_DIR_ENV} to "
            "have it downloaded"
        )
    return path


def own_folder() -> str | None:
    """The folder that ``DEZERO_LITE_DATA`` names, if it does."""
    return os.environ.get(DATA_DIR_ENV) or None


def _download(url: str, file_name: str, known_hash: str | None) -> str:
    if url.startswith("http://") and known_hash is None:
        raise ValueError(
            f"{url} is not safe, since anybody can change it on the way: use "
            "https://, or give known_hash"
        )
    path = os.path.join(cache_dir, file_name)
    if known_hash is None and os.path.exists(path):
        return path
    pooch, requests, tqdm = _packages(file_name)

    def downloader(url: str, file: Any, _: Any) -> None:
        with tqdm.tqdm(desc=file_name, total=1, unit="B", unit_scale=True) as bar:
            pooch.HTTPDownloader(progressbar=bar, chunk_size=1 << 16)(url, file, None)

    try:
        pooch.retrieve(
            url,
            known_hash,
            os.path.basename(path),
            os.path.dirname(path),
            downloader=downloader,
        )
    except requests.RequestException as error:
        if error.response is not None:
            # Else the connection stays open for as long as somebody keeps the error.
            error.response.close()
        raise OSError(
            f"{file_name} could not be downloaded from {url}: {error}. Try again when "
            "the network is there; or get the file in another way and put it at "
            f"{path}, or, as {file_name}, into a folder that the environment variable "
            f"{DATA_DIR_ENV} names"
        ) from error
    except ValueError as error:
        raise ValueError(
            f"what came from {url} is not the file that was expected, and was thrown "
            "away. Try again; if it happens twice, the file was replaced there, or "
            f"something on the way changes downloads. The reason: {error}"
        ) from error
    return path


def _packages(file_name: str) -> tuple[Any, Any, Any]:
    try:
        return import_module("pooch"), import_module("requests"), import_module("tqdm")
    except ImportError as error:
        raise ImportError(
            f"downloading {file_name} takes packages that are not here ({error}): run "
            "`pip install pooch tqdm`, or put the file into a folder that the "
            f"environment variable {DATA_DIR_ENV} names"
        ) from None


def show_progress(block_num: int, block_size: int, total_size: int) -> None:
    """Print how far a download has come, as a bar that overwrites itself. Source: book
    step 51.

    Parameters
    ----------
    block_num, block_size : int
        How many blocks have arrived, and how many bytes are in one.
    total_size : int
        How many bytes there are in all; 0 or less where nobody knows.
    """
    done = min(block_num * block_size / total_size, 1.0) if total_size > 0 else 0.0
    filled = int(30 * done)
    print(
        f"\r[{'#' * filled}{'.' * (30 - filled)}] {100 * done:.2f}%", end="", flush=True
    )


# --- arrays ---------------------------------------------------------------------------


def save_arrays(path: StrPath, arrays: Mapping[str, Array]) -> None:
    """Write an ``.npz`` file, as ``np.savez`` would, whole or not at all; ``.npz`` is
    added to a path without it.

    Raises
    ------
    FileNotFoundError
        If the folder is not there.
    """
    import threading
    import zipfile

    path = os.path.realpath(_with_ending(path))
    if not os.path.isdir(os.path.dirname(path)):
        raise FileNotFoundError(
            f"there is no folder {os.path.dirname(path)} to save in: make it first"
        )
    # A name that no other process, and no other thread, takes at the same time.
    unfinished = f"{path}.{os.getpid()}.{threading.get_ident()}.tmp"
    try:
        with zipfile.ZipFile(unfinished, "w") as archive:
            for name, array in arrays.items():
                # Without the time of day in it, the same arrays make the same file.
                with archive.open(
                    zipfile.ZipInfo(name + ".npy"), "w", force_zip64=True
                ) as member:
                    np.lib.format.write_array(
                        member, np.asanyarray(array), allow_pickle=False
                    )
        os.replace(unfinished, path)
    except BaseException:
        if os.path.exists(unfinished):
            os.remove(unfinished)
        raise


def load_arrays(path: StrPath) -> dict[str, Array]:
    """Read an ``.npz`` file; pickles, which could run anything, are refused.

    Raises
    ------
    FileNotFoundError
        If there is no such file, neither with ``.npz`` at its end nor without.
    ValueError
        If it is no such file, or a damaged one, or one with pickles.
    """
    import zipfile

    candidates = [_with_ending(path), os.fsdecode(path)]
    for candidate in candidates:
        if os.path.isfile(candidate):
            break
    else:
        raise FileNotFoundError(
            f"there is no file {' or '.join(dict.fromkeys(candidates))}"
        )
    arrays = {}
    try:
        with zipfile.ZipFile(candidate) as archive:
            for name in archive.namelist():
                with archive.open(name) as member:
                    arrays[name.removesuffix(".npy")] = np.lib.format.read_array(
                        member, allow_pickle=False
                    )
        return arrays
    except OSError:
        raise
    except Exception as error:  # of many kinds, since a damaged file can say anything
        raise ValueError(
            f"{candidate} cannot be read as an .npz file of plain arrays: it is "
            "damaged, or something else, or holds pickles, which are refused because "
            f"they could run any program ({error})"
        ) from error


def check_fit(
    path: StrPath,
    name: str,
    found: Mapping[str, Array],
    expected: Mapping[str, tuple[int | None, ...] | None],
) -> None:
    """Compare the arrays `found` in a file with the shapes `expected`, in which
    ``None`` stands for anything.

    Raises
    ------
    ValueError
        If they differ; the message says what is missing, surplus or of another shape.
    """
    wrong = {
        "missing from the file": [key for key in expected if key not in found],
        "not in the model": [key for key in found if key not in expected],
        "of another shape": [
            f"{key} (file: {found[key].shape}, model: {_form(shape)})"
            for key, shape in expected.items()
            if key in found and not _fits(found[key].shape, shape)
        ],
        "no floating-point numbers": [
            key
            for key in found
            if key in expected and found[key].dtype.kind not in "fiu"
        ],
    }
    if any(wrong.values()):
        lines = [
            f"\n  {what}: {_first_few(keys)}" for what, keys in wrong.items() if keys
        ]
        raise ValueError(
            f"{os.fsdecode(path)} does not fit this {name}, so nothing was "
            f"loaded:{''.join(lines)}"
        )


def _with_ending(path: StrPath) -> str:
    path = os.fsdecode(path)
    return path if path.endswith(".npz") else path + ".npz"


def _fits(shape: tuple[int, ...], expected: tuple[int | None, ...] | None) -> bool:
    if expected is None:
        return True
    return len(shape) == len(expected) and all(
        e in (None, n) for n, e in zip(shape, expected, strict=True)
    )


def _form(shape: tuple[int | None, ...] | None) -> str:
    return str(shape).replace("None", "?")


def _first_few(keys: list[str], count: int = 6) -> str:
    more = f" and {len(keys) - count} more" if len(keys) > count else ""
    return ", ".join(keys[:count]) + more
