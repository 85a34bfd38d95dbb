"""Random graphs with a size that is known at run time only.

One size of an argument becomes `?` in every type, and what operators are told
about it an index. Not every graph can be written so: a constant has to be as
large as its type says, and the sum of two sizes is another one. Whoever runs
the text has to ask whether it is a program.
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


def make_dynamic(
    graph: Graph, rng: random.Random
) -> tuple[str, dict[str, Any]] | None:
    """The text and the side file of a graph with one dynamic size.

    Nothing if no argument has a size of more than 1, or if a constant would
    have the size.
    """
    arguments = graph.arguments()
    places = [
        (number, dim, size)
        for number, value in enumerate(arguments)
        for dim, size in enumerate(value.shape or ())
        if size > 1
    ]
    if not places:
        return None
    number, dim, size = rng.choice(places)

    def dynamic(match: re.Match[str]) -> str:
        sizes = (match.group(1) or "").split("x")
        sizes = ["?" if s == str(size) else s for s in sizes]
        return f"tensor<{'x'.join(sizes)}{match.group(2)}>"

    def empty(match: re.Match[str]) -> str:
        unknown = match.group(1).count("?")
        return f"tensor.empty({', '.join(['%dyn'] * unknown)}) : {match.group(1)}"

    def listed(text: str) -> str:
        return re.sub(rf"(?<![\w.]){size}(?![\w.])", "%dyn", text)

    text = TENSOR.sub(dynamic, graph.render())
    if re.search(r"dense<.*tensor<[^>]*\?", text):
        return None
    text = re.sub(r"tensor\.empty\(\) : (tensor<[^>]*>)", empty, text)
    text = re.sub(
        r"output_shape (\[[^\]]*\])",
        lambda m: "output_shape " + listed(m.group(1)),
        text,
    )
    text = SLICE.sub(
        lambda m: f"{m.group(1)}{m.group(2)} {listed(m.group(3))} {m.group(4)}",
        text,
    )
    head, rest = text.split("\n", 1)
    shape = TENSOR.sub(dynamic, arguments[number].type)
    lines = [
        f"  %dynDim = arith.constant {dim} : index",
        f"  %dyn = tensor.dim %a{number}, %dynDim : {shape}",
    ]
    draws = graph.draws()
    for value, entry in zip(arguments, draws["inputs"]):
        if value.shape is not None:
            entry["shape"] = ["n" if s == size else s for s in value.shape]
    draws["dynamic"] = {"sizes": [{"n": size}]}
    return "\n".join([head, *lines, rest]), draws
