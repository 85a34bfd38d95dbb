"""Single steps that surround layers: a norm, a loss and an optimizer step."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional

from fuse_mlir.models.spec import Build, Input, Shape, ints, uniform


class SoftmaxCrossEntropy(nn.Module):
    """The mean over rows of minus the log probability of the target."""

    def forward(self, logits: Tensor, target: Tensor) -> Tensor:
        """(rows, classes) and (rows,) of i64 to a scalar."""
        return functional.cross_entropy(logits, target)


class AdamStep(nn.Module):
    """One step of Adam over several tensors at once."""

    def __init__(
        self, beta1: float = 0.9, beta2: float = 0.999, eps: float = 1e-8
    ) -> None:
        super().__init__()
        self.beta1 = beta1
        self.beta2 = beta2
        self.eps = eps

    def forward(
        self, step: Tensor, rate: Tensor, *tensors: Tensor
    ) -> tuple[Tensor, ...]:
        """One step.

        Args:
            step: scalar, the number of this step, one for the first.
            rate: scalar, the learning rate.
            *tensors: n values, then their n gradients, n first moments and n
                second moments, of any shapes.

        Returns:
            The n new values, n first moments and n second moments.
        """
        count = len(tensors) // 4
        rows = zip(
            *(tensors[i * count : (i + 1) * count] for i in range(4)),
            strict=True,
        )
        correct1 = 1 - self.beta1**step
        correct2 = 1 - self.beta2**step
        values, firsts, seconds = [], [], []
        for value, gradient, first, second in rows:
            first = self.beta1 * first + (1 - self.beta1) * gradient
            second = self.beta2 * second + (1 - self.beta2) * gradient**2
            divisor = (second / correct2).sqrt() + self.eps
            values.append(value - rate * (first / correct1) / divisor)
            firsts.append(first)
            seconds.append(second)
        return (*values, *firsts, *seconds)


def build_layer_norm(size: str) -> Build:
    """Layer norm over the last dimension."""
    batch, seq, hidden = {"full": (8, 128, 768), "small": (3, 13, 75)}[size]
    return Build(
        nn.LayerNorm(hidden),
        (Input("x", (batch, seq, hidden)),),
        f"layer norm, {batch} x {seq} x {hidden}",
    )


def build_softmax_cross_entropy(size: str) -> Build:
    """A language model's loss at `full`; odd sizes at `small`."""
    rows, classes = {"full": (1024, 30522), "small": (37, 101)}[size]
    return Build(
        SoftmaxCrossEntropy(),
        (
            Input("logits", (rows, classes)),
            Input("target", (rows,), ints(0, classes), "i64"),
        ),
        f"softmax cross entropy (mean), {rows} rows, {classes} classes",
    )


def build_adam_step(size: str) -> Build:
    """Adam over tensors of one to four dimensions."""
    shapes: tuple[Shape, ...] = {
        "full": (
            (768, 768),
            (768,),
            (3072, 768),
            (3072,),
            (30522, 64),
            (64, 3, 7, 7),
        ),
        "small": ((19, 23), (23,), (31, 17), (1,), (5, 3, 3, 3)),
    }[size]
    draws = {
        "value": uniform(-1, 1),
        "gradient": uniform(-0.1, 0.1),
        "first": uniform(-0.1, 0.1),
        "second": uniform(0, 0.01),
    }
    inputs = [
        Input("step", (), uniform(1, 20), "f32"),
        Input("rate", (), uniform(0.0001, 0.01), "f32"),
    ]
    inputs += [
        Input(f"{part}{index}", shape, draw)
        for part, draw in draws.items()
        for index, shape in enumerate(shapes)
    ]
    return Build(
        AdamStep(),
        tuple(inputs),
        f"Adam step over {len(shapes)} tensors, {3 * len(shapes)} results",
    )
