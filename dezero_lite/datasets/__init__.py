"""Data to learn from: examples and labels that are reached by an index.

Steps 49 and 51 explain :class:`Dataset`. Spirals, the sine curve, the digits and the
names are here at once, without a network; MNIST and the like are downloaded at first
use, or come from a folder of your own: see :mod:`dezero_lite.files`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..files import cache_dir as cache_dir
from ..files import get_file as get_file
from ..transforms import Compose as Compose
from ..transforms import Flatten as Flatten
from ..transforms import Normalize as Normalize
from ..transforms import ToFloat as ToFloat
from .dataset import Dataset

if TYPE_CHECKING:
    from .cifar import CIFAR10, CIFAR100
    from .digits import Digits
    from .imagenet import ImageNet
    from .mnist import MNIST, FashionMNIST
    from .names import Names
    from .text import Shakespear
    from .toy import SinCurve, Spiral, get_spiral

# What comes from files and transforms above is for the book's reader alone.
__all__ = [
    "CIFAR10",
    "CIFAR100",
    "MNIST",
    "Dataset",
    "Digits",
    "FashionMNIST",
    "ImageNet",
    "Names",
    "Shakespear",
    "SinCurve",
    "Spiral",
    "get_spiral",
]

# A program has a use for one or two of them; the others' files need not be read.
_FILES = {
    "cifar": ("CIFAR10", "CIFAR100"),
    "digits": ("Digits",),
    "imagenet": ("ImageNet",),
    "mnist": ("MNIST", "FashionMNIST"),
    "names": ("Names",),
    "text": ("Shakespear",),
    "toy": ("SinCurve", "Spiral", "get_spiral"),
}
_FILE_OF = {name: file for file, names in _FILES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _FILE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_FILE_OF[name]}"), name)
    # From now on it is found without this function.
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_FILE_OF})
