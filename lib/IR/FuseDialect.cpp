// The dialect: registration and the checks of its discardable attributes.
#include "fuse-mlir/IR/FuseDialect.h"
#include "fuse-mlir/IR/KernelBody.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::fuse;

#include "fuse-mlir/IR/FuseDialect.cpp.inc"
#include "fuse-mlir/IR/FuseInterfaces.cpp.inc"

void FuseDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "fuse-mlir/IR/FuseOps.cpp.inc"
      >();
}

LogicalResult FuseDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attr) {
  StringRef name = attr.getName();
  auto expect = [&](bool ok, StringRef what) -> LogicalResult {
    if (ok)
      return success();
    return op->emitOpError() << "expected attribute '" << name << "' to be "
                             << what << ", but got " << attr.getValue();
  };
  if (name == kClassAttrName)
    return expect(isa<ClassAttr>(attr.getValue()), "a '#fuse.class'");
  if (name == kOrdinalAttrName)
    return expect(isa<IntegerAttr>(attr.getValue()), "an integer");
  if (name == kMustFuseAttrName || name == kNeverFuseAttrName) {
    if (op->getNumResults() == 0 || op->hasTrait<OpTrait::IsTerminator>())
      return op->emitOpError() << "expected attribute '" << name
                               << "' on an operator with results";
    if (name == kNeverFuseAttrName)
      return expect(isa<UnitAttr>(attr.getValue()), "a unit attribute");
    auto tag = dyn_cast<StringAttr>(attr.getValue());
    return expect(tag && !tag.empty(), "a non-empty string");
  }
  if (name == "fuse.fp_order") {
    if (!isa<FunctionOpInterface>(op) && !op->hasTrait<OpTrait::SymbolTable>())
      return op->emitOpError()
             << "expected attribute '" << name << "' on a function or module";
    auto order = dyn_cast<StringAttr>(attr.getValue());
    return expect(order && (order == "strict" || order == "fixed"),
                  "\"strict\" or \"fixed\"");
  }
  if (name == "fuse.f32_products" || name == "fuse.half_sums") {
    bool isOfSums = name == "fuse.half_sums";
    if (!isa<FunctionOpInterface, DestinationStyleOpInterface>(op) &&
        !op->hasTrait<OpTrait::SymbolTable>())
      return op->emitOpError()
             << "expected attribute '" << name << "' on a "
             << (isOfSums ? "sum" : "contraction") << ", function or module";
    StringRef other = isOfSums ? "source" : "tf32";
    auto type = dyn_cast<StringAttr>(attr.getValue());
    return expect(type && (type == "f32" || type == other),
                  isOfSums ? "\"source\" or \"f32\"" : "\"f32\" or \"tf32\"");
  }
  if (name == kTileAttrName)
    return expect(isa<TileAttr>(attr.getValue()), "a '#fuse.tile'");
  if (name == kUpdatesAttrName)
    return expect(isa<LaunchOp>(op) && isa<DenseI32ArrayAttr>(attr.getValue()),
                  "an array of i32 on a 'fuse.launch'");
  if (name == kKernelNameAttrName)
    return expect(isa<LaunchOp>(op) && isa<StringAttr>(attr.getValue()),
                  "a string on a 'fuse.launch'");
  if (name == kInPlaceAttrName) {
    if (!isa<tensor::InsertSliceOp>(op))
      return op->emitOpError() << "expected attribute '" << name
                               << "' on a 'tensor.insert_slice'";
    return expect(isa<UnitAttr>(attr.getValue()), "a unit attribute");
  }
  if (name == kScheduleAttrName)
    return expect(isa<ScheduleAttr>(attr.getValue()), "a '#fuse.schedule'");
  if (name == kCostAttrName)
    return expect(isa<CostAttr>(attr.getValue()), "a '#fuse.cost'");
  return op->emitOpError() << "unknown attribute '" << name
                           << "' of the fuse dialect";
}
