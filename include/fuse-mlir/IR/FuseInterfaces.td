// The interface by which an operator states its class.
#ifndef FUSE_MLIR_IR_FUSEINTERFACES_TD
#define FUSE_MLIR_IR_FUSEINTERFACES_TD

include "mlir/IR/OpBase.td"

def Fuse_FusableOpInterface : OpInterface<"FusableOpInterface"> {
  let cppNamespace = "::mlir::fuse";
  let description = [{
    Implemented by external models for upstream's dialects and by operators of
    other dialects that want to take part in fusion. An operator without it is
    classified by its indexing maps if it has any, else it is opaque.
  }];
  let methods = [
    InterfaceMethod<
      /*desc=*/[{
        The class of the operator. `reason` receives one short phrase that
        names the map, iterator or effect that decided.
      }],
      /*retTy=*/"::mlir::fuse::OpClass",
      /*methodName=*/"getFusionClass",
      /*args=*/(ins "std::string &":$reason)>
  ];
}

#endif // FUSE_MLIR_IR_FUSEINTERFACES_TD
