"""Random graphs for `fuse_mlir.fuzz`: which operators, and how often."""

from __future__ import annotations

import random

from fuse_mlir.fuzz_attention import Attentions
from fuse_mlir.fuzz_elementwise import Elementwise
from fuse_mlir.fuzz_graph import Node
from fuse_mlir.fuzz_movement import Movement
from fuse_mlir.fuzz_programs import Programs
from fuse_mlir.fuzz_windows import Windows

# How often each kind of operator is drawn, by the methods that make them.
WEIGHTS = {
    "elementwise": 30,
    "reduce": 14,
    "cascade": 5,
    "argmax": 3,
    "transpose": 5,
    "reshape": 6,
    "slice": 5,
    "insert": 3,
    "pad": 4,
    "concat": 4,
    "gather": 3,
    "store_narrow": 2,
    "contract": 6,
    "attention": 2,
    "convolve": 2,
    "pool2d": 1,
    "convolution": 2,
    "distances": 1,
    "pack": 2,
    "reverse": 2,
    "scatter": 2,
    "load_narrow": 1,
    "update": 3,
    "loop": 1,
    "branch": 1,
    "call": 1,
    "broadcast": 4,
    "constant": 2,
    "from_scalar": 2,
    "named": 6,
    "tensor_arith": 6,
}
# What else is drawn as often as all others together, and of larger sizes.
FOCUS = {
    "contractions": {
        "contract": 50,
        "attention": 24,
        "convolution": 20,
        "convolve": 12,
        "cascade": 12,
        "distances": 6,
        "pool2d": 6,
    }
}


class Generator(Elementwise, Movement, Attentions, Programs, Windows):
    """Grows a graph by random operators; `focus`: one of `FOCUS`, or empty."""

    def __init__(self, rng: random.Random, ops: int, focus: str = "") -> None:
        super().__init__(rng)
        self.large = bool(focus)
        self.weights = dict(WEIGHTS)
        for kind, weight in FOCUS.get(focus, {}).items():
            self.weights[kind] += weight
        while len(self.graph.nodes) < ops:
            self.grow()
        self.choose_outputs()

    def grow(self) -> None:
        """Appends one operator."""
        kinds = list(self.weights)
        kind = self.rng.choices(kinds, list(self.weights.values()))[0]
        node: Node | None = getattr(self, kind)()
        if node is None:
            return
        node.kind = kind
        self.graph.nodes.append(node)
        self.pool += [r for r in node.results if r.shape is not None]

    def choose_outputs(self) -> None:
        """Returns what nothing uses, and now and then something more."""
        used = {id(v) for node in self.graph.nodes for v in node.inputs}
        made = [
            r
            for node in self.graph.nodes
            for r in node.results
            if r.shape is not None
        ]
        leaves = [v for v in made if id(v) not in used]
        self.rng.shuffle(leaves)
        outputs = leaves[: self.rng.choice([1, 2, 3, 5, 8])]
        for value in made:
            if id(value) in used and self.rng.random() < 0.1:
                outputs.append(value)
        arguments = [v for v in self.pool if id(v) in used and v not in made]
        if arguments and self.rng.random() < 0.05:
            outputs.append(self.rng.choice(arguments))
        if self.rng.random() < 0.05:
            outputs += outputs[:1]
        self.graph.outputs = outputs
        self.graph = self.graph.prune()
