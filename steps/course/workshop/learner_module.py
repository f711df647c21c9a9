"""What a learner wrote, as a module: their file of a step in the workshop, as a text
that step 23 can cut up; and on top of their last file the classes of *Write it*, lesson
by lesson.
"""

import contextlib
import importlib
import io
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import numpy as np

from .. import builder, exercises, learner_folder
from ..classroom.answers import Answers
from ..judge.cells import run
from ..lessons import STEPS, known, notebook_path, stem
from .framework import step_of
from .modules import Module
from .parts import Kind, Part, globals_used, parts

# Where a tensor's functions begin, on top of step 32; what is written there is in the
# book's manner, and needs no more than Variable and Function.
BASE = 32
FIRST = 38
LAST = 43


def mine(number):
    """The learner's framework after a step, as a module: their file in the workshop, or
    what they wrote in the lessons since; the lesson's own where there is none.
    """
    if FIRST <= number <= LAST:
        return _with_lessons(number)
    path = Path.cwd() / "workshop" / f"{stem(known(number))}.py"
    lesson = importlib.import_module(f"{STEPS}.{stem(number)}")
    if not path.exists():
        return lesson
    loader = SourceFileLoader(f"my_{stem(number)}", str(path))
    module = ModuleType(loader.name)
    sys.modules[loader.name] = module  # where Python looks for the source of a class
    module.__file__ = str(path)
    try:
        loader.exec_module(module)
    except Exception as error:
        print(f"Your {path.name} does not run, so this is the lesson's. {error!r}")
        return lesson
    print(f"This is your own {path.name}.")
    return module


# --- As a text ------------------------------------------------------------------------


def attached_text(module, number):
    """The text of a framework whose signs are all attached, as the lesson's are: what a
    class has inside, or a loop hands to it, stands in a line such as
    ``Variable.__add__ = add``.
    """
    text = Path(module.__file__).read_text(encoding="utf-8")
    found = Module.of(text)
    for name, part in step_of(number).parts.items():
        if part.kind == Kind.ATTACHED:
            _attach(found, module, name)
    return found.text()


def _attach(found, module, name):
    owner, _, sign = name.partition(".")
    there = found.parts().get(name)
    if there and there.kind == Kind.ATTACHED and there.text.startswith(f"{name} ="):
        return
    value = vars(vars(module)[owner]).get(sign)
    names = [n for n, other in vars(module).items() if other is value]
    inside = getattr(value, "__name__", sign)
    is_inside = there and there.kind == Kind.METHOD
    if is_inside and not names and inside not in found.parts():
        found.put(inside, Part(Kind.FUNCTION, there.text))
    found.drop(name)
    line = f"{name} = {(names or [inside])[0]}"
    if line not in found.chunks:
        found.chunks.append(line)


def helpers(text, number):
    """The learner's own definitions in a framework, in two groups: those that need none
    of the lesson's, and, by the name of what uses them first, the others.
    """
    found, known_parts = parts(text), step_of(number).parts
    signs = {n.partition(".")[2] for n in known_parts}
    own = [n for n in found if n not in known_parts and "." not in n and n not in signs]
    framework = {n for n in known_parts if "." not in n}
    low = [n for n in own if not globals_used(found[n].text) & framework]
    uses = {user: globals_used(part.text) for user, part in found.items()}
    high = [n for n in own if n not in low]
    return low, {n: next((u for u in uses if n in uses[u]), n) for n in high}


# --- With what was written in lessons -------------------------------------------------


def _with_lessons(number):
    """The learner's step 32 with what they wrote in lessons 38 to `number`, as a
    module. What they did not write, or what does not run, is the lesson's.
    """
    base = mine(BASE)
    module = ModuleType(f"my_{stem(number)}")
    vars(module).update({name: getattr(base, name) for name in base.__all__}, np=np)
    for lesson in range(FIRST, number + 1):
        theirs, given = _written(lesson)
        if theirs is not None and _runs(theirs, module, lesson):
            print(f"Step {lesson}: what you wrote.")
        else:
            _run(given, module, lesson)
    return module


def _written(number):
    """What a learner wrote in the first exercise of a lesson, in the notebook beside
    this one, or None; and the lesson's solution.
    """
    solution = exercises.of_lesson(builder.lesson_cells(number))[0].solution
    theirs = None
    with contextlib.suppress(OSError, LookupError):
        notebook = learner_folder.read(Path.cwd() / notebook_path(number).name)
        theirs = Answers(number, notebook).texts[1]
    if theirs and exercises.is_solution(theirs):  # as the lesson was built
        theirs = None
    return theirs, exercises.without_markers(solution)


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
    with contextlib.redirect_stdout(io.StringIO()):
        run(source, vars(module), f"<step {number}, exercise 1>")
