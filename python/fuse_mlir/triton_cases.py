"""How the kernels of `triton_kernels.py` are launched, and what they compute.

The references are numpy in double precision.
"""

import math

import numpy as np

from fuse_mlir import triton_kernels as kernels

# fuse-emulate's type, Triton's type, numpy's type of the stored bits.
TYPES = {
    "f16": ("fp16", np.float16),
    "bf16": ("bf16", np.uint16),
    "f32": ("fp32", np.float32),
    "f64": ("fp64", np.float64),
    "i8": ("i8", np.int8),
    "i32": ("i32", np.int32),
    "i64": ("i64", np.int64),
    "e4m3": ("fp8e4nv", np.uint8),
    "e5m2": ("fp8e5", np.uint8),
}


def minifloats(exponents, mantissas):
    """The values of all 256 codes; NaN where a code is none."""
    bias = 2 ** (exponents - 1) - 1
    values = []
    for code in range(256):
        e, m = code >> mantissas & 2**exponents - 1, code & 2**mantissas - 1
        v = (
            math.ldexp(1 + m / 2**mantissas, e - bias)
            if e
            else math.ldexp(m / 2**mantissas, 1 - bias)
        )
        if exponents == 4 and code & 127 == 127:
            v = math.nan
        if exponents == 5 and e == 31:
            v = math.nan if m else math.inf
        values.append(-v if code & 128 else v)
    return np.array(values)


MINI = {"e4m3": minifloats(4, 3), "e5m2": minifloats(5, 2)}


def encode(kind, values):
    """Values as `kind` stores them, rounded to the nearest."""
    if kind == "bf16":
        bits = np.asarray(values, np.float32).view(np.uint32).astype(np.uint64)
        return (bits + 0x7FFF + (bits >> 16 & 1) >> 16).astype(np.uint16)
    if kind in MINI:
        table = np.where(np.isfinite(MINI[kind]), MINI[kind], 1e30)
        flat = np.asarray(values, np.float64).reshape(-1, 1)
        return (
            np.abs(flat - table)
            .argmin(1)
            .astype(np.uint8)
            .reshape(np.shape(values))
        )
    return np.asarray(values).astype(TYPES[kind][1])


def decode(kind, stored):
    if kind == "bf16":
        return (stored.astype(np.uint32) << 16).view(np.float32).astype(float)
    return MINI[kind][stored] if kind in MINI else stored.astype(np.float64)


class Buffer:
    """An argument in memory: what it holds before, and what it must after.

    None: not looked at. Else |got - want| <= tolerance * (1 + |want|).
    """

    def __init__(self, kind, values, want=None, tolerance=0.0):
        self.kind, self.stored = kind, encode(kind, values)
        self.want, self.tolerance = want, tolerance

    def values(self):
        """What it holds before, decoded."""
        return decode(self.kind, self.stored)


def output(kind, want, tolerance=0.0):
    return Buffer(kind, np.zeros(np.shape(want)), np.asarray(want), tolerance)


class Case:
    """One launch.

    `args` are Buffers, ints and floats in order; `constants` the compile-time
    arguments; `options` those of the compiler.
    """

    def __init__(
        self,
        name,
        kernel,
        args,
        constants,
        grid,
        since=80,
        until=1000,
        **options,
    ):
        self.name, self.kernel, self.args = name, kernel, args
        self.constants, self.grid = constants, grid
        self.since, self.until, self.options = since, until, options

    def signature(self):
        """The types of all arguments by name, as Triton wants them."""
        types = []
        for arg in self.args:
            types.append(
                "*" + TYPES[arg.kind][0]
                if isinstance(arg, Buffer)
                else "fp32"
                if isinstance(arg, float)
                else "i32"
            )
        names = self.kernel.arg_names
        signature = dict(zip(names, types, strict=False))
        signature.update({name: "constexpr" for name in self.constants})
        return signature


def random(shape, seed=1, scale=2.0):
    return np.random.default_rng(seed).uniform(-scale, scale, shape)


def rounded(kind, values):
    return decode(kind, encode(kind, values))


