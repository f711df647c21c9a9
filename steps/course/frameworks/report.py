"""Reports the results of trying a framework, as text, HTML, JSON or a badge."""

import json
from html import escape
from pathlib import Path

from ..capabilities import MISSING, WORKS
from ..student_copies import fill_template
from ..translation.tool import translate
from .trial import list_rows

FORMATS = ".html", ".json", ".svg"
YES, NO, STRICT = "✓", "·", "○"
MEANING = f"{YES} works   {NO} does not   {STRICT} does not: stricter than the book"
PAGE, BADGE = (Path(__file__).with_name(n) for n in ("report.html", "badge.svg"))


def write_report(trial, path):
    """Write the report to a file, in the format given by its suffix."""
    ending = Path(path).suffix
    writers = dict(zip(FORMATS, (make_page, make_json, make_badge), strict=True))
    Path(path).write_text(writers[ending](trial), encoding="utf-8")


def _mark(row, trial):
    outcome = trial.outcomes[row.name]
    if outcome == WORKS:
        return YES
    return STRICT if row.strict and not outcome.startswith(MISSING) else NO


def _summarize(trial):
    lent = f" Borrowed: {', '.join(trial.lent)}." if trial.lent else ""
    return (
        f"{trial.count} of {len(trial.outcomes)} rows work. It has reached about step "
        f"{trial.step}.{lent}"
    )


def make_text(trial):
    """Make the report as plain text for a terminal."""
    lines = [f"{trial.name}: {_summarize(trial)}", MEANING, ""]
    for row in list_rows():
        lines.append(f"{_mark(row, trial)} {translate(row.name)}")
        if (outcome := trial.outcomes[row.name]) != WORKS:
            lines.append(f"    {outcome}")
            lines.append(f"    step {row.learned_at(60)}: {translate(row.idea)}")
    return "\n".join(lines)


def make_page(trial):
    """Make the report as an HTML page that includes the code of each row."""

    def make_row(row):
        outcome = trial.outcomes[row.name]
        why = "" if outcome == WORKS else f"<br><small>{escape(outcome)}</small>"
        idea = f"step {row.learned_at(60)}: {escape(translate(row.idea))}"
        code = f"<summary>the test</summary><pre>{escape(row.code)}</pre>"
        name = escape(translate(row.name))
        facts = f"<b>{name}</b><br>{idea}{why}<details>{code}</details>"
        return f"<tr><td>{_mark(row, trial)}<td>{facts}"

    rows = "".join(map(make_row, list_rows()))
    title = f"What {escape(trial.name)} can do"
    summary = f"{escape(_summarize(trial))}<br>{MEANING}"
    return fill_template(PAGE, {"title": title, "summary": summary, "rows": rows})


def make_json(trial):
    """Make the report as JSON."""
    facts = {"framework": trial.name, "step": trial.step, "works": trial.count}
    return json.dumps(facts | {"rows": trial.outcomes, "lent": trial.lent}, indent=2)


def make_badge(trial):
    """Make an SVG badge for a README."""
    return fill_template(BADGE, {"step": trial.step})
