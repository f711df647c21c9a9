"""Main loop of a :class:`~.child.Child`: ``python -m steps.course.judge``.

The first line of input is JSON: the module that handles tasks, and the paths that an
isolated process may read. Every other line is a token followed by a task, whose result
must carry the token. An attempt could write to the same pipe, but does not know the
token: in an isolated process, only the frame of `main` holds it.
"""

import importlib
import json
import os
from functools import partial

from . import audit_hook, cells
from .child import TOKEN_LENGTH


def main():
    tasks = os.fdopen(os.dup(0), encoding="utf-8")
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # Give attempts neither standard input nor standard output.
    null_device = os.open(os.devnull, os.O_RDWR)
    os.dup2(null_device, 0)
    os.dup2(null_device, 1)
    settings = json.loads(tasks.readline())

    def say(line, token=""):
        # Start a new line, in case an attempt has written part of one.
        print("\n" + json.dumps(line | {"token": token}), file=output, flush=True)

    cells.prepare()
    module = importlib.import_module(settings["module"])
    is_isolated = settings["readable_paths"] is not None
    if is_isolated:
        audit_hook.install(os.getcwd(), settings["readable_paths"], say)
    for line in tasks:
        report = say if is_isolated else partial(say, token=line[:TOKEN_LENGTH])
        done = module.handle_task(json.loads(line[TOKEN_LENGTH:]), report)
        say({"done": done}, line[:TOKEN_LENGTH])


if __name__ == "__main__":
    main()
