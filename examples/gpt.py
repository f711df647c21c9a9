"""Train a small GPT on a text, and let it write.

It learns from a file of yours (--text), or from sentences made of a few parts.
Byte-pair encoding, learned from the text, turns the text into tokens. During training
it shows the loss, on the training text and on the last tenth, which is held out, and
writes samples. Everything is saved in a folder (--run): stop it with Ctrl-C, and the
same command continues from the last save. With --prompt, the saved model writes without
learning:

    python examples/gpt.py --text book.txt --run book
    python examples/gpt.py --run book --prompt "Once upon"
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from characters import sentences
from helpers import Progress, check, count, needed, options, parse, run
from numpy.typing import NDArray

import dezero_lite
import dezero_lite.functions as F
from dezero_lite import no_grad, test_mode
from dezero_lite.checkpoint import Checkpoint
from dezero_lite.models import GPT, generate
from dezero_lite.optimizers import AdamW, ClipGrad
from dezero_lite.schedules import WarmupCosine
from dezero_lite.tokenizer import Tokenizer

BATCH = 16
# The options that determine the model and its training.
SETTINGS = ("vocabulary", "context", "layers", "size", "heads", "steps", "lr", "seed")


class Run:
    """A model, its optimizer and its tokenizer, in a folder."""

    def __init__(self, folder: Path, args: argparse.Namespace) -> None:
        self.folder, self.checkpoint = folder, Checkpoint(folder)
        stored = self.checkpoint.state() or {}
        own = {name: getattr(args, name) for name in SETTINGS}
        self.settings: dict[str, Any] = stored.get("settings", own)
        self.step: int = stored.get("step", 0)
        self.losses: list[float] = stored.get("losses", [])
        if (folder / "tokens.json").exists():
            self.tokenizer = Tokenizer.load(folder / "tokens.json")
        else:
            self.tokenizer = Tokenizer.learn(args.content, self.settings["vocabulary"])
        dezero_lite.manual_seed(self.settings["seed"])
        shape = {name: self.settings[name] for name in ("layers", "size", "heads")}
        self.model = GPT(len(self.tokenizer), self.settings["context"], **shape)
        self.optimizer = AdamW().setup(self.model)
        self.optimizer.add_hook(ClipGrad(1.0))
        self.checkpoint.load(self.model, self.optimizer)

    def save(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.tokenizer.save(self.folder / "tokens.json")
        more = {"settings": self.settings, "losses": self.losses}
        self.checkpoint.save(self.step, self.model, self.optimizer, **more)

    def train(self, text: str) -> None:
        """Run the remaining steps; save and write a sample ten times along the way."""
        ids = np.array(self.tokenizer.encode(text), np.int64)
        context, steps = self.settings["context"], self.settings["steps"]
        cut = len(ids) - max(len(ids) // 10, context + 1)
        if cut <= context:
            sys.exit(
                f"a text of {len(ids)} tokens is too short for a context of {context}"
            )
        reading, kept = ids[:cut], ids[cut:]
        rate = WarmupCosine(self.settings["lr"], steps // 20, steps)
        progress = Progress(steps - self.step, "steps")
        every = math.ceil(steps / 10)
        while self.step < steps:
            # Seed with the step as well, so that a resumed run draws the same batches.
            rng = np.random.default_rng([self.settings["seed"], self.step])
            loss = self.loss(*windows(reading, context, rng))
            self.model.cleargrads()
            loss.backward()
            self.optimizer.alpha = rate(self.step)
            self.optimizer.update()
            self.losses.append(loss.item())
            self.step += 1
            progress.advance(f"loss {self.losses[-1]:.3f}")
            if self.step % every == 0 or self.step == steps:
                self.save()
                sample = self.write("\n", 20).strip().replace("\n", " / ")
                print(f"\nstep {self.step}: loss {self.judge(kept):.3f}; {sample}")

    def loss(self, x: NDArray[np.int64], t: NDArray[np.int64]) -> Any:
        scores = self.model(x)
        return F.softmax_cross_entropy(scores.reshape((-1, scores.shape[2])), t.ravel())

    def judge(self, ids: NDArray[np.int64]) -> float:
        """Return the loss on held-out tokens, in nats per token."""
        with no_grad(), test_mode():
            rng = np.random.default_rng(0)
            batches = [windows(ids, self.settings["context"], rng) for _ in range(4)]
            return float(np.mean([self.loss(x, t).item() for x, t in batches]))

    def write(self, prompt: str, count: int, temperature: float = 0.7) -> str:
        rng = np.random.default_rng(self.settings["seed"])
        ids = self.tokenizer.encode(prompt)
        return self.tokenizer.decode(
            generate(self.model, ids, count, temperature, rng=rng)
        )


def windows(
    ids: NDArray[np.int64], length: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw random windows of a text; return them, and the same one token later."""
    starts = rng.integers(len(ids) - length, size=(BATCH, 1))
    places = starts + np.arange(length)
    return ids[places], ids[places + 1]


