"""Graphs around one contraction, for check_contractions.py.

A type is that of the factors in MLIR, or one of

  u8, s8u8      i8 that is widened without its sign: both factors, or the right one
  tf32          f32 that may be rounded to tf32
  tf32-off      the same for the function, but not for the contractions
"""

import struct

MAPS = {
    "nn": ("(b, i, j, k) -> (b, i, k)", "(b, i, j, k) -> (b, k, j)"),
    "nt": ("(b, i, j, k) -> (b, i, k)", "(b, i, j, k) -> (b, j, k)"),
    "tn": ("(b, i, j, k) -> (b, k, i)", "(b, i, j, k) -> (b, k, j)"),
    "tt": ("(b, i, j, k) -> (b, k, i)", "(b, i, j, k) -> (b, j, k)"),
}
FLOATS = ("f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2")
ELEMENTS = {"u8": "i8", "s8u8": "i8", "tf32": "f32", "tf32-off": "f32"}
# Bits of each type: what is not finite, and subnormal numbers and -0.0. E4M3FN has
# no infinity.
SPECIAL = {
    "f16": (0x7E00, 0x7C00, 0xFC00),
    "bf16": (0x7FC0, 0x7F80, 0xFF80),
    "f32": (0x7FC00000, 0x7F800000, 0xFF800000),
    "f64": (0x7FF8 << 48, 0x7FF0 << 48, 0xFFF0 << 48),
    "f8E4M3FN": (0x7F, 0xFF),
    "f8E5M2": (0x7E, 0x7C, 0xFC),
    "i8": (0x80, 0x7F, 0xFF, 0x01),
}
TINY = {
    "f16": (0x8000, 0x0001, 0x03FF, 0x8155),
    "bf16": (0x8000, 0x0001, 0x007F, 0x8055),
    "f32": (1 << 31, 0x1, 0x7FFFFF, 0x80555555),
    "f64": (1 << 63, 0x1, (1 << 52) - 1, (1 << 63) + (5 << 48)),
    "f8E4M3FN": (0x80, 0x01, 0x07, 0x85),
    "f8E5M2": (0x80, 0x01, 0x03, 0x82),
}
ONE = {
    "f16": 0x3C00,
    "bf16": 0x3F80,
    "f32": 0x3F800000,
    "f64": 0x3FF << 52,
    "f8E4M3FN": 0x38,
    "f8E5M2": 0x3C,
    "i8": 1,
}


def _shape(order, b, outer, k):
    return (b, outer, k) if order else (b, k, outer)


def _tensor(shape, element):
    return "tensor<%sx%s>" % ("x".join(map(str, shape)), element)


def _constant(name, shape, element, numbers):
    """`name` with these bits."""
    width = {"64": "Q", "32": "I", "16": "H"}.get(element[-2:], "B")
    data = struct.pack("<%d%s" % (len(numbers), width), *numbers)
    return "  %s = arith.constant dense<\"0x%s\"> : %s" % (
        name,
        data.hex().upper(),
        _tensor(shape, element),
    )


