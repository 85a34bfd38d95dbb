"""Writes reductions over the middle axis of a tensor as linalg.

  reduce_ops.py OP OUTER REDUCED INNER TYPE

OP: sum, max, moments (sum and sum of squares, one read), mean-scaled (a row's
mean times a vector), center (minus the mean), softmax, any (of x > 0),
subtract (from an initial value), max-where (of the elements that are not
NaN), welford (count, mean, squared differences), and arg-reductions of few
different values, some of which are not finite: argmax, argmin-last (of equal
ones the last), argmax-nan (TOSA's: the first NaN), argmax-stuck (torch's: a
maximum beside it), argmax-restart (a NaN is replaced by what follows),
argmax-labels and argmin-labels (StableHLO's: of equal ones that with the smaller
label, in whatever order these come; argmin's are the indices).
Sums are taken in f32 (f64 for f64); narrower types are widened in the bodies.
OUTER or INNER of 1 leaves that axis out. Sizes may be `dynamic`: known at run time
only; then they are those that constants are made of.
"""

import sys

BYTES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "i32": 4}


class Writer:
    """Appends linalg.generic ops over (outer, reduced, inner)."""

    def __init__(self, outer, reduced, inner, element, dynamic=False):
        sizes = [(outer, "a"), (reduced, "r"), (inner, "b")]
        sizes = [s for s in sizes if s[1] == "r" or s[0] != 1]
        self.reduced = reduced
        self.element = element
        self.sum = element if element in ("f64", "i32") else "f32"
        self.loops = [s[1] for s in sizes]
        self.dynamic = dynamic
        sizes = [("?" if dynamic else str(s[0]), s[1]) for s in sizes]
        dims = "x".join(s[0] for s in sizes)
        kept = "x".join(s[0] for s in sizes if s[1] != "r")
        self.full = "tensor<%sx%%s>" % dims
        self.kept = "tensor<%s%%s>" % (kept + "x" if kept else "")
        self.vector = "tensor<%sx%%s>" % sizes[-1][0]
        self.lines = []
        self.names = 0
        for dim, axis in enumerate(self.loops if dynamic else []):
            self.lines += [
                "  %%k%s = arith.constant %d : index" % (axis, dim),
                "  %%n%s = tensor.dim %%x, %%k%s : %s"
                % (axis, axis, self.full % element),
            ]

    def axes(self, kind):
        return {
            "full": self.loops,
            "kept": [l for l in self.loops if l != "r"],
            "vector": self.loops[-1:],
        }[kind]

    def map(self, kind):
        return "affine_map<(%s) -> (%s)>" % (
            ", ".join(self.loops),
            ", ".join(self.axes(kind)),
        )

    def shape(self, kind, element):
        return {"full": self.full, "kept": self.kept, "vector": self.vector}[
            kind
        ] % element

    def emit(self, text):
        self.names += 1
        self.lines.append("  %%v%d = %s" % (self.names, text))
        return "%%v%d" % self.names

    def constant(self, value, type):
        suffix = "" if type == "i1" else " : " + type
        return self.emit("arith.constant %s%s" % (value, suffix))

    def generic(self, inputs, outputs, body, reduces):
        """`inputs`: (value, kind, element); `outputs`: (init, kind, element)."""
        operands = inputs + outputs
        kinds = [
            "reduction" if reduces and l == "r" else "parallel"
            for l in self.loops
        ]
        types = [self.shape(o[1], o[2]) for o in operands]
        n = len(inputs)
        self.names += 1
        name = "%%v%d" % self.names
        arguments = ["%%i%d: %s" % (i, o[2]) for i, o in enumerate(inputs)]
        arguments += ["%%o%d: %s" % (i, o[2]) for i, o in enumerate(outputs)]
        self.lines.append(
            "  %s = linalg.generic {indexing_maps = [%s], iterator_types = [%s]}"
            % (
                name + (":%d" % len(outputs) if len(outputs) > 1 else ""),
                ", ".join(self.map(o[1]) for o in operands),
                ", ".join('"%s"' % k for k in kinds),
            )
        )
        self.lines.append(
            "      ins(%s : %s) outs(%s : %s) {"
            % (
                ", ".join(o[0] for o in inputs),
                ", ".join(types[:n]),
                ", ".join(o[0] for o in outputs),
                ", ".join(types[n:]),
            )
        )
        self.lines.append("  ^bb0(%s):" % ", ".join(arguments))
        self.lines += ["    " + line for line in body]
        results = ", ".join(types[n:])
        self.lines.append(
            "  } -> " + ("(%s)" % results if len(outputs) > 1 else results)
        )
        return name

    def init(self, kind, element, value=None):
        type = self.shape(kind, element)
        sizes = ["%n" + axis for axis in self.axes(kind) if self.dynamic]
        empty = self.emit("tensor.empty(%s) : %s" % (", ".join(sizes), type))
        if value is None:
            return empty
        constant = self.constant(value, element)
        return self.emit(
            "linalg.fill ins(%s : %s) outs(%s : %s) -> %s"
            % (constant, element, empty, type, type)
        )

    def widen(self):
        """Body lines that give block argument 0 in the type of sums, as %y."""
        if self.element == self.sum:
            zero = "0" if self.sum == "i32" else "0.0"
            add = "addi" if self.sum == "i32" else "addf"
            return [
                "%%z = arith.constant %s : %s" % (zero, self.sum),
                "%%y = arith.%s %%i0, %%z : %s" % (add, self.sum),
            ]
        return ["%%y = arith.extf %%i0 : %s to %s" % (self.element, self.sum)]

    def narrow(self, value):
        if self.element == self.sum:
            return ["linalg.yield %s : %s" % (value, self.sum)]
        return [
            "%%n = arith.truncf %s : %s to %s"
            % (value, self.sum, self.element),
            "linalg.yield %%n : %s" % self.element,
        ]

    def reduce(self, start, step, inputs=()):
        init = self.init("kept", self.sum, start)
        return self.generic(
            [("%x", "full", self.element)] + list(inputs),
            [(init, "kept", self.sum)],
            self.widen() + step + ["linalg.yield %%q : %s" % self.sum],
            True,
        )

    def total(self):
        kind = "addi" if self.sum == "i32" else "addf"
        zero = "0" if self.sum == "i32" else "0.0"
        return self.reduce(
            zero, ["%%q = arith.%s %%y, %%o0 : %s" % (kind, self.sum)]
        )


