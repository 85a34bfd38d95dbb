// Roles and classes of operators, by structure.
#include "fuse-mlir/Planner/OpRoles.h"

#include "fuse-mlir/Analysis/GroupShape.h"
#include "fuse-mlir/CostModel/KernelCounts.h"

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

OpClass fuse::classifyForPlan(Operation *op) {
  if (auto attr = op->getAttrOfType<ClassAttr>(FuseDialect::kClassAttrName))
    return attr.getValue();
  if (cost::isContraction(op))
    return OpClass::Contraction;
  if (isRootOp(op))
    return OpClass::Reduction;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return OpClass::Movement;
  if (isa<linalg::TransposeOp, linalg::BroadcastOp, linalg::CopyOp>(op))
    return OpClass::Movement;
  for (OpOperand *input : linalgOp.getDpsInputOperands())
    if (linalgOp.getMatchingIndexingMap(input).getNumResults() <
        linalgOp.getNumLoops())
      return OpClass::Broadcast;
  return OpClass::Injective;
}

bool fuse::isComputeOp(Operation *op) {
  if (auto attr = op->getAttrOfType<ClassAttr>(FuseDialect::kClassAttrName))
    if (attr.getValue() == OpClass::Opaque)
      return false;
  if (op->getNumResults() == 0 || !isElementComputable(op))
    return false;
  return llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
}
