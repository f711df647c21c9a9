"""Train a network that reads a text character by character and predicts the next one
each time; in the end it writes by itself.

By default the text consists of sentences made from a few parts, where the verb has to
agree with a noun some words before: "The old cats by the gate sleep." Nobody tells the
network what a word is. With --text it reads your own text, the longer the better, and
with --shakespear plays by Shakespeare, a download of 1 MB. The picture shows the loss.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from helpers import Progress, check, count, needed, options, parse, run

import dezero_lite
import dezero_lite.functions as F
import dezero_lite.layers as L
from dezero_lite import Dataset, Model, SeqDataLoader, Variable, no_grad
from dezero_lite.datasets import Shakespear
from dezero_lite.optimizers import Adam, ClipGrad

ADJECTIVES = [
    "old",
    "young",
    "little",
    "brave",
    "hungry",
    "sleepy",
    "clever",
    "quiet",
    "grey",
    "lucky",
]
ANIMALS = [
    "cat",
    "dog",
    "bird",
    "horse",
    "rabbit",
    "hedgehog",
    "owl",
    "frog",
    "spider",
    "beaver",
]
PLACES = [
    "gate",
    "river",
    "oven",
    "garden",
    "window",
    "bridge",
    "lamp",
    "harbour",
    "bakery",
    "mountain",
]
VERBS = [
    "sleep",
    "sing",
    "dance",
    "wait",
    "dream",
    "snore",
    "whisper",
    "read",
    "listen",
    "laugh",
]

READERS = 32
SPAN = 40


def sentences(random: Random, count: int) -> str:
    """Return a text in which every sentence follows the same rules, and hardly one
    occurs twice.
    """

    def one() -> str:
        many = random.choice([True, False])
        subject = (
            f"the {random.choice(ADJECTIVES)} "
            f"{random.choice(ANIMALS)}{'s' if many else ''}"
        )
        if random.choice([True, False]):
            subject += f" by the {random.choice(PLACES)}"
        verb = random.choice(VERBS)
        return (
            f"{subject} {verb if many else verb + 's'} near the "
            f"{random.choice(PLACES)}."
        ).capitalize()

    return "\n".join(one() for _ in range(count)) + "\n"


class Text(Dataset):
    """A text as numbers, in the form of Shakespear: a label is the next character."""

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__()

    def prepare(self) -> None:
        self.id_to_char = dict(enumerate(sorted(set(self.text))))
        self.char_to_id = {char: i for i, char in self.id_to_char.items()}
        ids = np.array([self.char_to_id[char] for char in self.text], dtype=np.int64)
        self.data, self.label = ids[:-1], ids[1:]


class Writer(Model):
    def __init__(self, letters: int, hidden: int = 128) -> None:
        self.embed = L.EmbedID(letters, 32)
        self.rnn = L.LSTM(hidden)
        self.out = L.Linear(letters)

    def forward(self, x: Variable) -> Variable:
        return self.out(self.rnn(self.embed(x)))


def train(model: Writer, data: Dataset, epochs: int) -> list[float]:
    """Train on the text for `epochs` epochs, at `READERS` positions at once; return the
    losses. Gradients reach back over `SPAN` characters.
    """
    optimizer = Adam(0.005).setup(model)
    optimizer.add_hook(ClipGrad(1.0))
    loader = SeqDataLoader(data, READERS)
    losses = []
    progress = Progress(epochs * (len(loader) // SPAN), "updates")
    for _ in range(epochs):
        model.rnn.reset_state()
        loss: Any = 0.0
        for step, (x, t) in enumerate(loader, start=1):
            loss = loss + F.softmax_cross_entropy(model(x), t) / SPAN
            if step % SPAN == 0:
                model.cleargrads()
                loss.backward()
                loss.unchain_backward()
                optimizer.update()
                losses.append(loss.item())
                progress.advance(f"loss {losses[-1]:.3f}")
                loss = 0.0
    return losses


def write(
    model: Writer,
    data: Text | Shakespear,
    length: int,
    random: np.random.Generator,
    temperature: float = 0.7,
) -> str:
    """Write a text character by character; a lower temperature makes it less varied."""
    model.rnn.reset_state()
    ids = [data.data[0]]
    with no_grad():
        while len(ids) < length:
            chances = (
                F.softmax(model(np.array(ids[-1:])) / temperature)
                .data[0]
                .astype(np.float64)
            )
            ids.append(random.choice(len(chances), p=chances / chances.sum()))
    return "".join(data.id_to_char[i] for i in ids)


def draw(file: str, losses: list[float]) -> None:
    import matplotlib.pyplot as plt

    figure, place = plt.subplots(figsize=(8, 4), layout="constrained")
    place.plot(losses)
    place.set(title="Loss", xlabel="update", ylabel="per letter", ylim=(0, None))
    figure.savefig(file)


def main() -> None:
    parser = options(__doc__)
    source = parser.add_mutually_exclusive_group()
    source.add_argument(
        "--text", metavar="FILE", type=Path, help="a UTF-8 text to learn from"
    )
    source.add_argument(
        "--shakespear", action="store_true", help="learn from Shakespeare's plays"
    )
    parser.add_argument(
        "--epochs",
        type=count,
        help="how many times to read the text (default: 5; Shakespeare: 3)",
    )
    parser.add_argument(
        "--length",
        type=count,
        default=500,
        help="how many characters to write (default: %(default)s)",
    )
    args = parse(parser)
    dezero_lite.manual_seed(args.seed)
    with needed():
        if args.shakespear:
            data: Text | Shakespear = Shakespear()
        elif args.text:
            data = Text(args.text.read_text(encoding="utf-8"))
        else:
            data = Text(sentences(Random(args.seed), 2000))
    if len(data) < READERS * SPAN:
        parser.error(
            f"a text of {len(data) + 1} characters is too short: at least "
            f"{READERS * SPAN + 1} are needed"
        )
    if args.quick:
        data.data, data.label = data.data[:40_000], data.label[:40_000]
    model = Writer(len(data.id_to_char))
    epochs = args.epochs or (2 if args.quick else 3 if args.shakespear else 5)
    losses = train(model, data, epochs)
    if args.plot:
        draw(args.plot, losses)

    written = write(model, data, args.length, np.random.default_rng(args.seed))
    print(written)
    known = set("".join(data.id_to_char[i] for i in data.data).split())
    # The last word may be cut off.
    words = written.split()[:-1] or [written]
    share = 100 * sum(word in known for word in words) / len(words)
    if args.text or args.shakespear:
        print(f"words that occur in the text: {share:.4g} %")
    else:
        check(
            "words that occur in the text",
            share,
            above=70 if args.quick else 90,
            unit=" %",
        )


if __name__ == "__main__":
    run(main)
