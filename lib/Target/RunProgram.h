// Runs a program of the CUDA toolkit and keeps what it prints.
#ifndef FUSE_MLIR_LIB_TARGET_RUNPROGRAM_H
#define FUSE_MLIR_LIB_TARGET_RUNPROGRAM_H

#include "mlir/Support/LLVM.h"

#include <optional>
#include <string>

namespace mlir::fuse {

/// Runs `program` with `args`, the first of which is its name. What it prints;
/// nothing, with `message`, if it cannot be run or ends with another code than
/// 0.
std::optional<std::string> runProgram(StringRef program,
                                      ArrayRef<StringRef> args,
                                      std::string &message);

} // namespace mlir::fuse

#endif // FUSE_MLIR_LIB_TARGET_RUNPROGRAM_H
