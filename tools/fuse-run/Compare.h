// The two sides of a run, compiled code and the unfused reference, and what is
// said of their difference (docs/Report.md, "How results are compared").
#ifndef FUSE_RUN_COMPARE_H
#define FUSE_RUN_COMPARE_H

#include "Execute.h"
#include "Print.h"

namespace mlir::fuse::run {

/// Runs compiled code on a copy of the inputs. Buffers that the function may
/// write are results like those that it returns; tensors must stay as they are,
/// unless the caller leaves them to the function: what then becomes of them is
/// not said.
LogicalResult runOnCopies(ModuleOp module, const Model &model,
                          const std::vector<HostTensor> &inputs,
                          std::vector<HostTensor> &results,
                          const ExecuteOptions &options, bool mayWriteInputs);

/// What the unfused `module` computes, lowered by upstream's passes.
LogicalResult runReference(ModuleOp module, const Model &model,
                           const std::vector<HostTensor> &inputs,
                           std::vector<HostTensor> &results);

/// Compares all results, each with its tolerance, and describes what differs;
/// `sizes` says in front of it which ones the run had.
void compareAll(const std::vector<HostTensor> &got,
                const std::vector<HostTensor> &expected, StringRef sizes,
                ArrayRef<double> tolerances, Verdict &verdict);

} // namespace mlir::fuse::run

#endif // FUSE_RUN_COMPARE_H
