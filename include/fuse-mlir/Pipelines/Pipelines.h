// The pipelines `fuse-plan`, `fuse-groups-to-gpu` and `fuse-to-ptx`.
#ifndef FUSE_MLIR_PIPELINES_PIPELINES_H
#define FUSE_MLIR_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassOptions.h"

#include <string>

namespace mlir {
class OpPassManager;
namespace fuse {

/// What decides which operators share a kernel.
template <typename Derived>
struct PlanningOptions : public PassPipelineOptions<Derived> {
  template <typename T>
  using Option = ::mlir::detail::PassOptions::Option<T>;

  Option<std::string> device{
      *this, "device",
      llvm::cl::desc("Device that plans are priced for and kernels are "
                     "compiled for: a name that fuse-attach-device knows or a "
                     "JSON file (default: the attached one, else h200)"),
      llvm::cl::init("")};
  Option<std::string> mode{
      *this, "mode",
      llvm::cl::desc("Fusions to try: all, producer-consumer or sibling "
                     "(default: all)"),
      llvm::cl::init("all")};
  Option<std::string> strategy{
      *this, "strategy",
      llvm::cl::desc("How groups are searched for: greedy, optimal, max, none "
                     "or a policy (docs/Policies.md; default: greedy)"),
      llvm::cl::init("greedy")};
  Option<int64_t> optimalLimit{
      *this, "optimal-limit",
      llvm::cl::desc("Groups and states that strategy optimal looks at in a "
                     "block before it stops (default: 100000)"),
      llvm::cl::init(100000)};
  Option<std::string> costModel{
      *this, "cost-model",
      llvm::cl::desc("What prices them: analytic, traffic, always or never, "
                     "with options in braces (default: analytic)"),
      llvm::cl::init("analytic")};
  Option<std::string> costModelPlugin{
      *this, "cost-model-plugin",
      llvm::cl::desc("Shared library that brings cost models (default: none)"),
      llvm::cl::init("")};
  Option<std::string> fpOrder{
      *this, "fp-order",
      llvm::cl::desc("Order of floating-point reductions: fixed or strict "
                     "(default: what fuse.fp_order says, else fixed)"),
      llvm::cl::init("")};
  Option<std::string> halfSums{
      *this, "half-sums",
      llvm::cl::desc("Sums of f16 and bf16: source, or f32 (default: what "
                     "fuse.half_sums says, else source)"),
      llvm::cl::init("")};
  Option<std::string> report{
      *this, "report",
      llvm::cl::desc("File that groups and decisions are written to, as JSON "
                     "(default: none)"),
      llvm::cl::init("")};
  Option<std::string> model{
      *this, "model",
      llvm::cl::desc("Name of the model in the report (default: none)"),
      llvm::cl::init("")};
  ::mlir::detail::PassOptions::ListOption<std::string> constraints{
      *this, "constraints",
      llvm::cl::desc("Group constraints to obey (default: those of the pass)")};
  Option<uint64_t> maxRegisters{
      *this, "max-registers",
      llvm::cl::desc("Registers of a thread that a fused kernel may have "
                     "(default: 0, no limit)"),
      llvm::cl::init(0)};
  Option<uint64_t> maxSharedBytes{
      *this, "max-shared-bytes",
      llvm::cl::desc("Shared memory of a block that a fused kernel may have "
                     "(default: 0, no limit)"),
      llvm::cl::init(0)};
  Option<uint64_t> maxPeakBytes{
      *this, "max-peak-bytes",
      llvm::cl::desc("Device memory of the program at its peak beyond which "
                     "no fusion may raise it (default: 0, no limit)"),
      llvm::cl::init(0)};
};

/// Where the buffers of the program are.
template <typename Derived>
struct MemoryOptions : public PlanningOptions<Derived> {
  ::mlir::detail::PassOptions::Option<std::string> memory{
      *this, "memory",
      llvm::cl::desc("Where arguments and results of functions live: host or "
                     "device (default: host)"),
      llvm::cl::init("host")};
};

struct FusePlanOptions : public PlanningOptions<FusePlanOptions> {};

struct FuseGroupsToGpuOptions
    : public PassPipelineOptions<FuseGroupsToGpuOptions> {
  Option<std::string> chip{
      *this, "chip",
      llvm::cl::desc("Chip that kernels will be compiled for, such as sm_90 "
                     "(default: that of the device)"),
      llvm::cl::init("")};
  Option<std::string> memory{
      *this, "memory",
      llvm::cl::desc("Where arguments and results of functions live: host or "
                     "device (default: host)"),
      llvm::cl::init("host")};
};

struct FuseToPtxOptions : public MemoryOptions<FuseToPtxOptions> {
  ::mlir::detail::PassOptions::Option<std::string> chip{
      *this, "chip",
      llvm::cl::desc("Chip to compile for, such as sm_90 (default: that of the "
                     "device)"),
      llvm::cl::init("")};
  ::mlir::detail::PassOptions::Option<std::string> features{
      *this, "features",
      llvm::cl::desc("PTX version as an LLVM feature, such as +ptx83 "
                     "(default: 8.3 or the first that knows the chip)"),
      llvm::cl::init("")};
  ::mlir::detail::PassOptions::Option<unsigned> optLevel{
      *this, "opt-level",
      llvm::cl::desc("How much LLVM optimizes kernels, 0 to 3 (default: 3)"),
      llvm::cl::init(3)};
  ::mlir::detail::PassOptions::Option<std::string> host{
      *this, "host",
      llvm::cl::desc("Form of the host code: mlir (GPU dialect) or llvm (LLVM "
                     "dialect) (default: mlir)"),
      llvm::cl::init("mlir")};
};

/// The part of the next one before the decision: of one program, it is the same
/// for all strategies.
void buildFusePreparePipeline(OpPassManager &pm,
                              const FusePlanOptions &options);

/// Tensors to groups: normalizes and classifies operators, and wraps those
/// that share a kernel in `fuse.group`.
void buildFusePlanPipeline(OpPassManager &pm, const FusePlanOptions &options);

/// Groups to kernels of the GPU dialect, with host code on buffers that
/// launches them.
void buildFuseGroupsToGpuPipeline(OpPassManager &pm,
                                  const FuseGroupsToGpuOptions &options);

/// Kernels of the GPU dialect to PTX in `gpu.binary`; host code stays as it is.
/// An empty `chip` is that of the device, empty `features` what it needs.
void buildFuseKernelsToPtxPipeline(OpPassManager &pm, StringRef chip,
                                   StringRef features, unsigned optLevel = 3);

/// The part of the next one that follows the decision: groups to PTX.
void buildFuseGroupsToPtxPipeline(OpPassManager &pm,
                                  const FuseToPtxOptions &options);

/// Tensors to PTX in `gpu.binary`: the first two, then code for the device
/// and, with `host=llvm`, for the host.
void buildFuseToPtxPipeline(OpPassManager &pm, const FuseToPtxOptions &options);

} // namespace fuse
} // namespace mlir

#endif // FUSE_MLIR_PIPELINES_PIPELINES_H
