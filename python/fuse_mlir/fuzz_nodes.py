"""Random graphs for `fuse_mlir.fuzz`: which operators, and how often."""

from __future__ import annotations

import random

from fuse_mlir.fuzz_attention import Attentions
from fuse_mlir.fuzz_elementwise import Elementwise
from fuse_mlir.fuzz_movement import Movement
from fuse_mlir.fuzz_programs import Programs
from fuse_mlir.fuzz_windows import Windows


class Generator(Elementwise, Movement, Attentions, Programs, Windows):
    """Grows a graph by random operators."""

    def __init__(self, rng: random.Random, ops: int) -> None:
        super().__init__(rng)
        while len(self.graph.nodes) < ops:
            self.grow()
        self.choose_outputs()

    def grow(self) -> None:
        """Appends one operator."""
        kinds = {
            self.elementwise: 30,
            self.reduce: 14,
            self.cascade: 5,
            self.argmax: 3,
            self.transpose: 5,
            self.reshape: 6,
            self.slice: 5,
            self.insert: 3,
            self.pad: 4,
            self.concat: 4,
            self.gather: 3,
            self.store_narrow: 2,
            self.contract: 6,
            self.attention: 2,
            self.convolve: 2,
            self.pool2d: 1,
            self.convolution: 2,
            self.distances: 1,
            self.pack: 2,
            self.reverse: 2,
            self.scatter: 2,
            self.load_narrow: 1,
            self.update: 3,
            self.loop: 1,
            self.branch: 1,
            self.call: 1,
            self.broadcast: 4,
            self.constant: 2,
            self.from_scalar: 2,
            self.named: 6,
            self.tensor_arith: 6,
        }
        maker = self.rng.choices(list(kinds), list(kinds.values()))[0]
        node = maker()
        if node is None:
            return
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
