// Suite `policies`: kernels of plans by the policies of other compilers
// (docs/Policies.md), beside what the compilers themselves make of the graphs.
#include "Bench.h"
#include "Peers.h"
#include "PlanGraphs.h"

#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::bench;

namespace {
/// A policy, and the column of docs/peers.json that it re-states; empty if
/// nobody measured that compiler.
struct PolicyOf {
  PlanStrategy strategy;
  StringRef peer;
};

/// Kernels over all graphs that a compiler was measured on.
struct Sum {
  int64_t policy = 0, peer = 0, graphs = 0;
};

class PoliciesRun {
public:
  PoliciesRun(Results &results, const PeerFile &file)
      : results(results), file(file) {}

  LogicalResult run(const GraphFile &graph);
  void finish();

private:
  Results &results;
  const PeerFile &file;
  std::map<PlanStrategy, Sum> sums;
};
} // namespace

static constexpr PolicyOf kPolicies[] = {
    {PlanStrategy::PolicyXla, "XLA cub"},
    {PlanStrategy::PolicyTvm, "TVM"},
    {PlanStrategy::PolicyInductor, "Inductor"},
    {PlanStrategy::PolicyNvfuser, ""},
    {PlanStrategy::PolicyIree, "IREE"},
};

LogicalResult PoliciesRun::run(const GraphFile &graph) {
  GraphContext holder;
  OwningOpRef<ModuleOp> module = loadGraphFile(graph.path, &holder.context);
  std::optional<Peers> peers = file.find(graph.name);
  for (const PolicyOf &policy : kPolicies) {
    PlanRequest request;
    request.strategy = stringifyPlanStrategy(policy.strategy).str();
    FailureOr<PlannedGraph> plan = failure();
    if (module)
      plan = planGraph(*module, request);
    if (failed(plan)) {
      reportError("cannot plan '" + graph.path + "'");
      return failure();
    }
    Row row;
    row.name = graph.name + "/" + request.strategy;
    row.unit = "kernels";
    row.value = double(plan->report.kernels);
    row.more["bytes"] = plan->report.bytes;
    const llvm::json::Object *peer =
        peers ? peers->columns.getObject(policy.peer) : nullptr;
    if (std::optional<int64_t> kernels =
            peer ? peer->getInteger("kernels") : std::nullopt) {
      row.more["peer"] = policy.peer;
      row.more["peer_kernels"] = *kernels;
      row.note = llvm::formatv("{0} itself {1}", policy.peer, *kernels).str();
      Sum &sum = sums[policy.strategy];
      sum.policy += plan->report.kernels;
      sum.peer += *kernels;
      ++sum.graphs;
    }
    results.add(std::move(row));
  }
  return success();
}

void PoliciesRun::finish() {
  for (const PolicyOf &policy : kPolicies) {
    auto it = sums.find(policy.strategy);
    if (it == sums.end())
      continue;
    Row row;
    row.name = "sum/" + stringifyPlanStrategy(policy.strategy).str();
    row.unit = "kernels";
    row.value = double(it->second.policy);
    row.more["peer_kernels"] = it->second.peer;
    row.note = llvm::formatv("{0} itself {1}, over {2} graphs", policy.peer,
                             it->second.peer, it->second.graphs)
                   .str();
    results.add(std::move(row));
  }
}

LogicalResult fuse::bench::runPolicies(const Settings &settings,
                                       Results &results) {
  PeerFile file;
  FailureOr<std::vector<GraphFile>> graphs =
      findGraphs(settings, {"models/full"});
  if (failed(file.load()) || failed(graphs))
    return failure();
  PoliciesRun run(results, file);
  for (const GraphFile &graph : *graphs)
    if (failed(run.run(graph)))
      return failure();
  run.finish();
  return success();
}
