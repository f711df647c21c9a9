"""Files that are downloaded once and kept. Step 51 explains them.

:func:`get_file` gives the path of a file. Where the environment variable
``DEZERO_LITE_DATA`` names a folder, the file is looked for there and nowhere else,
which serves a classroom without a network. Else it is downloaded at the first call,
checked, and kept in :data:`cache_dir`. Downloads take the packages ``pooch`` and
``tqdm``.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

__all__ = ["cache_dir", "get_file", "show_progress"]

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
        The file's address on the network. One that does not begin with
        ``https://``, or that leads on to one that does not, needs a `known_hash`, since
        anybody on the way can change what it delivers.
    file_name : str, optional
        The file's name here; may begin with a folder, as in ``'mnist/train.gz'``.
        Default: as in the `url`.
    known_hash : str, optional
        The SHA-256 of the file in hexadecimal digits, or another kind of hash after its
        name, as in ``'md5:d53e10…'``. A download with another hash is thrown away.
        Files in a folder of your own are yours, and taken as they are.

    Returns
    -------
    str
        The path: in the folder that ``DEZERO_LITE_DATA`` names, if it names one, else
        in :data:`cache_dir`, where each `url` has a folder of its own.

    Raises
    ------
    FileNotFoundError
        If ``DEZERO_LITE_DATA`` names a folder, and the file is not in it.
    ImportError
        If a download is due, and ``pooch`` or ``tqdm`` is not installed.
    OSError
        If the download fails.
    ValueError
        If the download has another hash, or the `url` or the `file_name` is not safe to
        use.
    """
    if file_name is None:
        file_name = url.partition("#")[0].partition("?")[0].rpartition("/")[2]
        if file_name in ("", ".", ".."):
            raise ValueError(
                f"{url} does not end in a file's name: say what to call the file, as "
                "in file_name='data.txt'"
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
    """The folder that ``DEZERO_LITE_DATA`` names, if it does."""
    return os.environ.get(DATA_DIR_ENV) or None


def _check_stays_inside(file_name: str) -> None:
    parts = file_name.replace("\\", "/").split("/")
    # The colon is that of a drive.
    if {"", ".", ".."} & {*parts} or file_name[1:2] == ":" or "\0" in file_name:
        raise ValueError(
            f"file_name={file_name!r} leads out of the folder for data: use a plain "
            "name, or one that begins with folders, as in 'mnist/train.gz'"
        )


class UnsafeAddress(ValueError):
    """Anybody on the way can change what this address delivers."""


def _check_safe(address: str, known_hash: str | None) -> None:
    if known_hash is None and not address.lower().startswith("https://"):
        raise UnsafeAddress(
            f"{address} is not safe, since anybody can change it on the way: use "
            "https://, or give known_hash"
        )


def _cache_path(url: str, file_name: str) -> str:
    import hashlib

    # Two addresses may end in one name; neither gets the other's file.
    folder = hashlib.sha256(url.encode()).hexdigest()[:16]
    return os.path.join(cache_dir, folder, file_name)


def _download(url: str, file_name: str, known_hash: str | None) -> str:
    _check_safe(url, known_hash)
    path = _cache_path(url, file_name)
    if known_hash is None and os.path.isfile(path):
        return path
    pooch, requests, tqdm = _import_packages(file_name)

    def check_redirect(response: Any, **_: Any) -> None:
        # Before the request for the address that it leads on to.
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
            # Else the connection stays open for as long as somebody keeps the error.
            error.response.close()
        raise OSError(
            f"{file_name} could not be downloaded from {url}: {error}. Try again when "
            "the network is there; or get the file in another way and put it at "
            f"{path}, or, as {file_name}, into a folder that the environment variable "
            f"{DATA_DIR_ENV} names"
        ) from error
    except UnsafeAddress:
        raise
    except ValueError as error:
        raise ValueError(
            f"what came from {url} is not the file that was expected, and was thrown "
            "away. Try again; if it happens twice, the file was replaced there, or "
            f"something on the way changes downloads. The reason: {error}"
        ) from error
    return path


def _import_packages(file_name: str) -> tuple[Any, Any, Any]:
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
        The number of blocks that have arrived, and of bytes in one.
    total_size : int
        The number of bytes in all; 0 or less where nobody knows.
    """
    done = min(block_num * block_size / total_size, 1.0) if total_size > 0 else 0.0
    filled = int(30 * done)
    bar = "#" * filled + "." * (30 - filled)
    print(f"\r[{bar}] {100 * done:.2f}%", end="", flush=True)
