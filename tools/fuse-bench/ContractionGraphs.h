// The graphs of the suite `contractions`: matrix products and convolutions of
// well-known layers, with what usually follows them, and attentions.
#ifndef FUSE_MLIR_TOOLS_FUSE_BENCH_CONTRACTIONGRAPHS_H
#define FUSE_MLIR_TOOLS_FUSE_BENCH_CONTRACTIONGRAPHS_H

#include "mlir/Support/LLVM.h"

#include <string>
#include <vector>

namespace mlir::fuse::bench {

/// Contractions with factors of type `element` and f32 sums.
struct ContractionGraph {
  std::string name, element;
  /// Products of 16 × 8 × 16 elements that it takes at least, where a last one
  /// may be filled in part.
  double leastProducts = 0;
  /// Blocks do not take the same: a sample of them would not tell.
  bool isUneven = false;
  /// The program as MLIR text.
  std::string text;
};

/// silu(x w), x of `rows` × `depth` elements. `tile`: the tile that blocks must
/// own, as an attribute; empty if it is chosen.
ContractionGraph makeMatmul(int64_t rows, int64_t columns, int64_t depth,
                            StringRef element, StringRef tile = "");

/// Those of the table.
std::vector<ContractionGraph> getContractionGraphs();

} // namespace mlir::fuse::bench

#endif // FUSE_MLIR_TOOLS_FUSE_BENCH_CONTRACTIONGRAPHS_H
