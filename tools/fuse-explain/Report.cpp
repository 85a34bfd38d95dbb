// The rows of the plan report, with what only the plan itself can tell.
#include "Report.h"

#include "fuse-mlir/CostModel/OpFacts.h"
#include "fuse-mlir/Planner/Explain.h"
#include "fuse-mlir/Planner/Report.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::explain;

/// What each term brings to the price of a kernel, in ns.
static llvm::json::Value listTerms(const CostBreakdown &price) {
  llvm::json::Object terms;
  for (const CostBreakdown::Contribution &term : price.getContributions())
    terms[term.name] = term.nanoseconds;
  return terms;
}

/// The same for all kernels of a side; null if there are none.
static llvm::json::Value listTerms(const FusionExplanation &explanation,
                                   const ExplainedSide &side) {
  if (side.kernels.empty())
    return nullptr;
  llvm::json::Object terms;
  for (StringRef name : explanation.getTermNames())
    terms[name.str()] = side.getContribution(name);
  return terms;
}

/// Kernels that each operator is in and that can be looked into.
static bool isExplainable(const FusionExplainer &explainer,
                          const Decision &decision) {
  if (decision.producer->getBlock() != decision.consumer->getBlock())
    return false;
  auto isPlanned = [&](Operation *op) {
    return llvm::any_of(
        explainer.getHolders(op),
        [&](const PlannedGroup *group) { return !group->premade; });
  };
  return isPlanned(decision.producer) && isPlanned(decision.consumer);
}

static void addTerms(const Plan &plan, FusionExplainer &explainer,
                     llvm::json::Object &report) {
  llvm::json::Array &groups = *report.getArray("groups");
  for (auto [row, group] : llvm::zip_equal(groups, plan.groups))
    row.getAsObject()->insert({"terms", listTerms(explainer.getPrice(group))});
  llvm::json::Array &decisions = *report.getArray("decisions");
  for (auto [row, decision] : llvm::zip_equal(decisions, plan.decisions)) {
    if (!isExplainable(explainer, decision))
      continue;
    FusionExplanation explanation =
        explainer.explain(decision.producer, decision.consumer);
    llvm::json::Object &object = *row.getAsObject();
    object["terms_fused"] = listTerms(explanation, explanation.fused);
    object["terms_unfused"] = listTerms(explanation, explanation.apart);
  }
}

/// Bytes that kernels give to each other, take from outside and leave there;
/// null stands for the outside.
static llvm::json::Array listEdges(const Plan &plan) {
  llvm::DenseMap<Value, size_t> makers;
  llvm::DenseSet<Value> read;
  for (auto [index, group] : llvm::enumerate(plan.groups)) {
    for (Value output : group.outputs)
      makers.try_emplace(output, index);
    read.insert(group.inputs.begin(), group.inputs.end());
  }
  llvm::MapVector<std::pair<int64_t, int64_t>, double> bytes;
  auto add = [&](int64_t from, int64_t to, Value value) {
    bytes[{from, to}] += cost::getBytes(value.getType()).value_or(0);
  };
  for (auto [index, group] : llvm::enumerate(plan.groups)) {
    for (Value input : group.inputs) {
      auto maker = makers.find(input);
      add(maker == makers.end() ? -1 : int64_t(maker->second), int64_t(index),
          input);
    }
    for (Value output : group.outputs)
      if (!read.contains(output))
        add(int64_t(index), -1, output);
  }
  auto getName = [&](int64_t index) -> llvm::json::Value {
    if (index < 0)
      return nullptr;
    return plan.groups[size_t(index)].name;
  };
  llvm::json::Array edges;
  for (auto &[ends, sum] : bytes)
    edges.push_back(llvm::json::Object{{"from", getName(ends.first)},
                                       {"to", getName(ends.second)},
                                       {"bytes", int64_t(sum)}});
  return edges;
}

/// What a roofline is drawn with.
static llvm::json::Object describeDevice(const DeviceInfo &device) {
  double flops = 2e-3 * double(device.fmaLanesPerSM) * double(device.smCount) *
                 double(device.clockMHz);
  return llvm::json::Object{{"dram_gb_per_second", device.dramGBPerSecond},
                            {"f32_gflops", flops},
                            {"tensor_gflops", device.tensorGFlops}};
}

llvm::json::Value explain::makeExplainedReport(const Plan &plan,
                                               Operation *root,
                                               const PlanOptions &options,
                                               StringRef path,
                                               StringRef costModel) {
  FusionExplainer explainer(plan, root, options);
  llvm::json::Value value =
      makeReport(plan, root, options, path, costModel).toJSON();
  llvm::json::Object &report = *value.getAsObject();
  addTerms(plan, explainer, report);
  report["edges"] = listEdges(plan);
  report["device_peaks"] = describeDevice(options.device);
  return value;
}
