"""The catalogues of a language, in ``steps/locale/LANGUAGE``: one for each lesson,
``course.po`` for the texts that the course tool composes, and ``tool.po`` for its
messages.

Reading them needs only the standard library, because start.py does it before anything
is installed.
"""

import ast
import io
import re
from functools import cache
from pathlib import Path

LOCALE = Path(__file__).resolve().parents[2] / "locale"
# What the course tool composes from titles, numbers and names.
COMPOSED = "course"
TOOL = "tool"
# The context of string literals, whose braces are fields.
CODE = "code"
QUOTED = r'((?:".*"\n)+)'
MESSAGE = re.compile(rf"((?:#.*\n)*)(?:msgctxt {QUOTED})?msgid {QUOTED}msgstr {QUOTED}")


def path_of(language, name):
    return LOCALE / language / f"{name}.po"


def look_up(language, name, unit, context=None):
    """Return the translation of a unit; None if it is missing or out of date."""
    return read(language, name).get((unit, context)) or None


def read(language, name):
    """Read a catalogue: a dict from (unit, context) to its translation, which is an
    empty string if it is missing, and None if it is out of date.
    """
    path = path_of(language, name)
    return _read(path, path.stat().st_mtime_ns) if path.exists() else {}


@cache  # until the file changes
def _read(path, _):
    return {
        (_unquote(unit), _unquote(context) or None): (
            None if "fuzzy" in comments else _unquote(translation)
        )
        for comments, context, unit, translation in MESSAGE.findall(
            path.read_text(encoding="utf-8")
        )
        if _unquote(unit)
    }


def _unquote(lines):
    return "".join(map(ast.literal_eval, lines.splitlines()))


def update(language, name, units):
    """Write a catalogue with these units, and keep their translations.

    A unit that resembles an old one gets its translation, marked fuzzy.

    Parameters
    ----------
    units : iterable of (str, str or None, str)
        Each unit with its context, and with the id of its cell or the name of its file.
    """
    from babel.messages import Catalog, pofile

    path, template = path_of(language, name), Catalog()
    for unit, context, place in units:
        template.add(unit, context=context, locations=[(place, 0)])
    old = path.read_bytes() if path.exists() else b""
    catalogue = pofile.read_po(io.BytesIO(old), locale=language)
    catalogue.update(template)
    catalogue.obsolete.clear()
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        pofile.write_po(
            file, catalogue, width=0, omit_header=True, include_lineno=False
        )


def count(language, name):
    """Count the units of a catalogue: all, translated, and out of date."""
    translations = read(language, name).values()
    late = sum(translation is None for translation in translations)
    return len(translations), sum(map(bool, translations)), late