def draw(file: str, losses: list[float]) -> None:
    import matplotlib.pyplot as plt

    figure, place = plt.subplots(figsize=(8, 4), layout="constrained")
    place.plot(losses)
    place.set(title="Loss", xlabel="step", ylabel="nats per token", ylim=(0, None))
    figure.savefig(file)


def arguments() -> argparse.Namespace:
    parser = options(__doc__)
    parser.add_argument(
        "--text", metavar="FILE", type=Path, help="a UTF-8 text to learn from"
    )
    parser.add_argument(
        "--run",
        metavar="FOLDER",
        type=Path,
        default=Path("gpt-run"),
        help="where to save everything (default: %(default)s)",
    )
    parser.add_argument("--prompt", help="continue this text, without training")
    parser.add_argument(
        "--length",
        type=count,
        default=100,
        help="how many tokens to write (default: %(default)s)",
    )
    sizes = {
        "vocabulary": (512, "the number of tokens; 256 of them are bytes"),
        "context": (64, "how many tokens the model sees"),
        "layers": (3, "how many blocks"),
        "size": (96, "the length of each position's vector"),
        "heads": (4, "how many heads each block's attention has"),
        "steps": (1000, "the total number of training steps"),
    }
    for name, (default, text) in sizes.items():
        parser.add_argument(
            f"--{name}",
            type=count,
            default=default,
            help=f"{text} (default: {default})",
        )
    parser.add_argument(
        "--lr", type=float, default=0.003, help="learning rate (default: %(default)s)"
    )
    args = parse(parser)
    if args.quick:
        args.steps, args.layers, args.size, args.context = 200, 2, 48, 32
    if args.prompt is not None and not Checkpoint(args.run).state():
        parser.error(f"--prompt: {args.run} contains no model; train one first")
    args.content = ""
    if args.prompt is None:
        with needed():
            args.content = (
                args.text.read_text(encoding="utf-8")
                if args.text
                else sentences(Random(args.seed), 2000)
            )
    return args


def main() -> None:
    args = arguments()
    gpt = Run(args.run, args)
    if args.prompt is None:
        if gpt.step:
            print(f"{args.run} is at step {gpt.step} of {gpt.settings['steps']}.")
        gpt.train(args.content)
        if args.plot:
            draw(args.plot, gpt.losses)
    written = gpt.write(args.prompt or "\n", args.length)
    print(written)
    if args.prompt is None and not args.text:
        known = set(args.content.split())
        # The last word may be cut off.
        words = written.split()[:-1]
        share = 100 * sum(word in known for word in words) / max(len(words), 1)
        limit = 70 if args.quick else 90
        check("words that occur in the text", share, above=limit, unit=" %")


if __name__ == "__main__":
    run(main, "the same command resumes from the last save")