def sum_(w):
    return [(w.total(), "kept", w.sum)]


def max_(w):
    kind = "maxsi" if w.sum == "i32" else "maximumf"
    start = "-2147483648" if w.sum == "i32" else "-1.0e+30"
    step = ["%%q = arith.%s %%y, %%o0 : %s" % (kind, w.sum)]
    return [(w.reduce(start, step), "kept", w.sum)]


def moments(w):
    inits = [w.init("kept", w.sum, "0.0") for _ in range(2)]
    body = w.widen() + [
        "%%s = arith.mulf %%y, %%y : %s" % w.sum,
        "%%p = arith.addf %%y, %%o0 : %s" % w.sum,
        "%%q = arith.addf %%s, %%o1 : %s" % w.sum,
        "linalg.yield %%p, %%q : %s, %s" % (w.sum, w.sum),
    ]
    both = w.generic(
        [("%x", "full", w.element)],
        [(init, "kept", w.sum) for init in inits],
        body,
        True,
    )
    return [(both + "#0", "kept", w.sum), (both + "#1", "kept", w.sum)]


def center(w):
    total = w.total()
    count = w.constant("%d.0" % w.reduced, w.sum)
    body = w.widen() + [
        "%%m = arith.divf %%i1, %s : %s" % (count, w.sum),
        "%%d = arith.subf %%y, %%m : %s" % w.sum,
    ]
    value = w.generic(
        [("%x", "full", w.element), (total, "kept", w.sum)],
        [(w.init("full", w.element), "full", w.element)],
        body + w.narrow("%d"),
        False,
    )
    return [(value, "full", w.element)]


def mean_scaled(w):
    total = w.total()
    count = w.constant("%d.0" % w.reduced, w.sum)
    body = [
        "%%m = arith.divf %%i0, %s : %s" % (count, w.sum),
        "%%d = arith.mulf %%m, %%m : %s" % w.sum,
        "linalg.yield %%d : %s" % w.sum,
    ]
    # An element-wise operator over the kept axes.
    loops = w.loops
    w.loops = [l for l in loops if l != "r"]
    value = w.generic(
        [(total, "kept", w.sum)],
        [(w.init("kept", w.sum), "kept", w.sum)],
        body,
        False,
    )
    w.loops = loops
    return [(value, "kept", w.sum)]


def softmax(w):
    largest = max_(w)[0][0]
    power = [
        "%%d = arith.subf %%y, %%i1 : %s" % w.sum,
        "%%e = math.exp %%d : %s" % w.sum,
    ]
    total = w.reduce(
        "0.0",
        power + ["%%q = arith.addf %%e, %%o0 : %s" % w.sum],
        [(largest, "kept", w.sum)],
    )
    body = w.widen() + power + ["%%r = arith.divf %%e, %%i2 : %s" % w.sum]
    value = w.generic(
        [
            ("%x", "full", w.element),
            (largest, "kept", w.sum),
            (total, "kept", w.sum),
        ],
        [(w.init("full", w.element), "full", w.element)],
        body + w.narrow("%r"),
        False,
    )
    return [(value, "full", w.element)]


