// A dialect with one operator, which implements fuse's interface itself.
#ifndef TINY_OPS_TD
#define TINY_OPS_TD

include "fuse-mlir/IR/FuseInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tiny_Dialect : Dialect {
  let name = "tiny";
  let cppNamespace = "::tiny";
  let summary = "an example of a user's dialect";
}

def SquareOp : Op<Tiny_Dialect, "square", [
    Pure, SameOperandsAndResultType,
    DeclareOpInterfaceMethods<Fuse_FusableOpInterface>]> {
  let summary = "the square of each element";
  let arguments = (ins StaticShapeTensorOf<[F32]>:$input);
  let results = (outs StaticShapeTensorOf<[F32]>:$output);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

#endif // TINY_OPS_TD
