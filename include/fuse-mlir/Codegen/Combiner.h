// How partial results of a reduction are combined.
#ifndef FUSE_MLIR_CODEGEN_COMBINER_H
#define FUSE_MLIR_CODEGEN_COMBINER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"

#include <optional>

namespace mlir::fuse {

/// The update of one accumulator: `acc = op(acc, operand)`.
struct Combiner {
  /// The combining operation in the body.
  Operation *op = nullptr;
  /// What is combined into the accumulator; a value of the body.
  Value operand;

  Type getType() const { return operand.getType(); }
  Value combine(OpBuilder &builder, Location loc, Value a, Value b) const;
  /// The value that changes nothing: -0.0 for a sum, -inf for a maximum.
  TypedAttr getNeutral() const;
};

/// The combiners of the results of `op`, or nothing if one is not recognised.
std::optional<SmallVector<Combiner>> matchCombiners(linalg::LinalgOp op);

} // namespace mlir::fuse

#endif // FUSE_MLIR_CODEGEN_COMBINER_H
