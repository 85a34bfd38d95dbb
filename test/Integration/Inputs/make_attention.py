"""Writes an attention as linalg: scores, scale and mask, softmax, values.

The options choose sizes, types, the mask, and the form of the softmax. What is
written is one function, `main`, of three arguments: q, k and v.
"""

from __future__ import annotations

import argparse
import re
import sys

DIMENSIONS = {"H": "heads", "Q": "queries", "K": "keys"}
NEGATIVE = {"inf": "0xFF800000", "lowest": "0xFF7FFFFF", "large": "-1.0e+09"}


def parse(args: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dtype", default="f32", choices=["f32", "f16", "bf16"])
    parser.add_argument("--heads", type=int, default=2)
    parser.add_argument("--groups", type=int, default=1,
                        help="heads that share keys and values")
    parser.add_argument("--queries", type=int, default=64)
    parser.add_argument("--keys", type=int, default=64)
    parser.add_argument("--size", type=int, default=32, help="of a head of q, k")
    parser.add_argument("--values", type=int, help="of a head of v")
    parser.add_argument("--causal", type=int, metavar="SHIFT",
                        help="key > query + SHIFT is masked")
    parser.add_argument("--window", type=int,
                        help="with --causal: key < query + SHIFT - WINDOW is masked, too")
    parser.add_argument("--negative", default="inf", choices=NEGATIVE)
    parser.add_argument("--additive", action="store_true",
                        help="the mask is added")
    parser.add_argument("--safe", action="store_true",
                        help="rows of -inf have weights of zero")
    parser.add_argument("--special", action="store_true",
                        help="row 5 has a NaN, row 6 a +inf")
    parser.add_argument("--divide-last", action="store_true",
                        help="the sums of values are divided")
    parser.add_argument("--two-exponentials", action="store_true",
                        help="no softmax: weights are exp(x) + exp(x - m)")
    parser.add_argument("--wide", action="store_true",
                        help="a result in f32 from f16 or bf16")
    parser.add_argument("--transposed", action="store_true",
                        help="heads behind queries in the result")
    parser.add_argument("--keys-first", action="store_true",
                        help="keys by queries, transposed afterwards")
    parser.add_argument("--values-first", action="store_true",
                        help="values by weights, both transposed, as JAX has it")
    parser.add_argument("--half-sums", action="store_true",
                        help="scores are summed up in f16 or bf16")
    parser.add_argument("--total", action="store_true",
                        help="the logarithm of a row's sum is a result, too")
    parser.add_argument("--weights", action="store_true",
                        help="the weights are a result, too")
    parser.add_argument("--dynamic", default="", metavar="SIZES",
                        help="of H (heads), Q (queries), K (keys): those that only "
                             "the running program knows; --size=0.0, 0.1 and 1.1")
    o = parser.parse_args(args)
    for letter, name in DIMENSIONS.items():
        if letter in o.dynamic:
            setattr(o, name, letter)
    return o


def make_dynamic(text: str) -> str:
    """Letters in types are sizes of the arguments."""
    def fill_in(found: re.Match[str]) -> str:
        letters = re.findall(r"[HQK](?=x)", found[1])
        operands = ", ".join(f"%{DIMENSIONS[letter]}" for letter in letters)
        return f"tensor.empty({operands}) : {found[1]}"
    text = re.sub(r"tensor\.empty\(\) : (tensor<[^>]*>)", fill_in, text)
    return re.sub(r"(?<=[<x])[HQK](?=x)", "?", text)


class Writer:
    """Collects operators; names are numbers."""

    def __init__(self, o: argparse.Namespace) -> None:
        self.o = o
        self.lines: list[str] = []
        self.count = 0
        heads, queries, keys = o.heads, o.queries, o.keys
        self.full = f"{heads}x{queries}x{keys}"
        self.row = f"{heads}x{queries}"

    def op(self, text: str) -> str:
        self.count += 1
        self.lines.append(f"  %{self.count} = {text}")
        return f"%{self.count}"

    def filled(self, shape: str, dtype: str, value: str) -> str:
        constant = self.op(f"arith.constant {value} : {dtype}")
        empty = self.op(f"tensor.empty() : tensor<{shape}x{dtype}>")
        t = f"tensor<{shape}x{dtype}>"
        return self.op(f"linalg.fill ins({constant} : {dtype}) outs({empty} : {t}) -> {t}")

    def generic(self, inputs: list[tuple[str, str, str]], out: tuple[str, str, str],
                body: list[str], init: str | None = None) -> str:
        """Inputs and output as (value, map, type); the body names %a, %b, %o."""
        loops = "(b, q, k)"
        maps = [f"affine_map<{loops} -> {m}>" for _, m, _ in [*inputs, out]]
        reduces = init is not None
        kinds = '"parallel", "parallel", ' + ('"reduction"' if reduces else '"parallel"')
        init = init or self.op(f"tensor.empty() : {out[2]}")
        scalar = [t.rsplit("x", 1)[1].rstrip(">") for _, _, t in [*inputs, out]]
        names = ["%a", "%b", "%c"][: len(inputs)] + ["%o"]
        arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, scalar, strict=True))
        values = ", ".join(v for v, _, _ in inputs)
        types = ", ".join(t for _, _, t in inputs)
        text = (f"linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = "
                f"[{kinds}]}} ins({values} : {types}) outs({init} : {out[2]}) {{\n"
                f"  ^bb0({arguments}):\n    " + "\n    ".join(body) + f"\n  }} -> {out[2]}")
        return self.op(text)


