"""Random element-wise operators, constants and scalars."""

from __future__ import annotations

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
    tensor_type,
    type_limit,
)


class Elementwise(Choices):
    """Operators that compute each element on its own."""

    def elementwise(self) -> Node | None:
        """A linalg.generic over some operands, with broadcasts."""
        rng = self.rng
        shape = self.pick().shape or ()
        rank = len(shape)
        operands = [self.operand(shape) for _ in range(rng.randrange(1, 4))]
        if rng.random() < 0.05:
            operands = []
        body = Body(rng)
        for k, (value, _) in enumerate(operands):
            body.values.append(scalar_of(f"%x{k}", value))
        if rank and (rng.random() < 0.1 or not operands):
            self.add_index(body, shape)
        captured = []
        if rng.random() < 0.1:
            scalar = Value(self.main_type, None)
            captured = [scalar]
            body.values.append(scalar_of(f"$i{len(operands)}", scalar))
        if not body.values:
            return None
        for _ in range(rng.randrange(1, 5)):
            body.step()
        if not body.lines:
            return None
        outs = [body.finish()]
        if rng.random() < 0.12:
            outs.append(rng.choice(body.values))
        return self.generic(shape, operands, captured, body, outs)

    def generic(
        self,
        shape: Shape,
        operands: list[tuple[Value, str]],
        captured: list[Value],
        body: Body,
        outs: list[Scalar],
    ) -> Node:
        """An element-wise linalg.generic; results may be transposed."""
        rank = len(shape)
        maps = [text for _, text in operands]
        types, empties, args, results = [], [], [], []
        for k, out in enumerate(outs):
            order = list(range(rank))
            if self.rng.random() < 0.1:
                self.rng.shuffle(order)
            maps.append(affine(rank, [f"d{d}" for d in order]))
            to = tuple(shape[d] for d in order)
            type_ = tensor_type(to, out.dtype)
            empties.append(f"$u_e{k} = tensor.empty() : {type_}\n")
            types.append(type_)
            args.append(f"%o{k}: {out.dtype}")
            results.append(
                Value(
                    out.dtype, to, out.level, max(out.bound, 1e-3), out.special
                )
            )
        ins = ", ".join(f"$i{k}" for k in range(len(operands)))
        in_types = ", ".join(v.type for v, _ in operands)
        ins_text = f"    ins({ins} : {in_types})\n" if operands else ""
        block = [f"%x{k}: {v.dtype}" for k, (v, _) in enumerate(operands)]
        yielded = ", ".join(o.name for o in outs)
        yield_types = ", ".join(o.dtype for o in outs)
        text = (
            "".join(empties)
            + "$r = linalg.generic {\n"
            + f"    indexing_maps = [{', '.join(maps)}],\n"
            + f"    iterator_types = {iterators(['parallel'] * rank)}}}\n"
            + ins_text
            + "    outs("
            + ", ".join(f"$u_e{k}" for k in range(len(outs)))
            + f" : {', '.join(types)}) {{\n"
            + f"  ^bb0({', '.join(block + args)}):\n"
            + indented(body.lines)
            + f"    linalg.yield {yielded} : {yield_types}\n"
            + f"}} -> {'(' if len(outs) > 1 else ''}{', '.join(types)}"
            + (")" if len(outs) > 1 else "")
        )
        return Node(text, [v for v, _ in operands] + captured, results)

    def add_index(self, body: Body, shape: Shape) -> None:
        """The loop index as a value of the body."""
        dim = self.rng.randrange(len(shape))
        dtype = self.rng.choice(["i32", "i64"])
        name = f"%b{len(body.lines)}"
        body.lines.append(f"{name} = linalg.index {dim} : index")
        body.emit(
            f"arith.index_cast {name} : index to {dtype}",
            dtype,
            EXACT,
            shape[dim],
        )

    def named(self) -> Node | None:
        """A named element-wise operator or linalg.map."""
        rng = self.rng
        x = self.pick()
        shape, dtype = x.shape or (), x.dtype
        y = self.pick_shape(shape, dtype)
        level = max(x.level, y.level)
        if dtype == "i1" or level == ROUGH:
            return None
        if level == CLOSE and bits(dtype) == 16:
            level = ROUGH
        special = x.special or y.special
        names = ["add", "sub", "max", "min"]
        name = rng.choice(names)
        if name in ("add", "sub"):
            bound = x.bound + y.bound
        else:
            bound = max(x.bound, y.bound)
        if is_float(dtype) and bound > 200:
            return None
        if not is_float(dtype):
            bound = min(bound, type_limit(dtype))
        head = f"$u_e = tensor.empty() : {x.type}\n"
        if rng.random() < 0.5:
            text = (
                f"$r = linalg.{name} ins($i0, $i1 : {x.type}, {y.type}) "
                f"outs($u_e : {x.type}) -> {x.type}"
            )
        else:
            op = {
                "add": "addf",
                "sub": "subf",
                "max": "maximumf",
                "min": "minimumf",
            }[name]
            if not is_float(dtype):
                op = {
                    "add": "addi",
                    "sub": "subi",
                    "max": "maxsi",
                    "min": "minsi",
                }[name]
            text = (
                f"$r = linalg.map {{ arith.{op} }} ins($i0, $i1 : "
                f"{x.type}, {y.type}) outs($u_e : {x.type})"
            )
        return Node(
            head + text, [x, y], [Value(dtype, shape, level, bound, special)]
        )

    def tensor_arith(self) -> Node | None:
        """Arithmetic on whole tensors without a linalg operator."""
        rng = self.rng
        x = self.pick()
        shape = x.shape or ()
        if x.level == ROUGH:
            return None
        body = Body(rng)
        body.values.append(scalar_of("$i0", x))
        y = self.pick_shape(shape, x.dtype)
        if y.level == ROUGH:
            return None
        body.values.append(scalar_of("$i1", y))
        for _ in range(rng.randrange(1, 3)):
            body.step()
        if not body.lines:
            return None
        out = body.finish()
        last = int(out.name[2:]) if out.name.startswith("%b") else -1
        if last != len(body.lines) - 1:
            return None
        text = "\n".join(self.lift(line, shape) for line in body.lines)
        text = text.replace(f"%b{last} =", "$r =").replace("%b", "$u_b")
        return Node(
            text,
            [x, y],
            [
                Value(
                    out.dtype,
                    shape,
                    out.level,
                    max(out.bound, 1e-3),
                    out.special,
                )
            ],
        )

    def lift(self, line: str, shape: Shape) -> str:
        """The same operation on tensors."""
        head, _, type_text = line.rpartition(" : ")
        if "arith.constant" in line:
            name, _, value = (head or line).partition(" = arith.constant ")
            dtype = type_text if head else "i1"
            return (
                f"{name} = arith.constant dense<{value}> : "
                f"{tensor_type(shape, dtype)}"
            )
        parts = [tensor_type(shape, t) for t in type_text.split(" to ")]
        if "arith.select" in line:
            parts.insert(0, tensor_type(shape, "i1"))
            return f"{head} : {', '.join(parts)}"
        return f"{head} : {' to '.join(parts)}"

    def constant(self) -> Node | None:
        """A dense constant: small, a splat, or one that is an input."""
        rng = self.rng
        dtype = self.any_type()
        shape = self.fresh_shape(rng.randrange(0, 3))
        while product(shape) > 200:
            shape = self.fresh_shape(rng.randrange(0, 3))

        def one() -> str:
            if is_float(dtype):
                return f"{rng.randrange(-16, 17) / 8:.6e}"
            if dtype == "i1":
                return rng.choice(["true", "false"])
            return str(rng.randrange(-9, 10))

        def nest(rest: Shape) -> str:
            if not rest:
                return one()
            items = ", ".join(nest(rest[1:]) for _ in range(rest[0]))
            return f"[{items}]"

        text = one() if rng.random() < 0.3 else nest(shape)
        bound = 2.0 if is_float(dtype) else 9.0
        result = Value(dtype, shape, EXACT, bound)
        return Node(
            f"$r = arith.constant dense<{text}> : {result.type}", [], [result]
        )

    def from_scalar(self) -> Node | None:
        """A tensor of a scalar that comes from another tensor."""
        rng = self.rng
        x = self.pick()
        shape = x.shape or ()
        if 0 in shape:
            return None
        place = [rng.randrange(size) for size in shape]
        lines = [
            f"$u_c{k} = arith.constant {at} : index"
            for k, at in enumerate(place)
        ]
        names = ", ".join(f"$u_c{k}" for k in range(len(place)))
        lines.append(f"$u_s = tensor.extract $i0[{names}] : {x.type}")
        to = self.base if rng.random() < 0.5 else ()
        result = self.moved(x, to)
        kind = rng.choice(["splat", "fill", "elements"])
        if kind == "elements":
            result = self.moved(x, (2,))
            lines.append(
                "$r = tensor.from_elements $u_s, $u_s : " + result.type
            )
        elif kind == "splat":
            lines.append(f"$r = tensor.splat $u_s : {result.type}")
        else:
            lines.append(f"$u_e = tensor.empty() : {result.type}")
            lines.append(
                f"$r = linalg.fill ins($u_s : {x.dtype}) "
                f"outs($u_e : {result.type}) -> {result.type}"
            )
        return Node("\n".join(lines), [x], [result])
