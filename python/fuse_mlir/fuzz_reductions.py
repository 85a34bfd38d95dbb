"""Random reductions."""

from __future__ import annotations

import math

from fuse_mlir.fuzz_body import Body, Scalar, scalar_of
from fuse_mlir.fuzz_choices import Choices, Shape, indented, iterators, product
from fuse_mlir.fuzz_graph import (
    CLOSE,
    EXACT,
    ROUGH,
    Node,
    Value,
    affine,
    bits,
    is_float,
    literal,
    type_limit,
)


class Reductions(Choices):
    """Reductions, alone and one behind another."""

    def reduce(self) -> Node | None:
        """A reduction over some dims, with a prologue in its body."""
        rng = self.rng
        x = self.pick()
        shape = x.shape or ()
        rank = len(shape)
        if rank == 0:
            return None
        away = [k for k in range(rank) if rng.random() < 0.5] or [rank - 1]
        kept = [k for k in range(rank) if k not in away]
        if rng.random() < 0.1:
            rng.shuffle(kept)
        count = product(tuple(shape[k] for k in away))
        operands = [(x, affine(rank, [f"d{k}" for k in range(rank)]))]
        if rng.random() < 0.4:
            operands.append(self.operand(shape))
        body = Body(rng)
        for k, (value, _) in enumerate(operands):
            body.values.append(scalar_of(f"%x{k}", value))
        if rng.random() < 0.08:
            self.add_index(body, shape)
        for _ in range(rng.randrange(0, 3)):
            body.step()
        results: list[Value] = []
        inits: list[Value | str] = []
        yielded: list[Scalar] = []
        to = tuple(shape[k] for k in kept)
        for number in range(2 if rng.random() < 0.15 else 1):
            item = body.values[-1] if number == 0 else rng.choice(body.values)
            made = self.combine(body, item, count, number, to)
            if made is None:
                return None
            out, init = made
            yielded.append(out)
            inits.append(init)
            results.append(
                Value(out.dtype, to, out.level, out.bound, out.special)
            )
        return self.reduction_node(
            shape, kept, away, operands, inits, body, yielded, results
        )

    def combine(
        self, body: Body, item: Scalar, count: int, number: int, to: Shape
    ) -> tuple[Scalar, Value | str] | None:
        """Accumulates an item; returns the new value and the initial one."""
        rng = self.rng
        acc = f"%o{number}"
        if is_float(item.dtype):
            return self.combine_floats(body, item, count, acc, to)
        dtype = item.dtype
        limit = type_limit(dtype)
        if dtype == "i1":
            name, init = rng.choice([("andi", 1), ("ori", 0), ("xori", 0)])
        else:
            name, init = rng.choice(
                [
                    ("addi", 0),
                    ("addi", 5),
                    ("muli", 1),
                    ("andi", -1),
                    ("ori", 0),
                    ("xori", 0),
                    ("maxsi", -int(limit)),
                    ("minsi", int(limit) - 1),
                    ("maxsi", 0),
                    ("maxui", 0),
                ]
            )
        code = f"arith.{name} {acc}, {item.name} : {dtype}"
        out = body.emit(code, dtype, EXACT, limit)
        if rng.random() < 0.1:
            return out, self.pick_shape(to, dtype)
        return out, literal(init, dtype)

    def combine_floats(
        self, body: Body, item: Scalar, count: int, acc: str, to: Shape
    ) -> tuple[Scalar, Value | str] | None:
        """A sum, a product, or the largest or smallest float."""
        rng = self.rng
        kind = rng.choice(["sum", "sum", "sum", "max", "min", "prod"])
        dtype, level = item.dtype, item.level
        init: float = 0.0
        if kind in ("max", "min"):
            name = {
                "max": rng.choice(["maximumf", "maxnumf"]),
                "min": rng.choice(["minimumf", "minnumf"]),
            }[kind]
            init = -math.inf if kind == "max" else math.inf
            if rng.random() < 0.2:
                init = rng.choice([0.0, 1.0, -1.0])
            bound = max(item.bound, 2.0)
            out = body.emit(
                f"arith.{name} {acc}, {item.name} : {dtype}",
                dtype,
                level,
                bound,
                item.special,
            )
            return out, literal(init, dtype)
        if level == ROUGH:
            return None
        if bits(dtype) == 16:
            item = body.emit(
                f"arith.extf {item.name} : {dtype} to f32",
                "f32",
                level,
                item.bound,
                item.special,
            )
            dtype = "f32"
        if kind == "prod":
            # Of more factors the smallest denormal remains in one order, and
            # zero in another.
            if item.special or (dtype == "f32" and count > 64):
                return None
            small = body.op("math.tanh", [item], 1.0, CLOSE)
            if bits(dtype) == 32 and rng.random() < 0.5 and item.level == 0:
                small = item
                if item.bound ** min(count, 64) > 1e4:
                    return None
            out = body.emit(
                f"arith.mulf {acc}, {small.name} : {dtype}",
                dtype,
                CLOSE,
                max(1.0, small.bound ** min(count, 64)),
                False,
            )
            return out, literal(1.0, dtype)
        if item.bound * count > 64:
            scale = 2.0 ** -math.ceil(math.log2(item.bound * count / 8))
            item = body.op(
                "arith.mulf",
                [item, body.constant(scale, dtype)],
                item.bound * scale,
            )
        bound = item.bound * count + 2
        out = body.emit(
            f"arith.addf {acc}, {item.name} : {dtype}",
            dtype,
            CLOSE,
            bound,
            item.special,
        )
        if rng.random() < 0.15:
            start = self.pick_shape(to, dtype)
            if start.level == ROUGH or start.bound > 64:
                return None
            out.bound += start.bound
            out.special = out.special or start.special
            return out, start
        return out, literal(rng.choice([0.0, 0.0, 0.0, 1.5]), dtype)

    def reduction_node(
        self,
        shape: Shape,
        kept: list[int],
        away: list[int],
        operands: list[tuple[Value, str]],
        inits: list[Value | str],
        body: Body,
        yielded: list[Scalar],
        results: list[Value],
    ) -> Node:
        """The text of a reduction."""
        rank = len(shape)
        head, names = "", []
        inputs = [v for v, _ in operands]
        for k, (init, result) in enumerate(zip(inits, results, strict=True)):
            if isinstance(init, Value):
                names.append(f"$i{len(inputs)}")
                inputs.append(init)
                continue
            head += (
                f"$u_c{k} = arith.constant {init}"
                + ("" if result.dtype == "i1" else f" : {result.dtype}")
                + f"\n$u_e{k} = tensor.empty() : {result.type}\n"
                f"$u_f{k} = linalg.fill ins($u_c{k} : {result.dtype}) "
                f"outs($u_e{k} : {result.type}) -> {result.type}\n"
            )
            names.append(f"$u_f{k}")
        maps = [text for _, text in operands]
        maps += [affine(rank, [f"d{k}" for k in kept])] * len(results)
        kinds = ["reduction" if k in away else "parallel" for k in range(rank)]
        types = ", ".join(r.type for r in results)
        block = [f"%x{k}: {v.dtype}" for k, (v, _) in enumerate(operands)]
        block += [f"%o{k}: {r.dtype}" for k, r in enumerate(results)]
        many = len(results) > 1
        text = (
            head
            + "$r = linalg.generic {\n"
            + f"    indexing_maps = [{', '.join(maps)}],\n"
            + f"    iterator_types = {iterators(kinds)}}}\n"
            + f"    ins({', '.join(f'$i{k}' for k in range(len(operands)))}"
            + f" : {', '.join(v.type for v, _ in operands)})\n"
            + f"    outs({', '.join(names)} : {types}) {{\n"
            + f"  ^bb0({', '.join(block)}):\n"
            + indented(body.lines)
            + f"    linalg.yield {', '.join(y.name for y in yielded)}"
            + f" : {', '.join(y.dtype for y in yielded)}\n"
            + f"}} -> {f'({types})' if many else types}"
        )
        return Node(text, inputs, results)

    def argmax(self) -> Node | None:
        """The position of the first largest (or smallest) element."""
        rng = self.rng
        x = self.pick(exact=True)
        shape = x.shape or ()
        rank = len(shape)
        if rank == 0 or x.dtype == "i1":
            return None
        dim = rng.randrange(rank)
        kept = [k for k in range(rank) if k != dim]
        to = tuple(shape[k] for k in kept)
        floats = is_float(x.dtype)
        dtype = rng.choice(["i32", "i64"])
        least = -math.inf if floats else -type_limit(x.dtype)
        compare = (
            "arith.cmpf " + rng.choice(["ogt", "oge", "ugt", "uge"])
            if floats
            else "arith.cmpi " + rng.choice(["sgt", "sge"])
        )
        body = Body(rng)
        body.lines = [
            f"%k = linalg.index {dim} : index",
            f"%n = arith.index_cast %k : index to {dtype}",
            f"%f = {compare}, %x0, %o0 : {x.dtype}",
            f"%m = arith.select %f, %x0, %o0 : {x.dtype}",
            f"%p = arith.select %f, %n, %o1 : {dtype}",
        ]
        if rng.random() < 0.3:
            # The comparison that keeps what there is.
            keeps = "arith.cmpf oge" if floats else "arith.cmpi sge"
            body.lines[2] = f"%f = {keeps}, %o0, %x0 : {x.dtype}"
            body.lines[3] = f"%m = arith.select %f, %o0, %x0 : {x.dtype}"
            body.lines[4] = f"%p = arith.select %f, %o1, %n : {dtype}"
        elif rng.random() < 0.3:
            largest = "arith.maximumf" if floats else "arith.maxsi"
            body.lines[3] = f"%m = {largest} %x0, %o0 : {x.dtype}"
        best = Value(x.dtype, to, EXACT, max(x.bound, 2.0), x.special)
        place = Value(dtype, to, EXACT, shape[dim])
        yielded = [
            Scalar("%m", x.dtype, 0, 0, False),
            Scalar("%p", dtype, 0, 0, False),
        ]
        names = [f"d{k}" for k in range(rank)]
        return self.reduction_node(
            shape,
            kept,
            [dim],
            [(x, affine(rank, names))],
            [literal(least, x.dtype), "0"],
            body,
            yielded,
            [best, place],
        )

    def cascade(self) -> Node | None:
        """A softmax."""
        rng = self.rng
        x = self.pick(floats=True)
        shape = x.shape or ()
        if not shape or x.special or x.level == ROUGH:
            return None
        dim = rng.randrange(len(shape))
        level = ROUGH if bits(x.dtype) == 16 else CLOSE
        if bits(x.dtype) == 16 and shape[dim] > 8:
            return None
        text = (
            f"$u_e = tensor.empty() : {x.type}\n"
            f"$r = linalg.softmax dimension({dim}) ins($i0 : {x.type}) "
            f"outs($u_e : {x.type}) -> {x.type}"
        )
        return Node(text, [x], [Value(x.dtype, shape, level, 1.0)])
