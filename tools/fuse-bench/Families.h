// Made graphs of any size for the suite `planning`, as text.
#ifndef FUSE_MLIR_TOOLS_FUSE_BENCH_FAMILIES_H
#define FUSE_MLIR_TOOLS_FUSE_BENCH_FAMILIES_H

#include "mlir/Support/LLVM.h"

#include <string>

namespace mlir::fuse::bench {

struct Family {
  StringRef name;
  /// A module of about `ops` operators (fills and constants apart); the same
  /// text for the same number.
  std::string (*make)(int64_t ops);
};

/// - `chain`: element-wise operators, each reading the one before.
/// - `dag`: element-wise operators of two operands out of the last eight
///   values; no value is left unused.
/// - `blocks`: a residual around two row sums and eight element-wise operators,
///   over and over.
/// - `transformer`: layers of attention and GELU, 512 × 768.
/// - `optimizer`: Adam updates of a list of tensors.
///
/// The first three work on 256×512 f32.
ArrayRef<Family> getFamilies();

} // namespace mlir::fuse::bench

#endif // FUSE_MLIR_TOOLS_FUSE_BENCH_FAMILIES_H
