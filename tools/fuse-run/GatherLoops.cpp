// Gathers in the reference: a loop over the coordinates, each of which copies a
// slice.
#include "Reference.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

/// Sizes and offsets of the slice of the source that belongs to the indices at
/// `place`.
static void findSlice(OpBuilder &b, tensor::GatherOp op, ValueRange place,
                      SmallVectorImpl<OpFoldResult> &offsets,
                      SmallVectorImpl<OpFoldResult> &sizes) {
  Location loc = op.getLoc();
  for (int64_t size : op.getSourceType().getShape())
    sizes.push_back(b.getIndexAttr(size));
  offsets.assign(sizes.size(), b.getIndexAttr(0));
  for (auto [number, dimension] : llvm::enumerate(op.getGatherDims())) {
    SmallVector<Value> at(place);
    at.push_back(arith::ConstantIndexOp::create(b, loc, number));
    Value offset = tensor::ExtractOp::create(b, loc, op.getIndices(), at);
    if (!offset.getType().isIndex())
      offset = arith::IndexCastOp::create(b, loc, b.getIndexType(), offset);
    offsets[dimension] = offset;
    sizes[dimension] = b.getIndexAttr(1);
  }
}

static void lowerGather(tensor::GatherOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  RankedTensorType type = op.getResultType();
  int64_t batch = op.getIndicesType().getRank() - 1;
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  SmallVector<Value> ends;
  for (int64_t size : type.getShape().take_front(batch))
    ends.push_back(index(size));
  SmallVector<Value> begins(batch, index(0)), steps(batch, index(1));
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  auto body = [&](OpBuilder &b, Location, ValueRange place,
                  ValueRange result) -> scf::ValueVector {
    SmallVector<OpFoldResult> offsets, sizes;
    findSlice(b, op, place, offsets, sizes);
    SmallVector<OpFoldResult> ones(offsets.size(), b.getIndexAttr(1));
    // The slice as it lies in the result, without the dimensions of the batch.
    auto sliceType = RankedTensorType::get(type.getShape().drop_front(batch),
                                           type.getElementType());
    Value slice = tensor::ExtractSliceOp::create(
        b, loc, sliceType, op.getSource(), offsets, sizes, ones);
    SmallVector<OpFoldResult> at(place.begin(), place.end());
    at.resize(type.getRank(), b.getIndexAttr(0));
    SmallVector<OpFoldResult> extents(batch, b.getIndexAttr(1));
    for (int64_t size : sliceType.getShape())
      extents.push_back(b.getIndexAttr(size));
    ones.assign(at.size(), b.getIndexAttr(1));
    return {tensor::InsertSliceOp::create(b, loc, slice, result.front(), at,
                                          extents, ones)
                .getResult()};
  };
  scf::LoopNest nest =
      scf::buildLoopNest(builder, loc, begins, ends, steps, empty, body);
  op.replaceAllUsesWith(nest.results.front());
  op.erase();
}

void fuse::run::lowerGathers(ModuleOp module) {
  SmallVector<tensor::GatherOp> targets;
  module.walk([&](tensor::GatherOp op) {
    if (op.getResultType().hasStaticShape() &&
        op.getSourceType().hasStaticShape())
      targets.push_back(op);
  });
  for (tensor::GatherOp op : targets)
    lowerGather(op);
}
