"""Rejects forbidden actions of a student's code, and reports them.

Python calls an audit hook whenever a file is opened, a program is started or a
connection is made. This hook rejects access outside the folder that the code runs in,
and access to the judge itself. Dangerous functions that Python does not audit are
replaced. Memory and file sizes are limited; hints and solutions are turned off.

The hook stops and names mistakes and pranks. Code written to get around it can do so,
because it runs in the same process; it cannot get around `bubblewrap`.
"""

import builtins
import gc
import importlib
import json
import os
import re
import shutil
import signal
import sys
import tempfile
import types
from functools import partial

from ..lessons import ROOT, STEPS, numbers, read_front_matter
from .lesson_state import LessonState, find_changes

# Ample memory for NumPy and a lesson's network; files that cannot fill the disk.
MAX_MEMORY = 4 << 30
MAX_FILE_SIZE = 100 << 20
READING = re.compile(r"os\.(listdir|scandir|chdir|listxattr|getxattr)")
WRITING = re.compile(
    r"os\.(remove|rmdir|mkdir|rename|link|symlink|truncate|chmod|chown|utime"
    r"|setxattr|removexattr)|shutil\.(rmtree|move)|sqlite3\.connect"
)
STARTING = (
    r"os\.(system|exec|posix_spawn|spawn|fork|forkpty|startfile)"
    r"|subprocess\.Popen|pty\.spawn"
)
REFUSED = {
    "start a program": re.compile(STARTING),
    "end a program": re.compile(r"os\.(kill|killpg)|signal\.pthread_kill"),
    # Code that measures may ask for the host name.
    "use the network": re.compile(r"socket\.(?!gethostname).*"),
    # C code can get around every hook.
    "load a system library": re.compile(r"ctypes\.dlopen"),
}
# Functions that Python does not audit, by module, and the action to report.
UNAUDITED = {
    "os": ("write a pipe", "mkfifo mknod"),
    os.name: ("write a pipe", "mkfifo mknod"),
    "_posixsubprocess": ("start a program", "fork_exec"),
    "subprocess": ("start a program", "_fork_exec"),
    # Python passes a frame to signal handlers.
    "signal": ("handle a signal", "signal getsignal pidfd_send_signal"),
    "_signal": ("handle a signal", "signal getsignal pidfd_send_signal"),
    "gc": ("read the grader", "unfreeze"),
    # Deeper recursion would pass where an exercise asks for a loop.
    "sys": ("raise the recursion limit", "setrecursionlimit"),
    "threading": ("change the stack size of threads", "stack_size"),
    "_thread": ("change the stack size of threads", "stack_size"),
}
UNAUDITED_EVENT = "course.taken"
# Attributes and events that lead to the grader's own variables, and the modules that
# may use them on behalf of other code.
FRAME_ATTRIBUTES = {"tb_frame", "gi_frame", "cr_frame", "ag_frame"}
WATCHING = re.compile(r"sys\.(_current_frames|settrace|setprofile|addaudithook|mon.*)")
FRAME_READERS = re.compile(r".*\b(inspect|traceback|(logging|ctypes).__init__)\.py")
# File names of a lesson's cells and of modules, which may use frames; an attempt is
# called `<answer N>`, and code that it passes to `exec` is called `<string>`.
TRUSTED_FILES = re.compile(r"<(cell|frozen) .*|/.*|\w:.*", re.S)
# Lessons, which contain the solutions, and notebooks of other students.
SOLUTION_FILES = (".md", ".ipynb")
WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
BUILTIN_NAMES = {name for name in dir(builtins) if name[0] != "_"} | {"__builtins__"}


