"""Where frameworks are tried: a process beside this one, replaced when it hangs."""

import json
import os
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from ..lessons import STEPS
from . import trial

# Beside the limit that the process keeps itself, for what cannot be interrupted there.
GRACE = 10


class Bench:
    """``with Bench() as bench`` gives something to try frameworks on."""

    def __init__(self):
        self._child: Any = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._end()

    def try_out(self, step, cells, text, brief=False):
        """What comes of a framework: its failure, or None, and its table; in brief, the
        table up to the first row that should work and does not.
        """
        if self._child is None:
            self._start()
        task = {"step": step, "cells": cells, "text": text, "brief": brief}
        task["seconds"] = trial.SECONDS
        at = trial.BEGINNING
        try:
            self._child.stdin.write(json.dumps(task) + "\n")
            self._child.stdin.flush()
            while True:
                line = self._lines.get(timeout=trial.SECONDS + GRACE)
                if line is None:
                    return self._broken(at, "it ends Python")
                if "done" in line:
                    return line["done"]
                at = line["at"]
        except (queue.Empty, OSError):
            return self._broken(at, f"it takes more than {trial.SECONDS} seconds")

    def _broken(self, at, said):
        self._end()
        failure = {"place": at, "line": "", "error": said, "parts": [], "inside": ""}
        return {"failure": failure, "table": {}}

    def _start(self):
        top = Path(__file__).parents[__package__.count(".") + 1]
        path = [str(top), os.environ.get("PYTHONPATH", "")]
        self._child = subprocess.Popen(
            [sys.executable, "-m", f"{STEPS}.course.workshop.trial"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, path))},
            encoding="utf-8",
        )
        self._lines: queue.Queue[dict[str, Any] | None] = queue.Queue()
        threading.Thread(
            target=_read, args=(self._child.stdout, self._lines), daemon=True
        ).start()

    def _end(self):
        if self._child is not None:
            self._child.kill()
            self._child.wait()
            self._child.stdin.close()
            self._child = None


def _read(stream, lines):
    with stream:
        for line in stream:
            lines.put(json.loads(line))
    lines.put(None)
