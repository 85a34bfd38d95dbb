"""A GPT-like block: norms before each half, one projection for q, k and v."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from fuse_mlir.models.attention import (
    attend,
    causal_mask,
    merge_heads,
    split_heads,
)
from fuse_mlir.models.spec import Build, Input


def gelu_by_tanh(x: Tensor) -> Tensor:
    """GELU by its tanh formula, elementwise.

    Spelled out since torch-mlir's own expansion rounds the square root of 2/pi
    to 0.797724.
    """
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x))
    return 0.5 * x * (1 + torch.tanh(inner))


class GptLikeBlock(nn.Module):
    """Causal self attention and a feed-forward net with residuals."""

    def __init__(self, hidden: int, heads: int, inner: int) -> None:
        super().__init__()
        self.heads = heads
        self.attention_norm = nn.LayerNorm(hidden)
        self.qkv = nn.Linear(hidden, 3 * hidden)
        self.output = nn.Linear(hidden, hidden)
        self.inner_norm = nn.LayerNorm(hidden)
        self.up = nn.Linear(hidden, inner)
        self.down = nn.Linear(inner, hidden)

    def forward(self, hidden: Tensor) -> Tensor:
        """(batch, seq, hidden) to the same shape."""
        joint = self.qkv(self.attention_norm(hidden))
        query, key, value = (
            split_heads(part, self.heads) for part in joint.chunk(3, dim=-1)
        )
        context = attend(
            query, key, value, blocked=causal_mask(hidden.shape[1])
        )
        hidden = hidden + self.output(merge_heads(context))
        inner = self.up(self.inner_norm(hidden))
        return hidden + self.down(gelu_by_tanh(inner))


def build(size: str) -> Build:
    """GPT-2 small's sizes at `full`; odd sizes at `small`."""
    batch, seq, hidden, heads, inner = {
        "full": (8, 128, 768, 12, 3072),
        "small": (2, 17, 40, 5, 90),
    }[size]
    return Build(
        GptLikeBlock(hidden, heads, inner),
        (Input("hidden", (batch, seq, hidden)),),
        f"GPT-like block, batch {batch}, seq {seq}, hidden {hidden}, "
        f"{heads} heads, inner {inner}, causal, GELU by tanh",
    )
