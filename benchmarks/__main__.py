"""Measure and print the tables; with --write, also write docs/benchmarks.md and .png.

Every framework runs in a separate process. The runs are interleaved: in each round
every framework has one turn, so that other load on the machine affects all alike. The
figures are medians over the rounds, divided by ``dezero_lite``'s.
"""

import argparse
import contextlib
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from . import limits
from .frameworks import FRAMEWORKS
from .programs import COMPILED, MEMORY, ROWS, SMALL, SUM_OF_PRODUCT, Row

# Seconds between turns, and the runs that count in each turn.
PAUSE = 0.1
RUNS = 5
DOCS = Path(__file__).resolve().parent.parent / "docs"
OURS = "dezero_lite"
OUR_TWO = OURS, SMALL
# The oldest NumPy that pyproject.toml allows.
OLDEST_NUMPY = "numpy==2.0.0"
# Measured in processes that only import.
IMPORT = Row("import, against numpy", program=None)


def main():
    """Run the benchmarks from the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__.splitlines()[0],
        allow_abbrev=False,
    )
    parser.add_argument(
        "--rounds",
        type=count,
        default=9,
        help="rounds for each framework (9; a third of that for slow rows)",
    )
    parser.add_argument(
        "--only",
        default="",
        metavar="TEXT",
        help="only run rows whose name contains this text",
    )
    parser.add_argument(
        "--write",
        action="store_true",
        help="write docs/benchmarks.md and docs/benchmarks.png",
    )
    options = parser.parse_args()
    if options.only and options.write:
        parser.error("--write needs all rows, so it cannot be combined with --only")
    if not any(options.only in row.title for row in [*ROWS, *MEMORY]):
        parser.error(
            f"--only {options.only!r}: no row has this in its name; docs/benchmarks.md "
            "lists them all"
        )
    # Check now, not after everything has been measured.
    needed = ["threadpoolctl", *(["matplotlib"] if options.write else [])]
    if missing := [name for name in needed if not find_spec(name)]:
        sys.exit(
            f"The benchmarks need {' and '.join(missing)}: "
            'pip install -e ".[bench]" -c constraints.txt'
        )
    if not options.only:
        print(
            "This takes about a quarter of an hour on an otherwise idle machine. "
            "--only TEXT measures single rows."
        )
    names = [name for name in FRAMEWORKS if name in OUR_TWO or installed(name)]
    print("Comparing", ", ".join(names))
    asked = [row for row in ROWS if options.only in row.title]
    times = medians(names, asked, options.rounds)
    if not options.only:
        times[IMPORT] = import_ratios(names, options.rounds)
    oldest = None
    if SUM_OF_PRODUCT in asked:
        oldest = on_oldest_numpy(options.rounds)
    memory = None
    if sys.platform == "linux":  # which reports the peak memory of a process
        memory = peaks(names, [row for row in MEMORY if options.only in row.title])
    text = report(names, times, memory, limits.measure(), options.rounds, oldest)
    print(text)
    if options.write:
        (DOCS / "benchmarks.md").write_text(text, encoding="utf-8", newline="\n")
        plot(names, times)


def count(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is less than 1")
    return number


def installed(name):
    if name == COMPILED:
        name = "numba"
    try:
        return version(name.partition("-")[0])
    except PackageNotFoundError:
        return None


def medians(names, rows, rounds):
    """Return seconds by row and framework."""
    with contextlib.ExitStack() as stack:
        workers = {name: stack.enter_context(Worker(name)) for name in names}
        return rows_by(workers, rows, rounds)


def rows_by(workers, rows, rounds):
    times = {}
    for row in rows:
        print("  ", row.title, flush=True)
        seconds = {name: [] for name in workers if row.fits(name)}
        able = list(seconds)
        for i in range(max(3, rounds // 3) if row.slow else rounds):
            # Frameworks take turns to begin. The pause lets the threads of the previous
            # one come to rest.
            for name in able[i % len(able) :] + able[: i % len(able)]:
                time.sleep(PAUSE)
                seconds[name] += turn(workers[name], row)
        times[row] = {
            name: statistics.median(values) for name, values in seconds.items()
        }
    return times


def turn(worker, row):
    """Return the seconds of a few runs in a row, after one that prepares the work and
    the caches.
    """
    worker.run(row)
    return [worker.run(row) for _ in range(1 if row.slow else RUNS)]


class Worker:
    """A process with one framework; packages in `folder` take precedence."""

    def __init__(self, name, folder=None):
        command = [sys.executable, "-m", "benchmarks.worker", name]
        path = filter(None, [folder, os.environ.get("PYTHONPATH")])
        self.process = subprocess.Popen(
            command,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with self.process:
            self.process.kill()

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(
                f"The process of {self.process.args[-1]} ended; its output is above."
            )
        return line

    def run(self, row):
        self.process.stdin.write(row.title + "\n")
        self.process.stdin.flush()
        return float(self.read())


def import_ratios(names, rounds):
    """Return each framework's import time in a fresh process, divided by NumPy's."""
    # Each framework imports NumPy. The book's needs np.int, which NumPy has removed.
    timer = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
start = time.perf_counter()
import numpy
numpy.int = int
__import__(sys.argv[1])
print(time.perf_counter() - start)
"""
    # Measure with cached bytecode, as in every import but the first.
    settings = os.environ | {"PYTHONDONTWRITEBYTECODE": ""}
    seconds = {name: [] for name in ["numpy", *names] if "-" not in name}
    for _ in range(max(3, rounds)):
        for name, values in seconds.items():
            values.append(
                float(
                    subprocess.check_output(
                        [sys.executable, "-c", timer, name], env=settings
                    )
                )
            )
    base = statistics.median(seconds.pop("numpy"))
    return {name: statistics.median(values) / base for name, values in seconds.items()}