def any_(w):
    init = w.init("kept", "i1", "false")
    compare = "arith.cmpi sgt" if w.sum == "i32" else "arith.cmpf ogt"
    limit = "1000" if w.sum == "i32" else "1.5"
    body = w.widen() + [
        "%%l = arith.constant %s : %s" % (limit, w.sum),
        "%%c = %s, %%y, %%l : %s" % (compare, w.sum),
        "%q = arith.ori %c, %o0 : i1",
        "linalg.yield %q : i1",
    ]
    value = w.generic(
        [("%x", "full", w.element)], [(init, "kept", "i1")], body, True
    )
    return [(value, "kept", "i1")]


def subtract(w):
    kind = "subi" if w.sum == "i32" else "subf"
    start = "100" if w.sum == "i32" else "100.0"
    step = ["%%q = arith.%s %%o0, %%y : %s" % (kind, w.sum)]
    return [(w.reduce(start, step), "kept", w.sum)]


def special(w):
    """Body lines that give few different values, as %v; one in about 100 is
    NaN, and some are infinite."""
    if w.sum == "i32":
        return w.widen() + [
            "%%c7 = arith.constant 7 : %s" % w.sum,
            "%%v = arith.remsi %%y, %%c7 : %s" % w.sum,
        ]
    return w.widen() + [
        "%%two = arith.constant 2.0 : %s" % w.sum,
        "%%wide = arith.mulf %%y, %%two : %s" % w.sum,
        "%%few = math.floor %%wide : %s" % w.sum,
        "%%high = arith.constant 0.99 : %s" % w.sum,
        "%%low = arith.constant -0.99 : %s" % w.sum,
        "%%zero = arith.constant 0.0 : %s" % w.sum,
        "%%isnan = arith.cmpf ogt, %%y, %%high : %s" % w.sum,
        "%%isinf = arith.cmpf olt, %%y, %%low : %s" % w.sum,
        "%%nan = arith.divf %%zero, %%zero : %s" % w.sum,
        "%%inf = arith.divf %%low, %%zero : %s" % w.sum,
        "%%v0 = arith.select %%isinf, %%inf, %%few : %s" % w.sum,
        "%%v = arith.select %%isnan, %%nan, %%v0 : %s" % w.sum,
    ]


def max_where(w):
    body = special(w) + [
        "%%skip = arith.cmpf uno, %%v, %%v : %s" % w.sum,
        "%%m = arith.maximumf %%v, %%o0 : %s" % w.sum,
        "%%q = arith.select %%skip, %%o0, %%m : %s" % w.sum,
        "linalg.yield %%q : %s" % w.sum,
    ]
    value = w.generic(
        [("%x", "full", w.element)],
        [(w.init("kept", w.sum, "-1.0e+30"), "kept", w.sum)],
        body,
        True,
    )
    return [(value, "kept", w.sum)]


def arg(step, start=("-1.0e+30", "-2147483648")):
    """An arg-reduction: `step` gives the value %m and the condition %c."""

    def make(w):
        kind = "cmpi" if w.sum == "i32" else "cmpf"
        lines = []
        for line in step:
            line = line.replace("TYPE", w.sum).replace("CMP", kind)
            if w.sum == "i32":
                line = line.replace(" o", " s", 1).replace("maximumf", "maxsi")
            lines.append(line)
        body = special(w) + [
            "%%i = linalg.index %d : index" % w.loops.index("r"),
            "%n = arith.index_cast %i : index to i32",
            *lines,
            "%p = arith.select %c, %n, %o1 : i32",
            "linalg.yield %%m, %%p : %s, i32" % w.sum,
        ]
        inits = [
            (w.init("kept", w.sum, start[w.sum == "i32"]), "kept", w.sum),
            (w.init("kept", "i32", "-7"), "kept", "i32"),
        ]
        both = w.generic([("%x", "full", w.element)], inits, body, True)
        return [(both + "#0", "kept", w.sum), (both + "#1", "kept", "i32")]

    return make


