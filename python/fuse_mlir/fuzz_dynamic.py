"""Random graphs with sizes that are known at run time only.

Some sizes of a graph become `?` in every type, and what operators are told
about them indices. Not every graph can be written so: a constant has to be as
large as its type says. Whoever runs the text has to ask whether it is a
program.
"""

from __future__ import annotations

import random
import re
from typing import Any

from fuse_mlir.fuzz_graph import Graph

TENSOR = re.compile(r"tensor<([0-9x?]*x)?([a-z][a-zA-Z0-9]*)>")
SLICE = re.compile(
    r"(tensor\.(?:extract|insert)_slice [^\[]*(?:\[[^\]]*\] )?)"
    r"(\[[^\]]*\]) (\[[^\]]*\]) (\[[^\]]*\])"
)


class Unknown:
    """The sizes that are unknown, and the names of their values."""

    def __init__(self, sizes: list[int]) -> None:
        self.names = {str(s): f"%dyn{k}" for k, s in enumerate(sizes)}

    def sizes_of(self, type_: str) -> list[str]:
        """The names of the unknown sizes of a type."""
        match = TENSOR.fullmatch(type_)
        shape = (match.group(1) or "").split("x") if match else []
        return [self.names[s] for s in shape if s in self.names]

    def type_(self, match: re.Match[str]) -> str:
        """A type with `?` for unknown sizes."""
        sizes = (match.group(1) or "").split("x")
        sizes = ["?" if s in self.names else s for s in sizes]
        return f"tensor<{'x'.join(sizes)}{match.group(2)}>"

    def listed(self, text: str) -> str:
        """A list of sizes with values for the unknown ones."""
        return re.sub(
            r"(?<![\w.])\d+(?![\w.])",
            lambda m: self.names.get(m.group(), m.group()),
            text,
        )

    def rewrite(self, text: str) -> str:
        """The text of a graph with unknown sizes."""
        text = re.sub(
            r"tensor\.empty\(\) : (tensor<[^>]*>)",
            lambda m: (
                f"tensor.empty({', '.join(self.sizes_of(m.group(1)))})"
                f" : {m.group(1)}"
            ),
            text,
        )
        text = re.sub(
            r"(tensor\.splat [^ ]+) : (tensor<[^>]*>)",
            lambda m: (
                m.group(1)
                + (
                    f"[{', '.join(self.sizes_of(m.group(2)))}]"
                    if self.sizes_of(m.group(2))
                    else ""
                )
                + f" : {m.group(2)}"
            ),
            text,
        )
        text = re.sub(
            r"output_shape (\[[^\]]*\])",
            lambda m: "output_shape " + self.listed(m.group(1)),
            text,
        )
        text = SLICE.sub(
            lambda m: (
                f"{m.group(1)}{m.group(2)} {self.listed(m.group(3))} "
                f"{m.group(4)}"
            ),
            text,
        )
        return TENSOR.sub(self.type_, text)


def choose(graph: Graph, rng: random.Random) -> list[tuple[int, int, int]]:
    """The unknown sizes: one to three, as (size, argument, dim).

    The first one is that of an argument. Where no argument has a size, such as
    that of a concatenation, argument and dim are -1.
    """
    places = {
        size: (number, dim)
        for number, value in enumerate(graph.arguments())
        for dim, size in enumerate(value.shape or ())
        if size > 1
    }
    if not places:
        return []
    made = {
        size
        for node in graph.nodes
        for result in node.results
        for size in result.shape or ()
        if size > 1
    }
    first = rng.choice(sorted(places))
    rest = sorted((made | set(places)) - {first})
    sizes = [first, *rng.sample(rest, min(len(rest), rng.randrange(3)))]
    return [(size, *places.get(size, (-1, -1))) for size in sizes]


def make_dynamic(
    graph: Graph, rng: random.Random
) -> tuple[str, dict[str, Any]] | None:
    """The text and the side file of a graph with dynamic sizes.

    Nothing if no argument has a size of more than 1, or if a constant would
    have the size.
    """
    chosen = choose(graph, rng)
    if not chosen:
        return None
    unknown = Unknown([size for size, _, _ in chosen])
    text = unknown.rewrite(graph.render())
    if re.search(r"dense<.*tensor<[^>]*\?", text):
        return None
    arguments = graph.arguments()
    head, rest = text.split("\n", 1)
    lines = []
    for k, (size, number, dim) in enumerate(chosen):
        # What no argument tells is so much more, or less, than the first.
        number_of = dim if number >= 0 else size - chosen[0][0]
        lines.append(f"  %dynC{k} = arith.constant {number_of} : index")
        if number >= 0:
            shape = TENSOR.sub(unknown.type_, arguments[number].type)
            source = f"%a{number}, %dynC{k} : {shape}"
            lines.append(f"  %dyn{k} = tensor.dim {source}")
        else:
            lines.append(f"  %dyn{k} = arith.addi %dyn0, %dynC{k} : index")
    draws = graph.draws()
    names = {size: f"n{k}" for k, (size, _, _) in enumerate(chosen)}
    for value, entry in zip(arguments, draws["inputs"], strict=True):
        if value.shape is not None:
            entry["shape"] = [names.get(s, s) for s in value.shape]
    told = {names[size]: size for size, number, _ in chosen if number >= 0}
    draws["dynamic"] = {"sizes": [told]}
    return "\n".join([head, *lines, rest]), draws