def elementwise_cases():
    n, x, y = 3000, random(3000, 1), random(3000, 2)
    a, b = rounded("f32", x), rounded("f32", y)
    yield Case(
        "add",
        kernels.add,
        [Buffer("f32", x), Buffer("f32", y), output("f32", a + b), n],
        {"B": 512},
        [6],
    )
    ha, hb = rounded("bf16", x), rounded("bf16", y)
    yield Case(
        "add_bf16",
        kernels.add,
        [Buffer("bf16", x), Buffer("bf16", y), output("bf16", ha + hb), n],
        {"B": 1024},
        [3],
    )
    with np.errstate(over="ignore"):
        want = (
            np.exp(a)
            + np.sin(a) * np.cos(a)
            + np.log(np.abs(a) + 1)
            + np.sqrt(np.abs(a))
            + 1 / np.sqrt(a * a + 1)
            + np.array([math.erf(v) for v in a])
            + np.floor(np.float32(a) * np.float32(3)).astype(float)
            + 1 / (1 + np.exp(-a))
            + a * a
            + 0.5
        )
    yield Case(
        "functions",
        kernels.functions,
        [Buffer("f32", x), output("f32", want, 2e-5), n],
        {"B": 256},
        [12],
    )
    yield Case(
        "dropout",
        kernels.dropout,
        [Buffer("f32", x), output("f32", dropout_want(a, 0.3, 77)), 0.3, 77, n],
        {"B": 512},
        [6],
    )
    yield Case(
        "conversions",
        kernels.conversions,
        [
            Buffer("f32", x * 30),
            output("f16", rounded("f32", x * 30)),
            output("bf16", rounded("f32", x * 30)),
            output("e5m2", rounded("f32", x * 30)),
            output("i32", np.trunc(rounded("f32", x * 30))),
            output(
                "f32",
                rounded("bf16", rounded("f32", x * 30))
                + rounded("f32", x * 30),
            ),
            n,
        ],
        {"B": 256},
        [12],
        since=89,
    )


def philox(seed, counters):
    """Philox 4x32-10, the first word, as tl.rand uses it."""
    mask = np.uint64(0xFFFFFFFF)
    c = [
        counters.astype(np.uint64),
        np.zeros_like(counters, np.uint64),
        np.zeros_like(counters, np.uint64),
        np.zeros_like(counters, np.uint64),
    ]
    k0, k1 = np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32)
    m0, m1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
    for _ in range(10):
        high0, low0 = m0 * c[0] >> np.uint64(32), m0 * c[0] & mask
        high1, low1 = m1 * c[2] >> np.uint64(32), m1 * c[2] & mask
        c = [high1 ^ c[1] ^ k0, low1, high0 ^ c[3] ^ k1, low0]
        k0, k1 = (
            k0 + np.uint64(0x9E3779B9) & mask,
            k1 + np.uint64(0xBB67AE85) & mask,
        )
    return c[0].astype(np.uint32)


def dropout_want(x, p, seed):
    bits = philox(seed, np.arange(x.size)).view(np.int32).astype(np.int64)
    bits = np.where(bits < 0, -bits - 1, bits)
    uniform = np.float32(bits) * np.float32(4.6566127342e-10)
    kept = np.float32(x) / np.float32(np.float32(1) - np.float32(p))
    return np.where(uniform > np.float32(p), kept, 0).astype(float)


def row_cases():
    x = random((37, 700), 3, 6)
    for kind, tolerance in (("f32", 1e-6), ("f16", 1e-3), ("bf16", 8e-3)):
        v = rounded(kind, x)
        e = np.exp(v - v.max(1, keepdims=True))
        yield Case(
            f"softmax_{kind}",
            kernels.softmax,
            [
                Buffer(kind, x),
                output(kind, e / e.sum(1, keepdims=True), tolerance),
                700,
                700,
            ],
            {"B": 1024},
            [37],
        )
    yield from layernorm_cases(rounded("f32", x))
    c = rounded("f32", random((5, 500), 4))
    h = np.zeros_like(c)
    for k in range(c.shape[1]):
        h[:, k] = c[:, k] + (0.5 * h[:, k - 1] if k else 0)
    yield Case(
        "scans",
        kernels.scans,
        [
            Buffer("f32", c),
            output("f32", c.cumsum(1), 3e-6),
            output("f32", h, 3e-6),
            500,
        ],
        {"B": 512},
        [5],
    )
    s = rounded("f32", random((4, 256), 5))
    yield Case(
        "sort",
        kernels.sort,
        [Buffer("f32", s), output("f32", np.sort(s))],
        {"B": 256, "DESCENDING": False},
        [4],
    )
    i = np.random.default_rng(6).integers(-1000, 1000, (3, 128))
    yield Case(
        "sort_descending",
        kernels.sort,
        [Buffer("i32", i), output("i32", -np.sort(-i))],
        {"B": 128, "DESCENDING": True},
        [3],
    )
    r = rounded("f32", random((64, 128), 7))
    yield Case(
        "reductions",
        kernels.reductions,
        [
            Buffer("f32", r),
            output(
                "f32", np.concatenate([r.sum(0), r.max(1), [r.sum()]]), 2e-5
            ),
            output("i32", np.concatenate([r.argmax(1), r.argmin(0)])),
        ],
        {"M": 64, "N": 128},
        [1],
    )
    t = random((70, 90), 8)
    yield Case(
        "transpose",
        kernels.transpose,
        [Buffer("f32", t), output("f32", rounded("f32", t).T), 70, 90],
        {"BM": 32, "BN": 32},
        [3, 3],
    )


