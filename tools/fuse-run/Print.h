// The tables that fuse-run prints.
#ifndef FUSE_RUN_PRINT_H
#define FUSE_RUN_PRINT_H

#include "Compile.h"

namespace mlir::fuse::run {

struct PrintOptions {
  bool kernelTable = true;
  /// Every decision instead of the summary.
  bool allDecisions = false;
};

/// What running gave, for the last line.
struct Verdict {
  /// Why nothing was compared; empty if something was.
  std::string notRun;
  /// What ran the kernels.
  std::string backend;
  double maxError = 0.0;
  bool verified = false;
  /// One line for each result that differs, with examples.
  std::vector<std::string> details;
};

void printSummary(const CompileResult &result, const Verdict &verdict,
                  const PrintOptions &options, raw_ostream &os);

} // namespace mlir::fuse::run

#endif // FUSE_RUN_PRINT_H
