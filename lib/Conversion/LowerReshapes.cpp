// Says sizes and strides of reshapes of buffers where upstream's
// `expand-strided-metadata` does not find them.
#include "fuse-mlir/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_LOWERRESHAPESPASS
#include "fuse-mlir/Conversion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;

/// Whether one size of the source becomes several that only run time tells.
static bool splitsUnknownSizes(memref::ExpandShapeOp expand) {
  return llvm::any_of(
      expand.getReassociationIndices(), [&](const ReassociationIndices &group) {
        return llvm::count_if(group, [&](int64_t dim) {
                 return expand.getResultType().isDynamicDim(dim);
               }) > 1;
      });
}

/// The strides of what `expand` makes: those that its type does not tell are
/// values.
static SmallVector<OpFoldResult> getStrides(OpBuilder &builder,
                                            memref::ExpandShapeOp expand,
                                            ValueRange sourceStrides) {
  Location loc = expand.getLoc();
  SmallVector<int64_t> strides =
      expand.getResultType().getStridesAndOffset().first;
  SmallVector<OpFoldResult> sizes = expand.getMixedOutputShape();
  SmallVector<OpFoldResult> result(strides.size());
  for (auto [group, stride] :
       llvm::zip(expand.getReassociationIndices(), sourceStrides)) {
    Value step = stride;
    for (int64_t dim : llvm::reverse(group)) {
      result[dim] = ShapedType::isDynamic(strides[dim])
                        ? OpFoldResult(step)
                        : builder.getIndexAttr(strides[dim]);
      step = arith::MulIOp::create(
          builder, loc, step,
          getValueOrCreateConstantIndexOp(builder, loc, sizes[dim]));
    }
  }
  return result;
}

static void spellOut(memref::ExpandShapeOp expand) {
  OpBuilder builder(expand);
  memref::ExtractStridedMetadataOp source =
      memref::ExtractStridedMetadataOp::create(builder, expand.getLoc(),
                                               expand.getSrc());
  MemRefType type = expand.getResultType();
  int64_t offset = type.getStridesAndOffset().second;
  OpFoldResult start = ShapedType::isDynamic(offset)
                           ? OpFoldResult(source.getOffset())
                           : builder.getIndexAttr(offset);
  SmallVector<OpFoldResult> strides =
      getStrides(builder, expand, source.getStrides());
  expand.replaceAllUsesWith(memref::ReinterpretCastOp::create(
                                builder, expand.getLoc(), type, expand.getSrc(),
                                start, expand.getMixedOutputShape(), strides)
                                .getResult());
  expand.erase();
}

namespace {
struct LowerReshapes : public fuse::impl::LowerReshapesPassBase<LowerReshapes> {
  using Base::Base;

  void runOnOperation() override {
    getOperation()->walk([](memref::ExpandShapeOp expand) {
      if (splitsUnknownSizes(expand))
        spellOut(expand);
    });
  }
};
} // namespace
