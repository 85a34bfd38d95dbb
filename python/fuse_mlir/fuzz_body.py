"""Scalar bodies of random operators, for `fuse_mlir.fuzz`."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

from fuse_mlir.fuzz_graph import (
    CLOSE,
    EXACT,
    FLOATS,
    INTS,
    ROUGH,
    Value,
    bits,
    is_float,
    literal,
    type_limit,
)


@dataclass
class Scalar:
    """A scalar within the body of an operator."""

    name: str
    dtype: str
    level: int
    bound: float
    special: bool


def scalar_of(name: str, value: Value) -> Scalar:
    """An element of a tensor."""
    return Scalar(name, value.dtype, value.level, value.bound, value.special)


class Body:
    """Scalar code of random operations whose results can be compared."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.lines: list[str] = []
        self.values: list[Scalar] = []

    def emit(
        self,
        code: str,
        dtype: str,
        level: int,
        bound: float,
        special: bool = False,
    ) -> Scalar:
        """Appends `%name = code`."""
        name = f"%b{len(self.lines)}"
        self.lines.append(f"{name} = {code}")
        if not is_float(dtype):
            limit = type_limit(dtype)
            bound = bound if bound <= limit else limit
            level, special = EXACT, False
        result = Scalar(name, dtype, level, bound, special)
        self.values.append(result)
        return result

    def constant(self, value: float, dtype: str) -> Scalar:
        """A constant; not among the values to choose from."""
        name = f"%b{len(self.lines)}"
        text = literal(value, dtype)
        suffix = "" if dtype == "i1" else f" : {dtype}"
        self.lines.append(f"{name} = arith.constant {text}{suffix}")
        special = math.isnan(value) or math.isinf(value)
        bound = 2.0 if special else abs(value)
        return Scalar(name, dtype, EXACT, bound, special)

    def op(
        self,
        name: str,
        args: list[Scalar],
        bound: float,
        level: int | None = None,
    ) -> Scalar:
        """An operation on scalars of one type."""
        most = max(a.level for a in args) if level is None else level
        special = any(a.special for a in args)
        names = ", ".join(a.name for a in args)
        dtype = args[0].dtype
        return self.emit(
            f"{name} {names} : {dtype}", dtype, most, bound, special
        )

    # Random steps ---------------------------------------------------------

    def step(self) -> None:
        """Appends one random operation on what is there."""
        x = self.rng.choice(self.values)
        if is_float(x.dtype):
            self.float_step(x)
        elif x.dtype == "i1":
            self.bool_step(x)
        else:
            self.int_step(x)

    def partner(self, x: Scalar, rough: bool = False) -> Scalar:
        """Another scalar of the type, or a constant."""
        same = [
            v
            for v in self.values
            if v.dtype == x.dtype and (rough or v.level < ROUGH)
        ]
        if same and self.rng.random() < 0.7:
            return self.rng.choice(same)
        if is_float(x.dtype):
            choices = [0.5, 2.0, -1.5, 0.0, 1.0, 0.25]
        elif x.dtype == "i1":
            choices = [0, 1]
        else:
            choices = [0, 1, -1, 3, 7, -5, 100]
        return self.constant(self.rng.choice(choices), x.dtype)

    def float_step(self, x: Scalar) -> None:
        """One operation on floats."""
        rng = self.rng
        if x.level == ROUGH:
            name = rng.choice(["arith.negf", "math.absf", "max", "half"])
            if name == "half":
                self.op("arith.mulf", [x, self.constant(0.5, x.dtype)], x.bound)
            elif name == "max":
                y = self.partner(x, rough=True)
                self.op(
                    rng.choice(["arith.maximumf", "arith.minimumf"]),
                    [x, y],
                    max(x.bound, y.bound),
                )
            else:
                self.op(name, [x], x.bound)
            return
        kinds = ["binary"] * 6 + ["extreme"] * 2 + ["unary"] * 2
        if not x.special:
            kinds += ["smooth"] * 3 + ["quotient", "fma"]
            kinds += ["integer"] if x.level == EXACT else []
        if x.level == EXACT:
            kinds += ["compare", "compare", "round", "inject"]
        kinds += ["convert"] * 2
        getattr(self, "float_" + rng.choice(kinds))(x)

    def float_binary(self, x: Scalar) -> None:
        """A sum, a difference or a product."""
        name = self.rng.choice(["arith.addf", "arith.subf", "arith.mulf"])
        y = self.partner(x)
        product = name == "arith.mulf"
        bound = x.bound * y.bound if product else x.bound + y.bound
        level = max(x.level, y.level)
        # Rounding of close values to few digits makes them rough.
        if level == CLOSE and bits(x.dtype) == 16:
            level = ROUGH
        if bound > (200 if bits(x.dtype) == 16 else 2000):
            self.op("arith.minimumf", [x, y], max(x.bound, y.bound))
            return
        self.op(name, [x, y], bound, level)

    def float_extreme(self, x: Scalar) -> None:
        """The larger or smaller of two."""
        y = self.partner(x)
        names = [
            "arith.maximumf",
            "arith.minimumf",
            "arith.maxnumf",
            "arith.minnumf",
        ]
        self.op(self.rng.choice(names), [x, y], max(x.bound, y.bound))

    def float_unary(self, x: Scalar) -> None:
        """An exact function."""
        self.op(self.rng.choice(["arith.negf", "math.absf"]), [x], x.bound)

    def float_round(self, x: Scalar) -> None:
        """Rounding to an integer in the type."""
        names = [
            "math.floor",
            "math.ceil",
            "math.roundeven",
            "math.round",
            "math.trunc",
        ]
        self.op(self.rng.choice(names), [x], x.bound + 1)

    def float_smooth(self, x: Scalar) -> None:
        """An elementary function of a tame argument."""
        rng = self.rng
        level = ROUGH if bits(x.dtype) == 16 else CLOSE
        name = rng.choice(
            [
                "tanh",
                "exp",
                "sqrt",
                "log",
                "rsqrt",
                "erf",
                "sin",
                "cos",
                "sigmoid",
            ]
        )
        if name in ("sqrt", "log", "rsqrt"):
            y = self.op("math.absf", [x], x.bound)
            y = self.op(
                "arith.addf", [y, self.constant(0.5, x.dtype)], x.bound + 0.5
            )
            self.op("math." + name, [y], max(2.0, math.sqrt(y.bound)), level)
        elif x.bound > (20 if name in ("sin", "cos") else 4):
            self.op("math.tanh", [x], 1.0, level)
        elif name == "sigmoid":
            y = self.op("arith.negf", [x], x.bound)
            y = self.op("math.exp", [y], math.exp(x.bound), level)
            if level == CLOSE:
                one = self.constant(1.0, x.dtype)
                y = self.op("arith.addf", [y, one], y.bound + 1, level)
                self.op("arith.divf", [one, y], 1.0, level)
        else:
            bound = math.exp(x.bound) if name == "exp" else 1.0
            self.op("math." + name, [x], bound, level)

    def float_quotient(self, x: Scalar) -> None:
        """A quotient by something that is at least one."""
        y = self.partner(x)
        level = max(x.level, y.level)
        if y.special:
            return
        if level == CLOSE and bits(x.dtype) == 16:
            level = ROUGH
        y = self.op("math.absf", [y], y.bound)
        y = self.op("arith.addf", [y, self.constant(1.0, x.dtype)], y.bound + 1)
        self.op("arith.divf", [x, y], x.bound, level)

    def float_fma(self, x: Scalar) -> None:
        """A fused multiply-add."""
        y, z = self.partner(x), self.partner(x)
        level = max(x.level, y.level, z.level)
        bound = x.bound * y.bound + z.bound
        if bits(x.dtype) == 16 or bound > 2000:
            return
        self.op("math.fma", [x, y, z], bound, level)

    def float_integer(self, x: Scalar) -> None:
        """A conversion to an integer."""
        dtype = self.rng.choice(["i32", "i64", "i16", "i8"])
        if x.bound < 100:
            self.emit(
                f"arith.fptosi {x.name} : {x.dtype} to {dtype}",
                dtype,
                EXACT,
                x.bound,
            )

    def float_inject(self, x: Scalar) -> None:
        """Some special values in place of large ones."""
        if x.special:
            return
        value = self.rng.choice([math.nan, math.inf, -math.inf, -0.0, 1e-3])
        limit = self.constant(x.bound / 2, x.dtype)
        other = self.constant(value, x.dtype)
        flag = self.emit(
            f"arith.cmpf ogt, {x.name}, {limit.name} : {x.dtype}",
            "i1",
            EXACT,
            1,
        )
        self.emit(
            f"arith.select {flag.name}, {other.name}, {x.name} : {x.dtype}",
            x.dtype,
            EXACT,
            x.bound,
            other.special,
        )

    def float_compare(self, x: Scalar) -> None:
        """A comparison, and a choice by it."""
        rng = self.rng
        y = self.partner(x)
        if y.level != EXACT:
            return
        names = [
            "oeq",
            "ogt",
            "oge",
            "olt",
            "ole",
            "one",
            "ord",
            "ueq",
            "ugt",
            "uge",
            "ult",
            "ule",
            "une",
            "uno",
        ]
        flag = self.emit(
            f"arith.cmpf {rng.choice(names)}, {x.name}, {y.name} : {x.dtype}",
            "i1",
            EXACT,
            1,
        )
        self.choose(flag)

    def float_convert(self, x: Scalar) -> None:
        """A conversion to another float type."""
        dtype = self.rng.choice([t for t in FLOATS if t != x.dtype])
        if bits(dtype) > bits(x.dtype):
            # The wider type is compared more strictly.
            if x.level != EXACT:
                return
            self.emit(
                f"arith.extf {x.name} : {x.dtype} to {dtype}",
                dtype,
                x.level,
                x.bound,
                x.special,
            )
        elif bits(dtype) < bits(x.dtype) and x.bound < 6e4:
            level = ROUGH if x.level and bits(dtype) == 16 else x.level
            self.emit(
                f"arith.truncf {x.name} : {x.dtype} to {dtype}",
                dtype,
                level,
                x.bound,
                x.special,
            )

    def choose(self, flag: Scalar) -> None:
        """A choice between two scalars."""
        x = self.rng.choice(self.values)
        y = self.partner(x, rough=True)
        self.emit(
            f"arith.select {flag.name}, {x.name}, {y.name} : {x.dtype}",
            x.dtype,
            max(x.level, y.level),
            max(x.bound, y.bound),
            x.special or y.special,
        )

    def bool_step(self, x: Scalar) -> None:
        """One operation on truth values."""
        kind = self.rng.choice(["logic", "choose", "choose", "widen", "float"])
        if kind == "logic":
            name = self.rng.choice(["arith.andi", "arith.ori", "arith.xori"])
            self.op(name, [x, self.partner(x)], 1)
        elif kind == "choose":
            self.choose(x)
        elif kind == "widen":
            dtype = self.rng.choice(["i32", "i64", "i16", "i8"])
            name = self.rng.choice(["arith.extui", "arith.extsi"])
            self.emit(f"{name} {x.name} : i1 to {dtype}", dtype, EXACT, 1)
        else:
            dtype = self.rng.choice(FLOATS)
            self.emit(f"arith.uitofp {x.name} : i1 to {dtype}", dtype, EXACT, 1)

    def int_step(self, x: Scalar) -> None:
        """One operation on integers."""
        rng = self.rng
        limit = type_limit(x.dtype)
        kind = rng.choice(
            ["binary"] * 4
            + ["shift", "divide", "compare", "convert", "float", "unary"]
        )
        if kind == "binary":
            name = rng.choice(
                [
                    "addi",
                    "subi",
                    "muli",
                    "andi",
                    "ori",
                    "xori",
                    "maxsi",
                    "minsi",
                    "maxui",
                    "minui",
                ]
            )
            self.op("arith." + name, [x, self.partner(x)], limit)
        elif kind == "shift":
            amount = self.constant(rng.randrange(bits(x.dtype)), x.dtype)
            name = rng.choice(["shli", "shrsi", "shrui"])
            self.op("arith." + name, [x, amount], limit)
        elif kind == "divide":
            by = self.constant(rng.choice([2, 3, 7, 16, 100]), x.dtype)
            name = rng.choice(
                ["divsi", "divui", "remsi", "remui", "floordivsi", "ceildivsi"]
            )
            self.op("arith." + name, [x, by], limit)
        elif kind == "compare":
            name = rng.choice(
                [
                    "eq",
                    "ne",
                    "slt",
                    "sle",
                    "sgt",
                    "sge",
                    "ult",
                    "ule",
                    "ugt",
                    "uge",
                ]
            )
            y = self.partner(x)
            self.choose(
                self.emit(
                    f"arith.cmpi {name}, {x.name}, {y.name} : {x.dtype}",
                    "i1",
                    EXACT,
                    1,
                )
            )
        elif kind == "unary":
            self.op(
                rng.choice(["math.absi", "math.ctpop", "math.ctlz"]), [x], limit
            )
        elif kind == "convert":
            self.int_convert(x)
        else:
            self.int_float(x)

    def int_convert(self, x: Scalar) -> None:
        """A conversion to another width."""
        dtype = self.rng.choice([t for t in INTS if t != x.dtype])
        if bits(dtype) < bits(x.dtype):
            self.emit(
                f"arith.trunci {x.name} : {x.dtype} to {dtype}",
                dtype,
                EXACT,
                type_limit(dtype),
            )
        else:
            name = self.rng.choice(["arith.extsi", "arith.extui"])
            self.emit(
                f"{name} {x.name} : {x.dtype} to {dtype}",
                dtype,
                EXACT,
                2 * type_limit(x.dtype),
            )

    def int_float(self, x: Scalar) -> None:
        """A conversion of a small integer to a float."""
        small = self.op("arith.andi", [x, self.constant(31, x.dtype)], 31)
        small = self.op("arith.subi", [small, self.constant(16, x.dtype)], 16)
        dtype = self.rng.choice(FLOATS)
        y = self.emit(
            f"arith.sitofp {small.name} : {x.dtype} to {dtype}",
            dtype,
            EXACT,
            16,
        )
        self.op("arith.mulf", [y, self.constant(0.125, dtype)], 2)

    def finish(self) -> Scalar:
        """The last value, kept tame for what follows."""
        x = self.values[-1]
        if is_float(x.dtype) and x.bound > 64 and x.level < ROUGH:
            scale = 2.0 ** -math.ceil(math.log2(x.bound / 4))
            x = self.op("arith.mulf", [x, self.constant(scale, x.dtype)], 4.0)
        return x
