"""Row-wise operators at many row lengths and types: one kernel, no spills,
verified.

  check_rows.py OP [--strategy=S] [--lengths=1,31] [--types=f32,f16]
                [--tensor-bytes=16777216 --max-ratio=1.05]

With --max-ratio, the 32-byte sectors that the kernel requests of each
row-sized buffer are compared with the buffer's size.
"""

import argparse
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
import one_kernel
import row_ops


def get_traffic_ratio(run, tensor_bytes):
    """The worst of requested sectors * 32 / bytes over row-sized buffers."""
    return max(
        32 * max(a["load"]["requested"], a["store"]["requested"]) / a["size"]
        for a in run.counters["allocations"]
        if a["size"] >= tensor_bytes
    )


def check(args, rows, columns, element):
    """The run, and a text to show."""
    run = one_kernel.Run(
        row_ops.write(args.op, rows, columns, element),
        ["--strategy=" + args.strategy],
    )
    if not run.report:
        return run, ""
    text = run.describe() + ", sectors %s" % run.group["counted_sectors"]
    if args.max_ratio:
        size = rows * columns * row_ops.BYTES[element]
        ratio = get_traffic_ratio(run, size)
        text += ", requested %.3f of the rows' bytes" % ratio
        run.demand(ratio <= args.max_ratio, "over %g" % args.max_ratio)
    return run, text


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
            rows = 100 if columns > 8192 else max(3, min(67, 60000 // columns))
            if args.tensor_bytes:
                row_bytes = columns * row_ops.BYTES[element]
                rows = -(-args.tensor_bytes // row_bytes)
            run, text = check(args, rows, columns, element)
            name = "%s %dx%d %s" % (args.op, rows, columns, element)
            failed += one_kernel.show(name, run, text)
    sys.exit(1 if failed else 0)


main()
