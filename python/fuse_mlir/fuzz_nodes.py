"""The random operators of `fuse_mlir.fuzz`, one method for each kind."""

from __future__ import annotations

import math
import random

from fuse_mlir.fuzz_graph import (
    CLOSE,
    EXACT,
    FLOATS,
    INTS,
    MAX_ELEMENTS,
    ROUGH,
    SIZES,
    Body,
    Graph,
    Node,
    Scalar,
    Value,
    affine,
    bits,
    is_float,
    literal,
    scalar_of,
    tensor_type,
    type_limit,
)

Shape = tuple[int, ...]


def product(shape: Shape) -> int:
    """The number of elements."""
    return math.prod(shape)


def iterators(kinds: list[str]) -> str:
    """The iterator types of an operator."""
    return "[" + ", ".join(f'"{kind}"' for kind in kinds) + "]"


def indented(lines: list[str]) -> str:
    """The lines of a region."""
    return "".join(f"    {line}\n" for line in lines)


class Generator:
    """Grows a graph by random operators."""

    def __init__(self, rng: random.Random, ops: int) -> None:
        self.rng = rng
        self.graph = Graph()
        self.pool: list[Value] = []
        # Most graphs are of one element type and have a few shapes.
        self.main_type = rng.choices(
            ["f32", "f16", "bf16", "f64", "i32", "i64", "i8"],
            [60, 12, 8, 6, 8, 4, 2],
        )[0]
        self.base = self.fresh_shape(rng.choices([1, 2, 3, 4], [2, 8, 5, 2])[0])
        while len(self.graph.nodes) < ops:
            self.grow()
        self.choose_outputs()

    def grow(self) -> None:
        """Appends one operator."""
        kinds = {
            self.elementwise: 30,
            self.reduce: 14,
            self.cascade: 5,
            self.argmax: 3,
            self.transpose: 5,
            self.reshape: 6,
            self.slice: 5,
            self.insert: 3,
            self.pad: 4,
            self.concat: 4,
            self.gather: 3,
            self.contract: 6,
            self.convolve: 2,
            self.pool2d: 1,
            self.broadcast: 4,
            self.constant: 2,
            self.from_scalar: 2,
            self.named: 6,
            self.tensor_arith: 6,
        }
        maker = self.rng.choices(list(kinds), list(kinds.values()))[0]
        node = maker()
        if node is None:
            return
        self.graph.nodes.append(node)
        self.pool += [r for r in node.results if r.shape is not None]

    def choose_outputs(self) -> None:
        """Returns what nothing uses, and now and then something more."""
        used = {id(v) for node in self.graph.nodes for v in node.inputs}
        made = [
            r
            for node in self.graph.nodes
            for r in node.results
            if r.shape is not None
        ]
        leaves = [v for v in made if id(v) not in used]
        self.rng.shuffle(leaves)
        outputs = leaves[: self.rng.choice([1, 2, 3, 5, 8])]
        for value in made:
            if id(value) in used and self.rng.random() < 0.1:
                outputs.append(value)
        self.graph.outputs = outputs
        self.graph = self.graph.prune()

    # Choices ------------------------------------------------------------

    def fresh_shape(self, rank: int) -> Shape:
        """A shape of a bounded number of elements."""
        while True:
            shape = tuple(self.rng.choice(SIZES) for _ in range(rank))
            if product(shape) <= MAX_ELEMENTS:
                return shape

    def argument(self, shape: Shape, dtype: str) -> Value:
        """A new function argument."""
        value = Value(dtype, shape)
        if is_float(dtype):
            style = self.rng.random()
            if style < 0.3:
                value.draw = {"kind": "ints", "lo": -2, "hi": 3}
            elif style < 0.4:
                value.draw = {
                    "kind": "choice",
                    "values": [0.0, -0.0, 1.0, -1.0, 0.5, 2.0],
                }
        elif dtype != "i1":
            value.bound = float(self.rng.choice([1, 3, 20]))
            if self.rng.random() < 0.15:
                limit = int(type_limit(dtype))
                value.bound = float(limit)
                value.draw = {
                    "kind": "choice",
                    "values": [
                        0,
                        1,
                        -1,
                        min(limit - 1, 2**52),
                        max(-limit, -(2**52)),
                        7,
                    ],
                }
        return value

    def any_type(self) -> str:
        """An element type, most often that of the graph."""
        if self.rng.random() < 0.75:
            return self.main_type
        return self.rng.choice(FLOATS + INTS)

    def pick(
        self,
        rank: int | None = None,
        dtype: str | None = None,
        floats: bool = False,
        exact: bool = False,
    ) -> Value:
        """A value of the graph, or a new argument."""
        fits = [
            v
            for v in self.pool
            if (rank is None or len(v.shape or ()) == rank)
            and (dtype is None or v.dtype == dtype)
            and (not floats or is_float(v.dtype))
            and (not exact or v.level == EXACT)
        ]
        if fits and self.rng.random() < 0.85:
            # Later values more often: deep graphs.
            return fits[-1 - int(len(fits) * self.rng.random() ** 2)]
        dtype = dtype or self.any_type()
        if floats and not is_float(dtype):
            dtype = "f32"
        shape = self.base
        if rank is not None and rank != len(shape):
            shape = self.fresh_shape(rank)
        value = self.argument(shape, dtype)
        self.pool.append(value)
        return value

    def pick_shape(self, shape: Shape, dtype: str | None = None) -> Value:
        """A value of exactly this shape."""
        fits = [
            v
            for v in self.pool
            if v.shape == shape and dtype in (None, v.dtype)
        ]
        if fits and self.rng.random() < 0.8:
            return self.rng.choice(fits)
        value = self.argument(shape, dtype or self.any_type())
        self.pool.append(value)
        return value

    def operand(self, shape: Shape) -> tuple[Value, str]:
        """A value that is read in a loop nest of `shape`, and its map."""
        rng, rank = self.rng, len(shape)
        style = rng.random()
        if style < 0.5 or rank == 0:
            names = [f"d{k}" for k in range(rank)]
            return self.pick_shape(shape), affine(rank, names)
        # One from the pool that fits by a projection, if there is one.
        for value in rng.sample(self.pool, min(len(self.pool), 6)):
            found = self.project(value.shape or (), shape)
            if found is not None:
                return value, affine(rank, found)
        order = list(range(rank))
        if style > 0.85:
            rng.shuffle(order)
        kept = [k for k in order if rng.random() < 0.6]
        names = [f"d{k}" for k in kept]
        sizes = [shape[k] for k in kept]
        if rng.random() < 0.3:
            at = rng.randrange(len(names) + 1)
            names.insert(at, "0")
            sizes.insert(at, rng.choice([1, 1, 2]))
        return self.pick_shape(tuple(sizes)), affine(rank, names)

    def project(self, from_: Shape, to: Shape) -> list[str] | None:
        """Reads `from_` with the indices of `to`; unit dims at 0."""
        names: list[str] = []
        at = 0
        if len(from_) > len(to):
            return None
        for size in from_:
            if size == 1 and self.rng.random() < 0.7:
                names.append("0")
                continue
            while at < len(to) and to[at] != size:
                at += 1
            if at == len(to):
                return None
            names.append(f"d{at}")
            at += 1
        return names

    # Element-wise ---------------------------------------------------------

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

    # Reductions -----------------------------------------------------------

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
            if item.special:
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
        if rank == 0 or x.special or x.dtype == "i1":
            return None
        dim = rng.randrange(rank)
        kept = [k for k in range(rank) if k != dim]
        to = tuple(shape[k] for k in kept)
        floats = is_float(x.dtype)
        dtype = rng.choice(["i32", "i64"])
        least = -math.inf if floats else -type_limit(x.dtype)
        compare = (
            "arith.cmpf " + rng.choice(["ogt", "oge"])
            if floats
            else "arith.cmpi sgt"
        )
        body = Body(rng)
        body.lines = [
            f"%k = linalg.index {dim} : index",
            f"%n = arith.index_cast %k : index to {dtype}",
            f"%f = {compare}, %x0, %o0 : {x.dtype}",
            f"%m = arith.select %f, %x0, %o0 : {x.dtype}",
            f"%p = arith.select %f, %n, %o1 : {dtype}",
        ]
        best = Value(x.dtype, to, EXACT, max(x.bound, 2.0))
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

    # Movement -------------------------------------------------------------

    def moved(self, x: Value, shape: Shape) -> Value:
        """The same elements in another shape."""
        return Value(x.dtype, shape, x.level, x.bound, x.special)

    def transpose(self) -> Node | None:
        """A linalg.transpose."""
        x = self.pick()
        shape = x.shape or ()
        order = list(range(len(shape)))
        self.rng.shuffle(order)
        result = self.moved(x, tuple(shape[k] for k in order))
        text = (
            f"$u_e = tensor.empty() : {result.type}\n"
            f"$r = linalg.transpose ins($i0 : {x.type}) "
            f"outs($u_e : {result.type}) permutation = {order}"
        )
        return Node(text, [x], [result]) if shape else None

    def broadcast(self) -> Node | None:
        """A linalg.broadcast."""
        rng = self.rng
        x = self.pick()
        shape = list(x.shape or ())
        places = []
        for _ in range(rng.randrange(1, 3)):
            at = rng.randrange(len(shape) + 1)
            places = [p + (p >= at) for p in places] + [at]
            shape.insert(at, rng.choice([1, 2, 3, 7, 32]))
        if product(tuple(shape)) > MAX_ELEMENTS or len(shape) > 5:
            return None
        result = self.moved(x, tuple(shape))
        text = (
            f"$u_e = tensor.empty() : {result.type}\n"
            f"$r = linalg.broadcast ins($i0 : {x.type}) "
            f"outs($u_e : {result.type}) dimensions = {sorted(places)}"
        )
        return Node(text, [x], [result])

    def reshape(self) -> Node | None:
        """A collapse or an expansion of dims."""
        rng = self.rng
        x = self.pick()
        shape = x.shape or ()
        rank = len(shape)
        if rank == 0:
            ones = tuple([1] * rng.randrange(1, 3))
            result = self.moved(x, ones)
            text = (
                f"$r = tensor.expand_shape $i0 [] output_shape "
                f"{list(ones)} : {x.type} into {result.type}"
            )
            return Node(text, [x], [result])
        if rank > 1 and rng.random() < 0.5:
            at = rng.randrange(rank - 1)
            groups = [[k] for k in range(at)] + [[at, at + 1]]
            groups += [[k] for k in range(at + 2, rank)]
            to = tuple(product(tuple(shape[k] for k in g)) for g in groups)
            result = self.moved(x, to)
            text = (
                f"$r = tensor.collapse_shape $i0 {groups} : "
                f"{x.type} into {result.type}"
            )
            return Node(text, [x], [result])
        at = rng.randrange(rank)
        factors = [d for d in range(1, shape[at] + 1) if shape[at] % d == 0]
        first = rng.choice(factors)
        parts = [first, shape[at] // first]
        groups = [[k] for k in range(at)] + [[at, at + 1]]
        groups += [[k + 1] for k in range(at + 1, rank)]
        to = shape[:at] + tuple(parts) + shape[at + 1 :]
        result = self.moved(x, to)
        text = (
            f"$r = tensor.expand_shape $i0 {groups} output_shape "
            f"{list(to)} : {x.type} into {result.type}"
        )
        return Node(text, [x], [result]) if rank < 5 else None

    def window(self, shape: Shape) -> tuple[list[int], list[int], list[int]]:
        """Offsets, sizes and strides of a random slice."""
        offsets, sizes, strides = [], [], []
        for size in shape:
            if self.rng.random() < 0.4:
                offsets.append(0)
                sizes.append(size)
                strides.append(1)
                continue
            # Upstream's bufferization, which the reference goes through,
            # mistakes dropped unit dims of other strides.
            stride = self.rng.choice([1, 1, 2, 3]) if size > 1 else 1
            offset = self.rng.randrange(size)
            most = (size - 1 - offset) // stride + 1
            offsets.append(offset)
            sizes.append(self.rng.randrange(1, most + 1))
            strides.append(stride if sizes[-1] > 1 else 1)
        return offsets, sizes, strides

    def slice(self) -> Node | None:
        """A tensor.extract_slice; unit dims may be dropped."""
        x = self.pick()
        shape = x.shape or ()
        if not shape:
            return None
        offsets, sizes, strides = self.window(shape)
        to = tuple(sizes)
        if self.rng.random() < 0.4:
            to = tuple(s for s in sizes if s != 1 or self.rng.random() < 0.3)
        result = self.moved(x, to)
        text = (
            f"$r = tensor.extract_slice $i0{offsets} {sizes} {strides} "
            f": {x.type} to {result.type}"
        )
        return Node(text, [x], [result])

    def insert(self) -> Node | None:
        """A tensor.insert_slice."""
        y = self.pick()
        shape = y.shape or ()
        if not shape:
            return None
        offsets, sizes, strides = self.window(shape)
        x = self.pick_shape(tuple(sizes), y.dtype)
        result = Value(
            y.dtype,
            shape,
            max(x.level, y.level),
            max(x.bound, y.bound),
            x.special or y.special,
        )
        text = (
            f"$r = tensor.insert_slice $i0 into $i1{offsets} {sizes} "
            f"{strides} : {x.type} into {y.type}"
        )
        return Node(text, [x, y], [result])

    def pad(self) -> Node | None:
        """A tensor.pad by a constant or by something of the index."""
        rng = self.rng
        x = self.pick()
        shape = x.shape or ()
        if not shape:
            return None
        low = [rng.choice([0, 0, 1, 2]) for _ in shape]
        high = [rng.choice([0, 0, 1, 3]) for _ in shape]
        to = tuple(a + s + b for a, s, b in zip(low, shape, high, strict=True))
        if product(to) > MAX_ELEMENTS:
            return None
        result = self.moved(x, to)
        value = rng.choice([0, 1, -1]) if x.dtype != "i1" else 1
        if is_float(x.dtype) and rng.random() < 0.15:
            value = rng.choice([-math.inf, math.nan])
            result.special = True
        suffix = "" if x.dtype == "i1" else f" : {x.dtype}"
        lines = [f"%c = arith.constant {literal(value, x.dtype)}{suffix}"]
        if bits(x.dtype) >= 32 and not is_float(x.dtype):
            lines = [
                f"%c = arith.index_cast %p{len(shape) - 1} : index to {x.dtype}"
            ]
            result.bound = max(result.bound, 110.0)
        block = ", ".join(f"%p{k}: index" for k in range(len(shape)))
        text = (
            f"$r = tensor.pad $i0 low{low} high{high} {{\n"
            f"  ^bb0({block}):\n"
            + indented(lines)
            + f"    tensor.yield %c : {x.dtype}\n"
            f"}} : {x.type} to {result.type}"
        )
        result.bound = max(result.bound, 1.0)
        return Node(text, [x], [result])

    def concat(self) -> Node | None:
        """A tensor.concat of two or three values."""
        rng = self.rng
        x = self.pick()
        shape = x.shape or ()
        if not shape:
            return None
        dim = rng.randrange(len(shape))
        parts = [x]
        for _ in range(rng.randrange(1, 3)):
            other = list(shape)
            if rng.random() < 0.5:
                other[dim] = rng.choice([1, 2, 3, 7])
            parts.append(self.pick_shape(tuple(other), x.dtype))
        size = sum((p.shape or ())[dim] for p in parts)
        to = (*shape[:dim], size, *shape[dim + 1 :])
        if product(to) > MAX_ELEMENTS:
            return None
        result = Value(
            x.dtype,
            to,
            max(p.level for p in parts),
            max(p.bound for p in parts),
            any(p.special for p in parts),
        )
        names = ", ".join(f"$i{k}" for k in range(len(parts)))
        text = (
            f"$r = tensor.concat dim({dim}) {names} : "
            f"({', '.join(p.type for p in parts)}) -> {result.type}"
        )
        return Node(text, parts, [result])

    def gather(self) -> Node | None:
        """Rows of a table by an index tensor."""
        rng = self.rng
        table = self.pick()
        shape = table.shape or ()
        if not 1 <= len(shape) <= 3:
            return None
        dtype = rng.choice(["i32", "i64"])
        index = self.pick(rank=rng.choice([1, 2]), dtype=dtype)
        to = (index.shape or ()) + shape[1:]
        if product(to) > MAX_ELEMENTS or len(to) > 4:
            return None
        rank, lead = len(to), len(index.shape or ())
        result = self.moved(table, to)
        inner = ", ".join(["%row"] + [f"%d{k}" for k in range(lead, rank)])
        lines = [
            f"%c = arith.constant {shape[0]} : {dtype}",
            f"%m = arith.remui %x0, %c : {dtype}",
            f"%row = arith.index_cast %m : {dtype} to index",
            *[f"%d{k} = linalg.index {k} : index" for k in range(lead, rank)],
            f"%e = tensor.extract $i1[{inner}] : {table.type}",
        ]
        maps = (
            affine(rank, [f"d{k}" for k in range(lead)]),
            affine(rank, [f"d{k}" for k in range(rank)]),
        )
        text = (
            f"$u_e = tensor.empty() : {result.type}\n"
            "$r = linalg.generic {\n"
            f"    indexing_maps = [{', '.join(maps)}],\n"
            f"    iterator_types = {iterators(['parallel'] * rank)}}}\n"
            f"    ins($i0 : {index.type}) outs($u_e : {result.type}) {{\n"
            f"  ^bb0(%x0: {dtype}, %o0: {table.dtype}):\n"
            + indented(lines)
            + f"    linalg.yield %e : {table.dtype}\n}} -> {result.type}"
        )
        return Node(text, [index, table], [result])

    # Constants and scalars --------------------------------------------------

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

    # Contractions -----------------------------------------------------------

    def contract(self) -> Node | None:
        """A matrix product; operands and result may be transposed."""
        rng = self.rng
        x = self.pick(rank=rng.choice([2, 2, 3]))
        shape = x.shape or ()
        if x.level == ROUGH or x.dtype == "i1" or x.special:
            return None
        dtype = x.dtype
        out = "f32" if bits(dtype) == 16 else "i32" if dtype == "i8" else dtype
        batch = shape[:-2]
        rows, depth = shape[-2:]
        columns = rng.choice([1, 2, 3, 7, 16, 33])
        lead = [f"d{k}" for k in range(len(batch))]
        rank = len(batch) + 3
        m, n, k = (f"d{len(batch) + j}" for j in range(3))
        flip_b, flip_c = rng.random() < 0.4, rng.random() < 0.15
        y_tail = (columns, depth) if flip_b else (depth, columns)
        y = self.pick_shape(batch + y_tail, dtype)
        if y.level == ROUGH or y.special:
            return None
        to = batch + ((columns, rows) if flip_c else (rows, columns))
        if product(batch) * rows * columns * depth > 40000:
            return None
        maps = [
            affine(rank, [*lead, m, k]),
            affine(rank, [*lead, n, k] if flip_b else [*lead, k, n]),
            affine(rank, [*lead, n, m] if flip_c else [*lead, m, n]),
        ]
        bound = max(1.0, x.bound * y.bound * depth)
        body = Body(rng)
        if is_float(dtype):
            if bits(dtype) == 16:
                body.lines = [
                    f"%p = arith.extf %x0 : {dtype} to f32",
                    f"%q = arith.extf %x1 : {dtype} to f32",
                    "%t = arith.mulf %p, %q : f32",
                ]
            else:
                body.lines = [f"%t = arith.mulf %x0, %x1 : {dtype}"]
            body.lines.append(f"%s = arith.addf %o0, %t : {out}")
            if bound > 2000:
                return None
        else:
            convert = dtype == "i8"
            body.lines = (
                [
                    f"%p = arith.extsi %x0 : {dtype} to {out}",
                    f"%q = arith.extsi %x1 : {dtype} to {out}",
                    f"%t = arith.muli %p, %q : {out}",
                ]
                if convert
                else [f"%t = arith.muli %x0, %x1 : {dtype}"]
            )
            body.lines.append(f"%s = arith.addi %o0, %t : {out}")
            bound = type_limit(out)
        result = Value(out, to, CLOSE if is_float(out) else EXACT, bound)
        plain = len(batch) < 2 and not flip_b and not flip_c
        if plain and rng.random() < 0.6:
            name = "matmul" if not batch else "batch_matmul"
            text = (
                f"$u_z = arith.constant {literal(0, out)} : {out}\n"
                f"$u_e = tensor.empty() : {result.type}\n"
                f"$u_f = linalg.fill ins($u_z : {out}) outs($u_e : "
                f"{result.type}) -> {result.type}\n"
                f"$r = linalg.{name} ins($i0, $i1 : {x.type}, {y.type}) "
                f"outs($u_f : {result.type}) -> {result.type}"
            )
            return Node(text, [x, y], [result])
        loops = (*batch, rows, columns, depth)
        kept = [
            int(d[1:]) for d in ([*lead, n, m] if flip_c else [*lead, m, n])
        ]
        return self.reduction_node(
            loops,
            kept,
            [rank - 1],
            [(x, maps[0]), (y, maps[1])],
            [literal(0, out)],
            body,
            [Scalar("%s", out, 0, 0, False)],
            [result],
        )

    def convolve(self) -> Node | None:
        """A small 2-d convolution."""
        rng = self.rng
        n, c, f = rng.choice([1, 2]), rng.choice([1, 2, 3]), rng.choice([1, 4])
        h, w, kernel = (
            rng.choice([5, 8]),
            rng.choice([6, 9]),
            rng.choice([1, 2, 3]),
        )
        stride = rng.choice([1, 1, 2])
        oh, ow = (h - kernel) // stride + 1, (w - kernel) // stride + 1
        kind = rng.choice(["nchw_fchw", "nhwc_hwcf", "depthwise"])
        if kind == "nchw_fchw":
            shapes = ((n, c, h, w), (f, c, kernel, kernel), (n, f, oh, ow))
            name = "conv_2d_nchw_fchw"
        elif kind == "nhwc_hwcf":
            shapes = ((n, h, w, c), (kernel, kernel, c, f), (n, oh, ow, f))
            name = "conv_2d_nhwc_hwcf"
        else:
            shapes = ((n, h, w, c), (kernel, kernel, c), (n, oh, ow, c))
            name = "depthwise_conv_2d_nhwc_hwc"
        x = self.pick_shape(shapes[0], "f32")
        y = self.pick_shape(shapes[1], "f32")
        bound = max(1.0, x.bound * y.bound * kernel * kernel * c)
        if x.special or y.special or bound > 2000:
            return None
        return self.windowed(name, x, y, shapes[2], stride, bound, 0.0)

    def pool2d(self) -> Node | None:
        """A pooling of a small image."""
        rng = self.rng
        kind = rng.choice(["max", "min", "sum"])
        kernel, stride = rng.choice([2, 3]), rng.choice([1, 2])
        h, w, c = rng.choice([5, 8]), rng.choice([6, 9]), rng.choice([1, 3])
        x = self.pick_shape((1, h, w, c), "f32")
        window = Value("f32", (kernel, kernel))
        to = (1, (h - kernel) // stride + 1, (w - kernel) // stride + 1, c)
        init = {"max": -math.inf, "min": math.inf, "sum": 0.0}[kind]
        bound = x.bound * (kernel * kernel if kind == "sum" else 1)
        if bound > 1000:
            return None
        node = self.windowed(
            f"pooling_nhwc_{kind}", x, window, to, stride, bound, init
        )
        node.text = (
            "$u_w = tensor.empty() : "
            + window.type
            + "\n"
            + (node.text.replace("$i1", "$u_w"))
        )
        node.inputs = [x]
        node.results[0].level = x.level if kind != "sum" else CLOSE
        node.results[0].special = x.special
        return node

    def windowed(
        self,
        name: str,
        x: Value,
        y: Value,
        to: Shape,
        stride: int,
        bound: float,
        init: float,
    ) -> Node:
        """The text of an operator with a window."""
        result = Value("f32", to, CLOSE, max(bound, 1e-3))
        text = (
            f"$u_z = arith.constant {literal(init, 'f32')} : f32\n"
            f"$u_e = tensor.empty() : {result.type}\n"
            f"$u_f = linalg.fill ins($u_z : f32) outs($u_e : {result.type}) "
            f"-> {result.type}\n"
            f"$r = linalg.{name} {{strides = dense<{stride}> : "
            "vector<2xi64>, dilations = dense<1> : vector<2xi64>}\n"
            f"    ins($i0, $i1 : {x.type}, {y.type}) "
            f"outs($u_f : {result.type}) -> {result.type}"
        )
        return Node(text, [x, y], [result])
