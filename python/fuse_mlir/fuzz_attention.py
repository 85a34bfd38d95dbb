"""Random attentions: scores, mask, a form of softmax, values."""

from __future__ import annotations

import random

from fuse_mlir.fuzz_contractions import Contractions
from fuse_mlir.fuzz_graph import CLOSE, ROUGH, Node, Value, bits

FULL, ROW = "(b, q, k)", "(b, q)"


class Attentions(Contractions):
    """Whole attentions: their parts seldom meet by chance."""

    def attention(self) -> Node | None:
        """Sizes, type, mask and form of the softmax are drawn."""
        rng = self.rng
        dtype = rng.choice(["f32", "f32", "f16", "bf16"])
        heads, queries = rng.choice([1, 2, 3]), rng.choice([1, 2, 5, 17, 33])
        keys, size = rng.choice([3, 16, 40, 70]), rng.choice([1, 3, 8, 20])
        width = rng.choice([1, 4, 8, 19])
        if self.large and rng.random() < 0.5:
            queries, keys = rng.choice([64, 100]), rng.choice([64, 128, 200])
            width = rng.choice([16, 64])
        q = self.pick_shape((heads, queries, size), dtype)
        k = self.pick_shape((heads, keys, size), dtype)
        v = self.pick_shape((heads, keys, width), dtype)
        if any(x.special or x.level == ROUGH for x in (q, k, v)):
            return None
        # Differences of scores beyond this make other errors than rounding.
        if q.bound * k.bound * size > 64 or v.bound > 1000:
            return None
        level = ROUGH if bits(dtype) == 16 else CLOSE
        result = Value(dtype, (heads, queries, width), level, v.bound)
        text = AttentionText(heads, queries, keys, dtype)
        x = text.mask(rng, text.scores(q, k))
        form = rng.choice(["divide", "last", "safe", "none"])
        e, total = (
            (text.clamp(x), None)
            if form == "none"
            else text.softmax(rng, x, form)
        )
        text.values(e, total, v, result)
        return Node("\n".join(text.lines), [q, k, v], [result])


