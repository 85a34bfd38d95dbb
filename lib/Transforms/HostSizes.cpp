// Sizes of values that kernels make, see the header.
#include "fuse-mlir/Transforms/HostSizes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class SizeFinder {
public:
  SizeFinder(OpBuilder &builder, llvm::function_ref<Value(Value)> onHost)
      : builder(builder), onHost(onHost) {}

  std::optional<OpFoldResult> find(Value value, int64_t dim);

private:
  std::optional<OpFoldResult> findInside(OpResult value, int64_t dim);
  /// An operand that says a size: a constant, or a value of the host.
  std::optional<OpFoldResult> take(OpFoldResult size);
  std::optional<OpFoldResult> product(Value value, ArrayRef<int64_t> dims);
  std::optional<OpFoldResult> sum(Location loc, ArrayRef<OpFoldResult> terms);

  OpBuilder &builder;
  llvm::function_ref<Value(Value)> onHost;
};
} // namespace

std::optional<OpFoldResult> SizeFinder::find(Value value, int64_t dim) {
  RankedTensorType type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return std::nullopt;
  if (!type.isDynamicDim(dim))
    return OpFoldResult(builder.getIndexAttr(type.getDimSize(dim)));
  if (Value outer = onHost(value))
    return tensor::getMixedSize(builder, value.getLoc(), outer, dim);
  if (OpResult result = dyn_cast<OpResult>(value))
    return findInside(result, dim);
  return std::nullopt;
}

std::optional<OpFoldResult> SizeFinder::take(OpFoldResult size) {
  Value value = dyn_cast<Value>(size);
  if (!value)
    return size;
  if (Value outer = onHost(value))
    return outer.getType().isIndex()
               ? OpFoldResult(outer)
               : OpFoldResult(
                     arith::IndexCastOp::create(builder, outer.getLoc(),
                                                builder.getIndexType(), outer)
                         .getResult());
  if (arith::ConstantOp known = value.getDefiningOp<arith::ConstantOp>())
    return OpFoldResult(
        builder.getIndexAttr(cast<IntegerAttr>(known.getValue()).getInt()));
  if (arith::IndexCastOp cast = value.getDefiningOp<arith::IndexCastOp>())
    return take(OpFoldResult(cast.getIn()));
  if (tensor::DimOp dim = value.getDefiningOp<tensor::DimOp>())
    if (std::optional<int64_t> index = dim.getConstantIndex())
      return find(dim.getSource(), *index);
  return std::nullopt;
}

std::optional<OpFoldResult> SizeFinder::product(Value value,
                                                ArrayRef<int64_t> dims) {
  SmallVector<OpFoldResult> sizes;
  AffineExpr expr = builder.getAffineConstantExpr(1);
  for (int64_t dim : dims) {
    std::optional<OpFoldResult> size = find(value, dim);
    if (!size)
      return std::nullopt;
    expr = expr * builder.getAffineSymbolExpr(sizes.size());
    sizes.push_back(*size);
  }
  return affine::makeComposedFoldedAffineApply(builder, value.getLoc(), expr,
                                               sizes);
}

std::optional<OpFoldResult> SizeFinder::sum(Location loc,
                                            ArrayRef<OpFoldResult> terms) {
  AffineExpr expr = builder.getAffineConstantExpr(0);
  for (unsigned i = 0; i < terms.size(); ++i)
    expr = expr + builder.getAffineSymbolExpr(i);
  return affine::makeComposedFoldedAffineApply(builder, loc, expr, terms);
}

std::optional<OpFoldResult> SizeFinder::findInside(OpResult value,
                                                   int64_t dim) {
  using Size = std::optional<OpFoldResult>;
  return TypeSwitch<Operation *, Size>(value.getOwner())
      .Case([&](DestinationStyleOpInterface op) -> Size {
        return find(op.getTiedOpOperand(value)->get(), dim);
      })
      .Case([&](tensor::EmptyOp op) -> Size {
        return take(op.getMixedSizes()[dim]);
      })
      .Case(
          [&](tensor::CastOp op) -> Size { return find(op.getSource(), dim); })
      .Case([&](tensor::ExpandShapeOp op) -> Size {
        return take(op.getMixedOutputShape()[dim]);
      })
      .Case([&](tensor::CollapseShapeOp op) -> Size {
        return product(op.getSrc(), op.getReassociationIndices()[dim]);
      })
      .Case([&](tensor::ExtractSliceOp op) -> Size {
        llvm::SmallBitVector dropped = op.getDroppedDims();
        SmallVector<OpFoldResult> sizes = op.getMixedSizes();
        for (int64_t i = 0, kept = 0, e = sizes.size(); i < e; ++i)
          if (!dropped.test(i) && kept++ == dim)
            return take(sizes[i]);
        return std::nullopt;
      })
      .Case([&](tensor::InsertSliceOp op) -> Size {
        return find(op.getDest(), dim);
      })
      .Case([&](tensor::PadOp op) -> Size {
        Size source = find(op.getSource(), dim);
        Size low = take(op.getMixedLowPad()[dim]);
        Size high = take(op.getMixedHighPad()[dim]);
        if (!source || !low || !high)
          return std::nullopt;
        return sum(op.getLoc(), {*source, *low, *high});
      })
      .Case([&](tensor::ConcatOp op) -> Size {
        if (int64_t(op.getDim()) != dim)
          return find(op.getInputs().front(), dim);
        SmallVector<OpFoldResult> parts;
        for (Value input : op.getInputs()) {
          Size part = find(input, dim);
          if (!part)
            return std::nullopt;
          parts.push_back(*part);
        }
        return sum(op.getLoc(), parts);
      })
      .Case([&](tensor::ReshapeOp op) -> Size {
        tensor::FromElementsOp shape =
            op.getShape().getDefiningOp<tensor::FromElementsOp>();
        return shape ? take(OpFoldResult(shape.getElements()[dim]))
                     : std::nullopt;
      })
      .Case([&](tensor::GenerateOp op) -> Size {
        return take(getMixedValues(op.getType().getShape(),
                                   op.getDynamicExtents(),
                                   builder.getContext())[dim]);
      })
      .Case([&](tensor::SplatOp op) -> Size {
        return take(getMixedValues(op.getType().getShape(),
                                   op.getDynamicSizes(),
                                   builder.getContext())[dim]);
      })
      .Default([&](Operation *op) -> Size {
        if (!OpTrait::hasElementwiseMappableTraits(op))
          return std::nullopt;
        for (Value operand : op->getOperands())
          if (isa<RankedTensorType>(operand.getType()))
            return find(operand, dim);
        return std::nullopt;
      });
}

std::optional<OpFoldResult>
fuse::getHostSize(OpBuilder &builder, Value value, int64_t dim,
                  llvm::function_ref<Value(Value)> onHost) {
  return SizeFinder(builder, onHost).find(value, dim);
}
