"""The learner's framework as a module, and as a text that step 23 can cut up."""

import importlib
import importlib.util
import sys
import textwrap
from pathlib import Path

from ..lessons import STEPS, known, stem
from .framework import step_of
from .modules import Module
from .parts import ATTACHED, METHOD, Part, globals_used, parts


def mine(number):
    """The learner's file of a step, from the workshop beside the notebook, as a module;
    the lesson's own where there is none.
    """
    path = Path.cwd() / "workshop" / f"{stem(known(number))}.py"
    lesson = importlib.import_module(f"{STEPS}.{stem(number)}")
    if not path.exists():
        return lesson
    spec = importlib.util.spec_from_file_location(f"my_{stem(number)}", path)
    if not spec or not spec.loader:
        return lesson
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where Python looks for the source of a class
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        print(f"Your {path.name} does not run, so this is the lesson's. {error!r}")
        return lesson
    print(f"This is your own {path.name}.")
    return module


def attached_text(module, number):
    """The text of a framework whose signs are all attached, as the lesson's are: what a
    class has inside, or a loop hands to it, stands in a line such as
    ``Variable.__add__ = add``.
    """
    text = Path(module.__file__).read_text(encoding="utf-8")
    found = Module.of(text)
    for name, part in step_of(number).parts.items():
        if part.kind == ATTACHED:
            _attach(found, module, name)
    return found.text()


def _attach(found, module, name):
    owner, _, sign = name.partition(".")
    there = found.parts().get(name)
    if there and there.kind == ATTACHED and there.text.startswith(f"{name} ="):
        return
    value = vars(vars(module)[owner]).get(sign)
    names = [n for n, other in vars(module).items() if other is value]
    inside = getattr(value, "__name__", sign)
    if not names and inside not in found.parts() and there and there.kind == METHOD:
        function = Part("function", textwrap.dedent(there.text))
        found.put(inside, function, [])
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
    users = {
        n: next((u for u in found if n in globals_used(found[u].text)), n)
        for n in own
        if n not in low
    }
    return low, users
