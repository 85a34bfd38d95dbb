"""Reductions of many shapes and types: one kernel on the
path that is expected, no spills, verified, little traffic.

  check_reductions.py [--ops=sum,moments] [--types=f32] [--strategy=S]
      [--max-ratio=1.1] [--split] [--no-conflicts] PATH OUTERxREDUCEDxINNER... | ROWSxCOLUMNS...

Operators of three sizes are those of reduce_ops.py, of two, of mixed_ops.py.

--max-ratio bounds the bytes of the 32-byte sectors that the kernel touches,
scratch memory included, over the bytes of its operands; and those that it
requests of the reduced tensor, over its size. --split asks for blocks that
share rows, --no-conflicts for none in the banks of shared memory.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(__file__))
import mixed_ops
import reduce_ops


def check(args, op, sizes, element, scratch):
    """What is wrong with this one, or None; and a text to show."""
    model = os.path.join(scratch, "model.mlir")
    report_path = os.path.join(scratch, "report.json")
    runtime = os.path.join(scratch, "runtime.json")
    with open(model, "w") as file:
        writer = reduce_ops if len(sizes) == 3 else mixed_ops
        file.write(writer.write(op, *sizes, element))
    result = subprocess.run(
        [
            "fuse-run",
            model,
            "--report=" + report_path,
            "--strategy=" + args.strategy,
        ],
        env=dict(os.environ, FUSE_RUNTIME_REPORT=runtime),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if result.returncode != 0:
        return "exit code %d\n%s" % (result.returncode, result.stdout), ""
    report = json.load(open(report_path))
    launch = json.load(open(runtime))["launches"][0]
    group = report["groups"][0]
    wrong = []
    if report["kernels"] != 1:
        wrong.append("%d kernels" % report["kernels"])
    if group["path"] != args.path:
        wrong.append("path " + group["path"])
    if group["spill_bytes"]:
        wrong.append("%d bytes spilled" % group["spill_bytes"])
    if report["verified"] is not True:
        wrong.append("not verified")
    split = "atomic" in launch["counters"]["by_class"]
    if args.split and not split:
        wrong.append("rows are not shared by blocks")
    counters = launch["counters"]
    conflicts = sum(
        counters[kind]["bank_conflicts"]
        for kind in ("shared_load", "shared_store")
    )
    if args.no_conflicts and conflicts:
        wrong.append("%d bank conflicts" % conflicts)
    ratio = (
        32 * counters["counted_sectors"]["unique"] / report["compulsory_bytes"]
    )
    size = reduce_ops.BYTES[element] * math.prod(sizes)
    requested = 32 * max(
        a["load"]["requested"] / a["size"]
        for a in counters["allocations"]
        if a["size"] == size
    )
    if args.max_ratio and max(ratio, requested) > args.max_ratio:
        wrong.append("sectors over %g" % args.max_ratio)
    text = "%s, %d x %d, %s registers, error %.2g, sectors %.3f, requested %.3f%s" % (
        group["path"],
        launch["grid"][0],
        launch["block"][0],
        group["registers"],
        report["max_error"],
        ratio,
        requested,
        ", split" if split else "",
    )
    return ", ".join(wrong) or None, text


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path")
    parser.add_argument("shapes", nargs="+")
    parser.add_argument("--ops", default="sum")
    parser.add_argument("--types", default="f32")
    parser.add_argument("--strategy", default="greedy")
    parser.add_argument("--max-ratio", type=float)
    parser.add_argument("--split", action="store_true")
    parser.add_argument("--no-conflicts", action="store_true")
    args = parser.parse_args()
    failed = 0
    for shape in args.shapes:
        sizes = [int(size) for size in shape.split("x")]
        for op in args.ops.split(","):
            for element in args.types.split(","):
                with tempfile.TemporaryDirectory() as scratch:
                    wrong, text = check(args, op, sizes, element, scratch)
                print(
                    "%s: %s %s %s: %s"
                    % (
                        "FAIL" if wrong else "PASS",
                        op,
                        shape,
                        element,
                        "; ".join(filter(None, [wrong, text])),
                    ),
                    flush=True,
                )
                failed += wrong is not None
    sys.exit(1 if failed else 0)


main()