def write_scores(w: Writer) -> str:
    o = w.o
    zero = w.filled(w.full, "f32", "0.0")
    kv = o.heads if o.groups == 1 else o.heads // o.groups
    maps = ["(b, q, k, d) -> (b, q, d)", "(b, q, k, d) -> (b, k, d)",
            "(b, q, k, d) -> (b, q, k)"]
    widen = [f"%wx = arith.extf %a : {o.dtype} to f32",
             f"%wy = arith.extf %b : {o.dtype} to f32"]
    x, y = ("%a", "%b") if o.dtype == "f32" else ("%wx", "%wy")
    body = ([] if o.dtype == "f32" else widen) + [
        f"%p = arith.mulf {x}, {y} : f32", "%s = arith.addf %o, %p : f32",
        "linalg.yield %s : f32"]
    k = repeat_heads(w, "%k", f"{o.keys}x{o.size}", kv)
    if o.half_sums:
        half = contraction(w, maps, "%q", f"{o.heads}x{o.queries}x{o.size}x{o.dtype}", k,
                           f"{o.heads}x{o.keys}x{o.size}x{o.dtype}",
                           w.filled(w.full, o.dtype, "0.0"), f"{w.full}x{o.dtype}",
                           [f"%p = arith.mulf %a, %b : {o.dtype}",
                            f"%s = arith.addf %o, %p : {o.dtype}",
                            f"linalg.yield %s : {o.dtype}"])
        return w.generic([(half, "(b, q, k)", f"tensor<{w.full}x{o.dtype}>")],
                         ("", "(b, q, k)", f"tensor<{w.full}xf32>"),
                         [f"%r = arith.extf %a : {o.dtype} to f32", "linalg.yield %r : f32"])
    queries = f"{o.heads}x{o.queries}x{o.size}x{o.dtype}"
    keys = f"{o.heads}x{o.keys}x{o.size}x{o.dtype}"
    if not o.keys_first:
        return contraction(w, maps, "%q", queries, k, keys, zero, f"{w.full}xf32", body)
    maps = ["(b, k, q, d) -> (b, k, d)", "(b, k, q, d) -> (b, q, d)",
            "(b, k, q, d) -> (b, k, q)"]
    full = f"{o.heads}x{o.keys}x{o.queries}"
    scores = contraction(w, maps, k, keys, "%q", queries, w.filled(full, "f32", "0.0"),
                         f"{full}xf32", body)
    return transpose(w, scores, full, "f32")


