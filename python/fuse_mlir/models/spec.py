"""How a model describes its arguments: names, shapes and test values.

A model is a function from a size to a `Build`: a PyTorch module, the inputs of
its `forward`, and a line of text. Its parameters and buffers become further
arguments; `parameter_draw` says how their test values are drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from torch import nn

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Draw:
    """How to draw the test values of one argument.

    `uniform`: reals in [lo, hi]; `ints`: whole numbers in [lo, hi); `choice`:
    one of `values`, where `first`, if set, replaces the value at index 0 of
    the last dimension.
    """

    kind: str
    lo: float | None = None
    hi: float | None = None
    values: tuple[float, ...] = ()
    first: float | None = None

    def text(self) -> str:
        """A line for people that says the same as the fields."""
        if self.kind == "uniform":
            return f"uniform({self.lo:g},{self.hi:g})"
        if self.kind == "ints":
            return f"ints [{self.lo}, {self.hi})"
        listed = ", ".join(f"{value:g}" for value in self.values)
        text = f"one of {{{listed}}}"
        if self.first is not None:
            text += f", {self.first:g} at index 0 of the last dimension"
        return text


def uniform(lo: float, hi: float) -> Draw:
    """Reals in [lo, hi]."""
    return Draw("uniform", lo=lo, hi=hi)


def ints(lo: int, hi: int) -> Draw:
    """Whole numbers in [lo, hi)."""
    return Draw("ints", lo=lo, hi=hi)


# An additive attention mask; index 0 stays open so that no row is empty.
ADDITIVE_MASK = Draw("choice", values=(0, -10000), first=0)


@dataclass(frozen=True)
class Input:
    """One argument of a model's `forward`.

    `dtype` is a name as in MLIR (`f32`, `i64`) or None for the element type
    that the model is exported in.
    """

    name: str
    shape: Shape
    draw: Draw = field(default_factory=lambda: uniform(-1, 1))
    dtype: str | None = None


@dataclass(frozen=True)
class Build:
    """A module at one size, with the inputs of its `forward` in order."""

    module: nn.Module
    inputs: tuple[Input, ...]
    what: str


@dataclass(frozen=True)
class Model:
    """A model that can be built in the sizes `full` and `small`.

    `tables` names the decomposition tables to export with, see
    `fuse_mlir.export`.
    """

    name: str
    build: Callable[[str], Build]
    dtypes: tuple[str, ...] = ("f32",)
    tables: tuple[str, ...] = ("lean",)


def parameter_draw(name: str, shape: Shape) -> Draw:
    """Test values for a parameter or buffer of a module.

    Matrices and filters keep the variance of what they multiply; scales stay
    near one, variances stay positive, biases and means stay near zero.
    """
    leaf = name.rsplit(".", 1)[-1]
    if len(shape) > 1:
        bound = float(f"{math.sqrt(3 / math.prod(shape[1:])):.3g}")
        return uniform(-bound, bound)
    if leaf in ("weight", "running_var"):
        return uniform(0.5, 1.5)
    return uniform(-0.1, 0.1)
