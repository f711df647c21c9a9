"""Report verdicts in formats for other programs: JSON, JUnit XML and an exit status.

docs/classroom.md promises that these formats stay the same.
"""

import argparse
import json
import re
import sys
from dataclasses import asdict, dataclass
from xml.etree import ElementTree

from .judge.attempts import RIGHT
from .lessons import CourseError

WRONG, NOT_BEGUN = "wrong", "not begun"
# What people read instead.
WORDS = {RIGHT: "right", NOT_BEGUN: "not begun"}
# The exit status if too few are right; 1 and 2 are errors of the command itself.
TOO_FEW = 3


@dataclass
class Result:
    """The verdict on an exercise, or on a part of a step in the workshop."""

    lesson: str
    name: str
    outcome: str
    said: str = ""


def make_result(lesson, number, verdict):
    """Make an exercise's Result from its verdict: right, not begun, or a message."""
    outcome = (verdict,) if verdict in (RIGHT, NOT_BEGUN) else (WRONG, verdict)
    return Result(lesson, f"exercise {number}", *outcome)


def add_result_options(add):
    add("--json", action="store_true", help="print JSON, and nothing else")
    add("--junit", metavar="FILE", help="write JUnit's XML, which CI services show")
    text = f"exit with status {TOO_FEW} if less than N percent are right"
    add("--fail-under", metavar="N", type=parse_percent, help=text)


def parse_percent(text):
    """Parse a number from 0 to 100."""
    percent = float(text)
    if not 0 <= percent <= 100:
        raise argparse.ArgumentTypeError(f"{text} is not a percentage from 0 to 100")
    return percent


def report_results(results, options, words, status=0):
    """Print results as JSON, or else `words`, and write JUnit XML if the options ask
    for it. Return the exit status: `status`, unless the options set a percentage.
    """
    print(make_json(results) if options.json else words)
    if options.junit:
        try:
            tree = make_junit(results)
            tree.write(options.junit, encoding="utf-8", xml_declaration=True)
        except OSError as error:
            raise CourseError(f"{options.junit}: {error.strerror}.") from None
    if options.fail_under is None:
        return status
    percent = calculate_percent(results)
    if percent >= options.fail_under:
        return 0
    words = f"{percent:.1f} percent are right, less than {options.fail_under:g}."
    print(words, file=sys.stderr)
    return TOO_FEW


def calculate_percent(results):
    right = sum(result.outcome == RIGHT for result in results)
    return 100 * right / len(results) if results else 0.0


def make_json(results):
    right = sum(result.outcome == RIGHT for result in results)
    summary = {"version": 1, "right": right, "total": len(results)}
    summary["percent"] = round(calculate_percent(results), 1)
    return json.dumps(summary | {"results": list(map(asdict, results))}, indent=1)


def make_junit(results):
    """Make JUnit XML, a suite per lesson: wrong is a failure, not begun is skipped."""
    root = ElementTree.Element("testsuites")
    for lesson in dict.fromkeys(result.lesson for result in results):
        lesson_results = [result for result in results if result.lesson == lesson]
        outcomes = [result.outcome for result in lesson_results]
        attributes = {"name": lesson, "tests": str(len(lesson_results))}
        attributes |= {"failures": str(outcomes.count(WRONG)), "errors": "0"}
        attributes |= {"skipped": str(outcomes.count(NOT_BEGUN))}
        suite = ElementTree.SubElement(root, "testsuite", attributes)
        for result in lesson_results:
            attributes = {"classname": lesson, "name": _make_valid_xml(result.name)}
            case = ElementTree.SubElement(suite, "testcase", attributes)
            if result.outcome != RIGHT:
                kind = "failure" if result.outcome == WRONG else "skipped"
                first = (result.said.splitlines() or [result.outcome])[0]
                message = {"message": _make_valid_xml(first)}
                element = ElementTree.SubElement(case, kind, message)
                element.text = _make_valid_xml(result.said)
    return ElementTree.ElementTree(root)


def _make_valid_xml(text):
    """Replace characters that XML does not allow with spaces."""
    return re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", " ", text)
