"""Step 50: mini-batches."""

from . import step49
from .framework.dataloaders import DataLoader
from .framework.functions import accuracy
from .step49 import *  # noqa: F403
from .step49 import no_grad, softmax_cross_entropy

__all__ = [*step49.__all__, "DataLoader", "accuracy"]


def train_epoch(model, optimizer, loader):
    """Train on the data for one epoch, with a step for each batch."""
    for x, t in loader:
        loss = softmax_cross_entropy(model(x), t)
        model.cleargrads()
        loss.backward()
        optimizer.update()


def evaluate(model, data, batch_size=500):
    """Return the mean loss and the accuracy over a whole data set."""
    loss = right = 0.0
    with no_grad():
        for x, t in DataLoader(data, batch_size, shuffle=False):
            y = model(x)
            loss += softmax_cross_entropy(y, t).data.item() * len(t)
            right += accuracy(y, t).data.item() * len(t)
    return loss / len(data), right / len(data)


def fit(model, optimizer, data, test, epochs, batch_size=32):
    """Train on data; after each epoch, evaluate on both: [[loss, accuracy], ...]."""
    optimizer.setup(model)
    loader = DataLoader(data, batch_size, seed=0)
    history = {"training": [], "test": []}
    for _ in epochs:
        train_epoch(model, optimizer, loader)
        history["training"].append(evaluate(model, data))
        history["test"].append(evaluate(model, test))
    if not history["test"]:
        raise ValueError("0 epochs train nothing: take at least one")
    return history


def training_curves(title, history):
    """Draw the loss and the accuracy after each epoch."""
    import matplotlib.pyplot as plt
    from matplotlib.ticker import LogLocator

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.4))
    for (name, values), style in zip(history.items(), ("-", "--"), strict=True):
        losses, accuracies = zip(*values, strict=True)
        epochs = range(1, len(values) + 1)
        style += "o" * (len(values) == 1)
        left.semilogy(epochs, losses, style, label=name)
        right.plot(epochs, [100 * share for share in accuracies], style, label=name)
    left.yaxis.set_major_locator(LogLocator(subs=(1, 3)))
    left.yaxis.set_major_formatter("{x:g}")
    left.minorticks_off()
    left.set(xlabel="epoch", ylabel="loss")
    right.set(xlabel="epoch", ylabel="right answers in %")
    right.legend(loc="lower right")
    for ax in (left, right):
        ax.xaxis.get_major_locator().set_params(integer=True)
    figure.suptitle(title, weight="bold")
    plt.show()
