"""Runs the PTX of Triton kernels with fuse-emulate and compares with numpy.

The kernels are compiled for NVIDIA targets without a GPU.

    python -m fuse_mlir.check_triton build/bin/fuse-emulate [NAME...]
        [--targets=80,89,90,100] [--check=all] [--keep=FOLDER]

Prints one line a kernel and target; exits 1 when one differs. Where Triton or
numpy is not installed (`pip install triton numpy`), it says so and exits 0.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
import tempfile
import warnings
from typing import Any

try:
    import numpy as np
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
except ImportError as missing:
    print(f"SKIPPED: {missing.name} is not installed")
    sys.exit(0)

from fuse_mlir.triton_cases import (
    MINI,
    Buffer,
    Case,
    all_cases,
    decode,
    encode,
)


def compile_case(case: Case, capability: int) -> Any:
    """The kernel as Triton compiles it for sm_`capability`."""
    source = ASTSource(
        fn=case.kernel, signature=case.signature(), constexprs=case.constants
    )
    return triton.compile(
        source,
        target=GPUTarget("cuda", capability, 32),
        options=dict({"num_warps": 4}, **case.options),
    )


def command_of(case: Case, compiled: Any, tool: str, folder: str) -> list[str]:
    """The call of fuse-emulate; writes the files that it names."""
    meta = compiled.metadata
    ptx = os.path.join(folder, "kernel.ptx")
    with open(ptx, "w") as file:
        file.write(compiled.asm["ptx"])
    ctas = meta.num_ctas
    grid = [case.grid[0] * ctas, *case.grid[1:]]
    warps = compiled.asm["ptx"].split(".reqntid ")[1].split()[0].strip(",")
    command = [
        tool,
        ptx,
        "--kernel=" + meta.name,
        "--grid=" + ",".join(map(str, grid)),
        "--block=" + warps,
        f"--shared={meta.shared}",
    ]
    if ctas > 1:
        command.append(f"--cluster={ctas}")
    for index, arg in enumerate(case.args):
        if not isinstance(arg, Buffer):
            kind = "f32" if isinstance(arg, float) else "i32"
            command.append(f"--arg={kind}={arg}")
            continue
        path = os.path.join(folder, f"{index}.in.bin")
        arg.stored.tofile(path)
        kind = "u8" if arg.kind in MINI else arg.kind
        command.append(f"--arg={kind}[{arg.stored.size}]=@{path}")
        if arg.want is not None:
            command.append(f"--out={index}:{folder}/{index}.out.bin")
    scratch = meta.global_scratch_size * math.prod(grid)
    command.append(f"--arg=u8[{scratch + 256}]=uninit")
    command.append("--arg=u64=0")
    return command


def compare(case: Case, folder: str) -> str | None:
    """None, or the worst element of the first result that differs."""
    for index, arg in enumerate(case.args):
        if not isinstance(arg, Buffer) or arg.want is None:
            continue
        stored = np.fromfile(f"{folder}/{index}.out.bin", arg.stored.dtype)
        got = decode(arg.kind, stored)
        want = arg.want.reshape(-1).astype(np.float64)
        if not arg.tolerance:
            want = decode(arg.kind, encode(arg.kind, want))
        both_nan = np.isnan(got) & np.isnan(want)
        with np.errstate(invalid="ignore"):
            excess = np.abs(got - want) - arg.tolerance * (1 + np.abs(want))
        bad = ~(both_nan | (got == want) | (excess <= 0))
        if bad.any():
            at = int(
                np.where(
                    bad, np.nan_to_num(excess, nan=np.inf), -np.inf
                ).argmax()
            )
            name = case.kernel.arg_names[index]
            return (
                f"{name}[{at}] is {got[at]}, expected {want[at]} "
                f"({int(bad.sum())} of {bad.size} differ)"
            )
    return None


def run_case(
    case: Case, capability: int, tool: str, options: list[str], folder: str
) -> tuple[str, str]:
    """Outcome and, if it is not PASS, the reason."""
    try:
        compiled = compile_case(case, capability)
    except Exception as error:  # Of Triton: not of this project.
        lines = str(error).strip().splitlines() or [repr(error)]
        return "NOT COMPILED", lines[-1]
    if "tcgen05" in compiled.asm["ptx"]:
        return "NOT RUN", "uses tcgen05"
    command = command_of(case, compiled, tool, folder)
    done = subprocess.run(command + options, capture_output=True, text=True)
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        return "FAIL", "\n  ".join(line.strip() for line in lines[:4])
    problem = compare(case, folder)
    return ("FAIL", problem) if problem else ("PASS", "")


def main(argv: list[str] | None = None) -> int:
    """Runs the cases that are asked for; 1 where one differs."""
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n\n")[0],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("tool", help="path of fuse-emulate")
    parser.add_argument("names", nargs="*", help="cases (default: all)")
    parser.add_argument("--targets", default="80,89,90,100")
    parser.add_argument("--check", default="none")
    parser.add_argument("--keep", help="folder for PTX and data")
    settings = parser.parse_args(argv)
    warnings.filterwarnings("ignore")
    counts = {}
    for case in all_cases():
        if settings.names and case.name not in settings.names:
            continue
        for target in map(int, settings.targets.split(",")):
            if not case.since <= target <= case.until:
                continue
            with tempfile.TemporaryDirectory() as temp:
                folder = temp
                if settings.keep:
                    folder = f"{settings.keep}/{case.name}_sm{target}"
                    os.makedirs(folder, exist_ok=True)
                outcome, reason = run_case(
                    case,
                    target,
                    settings.tool,
                    [f"--check={settings.check}"],
                    folder,
                )
            counts[outcome] = counts.get(outcome, 0) + 1
            print(
                f"{outcome}: {case.name} sm_{target}"
                + (f": {reason}" if reason else ""),
                flush=True,
            )
    print(", ".join(f"{n} {outcome}" for outcome, n in counts.items()))
    return 1 if counts.get("FAIL") or not counts.get("PASS") else 0


if __name__ == "__main__":
    sys.exit(main())
