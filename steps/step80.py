"""Step 80: to the scale of the internet, on paper."""

from dataclasses import dataclass, replace

import numpy as np

from .library import moved as __getattr__  # noqa: F401
from .step78 import Link

__all__ = ["MEGATRON", "PEAKS", "TRAININGS", "GPTShape", "Machine", "Plan", "Training"]
__all__ += ["all_plans", "fitted_speed", "stage_ends", "step_seconds", "worker_bytes"]


# --- The simulator --------------------------------------------------------------------


@dataclass(frozen=True)
class Machine:
    """A worker, and its links to others."""

    speed: float  # operations a second
    near: Link  # to workers in the same box
    far: Link  # to workers in other boxes


@dataclass(frozen=True)
class Plan:
    """A way to divide a training step among workers."""

    batch: int  # examples in a step
    micro: int = 1  # examples in a micro-batch
    data: int = 1  # copies of the model, which share the batch
    tensor: int = 1  # parts of each matrix
    pipeline: int = 1  # stages
    pieces: int = 1  # parts of a stage, which take turns
    recompute: bool = False  # compute activations again in the backward pass

    @property
    def workers(self):
        return self.data * self.tensor * self.pipeline

    @property
    def rounds(self):
        """Return how many micro-batches a copy of the model gets in a step."""
        return self.batch // (self.data * self.micro)


@dataclass(frozen=True)
class GPTShape:
    """The sizes of a GPT whose numbers have two bytes."""

    layers: int
    size: int
    context: int = 2048
    vocabulary: int = 51_200

    @property
    def parameters(self):
        block = 12 * self.size**2 + 13 * self.size
        return self.layers * block + (self.vocabulary + self.context) * self.size

    def operations(self, examples):
        """Count six operations per weight that multiplies a token, plus attention's."""
        weights = 12 * self.layers * self.size**2 + self.vocabulary * self.size
        looks = 2 * self.layers * self.size * self.context
        return 6 * examples * self.context * (weights + looks)

    def stream(self, examples):
        """Count the numbers that go from one layer to the next."""
        return examples * self.context * self.size


def step_seconds(shape, plan, machine):
    """Return how long each part of a training step takes."""
    if not plan.rounds:
        raise ValueError("the batch has less than one micro-batch for each copy")
    operations = shape.operations(plan.batch) / plan.workers
    if plan.recompute:
        operations *= 4 / 3
    compute = operations / machine.speed

    sums = (6 if plan.recompute else 4) * plan.rounds * shape.layers / plan.pipeline
    stream = 2 * shape.stream(plan.micro)
    tensor = sums * machine.near.ring(stream, plan.tensor)

    waits = (plan.pipeline - 1) / (plan.rounds * plan.pieces)
    bubble = (compute + tensor) * waits

    gradients = 2 * shape.parameters / (plan.tensor * plan.pipeline)
    data = machine.far.ring(gradients, plan.data)
    return {"compute": compute, "tensor": tensor, "bubble": bubble, "data": data}


def worker_bytes(shape, plan):
    """Return the bytes that a worker of the first stage needs, by purpose, to train a
    GPT in 16 bits with Adam in 32 bits.
    """
    own = shape.parameters / (plan.tensor * plan.pipeline)
    kept = 2 if plan.recompute else 34 / plan.tensor
    on_the_way = np.minimum(plan.pipeline, plan.rounds) * shape.layers / plan.pipeline
    return {
        "weights": 2 * own,
        "gradients": 2 * own,
        "optimizer": 12 * own,
        "activations": kept * on_the_way * shape.stream(plan.micro),
    }


def stage_ends(times, micro):
    """Return when each stage of a pipeline finishes each of `micro` micro-batches, in
    an array of shape (stages, micro). Stage i takes times[i] for one micro-batch.
    """
    ends = np.zeros((len(times) + 1, micro + 1))
    for i, seconds in enumerate(times, start=1):
        for k in range(1, micro + 1):
            ends[i, k] = np.maximum(ends[i - 1, k], ends[i, k - 1]) + seconds
    return ends[1:, 1:]


def fitted_speed(shape, plan, machine, measured):
    """Return the speed at which a step on this machine takes `measured` seconds."""

    def total(speed):
        parts = step_seconds(shape, plan, replace(machine, speed=speed))
        return np.sum(list(parts.values()))

    waiting = total(float("inf"))
    assert measured > waiting, "sending alone takes longer than the measured step"
    return (total(1.0) - waiting) / (measured - waiting)


def all_plans(batch, workers):
    """List ways to divide a step by powers of two; up to eight workers are near."""
    powers = [2**i for i in range(workers.bit_length())]
    cuts = [(tensor, pipeline) for tensor in powers[:4] for pipeline in powers]
    return [
        Plan(batch, data=workers // (a * b), tensor=a, pipeline=b)
        for a, b in cuts
        if workers % (a * b) == 0 and batch % (workers // (a * b)) == 0
    ]


# --- What was published ---------------------------------------------------------------


# The makers' figures for one accelerator, in operations a second.
PEAKS = {"A100": 312e12, "H100": 989e12, "TPU v4": 275e12}


@dataclass(frozen=True)
class Training:
    """A training run, with the published hours of its accelerators."""

    name: str
    parameters: float
    tokens: float
    hours: float
    accelerator: str = "A100"
    recompute: bool = False

    def predicted(self, share):
        """Return the hours at this share of the peak speed."""
        operations = (8 if self.recompute else 6) * self.parameters * self.tokens
        return operations / (share * PEAKS[self.accelerator]) / 3600


# From the papers on LLaMA (tables 2 and 15), Llama 2 (table 2), BLOOM, Llama 3 (and its
# model card), Pythia (table 5) and PaLM.
TRAININGS = (
    Training("LLaMA 7B", 6.7e9, 1.0e12, 82_432),
    Training("LLaMA 13B", 13.0e9, 1.0e12, 135_168),
    Training("LLaMA 33B", 32.5e9, 1.4e12, 530_432),
    Training("LLaMA 65B", 65.2e9, 1.4e12, 1_022_362),
    Training("Llama 2 7B", 7e9, 2.0e12, 184_320),
    Training("Llama 2 13B", 13e9, 2.0e12, 368_640),
    Training("Llama 2 34B", 34e9, 2.0e12, 1_038_336),
    Training("Llama 2 70B", 70e9, 2.0e12, 1_720_320),
    Training("BLOOM", 176.2e9, 366e9, 1_082_990, recompute=True),
    Training("Llama 3.1 405B", 405e9, 15.6e12, 30_840_000, "H100"),
    Training("Pythia 1.4B", 1.4e9, 300e9, 7_120),
    Training("Pythia 2.8B", 2.8e9, 300e9, 14_240),
    Training("Pythia 6.9B", 6.9e9, 300e9, 33_500),
    Training("Pythia 12B", 12e9, 300e9, 72_300),
    Training("PaLM 540B", 540e9, 780e9, 6144 * 1200 + 3072 * 336, "TPU v4"),
)

# Shape, plan, the seconds of a step, and the seconds if everything is recomputed.
MEGATRON = {
    "22B": (GPTShape(48, 6144), Plan(4, micro=4, tensor=8), 1.10, 1.42),
    "175B": (
        GPTShape(96, 12288),
        Plan(64, tensor=8, pipeline=8, pieces=3),
        *(13.75, 18.13),
    ),
    "530B": (
        GPTShape(105, 20480),
        Plan(280, tensor=8, pipeline=35, pieces=3),
        *(37.83, 49.05),
    ),
    "1T": (GPTShape(128, 25600), Plan(512, tensor=8, pipeline=64), 71.49, 94.42),
}
