"""What a learner reads when their step is judged, in a notebook and in a terminal."""

import ast
import re
import textwrap
from html import escape

from .. import results
from ..capabilities import SIGNS, WORKS, WRONG
from ..definitions import Kind, format_names, get_owner
from ..differences import Change
from ..judge.sequence import RIGHT
from ..lessons import head, numbers, stem
from . import folder as workshop
from .framework import before, steps
from .trial import rows_at
from .verdict import wrong_rows

# So many of the parts that are wrong are named, the likeliest first.
MOST = 3
CODE = "    "
WARNING = " style='background:rgba(213,94,0,0.16)'"


MINE, LENT, OPEN, LESSON = "■", "◧", "□", "·"
MEANING = {
    MINE: "yours",
    LENT: "yours, something in it lent",
    OPEN: "open",
    LESSON: "a lesson to read",
}
IN_A_GROUP = 10


class Report:
    """A verdict in words.

    Parameters
    ----------
    verdict : verdict.Verdict
    way_on : list of str
        What happened to the learner's files, and how to go on, as sentences.
    """

    def __init__(self, verdict, way_on=()):
        self.verdict, self._way_on = verdict, list(way_on)

    def __repr__(self):
        blocks = [self._title(), *self._sentences()]
        blocks += [self._table_as_text(), *self._way_on]
        return "\n\n".join(filter(None, blocks))

    def _repr_html_(self):
        colour = "rgb(0,114,178)" if self.verdict.right else "rgb(213,94,0)"
        said = [_paragraph(text) for text in self._sentences()]
        return (
            f'<div style="border-left:4px solid {colour}; padding-left:1em">'
            f"<p><b>{escape(self._title())}</b></p>{''.join(said)}"
            f"{self._table_as_html()}{self._comparison()}"
            f"{''.join(map(_paragraph, self._way_on))}</div>"
        )

    def results(self):
        """For other programs: each definition that the step asks for, and the whole."""
        verdict, lesson = self.verdict, stem(self.verdict.step)
        sentences = "\n".join(self._sentences())
        found = []
        for name in verdict.own.step.to_write:
            wrong = _touched(name, verdict.culprits)
            outcome = results.WRONG if wrong else RIGHT
            if _touched(name, verdict.own.missing):
                outcome = results.NOT_BEGUN
            found.append(results.Result(lesson, name, outcome))
        outcome = RIGHT if verdict.right else results.WRONG
        return [*found, results.Result(lesson, "It works", outcome, sentences)]

    # --- Sentences --------------------------------------------------------------------

    def _title(self):
        named = f"Step {self.verdict.step}"
        if self.verdict.right:
            rows = ", and every row of the table" * bool(rows_at(self.verdict.step))
            return f"{named} is right: It works passes{rows}."
        if self.verdict.own.broken:
            return f"{named}: a cell is not Python yet."
        if not self._begun():
            return f"{named}: nothing is written yet."
        if not self.verdict.passes:
            return f"{named} is not right yet."
        return f"{named}: what you have written is right, and some is missing."

    def _sentences(self):
        own = self.verdict.own
        for name, why in own.broken.items():
            said = f"The cell with `{name}` is not Python yet: {why}."
            yield f"{said} So it does not count."
        for name, why in own.ignored.items():
            short = name.rpartition(".")[2]
            yield f"A `{short}` of yours does not count as `{name}`: {why}."
        if missing := [
            n for n in own.missing if not {n, get_owner(n)} & set(own.broken)
        ]:
            them = "it" if len(missing) == 1 else "them"
            said = f"Not written yet: {format_names(missing)}."
            yield f"{said} In this trial the lesson's own stood in for {them}."
        if self.verdict.passes:
            return
        if self._begun():
            yield from self._where_it_stops()
            yield from self._where_to_look()
        untouched = set(self.verdict.culprits).difference(own.missing)
        if still := [name for name in own.unchanged if name in untouched]:
            names = format_names(still)
            yield f"Still as in step {before(self.verdict.step)}: {names}."
        if out := [name for name in own.left_out if name in untouched]:
            yield (
                f"Your class leaves out {format_names(out)}. A class that you write "
                "anew is the whole class: what it is to keep has to be in it."
            )

    def _begun(self):
        """Whether anything of the step is written, be it a part of a class."""
        own, step = self.verdict.own, self.verdict.own.step
        if not step.to_write:
            return True
        written = step.new.difference(own.unchanged, step.given)
        written &= set(own.module.definitions)
        return any(step.definitions[name].kind != Kind.CLASS for name in written)

    def _where_it_stops(self):
        """The line, and what does not work, the latest idea first."""
        number, table = self.verdict.step, self.verdict.table
        wrong = wrong_rows(number, table) if table else []
        wrong.sort(key=lambda row: row.learned_at(number), reverse=True)
        shown = wrong[:2]
        if failure := self.verdict.failure:
            line = f" at the line `{failure['line']}`" if failure["line"] else ""
            said = f"*{failure['place']}* stops{line}: {failure['error']}."
            if failure["definitions"] and failure["inside"]:
                part, line = failure["definitions"][-1], failure["inside"]
                said += f" It happened in your `{part}`, at `{line}`."
            yield said
            # Of what broke with it, the line says more.
            shown = [row for row in wrong if row.learned_at(number) == number][:1]
        for row in shown:
            step = row.learned_at(number)
            idea = f"the idea of step {step}, *{head(step).title}*: {row.idea}"
            yield f"“{row.name}” does not work yet. It takes {idea}."
            # Where no cell stopped, the first row says what was tried; of a function in
            # the package it shows more than the cell.
            if row is shown[0] and (not failure or self.verdict.own.step.is_package):
                tried = textwrap.indent(row.code, CODE)
                yield f"Tried, with yours as `step`:\n\n{tried}"
                yield f"Got: {self.verdict.evidence.get(row.name, '')}."

    def _where_to_look(self):
        culprits = self.verdict.culprits
        if not culprits:
            yield (
                "The lesson's own code does not pass here either. Is something not "
                "installed, or the machine busy? Then try again."
            )
            return
        them = "it" if len(culprits) == 1 else "the first"
        hint = f'`steps.hint({self.verdict.step}, "{culprits[0]}")`'
        yield (
            f"With the lesson's {format_names(culprits, MOST)} in place of yours, "
            f"everything passes: look there. {hint} helps with {them}."
        )
        # What shows when a function is called: what it hands back, and takes.
        own = self.verdict.own
        theirs, lessons = own.module.definitions, own.step.definitions
        for name in [name for name in culprits if name in theirs]:
            is_class = lessons[name].kind == Kind.CLASS
            if not is_class and lessons[name].returns_value() > (
                theirs[name].returns_value()
            ):
                yield f"Your `{name}` returns `None`: is a `return` missing?"
            mine, lesson = theirs[name].arguments, lessons[name].arguments
            if mine and lesson and _called_as(mine) != _called_as(lesson):
                takes = f"`({ast.unparse(mine)})`; the lesson's takes"
                yield f"Your `{name}` takes {takes} `({ast.unparse(lesson)})`."

    # --- The table --------------------------------------------------------------------

    def _lines(self):
        """Name, theirs and ours, for each row that should work or works already."""
        number, table = self.verdict.step, self.verdict.table
        for row in rows_at(number):
            found, expected = table.get(row.name), row.expected(number)
            if WORKS in (found, expected):
                yield row.name, _sign(found), SIGNS.get(expected, expected)

    def _later(self):
        count = len(rows_at(self.verdict.step)) - len(list(self._lines()))
        more = "more row comes" if count == 1 else "more rows come"
        return f"{count} {more} in later steps." if count else ""

    def _whose(self):
        """Whose framework the table is about."""
        return "with what is lent" if self.verdict.own.missing else "yours"

    def _table_as_text(self):
        if not self._begun() or not rows_at(self.verdict.step):
            return ""
        if not self.verdict.table:
            return "The table was not tried."
        rows = [("", self._whose(), "the lesson's"), *self._lines()]
        wide = max(len(mine) for _, mine, _ in rows)
        lines = [f"  {mine:{wide}}  {lesson:12}  {name}" for name, mine, lesson in rows]
        return "\n".join([*lines, self._later()]).rstrip()

    def _table_as_html(self):
        if not self.verdict.table or not self._begun():
            return ""
        rows = "".join(
            f"<tr{'' if a == b else WARNING}>"
            f"<td style='text-align:left'>{escape(name)}</td>"
            f"<td style='text-align:center'>{escape(a)}</td>"
            f"<td style='text-align:center'>{escape(b)}</td></tr>"
            for name, a, b in self._lines()
        )
        head = f"<tr><th></th><th>{self._whose()}</th><th>the lesson's</th></tr>"
        return (
            f"<details{'' if self.verdict.right else ' open'}><summary>What your "
            f"framework can do</summary><table>{head}{rows}</table>"
            f"<p>{self._later()}</p></details>"
        )

    # --- The lesson's code ------------------------------------------------------------

    def _comparison(self):
        changes = comparison(self.verdict.own) if self.verdict.right else []
        what = "How the lesson wrote it (minus: yours, plus: the lesson's)"
        shown = "".join(change._repr_html_() for change in changes)
        return shown and f"<details><summary>{what}</summary>{shown}</details>"


