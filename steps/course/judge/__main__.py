"""What runs in a :class:`~.child.Child`: ``python -m steps.course.judge``.

The first line of its input, as JSON, says which module answers, and what an isolated
process may read. Each other line is a task, after a token that what is said of it has
to carry: an attempt, which could write to the same place, does not know it. In an
isolated process it is in no object that an attempt could find, but in a frame of this
function alone.
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
    # Attempts have nothing to read, and nowhere to write.
    null_device = os.open(os.devnull, os.O_RDWR)
    os.dup2(null_device, 0)
    os.dup2(null_device, 1)
    settings = json.loads(tasks.readline())

    def say(line, token=""):
        # An attempt may have begun a line.
        print("\n" + json.dumps(line | {"token": token}), file=output, flush=True)

    cells.prepare()
    module = importlib.import_module(settings["module"])
    is_isolated = settings["readable_paths"] is not None
    if is_isolated:
        audit_hook.install(os.getcwd(), settings["readable_paths"], say)
    for line in tasks:
        report = say if is_isolated else partial(say, token=line[:TOKEN_LENGTH])
        done = module.answer(json.loads(line[TOKEN_LENGTH:]), report)
        say({"done": done}, line[:TOKEN_LENGTH])


if __name__ == "__main__":
    main()
