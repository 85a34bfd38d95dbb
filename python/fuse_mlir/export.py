"""Exports the models to linalg on tensors.

    python -m fuse_mlir.export [--out DIR] [NAME...]

Writes `DIR/full/NAME.mlir`, `DIR/small/NAME.mlir` and beside each a
`NAME.json` that lists the arguments and results of `@main` and how to draw
test values. Parameters and buffers are arguments, so the files hold no weights.
NAME is a whole name (`bert_like_layer_f32`) or a model (`bert_like_layer`).

Two decomposition tables are used. `lean` keeps `addmm` whole, so that a linear
layer is a matrix product and one add of its bias, and takes the statistics of a
layer norm in f32. `stock` is the default table of torch-mlir, which computes
the variance in f64; files exported with it have `_stock` in their names.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.func import functional_call

from fuse_mlir.models import MODELS, SIZES
from fuse_mlir.models.spec import Build, Input, Model, parameter_draw

DTYPES: dict[str, torch.dtype] = {
    "f32": torch.float32,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "i64": torch.int64,
}
_DTYPE_NAMES = {dtype: name for name, dtype in DTYPES.items()}

DEFAULT_OUT = Path(__file__).resolve().parents[2] / "test" / "models"


class Flat(nn.Module):
    """A module whose parameters and buffers are arguments of `forward`.

    `forward` takes the module's own inputs, then its state in the order of
    `state`. The module is kept out of the registered children, so that an
    export sees no state of its own.
    """

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.state = dict(module.named_parameters()) | dict(
            module.named_buffers()
        )
        object.__setattr__(self, "inner", module)

    def forward(self, *args: Tensor) -> Tensor | tuple[Tensor, ...]:
        """The result of the module on `args`: inputs, then state."""
        split = len(args) - len(self.state)
        state = dict(zip(self.state, args[split:], strict=True))
        return functional_call(self.inner, state, args[:split])


@dataclass(frozen=True)
class Target:
    """One file to write: a model in one element type through one table."""

    model: Model
    dtype: str
    table: str

    @property
    def name(self) -> str:
        """The name of the file, as in `bert_like_layer_f32`."""
        tag = "" if self.table == "lean" else f"_{self.table}"
        return f"{self.model.name}{tag}_{self.dtype}"


def targets(names: list[str]) -> list[Target]:
    """The targets of the given names, all of them for an empty list.

    Raises:
        ValueError: a name is neither a target's nor a model's.
    """
    every = [
        Target(model, dtype, table)
        for model in MODELS
        for table in model.tables
        for dtype in model.dtypes
        if table == "lean" or dtype == "f32"
    ]
    known = {target.name for target in every} | {m.name for m in MODELS}
    for name in names:
        if name not in known:
            accepted = ", ".join(sorted(known))
            raise ValueError(f"expected one of {accepted}, but got '{name}'")
    return [
        target
        for target in every
        if not names or target.name in names or target.model.name in names
    ]


def layer_norm_in_f32(
    x: Tensor,
    shape: list[int],
    weight: Tensor | None,
    bias: Tensor | None,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """`native_layer_norm` with its statistics in f32.

    Args:
        x: (..., *shape).
        shape: sizes of the dimensions to normalize over.
        weight: of `shape`, or None.
        bias: of `shape`, or None.
        eps: added to the variance.

    Returns:
        The result, of the shape of `x`; mean and reciprocal deviation, with
        ones for the normalized dimensions.
    """
    dims = list(range(x.dim() - len(shape), x.dim()))
    wide = x.float()
    mean = wide.mean(dims, keepdim=True)
    centered = wide - mean
    variance = (centered * centered).mean(dims, keepdim=True)
    scale = torch.rsqrt(variance + eps)
    result = centered * scale
    if weight is not None:
        result = result * weight
    if bias is not None:
        result = result + bias
    return result.to(x.dtype), mean, scale


def decompositions(table: str) -> dict[torch._ops.OpOverload, Callable]:
    """The decomposition table of that name, `lean` or `stock`."""
    from torch_mlir.extras.fx_decomp_util import get_decomposition_table

    result = dict(get_decomposition_table())
    if table == "lean":
        aten = torch.ops.aten
        result[aten.native_layer_norm.default] = layer_norm_in_f32
        result.pop(aten.addmm.default, None)
    return result


def arguments(build: Build, dtype: str) -> Iterator[tuple[Input, str, str]]:
    """Each argument of `@main` in order, with its role and element type."""
    for item in build.inputs:
        yield item, "input", item.dtype or dtype
    for name, value in Flat(build.module).state.items():
        shape = tuple(value.shape)
        role = "parameter" if isinstance(value, nn.Parameter) else "buffer"
        yield Input(name, shape, parameter_draw(name, shape)), role, dtype


def describe(target: Target, build: Build, results: list[Tensor]) -> str:
    """The JSON text that goes beside the module, one argument a line."""

    def line(index: int, item: Input, role: str, dtype: str) -> str:
        draw = item.draw
        row: dict[str, object] = {
            "index": index,
            "name": item.name,
            "role": role,
            "shape": list(item.shape),
            "dtype": dtype,
            "kind": draw.kind,
        }
        if draw.kind == "choice":
            row["values"] = list(draw.values)
        else:
            row |= {"lo": draw.lo, "hi": draw.hi}
        row["range"] = draw.text()
        if draw.first is not None:
            row["first"] = draw.first
        return json.dumps(row)

    inputs = [
        line(index, *argument)
        for index, argument in enumerate(arguments(build, target.dtype))
    ]
    outputs = [
        json.dumps(
            {
                "index": index,
                "shape": list(value.shape),
                "dtype": _DTYPE_NAMES[value.dtype],
            }
        )
        for index, value in enumerate(results)
    ]
    what = build.what
    if target.table != "lean":
        what += f" [{target.table}]"
    head = {"name": target.name, "what": what, "function": "main"}
    fields = [f' "{key}": {json.dumps(value)}' for key, value in head.items()]
    for key, rows in (("inputs", inputs), ("results", outputs)):
        body = ",\n".join(f"  {row}" for row in rows)
        fields.append(f' "{key}": [\n{body}\n ]')
    return "{\n" + ",\n".join(fields) + "\n}\n"


def export(target: Target, size: str, out: Path) -> Path:
    """Writes one module and its JSON file; returns the path of the module."""
    from torch_mlir import fx

    with torch.device("meta"):
        build = target.model.build(size)
    module = Flat(build.module.eval())
    args = tuple(
        torch.zeros(item.shape, dtype=DTYPES[dtype])
        for item, _, dtype in arguments(build, target.dtype)
    )
    program = torch.export.export(module, args)
    lowered = fx.export_and_import(
        program,
        output_type="linalg-on-tensors",
        func_name="main",
        decomposition_table=decompositions(target.table),
    )
    results = [node.meta["val"] for node in program.graph.output_node().args[0]]

    path = out / size / f"{target.name}.mlir"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [line.rstrip() for line in str(lowered).rstrip().splitlines()]
    path.write_text("\n".join(lines) + "\n")
    path.with_suffix(".json").write_text(describe(target, build, results))
    return path


def main(argv: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m fuse_mlir.export",
        description=(__doc__ or "").split("\n")[0],
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=DEFAULT_OUT,
        metavar="DIR",
        help="where full/ and small/ go (default: test/models of the tree)",
    )
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args(argv)
    try:
        chosen = targets(options.names)
    except ValueError as error:
        parser.error(str(error))
    torch.set_num_threads(1)
    for target in chosen:
        for size in SIZES:
            print(export(target, size, options.out))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
