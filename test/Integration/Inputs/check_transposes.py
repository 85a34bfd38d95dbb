"""Element-wise kernels whose operands have different axes contiguous in memory:
one kernel, verified, whole sectors on all sides, no bank conflicts.

  check_transposes.py SIZES --in AXES:TYPE … --out AXES:TYPE … [options]

SIZES (`64x32x8`) is the space of a computation that adds its inputs, each
indexed by AXES of the space (`201`; fewer for a broadcast), in f32 (integers:
in i32, f64 in f64). Each output has the AXES in its order.

  --max-ratio=R     most requested sectors, as a multiple of the operands' bytes
  --path=P          path of the kernel (default: box)
  --conflicts=R     most wavefronts by bank conflicts, as a multiple of accesses
  --run=SIZES       the sizes are known at run time only: one kernel, which runs at
                    these ones, with all checks; may be repeated. (Sectors and
                    conflicts are judged in the last run, and not predicted.)
"""

import argparse
import math
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
import one_kernel

BYTES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "i64": 8, "i32": 4, "i16": 2,
         "i8": 1, "i1": 1, "f8E4M3FN": 1, "f8E5M2": 1}


def convert(value, source, target):
    """A line that converts between element types, or None."""
    if source == target:
        return None
    width = {name: 8 * size for name, size in BYTES.items()}
    width["i1"] = 1
    wider = width[target] > width[source]
    if source[0] == "i" and target[0] == "i":
        op = ("arith.extui" if source == "i1" else "arith.extsi") if wider \
            else "arith.trunci"
    elif source[0] == "i":
        op = "arith.sitofp"
    else:
        op = "arith.extf" if wider else "arith.truncf"
    return "%s %s : %s to %s" % (op, value, source, target)


class Program:
    """Adds inputs over a space and stores the sum in several orders."""

    def __init__(self, sizes, inputs, outputs, dynamic=False):
        self.sizes, self.inputs, self.outputs = sizes, inputs, outputs
        self.dynamic = dynamic
        types = [element for _, element in inputs + outputs]
        self.sum = "f64" if "f64" in types else (
            "f32" if any("f" in t for t in types) else "i32")

    def tensor(self, axes, element):
        sizes = "".join(
            "?x" if self.dynamic else "%dx" % self.sizes[a] for a in axes)
        return "tensor<%s%s>" % (sizes, element)

    def first_with(self, axis):
        """The input that tells the size of an axis, and its dimension."""
        return next((i, axes.index(axis))
                    for i, (axes, _) in enumerate(self.inputs) if axis in axes)

    def dims(self):
        """Lines that give the size of each axis as %d<axis>."""
        if not self.dynamic:
            return ""
        text = ""
        for axis in range(len(self.sizes)):
            number, dim = self.first_with(axis)
            text += "  %%k%d = arith.constant %d : index\n" % (axis, dim)
            text += "  %%d%d = tensor.dim %%x%d, %%k%d : %s\n" % (
                axis, number, axis, self.tensor(*self.inputs[number]))
        return text

    def run_sizes(self, sizes):
        """The option of fuse-run for these sizes of the axes."""
        return "--size=" + ",".join(
            "%d.%d=%d" % (i, dim, sizes[axis])
            for i, (axes, _) in enumerate(self.inputs)
            for dim, axis in enumerate(axes))

    def map(self, axes):
        dims = ", ".join("d%d" % i for i in range(len(self.sizes)))
        return "affine_map<(%s) -> (%s)>" % (
            dims, ", ".join("d%d" % a for a in axes))

    def generic(self, name, reads, result, body):
        """`reads`: (value, axes, element)."""
        axes, element = result
        type = self.tensor(axes, element)
        maps = ", ".join(self.map(a) for _, a, _ in reads) + ", " \
            + self.map(axes)
        kinds = ", ".join(['"parallel"'] * len(self.sizes))
        arguments = ", ".join("%%a%d: %s" % (i, e) for i, (_, _, e)
                              in enumerate(reads)) + ", %%o: %s" % element
        return (
            "  %%e%s = tensor.empty(%s) : %s\n"
            "  %s = linalg.generic {indexing_maps = [%s], "
            "iterator_types = [%s]} ins(%s : %s) outs(%%e%s : %s) {\n"
            "  ^bb0(%s):\n%s  } -> %s\n"
        ) % (name[1:],
             ", ".join("%%d%d" % a for a in axes) if self.dynamic else "",
             type, name, maps, kinds,
             ", ".join(v for v, _, _ in reads),
             ", ".join(self.tensor(a, e) for _, a, e in reads),
             name[1:], type, arguments, body, type)

    def write(self):
        reads = [("%%x%d" % i, axes, element)
                 for i, (axes, element) in enumerate(self.inputs)]
        body, total = "", None
        add = "arith.addi" if self.sum[0] == "i" else "arith.addf"
        for i, (_, _, element) in enumerate(reads):
            value = "%%a%d" % i
            line = convert(value, element, self.sum)
            if line:
                body += "    %%c%d = %s\n" % (i, line)
                value = "%%c%d" % i
            if total:
                body += "    %%s%d = %s %s, %s : %s\n" % (
                    i, add, total, value, self.sum)
                value = "%%s%d" % i
            total = value
        body += "    %%t = %s %s, %s : %s\n" % (add, total, total, self.sum)
        body += "    linalg.yield %%t : %s\n" % self.sum
        every = list(range(len(self.sizes)))
        text = self.dims()
        text += self.generic("%y", reads, (every, self.sum), body)
        for i, (axes, element) in enumerate(self.outputs):
            value, body = "%a0", ""
            line = convert(value, self.sum, element)
            if line:
                body, value = "    %%c = %s\n" % line, "%c"
            body += "    linalg.yield %s : %s\n" % (value, element)
            text += self.generic("%%z%d" % i, [("%y", every, self.sum)],
                                 (axes, element), body)
        results = ["%%z%d" % i for i in range(len(self.outputs))]
        types = [self.tensor(*output) for output in self.outputs]
        return "func.func @main(%s) -> (%s) {\n%s  return %s : %s\n}\n" % (
            ", ".join("%s: %s" % (v, self.tensor(a, e)) for v, a, e in reads),
            ", ".join(types), text, ", ".join(results), ", ".join(types))


