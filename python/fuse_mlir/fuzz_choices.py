"""What the random operators of `fuse_mlir.fuzz` choose from."""

from __future__ import annotations

import math
import random

from fuse_mlir.fuzz_graph import (
    EXACT,
    FLOATS,
    INTS,
    MAX_ELEMENTS,
    SIZES,
    Graph,
    Value,
    affine,
    is_float,
    type_limit,
)

Shape = tuple[int, ...]


def product(shape: Shape) -> int:
    """The number of elements."""
    return math.prod(shape)


def iterators(kinds: list[str]) -> str:
    """The iterator types of an operator."""
    return "[" + ", ".join(f'"{kind}"' for kind in kinds) + "]"


def indented(lines: list[str]) -> str:
    """The lines of a region."""
    return "".join(f"    {line}\n" for line in lines)


class Choices:
    """The graph so far, and draws of values, shapes and types."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.graph = Graph()
        self.pool: list[Value] = []
        # Whether contractions are now and then of several tiles.
        self.large = False
        # Most graphs are of one element type and have a few shapes.
        self.main_type = rng.choices(
            ["f32", "f16", "bf16", "f64", "i32", "i64", "i16", "i8"],
            [58, 12, 8, 6, 8, 4, 2, 2],
        )[0]
        self.base = self.fresh_shape(rng.choices([1, 2, 3, 4], [2, 8, 5, 2])[0])

    def fresh_shape(self, rank: int) -> Shape:
        """A shape of a bounded number of elements."""
        while True:
            shape = tuple(self.rng.choice(SIZES) for _ in range(rank))
            if rank and self.rng.random() < 0.01:
                return (*shape[1:], 0)
            if product(shape) <= MAX_ELEMENTS:
                return shape

    def argument(self, shape: Shape, dtype: str) -> Value:
        """A new function argument."""
        value = Value(dtype, shape)
        if is_float(dtype):
            style = self.rng.random()
            if style < 0.3:
                value.draw = {"kind": "ints", "lo": -2, "hi": 3}
            elif style < 0.4:
                value.draw = {
                    "kind": "choice",
                    "values": [0.0, -0.0, 1.0, -1.0, 0.5, 2.0],
                }
        elif dtype != "i1":
            value.bound = float(self.rng.choice([1, 3, 20]))
            if self.rng.random() < 0.15:
                limit = int(type_limit(dtype))
                value.bound = float(limit)
                value.draw = {
                    "kind": "choice",
                    "values": [
                        0,
                        1,
                        -1,
                        min(limit - 1, 2**52),
                        max(-limit, -(2**52)),
                        7,
                    ],
                }
        return value

    def any_type(self) -> str:
        """An element type, most often that of the graph."""
        if self.rng.random() < 0.75:
            return self.main_type
        return self.rng.choice(FLOATS + INTS)

    def pick(
        self,
        rank: int | None = None,
        dtype: str | None = None,
        floats: bool = False,
        exact: bool = False,
    ) -> Value:
        """A value of the graph, or a new argument."""
        fits = [
            v
            for v in self.pool
            if (rank is None or len(v.shape or ()) == rank)
            and (dtype is None or v.dtype == dtype)
            and (not floats or is_float(v.dtype))
            and (not exact or v.level == EXACT)
        ]
        if fits and self.rng.random() < 0.85:
            # Later values more often: deep graphs.
            return fits[-1 - int(len(fits) * self.rng.random() ** 2)]
        dtype = dtype or self.any_type()
        if floats and not is_float(dtype):
            dtype = "f32"
        shape = self.base
        if rank is not None and rank != len(shape):
            shape = self.fresh_shape(rank)
        value = self.argument(shape, dtype)
        self.pool.append(value)
        return value

    def pick_shape(self, shape: Shape, dtype: str | None = None) -> Value:
        """A value of exactly this shape."""
        fits = [
            v
            for v in self.pool
            if v.shape == shape and dtype in (None, v.dtype)
        ]
        if fits and self.rng.random() < 0.8:
            return self.rng.choice(fits)
        value = self.argument(shape, dtype or self.any_type())
        self.pool.append(value)
        return value

    def operand(self, shape: Shape) -> tuple[Value, str]:
        """A value that is read in a loop nest of `shape`, and its map."""
        rng, rank = self.rng, len(shape)
        style = rng.random()
        if style < 0.5 or rank == 0:
            names = [f"d{k}" for k in range(rank)]
            return self.pick_shape(shape), affine(rank, names)
        # One from the pool that fits by a projection, if there is one.
        for value in rng.sample(self.pool, min(len(self.pool), 6)):
            found = self.project(value.shape or (), shape)
            if found is not None:
                return value, affine(rank, found)
        order = list(range(rank))
        if style > 0.85:
            rng.shuffle(order)
        kept = [k for k in order if rng.random() < 0.6]
        names = [f"d{k}" for k in kept]
        sizes = [shape[k] for k in kept]
        if rng.random() < 0.3:
            at = rng.randrange(len(names) + 1)
            names.insert(at, "0")
            sizes.insert(at, rng.choice([1, 1, 2]))
        return self.pick_shape(tuple(sizes)), affine(rank, names)

    def project(self, from_: Shape, to: Shape) -> list[str] | None:
        """Reads `from_` with the indices of `to`; unit dims at 0."""
        names: list[str] = []
        at = 0
        if len(from_) > len(to):
            return None
        for size in from_:
            if size == 1 and self.rng.random() < 0.7:
                names.append("0")
                continue
            while at < len(to) and to[at] != size:
                at += 1
            if at == len(to):
                return None
            names.append(f"d{at}")
            at += 1
        return names

    def moved(self, x: Value, shape: Shape) -> Value:
        """The same elements in another shape."""
        return Value(x.dtype, shape, x.level, x.bound, x.special)