class AuditHook:
    """Rejects access outside a folder, and reports what students' code tries to do."""

    def __init__(self, folder, readable_paths, say):
        self._folder, self._say = os.path.realpath(folder), say
        self._readable_paths = list(map(os.path.realpath, readable_paths))
        self._is_student_code = self._is_checking = False
        owners = _list_what_checks_use()
        self._guarded = [(owner, dict(vars(owner))) for owner in owners]
        # Values that the lesson has bound to the names of builtins.
        self._lesson_builtins = {"__builtins__": vars(builtins)}
        self._lesson = LessonState()

    def report(self, text):
        # The lesson's own cells are not the student's responsibility.
        if self._is_student_code:
            self._say({"noticed": text})

    def remember_lesson_names(self, names_before, names):
        before = select_names(names_before)
        self._lesson_builtins.update(find_changes(before, select_names(names)))
        self._lesson.remember(names_before, names)

    def before_student_code(self, names, kept_names, check):
        """Prepare to run a student's attempt, or a check if its source is given; return
        the state that `after_student_code` needs.

        For a check, restore the builtins and the lesson's names that it reads, except
        those in `kept_names`.
        """
        self._is_student_code = True
        read, replaced = {}, ()
        if check is not None:
            read = self._lesson.select_read_names(check)
            lesson = self._lesson_builtins | read
            replaced = find_changes(lesson, select_names(names, read), kept_names)
            self._report_changes([n for n, _ in replaced if n in read])
            for name, _ in replaced:
                del names[name]
            names.update((n, lesson[n]) for n in lesson if n not in kept_names)
        modules = {n: x for n, x in names.items() if isinstance(x, types.ModuleType)}
        watched = select_names(names, read)
        return replaced, watched, tuple(modules.items()), kept_names

    def after_student_code(self, state, names):
        """Restore what checks rely on; return the changed names, joined by commas."""
        replaced, watched, modules, kept_names = state
        changed = [n for guarded in self._guarded for n in _restore(*guarded)]
        changed += self._lesson.restore_attributes(kept_names)
        changed += [n for n, module in modules if names.get(n) is not module]
        names.update(modules)
        now = select_names(names, [n for n, _ in watched])
        changed += [n for n, _ in find_changes(watched, now, kept_names)]
        names.update(replaced)
        listed = self._report_changes(changed)
        self._is_student_code = False
        return listed

    def _report_changes(self, changed):
        listed = ", ".join(dict.fromkeys(changed))
        if listed:
            self.report(f"changed {listed}")
        return listed

    def check_event(self, event, arguments):
        """Report and reject an audit event that is not allowed."""
        action = self._find_forbidden(event, arguments)
        if action := action or self._check_frames(event, arguments):
            self.report(f"tried to {action}")
            raise PermissionError(f"grading does not allow code to {action}")

    def _find_forbidden(self, event, arguments):
        if event == "open":
            return self._check_open(*arguments)
        if WRITING.fullmatch(event):
            paths = find_outside(arguments, self._folder)
            return next((f"write {path}" for path in paths), "")
        if READING.fullmatch(event):
            paths = find_outside(arguments, self._folder)
            return next(filter(None, map(self._check_read, paths)), "")
        if event == "import":
            is_outside = any(find_outside(arguments[1:2], self._folder))
            return "load a library" if arguments[1] and not is_outside else ""
        if event == UNAUDITED_EVENT:
            return arguments[0]
        actions = (action for action, kind in REFUSED.items() if kind.fullmatch(event))
        return next(actions, "")

    def _check_open(self, path, mode, flags):
        outside = next(find_outside([path], self._folder), "")
        writes = isinstance(mode, str) and set(mode) & set("wax+")
        if outside and (writes or (isinstance(flags, int) and flags & WRITE_FLAGS)):
            return f"write {outside}"
        if mode is None and isinstance(path, (str, bytes)) and os.path.isdir(path):
            # Paths relative to an open folder could lead outside.
            return f"open the folder {os.fsdecode(path)}"
        return outside and self._check_read(outside)

    def _check_read(self, path):
        inside = ((path + os.sep).startswith(p + os.sep) for p in self._readable_paths)
        # Python lists the root folder to import the course.
        is_readable = path == str(ROOT) or any(inside)
        is_solution = path.endswith(SOLUTION_FILES)
        return "" if is_readable and not is_solution else f"read {path}"

    def _check_frames(self, event, arguments):
        """Return the action to reject if an attempt accesses a frame, through which it
        could reach its check and the grader; otherwise, return "".
        """
        reads_frame = event == "object.__getattr__" and arguments[1] in FRAME_ATTRIBUTES
        reads_frame |= event == "sys._getframe" or event.startswith("ctypes.")
        watches = WATCHING.fullmatch(event)
        if self._is_checking or not (reads_frame or watches):
            return ""
        self._is_checking = True
        try:
            caller = sys._getframe(2)
            if not watches and FRAME_READERS.fullmatch(caller.f_code.co_filename):
                caller = caller.f_back or caller
        finally:
            self._is_checking = False
        file = caller.f_code.co_filename
        return "" if TRUSTED_FILES.fullmatch(file) else "read the grader"


_hook: AuditHook | None = None


