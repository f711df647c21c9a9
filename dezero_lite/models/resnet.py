"""ResNet: blocks that add to their input. Step 58 explains it."""

from __future__ import annotations

from functools import partial

from .. import functions as F
from .. import layers as L
from ..array_files import Array, StrPath
from ..core import Operand, Variable
from .model import RELEASE, Chain, Model, Pretrained


class ResNet(Pretrained):
    """A very deep network whose blocks add their result to their input, which gives
    gradients a short path. Source: book step 58.

    Parameters
    ----------
    n_layers : {152, 101, 50}, optional
        The number of layers.
    pretrained : bool or str or os.PathLike, optional
        ``True`` loads the weights that come with the book, downloaded once. A path
        names a file with such weights.

    Raises
    ------
    ValueError
        If `n_layers` is not one of these numbers.

    Notes
    -----
    As in the authors' own network, and as the book's weights require, the first 1×1
    convolution of a block has the stride, and pooling extends beyond the right and
    lower edges. A file of the book's weights has a bias in `conv1`, which :meth:`adapt`
    merges into the batch normalisation.

    Source: K. He, X. Zhang, S. Ren and J. Sun, "Deep residual learning for image
    recognition", 2016.
    """

    WEIGHTS_PATH = RELEASE + "resnet{}.npz"

    def __init__(self, n_layers: int = 152, pretrained: bool | StrPath = False) -> None:
        depths = {50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3)}
        if n_layers not in depths:
            raise ValueError(f"a ResNet has 50, 101 or 152 layers, not {n_layers}")
        depth = depths[n_layers]
        self.conv1 = L.Conv2d(64, kernel_size=7, stride=2, pad=3, nobias=True)
        self.bn1 = L.BatchNorm()
        self.res2 = BuildingBlock(depth[0], 64, 256, stride=1)
        self.res3 = BuildingBlock(depth[1], 128, 512, stride=2)
        self.res4 = BuildingBlock(depth[2], 256, 1024, stride=2)
        self.res5 = BuildingBlock(depth[3], 512, 2048, stride=2)
        self.fc6 = L.Linear(1000)
        self.load_pretrained(pretrained, self.WEIGHTS_PATH.format(n_layers))

    def forward(self, x: Operand) -> Variable:
        """Map images (N, 3, 224, 224) to scores (N, 1000); other sizes also work."""
        x = F.relu(self.bn1(self.conv1(x)))
        # After relu, no number is below the zeros of this border, so they never win.
        x = F.pad(x, ((0, 0), (0, 0), (0, 1), (0, 1)))
        x = F.pooling(x, kernel_size=3, stride=2)
        x = self.res5(self.res4(self.res3(self.res2(x))))
        return self.fc6(F.mean(x, axis=(2, 3)))

    def adapt(self, stored: dict[str, Array], prefix: str) -> None:
        """Subtract the bias of the book's `conv1` from the mean that follows it: batch
        normalisation removes both.
        """
        bias, mean = [stored.get(prefix + name) for name in ("conv1/b", "bn1/avg_mean")]
        if bias is None or mean is None:
            return
        if (bias.shape, bias.dtype) == (mean.shape, mean.dtype):
            del stored[prefix + "conv1/b"]
            stored[prefix + "bn1/avg_mean"] = mean - bias


class ResNet50(ResNet):
    """A ResNet of 50 layers: 25,557,032 parameters."""

    def __init__(self, pretrained: bool | StrPath = False) -> None:
        super().__init__(50, pretrained)


class ResNet101(ResNet):
    """A ResNet of 101 layers: 44,549,160 parameters."""

    def __init__(self, pretrained: bool | StrPath = False) -> None:
        super().__init__(101, pretrained)


class ResNet152(ResNet):
    """A ResNet of 152 layers: 60,192,808 parameters."""

    def __init__(self, pretrained: bool | StrPath = False) -> None:
        super().__init__(152, pretrained)


class BuildingBlock(Chain):
    """All bottlenecks of one resolution of a :class:`ResNet`; the first one changes the
    size and the number of channels.
    """

    def __init__(
        self, n_layers: int, mid_channels: int, out_channels: int, stride: int
    ) -> None:
        blocks = {"a": Bottleneck(None, mid_channels, out_channels, stride)}
        for i in range(1, n_layers):
            block = Bottleneck(None, mid_channels, out_channels, 1, project=False)
            blocks[f"b{i}"] = block
        self.hold(blocks)


class Bottleneck(L.Layer):
    """Three convolutions whose result is added to the input: the outer ones are 1×1,
    and reduce the number of channels and restore it.

    With `project`, a fourth convolution brings the input to the shape of the result.
    The `stride` belongs to the first convolution, or with `downsample_fb` to the 3×3
    one. Without `in_channels`, the first input determines their number.
    """

    def __init__(
        self,
        in_channels: int | None,
        mid_channels: int,
        out_channels: int,
        stride: int = 2,
        downsample_fb: bool = False,
        project: bool = True,
    ) -> None:
        first, second = (1, stride) if downsample_fb else (stride, 1)
        convolution = partial(L.Conv2d, nobias=True)
        self.conv1 = convolution(mid_channels, 1, first, in_channels=in_channels)
        self.bn1 = L.BatchNorm()
        self.conv2 = convolution(mid_channels, 3, second, pad=1)
        self.bn2 = L.BatchNorm()
        self.conv3 = convolution(out_channels, 1)
        self.bn3 = L.BatchNorm()
        self.project = project
        if project:
            self.conv4 = convolution(out_channels, 1, stride, in_channels=in_channels)
            self.bn4 = L.BatchNorm()

    def forward(self, x: Operand) -> Variable:
        """Map shape (N, C, H, W) to (N, out_channels, ≈ H / stride, ≈ W / stride)."""
        h = F.relu(self.bn1(self.conv1(x)))
        h = F.relu(self.bn2(self.conv2(h)))
        h = self.bn3(self.conv3(h))
        return F.relu(h + (self.bn4(self.conv4(x)) if self.project else x))


#: The name in the book's framework.
BottleneckA = Bottleneck


class BottleneckB(Bottleneck):
    """A :class:`Bottleneck` that keeps the size and the number of channels."""

    def __init__(self, in_channels: int, mid_channels: int) -> None:
        super().__init__(in_channels, mid_channels, in_channels, 1, project=False)


class SqueezeNet(Model):
    """A class that exists in the book's framework but is empty, there and here.

    Raises
    ------
    NotImplementedError
        Always.
    """

    def __init__(self, pretrained: bool = False) -> None:
        raise NotImplementedError(
            "SqueezeNet is an empty class, as in the book's framework: use VGG16 or "
            "ResNet, or build it from layers"
        )
