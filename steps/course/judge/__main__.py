"""What runs in a :class:`~.child.Child`: ``python -m steps.course.judge``.

The first line of its input, as JSON, says which module answers, and what may be read
behind a fence. Each other line is a task, after a token that what is said of it has to
carry: an attempt, which could write to the same place, does not know it. Behind a fence
it is in no object that an attempt could find, but in a frame of this function alone.
"""

import importlib
import json
import os
from functools import partial

from . import audit_hook, cells
from .child import TOKEN


def main():
    tasks = os.fdopen(os.dup(0), encoding="utf-8")
    lines = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # Attempts have nothing to read, and nowhere to write.
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    settings = json.loads(tasks.readline())

    def say(line, token=""):
        # An attempt may have begun a line.
        print("\n" + json.dumps(line | {"token": token}), file=lines, flush=True)

    cells.prepare()
    module = importlib.import_module(settings["module"])
    fenced = settings["reads"] is not None
    if fenced:
        audit_hook.set_up(os.getcwd(), settings["reads"], say)
    for line in tasks:
        tell = say if fenced else partial(say, token=line[:TOKEN])
        done = module.answer(json.loads(line[TOKEN:]), tell)
        say({"done": done}, line[:TOKEN])


if __name__ == "__main__":
    main()
