"""Row-wise operators at many row lengths and types: one kernel, no spills,
verified.

  check_rows.py OP [--strategy=S] [--lengths=1,31] [--types=f32,f16]
                [--tensor-bytes=16777216 --max-ratio=1.05]

With --max-ratio, the 32-byte sectors that the kernel requests of each
row-sized buffer are compared with the buffer's size.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(__file__))
import row_ops


def traffic_ratio(runtime_report, tensor_bytes):
    """The worst of requested sectors * 32 / bytes over row-sized buffers."""
    launch = json.load(open(runtime_report))["launches"][0]
    ratios = [
        32 * max(a["load"]["requested"], a["store"]["requested"]) / a["size"]
        for a in launch["counters"]["allocations"]
        if a["size"] >= tensor_bytes
    ]
    return max(ratios)


def run(op, rows, columns, element, strategy, max_ratio, scratch):
    """What is wrong with this one, or None; and a text to show."""
    model = os.path.join(scratch, "model.mlir")
    report_path = os.path.join(scratch, "report.json")
    with open(model, "w") as file:
        file.write(row_ops.write(op, rows, columns, element))
    command = ["fuse-run", model, "--report=" + report_path]
    runtime_report = os.path.join(scratch, "runtime.json")
    result = subprocess.run(
        command + ["--strategy=" + strategy],
        env=dict(os.environ, FUSE_RUNTIME_REPORT=runtime_report),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if result.returncode != 0:
        return "exit code %d\n%s" % (result.returncode, result.stdout), ""
    report = json.load(open(report_path))
    group = report["groups"][0]
    wrong = []
    if report["kernels"] != 1 or len(report["groups"]) != 1:
        wrong.append("%d kernels" % report["kernels"])
    if group["spill_bytes"]:
        wrong.append("%d bytes spilled" % group["spill_bytes"])
    if report["verified"] is not True:
        wrong.append("not verified")
    text = "path %s, %s registers, error %.2g, sectors %s" % (
        group["path"],
        group["registers"],
        report["max_error"],
        group["counted_sectors"],
    )
    if max_ratio:
        size = rows * columns * row_ops.BYTES[element]
        ratio = traffic_ratio(runtime_report, size)
        text += ", requested %.3f of the rows' bytes" % ratio
        if ratio > max_ratio:
            wrong.append("over %g" % max_ratio)
    return ", ".join(wrong) or None, text


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("op", choices=["softmax", "layer-norm", "rms-norm"])
    parser.add_argument("--strategy", default="greedy")
    parser.add_argument(
        "--lengths", default="1,31,32,33,1000,1024,4097,32768"
    )
    parser.add_argument("--types", default="f32,f16,bf16")
    parser.add_argument("--tensor-bytes", type=int)
    parser.add_argument("--max-ratio", type=float)
    args = parser.parse_args()
    failed = 0
    for columns in map(int, args.lengths.split(",")):
        for element in args.types.split(","):
            # Few long rows leave most of the device idle: two kernels pay
            # then, and that is not what is asked here.
            rows = 67 if columns > 8192 else max(3, min(67, 60000 // columns))
            if args.tensor_bytes:
                row_bytes = columns * row_ops.BYTES[element]
                rows = -(-args.tensor_bytes // row_bytes)
            with tempfile.TemporaryDirectory() as scratch:
                wrong, text = run(
                    args.op,
                    rows,
                    columns,
                    element,
                    args.strategy,
                    args.max_ratio,
                    scratch,
                )
            print(
                "%s %s %dx%d %s: %s"
                % (
                    "FAIL:" if wrong else "PASS:",
                    args.op,
                    rows,
                    columns,
                    element,
                    "; ".join(filter(None, [wrong, text])),
                ),
                flush=True,
            )
            failed += wrong is not None
    sys.exit(1 if failed else 0)


main()
