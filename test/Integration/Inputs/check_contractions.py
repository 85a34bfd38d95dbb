"""Contractions of many shapes and types: one kernel on the path `tile`, no
spills, verified.

  check_contractions.py [--ops=plain,epilogue] [--layouts=nn,nt] [--types=f32]
      [--unit=mma] [--chip=sm_80] [--no-conflicts] [--shared] BxMxNxK...

Operators are those of contraction_ops.py; a layout says whether each factor is
transposed. --unit demands (`mma`) or forbids (`fma`) the matrix units,
--no-conflicts that less than 2 % of the passes of accesses to shared memory are
conflicts, --shared that several blocks share the sums of a tile.
"""

import argparse
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
import contraction_ops
import one_kernel


def check(args, op, layout, sizes, element):
    """The run, and a text to show."""
    run = one_kernel.Run(
        contraction_ops.write(op, layout, *sizes, element),
        ["--strategy=max"] + (["--chip=" + args.chip] if args.chip else []),
    )
    if not run.report:
        return run, ""
    run.demand(run.group["path"] == "tile", "path " + run.group["path"])
    multiplied = "tensor" in run.counters["by_class"]
    run.demand(
        not args.unit or multiplied == (args.unit == "mma"),
        "matrix units are %sused" % ("" if multiplied else "not "),
    )
    run.demand(
        ("atomic" in run.counters["by_class"]) == args.shared,
        "blocks %s tiles" % ("have their own" if args.shared else "share"),
    )
    conflicts = run.shared("bank_conflicts")
    passes = run.shared("wavefronts")
    text = "%d conflicts in %d passes" % (conflicts, passes)
    run.demand(not args.no_conflicts or conflicts <= 0.02 * passes, text)
    return run, run.describe() + ", " + text


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shapes", nargs="+")
    parser.add_argument("--ops", default="plain")
    parser.add_argument("--layouts", default="nn")
    parser.add_argument("--types", default="f32")
    parser.add_argument("--unit")
    parser.add_argument("--chip")
    parser.add_argument("--no-conflicts", action="store_true")
    parser.add_argument("--shared", action="store_true")
    args = parser.parse_args()
    failed = 0
    for shape in args.shapes:
        sizes = [int(size) for size in shape.split("x")]
        for op in args.ops.split(","):
            for layout in args.layouts.split(","):
                for element in args.types.split(","):
                    run, text = check(args, op, layout, sizes, element)
                    name = " ".join([op, layout, shape, element])
                    failed += one_kernel.show(name, run, text)
    sys.exit(1 if failed else 0)


main()
