"""A Llama-like layer: RMSNorm, rotary positions, grouped heads, SwiGLU."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from fuse_mlir.models.attention import attend, merge_heads, split_heads
from fuse_mlir.models.spec import ADDITIVE_MASK, Build, Input


class RmsNorm(nn.Module):
    """Scales the last dimension to mean square one; statistics in f32."""

    def __init__(self, width: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        """(..., width) to the same shape."""
        wide = x.float()
        square = (wide * wide).mean(-1, keepdim=True)
        return self.weight * (wide * torch.rsqrt(square + self.eps)).to(x.dtype)


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turns the pairs (i, i + dim / 2) of `x` by the angles of its position.

    Args:
        x: (batch, heads, seq, dim).
        cos: (seq, dim), the cosines of the angles.
        sin: (seq, dim), the sines of the angles.

    Returns:
        (batch, heads, seq, dim).
    """
    low, high = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-high, low), dim=-1) * sin


def repeat_heads(x: Tensor, times: int) -> Tensor:
    """(batch, groups, seq, dim) to (batch, groups * times, seq, dim)."""
    batch, groups, seq, dim = x.shape
    wide = x[:, :, None].expand(batch, groups, times, seq, dim)
    return wide.reshape(batch, groups * times, seq, dim)


class LlamaLikeLayer(nn.Module):
    """A decoder layer for whole sequences; `groups` key and value heads."""

    def __init__(
        self, hidden: int, heads: int, groups: int, dim: int, inner: int
    ) -> None:
        super().__init__()
        self.heads = heads
        self.groups = groups
        self.attention_norm = RmsNorm(hidden)
        self.query = nn.Linear(hidden, heads * dim, bias=False)
        self.key = nn.Linear(hidden, groups * dim, bias=False)
        self.value = nn.Linear(hidden, groups * dim, bias=False)
        self.output = nn.Linear(heads * dim, hidden, bias=False)
        self.inner_norm = RmsNorm(hidden)
        self.gate = nn.Linear(hidden, inner, bias=False)
        self.up = nn.Linear(hidden, inner, bias=False)
        self.down = nn.Linear(inner, hidden, bias=False)

    def forward(
        self, hidden: Tensor, cos: Tensor, sin: Tensor, mask: Tensor
    ) -> Tensor:
        """One layer.

        Args:
            hidden: (batch, seq, hidden).
            cos: (seq, dim) rotary cosines.
            sin: (seq, dim) rotary sines.
            mask: (1, 1, seq, seq), added to the scores.

        Returns:
            (batch, seq, hidden).
        """
        x = self.attention_norm(hidden)
        times = self.heads // self.groups
        query = rotate(split_heads(self.query(x), self.heads), cos, sin)
        key = rotate(split_heads(self.key(x), self.groups), cos, sin)
        value = split_heads(self.value(x), self.groups)
        context = attend(
            query,
            repeat_heads(key, times),
            repeat_heads(value, times),
            bias=mask,
        )
        hidden = hidden + self.output(merge_heads(context))
        x = self.inner_norm(hidden)
        return hidden + self.down(functional.silu(self.gate(x)) * self.up(x))


def build(size: str) -> Build:
    """A narrow Llama at `full`; odd sizes at `small`."""
    batch, seq, hidden, heads, groups, dim, inner = {
        "full": (8, 128, 768, 12, 4, 64, 2048),
        "small": (2, 15, 44, 6, 2, 6, 76),
    }[size]
    return Build(
        LlamaLikeLayer(hidden, heads, groups, dim, inner),
        (
            Input("hidden", (batch, seq, hidden)),
            Input("cos", (seq, dim)),
            Input("sin", (seq, dim)),
            Input("mask", (1, 1, seq, seq), ADDITIVE_MASK),
        ),
        f"Llama-like layer, batch {batch}, seq {seq}, hidden {hidden}, "
        f"{heads} query and {groups} key heads of {dim}, inner {inner}, "
        "additive mask",
    )
