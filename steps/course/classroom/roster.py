"""Reads the list of a class, as exported by a school or a learning platform."""

import csv
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from ..lessons import CourseError

# The headings that columns of a roster may have, in lower case without punctuation:
# those that docs/classroom.md asks for, and those that Moodle and Canvas export.
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
    """A member of the class; ``canvas`` is their ID in Canvas."""

    name: str
    id: str = ""
    email: str = ""
    canvas: str = ""
    login: str = ""
    section: str = ""

    @property
    def keys(self):
        """Return the names that their folder or file may have, normalized."""
        name_parts = re.findall(r"\w+", self.name)
        rotations = (name_parts[n:] + name_parts[:n] for n in range(len(name_parts)))
        spellings = ["".join(rotation) for rotation in rotations]
        spellings += [self.id, self.login, self.email, self.email.partition("@")[0]]
        return {normalize(text) for text in spellings} - {""}


def read_roster(path):
    """Read a roster from a CSV file, separated by commas, semicolons or tabs.

    Raises
    ------
    CourseError
        If the file cannot be read, or contains no names.
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
            f"The roster {path} is empty. Its first line should be `name,id,email`."
        )
    return people


def _read_person(row):
    filled = {heading: cell or "" for heading, cell in row.items() if heading}
    cells = {_clean_heading(heading): filled[heading].strip() for heading in filled}
    if "sis user id" in cells:  # exported by Canvas, whose ID is its own number
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
    """Find the person to whom a Canvas ID or a name belongs; None if there is none, or
    if several have the name.
    """
    if canvas and (matches := [each for each in people if each.canvas == canvas]):
        return matches[0]
    matches = [each for each in people if normalize(name) in each.keys]
    return matches[0] if len(matches) == 1 else None


def normalize(name):
    """Remove accents, spaces and punctuation from a name; convert it to lower case."""
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFKD", name).casefold())