def repeat_heads(w: Writer, value: str, tail: str, kv: int) -> str:
    o = w.o
    if o.groups == 1:
        return value
    a, b = tail.split("x")
    source = f"tensor<{kv}x{a}x{b}x{o.dtype}>"
    wide = f"tensor<{kv}x{o.groups}x{a}x{b}x{o.dtype}>"
    empty = w.op(f"tensor.empty() : {wide}")
    repeated = w.op(
        f"linalg.broadcast ins({value} : {source}) outs({empty} : {wide}) dimensions = [1]")
    flat = f"tensor<{o.heads}x{a}x{b}x{o.dtype}>"
    return w.op(f"tensor.collapse_shape {repeated} [[0, 1], [2], [3]] : {wide} into {flat}")


def contraction(w: Writer, maps: list[str], a: str, at: str, b: str, bt: str, init: str,
                rt: str, body: list[str]) -> str:
    types = [x.rsplit("x", 1)[1] for x in (at, bt, rt)]
    arguments = ", ".join(f"%{n}: {t}" for n, t in zip("abo", types, strict=True))
    listed = ", ".join(f"affine_map<{m}>" for m in maps)
    return w.op(
        f"linalg.generic {{indexing_maps = [{listed}], iterator_types = [\"parallel\", "
        f"\"parallel\", \"parallel\", \"reduction\"]}} ins({a}, {b} : tensor<{at}>, "
        f"tensor<{bt}>) outs({init} : tensor<{rt}>) {{\n  ^bb0({arguments}):\n    "
        + "\n    ".join(body) + f"\n  }} -> tensor<{rt}>")


def write_mask(w: Writer, scores: str) -> str:
    o = w.o
    full = f"tensor<{w.full}xf32>"
    body = ["%scale = arith.constant 0.25 : f32", "%x0 = arith.mulf %a, %scale : f32"]
    x = "%x0"
    if o.causal is not None or o.special:
        body += ["%i = linalg.index 1 : index", "%j = linalg.index 2 : index"]
    if o.causal is not None:
        body += [f"%shift = arith.constant {o.causal} : index",
                 "%last = arith.addi %i, %shift : index",
                 "%hidden = arith.cmpi sgt, %j, %last : index",
                 f"%low = arith.constant {NEGATIVE[o.negative]} : f32"]
        hidden = "%hidden"
        if o.window is not None:
            body += [f"%size = arith.constant {o.window} : index",
                     "%far = arith.addi %j, %size : index",
                     "%before = arith.cmpi slt, %far, %last : index",
                     "%outside = arith.ori %hidden, %before : i1"]
            hidden = "%outside"
        if o.additive:
            body += ["%none = arith.constant 0.0 : f32",
                     f"%bias = arith.select {hidden}, %low, %none : f32",
                     f"%x1 = arith.addf {x}, %bias : f32"]
        else:
            body += [f"%x1 = arith.select {hidden}, %low, {x} : f32"]
        x = "%x1"
    if o.special:
        for number, value in ((5, "0x7FC00000"), (6, "0x7F800000")):
            body += [f"%row{number} = arith.constant {number} : index",
                     f"%is{number} = arith.cmpi eq, %i, %row{number} : index",
                     f"%first{number} = arith.constant 1 : index",
                     f"%at{number} = arith.cmpi eq, %j, %first{number} : index",
                     f"%both{number} = arith.andi %is{number}, %at{number} : i1",
                     f"%v{number} = arith.constant {value} : f32",
                     f"%y{number} = arith.select %both{number}, %v{number}, {x} : f32"]
            x = f"%y{number}"
    body += [f"linalg.yield {x} : f32"]
    return w.generic([(scores, "(b, q, k)", full)], ("", "(b, q, k)", full), body)


