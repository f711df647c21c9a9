"""What was judged, as other programs take it: JSON, JUnit's XML, an exit status.

docs/classroom.md promises that these forms stay.
"""

import json
import re
from dataclasses import asdict, dataclass
from xml.etree import ElementTree

from .judge.sequence import RIGHT
from .lessons import CourseError

WRONG, NOT_BEGUN = "wrong", "not begun"
# Beside 0: what went wrong with the command itself is 1 or 2.
TOO_FEW = 3


@dataclass
class Result:
    """What came of one exercise, or of one part of a step in the workshop."""

    lesson: str
    name: str
    outcome: str
    said: str = ""


def of_exercise(lesson, number, said):
    """The result of an exercise: right, not begun, or what its check says."""
    begun = said in (RIGHT, NOT_BEGUN)
    return Result(lesson, f"exercise {number}", *((said,) if begun else (WRONG, said)))


def add_options(more):
    more("--json", action="store_true", help="print JSON, and nothing else")
    more("--junit", metavar="FILE", help="write JUnit's XML, which CI services show")
    text = f"exit status {TOO_FEW} if less than N percent are right"
    more("--fail-under", metavar="N", type=float, help=text)


def report(results, options, words, status=0):
    """Print words, or what the options ask for; return the exit status: the one given
    where no percentage is asked for.
    """
    print(as_json(results) if options.json else words)
    if options.junit:
        try:
            junit(results).write(options.junit, encoding="utf-8", xml_declaration=True)
        except OSError as error:
            raise CourseError(f"{options.junit}: {error.strerror}.") from None
    if options.fail_under is None:
        return status
    return TOO_FEW if percent(results) < options.fail_under else 0


def percent(results):
    right = sum(one.outcome == RIGHT for one in results)
    return 100 * right / len(results) if results else 0.0


def as_json(results):
    right = sum(one.outcome == RIGHT for one in results)
    told = {"version": 1, "right": right, "total": len(results)}
    told["percent"] = round(percent(results), 1)
    return json.dumps(told | {"results": list(map(asdict, results))}, indent=1)


def junit(results):
    """A suite a lesson; what is wrong has failed, what is not begun was skipped."""
    root = ElementTree.Element("testsuites")
    for lesson in dict.fromkeys(one.lesson for one in results):
        found = [one for one in results if one.lesson == lesson]
        outcomes = [one.outcome for one in found]
        facts = {"name": lesson, "tests": str(len(found))}
        facts |= {"failures": str(outcomes.count(WRONG)), "errors": "0"}
        facts |= {"skipped": str(outcomes.count(NOT_BEGUN))}
        suite = ElementTree.SubElement(root, "testsuite", facts)
        for one in found:
            names = {"classname": lesson, "name": _xml(one.name)}
            case = ElementTree.SubElement(suite, "testcase", names)
            if one.outcome != RIGHT:
                kind = "failure" if one.outcome == WRONG else "skipped"
                first = (one.said.splitlines() or [one.outcome])[0]
                told = ElementTree.SubElement(case, kind, message=_xml(first))
                told.text = _xml(one.said)
    return ElementTree.ElementTree(root)


def _xml(text):
    """A text without the letters that XML does not have."""
    return re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", " ", text)