class AttentionText:
    """The operators of one attention."""

    def __init__(self, heads: int, queries: int, keys: int, dtype: str) -> None:
        self.dtype = dtype
        self.keys = keys
        self.full = f"tensor<{heads}x{queries}x{keys}xf32>"
        self.row = f"tensor<{heads}x{queries}xf32>"
        self.lines: list[str] = []

    def fresh(self) -> str:
        """The name of the next value."""
        return f"$u_a{len(self.lines)}"

    def op(self, text: str) -> str:
        """Adds an operator with one result; the name of that."""
        name = self.fresh()
        self.lines.append(f"{name} = {text}")
        return name

    def filled(self, shape: str, value: str) -> str:
        """A tensor with the same value everywhere."""
        dtype = shape.rsplit("x", 1)[1].rstrip(">")
        constant = self.op(f"arith.constant {value} : {dtype}")
        empty = self.op(f"tensor.empty() : {shape}")
        return self.op(
            f"linalg.fill ins({constant} : {dtype}) outs({empty} : {shape}) "
            f"-> {shape}"
        )

    def generic(
        self,
        inputs: list[tuple[str, str, str]],
        out: tuple[str, str],
        body: list[str],
        init: str | None = None,
        loops: str = FULL,
        name: str | None = None,
    ) -> str:
        """Inputs as (value, index, type), the output as (index, type)."""
        kinds = ['"parallel"'] * (loops.count(",") + 1)
        if init is not None:
            kinds[-1] = '"reduction"'
        init = init or self.op(f"tensor.empty() : {out[1]}")
        maps = [f"affine_map<{loops} -> {m}>" for _, m, _ in inputs]
        maps.append(f"affine_map<{loops} -> {out[0]}>")
        types = [t for _, _, t in inputs]
        scalars = [t.rsplit("x", 1)[1].rstrip(">") for t in [*types, out[1]]]
        names = [*["%a", "%b"][: len(inputs)], "%o"]
        arguments = ", ".join(
            f"{n}: {t}" for n, t in zip(names, scalars, strict=True)
        )
        text = (
            f"linalg.generic {{indexing_maps = [{', '.join(maps)}], "
            f"iterator_types = [{', '.join(kinds)}]}} "
            f"ins({', '.join(x for x, _, _ in inputs)} : {', '.join(types)}) "
            f"outs({init} : {out[1]}) {{\n^bb0({arguments}):\n"
            + "\n".join(body)
            + f"\n}} -> {out[1]}"
        )
        if name is None:
            return self.op(text)
        self.lines.append(f"{name} = {text}")
        return name

    def products(self) -> list[str]:
        """A multiply-add of %a and %b."""
        if self.dtype == "f32":
            return [
                "%p = arith.mulf %a, %b : f32",
                "%s = arith.addf %o, %p : f32",
                "linalg.yield %s : f32",
            ]
        return [
            f"%x = arith.extf %a : {self.dtype} to f32",
            f"%y = arith.extf %b : {self.dtype} to f32",
            "%p = arith.mulf %x, %y : f32",
            "%s = arith.addf %o, %p : f32",
            "linalg.yield %s : f32",
        ]

    def scores(self, q: Value, k: Value) -> str:
        """The products of queries and keys."""
        return self.generic(
            [("$i0", "(b, q, d)", q.type), ("$i1", "(b, k, d)", k.type)],
            (FULL, self.full),
            self.products(),
            self.filled(self.full, "0.0"),
            "(b, q, k, d)",
        )

    def mask(self, rng: random.Random, scores: str) -> str:
        """A scale, and perhaps keys that some queries do not see."""
        body = [
            "%c = arith.constant 0.5 : f32",
            "%x = arith.mulf %a, %c : f32",
        ]
        kind = rng.choice(["none", "choose", "choose", "add"])
        low = rng.choice(["0xFF800000", "0xFF7FFFFF", "-1.0e+09"])
        if kind == "none":
            body.append("linalg.yield %x : f32")
        else:
            order = rng.choice(["sgt", "sge", "slt", "sle"])
            body += [
                "%i = linalg.index 1 : index",
                "%j = linalg.index 2 : index",
                f"%t = arith.constant {rng.choice([-3, 0, 2, 9])} : index",
                "%l = arith.addi %i, %t : index",
                f"%h = arith.cmpi {order}, %j, %l : index",
                f"%n = arith.constant {low} : f32",
                "%z = arith.constant 0.0 : f32",
            ]
            body += (
                ["%y = arith.select %h, %n, %x : f32"]
                if kind == "choose"
                else [
                    "%m = arith.select %h, %n, %z : f32",
                    "%y = arith.addf %x, %m : f32",
                ]
            )
            body.append("linalg.yield %y : f32")
        full = (FULL, self.full)
        return self.generic([(scores, *full)], full, body)

    def clamp(self, x: str) -> str:
        """Weights of one place each, not above those of a softmax in sum."""
        full = (FULL, self.full)
        return self.generic(
            [(x, *full)],
            full,
            [
                "%z = arith.constant 0.0 : f32",
                f"%c = arith.constant {1 / self.keys:.9e} : f32",
                "%l = arith.maximumf %a, %z : f32",
                "%s = arith.mulf %l, %c : f32",
                "%r = arith.minimumf %s, %c : f32",
                "linalg.yield %r : f32",
            ],
        )

    def softmax(
        self, rng: random.Random, x: str, form: str
    ) -> tuple[str, str | None]:
        """Weights, and the sums of rows if these are still to be divided by."""
        full, row = (FULL, self.full), (ROW, self.row)
        maximum = rng.choice(["maximumf", "maxnumf"])
        if form == "safe":
            maximum = "maximumf"
        m = self.generic(
            [(x, *full)],
            row,
            [f"%r = arith.{maximum} %a, %o : f32", "linalg.yield %r : f32"],
            self.filled(self.row, "0xFF800000"),
        )
        power = rng.choice(["exp", "exp2"])
        e = self.generic(
            [(x, *full), (m, *row)],
            full,
            [
                "%d = arith.subf %a, %b : f32",
                f"%r = math.{power} %d : f32",
                "linalg.yield %r : f32",
            ],
        )
        total = self.generic(
            [(e, *full)],
            row,
            ["%r = arith.addf %a, %o : f32", "linalg.yield %r : f32"],
            self.filled(self.row, "0.0"),
        )
        if form == "last":
            return e, total
        w = self.generic(
            [(e, *full), (total, *row)],
            full,
            ["%r = arith.divf %a, %b : f32", "linalg.yield %r : f32"],
        )
        return (self.safe(x, w) if form == "safe" else w), None

    def safe(self, x: str, w: str) -> str:
        """Zeros for rows in which all are -inf."""
        bits_ = self.full.replace("xf32>", "xi1>")
        flags = self.row.replace("xf32>", "xi1>")
        hidden = self.generic(
            [(x, FULL, self.full)],
            (FULL, bits_),
            [
                "%n = arith.constant 0xFF800000 : f32",
                "%r = arith.cmpf oeq, %a, %n : f32",
                "linalg.yield %r : i1",
            ],
        )
        every = self.generic(
            [(hidden, FULL, bits_)],
            (ROW, flags),
            ["%r = arith.andi %a, %o : i1", "linalg.yield %r : i1"],
            self.filled(flags, "1"),
        )
        return self.generic(
            [(w, FULL, self.full), (every, ROW, flags)],
            (FULL, self.full),
            [
                "%z = arith.constant 0.0 : f32",
                "%r = arith.select %b, %z, %a : f32",
                "linalg.yield %r : f32",
            ],
        )

    def values(
        self, w: str, total: str | None, v: Value, result: Value
    ) -> None:
        """The last operator gives the node's result, `$r`."""
        narrow = self.full.replace("xf32>", f"x{self.dtype}>")
        if self.dtype != "f32":
            w = self.generic(
                [(w, FULL, self.full)],
                (FULL, narrow),
                [
                    f"%r = arith.truncf %a : f32 to {self.dtype}",
                    f"linalg.yield %r : {self.dtype}",
                ],
            )
        wide = result.type.replace(f"x{self.dtype}>", "xf32>")
        y = self.generic(
            [(w, FULL, narrow), ("$i2", "(b, k, d)", v.type)],
            ("(b, q, d)", wide),
            self.products(),
            self.filled(wide, "0.0"),
            "(b, q, d, k)",
        )
        inputs = [(y, FULL, wide)]
        body, last = [], "%a"
        if total is not None:
            inputs.append((total, ROW, self.row))
            body, last = ["%w = arith.divf %a, %b : f32"], "%w"
        if self.dtype != "f32":
            body.append(f"%r = arith.truncf {last} : f32 to {self.dtype}")
            last = "%r"
        body.append(f"linalg.yield {last} : {self.dtype}")
        self.generic(inputs, (FULL, result.type), body, name="$r")
