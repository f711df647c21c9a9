"""Measure networks on the CPU and on a GPU, and products of matrices of several sizes.
With --write, also write docs/benchmarks-gpu.md.

``dezero_lite`` runs on NumPy's and on CuPy's arrays; PyTorch runs on the GPU. Their
runs are interleaved, as in ``python -m benchmarks``.
"""

import argparse
import os
import platform
import sys
from datetime import date
from importlib.metadata import version
from pathlib import Path

from dezero_lite import cuda
from steps.step52 import time_products

from .__main__ import count, medians
from .programs import ROWS

NAMES = ["dezero_lite", "dezero_lite-cupy", "torch-cuda"]
TRIES = 20
SIZES = 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000
PAGE = Path(__file__).resolve().parent.parent / "docs" / "benchmarks-gpu.md"


def main():
    """Run the benchmarks from the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.gpu", description=__doc__.partition("\n\n")[0]
    )
    parser.add_argument("--rounds", type=count, default=3, help="3 unless given")
    parser.add_argument(
        "--write", action="store_true", help="write docs/benchmarks-gpu.md"
    )
    options = parser.parse_args()
    if not cuda.gpu_enable:
        sys.exit("There is no GPU here that CuPy can use.")
    products = time_products(SIZES, cuda.cupy, TRIES)
    times = medians(NAMES, [r for r in ROWS if r.needs_networks], options.rounds)
    text = report(times, products, options.rounds)
    print(text)
    if options.write:
        PAGE.write_text(text, encoding="utf-8", newline="\n")


def report(times, products, rounds):
    """Return both tables as Markdown."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "torch"))
    properties = cuda.cupy.cuda.runtime.getDeviceProperties(0)
    return "\n".join(
        [
            "# Speed on a GPU",
            "",
            f"Made by `python -m benchmarks.gpu --write`: medians of {rounds} rounds, "
            f"in milliseconds, on one {properties['name'].decode()} and "
            f"{os.cpu_count()} processors, {date.today():%d %B %Y}; "
            f"Python {platform.python_version()}, {versions}, "
            f"cupy {cuda.cupy.__version__}.",
            "All compute in float32.",
            "",
            "| work | dezero_lite, NumPy | dezero_lite, CuPy | PyTorch on the GPU |",
            "| :--- | ---: | ---: | ---: |",
            *(f"| {row.title} | {cells(by.values())} |" for row, by in times.items()),
            "",
            "The product of two matrices with n rows and columns, best of "
            f"{TRIES} tries:",
            "",
            f"| n | {' | '.join(products)} |",
            "| ---: | ---: | ---: | ---: |",
            *(
                f"| {n:,} | {cells(seconds)} |"
                for n, *seconds in zip(SIZES, *products.values(), strict=True)
            ),
            "",
        ]
    )


def cells(seconds):
    return " | ".join(f"{1000 * s:.3g}" for s in seconds)


if __name__ == "__main__":
    main()
