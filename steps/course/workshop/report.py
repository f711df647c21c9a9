"""Format the verdict on a step for the learner, in a notebook or a terminal."""

import ast
import re
import textwrap
from html import escape
from unicodedata import east_asian_width

from .. import results
from ..capabilities import SIGNS, WORKS, WRONG
from ..definitions import Kind, format_names, get_owner
from ..differences import Change
from ..judge.attempts import RIGHT
from ..lessons import numbers, stem
from ..translation.notebooks import make_translate, read_title
from ..translation.tool import join_sentences, translate
from . import workspace
from .package import FIRST
from .step import find_previous, list_given, list_numbers
from .trial import find_wrong_rows, list_rows
from .verdict import MOST

CODE = "    "
WARNING = " style='background:rgba(213,94,0,0.16)'"


MINE, LENT, OPEN, LESSON = "■", "◧", "□", "·"
WORDS = {
    MINE: "yours",
    LENT: "yours, with borrowed parts",
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
        Sentences about the learner's files and how to go on.
    """

    def __init__(self, verdict, way_on=()):
        self.verdict, self._way_on = verdict, list(way_on)

    def __repr__(self):
        blocks = [self._format_title(), *self._write_sentences()]
        blocks += [self._format_table(), *self._way_on]
        return "\n\n".join(filter(None, blocks))

    def _repr_html_(self):
        colour = "rgb(0,114,178)" if self.verdict.is_right else "rgb(213,94,0)"
        paragraphs = map(_format_paragraph, self._write_sentences())
        return (
            f'<div style="border-left:4px solid {colour}; padding-left:1em">'
            f"<p><b>{escape(self._format_title())}</b></p>{''.join(paragraphs)}"
            f"{self._format_html_table()}{self._format_comparison()}"
            f"{''.join(map(_format_paragraph, self._way_on))}</div>"
        )

    def list_results(self):
        """List the results for other programs: one for each definition that the learner
        writes, and one for the whole step.
        """
        verdict, lesson = self.verdict, stem(self.verdict.number)
        sentences = "\n".join(self._write_sentences())
        outcomes = {}
        for name in verdict.attempt.step.to_write:
            is_wrong = _is_touched(name, verdict.culprits)
            outcomes[name] = results.WRONG if is_wrong else RIGHT
            if _is_touched(name, verdict.attempt.missing):
                outcomes[name] = results.NOT_BEGUN
        items = [results.Result(lesson, *item) for item in outcomes.items()]
        outcome = RIGHT if verdict.is_right else results.WRONG
        return [*items, results.Result(lesson, "It works", outcome, sentences)]

    # --- Sentences --------------------------------------------------------------------

    def _format_title(self):
        step = f"Step {self.verdict.number}"
        if self.verdict.is_right:
            if self.verdict.attempt.step.is_package:
                return f"{step} is right: every row works, and the lesson runs."
            rows = ", and so does every row" * bool(list_rows(self.verdict.number))
            return f"{step} is right: It works passes{rows}."
        if self.verdict.attempt.broken:
            return f"{step}: a cell is not Python yet."
        if not self._is_begun():
            return f"{step}: you have not written anything yet."
        if not self.verdict.passes:
            return f"{step} is not right yet."
        return f"{step}: what you have written is right, but some is missing."

    def _write_sentences(self):
        attempt = self.verdict.attempt
        for name, why in attempt.broken.items():
            yield f"The cell with `{name}` is not Python yet, so it is ignored: {why}."
        for name, why in attempt.ignored.items():
            short = name.rpartition(".")[2]
            yield f"Your `{short}` does not count as `{name}`: {why}."
        broken = set(attempt.broken)
        if missing := [n for n in attempt.missing if not {n, get_owner(n)} & broken]:
            replaced = "The lesson's own code replaced them in this trial."
            if len(missing) == 1:
                replaced = "The lesson's own code replaced it in this trial."
            named = f"Not written yet: {format_names(missing)}."
            yield join_sentences(named, replaced)
        if self.verdict.passes:
            yield from self._say_what_informs()
            return
        if self._is_begun():
            yield from self._say_where_it_stops()
            yield from self._say_where_to_look()
        untouched = set(self.verdict.culprits).difference(attempt.missing)
        if still := [name for name in attempt.unchanged if name in untouched]:
            names = format_names(still, MOST)
            yield f"Still as in step {find_previous(self.verdict.number)}: {names}."
        if out := [name for name in attempt.left_out if name in untouched]:
            names = format_names(out, MOST)
            yield (
                f"Your class leaves out {names}. Your cell replaces the whole class, "
                "so it must also repeat whatever the class keeps."
            )

    def _say_what_informs(self):
        notes: dict[str, tuple[str, str]] = {}
        for cell, line, error in self.verdict.notes:
            notes.setdefault(cell, (line, error))
        for cell, (line, error) in [*notes.items()][:MOST]:
            yield (
                f"Not judged, but different from the lesson: *{self._name(cell)}*, at "
                f"the line `{line}`: {error}."
            )

    def _is_begun(self):
        """Return whether any part of the step is written, even a single method of a
        class.
        """
        attempt, step = self.verdict.attempt, self.verdict.attempt.step
        if not step.to_write:
            return True
        written = step.new.difference(attempt.unchanged, step.given)
        written &= set(attempt.module.definitions)
        return any(step.definitions[name].kind != Kind.CLASS for name in written)

    def _say_where_it_stops(self):
        """Yield sentences about the failing line, then about rows that do not work, the
        latest idea first.
        """
        number, table = self.verdict.number, self.verdict.table
        wrong = find_wrong_rows(number, table) if table else []
        wrong.sort(key=lambda row: row.learned_at(number), reverse=True)
        shown = wrong[:2]
        if failure := self.verdict.failure:
            line = f" at the line `{failure['line']}`" if failure["line"] else ""
            cell = self._name(failure["cell"])
            message = f"*{cell}* stops{line}: {failure['error']}."
            if failure["definitions"] and failure["inside"]:
                name, line = failure["definitions"][-1], failure["inside"]
                message += self._say_where(name, line)
            yield message
            # The line says more than rows for ideas of earlier steps.
            shown = [row for row in wrong if row.learned_at(number) == number][:1]
        for row in shown:
            step = row.learned_at(number)
            title, idea = read_title(step), translate(row.idea)
            yield (
                f"“{translate(row.name)}” does not work yet. It needs the idea of step "
                f"{step}, *{title}*: {idea}."
            )
            # Show the code of the first row if no cell stopped, or in the package,
            # where it shows more than the cell.
            is_package = self.verdict.attempt.step.is_package
            if row is shown[0] and (is_package or not failure):
                tried = textwrap.indent(row.code, CODE)
                yield f"Tried, with your code as `step`:\n\n{tried}"
                yield f"Got: {translate(self.verdict.evidence.get(row.name, ''))}."

    def _name(self, cell):
        """Return the name of a cell, or of a row, in the learner's language."""
        return translate(make_translate(self.verdict.number)(cell))

    def _say_where(self, name, line):
        """Say whose definition fails at a line: the learner's, or which other one."""
        attempt, names = self.verdict.attempt, {name, get_owner(name)}
        if name not in attempt.unchanged and names & {*attempt.missing, *attempt.lent}:
            return f" It happened in the lent `{name}`, at `{line}`."
        given = {*attempt.step.given, *list_given(self.verdict.number)}
        lessons = attempt.step.definitions.get(name)
        mine = attempt.module.definitions.get(name)
        if names & given and (not mine or mine.has_same_code(lessons)):
            return f" It happened in the given `{name}`, at `{line}`."
        return f" It happened in your `{name}`, at `{line}`."

    def _say_where_to_look(self):
        culprits = self.verdict.culprits
        if not culprits:
            yield (
                "The lesson's own code does not pass here either. Check that "
                "everything is installed and the machine is not busy, and try again."
            )
            return
        hint = f'`steps.hint({self.verdict.number}, "{culprits[0]}")`'
        what = "everything passes"
        if self.verdict.number >= FIRST:
            what = "that cell passes" if self.verdict.failure else "every row works"
        if len(culprits) > MOST:
            yield (
                f"With {len(culprits)} of your definitions replaced by the lesson's, "
                f"{what}. Begin with `{culprits[0]}`. {hint} helps with it."
            )
        else:
            helps = f"{hint} helps with the first."
            if len(culprits) == 1:
                helps = f"{hint} helps with it."
            names = format_names(culprits)
            there = (
                f"With the lesson's {names} instead of yours, {what}, so look there."
            )
            yield join_sentences(there, helps)
        if any("changed its input" in said for said in self.verdict.evidence.values()):
            yield "One of your `forward` methods changes its input: make a new array."
        # Compare return values and parameters with the lesson's.
        attempt = self.verdict.attempt
        definitions = attempt.module.definitions
        for name in [name for name in culprits[:MOST] if name in definitions]:
            mine, lesson = definitions[name], attempt.step.definitions[name]
            ours, theirs = lesson.arguments, mine.arguments
            if not ours or not theirs:  # forward = staticmethod(np.negative)
                continue
            if lesson.returns_value() and not mine.returns_value():
                yield f"Your `{name}` returns `None`: is a `return` missing?"
            if _describe_call(theirs) != _describe_call(ours):
                takes = f"`({ast.unparse(theirs)})`; the lesson's takes"
                yield f"Your `{name}` takes {takes} `({ast.unparse(ours)})`."

    # --- The table --------------------------------------------------------------------

    def _list_signs(self):
        """Yield (name, learner's sign, lesson's sign) for each row that works or should
        work.
        """
        number, table = self.verdict.number, self.verdict.table
        for row in list_rows(number):
            outcome, expected = table.get(row.name), row.expected(number)
            if WORKS in (outcome, expected):
                sign = SIGNS.get(expected, expected)
                yield translate(row.name), _get_sign(outcome), sign

    def _count_later(self):
        count = len(list_rows(self.verdict.number)) - len(list(self._list_signs()))
        one = "1 more row comes in later steps." if count else ""
        return f"{count} more rows come in later steps." if count > 1 else one

    def _say_whose(self):
        """Return the heading of the learner's column."""
        return "yours, completed" if self.verdict.attempt.missing else WORDS[MINE]

    def _format_table(self):
        if not self._is_begun() or not list_rows(self.verdict.number):
            return ""
        if not self.verdict.table:
            return "The table was not run."
        rows = [("", self._say_whose(), "the lesson's"), *self._list_signs()]
        wide = max(_measure(mine) for _, mine, _ in rows)
        lines = [
            f"  {_fill(mine, wide)}  {_fill(lesson, 12)}  {name}"
            for name, mine, lesson in rows
        ]
        return "\n".join([*lines, self._count_later()]).rstrip()

    def _format_html_table(self):
        if not self.verdict.table or not self._is_begun():
            return ""
        rows = "".join(
            f"<tr{'' if a == b else WARNING}>"
            f"<td style='text-align:left'>{escape(name)}</td>"
            f"<td style='text-align:center'>{escape(a)}</td>"
            f"<td style='text-align:center'>{escape(b)}</td></tr>"
            for name, a, b in self._list_signs()
        )
        head = f"<tr><th></th><th>{self._say_whose()}</th><th>the lesson's</th></tr>"
        return (
            f"<details{'' if self.verdict.is_right else ' open'}><summary>What your "
            f"framework can do</summary><table>{head}{rows}</table>"
            f"<p>{self._count_later()}</p></details>"
        )

    # --- The lesson's code ------------------------------------------------------------

    def _format_comparison(self):
        is_right, attempt = self.verdict.is_right, self.verdict.attempt
        changes = compare_with_lesson(attempt) if is_right else []
        what = "The lesson's version (minus: yours, plus: the lesson's)"
        shown = "".join(change._repr_html_() for change in changes)
        return shown and f"<details><summary>{what}</summary>{shown}</details>"


def compare_with_lesson(attempt):
    """List the differences between the learner's code of a step and the lesson's, as
    Changes.
    """
    theirs, step = attempt.module.definitions, attempt.step
    return [
        Change("differs:", name, theirs[name].text, step.definitions[name].text)
        for name in step.to_write
        if name in theirs and not theirs[name].has_same_code(step.definitions[name])
    ]


def _is_touched(name, names):
    """Return whether a definition, its class or one of its members is in ``names``."""
    return any(name in (n, get_owner(n)) or n == get_owner(name) for n in names)


def _get_sign(outcome):
    if outcome == WRONG:
        return SIGNS[WRONG]
    if outcome == WORKS:
        return SIGNS[WORKS]
    return f"✗ {outcome}" if outcome else "✗ not tried"


def _fill(text, wide):
    return text + " " * (wide - _measure(text))


def _measure(text):
    """Count the columns of a text in a terminal; Chinese characters take two."""
    return sum(1 + (east_asian_width(character) == "W") for character in text)


def _describe_call(arguments):
    """Return the parts of a signature that matter to callers: the number of required
    parameters, the names of optional ones, and whether it has ``*args`` and
    ``**kwargs``.
    """
    names = [argument.arg for argument in arguments.args]
    required = len(names) - len(arguments.defaults)
    return required, names[required:], bool(arguments.vararg), bool(arguments.kwarg)


def _format_paragraph(text):
    """Format a sentence with `code`, *titles* and [links](where) as HTML; a block of
    code may follow it.
    """
    text, _, code = text.partition(f"\n\n{CODE}")
    html = escape(text, quote=False)
    html = re.sub(r"`([^`]+)`", r"<code>\1</code>", html)
    html = re.sub(r"(?<!\w)\*([^*]+)\*(?!\w)", r"<i>\1</i>", html)
    html = re.sub(r"\[([^]]+)\]\(([^)]+)\)", r'<a href="\2">\1</a>', html)
    below = f"<pre>{escape(textwrap.dedent(CODE + code))}</pre>" if code else ""
    return f"<p>{html}</p>{below}"


# --- Progress -------------------------------------------------------------------------


class ProgressLine:
    """A line of marks that show which steps are the learner's own.

    Parameters
    ----------
    folder : Path, optional
        The workshop; by default, the one beside the notebook.
    """

    def __init__(self, folder=None):
        folder = folder or workspace.find_nearby()
        self.marks = {number: _get_mark(number, folder) for number in numbers()}

    def __repr__(self):
        marks = "".join(self.marks.values())
        starts = range(0, len(marks), IN_A_GROUP)
        line = " ".join(marks[start : start + IN_A_GROUP] for start in starts)
        counts = [f"{sign} {what}" for sign, what in WORDS.items() if sign in marks]
        return f"{line}\n{'   '.join(counts)}"


def _get_mark(number, folder):
    if number not in list_numbers():
        return LESSON
    text = workspace.read_own_text(number, folder)
    if text is None:
        return OPEN
    return LENT if workspace.read_lent(text) else MINE
