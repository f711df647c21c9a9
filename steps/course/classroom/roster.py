"""Reads the people of a class, as the school or a learning platform lists them."""

import csv
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from ..lessons import CourseError

# What the columns of a roster are called, in small letters without signs. The first
# row is what docs/classroom.md asks for; the others are what Moodle and Canvas export.
HEADINGS = {
    "name": ("name", "student", "full name", "student name"),
    "first": ("first name", "firstname"),
    "last": ("last name", "lastname", "surname"),
    "id": ("sis user id", "id number", "idnumber", "student id", "id"),
    "email": ("email", "email address", "mail"),
    "canvas": ("canvas id",),
    "login": ("sis login id", "login", "username"),
    "section": ("section",),
}


@dataclass(frozen=True)
class Person:
    """Somebody of the class; ``canvas`` is the number by which Canvas knows them."""

    name: str
    id: str = ""
    email: str = ""
    canvas: str = ""
    login: str = ""
    section: str = ""

    @property
    def keys(self):
        """What a folder or a file of theirs may be called."""
        name_parts = re.findall(r"\w+", self.name)
        rotations = (name_parts[n:] + name_parts[:n] for n in range(len(name_parts)))
        spellings = ["".join(rotation) for rotation in rotations]
        spellings += [self.id, self.login, self.email, self.email.partition("@")[0]]
        return {normalize(text) for text in spellings} - {""}


def read_roster(path):
    """Read the people of a roster in CSV, with commas or semicolons.

    Raises
    ------
    CourseError
        If it cannot be read, or no column holds the names.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CourseError(f"The roster {path} cannot be read: {error}.") from None
    separator = max(",;\t", key=text.partition("\n")[0].count)
    rows = map(_read_person, csv.DictReader(text.splitlines(), delimiter=separator))
    people = [each for each in rows if each.name not in ("", "Points Possible")]
    if not people:
        raise CourseError(
            f"The roster {path} names nobody. Its first line should be `name,id,email`."
        )
    return people


def _read_person(row):
    filled = {heading: cell or "" for heading, cell in row.items() if heading}
    cells = {_clean_heading(heading): filled[heading].strip() for heading in filled}
    if "sis user id" in cells:  # an export of Canvas, whose ID is a number of its own
        cells["canvas id"] = cells.pop("id", "")
    values = {
        field: next((cells[name] for name in names if cells.get(name)), "")
        for field, names in HEADINGS.items()
    }
    full_name = f"{values.pop('first')} {values.pop('last')}".strip()
    return Person(**values | {"name": values["name"] or full_name})


def _clean_heading(heading):
    return re.sub(r"[^a-z ]", "", heading.lower()).strip()


def find_person(people, name, canvas=""):
    """Find the one person to whom a name, or Canvas's number, belongs; None if there is
    none, or more than one.
    """
    if canvas and (matches := [each for each in people if each.canvas == canvas]):
        return matches[0]
    matches = [each for each in people if normalize(name) in each.keys]
    return matches[0] if len(matches) == 1 else None


def normalize(name):
    """Take out of a name what platforms leave out: accents, signs, capitals."""
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFKD", name).casefold())
