"""Where a training was, in a folder, so that it can go on there."""

from __future__ import annotations

import itertools
import json
import os
import re
from pathlib import Path
from typing import Any

__all__ = ["Checkpoint"]

# The folder of a step's weights; nothing of another name is ever deleted.
NAME = re.compile(r"step\d{8}(-\d+)?")


class Checkpoint:
    """The last state of a training, in a folder.

    Each save has a new folder for the weights and the optimizer's state.
    ``state.json`` is written after them, at once, and names that folder; then the
    folder that it named before is deleted. So whenever a program or the power fails,
    what is named is whole.

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
        """Save a model and its optimizer, and whatever JSON can hold.

        Raises
        ------
        ValueError
            If there is a ``state.json`` that is not a checkpoint's.
        """
        from shutil import rmtree

        before = self._read()
        place = self._new_place(step)
        model.save_weights(place / "model.npz")
        optimizer.save_state(place / "optimizer.npz")
        new = self.folder / "state.new"
        new.write_text(json.dumps({**more, "step": step, "in": place.name}), "utf-8")
        for path in (place / "model.npz", place / "optimizer.npz", place, new):
            _to_disk(path)
        os.replace(new, self.folder / "state.json")
        _to_disk(self.folder)
        if before is not None:
            rmtree(self.folder / before["in"], ignore_errors=True)

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
            If the files are of another model or optimizer, or ``state.json`` is
            damaged.
        """
        state = self._read()
        if state is not None:
            weights = self.folder / state.pop("in")
            model.load_weights(weights / "model.npz")
            optimizer.load_state(weights / "optimizer.npz")
        return state

    def state(self) -> dict[str, Any] | None:
        """What :meth:`load` returns, for a program that has to know it before it can
        make the model.
        """
        state = self._read()
        if state is not None:
            del state["in"]
        return state

    def _new_place(self, step: int) -> Path:
        self.folder.mkdir(parents=True, exist_ok=True)
        place = self.folder / f"step{step:08d}"
        for count in itertools.count(2):
            try:
                place.mkdir()
                break
            except FileExistsError:
                place = self.folder / f"step{step:08d}-{count}"
        return place

    def _read(self) -> dict[str, Any] | None:
        path = self.folder / "state.json"
        try:
            state = json.loads(path.read_text("utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise ValueError(f"{path} cannot be read: {error}") from None
        step, place = _item(state, "step"), _item(state, "in")
        if not isinstance(step, int) or not NAME.fullmatch(str(place)):
            raise ValueError(
                f"{path} is not the state of a training: its step is {step!r:.40} and "
                f"its folder {place!r:.40}. Delete it to begin anew, or take another "
                "folder"
            )
        return dict(state)


def _item(state: Any, name: str) -> Any:
    return state.get(name) if isinstance(state, dict) else None


def _to_disk(path: Path) -> None:
    # Until then, a file may be in memory alone. Windows writes folders by itself.
    if path.is_dir() and os.name == "nt":
        return
    file = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(file)
    finally:
        os.close(file)
