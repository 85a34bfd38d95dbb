// What every cost model promises, as a check that anybody can run over a model
// of their own: `checkCostModel`, or the pass `fuse-check-cost-models`.
#ifndef FUSE_MLIR_COSTMODEL_CONTRACT_H
#define FUSE_MLIR_COSTMODEL_CONTRACT_H

#include "fuse-mlir/CostModel/CostModel.h"

#include "mlir/IR/Block.h"

#include <string>
#include <vector>

namespace mlir::fuse {

/// A promise that a model has broken.
struct ContractViolation {
  /// `deterministic`, `thread-safe`, `non-negative`, `consistent`, `least` or
  /// `monotone`; docs/CostModel.md says what each one means.
  std::string rule;
  /// The kernel, and the numbers that do not fit.
  std::string message;
};

/// Kernels to try models on: element-wise, with a broadcast, a reduction over
/// rows, a contraction, a gather, and one of unknown size. Those of one family
/// differ in size only.
class ContractProbes {
public:
  /// Builds the kernels; loads the dialects that they need.
  explicit ContractProbes(MLIRContext *context);

  struct Probe {
    /// Family and number of elements, such as `rows 4096`.
    std::string name;
    unsigned family = 0;
    KernelView view;
  };
  /// By family, then by size.
  ArrayRef<Probe> getProbes() const { return probes; }

private:
  struct Storage {
    SmallVector<Operation *> ops;
    SmallVector<Value> inputs, outputs;
    std::optional<GroupShape> shape;
  };
  void add(std::string name, unsigned family, ArrayRef<Value> arguments,
           Value output);

  Block block;
  std::vector<std::unique_ptr<Storage>> storage;
  std::vector<Probe> probes;
};

struct ContractOptions {
  DeviceInfo device;
  /// Calls in a row, and threads that call at once.
  unsigned repetitions = 4, threads = 4;
  /// Whether more bytes must not cost less, for kernels that differ in size
  /// only and of which the smaller one has a block for each multiprocessor:
  /// what the models `analytic` and `traffic` promise on top.
  bool monotone = false;
};

/// What `model` breaks, each rule at most once for a kernel; empty if nothing.
std::vector<ContractViolation>
checkCostModel(const CostModel &model, ArrayRef<ContractProbes::Probe> probes,
               const ContractOptions &options);

} // namespace mlir::fuse

#endif // FUSE_MLIR_COSTMODEL_CONTRACT_H
