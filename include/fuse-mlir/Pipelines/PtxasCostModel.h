// The cost model `ptxas`: registers, spills, shared memory and code size of a
// candidate are those of the assembled kernel, the rest is analytic.
#ifndef FUSE_MLIR_PIPELINES_PTXASCOSTMODEL_H
#define FUSE_MLIR_PIPELINES_PTXASCOSTMODEL_H

#include "fuse-mlir/CostModel/CostModel.h"
#include "fuse-mlir/Target/Ptxas.h"

#include <memory>
#include <mutex>
#include <string>

namespace mlir::fuse {

/// What the assembler says of a candidate, or why it says nothing.
struct AssembledKernel {
  std::optional<KernelResources> resources;
  /// Set if there are no resources: a sentence without a full stop.
  std::string reason;
};

/// Compiles candidates through `fuse-groups-to-gpu` and assembles them. Keeps
/// what it has learned: in memory by the text of the candidate, and if asked to
/// in files by the PTX, the chip and the version of `ptxas`. Thread-safe; one
/// candidate is worked on at a time.
class CandidateAssembler {
public:
  /// `ptxas` is the program to run (empty: the one that is found), `cacheDir` a
  /// folder that exists (empty: no files).
  CandidateAssembler(std::string ptxas, std::string cacheDir);
  ~CandidateAssembler();

  AssembledKernel assemble(const KernelView &kernel);

private:
  AssembledKernel compile(StringRef text, MLIRContext *source, StringRef chip);
  AssembledKernel assemblePtx(StringRef ptx, StringRef chip);

  std::optional<Ptxas> program;
  std::string version, cacheDir;
  std::mutex mutex;
  llvm::StringMap<AssembledKernel> known;
  /// Where candidates are compiled: apart from the program that is planned,
  /// whose passes may run in parallel.
  std::unique_ptr<MLIRContext> context;
};

/// Analytic prices of assembled kernels. A kernel is assembled only if it
/// matters: where half and twice the estimated registers give one price, and
/// nothing spills, the estimate is kept, unless `always` is set. What cannot be
/// assembled is estimated as well; `explain` has the reason as a note.
class PtxasCostModel : public AnalyticCostModel {
public:
  PtxasCostModel(std::shared_ptr<CandidateAssembler> assembler, bool always)
      : assembler(std::move(assembler)), always(always) {}

  Quantity registersPerThread(const KernelView &kernel) const override;
  Quantity spilledBytesPerThread(const KernelView &kernel,
                                 const DeviceInfo &device) const override;
  Quantity codeBytes(const KernelView &kernel) const override;
  CostBreakdown explain(const KernelView &kernel,
                        const DeviceInfo &device) const override;

private:
  /// Nothing if the estimate will do.
  std::optional<AssembledKernel> getAssembled(const KernelView &kernel) const;

  std::shared_ptr<CandidateAssembler> assembler;
  bool always;
};

/// Adds `ptxas` with its options `assemble=needed|always`, `cache=DIR` and
/// `program=FILE`. Models of one registry share what has been assembled.
void registerPtxasCostModel(CostModelRegistry &registry);

} // namespace mlir::fuse

#endif // FUSE_MLIR_PIPELINES_PTXASCOSTMODEL_H