def parse_sizes(text):
    return [int(size) for size in text.split("x")]


def parse_operand(text):
    axes, element = text.split(":")
    return [int(c) for c in axes], element


def check(program, options):
    """The run, and a text to show."""
    flags = [program.run_sizes(sizes) for sizes in options.run]
    if flags:
        os.environ["FUSE_RUNTIME_CHECK"] = "all"
    run = one_kernel.Run(program.write(), flags)
    if not run.report:
        return run, ""
    group = run.group
    moved = (group["bytes_read"] + group["bytes_written"]) / 32
    if options.run:
        run.launch = run.launches[-1]
        moved = sum(math.prod(options.run[-1][a] for a in axes) * BYTES[element]
                    for axes, element in program.inputs + program.outputs) / 32
    conflicts = run.shared("bank_conflicts")
    accesses = max(1, run.shared("requests"))
    ratio = run.counters["counted_sectors"]["requested"] / moved
    run.demand(group["path"] == options.path, "not on path " + options.path)
    run.demand(ratio <= options.max_ratio, "over %g" % options.max_ratio)
    run.demand(conflicts <= options.conflicts * accesses, "conflicts")
    text = "%s, sectors %.2f, %d conflicts in %d accesses" % (
        run.describe(), ratio, conflicts, accesses)
    if options.run:
        return run, text
    predicted = group["predicted_sectors"]["requested"] / moved
    run.demand(abs(predicted - ratio) <= 0.15 * ratio, "predicted otherwise")
    return run, text + ", predicted %.2f" % predicted


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sizes")
    parser.add_argument("--in", action="append", dest="inputs", default=[])
    parser.add_argument("--out", action="append", dest="outputs", default=[])
    parser.add_argument("--max-ratio", type=float, default=1.10)
    parser.add_argument("--conflicts", type=float, default=0)
    parser.add_argument("--path", default="box")
    parser.add_argument("--run", type=parse_sizes, action="append", default=[])
    parser.add_argument("--print", action="store_true")
    options = parser.parse_args()
    program = Program(parse_sizes(options.sizes),
                      [parse_operand(o) for o in options.inputs],
                      [parse_operand(o) for o in options.outputs],
                      bool(options.run))
    if options.print:
        print(program.write())
        return
    run, text = check(program, options)
    if one_kernel.show("transposes " + options.sizes, run, text):
        sys.exit(1)


main()
