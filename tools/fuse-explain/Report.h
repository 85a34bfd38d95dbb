// A whole plan as JSON, for tools that show it: the report with the prices of
// kernels and decisions term by term, and who reads whose results.
#ifndef FUSE_EXPLAIN_REPORT_H
#define FUSE_EXPLAIN_REPORT_H

#include "fuse-mlir/Planner/PlanRequest.h"

#include "llvm/Support/JSON.h"

namespace mlir::fuse::explain {

/// docs/Report.md: what `fuse-form-groups` writes, and the keys that are marked
/// there as those of fuse-explain.
llvm::json::Value makeExplainedReport(const Plan &plan, Operation *root,
                                      const PlanOptions &options,
                                      StringRef path, StringRef costModel);

} // namespace mlir::fuse::explain

#endif // FUSE_EXPLAIN_REPORT_H
