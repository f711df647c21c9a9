"""Translate a finished notebook, and collect what there is to translate in it."""

import copy
import re

from .. import builder
from ..lessons import MAP, CourseError, read_header, stem, with_map
from ..overview import read_stages
from .catalogues import CODE, COMPOSED, look_up, update
from .literals import make_skeleton, replace_literals
from .markdown import replace_units
from .tool import get_language

# A unit that this many lessons have is in the catalogue that all share.
SHARED = 4
HINTS = "hints"
# Texts that the course tool composes. A field in braces stands for any text; titles are
# units of their own.
PATTERNS = (
    "Step {number}: {title}",
    "Exercise {number}: {title}",
    "Stage {number}: {title}",
    "[{title}]({file}), {number} minutes",
    "before: [{number}. {title}]({file})",
    "next: [{number}. {title}]({file})",
    "[{number}. {title}]({file})",
    "**Time** {number} minutes",
    "**Builds on** step {number}",
    "**Builds on** steps {numbers} and {number}",
    "**New** {names}",
    "**Changed** {names}",
    "**Gone** {names}",
    "**Visits** {names}",
    "**Builds on** {title}",
    "Stuck? {hint} gives a hint.",
    "Stuck? {hint} gives a hint, {solution} shows a solution.",
    "Stuck? {solution} shows a solution.",
    "Hint {number}",
    # Cells of a lesson, as the workshop names them.
    "{title}, cell {number}",
    "The beginning",
)
TITLE = "title"
# A line of facts or links, whose parts are units.
BAR = " · "
LINE = re.compile(r"\*\*Time\*\* |\[The map\]")
FIELD = re.compile(r"\\\{(\w+)\\\}")
KINDS = {"number": r"\d+", "file": r"[^)]*"}


def _compile(pattern):
    def group(field):
        return f"(?P<{field[1]}>{KINDS.get(field[1], '.+')})"

    return re.compile(FIELD.sub(group, re.escape(pattern)))


MATCHERS = {pattern: _compile(pattern) for pattern in PATTERNS}


class Translator:
    """Translates a lesson's notebook.

    Attributes
    ----------
    units : list of (str, str or None, str)
        The units seen, each with its context and the id of its cell.
    missing : list of str
        The units that stayed English.
    """

    def __init__(self, language, number):
        self.language = language
        # Titles are in the map's catalogue, so that every link shows the same one.
        self.names = [stem(number), COMPOSED, stem(MAP), HINTS]
        self.units = []
        self.missing = []
        self._cell = ""

    def translate_notebook(self, notebook):
        """Translate a notebook (a dict) of the builder's; return a new one.

        Raises
        ------
        CourseError
            If the translation of a string literal does not have the same fields.
        """
        notebook = copy.deepcopy(notebook)
        for cell in notebook["cells"]:
            self._cell, source = cell["id"], "".join(cell["source"])
            if cell["cell_type"] == "markdown":
                cell["source"] = replace_units(source, self.translate)
            elif not source.startswith("# %load"):
                cell["source"] = self._translate_code(source)
                if alt := cell["metadata"].get("alt"):
                    cell["metadata"]["alt"] = self.translate(alt)
        return notebook

    def _translate_code(self, source):
        try:
            code = replace_literals(source, lambda unit: self._look_up(unit, CODE))
        except SyntaxError:  # a magic, or a mistake shown on purpose
            return source
        except ValueError as error:
            raise CourseError(f"{self._cell}: {error}") from None
        if make_skeleton(code) != make_skeleton(source):
            raise CourseError(f"The translation of {self._cell} changes its code.")
        return code

    def translate(self, unit):
        """Translate a unit of Markdown."""
        if BAR in unit and LINE.match(unit):
            return BAR.join(map(self.translate, unit.split(BAR)))
        for pattern, matcher in MATCHERS.items():
            if match := matcher.fullmatch(unit):
                return self._compose(pattern, match.groupdict())
        return self._look_up(unit)

    def _compose(self, pattern, fields):
        if TITLE in fields:
            fields[TITLE] = self._look_up(fields[TITLE])
        template = look_up(self.language, COMPOSED, pattern) or pattern
        return template.format(**fields)

    def _look_up(self, unit, context=None):
        self.units.append((unit, context, self._cell))
        if found := self._find(unit, context):
            return found
        # The workshop ends a paragraph with a full stop where the lesson has a colon.
        if unit.endswith(".") and (found := self._find(f"{unit[:-1]}:", context)):
            return re.sub("：$", "。", found)
        self.missing.append(unit)
        return unit

    def _find(self, unit, context):
        found = (look_up(self.language, name, unit, context) for name in self.names)
        return next(filter(None, found), None)