def on_oldest_numpy(rounds):
    """Return the time of one row on the oldest NumPy, divided by that on the installed
    one; None if pip cannot install the oldest for this Python.
    """
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "install", "-q", "--target", folder]
        if subprocess.run([*pip, "--only-binary=:all:", OLDEST_NUMPY]).returncode:
            return None
        print("  ", "on", OLDEST_NUMPY, end="")
        with Worker(OURS) as ours, Worker(OURS, folder) as oldest:
            workers = {"ours": ours, "oldest": oldest}
            times = rows_by(workers, [SUM_OF_PRODUCT], rounds)[SUM_OF_PRODUCT]
    return times["oldest"] / times["ours"]


def peaks(names, rows):
    """Return megabytes by row and framework, each the median of three processes."""
    memory = {}
    for row in rows:
        print("  ", "memory of", row.title, flush=True)
        memory[row] = {}
        for name in filter(row.fits, names):
            command = [sys.executable, "-m", "benchmarks.worker", name, row.title]
            values = [float(subprocess.check_output(command)) for _ in range(3)]
            memory[row][name] = statistics.median(values)
    return memory


def report(names, times, memory, rates, rounds, oldest):
    """Return the tables as Markdown: the other frameworks' times divided by ours, peaks
    of memory, and limits.
    """
    versions = ", ".join(
        f"{name} {installed(name)}"
        for name in names
        if name not in OUR_TWO and "-" not in name
    )
    others = [name for name in names if name != OURS]
    lines = [
        "# Speed and memory, side by side",
        "",
        f"Made by `python -m benchmarks --write`: {rounds} rounds of {RUNS} runs, "
        "medians, one process for each framework; "
        f"Python {platform.python_version()}, {versions}.",
        "A figure is the other framework's time divided by `dezero_lite`'s in the same "
        "run: above 1, `dezero_lite` is faster.",
        f"`{SMALL}` is the small package of lessons 33 to 60: the difference between "
        "the two is the speed that the extra lines of `dezero_lite` gain.",
        "The book's layers are float64, unintentionally; `dezero-float32` is the same "
        "framework with its weights kept in float32.",
        f"`{COMPILED}` is `dezero_lite` after `dezero_lite.compiled.use()`.",
        "The last row compares each import with `import numpy`.",
        "`numpy-bare` is the work in NumPy alone, with no graph and no checks "
        "(`benchmarks/bare.py`); where that is slower than PyTorch, NumPy is the "
        "limit.",
        "",
        "The last column divides the time of `dezero_lite` by a lower limit, measured "
        "on the same machine: "
        + "; ".join(f"{kind}: {unit}" for kind, unit in limits.KINDS.items())
        + ".",
        "",
        "| work | " + " | ".join(others) + " | against the limit |",
        "| :--- |" + " ---: |" * (len(others) + 1),
    ]
    for row, by in times.items():
        if row is IMPORT:
            cells = [
                f"{by[name]:.1f} (ours {by[OURS]:.1f})" if name in by else "–"
                for name in others
            ]
        else:
            cells = [
                f"{by[name] / by[OURS]:.1f}" if name in by else "–" for name in others
            ]
        lines.append(
            f"| {row.title} | {' | '.join(cells)} | "
            f"{limits.distance(row.work, by[OURS], rates)} |"
        )
    if oldest is not None:
        lines += [
            "",
            f"With {OLDEST_NUMPY}, the oldest supported version, the row "
            f"“{SUM_OF_PRODUCT.title}” takes {oldest:.1f} times as long as with "
            f"{installed('numpy')}.",
        ]
    lines += [
        "",
        "![The same as a plot](benchmarks.png)",
        "",
        *memory_table(names, memory),
    ]
    kernel = ", ".join(sorted({pool["architecture"] for pool in blas()}))
    threads = max(pool["num_threads"] for pool in blas())
    measured = ", ".join(
        f"{rates[kind] / (1e6 if kind == 'nodes' else 1e9):.1f} {unit}"
        for kind, unit in units()
    )
    limits_line = f"The limits in this run: {measured}."
    kernel_line = f"NumPy's products ran on {kernel}, in {threads} thread"
    return "\n".join(
        [*lines, "", limits_line, f"{kernel_line}{'s' * (threads > 1)}.", ""]
    )


