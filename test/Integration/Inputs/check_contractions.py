"""Contractions of many shapes and types: one kernel on the path `tile`, no
spills, verified.

  check_contractions.py [--ops=plain,epilogue] [--layouts=nn,nt] [--types=f32]
      [--unit=mma] [--chip=sm_80] [--no-conflicts] BxMxNxK...

Operators are those of contraction_ops.py; a layout says whether each factor is
transposed. --unit demands (`mma`) or forbids (`fma`) the matrix units,
--no-conflicts that less than 2 % of the passes of accesses to shared memory are
conflicts.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(__file__))
import contraction_ops



def check(args, op, layout, sizes, element, scratch):
    """What is wrong with this one, or None; and a text to show."""
    model = os.path.join(scratch, "model.mlir")
    report_path = os.path.join(scratch, "report.json")
    runtime = os.path.join(scratch, "runtime.json")
    with open(model, "w") as file:
        file.write(contraction_ops.write(op, layout, *sizes, element))
    command = ["fuse-run", model, "--report=" + report_path, "--strategy=max"]
    if args.chip:
        command.append("--chip=" + args.chip)
    result = subprocess.run(
        command,
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
    counters = launch["counters"]
    wrong = []
    if report["kernels"] != 1:
        wrong.append("%d kernels" % report["kernels"])
    if group["path"] != "tile":
        wrong.append("path " + group["path"])
    if group["spill_bytes"]:
        wrong.append("%d bytes spilled" % group["spill_bytes"])
    if report["verified"] is not True:
        wrong.append("not verified")
    multiplied = "tensor" in counters["by_class"]
    if args.unit and multiplied != (args.unit == "mma"):
        wrong.append("matrix units are %sused" % ("" if multiplied else "not "))
    conflicts = sum(
        counters[kind]["bank_conflicts"]
        for kind in ("shared_load", "shared_store")
    )
    passes = sum(
        counters[kind]["wavefronts"]
        for kind in ("shared_load", "shared_store")
    )
    if args.no_conflicts and conflicts > 0.02 * passes:
        wrong.append("%d bank conflicts in %d passes" % (conflicts, passes))
    text = "%d x %d, %s registers, error %.2g, %d conflicts in %d passes" % (
        launch["grid"][0],
        launch["block"][0],
        group["registers"],
        report["max_error"],
        conflicts,
        passes,
    )
    return ", ".join(wrong) or None, text


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shapes", nargs="+")
    parser.add_argument("--ops", default="plain")
    parser.add_argument("--layouts", default="nn")
    parser.add_argument("--types", default="f32")
    parser.add_argument("--unit")
    parser.add_argument("--chip")
    parser.add_argument("--no-conflicts", action="store_true")
    args = parser.parse_args()
    failed = 0
    for shape in args.shapes:
        sizes = [int(size) for size in shape.split("x")]
        for op in args.ops.split(","):
            for layout in args.layouts.split(","):
                for element in args.types.split(","):
                    with tempfile.TemporaryDirectory() as scratch:
                        wrong, text = check(
                            args, op, layout, sizes, element, scratch
                        )
                    print(
                        "%s: %s %s %s %s: %s"
                        % (
                            "FAIL" if wrong else "PASS",
                            op,
                            layout,
                            shape,
                            element,
                            "; ".join(filter(None, [wrong, text])),
                        ),
                        flush=True,
                    )
                    failed += wrong is not None
    sys.exit(1 if failed else 0)


main()
