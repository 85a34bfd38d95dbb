// Many runs by one program that has started up once.
#ifndef FUSE_RUN_SERVE_H
#define FUSE_RUN_SERVE_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::fuse::run {

/// Compiles a small program, runs its reference, and forgets both: what is
/// loaded and set up at first use is there afterwards. Nothing runs on the
/// device. Failure with a diagnostic.
LogicalResult warmUp(MLIRContext &context);

/// Reads lines `LOG ARGUMENT…` from the standard input, with the quoting of a
/// shell, until it ends. For each, `run` is called with the program's name and
/// the arguments in a process of its own, a copy of this one, with standard
/// output and error in the file LOG. Then `exit CODE`, or `signal NUMBER` if
/// the copy died, is printed. No thread may run when this is called.
///
/// Returns the exit code: 0 at the end of the input, 1 where a line has no
/// arguments, a log cannot be made or a process cannot be started.
int serve(const char *program,
          llvm::function_ref<int(llvm::ArrayRef<const char *>)> run);

} // namespace mlir::fuse::run

#endif // FUSE_RUN_SERVE_H