def labelled(order, label, start):
    """An arg-reduction of pairs; `label` makes %n of the index %j."""

    def make(w):
        is_float = w.sum != "i32"
        compare = "arith.cmpf o" if is_float else "arith.cmpi s"
        equal = "arith.cmpf oeq" if is_float else "arith.cmpi eq"
        body = special(w) + [
            "%%i = linalg.index %d : index" % w.loops.index("r"),
            "%j = arith.index_cast %i : index to i32",
            *label,
            "%%g = %s%s, %%o0, %%v : %s" % (compare, order, w.sum),
            "%%h = arith.cmpf une, %%o0, %%o0 : %s" % w.sum
            if is_float
            else "%h = arith.constant false",
            "%keep = arith.ori %g, %h : i1",
            "%%e = %s, %%o0, %%v : %s" % (equal, w.sum),
            "%l = arith.cmpi slt, %o1, %n : i32",
            "%t = arith.andi %e, %l : i1",
            "%stay = arith.ori %keep, %t : i1",
            "%%m = arith.select %%keep, %%o0, %%v : %s" % w.sum,
            "%p = arith.select %stay, %o1, %n : i32",
            "linalg.yield %%m, %%p : %s, i32" % w.sum,
        ]
        inits = [
            (w.init("kept", w.sum, start[not is_float]), "kept", w.sum),
            (w.init("kept", "i32", "0"), "kept", "i32"),
        ]
        both = w.generic([("%x", "full", w.element)], inits, body, True)
        return [(both + "#1", "kept", "i32")]

    return make


def welford(w):
    inits = [w.init("kept", w.sum, "0.0") for _ in range(3)]
    body = w.widen() + [
        "%%one = arith.constant 1.0 : %s" % w.sum,
        "%%n1 = arith.addf %%o0, %%one : %s" % w.sum,
        "%%d = arith.subf %%y, %%o1 : %s" % w.sum,
        "%%q = arith.divf %%d, %%n1 : %s" % w.sum,
        "%%m1 = arith.addf %%o1, %%q : %s" % w.sum,
        "%%d1 = arith.subf %%y, %%m1 : %s" % w.sum,
        "%%p = arith.mulf %%d, %%d1 : %s" % w.sum,
        "%%s1 = arith.addf %%o2, %%p : %s" % w.sum,
        "linalg.yield %%n1, %%m1, %%s1 : %s, %s, %s" % (w.sum, w.sum, w.sum),
    ]
    all_ = w.generic(
        [("%x", "full", w.element)],
        [(init, "kept", w.sum) for init in inits],
        body,
        True,
    )
    return [(all_ + "#%d" % k, "kept", w.sum) for k in range(3)]


SELECTED = "%m = arith.select %c, %v, %o0 : TYPE"

OPS = {
    "subtract": subtract,
    "max-where": max_where,
    "welford": welford,
    "argmax": arg(["%c = arith.CMP ogt, %v, %o0 : TYPE", SELECTED]),
    "argmin-last": arg(
        ["%c = arith.CMP ole, %v, %o0 : TYPE", SELECTED],
        ("1.0e+30", "2147483647"),
    ),
    "argmax-nan": arg(
        [
            "%g = arith.cmpf ugt, %v, %o0 : TYPE",
            "%h = arith.cmpf ord, %o0, %o0 : TYPE",
            "%c = arith.andi %g, %h : i1",
            SELECTED,
        ]
    ),
    "argmax-stuck": arg(
        [
            "%m = arith.maximumf %v, %o0 : TYPE",
            "%c = arith.CMP ogt, %v, %o0 : TYPE",
        ]
    ),
    "argmax-labels": labelled(
        "gt",
        [
            "%c37 = arith.constant 37 : i32",
            "%c1000 = arith.constant 1000 : i32",
            "%j37 = arith.muli %j, %c37 : i32",
            "%n = arith.remsi %j37, %c1000 : i32",
        ],
        ("0xFF800000", "-2147483648"),
    ),
    "argmin-labels": labelled(
        "lt",
        ["%c0 = arith.constant 0 : i32", "%n = arith.addi %j, %c0 : i32"],
        ("0x7F800000", "2147483647"),
    ),
    "argmax-restart": arg(["%c = arith.cmpf ugt, %v, %o0 : TYPE", SELECTED]),
    "sum": sum_,
    "max": max_,
    "moments": moments,
    "mean-scaled": mean_scaled,
    "center": center,
    "softmax": softmax,
    "any": any_,
}


def write(op, outer, reduced, inner, element, dynamic=False):
    w = Writer(outer, reduced, inner, element, dynamic)
    results = OPS[op](w)
    types = [w.shape(r[1], r[2]) for r in results]
    return (
        "func.func @main(%%x: %s) -> (%s) {\n"
        % (w.shape("full", element), ", ".join(types))
        + "\n".join(w.lines)
        + "\n  return %s : %s\n}\n"
        % (", ".join(r[0] for r in results), ", ".join(types))
    )


if __name__ == "__main__":
    sys.stdout.write(
        write(sys.argv[1], *map(int, sys.argv[2:5]), sys.argv[5])
    )
