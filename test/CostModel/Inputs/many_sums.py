"""Writes the sums of the rows of as many matrices as asked for as linalg.

  many_sums.py COUNT
"""

import sys

count = int(sys.argv[1])
matrix, row = "tensor<1024x1024xf32>", "tensor<1024xf32>"
print(
    """\
#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @main(%s) -> (%s) {
  %%zero = arith.constant 0.0 : f32
  %%empty = tensor.empty() : %s
  %%init = linalg.fill ins(%%zero : f32) outs(%%empty : %s) -> %s"""
    % (
        ", ".join("%%x%d: %s" % (i, matrix) for i in range(count)),
        ", ".join([row] * count),
        row,
        row,
        row,
    )
)
for i in range(count):
    print(
        """\
  %%sum%d = linalg.generic {indexing_maps = [#full, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%%x%d : %s) outs(%%init : %s) {
  ^bb0(%%x: f32, %%sum: f32):
    %%next = arith.addf %%x, %%sum : f32
    linalg.yield %%next : f32
  } -> %s"""
        % (i, i, matrix, row, row)
    )
print(
    "  return %s : %s\n}"
    % (
        ", ".join("%%sum%d" % i for i in range(count)),
        ", ".join([row] * count),
    )
)
