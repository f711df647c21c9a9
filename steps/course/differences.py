"""Compare steps, definition by definition."""

import difflib
import textwrap
from dataclasses import dataclass
from html import escape

from .definitions import read_texts, split_module
from .lessons import known, module_path
from .listings import FONT, Source

# Blue and orange differ for every kind of colour vision, and are pale enough for light
# and dark themes.
COLOURS = {"+": "rgba(0,114,178,0.16)", "-": "rgba(213,94,0,0.16)"}


WORDS = {
    "added": "added",
    "changed": "changed",
    "removed": "removed",
    "differs:": "differs:",
}


@dataclass(repr=False)
class Change:
    """A definition that was added, changed or removed, displayed as a diff."""

    kind: str
    name: str
    before: str
    after: str

    def lines(self):
        """Return the definition as diff lines, which begin with '+', '-' or a space."""
        before, after = self.before.splitlines(), self.after.splitlines()
        # With this n, all unchanged lines are included.
        lines = difflib.unified_diff(before, after, lineterm="", n=len(before))
        return list(lines)[3:]

    def __repr__(self):
        return "\n".join(self.lines())

    def _repr_html_(self):
        rows = "".join(
            f'<div style="background:{COLOURS.get(line[0], "none")}; padding:0 0.5em">'
            f"{escape(line)}</div>"
            for line in self.lines()
        )
        return (
            f'<div style="margin:0.8em 0"><b>{WORDS[self.kind]}</b> '
            f"<code>{escape(self.name)}</code>"
            f'<pre class="course-code" style="font:{FONT}; margin:0.3em 0">'
            f"{rows}</pre></div>"
        )


def compare_sources(before, after, doc=False):
    """Compare the source code of two classes or functions; return a Change."""
    texts = (Source(thing, doc).text for thing in (before, after))
    return Change("changed", after.__qualname__, *map(textwrap.dedent, texts))


def compare_modules(before, after):
    """Compare the source code of two modules.

    Returns
    -------
    list of Change
        In the order of ``after``, then the removed definitions. A class that was added
        or removed is one change, methods included.
    """
    unshared = read_texts(before).keys() ^ read_texts(after).keys()
    old, new = split_module(before, unshared), split_module(after, unshared)
    kinds = {name: "changed" if name in old else "added" for name in new}
    kinds |= {name: "removed" for name in old if name not in new}
    both = (Change(k, n, old.get(n, ""), new.get(n, "")) for n, k in kinds.items())
    return [change for change in both if change.before != change.after]


class Differences:
    """The changes between two steps, displayed in a notebook or a terminal."""

    def __init__(self, before, after):
        self.steps = known(before), known(after)
        self._paths = [module_path(number) for number in self.steps]
        texts = (path.read_text(encoding="utf-8") for path in self._paths)
        self.changes = compare_modules(*texts)

    def __repr__(self):
        if not self.changes:
            return "Steps {} and {} have the same code.".format(*self.steps)
        return "\n".join(self._unified(change) for change in self.changes)

    def _unified(self, change):
        old, new = (f"{path.name}: {change.name}" for path in self._paths)
        head = [f"--- {old}", f"+++ {new}", f"@@ {WORDS[change.kind]} @@"]
        return "\n".join([*head, f"{change}\n"])

    def _repr_html_(self):
        if not self.changes:
            return f"<p>{self!r}</p>"
        return "\n".join(change._repr_html_() for change in self.changes)
