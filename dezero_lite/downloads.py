"""Files that are downloaded once and kept. Step 51 explains them.

:func:`get_file` returns the path of a file. If the environment variable
``DEZERO_LITE_DATA`` names a folder, it looks for the file only there, for example in a
classroom without a network. Otherwise it downloads the file at the first call, checks
it, and keeps it in :data:`cache_dir`. Downloads require the packages ``pooch`` and
``tqdm``.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

__all__ = ["cache_dir", "get_file", "show_progress"]

#: The environment variable that names a folder to use instead of downloads.
DATA_DIR_ENV = "DEZERO_LITE_DATA"


def _user_cache() -> str:
    home = os.path.expanduser("~")
    if sys.platform == "win32":
        return os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Caches")
    return os.environ.get("XDG_CACHE_HOME") or os.path.join(home, ".cache")


#: The folder for downloads, created at the first one.
cache_dir = os.path.join(_user_cache(), "dezero_lite")


def get_file(
    url: str, file_name: str | None = None, known_hash: str | None = None
) -> str:
    """Return the path of a file, after downloading it from `url` unless it is already
    here. Source: book step 51.

    Parameters
    ----------
    url : str
        The file's address. If it does not begin with ``https://``, or redirects to one
        that does not, `known_hash` is required, because the download could be tampered
        with.
    file_name : str, optional
        The file's name here; may begin with a folder, as in ``'mnist/train.gz'``.
        Default: the name in `url`.
    known_hash : str, optional
        The file's SHA-256 in hexadecimal digits, or another hash after its name, as in
        ``'md5:d53e10…'``. A download with a different hash is deleted. Files in the
        folder that ``DEZERO_LITE_DATA`` names are not checked.

    Returns
    -------
    str
        The path: in the folder that ``DEZERO_LITE_DATA`` names, if it is set, else in
        :data:`cache_dir`, where each `url` has its own folder.

    Raises
    ------
    FileNotFoundError
        If ``DEZERO_LITE_DATA`` names a folder that does not contain the file.
    ImportError
        If the file has to be downloaded, and ``pooch`` or ``tqdm`` is not installed.
    OSError
        If the download fails.
    ValueError
        If the download has a different hash, or `url` or `file_name` is not safe to
        use.
    """
    if file_name is None:
        file_name = url.partition("#")[0].partition("?")[0].rpartition("/")[2]
        if file_name in ("", ".", ".."):
            raise ValueError(
                f"{url} does not end in a file name: name the file, as in "
                "file_name='data.txt'"
            )
    _check_stays_inside(file_name)
    folder = data_folder()
    if folder is None:
        return _download(url, file_name, known_hash)
    path = os.path.join(folder, file_name)
    if not os.path.isfile(path):
        raise FileNotFoundError(
            f"{path} is missing: {DATA_DIR_ENV} names the folder {folder} for data, "
            f"so put the file there (it comes from {url}), or unset {DATA_DIR_ENV} to "
            "have it downloaded"
        )
    return path


def data_folder() -> str | None:
    """Return the folder that ``DEZERO_LITE_DATA`` names, or ``None``."""
    return os.environ.get(DATA_DIR_ENV) or None


def _check_stays_inside(file_name: str) -> None:
    parts = file_name.replace("\\", "/").split("/")
    # A colon in second place belongs to a drive letter.
    if {"", ".", ".."} & {*parts} or file_name[1:2] == ":" or "\0" in file_name:
        raise ValueError(
            f"file_name={file_name!r} points outside the data folder: use a plain "
            "name, or a path such as 'mnist/train.gz'"
        )


class UnsafeAddress(ValueError):
    """An address whose download is not authenticated, so it could be tampered with."""


def _check_safe(address: str, known_hash: str | None) -> None:
    if known_hash is None and not address.lower().startswith("https://"):
        raise UnsafeAddress(
            f"{address} is not safe, because the download could be tampered with: use "
            "https://, or pass known_hash"
        )


def _cache_path(url: str, file_name: str) -> str:
    import hashlib

    # Two addresses may end in the same name, but must not share a file.
    folder = hashlib.sha256(url.encode()).hexdigest()[:16]
    return os.path.join(cache_dir, folder, file_name)


def _download(url: str, file_name: str, known_hash: str | None) -> str:
    _check_safe(url, known_hash)
    path = _cache_path(url, file_name)
    if known_hash is None and os.path.isfile(path):
        return path
    pooch, requests, tqdm = _import_packages(file_name)

    def check_redirect(response: Any, **_: Any) -> None:
        # Checks the target before it is requested.
        if response.is_redirect:
            target = requests.compat.urljoin(response.url, response.headers["location"])
            _check_safe(target, known_hash)

    def downloader(url: str, file: Any, _: Any) -> None:
        look = {"unit": "B", "unit_scale": True, "disable": False}
        with tqdm.tqdm(desc=file_name, total=1, **look) as bar:
            how = {"chunk_size": 1 << 16, "hooks": {"response": check_redirect}}
            pooch.HTTPDownloader(progressbar=bar, **how)(url, file, None)

    folder, name = os.path.split(path)
    try:
        pooch.retrieve(url, known_hash, name, folder, downloader=downloader)
    except requests.RequestException as error:
        if error.response is not None:
            # Otherwise the connection stays open while a reference to the error exists.
            error.response.close()
        raise OSError(
            f"{file_name} could not be downloaded from {url}: {error}. Try again when "
            "the network is available; or get the file in another way and put it at "
            f"{path}, or, as {file_name}, into a folder that the environment variable "
            f"{DATA_DIR_ENV} names"
        ) from error
    except UnsafeAddress:
        raise
    except ValueError as error:
        raise ValueError(
            f"the download from {url} is not the expected file, and was deleted. Try "
            "again; if it happens twice, the file was replaced there, or something "
            f"alters downloads in transit. The reason: {error}"
        ) from error
    return path


def _import_packages(file_name: str) -> tuple[Any, Any, Any]:
    try:
        return import_module("pooch"), import_module("requests"), import_module("tqdm")
    except ImportError as error:
        raise ImportError(
            f"downloading {file_name} requires missing packages ({error}): run `pip "
            "install pooch tqdm`, or put the file into a folder that the environment "
            f"variable {DATA_DIR_ENV} names"
        ) from None


def show_progress(block_num: int, block_size: int, total_size: int) -> None:
    """Print the progress of a download as a bar that overwrites itself. Source: book
    step 51.

    Parameters
    ----------
    block_num, block_size : int
        The number of blocks that have arrived, and the number of bytes in a block.
    total_size : int
        The total number of bytes; 0 or less if it is unknown.
    """
    done = min(block_num * block_size / total_size, 1.0) if total_size > 0 else 0.0
    filled = int(30 * done)
    bar = "#" * filled + "." * (30 - filled)
    print(f"\r[{bar}] {100 * done:.2f}%", end="", flush=True)
