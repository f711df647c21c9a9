"""Switches of the framework, and ``with`` blocks that throw them. Source: steps 18 and
54.

Each thread has switches of its own: a ``no_grad`` in one leaves the others alone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import update_wrapper
from typing import NoReturn

__all__ = ["Config", "no_grad", "test_mode", "using_config"]


class _Settings(threading.local):
    # Each thread starts with these values and changes none but its own.
    enable_backprop: bool = True
    train: bool = True


#: The settings of the running thread: `enable_backprop` (is the graph recorded?) and
#: `train` (training, or testing?). Source: book steps 18 and 54.
Config = _Settings()


@contextmanager
def using_config(name: str, value: bool) -> Iterator[None]:
    """Change the setting `name` for the length of a ``with`` block, in this thread
    alone. Source: book step 18.

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
    """A function that makes a ``with`` block, and says so where its brackets are
    missing: ``with no_grad:`` would otherwise end in Python's own words.
    """

    # By the name of test_mode alone, pytest would take it for a test.
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
    """Record no graph in this ``with`` block: results take less memory and have no way
    back. Source: book step 18.
    """
    return using_config("enable_backprop", False)


@switch
def test_mode() -> AbstractContextManager[None]:
    """Let dropout and batch normalisation behave as in use, not as in training. Source:
    book step 54.
    """
    return using_config("train", False)
