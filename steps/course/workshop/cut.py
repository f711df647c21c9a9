"""Names for copies of lesson 23 that still import ``cut``, now ``split_core``."""

from functools import partial
from types import SimpleNamespace

from . import split_core

members = split_core.list_names


def pieces(core):
    """Split a core into pieces that have ``body`` as a method, as it used to be."""
    return {
        name: SimpleNamespace(body=partial(str, p.body), definitions=p.definitions)
        for name, p in split_core.split(core).items()
    }
