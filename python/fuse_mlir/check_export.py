"""Checks the exported models against MLIR and against PyTorch.

    python -m fuse_mlir.check_export [--models DIR] [--llvm-bin DIR] [NAME...]

Every module must parse, survive `--canonicalize --cse` and hold no weights. A
small one must stay within a budget of multiply-adds and is lowered to the CPU
by stock passes alone, run, and compared with the PyTorch module on the same
values. The error is relative to the largest value of each result.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from fuse_mlir import driver
from fuse_mlir.export import (
    DEFAULT_OUT,
    DTYPES,
    Flat,
    Target,
    arguments,
    targets,
)
from fuse_mlir.models import SIZES

MAX_MULTIPLY_ADDS = 3_000_000

TOLERANCES = {"f32": 1e-4, "f16": 4e-3, "bf16": 3e-2}

# From linalg on tensors to the LLVM dialect, with no fusion.
PIPELINE = (
    "func.func(convert-elementwise-to-linalg,empty-tensor-to-alloc-tensor)",
    "one-shot-bufferize{bufferize-function-boundaries=true"
    " function-boundary-type-conversion=identity-layout-map}",
    "func.func(convert-linalg-to-loops)",
    "expand-strided-metadata",
    "lower-affine",
    "convert-scf-to-cf",
    "memref-expand",
    "arith-expand",
    "convert-math-to-llvm",
    "convert-math-to-libm",
    "convert-arith-to-llvm",
    "convert-index-to-llvm",
    "finalize-memref-to-llvm",
    "convert-cf-to-llvm",
    "convert-func-to-llvm",
    "reconcile-unrealized-casts",
)


@dataclass(frozen=True)
class Tools:
    """Where the MLIR tools and their runtime libraries are."""

    bin: Path
    lib: Path

    @staticmethod
    def find(bin_dir: Path | None) -> Tools:
        """The tools in a folder, or those of LLVM 22 on the machine.

        Raises:
            FileNotFoundError: no folder was given and LLVM 22 is not found.
        """
        if bin_dir is None:
            config = shutil.which("llvm-config-22")
            if config is None:
                raise FileNotFoundError(
                    "expected llvm-config-22 on the path, or --llvm-bin"
                )
            bin_dir = Path(_run([config, "--bindir"]).strip())
        return Tools(bin_dir, bin_dir.parent / "lib")

    def opt(self, text: str, *options: str) -> str:
        """What mlir-opt makes of a module."""
        return _run([str(self.bin / "mlir-opt"), *options], text)

    def execute(self, text: str) -> str:
        """What the entry of a module in the LLVM dialect prints."""
        names = ("mlir_runner_utils", "mlir_c_runner_utils")
        libraries = ",".join(str(self.lib / f"lib{name}.so") for name in names)
        command = [
            str(self.bin / "mlir-runner"),
            "-e",
            driver.ENTRY,
            "-entry-point-result=void",
            "-O0",
            f"-shared-libs={libraries}",
        ]
        return _run(command, text)


def _run(command: list[str], text: str | None = None) -> str:
    """Standard output of a command; raises `RuntimeError` if it fails."""
    done = subprocess.run(
        command, input=text, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        name = Path(command[0]).name
        raise RuntimeError(f"{name} failed: {done.stderr[:400]}")
    return done.stdout


def check_module(path: Path, tools: Tools) -> None:
    """Parses, verifies and simplifies the module at `path`.

    Raises:
        RuntimeError: mlir-opt rejects it.
        ValueError: it holds weights as a blob.
    """
    text = path.read_text()
    simple = tools.opt(text, "--canonicalize", "--cse")
    tools.opt(simple, "--verify-each")
    if "dense_resource" in text:
        raise ValueError("expected weights as arguments, but got a blob")


def reference(target: Target, values: list[bytes]) -> tuple[list[Tensor], int]:
    """The PyTorch results at the small size and their multiply-adds."""
    build = target.model.build("small")
    module = Flat(build.module.eval())
    args = [
        torch.frombuffer(bytearray(value), dtype=DTYPES[dtype]).reshape(
            item.shape
        )
        for value, (item, _, dtype) in zip(
            values, arguments(build, target.dtype), strict=True
        )
    ]
    counter = FlopCounterMode(display=False)
    with torch.no_grad(), counter:
        results = module(*args)
    if isinstance(results, Tensor):
        results = (results,)
    return list(results), counter.get_total_flops() // 2


def check_values(target: Target, path: Path, tools: Tools) -> str:
    """Compares a small module's results with PyTorch's; returns a line.

    Raises:
        RuntimeError: a tool fails.
        ValueError: a result differs, or the model is over its budget.
    """
    spec = json.loads(path.with_suffix(".json").read_text())
    wanted, multiply_adds = reference(target, driver.arguments(spec))
    if multiply_adds > MAX_MULTIPLY_ADDS:
        raise ValueError(
            f"expected at most {MAX_MULTIPLY_ADDS} multiply-adds, "
            f"but got {multiply_adds}"
        )
    passes = f"builtin.module({','.join(PIPELINE)})"
    lowered = tools.opt(driver.with_driver(path), f"--pass-pipeline={passes}")
    printed = driver.parse_printed(tools.execute(lowered))
    worst = 0.0
    for values, want in zip(printed, wanted, strict=True):
        want = want.float().flatten()
        error = (torch.tensor(values) - want).abs().max() / want.abs().max()
        worst = max(worst, error.nan_to_num(nan=torch.inf).item())
    if worst > TOLERANCES[target.dtype]:
        raise ValueError(
            f"expected an error of at most {TOLERANCES[target.dtype]:g}, "
            f"but got {worst:.2g}"
        )
    return f"error {worst:.1e}, {multiply_adds} multiply-adds"


def main(argv: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m fuse_mlir.check_export",
        description=(__doc__ or "").split("\n")[0],
    )
    parser.add_argument(
        "--models",
        type=Path,
        default=DEFAULT_OUT,
        metavar="DIR",
        help="where full/ and small/ are (default: test/models of the tree)",
    )
    parser.add_argument(
        "--llvm-bin",
        type=Path,
        metavar="DIR",
        help="where mlir-opt is (default: what llvm-config-22 says)",
    )
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args(argv)
    try:
        chosen = targets(options.names)
        tools = Tools.find(options.llvm_bin)
    except (ValueError, FileNotFoundError) as error:
        parser.error(str(error))
    torch.set_num_threads(1)
    failures = 0
    for target in chosen:
        try:
            for size in SIZES:
                path = options.models / size / f"{target.name}.mlir"
                check_module(path, tools)
            small = options.models / "small" / f"{target.name}.mlir"
            print(f"{target.name}: {check_values(target, small, tools)}")
        except (OSError, RuntimeError, ValueError) as error:
            failures += 1
            print(f"{target.name}: {error}")
    print(f"{len(chosen) - failures} passed, {failures} failed")
    return int(failures > 0)


if __name__ == "__main__":
    raise SystemExit(main())