def blas():
    """List the OpenBLAS libraries that NumPy uses."""
    from threadpoolctl import threadpool_info

    return [pool for pool in threadpool_info() if pool["internal_api"] == "openblas"]


def memory_table(names, memory):
    if memory is None:
        return ["Memory was not measured, because that needs Linux."]
    if not memory:
        return []
    lines = [
        "Peak resident memory while the work runs, beyond that before it, in MB (the "
        "median of three fresh",
        "processes):",
        "",
        "| work | " + " | ".join(names) + " |",
        "| :--- |" + " ---: |" * len(names),
    ]
    for row, by in memory.items():
        lines.append(
            f"| {row.title} | "
            + " | ".join(f"{by[name]:.0f}" if name in by else "–" for name in names)
            + " |"
        )
    return lines


def units():
    return [
        ("products", "GFLOP/s in products"),
        ("fresh", "GB/s of fresh memory"),
        ("nodes", "million nodes/s"),
    ]


def plot(names, times):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.style.use("steps.course")
    rows = {row.title: by for row, by in times.items() if row is not IMPORT}
    others = [name for name in names if name != OURS]
    figure, ax = plt.subplots(figsize=(9, 1 + 0.45 * len(rows)))
    for i, name in enumerate(others):
        at = [row for row, by in enumerate(rows.values()) if name in by]
        ratios = [by[name] / by[OURS] for by in rows.values() if name in by]
        ax.plot(ratios, at, "*PosD^v"[i], markersize=8, label=name)
    ax.axvline(1, color="0.3", linestyle="--")
    ax.set(
        yticks=range(len(rows)),
        yticklabels=rows,
        xscale="log",
        xlabel="time divided by dezero_lite's",
    )
    ax.set_title("Right of the dashed line, dezero_lite is faster")
    ax.grid(axis="y", color="0.9")
    ax.invert_yaxis()
    ax.legend()
    figure.savefig(DOCS / "benchmarks.png", dpi=100, bbox_inches="tight")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        print("\nStopped; nothing was written.", file=sys.stderr)
        sys.exit(130)
