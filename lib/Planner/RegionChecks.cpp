// What is checked of a region before it is planned, see the header.
#include "RegionChecks.h"

#include "fuse-mlir/IR/FuseDialect.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace mlir::fuse;

/// Whether the known sizes of `type` make 2^63 bytes or more.
static bool isTooLarge(Type type) {
  RankedTensorType tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return false;
  Type element = tensor.getElementType();
  std::optional<int64_t> bytes =
      element.isIntOrFloat()
          ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)
          : sizeof(int64_t);
  // The order of sizes is free: with a 0 among them there is no element.
  if (llvm::is_contained(tensor.getShape(), 0))
    return false;
  for (int64_t size : tensor.getShape())
    if (bytes && !ShapedType::isDynamic(size))
      bytes = llvm::checkedMul(*bytes, size);
  return !bytes;
}

namespace {
/// Tensors have less than 2^63 bytes. Each type is looked at once.
class TensorSizeCheck {
public:
  LogicalResult check(Operation *op) {
    for (Value operand : op->getOperands())
      if (failed(check(op, operand.getType())))
        return failure();
    for (Value result : op->getResults())
      if (failed(check(op, result.getType())))
        return failure();
    return success();
  }

private:
  LogicalResult check(Operation *op, Type type) {
    if (type == last || !right.insert(last = type).second || !isTooLarge(type))
      return success();
    return op->emitError("expected tensors of less than 2^63 bytes, but got ")
           << type;
  }

  Type last;
  llvm::SmallDenseSet<Type, 16> right;
};
} // namespace

namespace {
/// Equal tags of `fuse.must_fuse` in one function have to stand in one block:
/// nothing moves across blocks.
class MustTags {
public:
  explicit MustTags(MLIRContext *context)
      : name(StringAttr::get(context, FuseDialect::kMustFuseAttrName)) {}

  LogicalResult check(Operation *op) {
    Attribute tag = op->getDiscardableAttr(name);
    if (!tag)
      return success();
    Operation *function = op->getParentOfType<FunctionOpInterface>();
    auto [entry, isNew] = first.try_emplace({function, tag}, op);
    if (isNew || entry->second->getBlock() == op->getBlock())
      return success();
    InFlightDiagnostic diag =
        op->emitError("illegal 'fuse.must_fuse': the operators stand in "
                      "different blocks (block)");
    diag.attachNote(entry->second->getLoc()) << "to share a kernel with this";
    return diag;
  }

private:
  StringAttr name;
  llvm::DenseMap<std::pair<Operation *, Attribute>, Operation *> first;
};
} // namespace

LogicalResult fuse::plan::checkRegion(Region &region) {
  TensorSizeCheck sizes;
  MustTags tags(region.getContext());
  WalkResult result = region.walk([&](Operation *op) {
    bool isRight = succeeded(sizes.check(op)) && succeeded(tags.check(op));
    return isRight ? WalkResult::advance() : WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}
