"""Step 79: on an engine that exists."""

import os
import signal
from pathlib import Path
from time import perf_counter

import numpy as np

from dezero_lite import manual_seed, no_grad
from dezero_lite.checkpoint import Checkpoint
from dezero_lite.datasets import Digits
from dezero_lite.functions import relu, softmax_cross_entropy
from dezero_lite.models import MLP
from dezero_lite.optimizers import SGD, Adam
from dezero_lite.parallel.dask import DataParallel, sweep
from dezero_lite.parallel.dask import Replica as Replica
from dezero_lite.parallel.mpi import MPIRing

from .library import moved as __getattr__  # noqa: F401

__all__ = ["Checkpoint", "DataParallel", "MPIRing", "dies", "digit_loss", "fastest"]
__all__ += ["kill", "large", "small", "step_alone", "sweep", "train_alone"]
__all__ += ["train_and_die", "train_digits"]


def small():
    """Make an MLP for digits, with the same weights in every process."""
    manual_seed(0)
    return MLP((32, 10), relu)


def large():
    """Make an MLP for digits with about a hundred times the weights of `small`."""
    manual_seed(0)
    return MLP((512, 384, 10), relu)


def digit_loss(model, x, t):
    """Return the mean loss of some digits."""
    return softmax_cross_entropy(model(x), t)


def train_digits(width, rate, epochs=3):
    """Train an MLP on digits, and return its loss on held-back digits."""
    data, held = Digits(), Digits(train=False)
    manual_seed(0)
    model = MLP((width, 10), relu)
    digit_loss(model, *data[np.arange(1)])
    optimizer = SGD(rate).setup(model)
    for epoch in range(epochs):
        order = np.random.default_rng(epoch).permutation(len(data))
        for start in range(0, len(data), 50):
            loss = digit_loss(model, *data[order[start : start + 50]])
            model.cleargrads()
            loss.backward()
            optimizer.update()
    with no_grad():
        return digit_loss(model, *held[np.arange(len(held))]).item()


def train_alone(epochs):
    """Train `small` in this process, on the batches that `DataParallel` takes, and
    return the losses.
    """
    data, model = Digits(), small()
    digit_loss(model, *data[np.arange(1)])
    optimizer, losses = Adam(0.01).setup(model), []
    for epoch in range(epochs):
        order = np.random.default_rng([0, epoch]).permutation(len(data))
        for start in range(0, len(data), 100):
            loss = digit_loss(model, *data[order[start : start + 100]])
            model.cleargrads()
            loss.backward()
            optimizer.update()
            losses.append(loss.item())
    return losses


def fastest(action):
    """Return the seconds of the fastest of many tries."""
    seconds, end = [], perf_counter() + 0.1
    # A machine may be busy with something else for longer than a short try takes.
    while len(seconds) < 5 or perf_counter() < end:
        begin = perf_counter()
        action()
        seconds.append(perf_counter() - begin)
    return sorted(seconds)[0]


def step_alone(make_model, batch):
    """Return the seconds of a step without its update, in the calling process."""
    data, model = Digits(), make_model()
    indices = np.arange(batch) % len(data)

    def step():
        loss = digit_loss(model, *data[indices])
        model.cleargrads()
        loss.backward()

    return fastest(step)


def kill(pid):
    """End a process at once, as a power cut would."""
    os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))


def dies(ring, rounds):
    """Do rounds of all-reduce, and kill worker 1 in the last round."""
    for i in range(rounds):
        if i == rounds - 1 and ring.rank == 1:
            kill(os.getpid())
        ring.all_reduce(np.ones(4))


def train_and_die(address, folder, updates):
    """Train on a cluster with a checkpoint after every four updates, write the losses
    to a file, and kill this process after `updates` updates.
    """
    from distributed import Client

    with Client(address) as client, open(Path(folder, "losses"), "w") as losses:
        trainer = DataParallel(client, small, digit_loss, Digits())
        optimizer = Adam(0.01).setup(trainer.model)
        steps = trainer.train(optimizer, 1, 100, checkpoint=folder, every=4)
        for _, loss in zip(range(updates), steps, strict=False):
            print(loss, file=losses, flush=True)
        kill(os.getpid())
