"""Random parts of programs around operators: calls, loops, branches, updates.

A scatter is a call, too: of a function without a body that says what it is.
"""

from __future__ import annotations

from fuse_mlir.fuzz_body import Body, scalar_of
from fuse_mlir.fuzz_choices import Choices, Shape, indented, iterators, product
from fuse_mlir.fuzz_graph import (
    CLOSE,
    EXACT,
    MAX_ELEMENTS,
    ROUGH,
    Node,
    Value,
    affine,
    bits,
    is_float,
    literal,
    tensor_type,
    type_limit,
)

SCATTER = (
    'attributes {opaque.op = "tm_tensor.scatter", opaque.body = "$body", '
    'opaque.attrs = "{\\22dimension_map\\22: \\22array<i64: 0>\\22}"}'
)


def pointwise(
    names: tuple[str, str], inputs: list[str], shape: Shape, lines: list[str]
) -> str:
    """A linalg.generic on values of one type and shape: f32 or f64 `%x0 …`."""
    result, dtype = names
    rank = len(shape)
    type_ = tensor_type(shape, dtype)
    maps = ", ".join(
        [affine(rank, [f"d{k}" for k in range(rank)])] * (len(inputs) + 1)
    )
    block = ", ".join(
        [f"%x{k}: {dtype}" for k in range(len(inputs))] + [f"%o: {dtype}"]
    )
    return (
        f"{result}e = tensor.empty() : {type_}\n"
        f"{result} = linalg.generic {{\n"
        f"    indexing_maps = [{maps}],\n"
        f"    iterator_types = {iterators(['parallel'] * rank)}}}\n"
        f"    ins({', '.join(inputs)} : {', '.join([type_] * len(inputs))})\n"
        f"    outs({result}e : {type_}) {{\n"
        f"  ^bb0({block}):\n" + indented(lines) + f"}} -> {type_}"
    )


