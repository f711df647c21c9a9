"""Models: layers put together for a purpose. Steps 45 and 58 explain them."""

from .model import MLP, Model, Sequential
from .resnet import Bottleneck as Bottleneck
from .resnet import BottleneckA as BottleneckA
from .resnet import BottleneckB as BottleneckB
from .resnet import BuildingBlock as BuildingBlock
from .resnet import ResNet, ResNet50, ResNet101, ResNet152
from .resnet import SqueezeNet as SqueezeNet
from .vgg import VGG16

# What stands above and not here is for the book's reader alone.
__all__ = [
    "MLP",
    "VGG16",
    "Model",
    "ResNet",
    "ResNet50",
    "ResNet101",
    "ResNet152",
    "Sequential",
]
