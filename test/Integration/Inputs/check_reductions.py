"""Reductions of many shapes and types: one kernel on the
path that is expected, no spills, verified, little traffic.

  check_reductions.py [--ops=sum,moments] [--types=f32] [--strategy=S]
      [--max-ratio=1.1] [--max-touched=1.3] [--split] [--no-conflicts] PATH OUTERxREDUCEDxINNER... | ROWSxCOLUMNS...

Operators of three sizes are those of reduce_ops.py, of two, of mixed_ops.py.

--max-ratio bounds the bytes of the 32-byte sectors that DRAM gives and takes, and
of those that the kernel touches, over the bytes of its operands; and those that it
requests of the reduced tensor, over its size. --max-touched is another bound for
those that it touches, of which what blocks exchange through L2 is a part. --split asks for blocks that
share rows, --no-conflicts for none in the banks of shared memory.

--run=SIZES (repeated): the sizes are known at run time only. One kernel runs at
these ones, with all checks; traffic and conflicts are those of the last run.
"""

import argparse
import math
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
import mixed_ops
import one_kernel
import reduce_ops


def check(args, op, sizes, element):
    """The run, and a text to show."""
    writer = reduce_ops if len(sizes) == 3 else mixed_ops
    flags = ["--strategy=" + args.strategy]
    text = writer.write(op, *sizes, element)
    if args.run:
        os.environ["FUSE_RUNTIME_CHECK"] = "all"
        flags += [run_sizes(op, sizes, run) for run in args.run]
        text = writer.write(op, *sizes, element, dynamic=True)
        sizes = args.run[-1]
    run = one_kernel.Run(text, flags)
    if not run.report:
        return run, ""
    if args.run:
        run.launch = run.launches[-1]
    counters = run.counters
    run.demand(run.group["path"] == args.path, "path " + run.group["path"])
    split = "atomic" in counters["by_class"]
    run.demand(split or not args.split, "rows are not shared by blocks")
    conflicts = run.shared("bank_conflicts")
    run.demand(
        not (args.no_conflicts and conflicts), "%d bank conflicts" % conflicts
    )
    size = reduce_ops.BYTES[element] * math.prod(sizes)
    compulsory = run.report["compulsory_bytes"]
    if args.run:
        compulsory = sum(a["size"] for a in counters["allocations"])
    touched = 32 * counters["counted_sectors"]["unique"] / compulsory
    caches = counters["caches"]
    dram = 32 * (caches["dram_reads"] + caches["dram_writes"]) / compulsory
    requested = 32 * max(
        a["load"]["requested"] / a["size"]
        for a in counters["allocations"]
        if a["size"] == size
    )
    run.demand(
        not args.max_ratio or max(dram, requested) <= args.max_ratio,
        "sectors over %g" % (args.max_ratio or 0),
    )
    bound = args.max_touched or args.max_ratio
    run.demand(
        not bound or touched <= bound, "touched sectors over %g" % (bound or 0)
    )
    return run, "%s, sectors %.3f, touched %.3f, requested %.3f%s" % (
        run.describe(),
        dram,
        touched,
        requested,
        ", split" if split else "",
    )


def parse_sizes(text):
    return [int(size) for size in text.split("x")]


def run_sizes(op, sizes, run):
    """The option of fuse-run for these sizes; axes that are left out have none."""
    if len(sizes) == 2:
        return "--size=" + ",".join(
            "%d.0=%d" % (number, run[0])
            for number, name in enumerate(mixed_ops.OPS[op][1])
            if mixed_ops.ARGUMENTS[name] != "col"
        )
    kept = [new for old, new in zip(sizes, run) if old != 1]
    return "--size=" + ",".join("0.%d=%d" % pair for pair in enumerate(kept))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path")
    parser.add_argument("shapes", nargs="+")
    parser.add_argument("--ops", default="sum")
    parser.add_argument("--types", default="f32")
    parser.add_argument("--strategy", default="greedy")
    parser.add_argument("--max-ratio", type=float)
    parser.add_argument("--max-touched", type=float)
    parser.add_argument("--split", action="store_true")
    parser.add_argument("--no-conflicts", action="store_true")
    parser.add_argument("--run", type=parse_sizes, action="append", default=[])
    args = parser.parse_args()
    failed = 0
    for shape in args.shapes:
        sizes = parse_sizes(shape)
        for op in args.ops.split(","):
            for element in args.types.split(","):
                run, text = check(args, op, sizes, element)
                name = " ".join([op, shape, element])
                failed += one_kernel.show(name, run, text)
    sys.exit(1 if failed else 0)


main()
