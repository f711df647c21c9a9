"""Data to learn from: examples and labels that are reached by an index.

Steps 49 and 51 explain :class:`Dataset`. Spirals, the sine curve and the digits are
here at once, without a network; MNIST and the like are downloaded at first use, or come
from a folder of your own: see :mod:`dezero_lite.files`.
"""

from .cache import load_cache_npz as load_cache_npz
from .cache import save_cache_npz as save_cache_npz
from .cifar import CIFAR10, CIFAR100
from .dataset import Dataset
from .digits import Digits
from .imagenet import ImageNet
from .mnist import MNIST, FashionMNIST
from .text import Shakespear
from .toy import SinCurve, Spiral, get_spiral

# The helpers of cache.py are for the book's reader alone.
__all__ = [
    "CIFAR10",
    "CIFAR100",
    "MNIST",
    "Dataset",
    "Digits",
    "FashionMNIST",
    "ImageNet",
    "Shakespear",
    "SinCurve",
    "Spiral",
    "get_spiral",
]