def comparison(own):
    """How the lesson's code of a step differs from the learner's, part by part."""
    theirs, step = own.module.definitions, own.step
    return [
        Change("differs:", name, theirs[name].text, step.definitions[name].text)
        for name in step.to_write
        if name in theirs and not theirs[name].has_same_code(step.definitions[name])
    ]


def _touched(name, names):
    """Whether a part, its class, or something in it is among others."""
    return any(name in (n, get_owner(n)) or n == get_owner(name) for n in names)


def _sign(outcome):
    if outcome == WRONG:
        return "wrong"
    return SIGNS[WORKS] if outcome == WORKS else f"✗ {outcome or 'not tried'}"


def _called_as(arguments):
    """What matters to a caller: how many there are, and the names of optional ones."""
    names = [argument.arg for argument in arguments.args]
    required = len(names) - len(arguments.defaults)
    return required, names[required:], bool(arguments.vararg), bool(arguments.kwarg)


def _paragraph(text):
    """Words with `code`, *titles* and [links](where) as HTML; code may come below."""
    text, _, code = text.partition(f"\n\n{CODE}")
    html = escape(text, quote=False)
    html = re.sub(r"`([^`]+)`", r"<code>\1</code>", html)
    html = re.sub(r"(?<!\w)\*([^*]+)\*(?!\w)", r"<i>\1</i>", html)
    html = re.sub(r"\[([^]]+)\]\(([^)]+)\)", r'<a href="\2">\1</a>', html)
    below = f"<pre>{escape(textwrap.dedent(CODE + code))}</pre>" if code else ""
    return f"<p>{html}</p>{below}"


# --- The whole way --------------------------------------------------------------------


class Way:
    """Which steps are the learner's, as a line of marks.

    Parameters
    ----------
    folder : Path, optional
        The workshop; that beside the notebook, if it is left out.
    """

    def __init__(self, folder=None):
        folder = folder or workshop.near()
        self.marks = {number: _mark(number, folder) for number in numbers()}

    def __repr__(self):
        marks = "".join(self.marks.values())
        starts = range(0, len(marks), IN_A_GROUP)
        line = " ".join(marks[start : start + IN_A_GROUP] for start in starts)
        counts = [f"{sign} {what}" for sign, what in MEANING.items() if sign in marks]
        return f"{line}\n{'   '.join(counts)}"


def _mark(number, folder):
    if number not in steps():
        return LESSON
    text = workshop.own_text(number, folder)
    if text is None:
        return OPEN
    return LENT if workshop.lent(text) else MINE
