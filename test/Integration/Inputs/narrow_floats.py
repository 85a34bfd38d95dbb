"""Writes programs that convert 8-bit floats.

  narrow_floats.py DIRECTORY

`widen-T.mlir` gives the bits, as f32, f64 and f16, of all 256 values of type T;
`narrow-T.mlir` the bits of T of 65,536 f32 and f64 numbers whose bits are
spread over all patterns, and of all f16 numbers; `integers-T.mlir` converts all
i16 numbers to T and some back. Values are made from `linalg.index`, so the
programs have no inputs. `compute.mlir` negates in an
8-bit type, `named.mlir` has an operator whose body has no locations.
"""

import os
import sys

GENERIC = """\
func.func @main() -> {result} {{
{constants}  %e = tensor.empty() : {result}
  %r = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}} outs(%e : {result}) {{
  ^bb0(%o: {element}):
    %i = linalg.index 0 : index
{body}    linalg.yield %v : {element}
  }} -> {result}
  return %r : {result}
}}
"""

# All 256 values, as bits: of f32, f64 and f16 one after another.
WIDEN = """\
    %b = arith.index_cast %i : index to i8
    %n = arith.bitcast %b : i8 to {type}
    %w32 = arith.extf %n : {type} to f32
    %w64 = arith.extf %n : {type} to f64
    %w16 = arith.extf %n : {type} to f16
    %l = arith.index_cast %i : index to i32
    %which = arith.shrui %l, %c8 : i32
    %is0 = arith.cmpi eq, %which, %c0 : i32
    %is1 = arith.cmpi eq, %which, %c1 : i32
    %w16x = arith.extf %w16 : f16 to f64
    %w32x = arith.extf %w32 : f32 to f64
    %x = arith.select %is1, %w64, %w16x : f64
    %v = arith.select %is0, %w32x, %x : f64
"""

# Three bytes: from f32, f64 and f16 numbers. Which of the NaNs is left open: the
# inputs have one, and the mantissas of those that come out are made equal.
NARROW = """\
    %l = arith.index_cast %i : index to i32
    %bits32 = arith.muli %l, %spread : i32
    %any32 = arith.bitcast %bits32 : i32 to f32
    %u32 = arith.cmpf uno, %any32, %any32 : f32
    %x32 = arith.select %u32, %nan32, %any32 : f32
    %n32 = arith.truncf %x32 : f32 to {type}
    %s32 = arith.bitcast %n32 : {type} to i8
    %back32 = arith.extf %n32 : {type} to f32
    %isNan32 = arith.cmpf uno, %back32, %back32 : f32
    %o32 = arith.ori %s32, %mantissa : i8
    %b32 = arith.select %isNan32, %o32, %s32 : i8
    %wide = arith.extui %bits32 : i32 to i64
    %bits64 = arith.muli %wide, %spread64 : i64
    %far = arith.bitcast %bits64 : i64 to f64
    %near = arith.extf %x32 : f32 to f64
    %x64 = arith.addf %near, %tiny : f64
    %isFar = arith.cmpi slt, %l, %half : i32
    %any64 = arith.select %isFar, %far, %x64 : f64
    %u64 = arith.cmpf uno, %any64, %any64 : f64
    %y64 = arith.select %u64, %nan64, %any64 : f64
    %n64 = arith.truncf %y64 : f64 to {type}
    %s64 = arith.bitcast %n64 : {type} to i8
    %back64 = arith.extf %n64 : {type} to f32
    %isNan64 = arith.cmpf uno, %back64, %back64 : f32
    %o64 = arith.ori %s64, %mantissa : i8
    %b64 = arith.select %isNan64, %o64, %s64 : i8
    %h = arith.trunci %l : i32 to i16
    %any16 = arith.bitcast %h : i16 to f16
    %u16 = arith.cmpf uno, %any16, %any16 : f16
    %x16 = arith.select %u16, %nan16, %any16 : f16
    %n16 = arith.truncf %x16 : f16 to {type}
    %s16 = arith.bitcast %n16 : {type} to i8
    %back16 = arith.extf %n16 : {type} to f32
    %isNan16 = arith.cmpf uno, %back16, %back16 : f32
    %o16 = arith.ori %s16, %mantissa : i8
    %b16 = arith.select %isNan16, %o16, %s16 : i8
    %v0 = arith.extui %b32 : i8 to i32
    %v1 = arith.extui %b64 : i8 to i32
    %v2 = arith.extui %b16 : i8 to i32
    %v1s = arith.shli %v1, %c8 : i32
    %v2s = arith.shli %v2, %c16 : i32
    %v01 = arith.ori %v0, %v1s : i32
    %v = arith.ori %v01, %v2s : i32
"""

