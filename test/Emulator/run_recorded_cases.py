#!/usr/bin/env python3
"""Runs recorded kernels with fuse-emulate and compares the results.

A folder per case holds kernel.ptx and case.json (kernel, grid, block, dynamic
shared bytes, arguments, tolerances) with raw little-endian buffers. The folder
of cases is named by FUSE_SHARED_PTX or the second argument; without one the
script says so and succeeds.
"""
import json
import os
import struct
import subprocess
import sys
import tempfile

FORMATS = {"f16": "e", "f32": "f", "f64": "d", "i8": "b", "i16": "h",
           "i32": "i", "i64": "q", "u8": "B", "u16": "H", "u32": "I",
           "u64": "Q"}


def decode(data, kind):
    if kind == "bf16":
        halves = struct.unpack(f"<{len(data) // 2}H", data)
        words = struct.pack(f"<{len(halves)}I", *(h << 16 for h in halves))
        return struct.unpack(f"<{len(halves)}f", words)
    size = struct.calcsize(FORMATS[kind])
    return struct.unpack(f"<{len(data) // size}{FORMATS[kind]}", data)


def rounded(values, kind):
    """The recorded doubles as the kernel's type can hold them."""
    if kind not in ("f16", "f32"):
        return values
    form = f"<{len(values)}{FORMATS[kind]}"
    return struct.unpack(form, struct.pack(form, *values))


def worst_mismatch(got, want, rtol, atol):
    worst = None
    for index, (g, w) in enumerate(zip(got, want)):
        if g == w or (g != g and w != w):
            continue
        excess = abs(g - w) - (atol + rtol * abs(w))
        if not excess <= 0 and (worst is None or not excess <= worst[0]):
            worst = (excess, index, g, w)
    return worst


def run_case(tool, folder):
    with open(os.path.join(folder, "case.json")) as file:
        case = json.load(file)
    command = [tool, os.path.join(folder, "kernel.ptx"),
               "--kernel=" + case["kernel"],
               "--grid=" + ",".join(map(str, case["grid"])),
               "--block=" + ",".join(map(str, case["block"])),
               f"--shared={case['dynamic_shared_bytes']}",
               *os.environ.get("FUSE_EMULATE_OPTIONS", "").split()]
    outs = []
    with tempfile.TemporaryDirectory() as temp:
        for index, arg in enumerate(case["args"]):
            if "buffer" not in arg:
                command.append(f"--arg={arg['type']}={arg['value']}")
                continue
            shape = "x".join(map(str, arg["shape"]))
            path = os.path.join(folder, arg["buffer"])
            command.append(f"--arg={arg['type']}[{shape}]=@{path}")
            if "expected" in arg:
                out = os.path.join(temp, f"{index}.bin")
                command.append(f"--out={index}:{out}")
                outs.append((arg, out))
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return done.stderr.strip()
        for arg, out in outs:
            with open(out, "rb") as file:
                got = decode(file.read(), arg["type"])
            with open(os.path.join(folder, arg["expected"]), "rb") as file:
                want = decode(file.read(), arg["expected_type"])
            if not case["rtol"] and not case["atol"]:
                want = rounded(want, arg["type"])
            if len(got) != len(want):
                return f"{arg['name']}: {len(got)} values, not {len(want)}"
            bad = worst_mismatch(got, want, case["rtol"], case["atol"])
            if bad:
                return (f"{arg['name']}[{bad[1]}]: got {bad[2]}, "
                        f"expected {bad[3]}")
    return None


def main():
    tool = sys.argv[1]
    root = sys.argv[2] if len(sys.argv) > 2 else os.environ.get(
        "FUSE_SHARED_PTX", "")
    if not os.path.isdir(root):
        print("SKIPPED: FUSE_SHARED_PTX names no folder")
        return 0
    failures = 0
    for name in sorted(os.listdir(root)):
        folder = os.path.join(root, name)
        if not os.path.exists(os.path.join(folder, "case.json")):
            continue
        problem = run_case(tool, folder)
        failures += problem is not None
        print(f"{'PASS' if problem is None else 'FAIL'}: {name}"
              + (f": {problem}" if problem else ""))
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
