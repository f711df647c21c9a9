"""Where frameworks are tried: a process beside this one, replaced when it hangs."""

import contextlib
from typing import Any

from ..judge.cells import ENDS
from ..judge.child import GRACE, Child, Stopped
from . import trial


class TrialProcess(contextlib.AbstractContextManager[Any]):
    """``with TrialProcess() as process`` gives something to try frameworks on."""

    def __init__(self):
        self._child: Child | None = None

    def __exit__(self, *_):
        self._end()

    def try_out(self, step, cells, text, brief=False, first=()):
        """What comes of a framework: its failure, or None, and its table; in brief, up
        to the first thing that does not work, begun with some rows of the table.
        """
        self._child = self._child or Child(trial.__name__)
        seconds = trial.SECONDS / 3 if brief else trial.SECONDS
        task = {"step": step, "cells": cells, "text": text, "first": [*first]}
        self._child.send(task | {"brief": brief, "seconds": seconds})
        at = trial.BEGINNING
        try:
            while "done" not in (line := self._child.hear(seconds + GRACE)):
                at = line["at"]
        except Stopped as stopped:
            self._end()
            slow = f"takes more than {trial.SECONDS} seconds"
            said = f"it {stopped if str(stopped) == ENDS else slow}"
            nowhere = {"line": "", "parts": [], "inside": ""}
            failure = {"place": at, "error": said} | nowhere
            return {"failure": failure, "table": {}, "evidence": {}}
        return line["done"]

    def _end(self):
        if self._child:
            self._child.end()
        self._child = None
