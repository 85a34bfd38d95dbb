// What is going on, on stderr: a line that is written over where stderr is a
// terminal, else a line now and then.
#ifndef FUSE_RUN_PROGRESS_H
#define FUSE_RUN_PROGRESS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::fuse::run {

enum class ProgressMode { Auto, Always, Never };
void setProgressMode(ProgressMode mode);

/// Says what starts now. Nothing is shown in the first two seconds.
void reportProgress(llvm::StringRef what);

/// The same with "done of total"; a total of 0 is unknown.
void reportProgress(llvm::StringRef what, int64_t done, int64_t total);

/// Takes the line away, so that other output starts at the left.
void clearProgress();

} // namespace mlir::fuse::run

#endif // FUSE_RUN_PROGRESS_H
