"""Makes an exported model runnable: test values and a function that calls it.

    python -m fuse_mlir.driver test/models/small/NAME.mlir

Prints the module with a function `@check` added, which calls `@main` on
constant test values and prints every result as f32 with `printMemrefF32`. The
values are drawn as `NAME.json` says and are the same on every run. Needs
nothing but Python. For the small models: constants of the full ones are huge.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import struct
from pathlib import Path
from typing import Any

ENTRY = "check"

_FORMATS = {"f32": "f", "f16": "e", "i64": "q"}


def encode(values: list[float], dtype: str) -> bytes:
    """The values as little-endian memory of the element type, rounded to it."""
    if dtype != "bf16":
        return struct.pack(f"<{len(values)}{_FORMATS[dtype]}", *values)
    words = struct.unpack(
        f"<{len(values)}I", struct.pack(f"<{len(values)}f", *values)
    )
    # To nearest, ties to even; test values are finite and far from overflow.
    rounded = [(word + 0x7FFF + (word >> 16 & 1)) >> 16 for word in words]
    return struct.pack(f"<{len(values)}H", *rounded)


def draw(spec: dict[str, Any], seed: str) -> bytes:
    """The memory of one argument, row-major, as its JSON entry describes it.

    Raises:
        ValueError: the entry has an unknown kind.
    """
    source = random.Random(seed)
    count = math.prod(spec["shape"])
    if spec["kind"] == "uniform":
        values = [source.uniform(spec["lo"], spec["hi"]) for _ in range(count)]
    elif spec["kind"] == "ints":
        values = [
            source.randrange(spec["lo"], spec["hi"]) for _ in range(count)
        ]
    elif spec["kind"] == "choice":
        values = [source.choice(spec["values"]) for _ in range(count)]
        if "first" in spec:
            step = spec["shape"][-1]
            values[::step] = [spec["first"]] * (count // step)
    else:
        raise ValueError(
            f"expected uniform, ints or choice, but got '{spec['kind']}'"
        )
    return encode(values, spec["dtype"])


def arguments(spec: dict[str, Any]) -> list[bytes]:
    """The memory of every argument of `@main`, in order."""
    return [
        draw(item, f"{spec['name']}:{item['name']}") for item in spec["inputs"]
    ]


def tensor_type(spec: dict[str, Any], dtype: str | None = None) -> str:
    """The MLIR type of an argument or result; `dtype` replaces its own."""
    sizes = "".join(f"{size}x" for size in spec["shape"])
    return f"tensor<{sizes}{dtype or spec['dtype']}>"


def driver(spec: dict[str, Any], values: list[bytes]) -> str:
    """The functions to add: the printer's declaration and `@check`."""
    lines = [
        "func.func private @printMemrefF32(tensor<*xf32>)"
        " attributes {llvm.emit_c_interface}",
        f"func.func @{ENTRY}() {{",
    ]
    types = [tensor_type(item) for item in spec["inputs"]]
    results = [tensor_type(item) for item in spec["results"]]
    for index, (kind, value) in enumerate(zip(types, values, strict=True)):
        text = value.hex().upper()
        lines.append(f'  %a{index} = arith.constant dense<"0x{text}"> : {kind}')
    operands = ", ".join(f"%a{index}" for index in range(len(types)))
    lines.append(
        f"  %r:{len(results)} = call @{spec['function']}({operands})"
        f" : ({', '.join(types)}) -> ({', '.join(results)})"
    )
    for index, item in enumerate(spec["results"]):
        wide = tensor_type(item, "f32")
        name = f"%r#{index}"
        if item["dtype"] != "f32":
            lines.append(
                f"  %w{index} = arith.extf {name} : {results[index]} to {wide}"
            )
            name = f"%w{index}"
        lines += [
            f"  %u{index} = tensor.cast {name} : {wide} to tensor<*xf32>",
            f"  call @printMemrefF32(%u{index}) : (tensor<*xf32>) -> ()",
        ]
    return "\n".join([*lines, "  return", "}"]) + "\n"


def with_driver(path: Path) -> str:
    """The module at `path` with its driver, by the JSON file beside it."""
    spec = json.loads(path.with_suffix(".json").read_text())
    added = driver(spec, arguments(spec))
    body, brace, rest = path.read_text().rpartition("}")
    return f"{body}{added}{brace}{rest}"


def parse_printed(text: str) -> list[list[float]]:
    """The values of each printed tensor, row-major."""
    parts = re.split(r"data\s*=", text)[1:]
    return [
        [
            float(token)
            for token in re.findall(
                r"[-+]?(?:nan|inf|[0-9][0-9.]*(?:e[-+]?[0-9]+)?)",
                part.split("Unranked")[0],
            )
        ]
        for part in parts
    ]


def main(argv: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m fuse_mlir.driver",
        description=(__doc__ or "").split("\n")[0],
    )
    parser.add_argument("path", type=Path, metavar="FILE.mlir")
    print(with_driver(parser.parse_args(argv).path), end="")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
