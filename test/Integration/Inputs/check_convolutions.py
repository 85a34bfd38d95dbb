"""Convolutions of one to three dimensions, with padding before and bias and ReLU
after: one kernel, no spills, verified, never on the path `general`.

  check_convolutions.py [--types=f32] CASE...

A case is KIND:ORDER:SPACExWINDOW:STRIDE:DILATION, where KIND is `full`,
`grouped` or `depthwise`, ORDER is `first` or `last` (where the channels are) and
SPACE and WINDOW are one number for each dimension: `full:first:14,14x3,3:1:1`.
"""

import argparse
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
import one_kernel

PATHS = {"full": "tile", "grouped": "tile", "depthwise": "window"}


def tensor(sizes, element):
    return "tensor<%sx%s>" % ("x".join(map(str, sizes)), element)


def write(kind, order, space, window, stride, dilation, element):
    """A program: pad by half a window, convolve, add a bias, clamp at 0."""
    rank = len(space)
    groups = {"full": [], "grouped": [3], "depthwise": []}[kind]
    inner = [] if kind == "depthwise" else [8]
    outer = [16] if kind == "depthwise" else [12]
    batch = [2]
    pads = [dilation * (size - 1) // 2 for size in window]
    padded = [size + 2 * pad for size, pad in zip(space, pads)]
    made = [
        (size - dilation * (taps - 1) - 1) // stride + 1
        for size, taps in zip(padded, window)
    ]

    # Loops: n, groups, outer channels, places, inner channels, window.
    names = iter("abcdefghijklmnop")
    n = next(names)
    g = [next(names) for _ in groups]
    o = [next(names) for _ in outer]
    p = [next(names) for _ in space]
    c = [next(names) for _ in inner]
    k = [next(names) for _ in space]
    loops = [n] + g + o + p + c + k
    moved = ["%s * %d + %s * %d" % (x, stride, y, dilation) for x, y in zip(p, k)]
    read = c if kind != "depthwise" else o

    def image(channels, places):
        if order == "first":
            return [n] + g + channels + places
        return [n] + places + g + channels

    def shape(channels, places):
        if order == "first":
            return batch + groups + channels + places
        return batch + places + groups + channels

    sizes = {
        "x": shape(inner or outer, space),
        "p": shape(inner or outer, padded),
        "w": groups + outer + inner + window,
        "b": groups + outer,
        "r": shape(outer, made),
    }
    types = {name: tensor(dims, element) for name, dims in sizes.items()}
    low = [0] * len(sizes["x"])
    first = 1 if order == "last" else len(low) - rank
    low[first : first + rank] = pads
    maps = {
        "loops": ", ".join(loops),
        "x": ", ".join(image(read, moved)),
        "w": ", ".join(g + o + c + k),
        "r": ", ".join(image(o, p)),
        "kinds": ", ".join(
            ['"parallel"'] * (1 + len(g) + len(o) + rank)
            + ['"reduction"'] * (len(c) + rank)
        ),
        "outer": ", ".join([n] + g + o + p),
        "b": ", ".join(g + o),
        "outer_kinds": ", ".join(['"parallel"'] * (1 + len(g) + len(o) + rank)),
        "pads": ", ".join(map(str, low)),
        "places": ", ".join("%%i%d: index" % i for i in range(len(low))),
        "t": element,
        "X": types["x"],
        "P": types["p"],
        "W": types["w"],
        "B": types["b"],
        "R": types["r"],
    }
    return (
        """
func.func @main(%%x: %(X)s, %%w: %(W)s, %%b: %(B)s) -> %(R)s {
  %%zero = arith.constant 0.0 : %(t)s
  %%p = tensor.pad %%x low[%(pads)s] high[%(pads)s] {
  ^bb0(%(places)s):
    tensor.yield %%zero : %(t)s
  } : %(X)s to %(P)s
  %%e = tensor.empty() : %(R)s
  %%f = linalg.fill ins(%%zero : %(t)s) outs(%%e : %(R)s) -> %(R)s
  %%y = linalg.generic {indexing_maps = [
      affine_map<(%(loops)s) -> (%(x)s)>, affine_map<(%(loops)s) -> (%(w)s)>,
      affine_map<(%(loops)s) -> (%(r)s)>], iterator_types = [%(kinds)s]}
      ins(%%p, %%w : %(P)s, %(W)s) outs(%%f : %(R)s) {
  ^bb0(%%l: %(t)s, %%m: %(t)s, %%s: %(t)s):
    %%0 = arith.mulf %%l, %%m : %(t)s
    %%1 = arith.addf %%s, %%0 : %(t)s
    linalg.yield %%1 : %(t)s
  } -> %(R)s
  %%z = linalg.generic {indexing_maps = [
      affine_map<(%(outer)s) -> (%(r)s)>, affine_map<(%(outer)s) -> (%(b)s)>,
      affine_map<(%(outer)s) -> (%(r)s)>], iterator_types = [%(outer_kinds)s]}
      ins(%%y, %%b : %(R)s, %(B)s) outs(%%e : %(R)s) {
  ^bb0(%%l: %(t)s, %%m: %(t)s, %%s: %(t)s):
    %%0 = arith.addf %%l, %%m : %(t)s
    %%1 = arith.maximumf %%0, %%zero : %(t)s
    linalg.yield %%1 : %(t)s
  } -> %(R)s
  return %%z : %(R)s
}
"""
        % maps
    )


def numbers(text):
    return [int(number) for number in text.split(",")]


def check(case, element):
    kind, order, sizes, stride, dilation = case.split(":")
    space, window = map(numbers, sizes.split("x"))
    run = one_kernel.Run(
        write(kind, order, space, window, int(stride), int(dilation), element),
        ["--strategy=max"],
    )
    if not run.report:
        return one_kernel.show(case + " " + element, run, "")
    run.demand(
        run.group["path"] == PATHS[kind], "path " + run.group["path"]
    )
    return one_kernel.show(case + " " + element, run, run.describe())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="+")
    parser.add_argument("--types", default="f32")
    args = parser.parse_args()
    failed = 0
    for case in args.cases:
        for element in args.types.split(","):
            failed += check(case, element)
    sys.exit(1 if failed else 0)


main()
