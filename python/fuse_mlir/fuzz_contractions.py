"""Random contractions and windows."""

from __future__ import annotations

import math

from fuse_mlir.fuzz_body import Body, Scalar
from fuse_mlir.fuzz_choices import Shape, product
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
from fuse_mlir.fuzz_reductions import Reductions


class Contractions(Reductions):
    """Matrix products, convolutions and pooling."""

    def contract(self) -> Node | None:
        """A matrix product; operands and result may be transposed."""
        rng = self.rng
        x = self.pick(rank=rng.choice([2, 2, 3]))
        shape = x.shape or ()
        if x.level == ROUGH or x.dtype == "i1" or x.special:
            return None
        dtype = x.dtype
        narrow = dtype in ("i8", "i16")
        out = "i32" if narrow else "f32" if bits(dtype) == 16 else dtype
        batch = shape[:-2]
        rows, depth = shape[-2:]
        large = self.large and rng.random() < 0.5
        columns = rng.choice([64, 96, 130] if large else [1, 2, 3, 7, 16, 33])
        lead = [f"d{k}" for k in range(len(batch))]
        rank = len(batch) + 3
        m, n, k = (f"d{len(batch) + j}" for j in range(3))
        flip_b, flip_c = rng.random() < 0.4, rng.random() < 0.15
        y_tail = (columns, depth) if flip_b else (depth, columns)
        y = self.pick_shape(batch + y_tail, dtype)
        if y.level == ROUGH or y.special:
            return None
        to = batch + ((columns, rows) if flip_c else (rows, columns))
        most = 400000 if large else 40000
        if product(batch) * rows * columns * depth > most:
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
            convert = narrow
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

    def distances(self) -> Node | None:
        """Sums of differences, or largest sums, of all pairs of rows."""
        rng = self.rng
        x = self.pick(rank=2)
        rows, depth = x.shape or (0, 0)
        others = rng.choice([1, 2, 7, 16, 33])
        if x.dtype == "i1" or x.level == ROUGH or x.special:
            return None
        if bits(x.dtype) < 32 or rows * others * depth > 40000:
            return None
        y = self.pick_shape((others, depth), x.dtype)
        if y.level == ROUGH or y.special:
            return None
        floats = is_float(x.dtype)
        suffix, dtype = ("f" if floats else "i"), x.dtype
        largest = rng.random() < 0.4
        if largest:
            lines = [f"%t = arith.add{suffix} %x0, %x1 : {dtype}"]
            name = "maximumf" if floats else "maxsi"
            lines.append(f"%s = arith.{name} %o0, %t : {dtype}")
            bound = x.bound + y.bound
        else:
            lines = [
                f"%d = arith.sub{suffix} %x0, %x1 : {dtype}",
                f"%t = math.abs{suffix} %d : {dtype}",
                f"%s = arith.add{suffix} %o0, %t : {dtype}",
            ]
            bound = (x.bound + y.bound) * depth
        if floats and bound > 2000:
            return None
        if not floats:
            bound = type_limit(dtype)
        level = max(x.level, y.level)
        if floats and not largest:
            level = CLOSE
        result = Value(dtype, (rows, others), level, max(bound, 2.0))
        body = Body(rng)
        body.lines = lines
        return self.reduction_node(
            (rows, others, depth),
            [0, 1],
            [2],
            [(x, affine(3, ["d0", "d2"])), (y, affine(3, ["d1", "d2"]))],
            [literal(-2.0 if largest else 0, dtype)],
            body,
            [Scalar("%s", dtype, 0, 0, False)],
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
