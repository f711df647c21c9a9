"""Training on the workers of Dask, on whatever machines. Step 79 explains it::

    from dask.distributed import Client
    from dezero_lite.parallel.dask import DataParallel

    client = Client("tcp://scheduler:8786")
    trainer = DataParallel(client, make_model, loss, data)
    optimizer = Adam().setup(trainer.model)
    for loss in trainer.train(optimizer, epochs=3, batch_size=256, checkpoint="run"):
        print(loss)

The parameters and the optimizer are here. Each worker has a shard of the data and its
own copy of the model. In every step, the weights travel to the workers, and the
gradients of their shards come back; the update happens here, once all of them have
arrived. So nothing is lost if a worker dies: Dask notices, gives its shard to another
worker, and the step continues.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import __version__
from ..checkpoint import Checkpoint
from ..core import Variable, no_grad
from ..core.types import Array
from ..random import generator, manual_seed
from .gradients import mean_gradients, own_gradients, set_gradients
from .importable import check_importable
from .shards import shards

__all__ = ["DataParallel", "sweep"]

Loss = Callable[[Any, Any, Any], Variable]


class DataParallel:
    """A model whose gradients are computed by the workers of a Dask cluster.

    Parameters
    ----------
    client : dask.distributed.Client
        A client of any cluster.
    make_model : callable
        Creates the model. Like `loss`, it must be a function of a module that is
        installed on the workers.
    loss : callable
        ``loss(model, x, t)`` returns the mean loss of a batch.
    data : Dataset
        Or anything with a length that returns a batch of examples and labels for
        ``data[array of indices]``.
    shard_count : int, optional
        The number of shards. Default: one for each current worker.

    Attributes
    ----------
    model : Layer
        The model that is trained here; set up the optimizer with it.

    Raises
    ------
    RuntimeError
        If there is no worker, or one has another version of the framework.
    ValueError
        If a function cannot be imported by other processes.

    Notes
    -----
    Everything but a model's parameters stays on each worker: the running averages of
    batch normalisation are those of a shard, and each worker draws its own dropout
    masks, even if `make_model` calls :func:`dezero_lite.manual_seed`.
    """

    def __init__(
        self,
        client: Any,
        make_model: Callable[[], Any],
        loss: Loss,
        data: Any,
        shard_count: int | None = None,
    ) -> None:
        check_importable(make_model)
        check_importable(loss)
        workers = _workers(client)
        parts = shards(len(data), shard_count or len(workers))
        self.client = client
        self.size = len(data)
        self.model = make_model()
        x, t = data[np.arange(1)]
        with no_grad():  # so that layers learn their sizes from a first input
            loss(self.model, x, t)
        self._starts = [part.start for part in parts]
        self._replicas = []
        self._digests: dict[int, int] = {}
        for i, part in enumerate(parts):
            examples = data[np.arange(self.size)[part]]
            for k, array in enumerate(examples):
                content = np.ascontiguousarray(array)
                self._digests[k] = zlib.crc32(content.data, self._digests.get(k, 0))
            replica = Replica, __version__, i, make_model, loss, *examples
            place = [workers[i % len(workers)]]
            options = {"workers": place, "allow_other_workers": True, "pure": False}
            self._replicas.append(client.submit(*replica, **options))

    def __repr__(self) -> str:
        return f"DataParallel({self.size} examples in {len(self._replicas)} shards)"

    def backward(self, indices: NDArray[np.int64]) -> float:
        """Give the model's parameters the gradient of the batch of these examples;
        return the mean loss.

        Raises
        ------
        IndexError
            If an example does not exist; negative indices do not count from the end.
        RuntimeError
            If the cluster no longer responds.
        """
        if len(indices) and not 0 <= min(indices) <= max(indices) < self.size:
            raise IndexError(
                f"the {self.size} examples have the indices 0 to {self.size - 1}, but "
                f"the batch asks for {min(indices)} to {max(indices)}"
            )
        weights = [p.data for p in self.model.params()]
        shard_of = np.searchsorted(self._starts, indices, side="right") - 1
        _check_connection(self.client)
        answers = []
        for i in np.unique(shard_of):
            places = indices[shard_of == i] - self._starts[i]
            work = Replica.gradients, self._replicas[i], weights, places
            answers.append(self.client.submit(*work, pure=False))
        losses, counts, gradients = zip(*_gather(self.client, answers), strict=True)
        set_gradients(self.model, mean_gradients(gradients, counts))
        return float(np.average(losses, weights=counts))

    def train(
        self,
        optimizer: Any,
        epochs: int,
        batch_size: int,
        *,
        seed: int = 0,
        checkpoint: str | os.PathLike[str] | None = None,
        every: int = 100,
    ) -> Iterator[float]:
        """Train, and yield the loss of each batch. The last batch of an epoch may have
        fewer examples.

        Parameters
        ----------
        optimizer : Optimizer
            Set up with this object's `model`.
        seed : int, optional
            Determines the order of the examples, which is different in each epoch.
        checkpoint : path, optional
            A folder on this machine; if it contains the state of an earlier run,
            training continues from there.
        every : int, optional
            Save the state after this many steps, and at the end.

        Raises
        ------
        ValueError
            If the checkpoint belongs to a run with another batch size, seed or data, in
            which its number of steps has another meaning.
        """
        per_epoch = -(-self.size // batch_size)
        place = None if checkpoint is None else Checkpoint(checkpoint)
        settings = {
            "batch_size": batch_size,
            "seed": seed,
            "examples": self.size,
            "data": " ".join(f"{digest:08x}" for digest in self._digests.values()),
        }
        step = 0
        if place and (before := place.state()):
            _check_settings(settings, before.get("settings", {}), checkpoint)
            place.load(self.model, optimizer)
            step = before["step"]
        while step < epochs * per_epoch:
            epoch, batch = divmod(step, per_epoch)
            order = np.random.default_rng([seed, epoch]).permutation(self.size)
            loss = self.backward(order[batch * batch_size : (batch + 1) * batch_size])
            optimizer.update()
            step += 1
            if place and (step % every == 0 or step == epochs * per_epoch):
                place.save(step, self.model, optimizer, settings=settings)
            yield loss


class Replica:
    """A worker's model, and its shard of the data."""

    def __init__(
        self,
        version: str,
        rank: int,
        make_model: Callable[[], Any],
        loss: Loss,
        x: Any,
        t: Any,
    ) -> None:
        _check_version("this worker", __version__, version)
        self.model, self.loss = make_model(), loss
        self.x, self.t = x, t
        if len(x):
            with no_grad():
                loss(self.model, x[:1], t[:1])
        # If make_model sets a seed, all replicas would draw the same dropout masks.
        manual_seed(int(generator().integers(2**32)) + rank)

    def gradients(
        self, weights: Sequence[Array], places: NDArray[np.int64]
    ) -> tuple[float, int, list[Array]]:
        """Return the mean loss of some examples, their number, and the gradients."""
        for param, weight in zip(self.model.params(), weights, strict=True):
            param.data = np.array(weight)
        loss = self.loss(self.model, self.x[places], self.t[places])
        self.model.cleargrads()
        loss.backward()
        return loss.item(), len(places), own_gradients(self.model)


