// Operand elements of each operator that code generation can evaluate element
// by element: linalg operators by their maps, movement by index arithmetic.
#include "fuse-mlir/Analysis/ElementAccess.h"

#include "fuse-mlir/Analysis/GroupShape.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fuse;

//===----------------------------------------------------------------------===//
// What can be evaluated
//===----------------------------------------------------------------------===//

bool fuse::isRootOp(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && linalgOp.getNumReductionLoops() > 0;
}

bool fuse::isBodyComputable(Region &region) {
  WalkResult result = region.walk([](Operation *op) {
    if (isa<linalg::IndexOp, linalg::YieldOp, tensor::ExtractOp,
            tensor::YieldOp, tensor::DimOp, cf::AssertOp, affine::AffineApplyOp,
            affine::AffineMinOp, affine::AffineMaxOp,
            affine::AffineDelinearizeIndexOp, affine::AffineLinearizeIndexOp,
            scf::IfOp, scf::IndexSwitchOp, scf::ForOp, scf::WhileOp,
            scf::ConditionOp, scf::YieldOp>(op))
      return WalkResult::advance();
    StringRef dialect = op->getName().getDialectNamespace();
    if (dialect == "arith" || dialect == "math" || dialect == "index" ||
        dialect == "ub")
      return WalkResult::advance();
    return WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

bool fuse::writesWholeResult(AffineMap map, ArrayRef<int64_t> shape) {
  llvm::SmallBitVector seen(map.getNumDims());
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), shape)) {
    if (AffineConstantExpr c = dyn_cast<AffineConstantExpr>(expr)) {
      if (c.getValue() != 0 || size != 1)
        return false;
      continue;
    }
    AffineDimExpr dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || seen.test(dim.getPosition()))
      return false;
    seen.set(dim.getPosition());
  }
  return map.getNumSymbols() == 0;
}

static bool isLinalgComputable(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op->getNumRegions() == 0)
    return false;
  for (OpOperand &init : op.getDpsInitsMutable())
    if (!writesWholeResult(op.getMatchingIndexingMap(&init),
                           op.getShape(&init)))
      return false;
  // Every parallel loop must be known from the result.
  for (OpOperand &init : op.getDpsInitsMutable()) {
    llvm::SmallBitVector known(op.getNumLoops());
    for (AffineExpr expr : op.getMatchingIndexingMap(&init).getResults())
      if (AffineDimExpr dim = dyn_cast<AffineDimExpr>(expr))
        known.set(dim.getPosition());
    for (auto [i, kind] : llvm::enumerate(op.getIteratorTypesArray()))
      if (kind == utils::IteratorType::parallel && !known.test(i) &&
          op.getStaticLoopRanges()[i] != 1)
        return false;
  }
  return isBodyComputable(op->getRegion(0));
}

bool fuse::isElementComputable(Operation *op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return isLinalgComputable(linalgOp);
  if (isa<tensor::PadOp, tensor::GenerateOp>(op))
    return isBodyComputable(op->getRegion(0));
  if (isa<tensor::EmptyOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
          tensor::ReshapeOp, tensor::CastOp, tensor::ExtractSliceOp,
          tensor::InsertSliceOp, tensor::ConcatOp, tensor::SplatOp,
          tensor::FromElementsOp, tensor::ExtractOp, tensor::DimOp>(op))
    return true;
  // Scalar code beside the tensors.
  StringRef dialect = op->getName().getDialectNamespace();
  if (dialect == "arith" || dialect == "math" || dialect == "index" ||
      dialect == "ub")
    return op->hasTrait<OpTrait::ConstantLike>() ||
           llvm::none_of(op->getResultTypes(),
                         [](Type type) { return isa<ShapedType>(type); });
  return false;
}

//===----------------------------------------------------------------------===//
// Linalg
//===----------------------------------------------------------------------===//

SmallVector<AffineExpr> fuse::getLoopsOfResult(Operation *op,
                                               unsigned resultNumber,
                                               ArrayRef<AffineExpr> index) {
  auto linalgOp = cast<linalg::LinalgOp>(op);
  SmallVector<AffineExpr> loops(linalgOp.getNumLoops());
  AffineMap map =
      linalgOp.getMatchingIndexingMap(linalgOp.getDpsInitOperand(resultNumber));
  for (auto [expr, position] : llvm::zip_equal(map.getResults(), index))
    if (AffineDimExpr dim = dyn_cast<AffineDimExpr>(expr))
      loops[dim.getPosition()] = position;
  for (auto [i, kind] : llvm::enumerate(linalgOp.getIteratorTypesArray()))
    if (!loops[i] && kind == utils::IteratorType::parallel &&
        linalgOp.getStaticLoopRanges()[i] == 1)
      loops[i] = getAffineConstantExpr(0, op->getContext());
  return loops;
}

