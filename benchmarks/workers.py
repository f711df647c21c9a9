"""Measure a training step on several workers of this machine: its time, the bytes that
a worker sends, and the share of the time that is not computing. With --write, also
write docs/benchmarks-workers.md.

The same model and batch run on a ring of processes and on Dask's workers. The batch is
split into one shard for each worker, so with enough processors each worker computes for
a shorter time. Every worker has one thread.
"""

import argparse
import os
import platform
import statistics
import sys
import time
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np

import dezero_lite.functions as F
from dezero_lite import manual_seed
from dezero_lite.models import MLP
from dezero_lite.optimizers import SGD
from dezero_lite.parallel import average_gradients, run_ring, shards

WORKERS = (1, 2, 4)
STEPS = 20
BATCH, INPUTS, HIDDEN, CLASSES = 512, 784, 512, 10
PAGE = Path(__file__).resolve().parent.parent / "docs" / "benchmarks-workers.md"


@dataclass(frozen=True)
class Figures:
    """The figures of one step: its seconds, those of them in which nothing is computed,
    and the bytes that a worker sends.
    """

    step: float
    waiting: float
    sent: int


class Images:
    """Random pixels, and random classes."""

    def __init__(self):
        rng = np.random.default_rng(0)
        self.x = rng.normal(size=(BATCH, INPUTS)).astype(np.float32)
        self.t = rng.integers(CLASSES, size=BATCH)

    def __len__(self):
        return BATCH

    def __getitem__(self, index):
        return self.x[index], self.t[index]


def make_model():
    manual_seed(0)
    return MLP((HIDDEN, HIDDEN, CLASSES), F.relu)


def loss(model, x, t):
    return F.softmax_cross_entropy(model(x), t)


def on_a_ring(ring, steps):
    """Return the figures of one worker: medians over its steps."""
    mine = shards(BATCH, ring.size)[ring.rank]
    x, t = Images()[mine]
    model = make_model()
    loss(model, x[:1], t[:1])
    optimizer = SGD().setup(model)
    whole, waiting = [], []
    for _ in range(steps + 1):  # the first one is a warm-up
        start = time.perf_counter()
        model.cleargrads()
        loss(model, x, t).backward()
        computed = time.perf_counter()
        average_gradients(model, len(x), ring)
        averaged = time.perf_counter()
        optimizer.update()
        whole.append(time.perf_counter() - start)
        waiting.append(averaged - computed)
    sent = ring.sent // (steps + 1)
    return Figures(statistics.median(whole[1:]), statistics.median(waiting[1:]), sent)


def by_ring(workers, steps):
    """Return the figures of the slowest worker."""
    return max(run_ring(on_a_ring, workers, steps), key=lambda found: found.step)


def by_dask(workers, steps):
    """Return the figures of a step, as seen by the process that requests it. The
    computing time is that of a single worker on the whole batch, divided by the number
    of workers.
    """
    from distributed import Client, LocalCluster

    from dezero_lite.parallel.dask import DataParallel

    computing = by_ring(1, steps).step / workers
    with (
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            dashboard_address=None,
            silence_logs=50,
        ) as cluster,
        Client(cluster) as client,
    ):
        trainer = DataParallel(client, make_model, loss, Images(), workers)
        optimizer = SGD().setup(trainer.model)
        everything = np.arange(BATCH)
        whole = []
        for _ in range(steps + 1):
            start = time.perf_counter()
            trainer.backward(everything)
            optimizer.update()
            whole.append(time.perf_counter() - start)
        sent = sum(p.data.nbytes for p in trainer.model.params())
    step = statistics.median(whole[1:])
    return Figures(step, max(step - computing, 0.0), sent)


ENGINES = {"ring": by_ring, "Dask": by_dask}


def measure(steps=STEPS, counts=WORKERS):
    return {
        (name, workers): engine(workers, steps)
        for name, engine in ENGINES.items()
        for workers in counts
    }


def report(figures):
    """Return the table as Markdown."""
    lines = [
        "# A training step on several workers",
        "",
        "Made by `python -m benchmarks.workers --write`: a network of "
        f"{INPUTS}-{HIDDEN}-{HIDDEN}-{CLASSES} in float32, a batch of {BATCH}, "
        f"medians of {STEPS} steps; {os.cpu_count()} processors, Python "
        f"{platform.python_version()}, distributed {version('distributed')}.",
        "Each worker has one thread, and Dask's client is an additional process.",
        "The remaining time is spent on sending, and on waiting for other workers and "
        "for a processor.",
        "",
        "| engine | workers | milliseconds | not computing | MB that a worker sends |",
        "| :--- | ---: | ---: | ---: | ---: |",
    ]
    lines += [
        f"| {name} | {workers} | {1000 * found.step:.0f} | "
        f"{found.waiting / found.step:.0%} | {found.sent / 1e6:.1f} |"
        for (name, workers), found in figures.items()
    ]
    return "\n".join([*lines, ""])


def main():
    """Measure from the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.workers",
        description=__doc__.split("\n\n")[0],
        allow_abbrev=False,
    )
    parser.add_argument("--write", action="store_true", help=f"write docs/{PAGE.name}")
    options = parser.parse_args()
    # For the workers, which are new processes: each uses one processor.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    print("This takes about a minute on an otherwise idle machine.", flush=True)
    text = report(measure())
    print(text)
    if options.write:
        PAGE.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    # Workers cannot unpickle objects from __main__.
    from benchmarks import workers

    try:
        workers.main()
    except KeyboardInterrupt:
        print("\nStopped; nothing was written.", file=sys.stderr)
        sys.exit(130)
