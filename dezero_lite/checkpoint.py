"""Where a training was, in a folder, so that it can go on there."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

__all__ = ["Checkpoint"]


class Checkpoint:
    """The last state of a training, in a folder.

    The weights and the optimizer's state lie in a folder for each step. ``state.json``
    is written after them, at once, and names that folder. So whenever a program is
    stopped, what is named is whole.

    Parameters
    ----------
    folder : str or os.PathLike
        Made when something is saved.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)

    def __repr__(self) -> str:
        return f"Checkpoint({str(self.folder)!r})"

    def save(self, step: int, model: Any, optimizer: Any, **more: Any) -> None:
        """Save a model and its optimizer, and whatever JSON can hold."""
        from shutil import rmtree

        name = f"step{step:08d}"
        (self.folder / name).mkdir(parents=True, exist_ok=True)
        model.save_weights(self.folder / name / "model.npz")
        optimizer.save_state(self.folder / name / "optimizer.npz")
        new = self.folder / "state.new"
        new.write_text(json.dumps({**more, "step": step, "in": name}), "utf-8")
        os.replace(new, self.folder / "state.json")
        for old in self.folder.glob("step*"):
            if old.name != name:
                rmtree(old)

    def load(self, model: Any, optimizer: Any) -> dict[str, Any] | None:
        """Put the model and the optimizer in the state that was saved.

        Returns
        -------
        dict or None
            The number of the step, as ``step``, and what else was saved; ``None`` where
            nothing was.

        Raises
        ------
        ValueError
            If the files are of another model or optimizer.
        """
        state = self.state()
        if state is not None:
            weights = self.folder / state.pop("in")
            model.load_weights(weights / "model.npz")
            optimizer.load_state(weights / "optimizer.npz")
        return state

    def state(self) -> dict[str, Any] | None:
        """What was saved beside the weights, for a program that has to know it before
        it can make the model.
        """
        path = self.folder / "state.json"
        return json.loads(path.read_text("utf-8")) if path.exists() else None
