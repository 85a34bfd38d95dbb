// Reads a JSON object from a file of the repository.
#ifndef FUSE_MLIR_TOOLS_FUSE_BENCH_JSONFILE_H
#define FUSE_MLIR_TOOLS_FUSE_BENCH_JSONFILE_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/JSON.h"

namespace mlir::fuse::bench {

/// The object in `path`; an error is reported if there is none.
FailureOr<llvm::json::Object> readJsonFile(StringRef path);

} // namespace mlir::fuse::bench

#endif // FUSE_MLIR_TOOLS_FUSE_BENCH_JSONFILE_H
