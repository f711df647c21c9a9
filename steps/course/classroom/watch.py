"""What a student's code may not do, and saying that it tried.

Python tells an audit hook of each file that is opened, each program that is started and
each connection that is made. The hook here refuses what leads outside of the folder
that the code runs in. It is a fence and no wall: it stops mistakes and pranks, and
names them. Code that is written to get around it can, for it runs in the same process;
who expects that grades inside a container, as docs/classroom.md shows.
"""

import os
import shutil
import sys

# What writes, and which of its arguments are paths.
WRITING = {
    "os.remove": (0,),
    "os.rmdir": (0,),
    "os.mkdir": (0,),
    "os.rename": (0, 1),
    "os.link": (0, 1),
    "os.symlink": (1,),
    "os.truncate": (0,),
    "os.chmod": (0,),
    "os.chown": (0,),
    "os.utime": (0,),
    "shutil.rmtree": (0,),
    "shutil.move": (0, 1),
    "sqlite3.connect": (0,),
}
STARTING = {
    "subprocess.Popen",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.spawn",
    "os.fork",
    "os.forkpty",
    "os.startfile",
    "pty.spawn",
}
ENDING = {"os.kill", "os.killpg", "signal.pthread_kill"}
CONNECTING = {"socket.connect", "socket.bind", "socket.sendto", "socket.getaddrinfo"}
# From C there is a way around every hook.
FOREIGN = {"ctypes.dlopen"}
# Lessons with their solutions, and what others handed in.
SOLVED = (".md", ".ipynb")
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def set_up(folder, say):
    """From now on, refuse what leads outside of a folder, and say so; there is no way
    back.
    """
    folder = os.path.realpath(folder)
    dot = shutil.which("dot")  # draws the lessons' graphs

    def hook(event, arguments):
        tried = _open(arguments, folder) if event == "open" else ""
        if event in WRITING:
            places = [arguments[i] for i in WRITING[event]]
            tried = next((f"write {p}" for p in outside(places, folder)), "")
        elif event in STARTING and not (dot and arguments and arguments[0] == dot):
            tried = "start a program"
        elif event in ENDING:
            tried = "end a program"
        elif event in CONNECTING:
            tried = "reach the network"
        elif event in FOREIGN:
            tried = "load a library of the system"
        if tried:
            say(f"tried to {tried}")
            raise PermissionError(f"not allowed while grading: to {tried}")

    sys.addaudithook(hook)


def _open(arguments, folder):
    path, mode, flags = arguments
    places = list(outside([path], folder))
    if not places:
        return ""
    if isinstance(mode, str) and set(mode) & set("wax+"):
        return f"write {places[0]}"
    if isinstance(flags, int) and flags & WRITES:
        return f"write {places[0]}"
    return f"read {places[0]}" if places[0].endswith(SOLVED) else ""


def outside(places, folder):
    """Those of some paths that lead outside of a folder."""
    for place in places:
        if not isinstance(place, (str, bytes, os.PathLike)):
            continue  # a file that is open already
        path = os.path.realpath(os.fsdecode(place))
        if path != os.devnull and not (path + os.sep).startswith(folder + os.sep):
            yield path
