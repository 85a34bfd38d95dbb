"""Triton kernels whose PTX the emulator is tried on.

Only the device code is here; `check_triton.py` says how each is launched and
what it must compute. Needs Triton, no GPU.
"""

import triton
import triton.language as tl


@triton.jit
def add(x, y, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    mask = i < n
    tl.store(
        o + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask
    )


@triton.jit
def functions(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=1.0)
    r = tl.exp(v) + tl.sin(v) * tl.cos(v) + tl.log(tl.abs(v) + 1)
    r += tl.sqrt(tl.abs(v)) + tl.rsqrt(v * v + 1) + tl.erf(v) + tl.floor(v * 3)
    tl.store(o + i, r + tl.sigmoid(v) + tl.fma(v, v, 0.5), mask=i < n)


@triton.jit
def softmax(x, o, cols, stride, B: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + row * stride + i, mask=i < cols, other=-float("inf")).to(
        tl.float32
    )
    v = tl.exp(v - tl.max(v, axis=0))
    tl.store(o + row * stride + i, v / tl.sum(v, axis=0), mask=i < cols)


@triton.jit
def layernorm_forward(x, w, b, o, mean, rstd, cols, eps, B: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, B)
    mask = i < cols
    v = tl.load(x + row * cols + i, mask=mask, other=0.0).to(tl.float32)
    m = tl.sum(v, axis=0) / cols
    d = tl.where(mask, v - m, 0.0)
    r = 1 / tl.sqrt(tl.sum(d * d, axis=0) / cols + eps)
    tl.store(mean + row, m)
    tl.store(rstd + row, r)
    scale = tl.load(w + i, mask=mask)
    tl.store(
        o + row * cols + i, d * r * scale + tl.load(b + i, mask=mask), mask=mask
    )


@triton.jit
def layernorm_backward(
    dy,
    x,
    w,
    mean,
    rstd,
    dx,
    dw,
    db,
    locks,
    cols,
    G: tl.constexpr,
    B: tl.constexpr,
):
    """Adds dw and db up for G groups of rows, each under a lock."""
    row = tl.program_id(0)
    i = tl.arange(0, B)
    mask = i < cols
    group = row % G
    v = tl.load(x + row * cols + i, mask=mask, other=0.0)
    g = tl.load(dy + row * cols + i, mask=mask, other=0.0)
    scale = tl.load(w + i, mask=mask, other=0.0)
    r = tl.load(rstd + row)
    hat = tl.where(mask, (v - tl.load(mean + row)) * r, 0.0)
    wg = scale * g
    c1 = tl.sum(hat * wg, axis=0) / cols
    c2 = tl.sum(wg, axis=0) / cols
    tl.store(dx + row * cols + i, (wg - (hat * c1 + c2)) * r, mask=mask)
    lock = locks + group
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    at = group * cols + i
    tl.store(dw + at, tl.load(dw + at, mask=mask) + g * hat, mask=mask)
    tl.store(db + at, tl.load(db + at, mask=mask) + g, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def matmul(
    a,
    b,
    c,
    M,
    N,
    K,
    sam,
    sak,
    sbk,
    sbn,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    PRECISION: tl.constexpr,
    SILU: tl.constexpr,
):
    """Products of any type; strides say how a and b lie."""
    pm, pn = tl.program_id(0), tl.program_id(1)
    m = pm * BM + tl.arange(0, BM)
    n = pn * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    pa = a + m[:, None] * sam + k[None, :] * sak
    pb = b + k[:, None] * sbk + n[None, :] * sbn
    integer: tl.constexpr = a.dtype.element_ty.is_int()
    acc = tl.zeros((BM, BN), dtype=tl.int32 if integer else tl.float32)
    for at in range(0, K, BK):
        ma = (m[:, None] < M) & (k[None, :] < K - at)
        mb = (k[:, None] < K - at) & (n[None, :] < N)
        va = tl.load(pa, mask=ma, other=0.0)
        vb = tl.load(pb, mask=mb, other=0.0)
        acc = tl.dot(
            va, vb, acc, input_precision=PRECISION, out_dtype=acc.dtype
        )
        pa += BK * sak
        pb += BK * sbk
    if SILU:
        acc = acc * tl.sigmoid(acc)
    tl.store(
        c + m[:, None] * N + n[None, :],
        acc.to(c.dtype.element_ty),
        mask=(m[:, None] < M) & (n[None, :] < N),
    )


@triton.jit
def matmul_descriptors(
    a,
    b,
    c,
    M,
    N,
    K,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    PROGRAMS: tl.constexpr,
    WS: tl.constexpr,
):
    """Persistent: each program walks over tiles.

    Memory is read through descriptors that the kernel makes (tensor maps where
    the target has them).
    """
    da = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    db = tl.make_tensor_descriptor(b, [N, K], [K, 1], [BN, BK])
    dc = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    tiles_n = tl.cdiv(N, BN)
    tiles = tl.cdiv(M, BM) * tiles_n
    for tile in tl.range(tl.program_id(0), tiles, PROGRAMS, warp_specialize=WS):
        m, n = tile // tiles_n * BM, tile % tiles_n * BN
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(0, K, BK):
            acc = tl.dot(da.load([m, k]), db.load([n, k]).T, acc)
        dc.store([m, n], acc.to(dc.dtype))


@triton.jit
def attention_forward(
    q,
    k,
    v,
    o,
    lse,
    T,
    scale,
    D: tl.constexpr,
    BM: tl.constexpr,
    BN: tl.constexpr,
    CAUSAL: tl.constexpr,
):
    head = tl.program_id(1)
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    base = head * T * D
    vq = tl.load(
        q + base + m[:, None] * D + d[None, :], mask=m[:, None] < T, other=0.0
    )
    high = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    end = tl.minimum(T, (tl.program_id(0) + 1) * BM) if CAUSAL else T
    for at in range(0, end, BN):
        n = at + tl.arange(0, BN)
        vk = tl.load(
            k + base + n[None, :] * D + d[:, None],
            mask=n[None, :] < T,
            other=0.0,
        )
        s = tl.dot(vq, vk) * scale
        keep = n[None, :] < T
        if CAUSAL:
            keep = keep & (m[:, None] >= n[None, :])
        s = tl.where(keep, s, -1e30)
        new = tl.maximum(high, tl.max(s, axis=1))
        p = tl.exp2(s - new[:, None])
        fade = tl.exp2(high - new)
        total = total * fade + tl.sum(p, axis=1)
        vv = tl.load(
            v + base + n[:, None] * D + d[None, :],
            mask=n[:, None] < T,
            other=0.0,
        )
        acc = tl.dot(p.to(vv.dtype), vv, acc * fade[:, None])
        high = new
    rows = m[:, None] < T
    tl.store(
        o + base + m[:, None] * D + d[None, :],
        (acc / total[:, None]).to(o.dtype.element_ty),
        mask=rows,
    )
    tl.store(lse + head * T + m, high + tl.log2(total), mask=m < T)


@triton.jit
def attention_backward(
    q,
    k,
    v,
    do,
    lse,
    delta,
    dq,
    dk,
    dv,
    T,
    scale,
    logscale,
    D: tl.constexpr,
    BM: tl.constexpr,
    BN: tl.constexpr,
):
    """One program for a block of keys; dq by atomic sums."""
    head = tl.program_id(1)
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    d = tl.arange(0, D)
    base = head * T * D
    at_n = base + n[:, None] * D + d[None, :]
    vk, vv = tl.load(k + at_n), tl.load(v + at_n)
    adk = tl.zeros((BN, D), tl.float32)
    adv = tl.zeros((BN, D), tl.float32)
    for at in range(0, T, BM):
        m = at + tl.arange(0, BM)
        at_m = base + m[:, None] * D + d[None, :]
        vq, vdo = tl.load(q + at_m), tl.load(do + at_m)
        s = tl.dot(vq, tl.trans(vk)) * logscale
        p = tl.exp2(s - tl.load(lse + head * T + m)[:, None])
        adv += tl.dot(tl.trans(p.to(vdo.dtype)), vdo)
        dp = tl.dot(vdo, tl.trans(vv))
        ds = (p * (dp - tl.load(delta + head * T + m)[:, None]) * scale).to(
            vq.dtype
        )
        adk += tl.dot(tl.trans(ds), vq)
        tl.atomic_add(dq + at_m, tl.dot(ds, vk))
    tl.store(dk + at_n, adk)
    tl.store(dv + at_n, adv)


@triton.jit
def dropout(x, o, p, seed, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    keep = tl.rand(seed, i) > p
    tl.store(o + i, tl.where(keep, v / (1 - p), 0.0), mask=i < n)


@triton.jit
def multiply_add(x1, y1, x2, y2):
    return x1 * x2, y1 * x2 + y2


@triton.jit
def scans(x, o, p, cols, B: tl.constexpr):
    """Sums, and the recurrence h = 0.5 h + x."""
    row = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + row * cols + i, mask=i < cols, other=0.0)
    tl.store(o + row * cols + i, tl.cumsum(v, axis=0), mask=i < cols)
    decay = tl.full((B,), 0.5, tl.float32)
    _, h = tl.associative_scan((decay, v), 0, multiply_add)
    tl.store(p + row * cols + i, h, mask=i < cols)


@triton.jit
def sort(x, o, B: tl.constexpr, DESCENDING: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, B)
    tl.store(
        o + row * B + i,
        tl.sort(tl.load(x + row * B + i), descending=DESCENDING),
    )


@triton.jit
def histogram(x, o, n, B: tl.constexpr, BINS: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0)
    h = tl.histogram(v, BINS, mask=i < n)
    tl.atomic_add(o + tl.arange(0, BINS), h)


@triton.jit
def atomics(x, f, o, s, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    mask = i < n
    v = tl.load(x + i, mask=mask, other=0)
    cell = v % 7
    tl.atomic_max(o + cell, v, mask=mask)
    tl.atomic_min(o + 7 + cell, v, mask=mask)
    tl.atomic_or(o + 14 + cell, v, mask=mask)
    tl.atomic_xor(o + 21 + cell, v, mask=mask)
    tl.atomic_add(s + cell, tl.load(f + i, mask=mask), mask=mask)


@triton.jit
def gathers(table, index, o, p, cols, B: tl.constexpr, R: tl.constexpr):
    """Rows of a table, and elements within the program."""
    row = tl.load(index + tl.program_id(0))
    i = tl.arange(0, B)
    v = tl.load(table + row * cols + i, mask=i < cols, other=0.0)
    tl.store(o + tl.program_id(0) * cols + i, v, mask=i < cols)
    tl.store(p + tl.program_id(0) * B + i, tl.gather(v, (i * R) % B, 0))


@triton.jit
def reductions(x, o, arg, M: tl.constexpr, N: tl.constexpr):
    """Over each axis and all, with positions."""
    i, j = tl.arange(0, M), tl.arange(0, N)
    v = tl.load(x + i[:, None] * N + j[None, :])
    tl.store(o + j, tl.sum(v, axis=0))
    tl.store(o + N + i, tl.max(v, axis=1))
    tl.store(o + N + M, tl.sum(v))
    tl.store(arg + i, tl.argmax(v, axis=1))
    tl.store(arg + M + j, tl.argmin(v, axis=0))


@triton.jit
def conversions(x, h, b, e, t, r, n, B: tl.constexpr):
    """f32 to the narrow types and back."""
    i = tl.program_id(0) * B + tl.arange(0, B)
    mask = i < n
    v = tl.load(x + i, mask=mask)
    tl.store(h + i, v.to(tl.float16), mask=mask)
    tl.store(b + i, v.to(tl.bfloat16), mask=mask)
    tl.store(e + i, v.to(tl.float8e5), mask=mask)
    tl.store(t + i, v.to(tl.int32), mask=mask)
    w = tl.load(e + i, mask=mask).to(tl.float32) + v.to(
        tl.int8, bitcast=False
    ).to(tl.float32)
    tl.store(
        r + i,
        v.to(tl.bfloat16).to(tl.float32)
        + v.to(tl.float64).to(tl.float32)
        + w * 0,
        mask=mask,
    )


@triton.jit
def transpose(x, o, M, N, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    v = tl.load(
        x + m[:, None] * N + n[None, :],
        mask=(m[:, None] < M) & (n[None, :] < N),
    )
    tl.store(
        o + n[:, None] * M + m[None, :],
        tl.trans(v),
        mask=(n[:, None] < N) & (m[None, :] < M),
    )