/// The number of a loop of `op`, of which `loops` are given, that `value`, in
/// its body, is; null if that is not known.
static AffineExpr getLoopNumber(Operation *op, Value value,
                                ArrayRef<AffineExpr> loops) {
  while (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  auto index = value.getDefiningOp<linalg::IndexOp>();
  bool isOwn =
      index && index->getParentOp() == op && index.getDim() < loops.size();
  return isOwn ? loops[index.getDim()] : AffineExpr();
}

/// Reads of tensors from above inside `region`, at the numbers of loops or at
/// indices that are not known.
static LogicalResult forEachCapture(Operation *op, Region &region,
                                    ArrayRef<AffineExpr> loops,
                                    const TensorSizes &sizes,
                                    UnknownIndexFn unknown,
                                    OperandElementFn use) {
  unsigned number = 1000;
  WalkResult result = region.walk([&](tensor::ExtractOp extract) {
    SmallVector<AffineExpr> index;
    for (auto [at, size] : llvm::zip_equal(
             extract.getIndices(), sizes.getShape(extract.getTensor()))) {
      AffineExpr known = getLoopNumber(op, at, loops);
      index.push_back(known ? known : unknown(op, number, size));
      ++number;
    }
    return failed(use(extract.getTensor(), index)) ? WalkResult::interrupt()
                                                   : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult fuse::forEachOperandElementOfLoops(
    Operation *op, ArrayRef<AffineExpr> loops, const IndexRanges &ranges,
    const TensorSizes &sizes, UnknownIndexFn unknown, OperandElementFn use) {
  auto linalgOp = cast<linalg::LinalgOp>(op);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()) ||
        !linalgOp.payloadUsesValueFromOperand(&operand))
      continue;
    AffineMap map = linalgOp.getMatchingIndexingMap(&operand);
    SmallVector<AffineExpr> index;
    for (AffineExpr expr : map.getResults())
      index.push_back(simplifyIndex(expr.replaceDims(loops), ranges));
    if (failed(use(operand.get(), index)))
      return failure();
  }
  return forEachCapture(op, op->getRegion(0), loops, sizes, unknown, use);
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

namespace {
/// Operand elements of movement operators.
struct MovementAccess {
  ArrayRef<AffineExpr> index;
  const IndexRanges &ranges;
  const TensorSizes &sizes;
  UnknownIndexFn unknown;
  OperandElementFn use;

  AffineExpr constant(int64_t value, Operation *op) {
    return getAffineConstantExpr(value, op->getContext());
  }

  AffineExpr sizeOrUnknown(OpFoldResult value, Operation *op, unsigned number) {
    if (std::optional<int64_t> known = getConstantIntValue(value))
      return constant(*known, op);
    return unknown(op, number, AffineExpr());
  }

  LogicalResult view(Operation *op, Value source) {
    AffineExpr linear = linearize(op->getContext(), index,
                                  sizes.getShape(op->getResult(0)), ranges);
    return use(source, delinearize(linear, sizes.getShape(source), ranges));
  }

  LogicalResult slice(tensor::ExtractSliceOp op) {
    llvm::SmallBitVector dropped = op.getDroppedDims();
    SmallVector<AffineExpr> at;
    unsigned next = 0;
    for (unsigned i = 0; i < dropped.size(); ++i) {
      AffineExpr offset = sizeOrUnknown(op.getMixedOffsets()[i], op, i);
      std::optional<int64_t> stride =
          getConstantIntValue(op.getMixedStrides()[i]);
      AffineExpr inner = dropped.test(i) ? constant(0, op) : index[next++];
      if (!stride)
        at.push_back(unknown(op, 100 + i, AffineExpr()));
      else
        at.push_back(simplifyIndex(inner * *stride + offset, ranges));
    }
    return use(op.getSource(), at);
  }

  LogicalResult insert(tensor::InsertSliceOp op) {
    if (failed(use(op.getDest(), index)))
      return failure();
    llvm::SmallBitVector dropped = op.getDroppedDims();
    SmallVector<AffineExpr> at;
    for (unsigned i = 0; i < dropped.size(); ++i) {
      if (dropped.test(i))
        continue;
      AffineExpr offset = sizeOrUnknown(op.getMixedOffsets()[i], op, i);
      std::optional<int64_t> stride =
          getConstantIntValue(op.getMixedStrides()[i]);
      if (!stride)
        at.push_back(unknown(op, 100 + i, AffineExpr()));
      else
        at.push_back(
            simplifyIndex((index[i] - offset).floorDiv(*stride), ranges));
    }
    return use(op.getSource(), at);
  }

  LogicalResult pad(tensor::PadOp op) {
    SmallVector<AffineExpr> at;
    for (auto [i, low] : llvm::enumerate(op.getMixedLowPad()))
      at.push_back(simplifyIndex(index[i] - sizeOrUnknown(low, op, i), ranges));
    if (failed(use(op.getSource(), at)))
      return failure();
    return forEachCapture(op, op.getRegion(), /*loops=*/{}, sizes, unknown,
                          use);
  }

  LogicalResult concat(tensor::ConcatOp op) {
    AffineExpr offset = constant(0, op);
    for (Value input : op.getInputs()) {
      SmallVector<AffineExpr> at(index);
      // Where there is one element only, it is that one.
      AffineExpr size = sizes.getSize(input, op.getDim());
      at[op.getDim()] = size == constant(1, op)
                            ? constant(0, op)
                            : simplifyIndex(at[op.getDim()] - offset, ranges);
      if (failed(use(input, at)))
        return failure();
      offset = offset + size;
    }
    return success();
  }

  LogicalResult extract(tensor::ExtractOp op) {
    SmallVector<AffineExpr> at;
    for (auto [i, position] : llvm::enumerate(op.getIndices()))
      at.push_back(sizeOrUnknown(getAsOpFoldResult(position), op, i));
    return use(op.getTensor(), at);
  }
};
} // namespace

LogicalResult fuse::forEachOperandElement(Operation *op, unsigned resultNumber,
                                          ArrayRef<AffineExpr> index,
                                          const IndexRanges &ranges,
                                          const TensorSizes &sizes,
                                          UnknownIndexFn unknown,
                                          OperandElementFn use) {
  MovementAccess access{index, ranges, sizes, unknown, use};
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    SmallVector<AffineExpr> loops = getLoopsOfResult(op, resultNumber, index);
    if (llvm::is_contained(loops, AffineExpr())) {
      SmallVector<AffineExpr> extents = sizes.getLoops(linalgOp);
      for (auto [i, loop] : llvm::enumerate(loops))
        if (!loop)
          loop = unknown(op, ~static_cast<unsigned>(i), extents[i]);
    }
    return forEachOperandElementOfLoops(op, loops, ranges, sizes, unknown, use);
  }
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
          [&](auto view) { return access.view(op, view.getSrc()); })
      .Case([&](tensor::ReshapeOp reshape) {
        return access.view(op, reshape.getSource());
      })
      .Case([&](tensor::CastOp cast) {
        return access.view(op, cast.getSource());
      })
      .Case([&](tensor::ExtractSliceOp slice) { return access.slice(slice); })
      .Case([&](tensor::InsertSliceOp insert) { return access.insert(insert); })
      .Case([&](tensor::PadOp pad) { return access.pad(pad); })
      .Case([&](tensor::ConcatOp concat) { return access.concat(concat); })
      .Case([&](tensor::ExtractOp extract) { return access.extract(extract); })
      .Case([&](tensor::GenerateOp generate) {
        return forEachCapture(op, generate.getRegion(), /*loops=*/{}, sizes,
                              unknown, use);
      })
      .Default([](Operation *) { return success(); });
}

bool fuse::padsWithZeros(tensor::PadOp op) {
  Value around = op.getConstantPaddingValue();
  TypedAttr value;
  if (!around || !matchPattern(around, m_Constant(&value)))
    return false;
  if (FloatAttr number = dyn_cast<FloatAttr>(value))
    return number.getValue().isPosZero();
  IntegerAttr number = dyn_cast<IntegerAttr>(value);
  return number && number.getValue().isZero();
}
