"""Step 60: LSTM."""

import numpy as np

from . import step59
from .framework.dataloaders import SeqDataLoader
from .framework.functions import embed_id
from .framework.layers import LSTM, EmbedID
from .step59 import *  # noqa: F403
from .step59 import Dataset

__all__ = [*step59.__all__, "SeqDataLoader", "embed_id", "EmbedID", "LSTM"]

VOICES = {"cat": "purrs", "dog": "barks", "owl": "hoots", "frog": "croaks"}


def train_reader(rnn, lag, updates, package):
    """Train `rnn` to name one of four flags after `lag` steps of noise, with new
    sequences for each update. The loss and the optimizer come from the layer's package.
    Returns the share of right answers for each update.
    """
    rng = np.random.default_rng(0)
    model = package.Layer()
    model.rnn, model.out = rnn, package.Linear(4, dtype=np.float64)
    optimizer = package.Adam(0.02).setup(model)
    optimizer.add_hook(package.ClipGrad(1.0))
    shares = []
    for _ in updates:
        xs = rng.normal(scale=0.3, size=(lag + 1, 32, 4))
        which = rng.integers(4, size=len(xs[0]))
        xs[0] = np.eye(4)[which]  # the flags come first
        rnn.reset_state()
        for x in xs:
            h = rnn(x)
        y = model.out(h)
        model.cleargrads()
        package.softmax_cross_entropy(y, which).backward()
        optimizer.update()
        shares.append(np.mean(y.data.argmax(axis=1) == which))
    return shares


def sentences(count):
    """Make a text of random sentences, one on each line."""
    rng = np.random.default_rng(0)
    animals = rng.choice(list(VOICES), size=count).tolist()
    places = rng.choice(["home", "night", "sea"], size=count).tolist()
    pairs = zip(animals, places, strict=True)
    return "".join(f"the {one} at {place} {VOICES[one]}.\n" for one, place in pairs)


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
        if strange := sorted(set(text) - set(self.char_to_id)):
            raise ValueError(f"the text has no {strange}: use only its letters")
        return np.array([self.char_to_id[char] for char in text])


class Writer:
    """Predicts the next letter, with a recurrent layer and other layers from its
    package: turns letter numbers (N,) into scores (N, letters).
    """

    def __init__(self, letters, rnn, package):
        self.rnn, self.package = rnn, package
        embed = package.EmbedID(letters, 16, dtype=np.float64)
        out = package.Linear(letters, dtype=np.float64)
        self.model = package.Sequential(embed, rnn, out)

    def chances(self, ids):
        """Read some letters, and return each letter's chance of being the next."""
        with self.package.no_grad():
            for i in ids:
                scores = self.model(np.array([i]))
        return self.package.softmax(scores).data[0]

    def write(self, text, length, rng):
        """Draw each letter with its predicted chance, and then read it."""
        self.rnn.reset_state()
        ids = [text.char_to_id["\n"]]
        while len(ids) <= length:
            share = np.cumsum(self.chances(ids[-1:]))
            ids.append(int(np.searchsorted(share, rng.random() * share[-1])))
        return "".join(text.id_to_char[i] for i in ids[1:])


def train_writer(writer, loader, rounds, span=30):
    """Read the loader's text once per round, and update after every `span` letters.
    Returns the mean loss before each update.
    """
    package, model = writer.package, writer.model
    optimizer = package.Adam(0.02).setup(model)
    optimizer.add_hook(package.ClipGrad(1.0))
    if len(loader) < span:
        raise ValueError(f"{len(loader)} batches give no update: {span} or more do")
    losses = []
    for _ in rounds:
        writer.rnn.reset_state()
        loss = 0.0
        for k, (x, t) in enumerate(loader, start=1):
            loss = loss + package.softmax_cross_entropy(model(x), t) / span
            if k % span == 0:
                model.cleargrads()
                loss.backward()
                loss.unchain_backward()
                optimizer.update()
                losses.append(loss.data.item())
                loss = 0.0
    return losses
