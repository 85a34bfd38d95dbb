#!/usr/bin/env python3
"""Prints chains of element-wise operators that have nothing in common.

  chains.py NUMBER LENGTH
"""

import sys

TYPE = "tensor<4096xf32>"
number, length = int(sys.argv[1]), int(sys.argv[2])
chains = range(number)
print(
    "func.func @f(%s) -> (%s) {"
    % (
        ", ".join("%%c%d_0: %s" % (chain, TYPE) for chain in chains),
        ", ".join([TYPE] * number),
    )
)
print("  %%e = tensor.empty() : %s" % TYPE)
for i in range(length):
    for chain in chains:
        print(
            "  %%c%d_%d = linalg.tanh ins(%%c%d_%d : %s) outs(%%e : %s) -> %s"
            % (chain, i + 1, chain, i, TYPE, TYPE, TYPE)
        )
print(
    "  return %s : %s\n}"
    % (
        ", ".join("%%c%d_%d" % (chain, length) for chain in chains),
        ", ".join([TYPE] * number),
    )
)
