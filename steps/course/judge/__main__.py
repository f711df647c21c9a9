"""What runs in a :class:`~.child.Child`: ``python -m steps.course.judge``.

The first line of its input, as JSON, says which module answers, and whether behind a
fence; each other line is a task. Its lines have a token, which tells them from what an
attempt writes to the same place.
"""

import importlib
import json
import os

from . import cells, fence


def main():
    tasks = os.fdopen(os.dup(0), encoding="utf-8")
    lines = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # Attempts have nothing to read, and nowhere to write.
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    settings = json.loads(tasks.readline())

    def say(line):
        line = json.dumps(line | {"token": settings["token"]})
        print(line, file=lines, flush=True)

    cells.prepare()
    module = importlib.import_module(settings["module"])
    if settings["fenced"]:
        fence.set_up(os.getcwd(), say)
    for task in tasks:
        say({"done": module.answer(json.loads(task), say)})


if __name__ == "__main__":
    main()
