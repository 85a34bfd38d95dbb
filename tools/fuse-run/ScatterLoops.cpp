// Scatters in the reference: loops over the updates, in order. What would be
// written outside of the tensor is left out.
#include "Reference.h"

#include "fuse-mlir/Transforms/ScatterCalls.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::fuse;

/// Where update `ivs` (its number, and its place in the slice) goes, and
/// whether that is in the tensor.
static std::pair<SmallVector<Value>, Value>
findPlace(ImplicitLocOpBuilder &b, const ScatterCall &scatter,
          ArrayRef<Value> ivs) {
  auto type = cast<RankedTensorType>(scatter.original.getType());
  SmallVector<Value> place(type.getRank());
  Value inside = arith::ConstantOp::create(b, b.getBoolAttr(true));
  for (int64_t dimension = 0; dimension < type.getRank(); ++dimension)
    if (int64_t from = scatter.getUpdateDimension(dimension))
      place[dimension] = ivs[from];
  for (auto [j, dimension] : llvm::enumerate(scatter.dimensions)) {
    Value column = arith::ConstantIndexOp::create(b, j);
    Value at = tensor::ExtractOp::create(b, scatter.indices,
                                         ValueRange{ivs.front(), column});
    if (!at.getType().isIndex())
      at = arith::IndexCastOp::create(b, b.getIndexType(), at);
    Value size = arith::ConstantIndexOp::create(b, type.getDimSize(dimension));
    inside = arith::AndIOp::create(
        b, inside,
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, at, size));
    place[dimension] = at;
  }
  return {place, inside};
}

/// `tensor` with the update `ivs` done.
static Value update(ImplicitLocOpBuilder &b, const ScatterCall &scatter,
                    ArrayRef<Value> ivs, Value tensor) {
  auto [place, inside] = findPlace(b, scatter, ivs);
  scf::IfOp branch =
      scf::IfOp::create(b, TypeRange(tensor.getType()), inside, true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(branch.thenBlock());
  Value next = tensor::ExtractOp::create(b, scatter.updates, ivs);
  if (scatter.adds) {
    Value old = tensor::ExtractOp::create(b, tensor, place);
    if (isa<FloatType>(old.getType()))
      next = arith::AddFOp::create(b, next, old);
    else
      next = arith::AddIOp::create(b, next, old);
  }
  next = tensor::InsertOp::create(b, next, tensor, place);
  scf::YieldOp::create(b, next);
  b.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(b, tensor);
  return branch.getResult(0);
}

/// Loops over the dimensions of the updates from `ivs.size()` on.
static Value addLoops(ImplicitLocOpBuilder &b, const ScatterCall &scatter,
                      SmallVector<Value> ivs, Value tensor) {
  auto type = cast<RankedTensorType>(scatter.updates.getType());
  if (int64_t(ivs.size()) == type.getRank())
    return update(b, scatter, ivs, tensor);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value size = arith::ConstantIndexOp::create(b, type.getDimSize(ivs.size()));
  scf::ForOp loop = scf::ForOp::create(b, zero, size, one, tensor);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(loop.getBody());
  ivs.push_back(loop.getInductionVar());
  Value next = addLoops(b, scatter, ivs, loop.getRegionIterArg(0));
  scf::YieldOp::create(b, next);
  return loop.getResult(0);
}

/// Each update replaces its row.
static void lowerScatter(tosa::ScatterOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  SmallVector<Value> ends;
  for (int64_t i = 0; i < 3; ++i)
    ends.push_back(tensor::DimOp::create(b, op.getInput(), i));
  auto body = [&](OpBuilder &inner, Location loc, ValueRange place,
                  ValueRange result) -> scf::ValueVector {
    Value row = tensor::ExtractOp::create(inner, loc, op.getIndices(),
                                          place.take_front(2));
    row = arith::IndexCastOp::create(inner, loc, inner.getIndexType(), row);
    Value element = tensor::ExtractOp::create(inner, loc, op.getInput(), place);
    return {tensor::InsertOp::create(inner, loc, element, result.front(),
                                     ValueRange{place[0], row, place[2]})
                .getResult()};
  };
  scf::LoopNest nest =
      scf::buildLoopNest(b, b.getLoc(), SmallVector<Value>(3, zero), ends,
                         SmallVector<Value>(3, one), op.getValuesIn(), body);
  op.getResult().replaceAllUsesWith(nest.results.front());
  op.erase();
}

void fuse::run::lowerScatters(ModuleOp module) {
  SmallVector<tosa::ScatterOp> scatters;
  module.walk([&](tosa::ScatterOp op) { scatters.push_back(op); });
  for (tosa::ScatterOp op : scatters)
    lowerScatter(op);
  SmallVector<CallOpInterface> calls;
  module.walk([&](CallOpInterface call) { calls.push_back(call); });
  for (CallOpInterface call : calls) {
    std::optional<ScatterCall> scatter = matchScatterCall(call);
    if (!scatter)
      continue;
    ImplicitLocOpBuilder b(call.getLoc(), call);
    call->getResult(0).replaceAllUsesWith(
        addLoops(b, *scatter, {}, scatter->original));
    call.erase();
  }
}
