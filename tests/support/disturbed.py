"""Lessons with slightly different initial weights: ``python -m tests.matrix
--disturbed``.

Another processor rounds differently, and training amplifies that. So every assertion
that fails here, and every output that changes, has no margin.
"""

import inspect
import json
import re
import subprocess
import sys

from steps.course.lessons import NOTEBOOKS, ROOT, numbers, read_front_matter

# In a report: places, lines that differ, and failing lines with their errors.
TOLD = r"Step \d.*, cell .*|stored: .*|now: .*|-+> .*|\w+Error: .*|.* output fields .*"
COLOURS = re.compile(r"\x1b\[[\d;]*m")


def main(lessons, rounds=3):
    """Run each lesson with this many disturbances, and print what changes."""
    changed = []
    for number in lessons or [n for n in numbers() if read_front_matter(n).trains]:
        for seed in range(rounds):
            ran = run(number, seed)
            report = COLOURS.sub("", ran.stdout)
            told = re.findall(f"^(?:{TOLD})$", report, re.M)
            told = told or [report] * (ran.returncode != 0)
            print(f"-- step {number}, disturbance {seed}", *told, sep="\n", flush=True)
            changed += [number] * bool(told)
    if changed:
        sys.exit(f"No margin: {', '.join(map(str, sorted(set(changed))))}")


def run(number, seed):
    """Let pytest run a lesson whose normal random numbers are disturbed."""
    book = json.loads((NOTEBOOKS / f"step{number:02d}.ipynb").read_text("utf-8"))
    first = next(cell for cell in book["cells"] if cell["cell_type"] == "code")
    begin = f"{inspect.getsource(disturb)}\ndisturb({seed})\n"
    first["source"] = begin + "".join(first["source"])
    copy = NOTEBOOKS / f".disturbed-step{number:02d}.ipynb"
    copy.write_text(json.dumps(book), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", copy]
    try:
        return subprocess.run(
            command, cwd=ROOT, stdout=subprocess.PIPE, encoding="utf-8"
        )
    finally:
        copy.unlink()


def disturb(number, size=1e-7):
    """Change the normal random numbers of all generators created from now on.

    This runs in a notebook's kernel, which gets its source. The same seed still gives
    the same numbers.
    """
    import numpy as np

    plain = np.random.default_rng

    class Disturbed(np.random.Generator):
        def __init__(self, bits):
            super().__init__(bits)
            self.noise = plain(number)

        def disturbed(self, x):
            factor = 1 + size * self.noise.uniform(-1, 1, np.shape(x))
            return (x * factor).astype(x.dtype) if np.ndim(x) else x * factor

        def normal(self, *args, **kwargs):
            return self.disturbed(super().normal(*args, **kwargs))

        def standard_normal(self, *args, **kwargs):
            return self.disturbed(super().standard_normal(*args, **kwargs))

    np.random.default_rng = lambda seed=None: Disturbed(plain(seed).bit_generator)