def write_softmax(w: Writer, x: str) -> tuple[str, str]:
    """Weights in f32, and the sums of rows."""
    o = w.o
    full, row = f"tensor<{w.full}xf32>", f"tensor<{w.row}xf32>"
    whole, line = "(b, q, k)", "(b, q)"
    low = w.filled(w.row, "f32", NEGATIVE["inf"])
    m = w.generic([(x, whole, full)], ("", line, row),
                  ["%r = arith.maximumf %a, %o : f32", "linalg.yield %r : f32"], low)
    exponent = ["%d = arith.subf %a, %b : f32", "%e = math.exp %d : f32"]
    if o.two_exponentials:
        exponent += ["%f = math.exp %a : f32", "%g = arith.addf %e, %f : f32",
                     "linalg.yield %g : f32"]
    else:
        exponent += ["linalg.yield %e : f32"]
    e = w.generic([(x, whole, full), (m, line, row)], ("", whole, full), exponent)
    zero = w.filled(w.row, "f32", "0.0")
    total = w.generic([(e, whole, full)], ("", line, row),
                      ["%r = arith.addf %a, %o : f32", "linalg.yield %r : f32"], zero)
    if o.divide_last:
        return e, total
    p = w.generic([(e, whole, full), (total, line, row)], ("", whole, full),
                  ["%r = arith.divf %a, %b : f32", "linalg.yield %r : f32"])
    if not o.safe:
        return p, total
    bits, rows = f"tensor<{w.full}xi1>", f"tensor<{w.row}xi1>"
    hidden = w.generic([(x, whole, full)], ("", whole, bits),
                       [f"%low = arith.constant {NEGATIVE['inf']} : f32",
                        "%r = arith.cmpf oeq, %a, %low : f32", "linalg.yield %r : i1"])
    every = w.generic([(hidden, whole, bits)], ("", line, rows),
                      ["%r = arith.andi %a, %o : i1", "linalg.yield %r : i1"],
                      w.filled(w.row, "i1", "1"))
    p = w.generic([(p, whole, full), (every, line, rows)], ("", whole, full),
                  ["%z = arith.constant 0.0 : f32",
                   "%r = arith.select %b, %z, %a : f32", "linalg.yield %r : f32"])
    return p, total


def narrow_weights(w: Writer, p: str) -> str:
    """In the type of the values."""
    o = w.o
    if o.dtype == "f32":
        return p
    return w.generic([(p, "(b, q, k)", f"tensor<{w.full}xf32>")],
                     ("", "(b, q, k)", f"tensor<{w.full}x{o.dtype}>"),
                     [f"%r = arith.truncf %a : f32 to {o.dtype}",
                      f"linalg.yield %r : {o.dtype}"])


def write_values(w: Writer, p: str, total: str) -> tuple[str, str]:
    o = w.o
    width = o.values or o.size
    zero = w.filled(f"{o.heads}x{o.queries}x{width}", "f32", "0.0")
    kv = o.heads if o.groups == 1 else o.heads // o.groups
    v = repeat_heads(w, "%v", f"{o.keys}x{width}", kv)
    maps = ["(b, q, d, k) -> (b, q, k)", "(b, q, d, k) -> (b, k, d)",
            "(b, q, d, k) -> (b, q, d)"]
    widen = [] if o.dtype == "f32" else [
        f"%wx = arith.extf %a : {o.dtype} to f32", f"%wy = arith.extf %b : {o.dtype} to f32"]
    x, y = ("%a", "%b") if o.dtype == "f32" else ("%wx", "%wy")
    body = [*widen, f"%p = arith.mulf {x}, {y} : f32", "%s = arith.addf %o, %p : f32",
            "linalg.yield %s : f32"]
    shape = f"{o.heads}x{o.queries}x{width}"
    if o.values_first:
        r = write_transposed_values(w, p, v, body)
    else:
        r = contraction(w, maps, p, f"{w.full}x{o.dtype}", v,
                        f"{o.heads}x{o.keys}x{width}x{o.dtype}", zero, f"{shape}xf32", body)
    t = f"tensor<{shape}xf32>"
    if o.divide_last:
        r = w.generic([(r, "(b, q, k)", t), (total, "(b, q)", f"tensor<{w.row}xf32>")],
                      ("", "(b, q, k)", t),
                      ["%r = arith.divf %a, %b : f32", "linalg.yield %r : f32"])
    if o.dtype != "f32" and not o.wide:
        narrow = f"tensor<{shape}x{o.dtype}>"
        r = w.generic([(r, "(b, q, k)", t)], ("", "(b, q, k)", narrow),
                      [f"%r = arith.truncf %a : f32 to {o.dtype}",
                       f"linalg.yield %r : {o.dtype}"])
        t = narrow
    if o.transposed:
        to = f"tensor<{o.queries}x{o.heads}x{width}x{t.rsplit('x', 1)[1]}"
        empty = w.op(f"tensor.empty() : {to}")
        r = w.op(f"linalg.transpose ins({r} : {t}) outs({empty} : {to}) permutation = [1, 0, 2]")
        t = to
    return r, t