def sweep(
    client: Any,
    train: Callable[..., Any],
    configurations: Iterable[Mapping[str, Any]],
) -> Iterator[tuple[Mapping[str, Any], Any]]:
    """Call ``train(**configuration)`` for each configuration on the available workers,
    and yield pairs (configuration, result) as they finish.

    If a call fails, its result is the exception, and the others continue.

    Parameters
    ----------
    client : dask.distributed.Client
        A client of any cluster.
    train : callable
        A function that the workers can import.
    configurations : iterable of dict
        Arguments by name.

    Raises
    ------
    ValueError
        If `train` cannot be imported by other processes.
    RuntimeError
        If there is no worker, or one has another version of the framework; later, if
        the cluster no longer responds.
    """
    from distributed import as_completed

    check_importable(train)
    _workers(client)
    asked = {client.submit(train, pure=False, **c): c for c in configurations}
    for future in as_completed(list(asked)):
        error = future.exception()
        if future.cancelled():
            raise _connection_error(
                "a call was cancelled", "and ask for the rest"
            ) from error
        yield asked[future], future.result() if error is None else error


def _check_settings(now: Any, before: Any, folder: Any) -> None:
    other = [name for name in sorted(before) if before[name] != now.get(name)]
    if other:
        said = [f"{name} {before[name]!r}, not {now.get(name)!r}" for name in other]
        raise ValueError(
            f"the training run in {os.fspath(folder)} began with {'; '.join(said)}: "
            "continue with the same settings, or use another folder"
        )


def _workers(client: Any) -> list[str]:
    # The workers' addresses, after checking that all have our version.
    found: dict[str, str] = client.run(_version)
    if not found:
        raise RuntimeError("the cluster has no workers yet: client.wait_for_workers(1)")
    for worker, version in found.items():
        _check_version(worker, version, __version__)
    return sorted(found)


def _version() -> str:
    return __version__


def _check_version(worker: str, theirs: str, ours: str) -> None:
    if theirs != ours:
        raise RuntimeError(
            f"{worker} has dezero_lite {theirs}, but the training run began with "
            f"{ours}: install the same version everywhere"
        )


def _gather(client: Any, futures: list[Any]) -> list[Any]:
    from distributed import CancelledError
    from distributed.comm import CommClosedError

    # A client that loses its scheduler cancels its pending futures. Futures submitted
    # after that would wait until it gives up searching for the scheduler.
    _check_connection(client)
    try:
        return list(client.gather(futures))
    except (CancelledError, CommClosedError, OSError, TimeoutError) as error:
        raise _connection_error(type(error).__name__, _GOES_ON) from error


def _check_connection(client: Any) -> None:
    if client.status != "running":
        raise _connection_error(f"the client is {client.status}", _GOES_ON)


_GOES_ON = "and train goes on from its last checkpoint"


def _connection_error(why: str, then: str) -> RuntimeError:
    return RuntimeError(f"the cluster no longer responds ({why}): restart it, {then}")
