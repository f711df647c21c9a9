"""Runs the cells of a notebook in order, as a script."""

from __future__ import annotations

import json
import sys
from types import ModuleType
from typing import Any

# After these the rest of a cell is Python; after others, such as %%bash, it is not.
PYTHON_MAGICS = {"%%capture", "%%prun", "%%time", "%%timeit"}


def run_notebook(path: str) -> None:
    """Run the code of a notebook, without the lines that only Jupyter understands.

    Raises
    ------
    SystemExit
        If the file is not a notebook.
    """
    try:
        with open(path, encoding="utf-8") as file:
            cells = json.load(file)["cells"]
        sources = ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]
    except (LookupError, TypeError, ValueError):
        sys.exit(f"{path} is not a readable notebook.")
    main: Any = ModuleType("__main__")
    main.display = print
    sys.modules["__main__"] = main
    for number, source in enumerate(sources, start=1):
        place = f"{path}, code cell {number}"
        first = source.split(maxsplit=1)[:1]
        if first and first[0].startswith("%%") and first[0] not in PYTHON_MAGICS:
            continue
        text = "\n".join(map(_drop_magic, source.splitlines()))
        exec(compile(text, place, "exec"), vars(main))


def _drop_magic(line: str) -> str:
    indent = line[: len(line) - len(line.lstrip())]
    return f"{indent}pass" if line.lstrip().startswith(("%", "!")) else line
