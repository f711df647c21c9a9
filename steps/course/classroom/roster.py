"""The people of a class, as the school or a learning platform lists them."""

import csv
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from ..lessons import CourseError

# What the columns of a roster are called, in small letters without signs. The first
# row is what docs/classroom.md asks for; the others are what Moodle and Canvas export.
NAMES = {
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
        words = re.findall(r"\w+", self.name)
        turned = (words[n:] + words[:n] for n in range(len(words)))
        alike = ["".join(some) for some in turned]
        alike += [self.id, self.login, self.email, self.email.partition("@")[0]]
        return {squeezed(text) for text in alike} - {""}


def read_roster(path):
    """The people of a roster in CSV, with commas or semicolons.

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
    rows = map(_person, csv.DictReader(text.splitlines(), delimiter=separator))
    people = [one for one in rows if one.name and one.name != "Points Possible"]
    if not people:
        raise CourseError(
            f"The roster {path} names nobody. Its first line should be `name,id,email`."
        )
    return people


def _person(row):
    cells = {_plain(head): (cell or "").strip() for head, cell in row.items() if head}
    if "sis user id" in cells:  # an export of Canvas, whose ID is a number of its own
        cells["canvas id"] = cells.pop("id", "")
    found = {
        field: next((cells[name] for name in names if cells.get(name)), "")
        for field, names in NAMES.items()
    }
    whole = f"{found.pop('first')} {found.pop('last')}".strip()
    return Person(**found | {"name": found["name"] or whole})


def _plain(head):
    return re.sub(r"[^a-z ]", "", head.lower()).strip()


def find(people, name, canvas=""):
    """The one person to whom a name, or Canvas's number, belongs; None if there is
    none, or more than one.
    """
    if canvas and (known := [one for one in people if one.canvas == canvas]):
        return known[0]
    fits = [one for one in people if squeezed(name) in one.keys]
    return fits[0] if len(fits) == 1 else None


def squeezed(name):
    """A name without what platforms leave out of it: accents, signs, capitals."""
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFKD", name).casefold())
