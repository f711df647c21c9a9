"""The workshop in a notebook: what the learner's cells define becomes the step."""

import builtins
import contextlib
import importlib
from pathlib import Path
from types import ModuleType

from ..definitions import Definition, Kind, format_names, get_owner
from ..lessons import STEPS, CourseError, numbers, previous, stem
from ..watching import notebook_shell
from . import folder as workshop
from . import learner_module, split_core
from .framework import step_of
from .learner_code import read_cells
from .package import FIRST, LAST, PLACE, load, names_of_rooms, take_the_place
from .report import MOST, Report
from .stubs import make_stub
from .trial import module_from, names_in
from .verdict import verdict_on


class Session:
    """A notebook of the workshop while its kernel runs.

    After every cell the step's module is put together anew from what the cells that ran
    have defined, and takes the place of ``steps.stepNN``.
    """

    def __init__(self, number, shell, folder):
        self.number, self.folder = workshop.of_the_workshop(number), folder
        self.cells: list[str] = []
        self._shell, self._module, self._text = shell, None, ""
        self._put_together()

    def ran(self, result):
        """Called by IPython after a cell."""
        cell = result.info.raw_cell
        if not cell or result.error_before_exec or result.error_in_exec:
            return
        defines = read_cells([cell], step_of(self.number).definitions)
        if not defines.definitions and not defines.imports:
            return
        self.cells = [*(c for c in self.cells if c != cell), cell]
        try:
            self._put_together()
        except Exception as error:
            kind = type(error).__name__
            print(f"Your framework does not fit together: {kind}: {error}")

    def _put_together(self):
        own = workshop.assembled(self.number, self.cells, self.folder)
        text = _with_stubs(own).format()
        names = self._shell.user_ns if self._shell else {}
        if own.step.is_package:
            if text != self._text:
                load(text, self.number)
                # It attaches to the classes what it brings, and so do those before it.
                done = self.number if self.cells else previous(self.number)
                importlib.import_module(f"{STEPS}.{stem(done)}")
            self._text = text
            renew(names, own.step)
            return
        if text != self._text:
            self._module = module_from(text, self.number, self._module)
            take_the_place(self._module)
            self._text = text
        there = vars(self._module)
        names.update(names_in(self._module, text))
        # For decorators and bases.
        for name in {*own.module.imports} & {*there} - {"__getattr__"}:
            names.setdefault(name, there[name])

    def wrote(self):
        """Whether any cell that ran defines a part of the step."""
        parts = step_of(self.number).definitions
        return bool(set(read_cells(self.cells, parts).definitions) & set(parts))


def _with_stubs(own):
    """A module in which what is missing says so when it is called."""
    module, step = own.module.copy(), own.step
    for name in own.missing:
        part = step.definitions[name]
        if part.kind not in (Kind.ATTACHED, Kind.ATTRIBUTE, Kind.CONSTANT):
            stub = Definition(part.kind, make_stub(step, name, part))
            module.put(name, stub, step.definitions)
    return module


def renew(names, step):
    """Let what a notebook has of the steps be that of the package as it is now; what it
    does not have yet comes with it, but for what would hide Python's own.
    """
    for name, value in list(names.items()):
        names[name] = _now(value)
        if isinstance(value, type) and value.__module__ == "__main__":
            with contextlib.suppress(TypeError):  # class Net(Layer) in a cell above
                value.__bases__ = tuple(map(_now, value.__bases__))
    there = names_of_rooms(f"{STEPS}.framework")
    new = {*there}.difference(names, dir(builtins))
    for name in new.union(map(get_owner, step.to_write)):
        if name in there:
            names[name] = there[name]


def _now(value):
    """What a module, class or function of the package is now; all else stays."""
    if isinstance(value, ModuleType) and PLACE.fullmatch(value.__name__):
        return importlib.import_module(value.__name__)
    if not PLACE.fullmatch(str(getattr(value, "__module__", ""))):
        return value
    there = vars(importlib.import_module(value.__module__))
    return there.get(getattr(value, "__name__", ""), value)


SESSION: Session | None = None


def begin(number):
    """Begin the session of a notebook; return what is to be said."""
    global SESSION

    shell = notebook_shell()
    if SESSION and shell:
        with contextlib.suppress(ValueError):
            shell.events.unregister("post_run_cell", SESSION.ran)
    SESSION = Session(number, shell, here(number))
    if shell:
        shell.events.register("post_run_cell", SESSION.ran)
    said = workshop.base(number, SESSION.folder).said
    said = f"{said}\nFrom now on, what your cells define is {stem(number)}."
    if number >= FIRST and step_of(number).to_write:
        said += "\nA cell stops at what is not written yet; run it again when it is."
    return said.strip()


def here(number):
    """The folder in which the notebook lies: a kernel begins there."""
    if (Path.cwd() / f"{stem(number)}.ipynb").exists():
        return Path.cwd()
    return workshop.place()


def judged(number, anyway=False):
    """Judge the step, from the cells that ran here or else from the saved notebook."""
    if number == split_core.LESSON:
        near = workshop.near()
        return print(learner_module.cut_up(near if near.exists() else None))
    session = SESSION if SESSION and SESSION.number == number else None
    folder = session.folder if session else here(number)
    if session and session.wrote():
        own = workshop.assembled(number, session.cells, folder)
        own.ignored |= not_run(own, folder)
    else:
        own = workshop.saved(number, folder)
    verdict = verdict_on(own)
    if verdict.right or anyway:
        return Report(verdict, go_on(verdict, folder))
    lent = format_names(verdict.from_the_lesson, MOST)
    way_on = f"`steps.judge({number}, anyway=True)` goes on with the lesson's {lent}."
    return Report(verdict, [way_on] if lent else [])


def not_run(own, folder):
    """What is written in the saved notebook, and was not run here."""
    with contextlib.suppress(CourseError):  # a notebook that nobody has saved
        saved = workshop.saved(own.step.number, folder)
        undone = {*own.missing, *own.unchanged}
        run_later = undone.difference(saved.missing, saved.unchanged)
        return dict.fromkeys(run_later, "the cell with it has not been run")
    return {}


def go_on(verdict, folder):
    """Write the learner's file and the next notebook; say so."""
    number = verdict.step
    path = workshop.write(verdict, folder)
    if path:
        what = "framework" if number <= LAST else "code"
        said = [f"Your {what} is now in `{path.name}`."]
        if now := verdict.from_the_lesson:
            said[0] += f" The lesson lends it {format_names(now)}."
        if verdict.lent != now:
            said[0] += f" All of the lesson's own in it: {format_names(verdict.lent)}."
    else:
        stays = "was changed since it was written, and stays as it is"
        said = [f"`{stem(number)}.py` {stays}. Rename it to have it written anew."]
    later, following = workshop.after(number), number + 1
    if any(workshop.own_file(n, folder).exists() for n in later):
        said[0] += " The files of later steps stay as they are."
    elif path and split_core.LESSON < number <= LAST:
        said.append(learner_module.write(number, folder))
    if following in numbers() and following not in later:
        lesson = f"[step {following}](../{stem(following)}.ipynb)"
        said.append(f"Go on with the lesson of {lesson}.")
        if following == split_core.LESSON:
            said[-1] += (
                " It cuts your file into a package: when you have decided what goes "
                f"where, and saved, `steps.judge({following})` does so with yours."
            )
    if later:
        path, _ = workshop.lay(later[0], folder)
        said.append(f"Go on with [step {later[0]}]({path.name}).")
    return said
