// Makes host code stop with a message where it would read or write outside of a
// tensor, or ask for a dimension that a tensor does not have: indices that come
// from data.
#include "fuse-mlir/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_CHECKEXTRACTSPASS
#include "fuse-mlir/Conversion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;

/// Whether 0 <= `index` < the size of dimension `dim` is known.
static bool isWithin(Value index, Value tensor, int64_t dim) {
  using Bounds = ValueBoundsConstraintSet;
  int64_t size = cast<RankedTensorType>(tensor.getType()).getDimSize(dim);
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return *constant >= 0 && !ShapedType::isDynamic(size) && *constant < size;
  Builder builder(index.getContext());
  OpFoldResult zero = builder.getIndexAttr(0);
  bool below = ShapedType::isDynamic(size)
                   ? Bounds::compare(index, Bounds::ComparisonOperator::LT,
                                     Bounds::Variable(tensor, dim))
                   : Bounds::compare(index, Bounds::ComparisonOperator::LT,
                                     OpFoldResult(builder.getIndexAttr(size)));
  return below && Bounds::compare(index, Bounds::ComparisonOperator::GE, zero);
}

/// `file:line:column`, or the location as it is printed.
static std::string describe(Location loc) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (FileLineColLoc place = loc->findInstanceOf<FileLineColLoc>())
    os << place.getFilename().getValue() << ":" << place.getLine() << ":"
       << place.getColumn();
  else
    os << loc;
  return text;
}

static void assertBefore(OpBuilder &builder, Operation *op, Value holds,
                         const Twine &message) {
  Location loc = op->getLoc();
  cf::AssertOp::create(builder, loc, holds,
                       builder.getStringAttr(describe(loc) + ": " + message));
}

/// Asserts in front of `op` that the shape has the dimension. The size of one
/// that it cannot have is replaced: analyses of sizes would look it up.
static void checkDimension(ShapedDimOpInterface op) {
  auto type = dyn_cast<ShapedType>(op.getShapedValue().getType());
  if (!type || !type.hasRank())
    return;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  int64_t rank = type.getRank();
  std::optional<int64_t> constant = getConstantIntValue(op.getDimension());
  if (constant && *constant >= 0 && *constant < rank)
    return;
  Value below;
  if (constant)
    below = arith::ConstantIntOp::create(builder, loc, false, 1);
  else
    below = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult,
        getValueOrCreateConstantIndexOp(builder, loc, op.getDimension()),
        arith::ConstantIndexOp::create(builder, loc, rank));
  assertBefore(builder, op, below,
               "'" + op->getName().getStringRef() +
                   "' asks for a dimension that a shape of rank " +
                   Twine(rank) + " does not have");
  if (!constant)
    return;
  op->getResult(0).replaceAllUsesWith(
      arith::ConstantIndexOp::create(builder, loc, 0));
  op->erase();
}

/// Asserts in front of `op` that it accesses an element that there is.
static void check(Operation *op, Value tensor, ValueRange indices) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  for (auto [dim, index] : llvm::enumerate(indices)) {
    if (isWithin(index, tensor, int64_t(dim)))
      continue;
    Value size = getValueOrCreateConstantIndexOp(
        builder, loc, tensor::getMixedSize(builder, loc, tensor, int64_t(dim)));
    // A negative index is large.
    Value below = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                        index, size);
    assertBefore(builder, op, below,
                 "index " + Twine(dim) + " of '" +
                     op->getName().getStringRef() +
                     "' is outside of the tensor");
  }
}

namespace {
struct CheckExtracts : public fuse::impl::CheckExtractsPassBase<CheckExtracts> {
  void runOnOperation() override {
    // Of kernels and of the bodies of operators nothing is checked. ValueBounds
    // does not know the arguments of a body.
    auto isLeftOut = llvm::IsaPred<gpu::GPUModuleOp, linalg::LinalgOp,
                                   tensor::GenerateOp, tensor::PadOp>;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isLeftOut(op))
        return WalkResult::skip();
      if (auto dim = dyn_cast<ShapedDimOpInterface>(op)) {
        checkDimension(dim);
        return WalkResult::skip();
      }
      return WalkResult::advance();
    });
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isLeftOut(op))
        return WalkResult::skip();
      if (auto extract = dyn_cast<tensor::ExtractOp>(op))
        check(op, extract.getTensor(), extract.getIndices());
      if (auto insert = dyn_cast<tensor::InsertOp>(op))
        check(op, insert.getDest(), insert.getIndices());
      return WalkResult::advance();
    });
  }
};
} // namespace
