"""Writes operators that reduce a matrix over rows and over columns as linalg.

  mixed_ops.py OP ROWS COLUMNS TYPE

OP: sums (of the rows and of the columns), extremes (the largest of each row,
the smallest of each column, of the doubled matrix), bias (of a gradient: the
matrix times a row vector, and the column sums), norm-backward (of a layer norm:
the gradients of input, weight and bias). Computed in f32. The number of rows may be
known at run time only (`dynamic`).
"""

import sys

HEADER = """\
#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#col = affine_map<(i, j) -> (j)>
"""


class Writer:
    def __init__(self, rows, columns, element, dynamic=False):
        self.columns = columns
        self.element = element
        self.types = {
            "full": "tensor<%sx%dx%%s>" % ("?" if dynamic else rows, columns),
            "row": "tensor<%sx%%s>" % ("?" if dynamic else rows),
            "col": "tensor<%dx%%s>" % columns,
        }
        self.lines = []
        self.names = 0
        self.size = ""
        if dynamic:
            zero = self.emit("arith.constant 0 : index")
            self.size = self.emit(
                "tensor.dim %%x, %s : %s" % (zero, self.type("full", element))
            )

    def emit(self, text):
        self.names += 1
        self.lines.append("  %%v%d = %s" % (self.names, text))
        return "%%v%d" % self.names

    def type(self, kind, element="f32"):
        return self.types[kind] % element

    def full(self, name):
        return (name, "full", self.element)

    def generic(self, kind, inputs, body, start=None, element="f32"):
        """A reduction to `kind`, or an element-wise operator without `start`.
        The body gives %r from the inputs, as f32 %x0, %x1 …, and %o."""
        type = self.type(kind, element)
        size = "" if kind == "col" else self.size
        init = self.emit("tensor.empty(%s) : %s" % (size, type))
        if start is not None:
            value = self.emit("arith.constant %s : f32" % start)
            init = self.emit(
                "linalg.fill ins(%s : f32) outs(%s : %s) -> %s"
                % (value, init, type, type)
            )
        lines = []
        for i, (_, _, narrow) in enumerate(inputs):
            body = [line.replace("%%x%d" % i, "%%w%d" % i) for line in body]
            if narrow == "f32":
                body = [line.replace("%%w%d" % i, "%%b%d" % i) for line in body]
            else:
                lines.append(
                    "%%w%d = arith.extf %%b%d : %s to f32" % (i, i, narrow)
                )
        lines += body
        if element != "f32":
            lines.append("%%n = arith.truncf %%r : f32 to %s" % element)
        lines.append(
            "linalg.yield %s : %s"
            % ("%r" if element == "f32" else "%n", element)
        )
        kinds = {
            "full": ["parallel", "parallel"],
            "row": ["parallel", "reduction"],
            "col": ["reduction", "parallel"],
        }[kind]
        return self.emit(
            "linalg.generic {indexing_maps = [%s], iterator_types = [%s]}\n"
            "      ins(%s : %s) outs(%s : %s) {\n"
            "  ^bb0(%s, %%o: %s):\n    %s\n  } -> %s"
            % (
                ", ".join("#" + k for k in [i[1] for i in inputs] + [kind]),
                ", ".join('"%s"' % k for k in kinds),
                ", ".join(i[0] for i in inputs),
                ", ".join(self.type(i[1], i[2]) for i in inputs),
                init,
                type,
                ", ".join(
                    "%%b%d: %s" % (n, i[2]) for n, i in enumerate(inputs)
                ),
                element,
                "\n    ".join(lines),
                type,
            )
        )


def sums(w):
    x = [w.full("%x")]
    add = ["%r = arith.addf %x0, %o : f32"]
    return [(w.generic(k, x, add, "0.0"), k, "f32") for k in ("row", "col")]


def extremes(w):
    x = [w.full("%x")]
    twice = w.generic("full", x, ["%r = arith.addf %x0, %x0 : f32"])
    d = [(twice, "full", "f32")]
    low = w.generic("col", d, ["%r = arith.minimumf %x0, %o : f32"], "1.0e30")
    top = w.generic("row", d, ["%r = arith.maximumf %x0, %o : f32"], "-1.0e30")
    return [(low, "col", "f32"), (top, "row", "f32")]


def bias(w):
    total = w.generic(
        "col", [w.full("%x")], ["%r = arith.addf %x0, %o : f32"], "0.0"
    )
    scaled = w.generic(
        "full",
        [w.full("%x"), ("%g", "col", "f32")],
        ["%r = arith.mulf %x0, %x1 : f32"],
        element=w.element,
    )
    return [(scaled, "full", w.element), (total, "col", "f32")]


def norm_backward(w):
    x, dy = w.full("%x"), w.full("%y")
    mean, scale = ("%m", "row", "f32"), ("%s", "row", "f32")
    gamma = ("%g", "col", "f32")
    normal = ["%c = arith.subf %x0, %x1 : f32", "%r = arith.mulf %c, %x2 : f32"]
    xhat = (w.generic("full", [x, mean, scale], normal), "full", "f32")
    wdy = (
        w.generic("full", [dy, gamma], ["%r = arith.mulf %x0, %x1 : f32"]),
        "full",
        "f32",
    )
    add = ["%r = arith.addf %x0, %o : f32"]
    dot = ["%p = arith.mulf %x0, %x1 : f32", "%r = arith.addf %p, %o : f32"]
    c1 = (w.generic("row", [wdy, xhat], dot, "0.0"), "row", "f32")
    c2 = (w.generic("row", [wdy], add, "0.0"), "row", "f32")
    dx = w.generic(
        "full",
        [wdy, xhat, c1, c2, scale],
        [
            "%%k = arith.constant %.17g : f32" % (1.0 / w.columns),
            "%p = arith.mulf %x1, %x2 : f32",
            "%q = arith.addf %p, %x3 : f32",
            "%t = arith.mulf %q, %k : f32",
            "%u = arith.subf %x0, %t : f32",
            "%r = arith.mulf %u, %x4 : f32",
        ],
        element=w.element,
    )
    dgamma = w.generic("col", [dy, xhat], dot, "0.0")
    dbeta = w.generic("col", [dy], add, "0.0")
    return [
        (dx, "full", w.element),
        (dgamma, "col", "f32"),
        (dbeta, "col", "f32"),
    ]


OPS = {
    "sums": (sums, ["x"]),
    "extremes": (extremes, ["x"]),
    "bias": (bias, ["x", "g"]),
    "norm-backward": (norm_backward, ["x", "y", "m", "s", "g"]),
}
ARGUMENTS = {"x": "full", "y": "full", "m": "row", "s": "row", "g": "col"}


def write(op, rows, columns, element, dynamic=False):
    w = Writer(rows, columns, element, dynamic)
    function, names = OPS[op]
    results = function(w)
    types = [w.type(r[1], r[2]) for r in results]
    arguments = [
        "%%%s: %s"
        % (n, w.type(ARGUMENTS[n], element if ARGUMENTS[n] == "full" else "f32"))
        for n in names
    ]
    return (
        HEADER
        + "func.func @main(%s) -> (%s) {\n"
        % (", ".join(arguments), ", ".join(types))
        + "\n".join(w.lines)
        + "\n  return %s : %s\n}\n"
        % (", ".join(r[0] for r in results), ", ".join(types))
    )


if __name__ == "__main__":
    sys.stdout.write(
        write(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
    )
