"""The whole workshop, without the shortcuts of the tests.

``python -m tests.support.workshop_proof way`` has a learner write the steps from 33 on
in their own way, with everything that the lessons train, and prints how long judging
takes, for this code and for the lesson's own; ``slips`` judges each slip, and ``parts``
judges another version of each definition after 74, by the whole lesson.
"""

import sys
import tempfile
import time
from pathlib import Path

from steps.course.workshop.notebook import list_judging_cells
from steps.course.workshop.package import FIRST, LAST
from steps.course.workshop.report import Report
from steps.course.workshop.step import find_previous, list_numbers, read_code
from steps.course.workshop.trial import TrialProcess
from steps.course.workshop.verdict import judge_attempt
from tests.course.learner import OWN_PACKAGE, OWN_PARTS, OWN_WAY, Learner, slips


def timed(task, *arguments):
    begin = time.perf_counter()
    return task(*arguments), time.perf_counter() - begin


def way(learner, process):
    for number in [n for n in list_numbers() if n <= LAST]:
        code = (OWN_WAY | OWN_PACKAGE).get(number, "")
        verdict, seconds = timed(learner.goes_on, number, code, process)
        if number < FIRST:
            continue
        cells = list_judging_cells(number)
        _, usual = timed(process.try_out, number, cells, read_code(number))
        words = "right" if verdict.is_right else repr(Report(verdict))
        print(
            f"{number} {seconds:.1f} s, the lesson's {usual:.1f} s: {words}", flush=True
        )


def all_slips(learner, process):
    for slip in [*slips(), *slips("slips_parts.md")]:
        last = find_previous(slip.step)
        learner.own_file(last).write_text(read_code(last), encoding="utf-8")
        imports = ["import numpy as np"] if slip.step <= LAST else []
        own = learner.writes(slip.step, *imports, slip.code)
        verdict, seconds = timed(judge_attempt, own, process)
        said = repr(Report(verdict))
        missing = [piece for piece in slip.said if piece not in said]
        words = f"{missing} is not in\n{said}" if missing else "named"
        print(f"{slip.step} {slip.what}, {seconds:.1f} s: {words}", flush=True)


def all_parts(learner, process):
    for number, code in OWN_PARTS.items():
        own = learner.writes(number, code)
        verdict, seconds = timed(judge_attempt, own, process)
        words = "right" if verdict.is_right else repr(Report(verdict))
        print(f"{number} {seconds:.1f} s: {words}", flush=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place, TrialProcess() as process:
        tasks = {"way": way, "slips": all_slips, "parts": all_parts}
        tasks[sys.argv[1]](Learner(Path(place)), process)
