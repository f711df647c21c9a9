"""What a student's code may not do, and saying that it tried.

The process gets some memory and no help, and its files have a size. Python tells an
audit hook of each file that is opened, each program that is started and each connection
that is made. The hook here refuses what leads outside of the folder that the code runs
in, and what would show the code the process that runs it. What Python does not tell is
taken away. It is a fence and no wall: it stops mistakes and pranks, and names them.
Code that is written to get around it can, for it runs in the same process; what is a
wall, `wall` has.
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

from ..lessons import ROOT, STEPS

# For NumPy and a network of a lesson's size with room to spare; a file may not fill the
# disk.
MEMORY = 4 << 30
FILE = 100 << 20
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
    # The machine's own name is asked for by what measures.
    "reach the network": re.compile(r"socket\.(?!gethostname).*"),
    # From C there is a way around every hook.
    "load a library of the system": re.compile(r"ctypes\.dlopen"),
}
# What Python tells no hook of, by what it would be.
UNTOLD = {
    "os": ("write a pipe", "mkfifo mknod"),
    os.name: ("write a pipe", "mkfifo mknod"),
    "_posixsubprocess": ("start a program", "fork_exec"),
    "subprocess": ("start a program", "_fork_exec"),
    # Handlers are handed a frame.
    "signal": ("handle a signal", "signal getsignal pidfd_send_signal"),
    "_signal": ("handle a signal", "signal getsignal pidfd_send_signal"),
    "gc": ("read the grader", "unfreeze"),
}
TAKEN = "course.taken"
# Ways to the grader's own variables, and the modules that go them for others.
FRAMES = {"tb_frame", "gi_frame", "cr_frame", "ag_frame"}
WATCHES = re.compile(r"sys\.(_current_frames|settrace|setprofile|addaudithook|mon.*)")
FOR_OTHERS = re.compile(r".*\b(inspect|traceback|(logging|ctypes).__init__)\.py")
# Files of a lesson's cells, and of Python; what an attempt makes of a text has others.
OURS = re.compile(r"<(cell|frozen) .*|/.*|\w:.*", re.S)
# Lessons with their solutions, and what others handed in.
SOLVED = (".md", ".ipynb")
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
PYTHONS = {name for name in dir(builtins) if name[0] != "_"} | {"__builtins__"}


class Fence:
    """Stands around a folder, and tells what students' code tries at it."""

    def __init__(self, folder, reads, say):
        self._folder, self._say = os.path.realpath(folder), say
        self._reads = [os.path.realpath(place) for place in reads]
        self._theirs = self._looking = False
        self._before = [(owner, dict(vars(owner))) for owner in _what_checks_rely_on()]
        # What the lesson itself has under names of Python's own.
        self._own = {"__builtins__": vars(builtins)}

    def noticed(self, text):
        # What a lesson does is none of the student's doing.
        if self._theirs:
            self._say({"noticed": text})

    def keep(self, before, names):
        self._own.update(_changed(before, pythons(names)))

    def hold(self, names, keeps, check):
        """What happens from now on is the student's doing; a check finds Python's own
        names, whatever was bound. What is returned tells `let_go` how it was.
        """
        taken = _changed(self._own, pythons(names), keeps) if check else ()
        for name, _ in taken:
            del names[name]
        if check:
            names.update((n, x) for n, x in self._own.items() if n not in keeps)
        modules = [n for n, x in names.items() if isinstance(x, types.ModuleType)]
        self._theirs = True
        return taken, pythons(names), tuple((n, names[n]) for n in modules), keeps

    def let_go(self, held, names):
        """Put back what checks rely on; the names of what was changed."""
        taken, python, modules, keeps = held
        found = [n for owner, before in self._before for n in _put_back(owner, before)]
        found += [n for n, x in modules if names.get(n) is not x]
        names.update(modules)
        found += [n for n, _ in _changed(python, pythons(names), keeps)]
        names.update(taken)
        changed = ", ".join(dict.fromkeys(found))
        if changed:
            self.noticed(f"changed {changed}")
        self._theirs = False
        return changed

    def hook(self, event, arguments):
        tried = self._tried(event, arguments) or self._watched(event, arguments)
        if tried:
            self.noticed(f"tried to {tried}")
            raise PermissionError(f"not allowed while grading: to {tried}")

    def _tried(self, event, arguments):
        if event == "open":
            return self._open(*arguments)
        if WRITING.fullmatch(event):
            return next((f"write {p}" for p in outside(arguments, self._folder)), "")
        if READING.fullmatch(event):
            read = map(self._read, outside(arguments, self._folder))
            return next(filter(None, read), "")
        if event == "import":
            inside = arguments[1] and not any(outside(arguments[1:2], self._folder))
            return "load a library" if inside else ""
        if event == TAKEN:
            return arguments[0]
        refused = (what for what, kind in REFUSED.items() if kind.fullmatch(event))
        return next(refused, "")

    def _open(self, path, mode, flags):
        place = next(outside([path], self._folder), "")
        writes = isinstance(mode, str) and set(mode) & set("wax+")
        if place and (writes or (isinstance(flags, int) and flags & WRITES)):
            return f"write {place}"
        if mode is None and isinstance(path, (str, bytes)) and os.path.isdir(path):
            return f"open the folder {os.fsdecode(path)}"  # from it, paths lead out
        return place and self._read(place)

    def _read(self, place):
        known = any((place + os.sep).startswith(r + os.sep) for r in self._reads)
        known = known or place == str(ROOT)  # there Python looks for the course
        return "" if known and not place.endswith(SOLVED) else f"read {place}"

    def _watched(self, event, arguments):
        """Frames lead from an answer to its check, and to the grader."""
        frames = event == "object.__getattr__" and arguments[1] in FRAMES
        watches = WATCHES.fullmatch(event)
        looks = frames or event == "sys._getframe" or event.startswith("ctypes.")
        if self._looking or not (looks or watches):
            return ""
        self._looking = True
        try:
            caller = sys._getframe(2)
            if not watches and FOR_OTHERS.fullmatch(caller.f_code.co_filename):
                caller = caller.f_back or caller
        finally:
            self._looking = False
        file = caller.f_code.co_filename
        return "" if OURS.fullmatch(file) else "read the grader"


