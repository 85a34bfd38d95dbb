"""Writes softmax, layer norm or RMS norm over the rows of a matrix as linalg.

  row_ops.py OP ROWS COLUMNS TYPE     OP: softmax, layer-norm, rms-norm

The statistics are taken in f32; narrower types are widened in the bodies.
"""

import re
import sys

# Size of an element in bytes.
BYTES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2}

HEADER = """\
#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
"""


class Writer:
    """Appends linalg.generic ops over a matrix to a function body."""

    def __init__(self, rows, columns, element):
        self.full = "tensor<%dx%dx%s>" % (rows, columns, element)
        self.weights = "tensor<%dx%s>" % (columns, element)
        self.row = "tensor<%dxf32>" % rows
        self.columns = columns
        self.element = element
        self.lines = []
        self.names = 0
        # Names of one body that stand for another value.
        self.aliases = []

    def new(self):
        self.names += 1
        return "%%v%d" % self.names

    def emit(self, text):
        name = self.new()
        self.lines.append("  %s = %s" % (name, text))
        return name

    def constant(self, value, type="f32"):
        return self.emit("arith.constant %s : %s" % (value, type))

    def generic(self, inputs, output, output_type, element, body, reduction):
        """`inputs`: (value, type, map, element). `body`: lines, last yields."""
        maps = ["#" + i[2] for i in inputs]
        maps.append("#row" if output_type == self.row else "#full")
        kinds = ["parallel", "reduction" if reduction else "parallel"]
        args = ["%%b%d: %s" % (n, i[3]) for n, i in enumerate(inputs)]
        name = self.new()
        self.lines.append(
            "  %s = linalg.generic {indexing_maps = [%s], iterator_types = [%s]}"
            % (name, ", ".join(maps), ", ".join('"%s"' % k for k in kinds))
        )
        self.lines.append(
            "      ins(%s : %s)"
            % (", ".join(i[0] for i in inputs), ", ".join(i[1] for i in inputs))
        )
        self.lines.append("      outs(%s : %s) {" % (output, output_type))
        self.lines.append(
            "  ^bb0(%s):" % ", ".join(args + ["%%acc: %s" % element])
        )
        for line in body:
            for alias, value in self.aliases:
                line = re.sub(alias + r"\b", value, line)
            self.lines.append("    " + line)
        self.lines.append("  } -> " + output_type)
        return name

    def load(self, argument, to):
        """Widens block argument `argument` into `to`."""
        if self.element == "f32":
            self.aliases.append((to, "%%b%d" % argument))
            return []
        return [
            "%s = arith.extf %%b%d : %s to f32" % (to, argument, self.element)
        ]

    def store(self, value):
        if self.element == "f32":
            return ["linalg.yield %s : f32" % value]
        return [
            "%%narrow = arith.truncf %s : f32 to %s" % (value, self.element),
            "linalg.yield %%narrow : %s" % self.element,
        ]

    def reduce(self, start, inputs, body):
        empty = self.emit("tensor.empty() : " + self.row)
        init = self.emit(
            "linalg.fill ins(%s : f32) outs(%s : %s) -> %s"
            % (start, empty, self.row, self.row)
        )
        return self.generic(inputs, init, self.row, "f32", body, True)

    def matrix(self, inputs, body):
        empty = self.emit("tensor.empty() : " + self.full)
        return self.generic(
            inputs, empty, self.full, self.element, body, False
        )


def softmax(w):
    lowest = w.constant("0xFF800000")
    x = ("%x", w.full, "full", w.element)
    largest = w.reduce(
        lowest,
        [x],
        w.load(0, "%x0")
        + ["%r = arith.maximumf %x0, %acc : f32", "linalg.yield %r : f32"],
    )
    m = (largest, w.row, "row", "f32")
    power = w.load(0, "%x0") + [
        "%d = arith.subf %x0, %b1 : f32",
        "%e = math.exp %d : f32",
    ]
    total = w.reduce(
        "%zero",
        [x, m],
        power + ["%r = arith.addf %e, %acc : f32", "linalg.yield %r : f32"],
    )
    return w.matrix(
        [x, m, (total, w.row, "row", "f32")],
        power + ["%q = arith.divf %e, %b2 : f32"] + w.store("%q"),
    )


def mean(w, inputs, body, value):
    total = w.reduce(
        "%zero",
        inputs,
        body
        + ["%%r = arith.addf %s, %%acc : f32" % value, "linalg.yield %r : f32"],
    )
    return (total, w.row, "row", "f32")


def norm(w, centered):
    count = w.constant("%d.0" % w.columns)
    epsilon = w.constant("1.0e-5")
    x = ("%x", w.full, "full", w.element)
    gamma = ("%gamma", w.weights, "column", w.element)
    beta = ("%beta", w.weights, "column", w.element)
    inputs, body = [x], w.load(0, "%x0")
    if centered:
        inputs = [x, mean(w, [x], w.load(0, "%x0"), "%x0")]
        body = body + [
            "%%mean = arith.divf %%b1, %s : f32" % count,
            "%d = arith.subf %x0, %mean : f32",
        ]
    d = "%d" if centered else "%x0"
    square = "%%s = arith.mulf %s, %s : f32" % (d, d)
    squares = mean(w, inputs, body + [square], "%s")
    last = len(inputs)
    inputs = inputs + [squares, gamma, beta]
    body = body + [
        "%%var = arith.divf %%b%d, %s : f32" % (last, count),
        "%%safe = arith.addf %%var, %s : f32" % epsilon,
        "%scale = math.rsqrt %safe : f32",
        "%%n = arith.mulf %s, %%scale : f32" % d,
    ]
    body += w.load(last + 1, "%g") + w.load(last + 2, "%h")
    body += ["%p = arith.mulf %n, %g : f32", "%q = arith.addf %p, %h : f32"]
    return w.matrix(inputs, body + w.store("%q"))


def write(op, rows, columns, element):
    w = Writer(rows, columns, element)
    result = softmax(w) if op == "softmax" else norm(w, op == "layer-norm")
    arguments = "%%x: %s" % w.full
    if op != "softmax":
        arguments += ", %%gamma: %s, %%beta: %s" % (w.weights, w.weights)
    return (
        HEADER
        + "func.func @main(%s) -> %s {\n" % (arguments, w.full)
        + "  %zero = arith.constant 0.0 : f32\n"
        + "\n".join(w.lines)
        + "\n  return %s : %s\n}\n" % (result, w.full)
    )


if __name__ == "__main__":
    sys.stdout.write(
        write(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
    )
