"""Graphs around one contraction, for check_contractions.py."""

MAPS = {
    "nn": ("(b, i, j, k) -> (b, i, k)", "(b, i, j, k) -> (b, k, j)"),
    "nt": ("(b, i, j, k) -> (b, i, k)", "(b, i, j, k) -> (b, j, k)"),
    "tn": ("(b, i, j, k) -> (b, k, i)", "(b, i, j, k) -> (b, k, j)"),
    "tt": ("(b, i, j, k) -> (b, k, i)", "(b, i, j, k) -> (b, j, k)"),
}
FLOATS = ("f16", "bf16", "f32", "f64")


def _shape(order, b, outer, k):
    return (b, outer, k) if order else (b, k, outer)


def _tensor(shape, element):
    return "tensor<%sx%s>" % ("x".join(map(str, shape)), element)


def _product(element, total):
    """The body: casts to the sums' type, product, sum."""
    if element in FLOATS:
        cast, mul, add = "arith.extf", "arith.mulf", "arith.addf"
    else:
        cast, mul, add = "arith.extsi", "arith.muli", "arith.addi"
    lines, names = [], ["%x", "%y"]
    if element != total:
        for i, name in enumerate(list(names)):
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


def write(op, layout, b, m, n, k, element):
    """The module for `op`: plain, init (adds to an operand), epilogue (a
    residual, and a second output), transposed (written with its first two
    dimensions exchanged), prologue (the left factor is computed), widened (both
    factors are, by operators of their own), shared (two
    contractions of one left factor, multiplied), sum (two contractions, the
    other one half as deep, added)."""
    total = {"f16": "f32", "bf16": "f32", "i8": "i32"}.get(element, element)
    left = _shape(layout[0] == "n", b, m, k)
    right = _shape(layout[1] == "t", b, n, k)
    out = (b, m, n)
    zero = "0.0" if total in FLOATS else "0"
    mul = "arith.mulf" if element in FLOATS else "arith.muli"
    add = "arith.addf" if total in FLOATS else "arith.addi"
    inputs = [("%x", left), ("%y", right)]
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
      ins(%s, %s : %s, %s) outs(%s : %s) {
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
                element,
                element,
                total,
                _product(element, total)
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
    return """func.func @main(%s) -> (%s) {
%s
  return %s : %s
}
""" % (
        ", ".join(arguments),
        types,
        "\n".join(body),
        ", ".join(name for name, _ in results),
        types,
    )
