"""Measure, and write docs/benchmarks.md and docs/benchmarks.png.

Every framework runs in a process of its own. The runs are interleaved: each round asks every framework once, so that
what else the machine does falls on all alike. The figures are medians over the rounds, divided by ``dezero_lite``'s.
"""

import argparse
import json
import platform
import statistics
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from .frameworks import FRAMEWORKS
from .programs import PROGRAMS

DOCS = Path(__file__).resolve().parent.parent / "docs"


def main():
    """Run the benchmarks from the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15, help="how often each program runs (15)")
    parser.add_argument("--no-files", action="store_true", help="print the table and write nothing")
    options = parser.parse_args()
    names = [name for name in FRAMEWORKS if name == "dezero_lite" or installed(name)]
    print("Comparing", ", ".join(names))
    rows = medians(names, options.rounds) | {"import, against numpy": import_ratios(names, options.rounds)}
    text = report(names, rows, options.rounds)
    print(text)
    if not options.no_files:
        (DOCS / "benchmarks.md").write_text(text, encoding="utf-8", newline="\n")
        plot(names, rows)


def installed(name):
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def medians(names, rounds):
    """Seconds by row and framework."""
    workers = {name: Worker(name) for name in names}
    seconds = {}
    for title in PROGRAMS:
        print("  ", title, flush=True)
        for name in names:  # a first run, to warm up
            workers[name].run(title)
        for _ in range(rounds):
            for name in names:
                for part, value in workers[name].run(title).items():
                    seconds.setdefault(f"{title}, {part}" if part else title, {}).setdefault(name, []).append(value)
    return {row: {name: statistics.median(values) for name, values in by.items()} for row, by in seconds.items()}


class Worker:
    """A process with one framework."""

    def __init__(self, name):
        command = [sys.executable, "-m", "benchmarks.worker", name]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.read()

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"The process of {self.process.args[-1]} ended; what it said stands above.")
        return line

    def run(self, title):
        self.process.stdin.write(title + "\n")
        self.process.stdin.flush()
        return json.loads(self.read())


def import_ratios(names, rounds):
    """The time to import a framework in a fresh process, divided by numpy's."""
    # Each of them imports NumPy. The book's framework needs a name that NumPy has dropped since.
    timer = """
import sys, time
start = time.perf_counter()
import numpy
numpy.int = int
__import__(sys.argv[1])
print(time.perf_counter() - start)
"""
    seconds = {name: [] for name in ["numpy", *names]}
    for _ in range(max(3, rounds // 3)):
        for name, values in seconds.items():
            values.append(float(subprocess.check_output([sys.executable, "-c", timer, name])))
    base = statistics.median(seconds.pop("numpy"))
    return {name: statistics.median(values) / base for name, values in seconds.items()}


def report(names, rows, rounds):
    """The table as Markdown: our time, and every other's divided by ours."""
    versions = ", ".join(f"{name} {installed(name)}" for name in names if name != "dezero_lite")
    others = [name for name in names if name != "dezero_lite"]
    lines = [
        "# Speed, side by side",
        "",
        f"Made by `python -m benchmarks`: {rounds} interleaved rounds, medians, one process for each framework;",
        f"Python {platform.python_version()}, {versions}. A figure is the other framework's time divided by",
        "`dezero_lite`'s in the same run: above 1, `dezero_lite` is faster. The last row compares each import with",
        "`import numpy`.",
        "",
        "| work | " + " | ".join(others) + " |",
        "| :--- |" + " ---: |" * len(others),
    ]
    for row, by in rows.items():
        if row.startswith("import"):
            cells = [f"{by[name]:.1f} (ours {by['dezero_lite']:.1f})" for name in others]
        else:
            cells = [f"{by[name] / by['dezero_lite']:.1f}" for name in others]
        lines.append(f"| {row} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", "![The same as a plot](benchmarks.png)", ""])


def plot(names, rows):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.style.use("steps.course")
    rows = {row: by for row, by in rows.items() if not row.startswith("import")}
    others = [name for name in names if name != "dezero_lite"]
    figure, ax = plt.subplots(figsize=(9, 1 + 0.8 * len(rows)))
    for i, name in enumerate(others):
        heights = [row + (i - len(others) / 2 + 0.5) * 0.25 for row in range(len(rows))]
        ratios = [by[name] / by["dezero_lite"] for by in rows.values()]
        bars = ax.barh(heights, ratios, height=0.22, label=name)
        ax.bar_label(bars, fmt="%.1f", padding=3, fontsize=9)
    ax.axvline(1, color="0.3", linestyle="--")
    ax.set(yticks=range(len(rows)), yticklabels=rows, xscale="log", xlabel="time divided by dezero_lite's")
    ax.set_title("Right of the dashed line, dezero_lite is faster")
    ax.invert_yaxis()
    ax.legend()
    figure.savefig(DOCS / "benchmarks.png", dpi=100)


if __name__ == "__main__":
    main()
