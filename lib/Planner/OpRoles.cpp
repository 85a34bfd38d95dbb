// Roles and classes of operators, by structure.
#include "fuse-mlir/Planner/OpRoles.h"

#include "fuse-mlir/Analysis/GroupShape.h"
#include "fuse-mlir/Analysis/OpClassification.h"
#include "fuse-mlir/CostModel/KernelCounts.h"
#include "fuse-mlir/IR/KernelBody.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fuse;

bool fuse::isFreeOp(Operation *op) {
  return cost::isView(op) || isa<tensor::EmptyOp>(op) ||
         op->hasTrait<OpTrait::ConstantLike>();
}

bool fuse::isGeneratorOp(Operation *op) {
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return fill.hasPureTensorSemantics();
  return isa<tensor::SplatOp, tensor::FromElementsOp>(op);
}

bool fuse::isLargeConstant(Operation *op) {
  DenseElementsAttr dense;
  if (!op->hasTrait<OpTrait::ConstantLike>() ||
      !isa<ShapedType>(op->getResult(0).getType()))
    return false;
  if (!matchPattern(op, m_Constant(&dense)))
    return true; // A resource.
  return !dense.isSplat() && dense.getRawData().size() > 64;
}

bool fuse::isComputeOp(Operation *op) {
  return op->getNumResults() != 0 &&
         !op->hasAttr(kInPlaceAttrName) &&
         llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>) &&
         isElementComputable(op) && classify(op) != OpClass::Opaque;
}