def transpose(w: Writer, value: str, shape: str, dtype: str) -> str:
    """The last two of three dimensions."""
    a, b, c = shape.split("x")
    source, to = f"tensor<{shape}x{dtype}>", f"tensor<{a}x{c}x{b}x{dtype}>"
    empty = w.op(f"tensor.empty() : {to}")
    return w.op(f"linalg.transpose ins({value} : {source}) outs({empty} : {to}) "
                "permutation = [0, 2, 1]")


def write_transposed_values(w: Writer, p: str, v: str, body: list[str]) -> str:
    o = w.o
    width = o.values or o.size
    result = f"{o.heads}x{width}x{o.queries}"
    maps = ["(b, d, q, k) -> (b, d, k)", "(b, d, q, k) -> (b, k, q)",
            "(b, d, q, k) -> (b, d, q)"]
    r = contraction(w, maps, transpose(w, v, f"{o.heads}x{o.keys}x{width}", o.dtype),
                    f"{o.heads}x{width}x{o.keys}x{o.dtype}",
                    transpose(w, p, w.full, o.dtype),
                    f"{o.heads}x{o.keys}x{o.queries}x{o.dtype}",
                    w.filled(result, "f32", "0.0"), f"{result}xf32", body)
    return transpose(w, r, result, "f32")


def write_logarithms(w: Writer, total: str) -> str:
    row = f"tensor<{w.row}xf32>"
    empty = w.op(f"tensor.empty() : {row}")
    return w.op(f"linalg.log ins({total} : {row}) outs({empty} : {row}) -> {row}")


def main(args: list[str]) -> None:
    o = parse(args)
    w = Writer(o)
    p, total = write_softmax(w, write_mask(w, write_scores(w)))
    p = narrow_weights(w, p)
    results = [write_values(w, p, total)]
    if o.total:
        results.append((write_logarithms(w, total), f"tensor<{w.row}xf32>"))
    if o.weights:
        results.append((p, f"tensor<{w.full}x{o.dtype}>"))
    types = ", ".join(t for _, t in results)
    kv = o.heads if o.groups == 1 else o.heads // o.groups
    width = o.values or o.size
    q, k = f"tensor<{o.heads}x{o.queries}x{o.size}x{o.dtype}>", f"tensor<{kv}x{o.keys}x{o.size}x{o.dtype}>"
    sizes = [f"  %{n} = arith.constant {n[1]} : index" for n in ("c0", "c1")] + [
        f"  %heads = tensor.dim %q, %c0 : {q}", f"  %queries = tensor.dim %q, %c1 : {q}",
        f"  %keys = tensor.dim %k, %c1 : {k}"]
    lines = [f"func.func @main(%q: {q}, %k: {k}, "
             f"%v: tensor<{kv}x{o.keys}x{width}x{o.dtype}>) -> ({types}) {{",
             *(sizes if o.dynamic else []), *w.lines,
             f"  return {', '.join(r for r, _ in results)} : {types}\n}}"]
    print(make_dynamic("\n".join(lines)))


main(sys.argv[1:])
