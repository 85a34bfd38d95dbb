"""Attention from matrix products and a softmax, as the layers here share it."""

from __future__ import annotations

import math

import torch
from torch import Tensor


def split_heads(x: Tensor, heads: int) -> Tensor:
    """(batch, seq, heads * dim) to (batch, heads, seq, dim)."""
    batch, seq, width = x.shape
    return x.view(batch, seq, heads, width // heads).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    """(batch, heads, seq, dim) to (batch, seq, heads * dim)."""
    batch, heads, seq, dim = x.shape
    return x.transpose(1, 2).reshape(batch, seq, heads * dim)


def causal_mask(seq: int) -> Tensor:
    """(seq, seq) of bool: true where a query must not see a key."""
    position = torch.arange(seq)
    return position[None, :] > position[:, None]


def attend(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    bias: Tensor | None = None,
    blocked: Tensor | None = None,
) -> Tensor:
    """Softmax attention over the last two dimensions.

    Args:
        query: (batch, heads, seq, dim).
        key: (batch, heads, seq, dim).
        value: (batch, heads, seq, dim).
        bias: added to the scores; broadcasts to (batch, heads, seq, seq).
        blocked: bool; scores where it is true count as minus infinity;
            broadcasts like `bias`. No row may be blocked whole.

    Returns:
        (batch, heads, seq, dim).
    """
    scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
    if bias is not None:
        scores = scores + bias
    if blocked is not None:
        scores = scores.masked_fill(blocked, -math.inf)
    return torch.softmax(scores, dim=-1) @ value