def translate_for_learner(number, notebook):
    """Translate a lesson's notebook (a dict) to the learner's language, if there is one
    other than English.
    """
    language = get_language()
    if language is None:
        return notebook
    notebook = Translator(language, number).translate_notebook(notebook)
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":  # only the map still has outputs, in English
            cell["outputs"] = []
    return notebook


def make_translate(number):
    """Return the function that translates a unit of a lesson for the learner."""
    language = get_language()
    return Translator(language, number).translate if language else str


def read_title(number):
    """Read the title of a lesson, in the learner's language."""
    return make_translate(number)(read_header(number).title)


def update_catalogues(language, chosen):
    """Bring the catalogues of some lessons, and those that all share, up to date."""
    units = {number: _collect_units(language, number) for number in with_map()}
    lessons_with: dict[tuple[str, str | None], set[int]] = {}
    for number, found in units.items():
        for unit, context, _ in found:
            lessons_with.setdefault((unit, context), set()).add(number)
    titles = {(title, None) for title in _list_titles()}
    shared = {key for key, where in lessons_with.items() if len(where) >= SHARED}
    shared -= titles
    composed = [*((pattern, None) for pattern in PATTERNS), *sorted(shared, key=str)]
    update(language, COMPOSED, [(*key, COMPOSED) for key in composed])
    update(language, HINTS, _collect_hints(language, units))
    for number in [MAP, *chosen]:
        known = shared if number == MAP else shared | titles
        own = [unit for unit in units[number] if unit[:2] not in known]
        update(language, stem(number), own)


def _list_titles():
    return [title for stage in read_stages() for title in stage.steps.values()]


def _collect_units(language, number):
    translator = Translator(language, number)
    translator.translate_notebook(builder.assemble(number))
    return translator.units


def _collect_hints(language, units):
    """Collect the units of the workshop: its hints, and the paragraphs that it shortens
    and that are therefore not among the units of the lessons.
    """
    from ..workshop import hints, notebook, step  # which import this module

    found = {hint: key[0] for key, pair in hints.read_hints().items() for hint in pair}
    for number in step.list_numbers():
        translator = Translator(language, number)
        replace_units(notebook.read_prose(number), translator.translate)
        of_lesson = {re.sub(":$", ".", unit) for unit, *_ in units[number]}
        of_lesson |= {unit for unit, *_ in units[number]}
        shortened = (u for u, *_ in translator.units if u not in of_lesson)
        found = dict.fromkeys(shortened, number) | found
    return [(unit, None, f"step {number}") for unit, number in found.items()]


def find_other_numbers(english, translated):
    """Find a cell of a translated notebook that prints other numbers than the English
    one; return its id, or an empty string. Measured outputs are not compared.
    """
    for ours, theirs in zip(english["cells"], translated["cells"], strict=True):
        if builder.MEASURED in ours["metadata"].get("tags", ()):
            continue
        if _list_numbers(ours) != _list_numbers(theirs):
            return ours["id"]
    return ""


def _list_numbers(cell):
    texts = ["".join(output.get("text", "")) for output in cell.get("outputs", ())]
    return sorted(re.findall(r"\d+(?:\.\d+)?", "\n".join(texts)))
