"""The framework's settings, and ``with`` blocks that change them. Source: steps 18 and
54.

Each thread has its own settings: ``no_grad`` in one thread does not affect the others.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import update_wrapper
from typing import NoReturn

__all__ = ["Config", "no_grad", "test_mode", "using_config"]


class _Settings(threading.local):
    # Each thread starts with these values and changes only its own.
    enable_backprop: bool = True
    train: bool = True


#: The settings of the current thread: `enable_backprop` (is the graph recorded?) and
#: `train` (training or testing?). Source: book steps 18 and 54.
Config = _Settings()


@contextmanager
def using_config(name: str, value: bool) -> Iterator[None]:
    """Change the setting `name` inside a ``with`` block, for this thread only. Source:
    book step 18.

    Raises
    ------
    AttributeError
        If there is no setting of this name.
    """
    if name not in ("enable_backprop", "train"):
        raise AttributeError(
            f"there is no setting {name!r}: the settings are 'enable_backprop' and "
            "'train'"
        )
    old_value = getattr(Config, name)
    setattr(Config, name, value)
    try:
        yield
    finally:
        setattr(Config, name, old_value)


class switch:
    """A function that returns a ``with`` block, and that explains missing brackets:
    otherwise ``with no_grad:`` would raise Python's own error.
    """

    # Otherwise pytest would collect test_mode, because of its name.
    __test__ = False

    def __init__(self, make: Callable[[], AbstractContextManager[None]]) -> None:
        self._make = make
        update_wrapper(self, make)

    def __call__(self) -> AbstractContextManager[None]:
        return self._make()

    def __enter__(self) -> NoReturn:
        name = self._make.__name__
        raise TypeError(f"the brackets are missing: write `with {name}():`")

    def __exit__(self, *_: object) -> None: ...


@switch
def no_grad() -> AbstractContextManager[None]:
    """Record no graph inside this ``with`` block: results take less memory, and
    backward cannot start from them. Source: book step 18.
    """
    return using_config("enable_backprop", False)


@switch
def test_mode() -> AbstractContextManager[None]:
    """Make dropout and batch normalisation behave as in use, not as in training.
    Source: book step 54.
    """
    return using_config("train", False)
