"""Models: layers put together for a purpose. Steps 45 and 58 explain them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from . import functions as F
from . import layers as L
from .core import Operand, Variable
from .files import get_file
from .graph import plot_dot_graph
from .npz import StoredArray, StrPath

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


class Model(L.Layer):
    """A layer that can draw itself. Source: book step 45."""

    def plot(self, *inputs: Any, to_file: str = "model.png") -> Any:
        """Draw the graph of ``forward(*inputs)``, in a notebook and as an image file.

        Parameters
        ----------
        *inputs : Variable or ndarray
            What to call the model with.
        to_file : str, optional
            Where to put the image; its ending says of which kind.
        """
        return plot_dot_graph(self.forward(*inputs), verbose=True, to_file=to_file)


class Chain(Model):
    """Layers that come one after the other, each in an attribute of its own."""

    _order: tuple[str, ...] = ()

    def hold(self, layers: Mapping[str, Callable[[Any], Any]]) -> None:
        """Make each layer an attribute, in this order."""
        for name, layer in layers.items():
            setattr(self, name, layer)
        self._order = tuple(layers)

    @property
    def layers(self) -> tuple[Any, ...]:
        """What the attributes hold now, in the order of the chain. To replace a layer,
        assign to its attribute: ``model.l1 = ...``.
        """
        return tuple([getattr(self, name) for name in self._order])

    def forward(self, x: Operand) -> Any:
        """Any shape that the first layer takes, to one that the last returns."""
        for layer in self.layers:
            x = layer(x)
        return x


class Sequential(Chain):
    """Layers and functions, one after the other. Source: book step 45.

    Parameters
    ----------
    *layers : Layer or callable
        Each takes what the one before it returns.

    Attributes
    ----------
    l0, l1, ... : Layer or callable
    layers : tuple
        The same in a tuple.

    Raises
    ------
    TypeError
        If one of them cannot be called.

    Examples
    --------
    >>> model = Sequential(L.Linear(10), F.relu, L.Linear(1))
    >>> model(np.ones((5, 3), dtype=np.float32)).shape
    (5, 1)
    """

    def __init__(self, *layers: Callable[[Any], Any]) -> None:
        for i, layer in enumerate(layers):
            if not callable(layer):
                raise TypeError(
                    f"Sequential takes layers and functions, but number {i} is a "
                    f"{type(layer).__name__}"
                )
        self.hold({f"l{i}": layer for i, layer in enumerate(layers)})


class MLP(Chain):
    """A multi-layer perceptron: linear layers with a bend between each two. Source:
    book step 45.

    Parameters
    ----------
    fc_output_sizes : sequence of int
        How many numbers come out of each layer; at least one layer.
    activation : callable, optional
        The bend.

    Attributes
    ----------
    l0, l1, ... : Linear
    layers : tuple of Linear
        The same in a tuple.

    Raises
    ------
    ValueError
        If there is no layer, or a size is no whole number.
    TypeError
        If `activation` is no function.

    Examples
    --------
    >>> model = MLP((10, 3))
    >>> model(np.ones((5, 4), dtype=np.float32)).shape
    (5, 3)
    """

    def __init__(
        self,
        fc_output_sizes: Sequence[int],
        activation: Callable[[Any], Variable] = F.sigmoid,
    ) -> None:
        if not np.ndim(fc_output_sizes) or not len(fc_output_sizes):
            raise ValueError(
                "MLP takes the output size of each layer, at least one: MLP((100, "
                f"10)), not MLP({fc_output_sizes})"
            )
        if not callable(activation):
            raise TypeError(
                "the activation of MLP is a function such as F.relu, not "
                f"{activation!r}; sizes come in one tuple, as in MLP((100, 10))"
            )
        self.activation = activation
        self.hold({f"l{i}": L.Linear(size) for i, size in enumerate(fc_output_sizes)})

    def forward(self, x: Operand) -> Variable:
        """Shapes (N, I) to (N, the last output size)."""
        *inner, last = self.layers
        for layer in inner:
            x = self.activation(layer(x))
        return last(x)  # type: ignore[no-any-return]


# --- for images of 1,000 kinds --------------------------------------------------------


class _Pretrained(Model):
    # A model whose weights, trained on ImageNet, can be had.

    def _load_pretrained(self, pretrained: bool | StrPath, url: str) -> None:
        if pretrained is True:
            self.load_weights(get_file(url))
        elif pretrained:
            self.load_weights(pretrained)


class VGG16(_Pretrained):
    """Sixteen layers of small kernels and large products: 138,357,544 parameters.
    Source: book step 58.

    Parameters
    ----------
    pretrained : bool or str or os.PathLike, optional
        With ``True``, the weights that come with the book are loaded: a file of 0.5 GB,
        downloaded once. A path names a file with such weights.

    Notes
    -----
    Source: K. Simonyan and A. Zisserman, "Very deep convolutional networks for
    large-scale image recognition", 2015.
    """

    WEIGHTS_PATH = (
        "https://github.com/koki0702/dezero-models/releases/download/v0.1/vgg16.npz"
    )

    def __init__(self, pretrained: bool | StrPath = False) -> None:
        self.conv1_1 = _conv3x3(64)
        self.conv1_2 = _conv3x3(64)
        self.conv2_1 = _conv3x3(128)
        self.conv2_2 = _conv3x3(128)
        self.conv3_1 = _conv3x3(256)
        self.conv3_2 = _conv3x3(256)
        self.conv3_3 = _conv3x3(256)
        self.conv4_1 = _conv3x3(512)
        self.conv4_2 = _conv3x3(512)
        self.conv4_3 = _conv3x3(512)
        self.conv5_1 = _conv3x3(512)
        self.conv5_2 = _conv3x3(512)
        self.conv5_3 = _conv3x3(512)
        self.fc6 = L.Linear(4096)
        self.fc7 = L.Linear(4096)
        self.fc8 = L.Linear(1000)
        self._load_pretrained(pretrained, self.WEIGHTS_PATH)

    def forward(self, x: Operand) -> Variable:
        """Images (N, 3, 224, 224), as `preprocess` makes them, to scores (N, 1000)."""
        x = F.relu(self.conv1_1(x))
        x = F.relu(self.conv1_2(x))
        x = F.pooling(x, 2, 2)
        x = F.relu(self.conv2_1(x))
        x = F.relu(self.conv2_2(x))
        x = F.pooling(x, 2, 2)
        x = F.relu(self.conv3_1(x))
        x = F.relu(self.conv3_2(x))
        x = F.relu(self.conv3_3(x))
        x = F.pooling(x, 2, 2)
        x = F.relu(self.conv4_1(x))
        x = F.relu(self.conv4_2(x))
        x = F.relu(self.conv4_3(x))
        x = F.pooling(x, 2, 2)
        x = F.relu(self.conv5_1(x))
        x = F.relu(self.conv5_2(x))
        x = F.relu(self.conv5_3(x))
        x = F.pooling(x, 2, 2)
        x = F.flatten(x)
        x = F.dropout(F.relu(self.fc6(x)))
        x = F.dropout(F.relu(self.fc7(x)))
        return self.fc8(x)

    @staticmethod
    def preprocess(
        image: Any,
        size: tuple[int, int] | None = (224, 224),
        dtype: DTypeLike = np.float32,
    ) -> NDArray[Any]:
        """Prepare an image as VGG16 was trained: blue, green and red, less the mean
        colour of ImageNet.

        Parameters
        ----------
        image : PIL.Image.Image
            Of any mode.
        size : (int, int), optional
            Width and height to stretch the image to; ``None`` leaves it.
        dtype : dtype, optional
            Of the result.

        Returns
        -------
        ndarray
            Of shape (3, height, width).

        Raises
        ------
        TypeError
            If `image` is no Pillow image.
        """
        if not hasattr(image, "convert"):
            raise TypeError(
                "preprocess takes an image of Pillow, Image.open(path), not a "
                f"{type(image).__name__}"
            )
        image = image.convert("RGB")
        if size:
            image = image.resize(size)
        blue_green_red = np.asarray(image, dtype=dtype)[:, :, ::-1] - np.array(
            [103.939, 116.779, 123.68], dtype=dtype
        )
        return np.ascontiguousarray(blue_green_red.transpose(2, 0, 1))


def _conv3x3(out_channels: int) -> L.Conv2d:
    return L.Conv2d(out_channels, kernel_size=3, stride=1, pad=1)


class ResNet(_Pretrained):
    """A very deep network whose blocks add to their input, so that gradients have a
    short way. Source: book step 58.

    Parameters
    ----------
    n_layers : {152, 101, 50}, optional
        How deep.
    pretrained : bool or str or os.PathLike, optional
        With ``True``, the weights that come with the book are loaded, downloaded once.
        A path names a file with such weights.

    Raises
    ------
    ValueError
        If there is no network of `n_layers`.

    Notes
    -----
    As in the authors' own network, and as the book's weights need it, the first 1×1
    convolution of a block takes the stride, and pooling looks over the right and lower
    edge. A file of the book's weights has a bias in `conv1`, which :meth:`adapt` puts
    where it belongs here.

    Source: K. He, X. Zhang, S. Ren and J. Sun, "Deep residual learning for image
    recognition", 2016.
    """

    WEIGHTS_PATH = (
        "https://github.com/koki0702/dezero-models/releases/download/v0.1/resnet{}.npz"
    )

    def __init__(self, n_layers: int = 152, pretrained: bool | StrPath = False) -> None:
        depths = {50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3)}
        if n_layers not in depths:
            raise ValueError(
                f"there is a ResNet of 50, 101 or 152 layers, but not of {n_layers}"
            )
        depth = depths[n_layers]
        self.conv1 = L.Conv2d(64, kernel_size=7, stride=2, pad=3, nobias=True)
        self.bn1 = L.BatchNorm()
        self.res2 = BuildingBlock(depth[0], 64, 256, stride=1)
        self.res3 = BuildingBlock(depth[1], 128, 512, stride=2)
        self.res4 = BuildingBlock(depth[2], 256, 1024, stride=2)
        self.res5 = BuildingBlock(depth[3], 512, 2048, stride=2)
        self.fc6 = L.Linear(1000)
        self._load_pretrained(pretrained, self.WEIGHTS_PATH.format(n_layers))

    def forward(self, x: Operand) -> Variable:
        """Images (N, 3, 224, 224) to scores (N, 1000); other sizes work, too."""
        x = F.relu(self.bn1(self.conv1(x)))
        # After relu nothing is below the zeros of this edge, so they win no maximum.
        x = F.pad(x, ((0, 0), (0, 0), (0, 1), (0, 1)))
        x = F.pooling(x, kernel_size=3, stride=2)
        x = self.res2(x)
        x = self.res3(x)
        x = self.res4(x)
        x = self.res5(x)
        return self.fc6(F.mean(x, axis=(2, 3)))

    def adapt(self, stored: dict[str, StoredArray], prefix: str) -> None:
        """Take the bias of the book's `conv1` from the mean that follows it: batch
        normalisation takes both away again.
        """
        bias, mean = [stored.get(prefix + name) for name in ("conv1/b", "bn1/avg_mean")]
        if bias and mean and (bias.shape, bias.dtype) == (mean.shape, mean.dtype):
            del stored[prefix + "conv1/b"]
            stored[prefix + "bn1/avg_mean"] = StoredArray(
                mean.shape, mean.dtype, lambda: mean.read() - bias.read()
            )


class ResNet50(ResNet):
    """ResNet of 50 layers: 25,557,032 parameters."""

    def __init__(self, pretrained: bool | StrPath = False) -> None:
        super().__init__(50, pretrained)


class ResNet101(ResNet):
    """ResNet of 101 layers: 44,549,160 parameters."""

    def __init__(self, pretrained: bool | StrPath = False) -> None:
        super().__init__(101, pretrained)


class ResNet152(ResNet):
    """ResNet of 152 layers: 60,192,808 parameters."""

    def __init__(self, pretrained: bool | StrPath = False) -> None:
        super().__init__(152, pretrained)


class BuildingBlock(Chain):
    """One resolution of a :class:`ResNet`: bottlenecks, of which the first changes size
    and channels.
    """

    def __init__(
        self, n_layers: int, mid_channels: int, out_channels: int, stride: int
    ) -> None:
        first = Bottleneck(mid_channels, out_channels, stride, project=True)
        rest = [
            Bottleneck(mid_channels, out_channels, 1, project=False)
            for _ in range(n_layers - 1)
        ]
        self.hold({"a": first, **{f"b{i}": b for i, b in enumerate(rest, 1)}})


class Bottleneck(L.Layer):
    """Three convolutions, the outer ones of 1×1 to fewer channels and back, whose
    result is added to the input.

    With `project`, the input is brought to the result's shape by a fourth convolution.
    """

    def __init__(
        self, mid_channels: int, out_channels: int, stride: int, project: bool
    ) -> None:
        self.conv1 = L.Conv2d(mid_channels, 1, stride, nobias=True)
        self.bn1 = L.BatchNorm()
        self.conv2 = L.Conv2d(mid_channels, 3, pad=1, nobias=True)
        self.bn2 = L.BatchNorm()
        self.conv3 = L.Conv2d(out_channels, 1, nobias=True)
        self.bn3 = L.BatchNorm()
        self.project = project
        if project:
            self.conv4 = L.Conv2d(out_channels, 1, stride, nobias=True)
            self.bn4 = L.BatchNorm()

    def forward(self, x: Operand) -> Variable:
        """Shapes (N, C, H, W) to (N, out_channels, ≈ H / stride, ≈ W / stride)."""
        h = F.relu(self.bn1(self.conv1(x)))
        h = F.relu(self.bn2(self.conv2(h)))
        h = self.bn3(self.conv3(h))
        return F.relu(h + (self.bn4(self.conv4(x)) if self.project else x))
