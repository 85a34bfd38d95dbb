"""Random tensor graphs as MLIR text, for `fuse_mlir.fuzz`.

A graph is a list of nodes over typed values. Each value knows how exactly two
correct programs agree on it, so that a graph is only made of operators whose
results can be compared: no comparison of sums, no rounding of a sum to f16
and back, no quotient by something near zero.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

FLOATS = ("f32", "f16", "bf16", "f64")
INTS = ("i32", "i64", "i16", "i8", "i1")
SIZES = (1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 33, 64, 100)
MAX_ELEMENTS = 6000

# How far two correct programs agree on a value.
EXACT, CLOSE, ROUGH = 0, 1, 2


def bits(dtype: str) -> int:
    """The width of an element type."""
    return int(dtype.lstrip("bfi"))


def is_float(dtype: str) -> bool:
    """True for the floating-point element types."""
    return dtype in FLOATS


@dataclass(eq=False)
class Value:
    """A tensor (or a scalar, where `shape` is None) and what is known of it."""

    dtype: str
    shape: tuple[int, ...] | None
    level: int = EXACT
    bound: float = 2.0
    special: bool = False
    draw: dict[str, Any] | None = None

    @property
    def type(self) -> str:
        """The type as MLIR text."""
        if self.shape is None:
            return self.dtype
        return tensor_type(self.shape, self.dtype)


@dataclass(eq=False)
class Node:
    """An operator, or a few that belong together.

    In `text`, `$i0` is an operand, `$r` the (first part of the) result name,
    `$u_` a prefix for further names and `$name` that of the function that
    `declaration` declares or defines beside `@main`. `kind` says what has drawn
    it.
    """

    text: str
    inputs: list[Value]
    results: list[Value]
    declaration: str = ""
    kind: str = ""


@dataclass
class Graph:
    """A function: nodes in program order and the values that it returns."""

    nodes: list[Node] = field(default_factory=list)
    outputs: list[Value] = field(default_factory=list)

    def arguments(self) -> list[Value]:
        """The values that no node defines, in order of first use."""
        defined = {id(r) for node in self.nodes for r in node.results}
        seen: dict[int, Value] = {}
        uses = [v for node in self.nodes for v in node.inputs] + self.outputs
        for value in uses:
            if id(value) not in defined:
                seen.setdefault(id(value), value)
        return list(seen.values())

    def prune(self) -> Graph:
        """The graph without nodes that no output needs."""
        needed = {id(v) for v in self.outputs}
        kept: list[Node] = []
        for node in reversed(self.nodes):
            if any(id(r) in needed for r in node.results):
                kept.append(node)
                needed.update(id(v) for v in node.inputs)
        return Graph(kept[::-1], self.outputs)

    def render(self) -> str:
        """The module as MLIR text."""
        names: dict[int, str] = {}
        arguments = self.arguments()
        for index, value in enumerate(arguments):
            names[id(value)] = f"%a{index}"
        lines: list[str] = []
        functions: list[str] = []
        for index, node in enumerate(self.nodes):
            name = f"%v{index}"
            many = len(node.results) > 1
            for k, result in enumerate(node.results):
                names[id(result)] = f"{name}#{k}" if many else name
            text = node.text
            for k in reversed(range(len(node.inputs))):
                text = text.replace(f"$i{k}", names[id(node.inputs[k])])
            head = f"{name}:{len(node.results)}" if many else name
            text = text.replace("$r", head).replace("$u", f"%t{index}")
            text = text.replace("$name", f"@f{index}")
            if node.declaration:
                functions.append(
                    node.declaration.replace("$name", f"@f{index}")
                )
            lines += ["  " + line for line in text.strip().split("\n")]
        types = [v.type for v in self.outputs]
        head = ", ".join(f"{names[id(v)]}: {v.type}" for v in arguments)
        returned = ", ".join(names[id(v)] for v in self.outputs)
        return "\n".join(
            [
                f"func.func @main({head}) -> ({', '.join(types)}) {{",
                *lines,
                f"  return {returned} : {', '.join(types)}",
                "}",
                *functions,
                "",
            ]
        )

    def draws(self) -> dict[str, Any]:
        """How the arguments are drawn: the JSON beside the model."""
        return {
            "inputs": [
                {"index": index, **(value.draw or default_draw(value))}
                for index, value in enumerate(self.arguments())
            ]
        }


def default_draw(value: Value) -> dict[str, Any]:
    """Draws values within the bound of a value."""
    if value.dtype == "i1":
        return {"kind": "ints", "lo": 0, "hi": 2}
    bound = min(value.bound, 100.0)
    if is_float(value.dtype):
        return {"kind": "uniform", "lo": -bound, "hi": bound}
    return {"kind": "ints", "lo": -int(bound), "hi": int(bound) + 1}


def tensor_type(shape: tuple[int, ...] | list[int], dtype: str) -> str:
    """A ranked tensor type as text."""
    return "tensor<" + "".join(f"{s}x" for s in shape) + dtype + ">"


def dims(rank: int, prefix: str = "d") -> str:
    """The dimensions of an affine map."""
    return ", ".join(f"{prefix}{k}" for k in range(rank))


def affine(rank: int, results: list[str]) -> str:
    """An affine map of `rank` dimensions."""
    return f"affine_map<({dims(rank)}) -> ({', '.join(results)})>"


def literal(value: float, dtype: str) -> str:
    """A number as an attribute of the element type."""
    if dtype == "i1":
        return "true" if value else "false"
    if not is_float(dtype):
        return str(int(value))
    special = {
        "f32": ("0x7FC00000", "0x7F800000", "0xFF800000"),
        "f64": (
            "0x7FF8000000000000",
            "0x7FF0000000000000",
            "0xFFF0000000000000",
        ),
        "f16": ("0x7E00", "0x7C00", "0xFC00"),
        "bf16": ("0x7FC0", "0x7F80", "0xFF80"),
    }[dtype]
    if math.isnan(value):
        return special[0]
    if math.isinf(value):
        return special[1] if value > 0 else special[2]
    return f"{value:.6e}"


def type_limit(dtype: str) -> float:
    """The largest magnitude of an integer type."""
    return 1.0 if dtype == "i1" else 2.0 ** (bits(dtype) - 1)
