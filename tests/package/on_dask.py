"""Training on Dask's workers, and what happens when one of them is lost. Most are
threads of this process, which communicate by sockets like any others.
"""

import os
import re
import signal
import subprocess
import sys
import time
from functools import partial

import numpy as np
import pytest

from benchmarks import workers
from dezero_lite.checkpoint import Checkpoint
from dezero_lite.optimizers import SGD, Adam, MomentumSGD
from steps.course.judge.cells import silence_with_timeout
from steps.course.lessons import ROOT
from tests.support import training
from tests.support.programs import python

distributed = pytest.importorskip("distributed")

import dask  # noqa: E402

from dezero_lite.parallel.dask import DataParallel, Replica, sweep  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    # Sockets that a killed process leaves behind.
    pytest.mark.filterwarnings("ignore"),
]


# Limit for a test in seconds; it takes at most three on a quiet machine.
PATIENCE = 180


@pytest.fixture(autouse=True)
def in_time():
    with silence_with_timeout(PATIENCE):
        yield


def local_cluster(n_workers, **options):
    return distributed.LocalCluster(
        n_workers,
        threads_per_worker=1,
        dashboard_address=":0",
        silence_logs=50,
        **options,
    )


@pytest.fixture(scope="module")
def cluster():
    with silence_with_timeout(PATIENCE):
        cluster = local_cluster(4, processes=False, protocol="tcp://")
    yield cluster
    with silence_with_timeout(PATIENCE):
        cluster.close()


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def cluster_of_processes():
    with silence_with_timeout(PATIENCE):
        cluster = local_cluster(2)
    yield cluster
    with silence_with_timeout(PATIENCE):
        cluster.close()


@pytest.fixture
def processes(cluster_of_processes):
    """Start a client of workers that are processes."""
    with distributed.Client(cluster_of_processes) as client:
        # One may have been killed, and takes time to restart.
        client.wait_for_workers(1, timeout=120)
        yield client


def trainer_on(client, count, loss=training.loss, size=333):
    return DataParallel(
        client, training.make_model, loss, training.part_of_digits(size), count
    )


# Shards are unequal, and the last batch is short: 333 examples in batches of 50.
@pytest.mark.parametrize(("kind", "count"), [(SGD, 1), (MomentumSGD, 2), (Adam, 4)])
def test_the_losses_are_those_of_one_process(client, kind, count):
    trainer = trainer_on(client, count)
    optimizer = kind().setup(trainer.model)
    losses = list(trainer.train(optimizer, epochs=1, batch_size=50))
    expected, _ = training.alone(kind())
    assert len(losses) == 7
    np.testing.assert_allclose(losses, expected, rtol=1e-5)


def test_a_worker_that_is_killed_takes_nothing_with_it(processes):
    trainer = trainer_on(processes, 4, training.slow_loss)
    optimizer = Adam().setup(trainer.model)
    losses = []
    for loss in trainer.train(optimizer, epochs=2, batch_size=50):
        losses.append(loss)
        if len(losses) == 3:
            workers = processes.run(os.getpid)
            # On Windows, this kills a process just as abruptly.
            hard = getattr(signal, "SIGKILL", signal.SIGTERM)
            os.kill(next(iter(workers.values())), hard)
    expected, model = training.alone(Adam(), epochs=2)
    np.testing.assert_allclose(losses, expected, rtol=1e-5)
    for ours, theirs in zip(trainer.model.params(), model.params(), strict=True):
        np.testing.assert_allclose(ours.data, theirs.data, rtol=1e-3, atol=1e-5)


def test_a_slow_worker_delays_and_changes_nothing(client):
    trainer = trainer_on(client, 4, training.slow_on_one_loss)
    optimizer = SGD().setup(trainer.model)
    losses = list(trainer.train(optimizer, epochs=1, batch_size=50))
    np.testing.assert_allclose(losses, training.alone(SGD())[0], rtol=1e-5)


def test_a_training_goes_on_from_its_checkpoint(client, tmp_path):
    def training_of(trainer, optimizer):
        settings = {"epochs": 2, "batch_size": 50, "checkpoint": tmp_path, "every": 4}
        return trainer.train(optimizer, **settings)

    trainer = trainer_on(client, 2)
    steps = training_of(trainer, Adam().setup(trainer.model))
    losses = [next(steps) for _ in range(6)]  # two after the last checkpoint
    steps.close()
    again = trainer_on(client, 3)
    optimizer = Adam().setup(again.model)
    later = list(training_of(again, optimizer))
    expected, _ = training.alone(Adam(), epochs=2)
    np.testing.assert_allclose([*losses[:4], *later], expected, rtol=1e-5)
    assert Checkpoint(tmp_path).load(again.model, optimizer)["step"] == 14
    # Twelve steps of another size, order or set of examples are another training run.
    for data, options, said in [
        (333, {"batch_size": 20}, "batch_size 50, not 20"),
        (333, {"batch_size": 50, "seed": 1}, "seed 0, not 1"),
        (332, {"batch_size": 50}, "data .*; examples 333, not 332"),
    ]:
        other = trainer_on(client, 2, size=data)
        steps = other.train(
            Adam().setup(other.model), epochs=2, checkpoint=tmp_path, **options
        )
        with pytest.raises(ValueError, match=said):
            next(steps)
    for places in ([-1, 2], [333]):
        with pytest.raises(IndexError, match="the indices 0 to 332"):
            again.backward(np.array(places))


