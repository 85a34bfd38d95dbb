// The command-line flags of tools that plan, all in one place.
#ifndef FUSE_TOOLS_PLANFLAGS_H
#define FUSE_TOOLS_PLANFLAGS_H

#include "fuse-mlir/Planner/PlanRequest.h"

#include "llvm/Support/CommandLine.h"

namespace mlir::fuse {

/// What fuse-plan understands as options of a pass, as flags of the same names.
/// A member of a tool's options, so that nothing is registered globally.
struct PlanFlags {
  explicit PlanFlags(llvm::cl::OptionCategory &category) : category(category) {}

  PlanRequest getRequest() const {
    PlanRequest request;
    copyPlanOptions(*this, request);
    return request;
  }

  llvm::cl::OptionCategory &category;
  llvm::cl::opt<std::string> mode{
      "mode", llvm::cl::init("all"),
      llvm::cl::desc("all, producer-consumer or sibling (default: all)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> strategy{
      "strategy", llvm::cl::init("greedy"),
      llvm::cl::desc(
          "greedy, optimal, max, none or a policy, such as policy-xla "
          "(docs/Policies.md; default: greedy)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> costModel{
      "cost-model", llvm::cl::init("analytic"),
      llvm::cl::desc("NAME or NAME{key=value} (default: analytic)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> costModelPlugin{
      "cost-model-plugin", llvm::cl::value_desc("file"),
      llvm::cl::desc("Shared library that brings cost models"),
      llvm::cl::cat(category)};
  llvm::cl::list<std::string> constraints{
      "constraints", llvm::cl::CommaSeparated, llvm::cl::value_desc("name,..."),
      llvm::cl::desc("Group constraints in force (default: all)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<int64_t> optimalLimit{
      "optimal-limit", llvm::cl::init(kDefaultOptimalLimit),
      llvm::cl::desc("Steps after which the strategy optimal stops"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> fpOrder{
      "fp-order",
      llvm::cl::desc("Order of floating-point reductions: fixed or strict "
                     "(default: what fuse.fp_order says, else fixed)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> halfSums{
      "half-sums",
      llvm::cl::desc("Sums of f16 and bf16: source, or f32 (default: what "
                     "fuse.half_sums says, else source)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<int64_t> maxRegisters{
      "max-registers", llvm::cl::init(0),
      llvm::cl::desc("Registers a thread that a kernel may need (default: 0, "
                     "no limit)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<int64_t> maxSharedBytes{
      "max-shared-bytes", llvm::cl::init(0),
      llvm::cl::desc("Shared memory of a block that a kernel may need "
                     "(default: 0, no limit)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<int64_t> maxPeakBytes{
      "max-peak-bytes", llvm::cl::init(0),
      llvm::cl::desc("Device memory that the program may need at any time "
                     "(default: 0, no limit)"),
      llvm::cl::cat(category)};
};

} // namespace mlir::fuse

#endif // FUSE_TOOLS_PLANFLAGS_H