_fence: Fence | None = None


def set_up(folder, reads, say):
    """From now on, refuse what leads outside of a folder, and say so; there is no way
    back.
    """
    global _fence

    # What writes when it is first imported has to be there before the fence.
    import matplotlib.pyplot  # noqa: F401
    import numpy.testing  # noqa: F401

    tempfile.gettempdir()
    # So that folders are left out by their names.
    shutil._use_fd_functions = False  # type: ignore[attr-defined]
    os.environ["PATH"] = ""
    _no_help()
    limit(MEMORY, FILE)
    _take_away()
    _fence = Fence(folder, reads, say)
    sys.addaudithook(_fence.hook)
    _hide()


def _take_away():
    """What is there instead is no function of ours, which would lead to us."""
    for module, (what, functions) in UNTOLD.items():
        names = {"audit": sys.audit, "event": TAKEN, "what": what}
        refuse = eval("lambda *_, **__: audit(event, what)", names)
        place = sys.modules.get(module)
        for function in filter(partial(hasattr, place), functions.split()):
            setattr(place, function, refuse)


def _hide():
    """No module, and no list of objects, leads to ourselves."""
    for name in [name for name in sys.modules if name.startswith(__package__)]:
        del sys.modules[name]
    del importlib.import_module(__package__.rpartition(".")[0]).judge
    sys.modules["__main__"] = types.ModuleType("__main__")
    gc.freeze()


def pythons(names):
    """What names have of those that are Python's own."""
    return tuple((name, names[name]) for name in sorted(PYTHONS & names.keys()))


def keep(before, names):
    """Remember what a lesson has under names of Python's own."""
    if _fence:
        _fence.keep(before, names)


def hold(names, keeps, check):
    """Before what a student wrote; without a fence, nothing is done about it."""
    return _fence.hold(names, keeps, check) if _fence else None


def let_go(held, names):
    """After what a student wrote: the names of what was changed and is put back."""
    return _fence.let_go(held, names) if _fence else ""


def limit(memory, file=None):
    """Let this process have so much memory, and files of that size."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows; there the time limit alone has to do
        return
    limits = {resource.RLIMIT_AS: memory, resource.RLIMIT_CORE: 0}
    if file:
        limits[resource.RLIMIT_FSIZE] = file
    for kind, most in limits.items():
        _, hard = resource.getrlimit(kind)
        if hard != resource.RLIM_INFINITY:
            most = min(most, hard)
        resource.setrlimit(kind, (most, hard))


def _no_help():
    """Hints do nothing, solutions cannot be asked for."""
    steps = importlib.import_module(STEPS)
    for name in ("hint", "solution"):
        setattr(steps, name, eval("lambda *_, **__: None", {}))


def _what_checks_rely_on():
    """What checks compare with, and what tells their outcome."""
    import numpy as np

    core = np._core.numeric  # type: ignore[attr-defined]
    numpy = np, np.testing, np.testing._private.utils, core
    reads, writes = (json.decoder, json.JSONDecoder), (json.encoder, json.JSONEncoder)
    return [builtins, *numpy, json, *reads, *writes, os, signal]


def _put_back(owner, before):
    """The names of what was changed in a module or a class, which is put back."""
    changed = [n for n, x in before.items() if vars(owner).get(n) is not x]
    for name in changed:
        setattr(owner, name, before[name])
    return changed


def _changed(before, after, keeps=()):
    before = dict(before)
    now = ((n, x) for n, x in after if n not in keeps)
    return tuple((n, x) for n, x in now if x is not before.get(n))


def outside(places, folder):
    """Those of some paths that lead outside of a folder."""
    for place in places:
        if not isinstance(place, (str, bytes, os.PathLike)):
            continue  # a file that is open already
        path = os.path.realpath(os.fsdecode(place))
        if path != os.devnull and not (path + os.sep).startswith(folder + os.sep):
            yield path
