"""Models: layers put together for a purpose. Steps 45, 58 and 74 explain them."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..layers import Layer as Layer
from .model import MLP, Model, Sequential

if TYPE_CHECKING:
    from .gpt import GPT, generate
    from .resnet import Bottleneck as Bottleneck
    from .resnet import BottleneckA as BottleneckA
    from .resnet import BottleneckB as BottleneckB
    from .resnet import BuildingBlock as BuildingBlock
    from .resnet import ResNet, ResNet50, ResNet101, ResNet152
    from .resnet import SqueezeNet as SqueezeNet
    from .vgg import VGG16

# What stands above and not here is for the book's reader alone, or a part of ResNet.
__all__ = ["GPT", "MLP", "Model", "Sequential", "generate"]
__all__ += ["VGG16", "ResNet", "ResNet50", "ResNet101", "ResNet152"]

# Most programs have no use for them, so their files are read when somebody asks.
_RESNET = "ResNet ResNet50 ResNet101 ResNet152 SqueezeNet "
_RESNET += "BuildingBlock Bottleneck BottleneckA BottleneckB"
_FILE_OF = {**dict.fromkeys(_RESNET.split(), "resnet"), "VGG16": "vgg"}
_FILE_OF |= {"GPT": "gpt", "generate": "gpt"}


def __getattr__(name: str) -> Any:
    if name not in _FILE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_FILE_OF[name]}"), name)
    # From now on it is found without this function.
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_FILE_OF})
