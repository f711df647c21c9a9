"""What a student's code may not do, and saying that it tried.

The process gets some memory and no help, and its files have a size. Python tells an
audit hook of each file that is opened, each program that is started and each connection
that is made. The hook here refuses what leads outside of the folder that the code runs
in. It is a fence and no wall: it stops mistakes and pranks, and names them. Code that
is written to get around it can, for it runs in the same process; who expects that
grades inside a container, as docs/classroom.md shows.
"""

import builtins
import contextlib
import importlib
import os
import re
import shutil
import sys
import tempfile
import types

from ..lessons import STEPS

# For NumPy and a network of a lesson's size with room to spare; a file may not fill the
# disk.
MEMORY = 4 << 30
FILE = 100 << 20
WRITING = re.compile(
    r"os\.(remove|rmdir|mkdir|rename|link|symlink|truncate|chmod|chown|utime)"
    r"|shutil\.(rmtree|move)|sqlite3\.connect"
)
STARTING = re.compile(
    r"os\.(system|exec|posix_spawn|spawn|fork|forkpty|startfile)"
    r"|subprocess\.Popen|pty\.spawn"
)
ENDING = re.compile(r"os\.(kill|killpg)|signal\.pthread_kill")
CONNECTING = re.compile(r"socket\.(connect|bind|sendto|getaddrinfo)")
# From C there is a way around every hook.
FOREIGN = "ctypes.dlopen"
# Lessons with their solutions, and what others handed in.
SOLVED = (".md", ".ipynb")
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Fence:
    """Stands around a folder, and tells what students' code tries at it."""

    def __init__(self, folder, say):
        self._folder, self._say = os.path.realpath(folder), say
        self._dot = shutil.which("dot")  # draws the lessons' graphs
        self._theirs = False

    def noticed(self, text):
        # What a lesson does is none of the student's doing.
        if self._theirs:
            self._say({"noticed": text})

    @contextlib.contextmanager
    def theirs(self, names):
        """Within, what happens is the student's doing; what checks rely on is put back
        after it.
        """
        before = _what_checks_rely_on(names)
        self._theirs = True
        try:
            yield
        finally:
            if changed := _put_back(before):
                self.noticed(f"changed {', '.join(changed)}")
            self._theirs = False

    def hook(self, event, arguments):
        tried = self._tried(event, arguments)
        if tried:
            self.noticed(f"tried to {tried}")
            raise PermissionError(f"not allowed while grading: to {tried}")

    def _tried(self, event, arguments):
        if event == "open":
            return _open(arguments, self._folder)
        if WRITING.fullmatch(event):
            return next((f"write {p}" for p in outside(arguments, self._folder)), "")
        if STARTING.fullmatch(event):
            draws = self._dot and arguments and arguments[0] == self._dot
            return "" if draws else "start a program"
        if ENDING.fullmatch(event):
            return "end a program"
        if CONNECTING.fullmatch(event):
            return "reach the network"
        return "load a library of the system" if event == FOREIGN else ""


_fence: Fence | None = None


def set_up(folder, say):
    """From now on, refuse what leads outside of a folder, and say so; there is no way
    back.
    """
    global _fence

    # What writes when it is first imported has to be there before the fence.
    import matplotlib.pyplot  # noqa: F401
    import numpy.testing  # noqa: F401

    tempfile.gettempdir()
    _no_help()
    limit(MEMORY, FILE)
    _fence = Fence(folder, say)
    sys.addaudithook(_fence.hook)


def theirs(names):
    """Around what a student wrote; without a fence, nothing is done about it."""
    return _fence.theirs(names) if _fence else contextlib.nullcontext()


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
        setattr(steps, name, lambda *_, **__: None)


def _what_checks_rely_on(names):
    """What is in the modules that checks compare with, and the notebook's own names
    for modules.
    """
    import numpy as np

    modules = {n: x for n, x in names.items() if isinstance(x, types.ModuleType)}
    places = [vars(builtins), vars(np), vars(np.testing)]
    return [*((place, dict(place)) for place in places), (names, modules)]


def _put_back(before):
    """The names of what was changed, which is put back."""
    changed = []
    for place, content in before:
        for name, thing in content.items():
            if place.get(name) is not thing:
                changed.append(name)
                place[name] = thing
    return changed


def _open(arguments, folder):
    path, mode, flags = arguments
    place = next(outside([path], folder), "")
    writes = isinstance(mode, str) and set(mode) & set("wax+")
    if place and (writes or (isinstance(flags, int) and flags & WRITES)):
        return f"write {place}"
    return f"read {place}" if place.endswith(SOLVED) else ""


def outside(places, folder):
    """Those of some paths that lead outside of a folder."""
    for place in places:
        if not isinstance(place, (str, bytes, os.PathLike)):
            continue  # a file that is open already
        path = os.path.realpath(os.fsdecode(place))
        if path != os.devnull and not (path + os.sep).startswith(folder + os.sep):
            yield path
