"""Data to learn from: examples and labels that are accessed by an index.

Steps 49 and 51 explain :class:`Dataset`. Spirals, the sine curve, the digits and the
names need no network; MNIST and the others are downloaded at first use, or read from a
folder of your own: see :mod:`dezero_lite.downloads`.
"""

from ..downloads import cache_dir as cache_dir
from ..downloads import get_file as get_file
from ..transforms import Compose as Compose
from ..transforms import Flatten as Flatten
from ..transforms import Normalize as Normalize
from ..transforms import ToFloat as ToFloat
from .cifar import CIFAR10, CIFAR100
from .dataset import Dataset
from .digits import Digits
from .imagenet import ImageNet
from .mnist import MNIST, FashionMNIST
from .names import Names
from .text import Shakespear
from .toy import SinCurve, Spiral, get_spiral

# The names from downloads and transforms above are for the book's readers only.
__all__ = ["CIFAR10", "CIFAR100", "MNIST", "Dataset", "Digits", "FashionMNIST"]
__all__ += ["ImageNet", "Names", "Shakespear", "SinCurve", "Spiral", "get_spiral"]
