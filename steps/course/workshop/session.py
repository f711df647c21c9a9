"""The workshop in a notebook, where the learner's definitions become the step."""

import builtins
import contextlib
import importlib
from pathlib import Path
from types import ModuleType

from .. import learner_folder
from ..definitions import Definition, Kind, format_names, get_owner
from ..interactive import get_ipython_shell
from ..lessons import STEPS, CourseError, format_command, numbers, previous, stem
from . import learner_module, split_core, workspace
from .learner_code import read_cells
from .package import (
    FIRST,
    LAST,
    OF_PACKAGE,
    collect_names,
    install_module,
    load_package,
)
from .report import Report
from .step import get_step, list_following
from .stubs import make_stub
from .trial import make_module, pick_names
from .verdict import MOST, judge_attempt


class Session:
    """A notebook of the workshop while its kernel runs.

    After every cell, the step's module is rebuilt from the definitions in the cells
    that ran, and replaces ``steps.stepNN``.
    """

    def __init__(self, number, shell, folder):
        self.number, self.folder = workspace.check_number(number), folder
        self.cells: list[str] = []
        self._shell, self._module, self._text = shell, None, ""
        self._put_together()

    def handle_cell(self, result):
        """Rebuild the step after a cell; IPython calls this."""
        cell = result.info.raw_cell
        if not cell or result.error_before_exec or result.error_in_exec:
            return
        code = read_cells([cell], get_step(self.number).definitions)
        if not code.definitions and not code.imports:
            return
        self.cells = [*(c for c in self.cells if c != cell), cell]
        try:
            self._put_together()
        except Exception as error:
            kind = type(error).__name__
            print(f"Your framework cannot be assembled: {kind}: {error}")

    def _put_together(self):
        attempt = workspace.make_attempt(self.number, self.cells, self.folder)
        text = _fill_with_stubs(attempt).format()
        names = self._shell.user_ns if self._shell else {}
        if attempt.step.is_package:
            if text != self._text:
                load_package(text, self.number)
                # Importing a step also imports those before it; each attaches its
                # definitions to the classes.
                done = self.number if self.cells else previous(self.number)
                importlib.import_module(f"{STEPS}.{stem(done)}")
            self._text = text
            rebind_names(names, attempt.step)
            return
        if text != self._text:
            self._module = make_module(text, self.number, self._module)
            install_module(self._module)
            self._text = text
        values = vars(self._module)
        names.update(pick_names(self._module, text))
        # Imported names, for decorators and base classes.
        hidden = {"__getattr__", *dir(builtins)}
        for name in {*attempt.module.imports} & {*values} - hidden:
            names.setdefault(name, values[name])

    def defines_any(self):
        """Return whether any cell that ran has a definition of the step."""
        known = get_step(self.number).definitions
        return bool(set(read_cells(self.cells, known).definitions) & set(known))


def _fill_with_stubs(attempt):
    """Return a module with stubs, which raise an error when called, for missing
    definitions.
    """
    module, step = attempt.module.copy(), attempt.step
    for name in attempt.missing:
        lesson = step.definitions[name]
        if lesson.kind not in (Kind.ATTACHED, Kind.ATTRIBUTE, Kind.CONSTANT):
            stub = Definition(lesson.kind, make_stub(step, name, lesson))
            module.put(name, stub, step.definitions)
    return module


def rebind_names(names, step):
    """Rebind a notebook's names to the current package. Add names that the notebook
    lacks, except those that would hide builtins and are not the step's own.
    """
    for name, value in list(names.items()):
        names[name] = _get_current(value)
        if isinstance(value, type) and value.__module__ == "__main__":
            with contextlib.suppress(TypeError):  # class Net(Layer) in a cell above
                value.__bases__ = tuple(map(_get_current, value.__bases__))
    values = collect_names(f"{STEPS}.framework")
    new = {*values}.difference(names, dir(builtins))
    for name in new.union(map(get_owner, step.to_write)):
        if name in values:
            names[name] = values[name]


def _get_current(value):
    """Return the current version of a module, class or function of the package; return
    any other value unchanged.
    """
    if isinstance(value, ModuleType) and OF_PACKAGE.fullmatch(value.__name__):
        return importlib.import_module(value.__name__)
    if not OF_PACKAGE.fullmatch(str(getattr(value, "__module__", ""))):
        return value
    values = vars(importlib.import_module(value.__module__))
    return values.get(getattr(value, "__name__", ""), value)


