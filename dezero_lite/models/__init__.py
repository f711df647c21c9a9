"""Models: layers combined for a purpose. Steps 45, 58 and 74 explain them."""

from ..layers import Layer as Layer
from .gpt import GPT, generate
from .model import MLP, Model, Sequential
from .resnet import Bottleneck as Bottleneck
from .resnet import BottleneckA as BottleneckA
from .resnet import BottleneckB as BottleneckB
from .resnet import BuildingBlock as BuildingBlock
from .resnet import ResNet, ResNet50, ResNet101, ResNet152
from .resnet import SqueezeNet as SqueezeNet
from .vgg import VGG16

# Imports that __all__ leaves out are for the book's readers, or parts of ResNet.
__all__ = ["GPT", "MLP", "Model", "Sequential", "generate"]
__all__ += ["VGG16", "ResNet", "ResNet50", "ResNet101", "ResNet152"]
