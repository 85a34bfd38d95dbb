"""Random operators that move elements."""

from __future__ import annotations

import math

from fuse_mlir.fuzz_choices import Choices, Shape, indented, iterators, product
from fuse_mlir.fuzz_graph import (
    EXACT,
    MAX_ELEMENTS,
    Node,
    Value,
    affine,
    bits,
    is_float,
    literal,
    tensor_type,
)


def identity(rank: int) -> str:
    """The identity map of `rank` loops."""
    return affine(rank, [f"d{k}" for k in range(rank)])


class Movement(Choices):
    """Operators that move elements."""

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
        if shape[at] == 0:
            return None
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
        if not shape or 0 in shape:
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
        if not shape or 0 in shape:
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
        # Upstream's lowering, which the reference goes through, refuses
        # tensors without elements.
        if not shape or 0 in shape:
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

    def store_narrow(self) -> Node | None:
        """Exact floats, stored as 8-bit floats and read again."""
        x = self.pick()
        if not is_float(x.dtype) or not x.shape or x.level != EXACT:
            return None
        narrow = self.rng.choice(["f8E4M3FN", "f8E5M2"])
        result = self.moved(x, x.shape)
        # 448 is the largest f8E4M3FN.
        result.special = result.special or x.bound > 400
        result.bound = 1.2 * x.bound
        rank = len(x.shape)
        stored = tensor_type(x.shape, narrow)
        lines = []
        for name, source, op, from_type, to_type, element in [
            ("$u_n", "$i0", "truncf", x.type, stored, (x.dtype, narrow)),
            ("$r", "$u_n", "extf", stored, x.type, (narrow, x.dtype)),
        ]:
            lines += [
                f"{name}e = tensor.empty() : {to_type}".replace("$r", "$u_r"),
                f"{name} = linalg.generic {{",
                f"    indexing_maps = [{', '.join([identity(rank)] * 2)}],",
                f"    iterator_types = {iterators(['parallel'] * rank)}}}",
                f"    ins({source} : {from_type}) outs("
                + f"{name}e : {to_type}) {{".replace("$r", "$u_r"),
                f"  ^bb0(%a: {element[0]}, %o: {element[1]}):",
                f"    %c = arith.{op} %a : {element[0]} to {element[1]}",
                f"    linalg.yield %c : {element[1]}",
                f"}} -> {to_type}",
            ]
        return Node("\n".join(lines), [x], [result])

    def gather(self) -> Node | None:
        """Rows of a table by an index tensor."""
        rng = self.rng
        table = self.pick()
        shape = table.shape or ()
        if not 1 <= len(shape) <= 3 or shape[0] == 0:
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
