"""Writes a group of N levels, each the sum of the even and the odd elements of
the level before: element i is computed from 2^N elements of the input.

  halvings.py N
"""

import sys

levels = int(sys.argv[1])
size = 2**levels
print("func.func @halvings(%%v0: tensor<%dxf32>) -> tensor<1xf32> {" % size)
print("  %r = fuse.group -> (tensor<1xf32>) {")
for level in range(levels):
    half = size // 2
    slices = []
    for offset in (0, 1):
        name = "%%s%d_%d" % (level, offset)
        slices.append(name)
        print(
            "    %s = tensor.extract_slice %%v%d[%d] [%d] [2] : "
            "tensor<%dxf32> to tensor<%dxf32>"
            % (name, level, offset, half, size, half)
        )
    kind = "tensor<%dxf32>" % half
    print("    %%e%d = tensor.empty() : %s" % (level, kind))
    print(
        "    %%v%d = linalg.add ins(%s : %s, %s) outs(%%e%d : %s) -> %s"
        % (level + 1, ", ".join(slices), kind, kind, level, kind, kind)
    )
    size = half
print("    fuse.yield %%v%d : tensor<1xf32>" % levels)
print("  }")
print("  return %r : tensor<1xf32>")
print("}")