def test_a_sweep_yields_results_as_they_come(client):
    rates = [{"rate": i} for i in range(5)]
    results = sweep(client, training.times_ten, rates)
    found = {settings["rate"]: result for settings, result in results}
    assert isinstance(found.pop(2), ValueError)
    assert found == {0: 0, 1: 10, 3: 30, 4: 40}


def test_another_version_is_refused_with_both_named(processes, monkeypatch):
    monkeypatch.setattr("dezero_lite.parallel.dask.__version__", "0.0.9")
    with pytest.raises(RuntimeError, match=r"has dezero_lite .* with 0\.0\.9"):
        trainer_on(processes, 2)
    with pytest.raises(RuntimeError, match=r"began with 7\.7"):
        Replica("7.7", 0, training.make_model, training.loss, np.zeros((0, 64)), [])


def test_what_workers_cannot_import_is_refused(client):
    with pytest.raises(ValueError, match="other processes cannot import"):
        DataParallel(client, lambda: None, training.loss, training.part_of_digits(10))
    with pytest.raises(ValueError, match="other processes cannot import"):
        next(sweep(client, lambda: None, [{}]))


SCHEDULER = """
import sys, distributed
cluster = distributed.LocalCluster(
    n_workers=1, dashboard_address=":0", protocol="tcp://", processes=False
)
print(cluster.scheduler_address, flush=True)
sys.stdin.read()
"""


def test_a_scheduler_that_is_killed_is_told_and_the_checkpoint_is_whole(tmp_path):
    # It accepts connections, as on a cluster; its worker is lost with it.
    (tmp_path / "scheduler.py").write_text(SCHEDULER)
    server = subprocess.Popen(
        [sys.executable, tmp_path / "scheduler.py"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    try:
        address = server.stdout.readline().strip()
        with distributed.Client(address, timeout=120) as client:
            client.wait_for_workers(1, timeout=120)
            trainer = trainer_on(client, 1)
            optimizer = SGD().setup(trainer.model)
            steps = trainer.train(
                optimizer, epochs=5, batch_size=50, checkpoint=tmp_path / "run", every=2
            )
            for _ in range(3):
                next(steps)
            pauses = [{"seconds": seconds} for seconds in (0, 600)]
            slept = sweep(client, training.pause, pauses)
            next(slept)
            server.kill()
            lost = pytest.raises(RuntimeError, match="no longer responds")
            with lost:
                list(steps)
            with lost:
                next(slept)
            # And when the client has noticed, and looks for the scheduler.
            while client.status == "running":
                time.sleep(0.01)
            with lost:
                trainer.backward(np.arange(50))
    finally:
        server.kill()
        server.wait(timeout=60)
        server.stdin.close()
        server.stdout.close()
    state = Checkpoint(tmp_path / "run").load(trainer.model, optimizer)
    assert state["step"] >= 2
    assert state["step"] % 2 == 0


def test_sixty_four_workers_in_one_process():
    with (
        # Each worker samples its own work a hundred times per second. With many workers
        # in one process, that takes nearly all of their time.
        dask.config.set({"distributed.worker.profile.enabled": False}),
        local_cluster(64, processes=False) as cluster,
        distributed.Client(cluster) as client,
    ):
        trainer = trainer_on(client, 64)
        optimizer = MomentumSGD().setup(trainer.model)
        losses = list(trainer.train(optimizer, epochs=1, batch_size=200))
    expected, _ = training.alone(MomentumSGD(), batch_size=200)
    np.testing.assert_allclose(losses, expected, rtol=1e-5)


def test_the_page_for_a_team_with_a_cluster_is_true(tmp_path):
    page = (ROOT / "docs" / "cluster.md").read_text(encoding="utf-8")
    for name in ("task.py", "train.py"):
        (code,) = re.findall(rf"```python\n# {name}\n(.*?)```", page, re.DOTALL)
        (tmp_path / name).write_text(code, encoding="utf-8")
    # The port of Dask's dashboard may be taken, which would give a warning.
    env = {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
    done = python("train.py", folder=tmp_path, timeout=PATIENCE, **env)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 12
    assert (tmp_path / "digits.npz").exists()


def test_a_step_on_several_workers_is_measured_with_its_bytes(monkeypatch):
    threads = partial(distributed.LocalCluster, processes=False)
    monkeypatch.setattr(distributed, "LocalCluster", threads)
    figures = workers.measure(steps=1, counts=(2,))
    model = workers.make_model()
    workers.loss(model, *workers.Images()[:1])
    parameters = sum(p.data.nbytes for p in model.params())
    assert figures["Dask", 2].sent == parameters
    # Two halves, twice, and the count of examples.
    assert figures["ring", 2].sent == pytest.approx(parameters, abs=8)
    assert all(0 <= found.waiting <= found.step for found in figures.values())
    lines = workers.report(figures).splitlines()
    assert [line.split(" | ")[0] for line in lines[-2:]] == ["| ring", "| Dask"]