# All 65,536 i16 numbers, as signed and unsigned ones, and back; those that f64
# and the 8-bit float hold between.
INTEGERS = """\
    %h = arith.index_cast %i : index to i16
    %s = arith.sitofp %h : i16 to {type}
    %u64 = arith.uitofp %h : i16 to f64
    %u = arith.truncf %u64 : f64 to {type}
    %sb = arith.bitcast %s : {type} to i8
    %ub = arith.bitcast %u : {type} to i8
    %low = arith.shrui %h, %c8 : i16
    %byte = arith.trunci %low : i16 to i8
    %small = arith.shrsi %byte, %c2 : i8
    %n = arith.sitofp %small : i8 to {type}
    %back = arith.fptosi %n : {type} to i8
    %v0 = arith.extui %sb : i8 to i32
    %v1 = arith.extui %ub : i8 to i32
    %v2 = arith.extui %back : i8 to i32
    %v1s = arith.shli %v1, %c8w : i32
    %v2s = arith.shli %v2, %c16 : i32
    %v01 = arith.ori %v0, %v1s : i32
    %v = arith.ori %v01, %v2s : i32
"""

NAMED = """\
func.func @main(%x: tensor<4xf8E5M2>) -> tensor<4xf8E5M2> {
  %e = tensor.empty() : tensor<4xf8E5M2>
  %r = linalg.exp ins(%x : tensor<4xf8E5M2>) outs(%e : tensor<4xf8E5M2>) -> tensor<4xf8E5M2>
  return %r : tensor<4xf8E5M2>
}
"""

COMPUTE = """\
func.func @main(%x: tensor<64xf8E4M3FN>) -> tensor<64xf8E4M3FN> {
  %e = tensor.empty() : tensor<64xf8E4M3FN>
  %r = linalg.map { arith.negf } ins(%x : tensor<64xf8E4M3FN>)
    outs(%e : tensor<64xf8E4M3FN>)
  return %r : tensor<64xf8E4M3FN>
}
"""


def constants(**values):
    """Lines that define %name = value : type."""
    return "".join("  %%%s = arith.constant %s : %s\n" % (name, value, kind)
                   for name, (value, kind) in values.items())


def main():
    directory = sys.argv[1]
    os.makedirs(directory, exist_ok=True)

    def write(name, text):
        with open(os.path.join(directory, name + ".mlir"), "w") as file:
            file.write(text)

    for kind in ["f8E4M3FN", "f8E5M2"]:
        write("widen-" + kind, GENERIC.format(
            result="tensor<768xf64>", element="f64",
            constants=constants(c0=(0, "i32"), c1=(1, "i32"), c8=(8, "i32")),
            body=WIDEN.format(type=kind)))
        write("narrow-" + kind, GENERIC.format(
            result="tensor<65536xi32>", element="i32",
            constants=constants(
                spread=(2654435769 - 2**32, "i32"),
                spread64=(-7046029254386353131, "i64"),
                tiny=("1.0e-30", "f64"), half=(32768, "i32"),
                nan32=("0x7FC00000", "f32"), nan16=("0x7E00", "f16"),
                nan64=("0x7FF8000000000000", "f64"), c16=(16, "i32"),
                c8=(8, "i32"), mantissa=(3, "i8")),
            body=NARROW.format(type=kind)))
        write("integers-" + kind, GENERIC.format(
            result="tensor<65536xi32>", element="i32",
            constants=constants(c8=(8, "i16"), c2=(2, "i8"), c8w=(8, "i32"),
                                c16=(16, "i32")),
            body=INTEGERS.format(type=kind)))
    write("compute", COMPUTE)
    write("named", NAMED)


main()