def layernorm_cases(x):
    rows, cols, groups = x.shape[0], x.shape[1], 4
    w, b, g = (
        rounded("f32", random(s, k))
        for k, s in ((11, cols), (12, cols), (13, x.shape))
    )
    mean, var = x.mean(1), x.var(1)
    rstd = 1 / np.sqrt(var + np.float32(1e-5))
    hat = (x - mean[:, None]) * rstd[:, None]
    yield Case(
        "layernorm_forward",
        kernels.layernorm_forward,
        [
            Buffer("f32", x),
            Buffer("f32", w),
            Buffer("f32", b),
            output("f32", hat * w + b, 1e-5),
            output("f32", mean, 1e-6),
            output("f32", rstd, 1e-6),
            cols,
            1e-5,
        ],
        {"B": 1024},
        [rows],
    )
    wg = w * g
    dx = (wg - hat * (hat * wg).mean(1)[:, None] - wg.mean(1)[:, None]) * rstd[
        :, None
    ]
    which = np.arange(rows) % groups
    dw = np.stack([(g * hat)[which == k].sum(0) for k in range(groups)])
    db = np.stack([g[which == k].sum(0) for k in range(groups)])
    yield Case(
        "layernorm_backward",
        kernels.layernorm_backward,
        [
            Buffer("f32", g),
            Buffer("f32", x),
            Buffer("f32", w),
            Buffer("f32", mean),
            Buffer("f32", rstd),
            output("f32", dx, 1e-5),
            output("f32", dw, 1e-5),
            output("f32", db, 1e-5),
            Buffer("i32", np.zeros(groups)),
            cols,
        ],
        {"G": groups, "B": 1024},
        [rows],
    )


