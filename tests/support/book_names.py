"""The public names of the book's framework, by module, from book_names.ini."""

from configparser import RawConfigParser
from pathlib import Path

FILE = RawConfigParser()
FILE.read(Path(__file__).with_suffix(".ini"), encoding="utf-8")


def by_module(part):
    return {k.removeprefix("dezero"): names for k, names in FILE.items(part)}


INTRODUCED, FOR_ITS_READER = by_module("introduced"), by_module("for its reader")