def _special(name, shape, element):
    """Zeros and ones, and in each second row a special value, at another step
    each."""
    values, depth = SPECIAL[element], shape[2]
    numbers = [ONE[element] * (i % 3 == 0) for i in range(shape[0] * shape[1] * depth)]
    for row in range(0, shape[0] * shape[1], 2):
        numbers[row * depth + row * 5 % depth] = values[row // 2 % len(values)]
    return _constant(name, shape, element, numbers)


def _tiny(name, shape, element):
    """Subnormal numbers and zeros."""
    values = TINY[element]
    count = shape[0] * shape[1] * shape[2]
    return _constant(
        name, shape, element, [values[i * 7 // 3 % len(values)] for i in range(count)]
    )


def _product(kind, element, total):
    """The body: casts to the sums' type, product, sum."""
    if element in FLOATS:
        casts, mul, add = ["arith.extf"] * 2, "arith.mulf", "arith.addf"
    else:
        casts = [
            "arith.extui" if kind in names else "arith.extsi"
            for names in (("u8",), ("u8", "s8u8"))
        ]
        mul, add = "arith.muli", "arith.addi"
    lines, names = [], ["%x", "%y"]
    if element != total:
        for i, (name, cast) in enumerate(zip(list(names), casts)):
            lines.append("%%w%d = %s %s : %s to %s" % (i, cast, name, element, total))
            names[i] = "%%w%d" % i
    lines.append("%%p = %s %s, %s : %s" % (mul, *names, total))
    lines.append("%%s = %s %%a, %%p : %s" % (add, total))
    lines.append("linalg.yield %%s : %s" % total)
    return "\n    ".join(lines)


def _zip(name, operator, operands, shape, element):
    """`name`, element by element of `operands`."""
    rank = len(shape)
    same = "affine_map<(a, b, c) -> (a, b, c)>"
    types = ", ".join(_tensor(shape, element) for _ in operands)
    return """
  %%%s_e = tensor.empty() : %s
  %%%s = linalg.generic {indexing_maps = [%s], iterator_types = [%s]}
      ins(%s : %s) outs(%%%s_e : %s) {
  ^bb0(%s, %%o: %s):
    %%r = %s
    linalg.yield %%r : %s
  } -> %s""" % (
        name,
        _tensor(shape, element),
        name,
        ", ".join([same] * (len(operands) + 1)),
        ", ".join(['"parallel"'] * rank),
        ", ".join(operands),
        types,
        name,
        _tensor(shape, element),
        ", ".join("%%i%d: %s" % (i, element) for i in range(len(operands))),
        element,
        operator,
        element,
        _tensor(shape, element),
    )


def _reduce(name, source, operator, neutral, shape, element):
    """`name`, the rows of `source` combined by `operator`."""
    rows = "tensor<%dx%dx%s>" % (*shape[:2], element)
    return """
  %%%s_n = arith.constant %s : %s
  %%%s_e = tensor.empty() : %s
  %%%s_f = linalg.fill ins(%%%s_n : %s) outs(%%%s_e : %s) -> %s
  %%%s = linalg.reduce ins(%s : %s) outs(%%%s_f : %s) dimensions = [2]
    (%%in: %s, %%out: %s) {
      %%r = %s %%out, %%in : %s
      linalg.yield %%r : %s
    }""" % (
        *(name, neutral, element, name, rows),
        *(name, name, element, name, rows, rows),
        *(name, source, _tensor(shape, element), name, rows),
        *(element, element, operator, element, element),
    )


def _per_row(name, operator, source, rows, shape, element):
    """`name`, `operator` on each element of `source` and its row's of `rows`."""
    full = _tensor(shape, element)
    same = "affine_map<(a, b, c) -> (a, b, c)>"
    return """
  %%%s_e = tensor.empty() : %s
  %%%s = linalg.generic {indexing_maps = [%s, affine_map<(a, b, c) -> (a, b)>, %s],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %s : %s, tensor<%dx%dx%s>) outs(%%%s_e : %s) {
  ^bb0(%%i0: %s, %%i1: %s, %%o: %s):
    %s
    linalg.yield %%r : %s
  } -> %s""" % (
        *(name, full, name, same, same),
        *(source, rows, full, *shape[:2], element, name, full),
        *(element, element, element, operator, element, full),
    )


def _softmax(source, shape, element):
    """Lines that define %y, the softmax of the rows of `source`."""
    low = {"f32": "0xFF800000", "f64": "0xFFF0000000000000"}[element]
    shifted = "%%s = arith.subf %%i0, %%i1 : %s\n    %%r = math.exp %%s : %s"
    return [
        _reduce("top", source, "arith.maximumf", low, shape, element),
        _per_row("up", shifted % (element, element), source, "%top", shape, element),
        _reduce("all", "%up", "arith.addf", "0.0", shape, element),
        _per_row(
            "y_", "%%r = arith.divf %%i0, %%i1 : %s" % element, "%up", "%all", shape, element
        ),
    ]


def write(op, layout, b, m, n, k, kind):
    """The module for `op`: plain, init (adds to an operand), epilogue (a
    residual, and a second output), transposed (written with its first two
    dimensions exchanged), prologue (the left factor is computed), widened (both
    factors are, by operators of their own), shared (two contractions of one left
    factor, multiplied), sum (two contractions, the other one half as deep, added),
    special (the left factor, of integers both, is a constant with NaN, infinities,
    the ends of the range), tiny (one of subnormal numbers),
    softmax (of the rows), statistics (largest element and sum of each row, as
    further results)."""
    element = ELEMENTS.get(kind, kind)
    total = {"i8": "i32", "f32": "f32", "f64": "f64"}.get(element, "f32")
    left = _shape(layout[0] == "n", b, m, k)
    right = _shape(layout[1] == "t", b, n, k)
    out = (b, m, n)
    zero = "0.0" if total in FLOATS else "0"
    mul = "arith.mulf" if element in FLOATS else "arith.muli"
    add = "arith.addf" if total in FLOATS else "arith.addi"
    inputs = [("%x", left), ("%y", right)]
    constants = []
    if op in ("special", "tiny"):
        constants = inputs[: 2 if element == "i8" else 1]
        inputs = inputs[len(constants) :]
    if op == "shared":
        inputs.append(("%z", right))
    if op == "sum":
        half = (
            _shape(layout[0] == "n", b, m, k // 2),
            _shape(layout[1] == "t", b, n, k // 2),
        )
        inputs += zip(("%u", "%v"), half)
    arguments = ["%s: %s" % (name, _tensor(s, element)) for name, s in inputs]
    if op in ("init", "epilogue"):
        arguments.append("%%c: %s" % _tensor(out, total))
    body = ["  %%zero = arith.constant %s : %s" % (zero, total)]
    for name, shape in constants:
        make = _special if op == "special" else _tiny
        body.append(make(name, shape, element))
    factor, other = "%x", "%y"
    if op == "widened":
        cast = "arith.extf" if element in FLOATS else "arith.extsi"
        for name, shape in (("%x", left), ("%y", right)):
            body.append(
                "  %sw = %s %s : %s to %s"
                % (name, cast, name, _tensor(shape, element), _tensor(shape, total))
            )
        factor, other, element = "%xw", "%yw", total
    if op == "prologue":
        body.append(
            _zip("sq", "%s %%i0, %%i0 : %s" % (mul, element), ["%x"], left, element)
        )
        factor = "%sq"

    def contract(name, first, second, left=left, right=right):
        init = "%c"
        if op != "init":
            init = "%%%s_f" % name
            body.append(
                "  %%%s_e = tensor.empty() : %s\n"
                "  %s = linalg.fill ins(%%zero : %s) outs(%%%s_e : %s) -> %s"
                % (
                    name,
                    _tensor(out, total),
                    init,
                    total,
                    name,
                    _tensor(out, total),
                    _tensor(out, total),
                )
            )
        first_map, second_map = MAPS[layout]
        body.append(
            """  %%%s = linalg.generic {
      indexing_maps = [affine_map<%s>, affine_map<%s>, affine_map<(b, i, j, k) -> (b, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%s, %s : %s, %s) outs(%s : %s)%s {
  ^bb0(%%x_: %s, %%y_: %s, %%a: %s):
    %s
  } -> %s"""
            % (
                name,
                first_map,
                second_map,
                first,
                second,
                _tensor(left, element),
                _tensor(right, element),
                init,
                _tensor(out, total),
                ' attrs = {fuse.f32_products = "f32"}' * (kind == "tf32-off"),
                element,
                element,
                total,
                _product(kind, element, total)
                .replace("%x", "%x_")
                .replace("%y", "%y_"),
                _tensor(out, total),
            )
        )

    contract("m", factor, other)
    results = [("%m", out)]
    if op == "epilogue":
        body.append(
            _zip("r", "%s %%i0, %%i1 : %s" % (add, total), ["%m", "%c"], out, total)
        )
        results.append(("%r", out))
    elif op == "softmax":
        body += _softmax("%m", out, total)
        results = [("%y_", out)]
    elif op == "statistics":
        body += _softmax("%m", out, total)[:1]
        body.append(_reduce("all", "%m", "arith.addf", "0.0", out, total))
        results += [("%top", out[:2]), ("%all", out[:2])]
    elif op in ("shared", "sum"):
        if op == "shared":
            contract("m2", factor, "%z")
            product = "arith.mulf" if total in FLOATS else "arith.muli"
        else:
            contract("m2", "%u", "%v", *half)
            product = add
        body.append(
            _zip("r", "%s %%i0, %%i1 : %s" % (product, total), ["%m", "%m2"], out, total)
        )
        results = [("%r", out)]
    elif op == "transposed":
        flipped = (m, b, n)
        body.append(
            "  %%t_e = tensor.empty() : %s\n  %%t = linalg.transpose ins(%%m : %s) outs(%%t_e : %s) permutation = [1, 0, 2]"
            % (_tensor(flipped, total), _tensor(out, total), _tensor(flipped, total))
        )
        results = [("%t", flipped)]
    types = ", ".join(_tensor(s, total) for _, s in results)
    return """func.func @main(%s) -> (%s)%s {
%s
  return %s : %s
}
""" % (
        ", ".join(arguments),
        types,
        ' attributes {fuse.f32_products = "tf32"}' * kind.startswith("tf32"),
        "\n".join(body),
        ", ".join(name for name, _ in results),
        types,
    )
