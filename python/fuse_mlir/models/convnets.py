"""Blocks of convolutional nets at inference, channels first.

`ResNetLikeBottleneck` narrows, filters and widens with ReLU;
`MobileNetLikeBlock` widens, filters each channel by itself and narrows, with
ReLU6. Both add their input at the end.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from fuse_mlir.models.spec import Build, Input


class InferenceBatchNorm(nn.Module):
    """Batch norm by stored statistics over (batch, channels, rows, columns)."""

    def __init__(self, channels: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))
        self.register_buffer("running_mean", torch.zeros(channels))
        self.register_buffer("running_var", torch.ones(channels))

    def forward(self, x: Tensor) -> Tensor:
        """(batch, channels, rows, columns) to the same shape."""
        return functional.batch_norm(
            x,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            training=False,
            eps=self.eps,
        )


def convolution(
    inputs: int, outputs: int, kernel: int, groups: int = 1
) -> nn.Sequential:
    """A convolution that keeps rows and columns, and its batch norm."""
    filters = nn.Conv2d(
        inputs,
        outputs,
        kernel,
        padding=kernel // 2,
        groups=groups,
        bias=False,
    )
    return nn.Sequential(filters, InferenceBatchNorm(outputs))


class ResNetLikeBottleneck(nn.Module):
    """1x1, 3x3 and 1x1 convolutions around a residual."""

    def __init__(self, channels: int, narrow: int) -> None:
        super().__init__()
        self.reduce = convolution(channels, narrow, 1)
        self.filter = convolution(narrow, narrow, 3)
        self.expand = convolution(narrow, channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        """(batch, channels, rows, columns) to the same shape."""
        y = functional.relu(self.reduce(x))
        y = functional.relu(self.filter(y))
        return functional.relu(x + self.expand(y))


class MobileNetLikeBlock(nn.Module):
    """An inverted residual: 1x1, depthwise 3x3 and 1x1 convolutions."""

    def __init__(self, channels: int, wide: int) -> None:
        super().__init__()
        self.expand = convolution(channels, wide, 1)
        self.filter = convolution(wide, wide, 3, groups=wide)
        self.reduce = convolution(wide, channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        """(batch, channels, rows, columns) to the same shape."""
        y = functional.relu6(self.expand(x))
        y = functional.relu6(self.filter(y))
        return x + self.reduce(y)


def build_resnet(size: str) -> Build:
    """A first-stage bottleneck at `full`; odd sizes at `small`."""
    batch, channels, narrow, rows, columns = {
        "full": (8, 256, 64, 56, 56),
        "small": (2, 20, 7, 9, 11),
    }[size]
    return Build(
        ResNetLikeBottleneck(channels, narrow),
        (Input("x", (batch, channels, rows, columns)),),
        f"ResNet-like bottleneck, batch {batch}, {channels} channels, "
        f"{narrow} inside, {rows} x {columns}, batch norm at inference",
    )


def build_mobilenet(size: str) -> Build:
    """A middle block of MobileNetV2's sizes at `full`; odd ones at `small`."""
    batch, channels, wide, rows, columns = {
        "full": (8, 32, 192, 28, 28),
        "small": (2, 7, 30, 9, 11),
    }[size]
    return Build(
        MobileNetLikeBlock(channels, wide),
        (Input("x", (batch, channels, rows, columns)),),
        f"MobileNet-like inverted residual, batch {batch}, {channels} "
        f"channels, {wide} inside, {rows} x {columns}, batch norm at inference",
    )
