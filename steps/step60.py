"""Step 60: LSTM."""

import numpy as np

from dezero_lite import Dataset, Model, SeqDataLoader, no_grad
from dezero_lite.datasets import Shakespear
from dezero_lite.functions import accuracy, embed_id, softmax, softmax_cross_entropy
from dezero_lite.layers import GRU, LSTM, EmbedID, Linear
from dezero_lite.optimizers import Adam, ClipGrad

from . import step59
from .step59 import *  # noqa: F403

__all__ = [
    *step59.__all__,
    "LSTM",
    "GRU",
    "SeqDataLoader",
    "EmbedID",
    "embed_id",
    "Shakespear",
]

VOICES = {"cat": "purrs", "dog": "barks", "owl": "hoots", "frog": "croaks"}
PLACES = ["home", "night", "sea"]


def flags(rng, count, lag):
    """Sequences of shape (lag + 1, count, 4): first one of four flags, then noise; and
    which flag it was.
    """
    xs = rng.normal(scale=0.3, size=(lag + 1, count, 4))
    which = rng.integers(4, size=count)
    xs[0] = np.eye(4)[which]
    return xs, which


class Reader(Model):
    """Reads a sequence with a recurrent layer of size 16, and answers at its end."""

    def __init__(self, layer):
        self.rnn = layer
        self.out = Linear(4, in_size=16, dtype=np.float64)

    def forward(self, xs):
        self.rnn.reset_state()
        for x in xs:
            h = self.rnn(x)
        return self.out(h)


def train_reader(model, lag, rounds):
    """Learn from new sequences in each round; returns the share of right answers in
    each.
    """
    rng = np.random.default_rng(0)
    optimizer = Adam(0.02).setup(model)
    optimizer.add_hook(ClipGrad(1.0))
    shares = []
    for _ in rounds:
        xs, which = flags(rng, 32, lag)
        y = model(xs)
        model.cleargrads()
        softmax_cross_entropy(y, which).backward()
        optimizer.update()
        shares.append(accuracy(y, which).item())
    return shares


def sentence(animal, place):
    """Each animal has a voice of its own."""
    return f"the {animal} at {place} {VOICES[animal]}."


def sentences(count):
    """A text of random sentences, one on each line."""
    rng = np.random.default_rng(0)
    animals = rng.choice(list(VOICES), size=count)
    places = rng.choice(PLACES, size=count)
    lines = map(sentence, animals.tolist(), places.tolist())
    return "\n".join(lines) + "\n"


class Text(Dataset):
    """Letters as numbers; each letter's label is the letter that follows."""

    def __init__(self, text):
        self.text = text
        super().__init__()

    def prepare(self):
        self.id_to_char = dict(enumerate(sorted(set(self.text))))
        self.char_to_id = {char: i for i, char in self.id_to_char.items()}
        ids = self.ids(self.text)
        self.data, self.label = ids[:-1], ids[1:]

    def ids(self, text):
        return np.array([self.char_to_id[char] for char in text])


class Writer(Model):
    """Says which letter follows: (N,) numbers of letters give (N, letters) scores."""

    def __init__(self, letters, hidden=48):
        self.embed = EmbedID(letters, 16, dtype=np.float64)
        self.rnn = LSTM(hidden, in_size=16, dtype=np.float64)
        self.rnn.x2h.b.data[:hidden] = 1.0  # the gate f begins nearly open
        self.out = Linear(letters, in_size=hidden, dtype=np.float64)

    def forward(self, x):
        return self.out(self.rnn(self.embed(x)))


def train_writer(model, loader, rounds, span=30):
    """Read the loader's text in each round, and walk back after every `span` letters.
    Returns the mean loss before each update.
    """
    optimizer = Adam(0.02).setup(model)
    optimizer.add_hook(ClipGrad(1.0))
    losses = []
    for _ in rounds:
        model.rnn.reset_state()
        loss = 0.0
        for k, (x, t) in enumerate(loader, start=1):
            loss = loss + softmax_cross_entropy(model(x), t) / span
            if k % span == 0:
                model.cleargrads()
                loss.backward()
                loss.unchain_backward()
                optimizer.update()
                losses.append(loss.item())
                loss = 0.0
    return losses


def chances(model, ids):
    """Read more letters; the chance of each letter to be the next."""
    with no_grad():
        for i in ids:
            scores = model(np.array([i]))
    return softmax(scores).data[0]


def write(model, text, length, rng):
    """Let the model write: draw each letter by its chance, and read it in turn."""
    model.rnn.reset_state()
    ids = [text.char_to_id["\n"]]
    while len(ids) <= length:
        share = np.cumsum(chances(model, ids[-1:]))
        ids.append(int(np.searchsorted(share, rng.random() * share[-1])))
    return "".join(text.id_to_char[i] for i in ids[1:])