def install(folder, readable_paths, say):
    """Reject and report access outside a folder, for the rest of the process."""
    global _hook

    # Modules that write files when first imported, which the hook would reject.
    import matplotlib.pyplot  # noqa: F401
    import numpy.testing  # noqa: F401

    tempfile.gettempdir()
    # Cache the settings of all lessons: the lesson files hold solutions, so that the
    # hook will not let them be read.
    for number in numbers():
        read_front_matter(number)
    # Make shutil.rmtree use paths, which the hook can check, not descriptors.
    shutil._use_fd_functions = False  # type: ignore[attr-defined]
    os.environ["PATH"] = ""
    _disable_help()
    limit_resources(MAX_MEMORY, MAX_FILE_SIZE)
    _replace_unaudited()
    _hook = AuditHook(folder, readable_paths, say)
    sys.addaudithook(_hook.check_event)
    _hide()


def _replace_unaudited():
    """Replace the functions that Python does not audit with ones that call our hook.

    They are made by `eval`, so that their globals do not lead an attempt to the judge.
    """
    for name, (action, functions) in UNAUDITED.items():
        names = {"audit": sys.audit, "event": UNAUDITED_EVENT, "action": action}
        refuse = eval("lambda *_, **__: audit(event, action)", names)
        module = sys.modules.get(name)
        for function in filter(partial(hasattr, module), functions.split()):
            setattr(module, function, refuse)


def _hide():
    """Hide the judge from `sys.modules` and from `gc.get_objects`."""
    for name in [name for name in sys.modules if name.startswith(__package__)]:
        del sys.modules[name]
    del importlib.import_module(__package__.rpartition(".")[0]).judge
    sys.modules["__main__"] = types.ModuleType("__main__")
    gc.freeze()


def select_names(names, more=()):
    """Return pairs (name, value) for names of builtins and for those in `more`."""
    selected = sorted((BUILTIN_NAMES | set(more)) & names.keys())
    return tuple((name, names[name]) for name in selected)


def remember_lesson_names(names_before, names):
    """Remember the names that a lesson's cell has bound, if there is a hook."""
    if _hook:
        _hook.remember_lesson_names(names_before, names)


def before_student_code(names, kept_names, check=None):
    """Prepare to run a student's code; do nothing if no hook is installed."""
    return _hook.before_student_code(names, kept_names, check) if _hook else None


def after_student_code(state, names):
    """Restore what a student's code changed; return the names, joined by commas."""
    return _hook.after_student_code(state, names) if _hook else ""


def limit_resources(memory, file=None):
    """Limit this process's memory and, if given, the size of its files, in bytes."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows, where only the time limit applies
        return
    limits = {resource.RLIMIT_AS: memory, resource.RLIMIT_CORE: 0}
    if file:
        limits[resource.RLIMIT_FSIZE] = file
    for resource_kind, limit in limits.items():
        _, hard_limit = resource.getrlimit(resource_kind)
        if hard_limit != resource.RLIM_INFINITY:
            limit = min(limit, hard_limit)
        resource.setrlimit(resource_kind, (limit, hard_limit))


def _disable_help():
    """Make `steps.hint` and `steps.solution` do nothing."""
    steps = importlib.import_module(STEPS)
    for name in ("hint", "solution"):
        setattr(steps, name, eval("lambda *_, **__: None", {}))


def _list_what_checks_use():
    """List the modules and classes that checks and the judge's reports use."""
    import numpy as np

    from .. import checks

    steps = importlib.import_module(STEPS)
    core = np._core.numeric  # type: ignore[attr-defined]
    numpy = np, np.random, np.testing, np.testing._private.utils, core
    reads, writes = (json.decoder, json.JSONDecoder), (json.encoder, json.JSONEncoder)
    return [builtins, steps, checks, *numpy, json, *reads, *writes, os, signal]


def _restore(owner, before):
    """Restore what was changed in a module or a class; return the names."""
    changed = [n for n, value in before.items() if vars(owner).get(n) is not value]
    for name in changed:
        setattr(owner, name, before[name])
    return changed


def find_outside(paths, folder):
    """Yield the resolved form of each path that leads outside a folder."""
    for path in paths:
        if not isinstance(path, (str, bytes, os.PathLike)):
            continue  # the descriptor of an open file
        real = os.path.realpath(os.fsdecode(path))
        if real != os.devnull and not (real + os.sep).startswith(folder + os.sep):
            yield real
