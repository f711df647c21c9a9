"""What a learner wrote, as a module; and as a text that step 23 can cut up."""

import importlib
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

from ..lessons import STEPS, known, stem
from . import folder
from .framework import step_of, steps
from .modules import Module
from .package import FIRST, execute, names_of_rooms
from .parts import Kind, Part, globals_used, parts


def mine(number):
    """The learner's framework after a step, as a module: their file in the workshop, or
    the lesson's own where there is none. From step 33 on it is their package, in which
    the lesson lends what they have not written.
    """
    here = Path.cwd()
    place = here if here.name == "workshop" else here / "workshop"
    lesson = importlib.import_module(f"{STEPS}.{stem(known(number))}")
    done = [n for n in steps() if n <= number and folder.own_file(n, place).exists()]
    if not done or (number < FIRST and done[-1] != number):
        return lesson
    path = folder.own_file(done[-1], place)
    try:
        module = _package(number, place) if number >= FIRST else _module(path)
    except Exception as error:
        print(f"Your {path.name} does not run, so this is the lesson's. {error!r}")
        return lesson
    print(f"This is your own {path.name}.")
    return module


def _module(path):
    loader = SourceFileLoader(f"my_{path.stem}", str(path))
    module = ModuleType(loader.name)
    sys.modules[loader.name] = module  # where Python looks for the source of a class
    module.__file__ = str(path)
    loader.exec_module(module)
    return module


def _package(number, place):
    """The rooms as modules of one that has all their names."""
    number = max(n for n in steps() if n <= number)
    whole = folder.reached(number, place).module.with_attached(number)
    package = ModuleType(f"my_{stem(number)}")
    sys.modules[package.__name__] = package
    execute(whole.text(), package, f"your {stem(number)}.py")
    vars(package).update(names_of_rooms(package.__name__))
    return package


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