SESSION: Session | None = None
INTERRUPTED = "Judging was interrupted; no file was written."


def begin(number):
    """Begin the session of a notebook; return a message for the learner."""
    global SESSION

    shell = get_ipython_shell()
    if SESSION and shell:
        with contextlib.suppress(ValueError):
            shell.events.unregister("post_run_cell", SESSION.handle_cell)
    SESSION = Session(number, shell, find_folder(number))
    if shell:
        shell.events.register("post_run_cell", SESSION.handle_cell)
    message = workspace.get_base(number, SESSION.folder).message
    message += f"\nFrom now on, the definitions in your cells make up {stem(number)}."
    if number >= FIRST and get_step(number).to_write:
        message += "\nIf a cell needs code that you have not written yet, run it later."
    return message.strip()


def find_folder(number):
    """Return the folder of the notebook: the current one if the notebook is there, or
    else the workshop.
    """
    if (Path.cwd() / f"{stem(number)}.ipynb").exists():
        return Path.cwd()
    return workspace.get_folder()


def judge_step(number, anyway=False):
    """Judge the step, from the cells that ran here or else from the saved notebook."""
    if number == split_core.LESSON:
        nearby = workspace.find_nearby()
        return print(learner_module.split_up(nearby if nearby.exists() else None))
    session = SESSION if SESSION and SESSION.number == number else None
    folder = session.folder if session else find_folder(number)
    if session and session.defines_any():
        attempt = workspace.make_attempt(number, session.cells, folder)
        attempt.ignored |= find_not_run(attempt, folder)
    else:
        attempt = workspace.read_attempt(number, folder)
    try:
        verdict = judge_attempt(attempt)
    except KeyboardInterrupt:
        return print(INTERRUPTED)
    mixed = workspace.describe_mixture(number, folder)
    if verdict.is_right or anyway:
        return Report(verdict, [*mixed, *accept(verdict, folder)])
    lent = format_names(verdict.to_lend, MOST)
    way_on = f"`steps.judge({number}, anyway=True)` continues with the lesson's {lent}."
    return Report(verdict, [*mixed, *([way_on] if lent else [])])


def find_not_run(attempt, folder):
    """Find definitions that are in the saved notebook but were not run here: a dict
    from name to the reason why each does not count.
    """
    with contextlib.suppress(CourseError):  # the notebook was never saved
        saved = workspace.read_attempt(attempt.step.number, folder)
        undone = {*attempt.missing, *attempt.unchanged}
        run_later = undone.difference(saved.missing, saved.unchanged)
        return dict.fromkeys(run_later, "its cell has not been run")
    return {}


def accept(verdict, folder):
    """Write the learner's file and the next notebook; return a list of messages."""
    number = verdict.number
    path = workspace.write_framework(verdict, folder)
    if path:
        sentences = [f"Your framework is now in `{path.name}`."]
        if number > LAST:
            sentences = [f"Your code is now in `{path.name}`."]
        if now := verdict.to_lend:
            sentences[0] += f" It borrows {format_names(now)} from the lesson."
        if (lent := verdict.lent) != now:
            sentences[0] += f" Borrowed from lessons so far: {format_names(lent)}."
    else:
        sentences = [
            f"`{stem(number)}.py` was left alone, because you edited it. Rename it to "
            "have it written again."
        ]
    later, following = list_following(number), number + 1
    if any(workspace.get_own_path(n, folder).exists() for n in later):
        carry = format_command(f"workshop carry {number}")
        sentences[0] += (
            f" The files of later steps are unchanged; `{carry}` judges those that "
            "still contain the old code."
        )
    elif path and split_core.LESSON < number <= LAST:
        sentences.append(learner_module.write_package(number, folder))
    if following in numbers() and following not in later:
        learner_folder.create_copy(following, folder.parent)
        lesson = f"[step {following}](../{stem(following)}.ipynb)"
        sentences.append(f"Go on with the lesson for {lesson}.")
        if following == split_core.LESSON:
            sentences[-1] += (
                " It splits the lessons' file into a package, as you decide; then "
                f"`steps.judge({following})` splits your own file in the same way."
            )
    if later:
        path, _ = workspace.sync_notebook(later[0], folder)
        sentences.append(f"Go on with [step {later[0]}]({path.name}).")
    return sentences