class Programs(Choices):
    """What stands around operators in a program."""

    def tame(self) -> Value | None:
        """A tensor of which sums and functions can be compared."""
        x = self.pick(floats=True)
        if x.special or x.level == ROUGH or bits(x.dtype) == 16 or not x.shape:
            return None
        return x

    def step_lines(self, dtype: str) -> list[str]:
        """`tanh(%x0) / 2 + %x1`."""
        return [
            f"%t = math.tanh %x0 : {dtype}",
            f"%c = arith.constant {literal(0.5, dtype)} : {dtype}",
            f"%h = arith.mulf %t, %c : {dtype}",
            f"%s = arith.addf %h, %x1 : {dtype}",
            f"linalg.yield %s : {dtype}",
        ]

    def loop(self) -> Node | None:
        """A loop that carries a tensor, with an operator on it inside."""
        x = self.tame()
        if x is None:
            return None
        y = self.pick_shape(x.shape or (), x.dtype)
        if y.special or y.level == ROUGH:
            return None
        step = pointwise(
            ("$u_y", x.dtype),
            ["$u_x", "$i1"],
            x.shape or (),
            self.step_lines(x.dtype),
        )
        text = (
            "$u_0 = arith.constant 0 : index\n"
            "$u_1 = arith.constant 1 : index\n"
            f"$u_n = arith.constant {self.rng.choice([0, 1, 2, 3])} : index\n"
            "$r = scf.for $u_i = $u_0 to $u_n step $u_1 "
            f"iter_args($u_x = $i0) -> ({x.type}) {{\n"
            f"{step}\nscf.yield $u_y : {x.type}\n}}"
        )
        bound = max(x.bound, 0.5 + y.bound)
        return Node(text, [x, y], [Value(x.dtype, x.shape, CLOSE, bound)])

    def branch(self) -> Node | None:
        """A branch on an element, with an operator on one side."""
        x = self.tame()
        if x is None:
            return None
        y = self.pick_shape(x.shape or (), x.dtype)
        if y.special or y.level == ROUGH:
            return None
        flag = self.argument((), "i1")
        step = pointwise(
            ("$u_y", x.dtype),
            ["$i0", "$i1"],
            x.shape or (),
            self.step_lines(x.dtype),
        )
        text = (
            "$u_f = tensor.extract $i2[] : tensor<i1>\n"
            f"$r = scf.if $u_f -> ({x.type}) {{\n"
            f"{step}\nscf.yield $u_y : {x.type}\n"
            f"}} else {{\nscf.yield $i1 : {x.type}\n}}"
        )
        bound = max(y.bound, 0.5 + y.bound)
        return Node(text, [x, y, flag], [Value(x.dtype, x.shape, CLOSE, bound)])

    def call(self) -> Node | None:
        """A call of a function of the module; now and then two."""
        x = self.tame()
        if x is None:
            return None
        step = pointwise(
            ("%y", x.dtype),
            ["%x", "%x"],
            x.shape or (),
            self.step_lines(x.dtype),
        )
        declaration = (
            f"func.func private $name(%x: {x.type}) -> {x.type} {{\n"
            f"{step}\nreturn %y : {x.type}\n}}"
        )
        signature = f": ({x.type}) -> {x.type}"
        text = f"$r = func.call $name($i0) {signature}"
        bound = x.bound + 0.5
        if self.rng.random() < 0.4:
            text = (
                f"$u_c = func.call $name($i0) {signature}\n"
                f"$r = func.call $name($u_c) {signature}"
            )
            bound += 0.5
        result = Value(x.dtype, x.shape, CLOSE, bound)
        return Node(text, [x], [result], declaration)

    def update(self) -> Node | None:
        """An operator that starts from what its result's memory holds."""
        rng = self.rng
        start = self.pick()
        shape, dtype = start.shape or (), start.dtype
        if dtype == "i1" or start.level == ROUGH:
            return None
        x, access = self.operand(shape)
        body = Body(rng)
        body.values = [scalar_of("%x0", x), scalar_of("%o0", start)]
        for _ in range(rng.randrange(1, 3)):
            body.step()
        fits = [v for v in body.values if v.dtype == dtype]
        out = fits[-1]
        bound = out.bound
        if is_float(dtype) and bound > 64:
            return None
        rank = len(shape)
        names = [f"d{k}" for k in range(rank)]
        result = Value(dtype, shape, out.level, max(bound, 1e-3), out.special)
        text = (
            "$r = linalg.generic {\n"
            f"    indexing_maps = [{access}, {affine(rank, names)}],\n"
            f"    iterator_types = {iterators(['parallel'] * rank)}}}\n"
            f"    ins($i0 : {x.type}) outs($i1 : {start.type}) {{\n"
            f"  ^bb0(%x0: {x.dtype}, %o0: {dtype}):\n"
            + indented(body.lines)
            + f"    linalg.yield {out.name} : {dtype}\n}} -> {result.type}"
        )
        return Node(text, [x, start], [result])

    def scatter(self) -> Node | None:
        """Rows put, or added, at places that an index tensor tells."""
        rng = self.rng
        x = self.pick()
        shape = x.shape or ()
        if not 1 <= len(shape) <= 2 or 0 in shape or x.level == ROUGH:
            return None
        if x.dtype == "i1":
            return None
        adds = rng.random() < 0.5 and not x.special
        count = rng.choice([1, 3, 16, 40])
        if count * product(shape[1:]) > MAX_ELEMENTS:
            return None
        updates = self.pick_shape((count, 1, *shape[1:]), x.dtype)
        place = Value("i32", (count, 1), bound=float(shape[0]))
        place.draw = {"kind": "ints", "lo": 0, "hi": shape[0]}
        if updates.level == ROUGH or (adds and updates.special):
            return None
        floats = is_float(x.dtype)
        level = max(x.level, updates.level)
        bound = max(x.bound, updates.bound)
        if adds:
            bound = x.bound + count * updates.bound
            if floats and (bound > 200 or bits(x.dtype) == 16):
                return None
            level = CLOSE if floats else EXACT
        if not floats:
            bound = min(bound, type_limit(x.dtype))
        types = f"({updates.type}, {place.type}, {x.type}) -> {x.type}"
        add = f"arith.add{'f' if floats else 'i'},"
        attributes = SCATTER.replace(
            "$body", (add if adds else "") + "tm_tensor.yield"
        )
        result = Value(
            x.dtype, shape, level, bound, x.special or updates.special
        )
        return Node(
            f"$r = func.call $name($i0, $i1, $i2) : {types}",
            [updates, place, x],
            [result],
            f"func.func private $name{types}\n    {attributes}",
        )

    def load_narrow(self) -> Node | None:
        """An argument of 8-bit floats, widened."""
        narrow = self.rng.choice(["f8E4M3FN", "f8E5M2"])
        dtype = self.rng.choice(["f32", "f16", "bf16"])
        shape = self.base
        if not shape:
            return None
        source = Value(narrow, shape)
        source.draw = {
            "kind": "choice",
            "values": [0.0, -0.0, 1.0, -1.5, 0.25, 2.0, 0.0078125],
        }
        rank = len(shape)
        names = [f"d{k}" for k in range(rank)]
        result = Value(dtype, shape, EXACT, 2.0)
        text = (
            f"$u_e = tensor.empty() : {result.type}\n"
            "$r = linalg.generic {\n"
            f"    indexing_maps = [{', '.join([affine(rank, names)] * 2)}],\n"
            f"    iterator_types = {iterators(['parallel'] * rank)}}}\n"
            f"    ins($i0 : {source.type}) outs($u_e : {result.type}) {{\n"
            f"  ^bb0(%x0: {narrow}, %o0: {dtype}):\n"
            f"    %w = arith.extf %x0 : {narrow} to {dtype}\n"
            f"    linalg.yield %w : {dtype}\n}} -> {result.type}"
        )
        return Node(text, [source], [result])
