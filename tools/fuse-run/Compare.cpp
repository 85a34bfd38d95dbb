// Runs compiled code and the reference, and compares what they give.
#include "Compare.h"
#include "Progress.h"
#include "Reference.h"

#include "fuse-mlir/Transforms/WidenSums.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/InterleavedRange.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::run;

LogicalResult fuse::run::runOnCopies(ModuleOp module, const Model &model,
                                     const std::vector<HostTensor> &inputs,
                                     std::vector<HostTensor> &results,
                                     const ExecuteOptions &options,
                                     bool mayWriteInputs) {
  std::vector<HostTensor> copies = inputs;
  if (failed(execute(module, model, copies, results, options)))
    return failure();
  for (auto [index, port] : llvm::enumerate(model.inputs)) {
    if (port.isBuffer)
      results.push_back(copies[index]);
    else if (!mayWriteInputs && !port.isLeft &&
             copies[index].data != inputs[index].data)
      return module.emitError()
             << "the compiled program writes into input " << index;
  }
  return success();
}

LogicalResult fuse::run::runReference(ModuleOp module, const Model &model,
                                      const std::vector<HostTensor> &inputs,
                                      std::vector<HostTensor> &results) {
  reportProgress("compiling the reference");
  OwningOpRef<ModuleOp> clone = module.clone();
  int64_t work = estimateWork(*clone);
  widenHalfSums(*clone);
  if (failed(lowerReference(*clone)))
    return failure();
  ExecuteOptions execution;
  // Optimizing takes longer than running where there is little to do.
  execution.optimize = work > 300'000'000;
  reportProgress("jitting the reference");
  // Upstream's bufferization takes arguments for writable.
  return runOnCopies(*clone, model, inputs, results, execution,
                     /*mayWriteInputs=*/true);
}

void fuse::run::compareAll(const std::vector<HostTensor> &got,
                           const std::vector<HostTensor> &expected,
                           StringRef sizes, ArrayRef<double> tolerances,
                           Verdict &verdict) {
  double largest = 0.0;
  for (const HostTensor &tensor : expected)
    if (tensor.isFloat())
      largest = std::max(largest, getLargestMagnitude(tensor));
  for (size_t i = 0; i < expected.size(); ++i) {
    if (got[i].shape != expected[i].shape) {
      verdict.verified = false;
      std::string text = sizes.str();
      llvm::raw_string_ostream(text)
          << "result " << i << " has the shape "
          << llvm::interleaved_array(got[i].shape) << ", expected "
          << llvm::interleaved_array(expected[i].shape);
      verdict.details.push_back(text);
      continue;
    }
    double scale = getLargestMagnitude(expected[i]);
    // Rounding noise around zero: see docs/Report.md.
    if (scale < largest * tolerances[i])
      scale = largest;
    Comparison comparison =
        compareTensors(got[i], expected[i], scale, tolerances[i]);
    verdict.maxError = std::max(verdict.maxError, comparison.maxError);
    if (comparison.ok())
      continue;
    verdict.verified = false;
    std::string text = sizes.str();
    llvm::raw_string_ostream os(text);
    os << "result " << i << " (" << llvm::interleaved(expected[i].shape, "x")
       << (expected[i].shape.empty() ? "" : "x") << expected[i].elementType
       << "): " << comparison.mismatches << " of "
       << expected[i].getNumElements() << " differ, max error "
       << llvm::format("%.3g, tolerance %.3g", comparison.maxError,
                       comparison.tolerance);
    for (int64_t index : comparison.examples)
      os << "\n    " << expected[i].getCoordinates(index) << " got "
         << got[i].getAsString(index) << ", expected "
         << expected[i].getAsString(index);
    verdict.details.push_back(text);
  }
}
