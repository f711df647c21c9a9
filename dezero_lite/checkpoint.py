"""Saving the state of a training run in a folder, to continue from it later."""

from __future__ import annotations

import json
import operator
import os
import re
from pathlib import Path
from typing import Any

from .atomic import own_suffix, remove_leftovers

__all__ = ["Checkpoint"]

# The name of a save's folder. Earlier versions used a shorter one; folders with other
# names are never deleted.
NAME = r"step\d{8,}-[0-9a-f]{16}"
EARLIER_NAME = r"step\d{8}(-\d+)?"


class Checkpoint:
    """The latest state of a training run, in a folder.

    Each save writes the weights and the optimizer's state to a new folder. Then
    ``state.json``, which names this folder, is replaced in one step, and the previous
    folder is deleted. So whenever the program or the power fails, the folder named is
    complete; a later save deletes what a killed one has left.

    Parameters
    ----------
    folder : str or os.PathLike
        Created at the first save.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)

    def __repr__(self) -> str:
        return f"Checkpoint({str(self.folder)!r})"

    def save(self, step: int, model: Any, optimizer: Any, **more: Any) -> None:
        """Save a model and its optimizer, and any values that JSON can store.

        Raises
        ------
        TypeError
            If JSON cannot store a value in `more`, or `step` is not a whole number.
        ValueError
            If `step` is negative, or the folder contains a ``state.json`` that is not a
            checkpoint's.
        """
        place = self.folder / _name(step)
        state = json.dumps({**more, "step": int(step), "in": place.name})
        before = self._named_folder()
        remove_leftovers(self.folder, NAME, but=before)
        try:
            place.mkdir(parents=True)
            model.save_weights(place / "model.npz")
            optimizer.save_state(place / "optimizer.npz")
            (place / "state.json").write_text(state, "utf-8")
            for path in (*place.iterdir(), place):
                _flush(path)
            before = self._named_folder()  # another process may have saved meanwhile
            os.replace(place / "state.json", self.folder / "state.json")
            _flush(self.folder)
        finally:
            self._delete_unnamed(place.name, before)

    def load(self, model: Any, optimizer: Any) -> dict[str, Any] | None:
        """Restore the saved state of the model and the optimizer.

        Returns
        -------
        dict or None
            The number of the step, as ``step``, and the values in `more`; ``None`` if
            nothing was saved.

        Raises
        ------
        ValueError
            If the files belong to another model or optimizer, or ``state.json`` is
            damaged.
        """
        state = self._read()
        if state is not None:
            weights = self.folder / state.pop("in")
            model.load_weights(weights / "model.npz")
            optimizer.load_state(weights / "optimizer.npz")
        return state

    def state(self) -> dict[str, Any] | None:
        """Return what :meth:`load` would, for a program that needs it before it can
        create the model.
        """
        state = self._read()
        if state is not None:
            del state["in"]
        return state

    def _named_folder(self) -> str | None:
        # The folder that state.json names, or None.
        state = self._read()
        return None if state is None else str(state["in"])

    def _delete_unnamed(self, *names: str | None) -> None:
        from shutil import rmtree

        named = self._named_folder()
        for name in names:
            if name is not None and name != named:
                rmtree(self.folder / name, ignore_errors=True)

    def _read(self) -> dict[str, Any] | None:
        path = self.folder / "state.json"
        try:
            state = json.loads(path.read_text("utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise ValueError(f"{path} cannot be read: {error}") from None
        step, place = _item(state, "step"), _item(state, "in")
        known = re.fullmatch(f"{NAME}|{EARLIER_NAME}", str(place))
        if not isinstance(step, int) or not known:
            raise ValueError(
                f"{path} is not the state of a training run: its step is {step!r:.40} "
                f"and its folder {place!r:.40}. Delete it to start again, or use "
                "another folder"
            )
        return dict(state)


def _name(step: int) -> str:
    if operator.index(step) < 0:
        raise ValueError(
            f"the step of a checkpoint must be 0 or greater, but is {step}"
        )
    return f"step{step:08d}-{own_suffix()}"


def _item(state: Any, name: str) -> Any:
    return state.get(name) if isinstance(state, dict) else None


def _flush(path: Path) -> None:
    # Until then, a file may exist only in memory. Windows flushes folders by itself.
    if path.is_dir() and os.name == "nt":
        return
    file = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(file)
    finally:
        os.close(file)
