"""Random convolutions of all ranks and types, and tiled layouts."""

from __future__ import annotations

from dataclasses import dataclass

from fuse_mlir.fuzz_choices import Choices, Shape, product
from fuse_mlir.fuzz_graph import (
    CLOSE,
    EXACT,
    MAX_ELEMENTS,
    ROUGH,
    Node,
    Value,
    is_float,
    literal,
    type_limit,
)


@dataclass
class Form:
    """A named convolution: where images and filters have which dims.

    `n`, `c`, `f` and `g` are batch, channels, filters and groups, `x` the
    image's dims and `k` the filter's.
    """

    name: str
    rank: int
    image: str
    filter: str
    out: str


FORMS = (
    Form("conv_1d_nwc_wcf", 1, "nxc", "kcf", "nxf"),
    Form("conv_1d_ncw_fcw", 1, "ncx", "fck", "nfx"),
    Form("conv_2d_nhwc_fhwc", 2, "nxc", "fkc", "nxf"),
    Form("conv_2d_ngchw_gfchw", 2, "ngcx", "gfck", "ngfx"),
    Form("conv_3d_ndhwc_dhwcf", 3, "nxc", "kcf", "nxf"),
    Form("depthwise_conv_1d_nwc_wc", 1, "nxc", "kc", "nxc"),
    Form("depthwise_conv_2d_nchw_chw", 2, "ncx", "ck", "ncx"),
)
# The element type of the result by that of the operands.
SUMS = {"f32": "f32", "f64": "f64", "f16": "f32", "bf16": "f32", "i8": "i32"}


class Windows(Choices):
    """Convolutions, and layouts of tiles."""

    def convolution(self) -> Node | None:
        """One of `FORMS`, with strides and gaps."""
        rng = self.rng
        form = rng.choice(FORMS)
        dtype = rng.choice(["f32", "f32", "f64", "f16", "bf16", "i8"])
        sizes = {
            "n": (rng.choice([1, 2]),),
            "c": (rng.choice([1, 3, 4]),),
            "f": (rng.choice([1, 2, 5]),),
            "g": (2,),
            "x": tuple(rng.choice([5, 6, 8]) for _ in range(form.rank)),
            "k": tuple(rng.choice([1, 2, 3]) for _ in range(form.rank)),
        }
        stride, gap = rng.choice([1, 1, 2]), rng.choice([1, 1, 2])

        def shape(dims: str) -> Shape:
            return tuple(s for d in dims for s in sizes[d])

        x = self.pick_shape(shape(form.image), dtype)
        y = self.pick_shape(shape(form.filter), dtype)
        terms = product(shape("ck"))
        sizes["x"] = tuple(
            (s - 1 - (k - 1) * gap) // stride + 1
            for s, k in zip(sizes["x"], sizes["k"], strict=True)
        )
        out = SUMS[dtype]
        bound = max(1.0, x.bound * y.bound * terms)
        bad = x.special or y.special or ROUGH in (x.level, y.level)
        if bad or (is_float(dtype) and bound > 2000):
            return None
        if not is_float(dtype):
            bound = type_limit(out)
        level = CLOSE if is_float(dtype) else EXACT
        result = Value(out, shape(form.out), level, bound)
        vector = f"vector<{form.rank}xi64>"
        text = (
            f"$u_z = arith.constant {literal(0, out)} : {out}\n"
            f"$u_e = tensor.empty() : {result.type}\n"
            f"$u_f = linalg.fill ins($u_z : {out}) outs($u_e : {result.type}) "
            f"-> {result.type}\n"
            f"$r = linalg.{form.name} {{strides = dense<{stride}> : {vector}, "
            f"dilations = dense<{gap}> : {vector}}}\n"
            f"    ins($i0, $i1 : {x.type}, {y.type}) "
            f"outs($u_f : {result.type}) -> {result.type}"
        )
        return Node(text, [x, y], [result])

    def pack(self) -> Node | None:
        """A layout of tiles, or the way back from one."""
        rng = self.rng
        x = self.pick(rank=2)
        rows, columns = x.shape or (0, 0)
        # Upstream's lowering of an unpack refuses tensors without elements.
        if not rows * columns:
            return None
        tile = (rng.choice([2, 4]), rng.choice([2, 8]))
        outer = (-(-rows // tile[0]), -(-columns // tile[1]))
        if product(outer) * product(tile) > MAX_ELEMENTS:
            return None
        packed = self.moved(x, outer + tile)
        suffix = "" if x.dtype == "i1" else f" : {x.dtype}"
        tiles = "inner_dims_pos = [0, 1] inner_tiles = "
        text = (
            f"$u_c = arith.constant {literal(0, x.dtype)}{suffix}\n"
            f"$u_e = tensor.empty() : {packed.type}\n"
            f"$u_p = linalg.pack $i0 padding_value($u_c : {x.dtype}) {tiles}"
            f"{list(tile)} into $u_e : {x.type} -> {packed.type}"
        )
        if rng.random() < 0.5:
            return Node(text.replace("$u_p", "$r"), [x], [packed])
        result = self.moved(x, (rows, columns))
        text += (
            f"\n$u_g = tensor.empty() : {result.type}\n"
            f"$r = linalg.unpack $u_p {tiles}{list(tile)} into $u_g : "
            f"{packed.type} -> {result.type}"
        )
        return Node(text, [x], [result])

    def reverse(self) -> Node | None:
        """The elements along one dim, from the last to the first."""
        x = self.pick()
        shape = x.shape or ()
        if not shape:
            return None
        dim, rank = self.rng.randrange(len(shape)), len(shape)
        names = [f"%d{k}" for k in range(rank)]
        lines = [f"{d} = linalg.index {k} : index" for k, d in enumerate(names)]
        lines += [
            f"%c = arith.constant {shape[dim] - 1} : index",
            f"%n = arith.subi %c, %d{dim} : index",
        ]
        names[dim] = "%n"
        lines.append(f"%e = tensor.extract $i0[{', '.join(names)}] : {x.type}")
        result = self.moved(x, shape)
        loops = ", ".join(f"d{k}" for k in range(rank))
        kinds = ", ".join(['"parallel"'] * rank)
        text = (
            f"$u_e = tensor.empty() : {x.type}\n"
            "$r = linalg.generic {\n"
            f"    indexing_maps = [affine_map<({loops}) -> ({loops})>],\n"
            f"    iterator_types = [{kinds}]}}\n"
            f"    outs($u_e : {x.type}) {{\n  ^bb0(%o: {x.dtype}):\n"
            + "".join(f"    {line}\n" for line in lines)
            + f"    linalg.yield %e : {x.dtype}\n}} -> {x.type}"
        )
        return Node(text, [x], [result])
