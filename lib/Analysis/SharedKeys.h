// Heads of queries that have the same keys and values.
#ifndef FUSE_MLIR_LIB_ANALYSIS_SHAREDKEYS_H
#define FUSE_MLIR_LIB_ANALYSIS_SHAREDKEYS_H

#include "fuse-mlir/Analysis/AnalysisCache.h"
#include "fuse-mlir/Analysis/StreamedAttention.h"

namespace mlir::fuse {

/// Numbers of heads of `shape` that follow each other, have the same keys and
/// values, and few enough queries for one block to take them all: divisors of
/// the largest one, itself first; more than one.
llvm::SmallVector<int64_t> findHeadsOfKeys(const GroupShape &shape,
                                           const StreamedAttention &attention,
                                           AnalysisCache &cache);

} // namespace mlir::fuse

#endif // FUSE_MLIR_LIB_ANALYSIS_SHAREDKEYS_H
