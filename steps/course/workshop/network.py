"""What a learner has written after the last framework in one file: the classes of
*Write it*, lesson by lesson, on top of that framework.
"""

import contextlib
import io
import json
import linecache
from pathlib import Path
from types import ModuleType

import numpy as np

from .. import builder, copies, exercises
from ..lessons import notebook_path, stem
from .mine import mine

BASE = 32
# Where a tensor's functions begin; what is written there is in the book's manner, and
# needs no more than Variable and Function.
FIRST = 38
LAST = 43


def with_lessons(number):
    """The learner's step 32 with what they wrote in lessons 38 to `number`, as a
    module. What they did not write, or what does not run, is the lesson's.
    """
    base = mine(BASE)
    module = ModuleType(f"my_{stem(number)}")
    vars(module).update({name: getattr(base, name) for name in base.__all__})
    vars(module)["np"] = np
    for lesson in range(FIRST, number + 1):
        theirs, given = written(lesson)
        if theirs is not None and _runs(theirs, module, lesson):
            print(f"Step {lesson}: what you wrote.")
        else:
            _run(given, module, lesson)
    return module


def written(number):
    """What a learner wrote in the first exercise of a lesson, in the notebook beside
    this one, or None; and the lesson's solution.
    """
    lesson = builder.lesson_cells(number)
    given = exercises.of_lesson(lesson)[0].solution
    path = Path.cwd() / notebook_path(number).name
    with contextlib.suppress(OSError, ValueError, KeyError):
        name = _name_of_first_exercise(number)
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        cell = next((c for c in cells if c.get("id") == name), {"source": given})
        source = "".join(cell["source"])
        stub = copies.as_installed(exercises.without_solution(given))
        begun = source.strip() != stub.strip() and not exercises.is_solution(source)
        return source if begun else None, exercises.without_markers(given)
    return None, exercises.without_markers(given)


def _name_of_first_exercise(number):
    cells = builder.assemble(number)["cells"]
    return next(c["id"] for c in cells if exercises.is_solution("".join(c["source"])))


def _runs(source, module, number):
    before = dict(vars(module))
    try:
        _run(source, module, number)
    except Exception as error:
        vars(module).clear()
        vars(module).update(before)
        print(f"Step {number}: what you wrote does not run here. {error!r}")
        return False
    return True


def _run(source, module, number):
    file = f"<step {number}, exercise 1>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(source, file, "exec"), vars(module))
