"""A BERT-like encoder layer: norms after the residuals, GELU, additive mask."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional

from fuse_mlir.models.attention import attend, merge_heads, split_heads
from fuse_mlir.models.spec import ADDITIVE_MASK, Build, Input


class BertLikeLayer(nn.Module):
    """Self attention and a feed-forward net, each with residual and norm."""

    def __init__(self, hidden: int, heads: int, inner: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(hidden, hidden)
        self.key = nn.Linear(hidden, hidden)
        self.value = nn.Linear(hidden, hidden)
        self.output = nn.Linear(hidden, hidden)
        self.attention_norm = nn.LayerNorm(hidden, eps=1e-12)
        self.up = nn.Linear(hidden, inner)
        self.down = nn.Linear(inner, hidden)
        self.output_norm = nn.LayerNorm(hidden, eps=1e-12)

    def forward(self, hidden: Tensor, mask: Tensor) -> Tensor:
        """(batch, seq, hidden), (batch, 1, 1, seq) to (batch, seq, hidden)."""
        context = attend(
            split_heads(self.query(hidden), self.heads),
            split_heads(self.key(hidden), self.heads),
            split_heads(self.value(hidden), self.heads),
            bias=mask,
        )
        hidden = self.attention_norm(hidden + self.output(merge_heads(context)))
        inner = functional.gelu(self.up(hidden))
        return self.output_norm(hidden + self.down(inner))


def build(size: str) -> Build:
    """BERT base at `full`; odd sizes at `small`."""
    batch, seq, hidden, heads, inner = {
        "full": (8, 128, 768, 12, 3072),
        "small": (2, 19, 36, 3, 100),
    }[size]
    return Build(
        BertLikeLayer(hidden, heads, inner),
        (
            Input("hidden", (batch, seq, hidden)),
            Input("mask", (batch, 1, 1, seq), ADDITIVE_MASK),
        ),
        f"BERT-like encoder layer, batch {batch}, seq {seq}, hidden {hidden}, "
        f"{heads} heads, inner {inner}, additive mask",
    )