def matmul_case(
    name,
    kind,
    out,
    shape,
    tile,
    tolerance,
    *,
    since=80,
    precision="ieee",
    silu=False,
    columns=False,
    **options,
):
    m, n, k = shape
    a, b = random((m, k), 21, 1), random((k, n), 22, 1)
    if kind == "i8":
        a, b = np.round(a * 100), np.round(b * 100)
    want = rounded(kind, a) @ rounded(kind, b)
    if silu:
        want = want / (1 + np.exp(-want))
    stored = b.T.copy() if columns else b
    strides = [k, 1, 1, k] if columns else [k, 1, n, 1]
    grid = [-(-m // tile[0]), -(-n // tile[1])]
    return Case(
        name,
        kernels.matmul,
        [
            Buffer(kind, a),
            Buffer(kind, stored),
            output(out, want, tolerance),
            m,
            n,
            k,
            *strides,
        ],
        dict(
            zip(("BM", "BN", "BK"), tile, strict=True),
            PRECISION=precision,
            SILU=silu,
        ),
        grid,
        since=since,
        **options,
    )


def matmul_cases():
    shape = (100, 72, 96)
    yield matmul_case("matmul_f16", "f16", "f16", shape, (64, 64, 32), 2e-3)
    yield matmul_case(
        "matmul_bf16_silu",
        "bf16",
        "bf16",
        shape,
        (64, 32, 32),
        1e-2,
        silu=True,
        num_stages=2,
    )
    yield matmul_case(
        "matmul_f16_columns",
        "f16",
        "f32",
        shape,
        (64, 64, 32),
        1e-5,
        columns=True,
        num_stages=4,
    )
    yield matmul_case("matmul_f32", "f32", "f32", shape, (32, 32, 16), 1e-5)
    yield matmul_case(
        "matmul_tf32", "f32", "f32", shape, (64, 64, 32), 4e-3, precision="tf32"
    )
    yield matmul_case(
        "matmul_tf32x3",
        "f32",
        "f32",
        shape,
        (64, 64, 32),
        2e-5,
        precision="tf32x3",
    )
    yield matmul_case("matmul_i8", "i8", "i32", shape, (64, 64, 32), 0)
    yield matmul_case(
        "matmul_i8_columns", "i8", "i32", shape, (64, 64, 64), 0, columns=True
    )
    yield matmul_case(
        "matmul_e4m3",
        "e4m3",
        "f32",
        shape,
        (64, 64, 32),
        1e-5,
        since=89,
        columns=True,
    )
    yield matmul_case(
        "matmul_e5m2", "e5m2", "f16", shape, (64, 64, 64), 2e-3, since=89
    )
    yield matmul_case(
        "matmul_8_warps",
        "f16",
        "f16",
        (256, 128, 128),
        (128, 128, 64),
        2e-3,
        num_warps=8,
    )
    yield matmul_case(
        "matmul_cluster",
        "f16",
        "f16",
        (256, 128, 64),
        (128, 128, 32),
        2e-3,
        since=90,
        num_ctas=2,
    )
    m, n, k = 150, 136, 128
    a, b = random((m, k), 23, 1), random((n, k), 24, 1)
    want = rounded("f16", a) @ rounded("f16", b).T
    for name, since, special, options in (
        ("matmul_descriptors", 80, False, {}),
        ("matmul_descriptors_8_warps", 90, False, {"num_warps": 8}),
        ("matmul_warp_specialized", 90, True, {}),
    ):
        yield Case(
            name,
            kernels.matmul_descriptors,
            [
                Buffer("f16", a),
                Buffer("f16", b),
                output("f16", want, 2e-3),
                m,
                n,
                k,
            ],
            {"BM": 64, "BN": 64, "BK": 64, "PROGRAMS": 4, "WS": special},
            [4],
            since=since,
            **options,
        )


def attention_cases():
    heads, length, width = 2, 128, 64
    kind = "f16"
    shape = (heads, length, width)
    q, k, v, do = (rounded(kind, random(shape, 31 + i, 1)) for i in range(4))
    scale = width**-0.5
    for causal in (False, True):
        s = q @ k.transpose(0, 2, 1) * scale
        if causal:
            s = np.where(np.tril(np.ones((length, length), bool)), s, -1e30)
        top = s.max(2, keepdims=True)
        p = np.exp(s - top)
        total = p.sum(2, keepdims=True)
        p /= total
        lse = (top + np.log(total))[..., 0] / np.log(2)
        yield Case(
            "attention" + ("_causal" if causal else ""),
            kernels.attention_forward,
            [
                Buffer(kind, q),
                Buffer(kind, k),
                Buffer(kind, v),
                output(kind, p @ v, 3e-3),
                output("f32", lse, 1e-4),
                length,
                float(scale / np.log(2)),
            ],
            {"D": width, "BM": 64, "BN": 32, "CAUSAL": causal},
            [2, heads],
        )
        if causal:
            continue
        delta = (do * (p @ v)).sum(2)
        ds = p * (do @ v.transpose(0, 2, 1) - delta[..., None]) * scale
        yield Case(
            "attention_backward",
            kernels.attention_backward,
            [
                Buffer(kind, q),
                Buffer(kind, k),
                Buffer(kind, v),
                Buffer(kind, do),
                Buffer("f32", lse),
                Buffer("f32", delta),
                output("f32", ds @ k, 5e-3),
                output("f32", ds.transpose(0, 2, 1) @ q, 5e-3),
                output("f32", p.transpose(0, 2, 1) @ do, 5e-3),
                length,
                float(scale),
                float(scale / np.log(2)),
            ],
            {"D": width, "BM": 32, "BN": 64},
            [2, heads],
        )


def memory_cases():
    generator = np.random.default_rng(41)
    x = generator.integers(0, 64, 3000)
    yield Case(
        "histogram",
        kernels.histogram,
        [Buffer("i32", x), output("i32", np.bincount(x, minlength=64)), 3000],
        {"B": 1024, "BINS": 64},
        [3],
    )
    v, f = generator.integers(0, 100000, 2000), np.arange(2000) % 16
    cells = [v[v % 7 == k] for k in range(7)]
    want = np.concatenate(
        [
            [c.max() for c in cells],
            [min(c.min(), 0) for c in cells],
            [np.bitwise_or.reduce(c) for c in cells],
            [np.bitwise_xor.reduce(c) for c in cells],
        ]
    )
    yield Case(
        "atomics",
        kernels.atomics,
        [
            Buffer("i32", v),
            Buffer("f32", f),
            output("i32", want),
            output("f32", [f[v % 7 == k].sum() for k in range(7)]),
            2000,
        ],
        {"B": 256},
        [8],
    )
    table = rounded("f32", random((50, 100), 42))
    index = generator.integers(0, 50, 20)
    padded = np.zeros((20, 128))
    padded[:, :100] = table[index]
    yield Case(
        "gathers",
        kernels.gathers,
        [
            Buffer("f32", table),
            Buffer("i32", index),
            output("f32", table[index]),
            output("f32", padded[:, np.arange(128) * 37 % 128]),
            100,
        ],
        {"B": 128, "R": 37},
        [20],
    )


def all_cases():
    yield from elementwise_cases()
    yield from row_cases()
    yield from matmul_cases()
    yield from attention_cases()
    yield from memory_cases()
