// Suite `models`: kernels and bytes of plans beside other compilers' figures
// (docs/peers.json). A goal is the best that any of them reaches on the graph.
#include "Bench.h"
#include "Peers.h"
#include "PlanGraphs.h"

#include "fuse-mlir/Analysis/GroupShape.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::bench;

namespace {
class ModelsRun {
public:
  ModelsRun(Results &results, const PeerFile &file)
      : results(results), file(file) {}

  LogicalResult run(const GraphFile &graph);
  void finish();

private:
  void addGraph(const GraphFile &graph, const PlannedGraph &plan,
                const std::optional<Peers> &peers);

  Results &results;
  const PeerFile &file;
  llvm::StringMap<std::pair<int64_t, double>> found;
};
} // namespace

void ModelsRun::addGraph(const GraphFile &graph, const PlannedGraph &plan,
                         const std::optional<Peers> &peers) {
  const PlanReport &report = plan.report;
  double compulsory = std::max<double>(1, double(report.compulsoryBytes));
  // The same denominator for all; the file rounds it to 0.1 MB.
  if (peers && std::abs(compulsory - peers->compulsoryBytes) >= 6e4)
    compulsory = std::max(1.0, peers->compulsoryBytes);
  Row kernels, bytes;
  kernels.name = graph.name + "/kernels";
  kernels.unit = "kernels";
  kernels.value = double(report.kernels);
  kernels.more["unfused"] = report.kernelsUnfused;
  bytes.name = graph.name + "/bytes";
  bytes.unit = "ratio";
  bytes.value = double(report.bytes) / compulsory;
  bytes.more["compulsory_bytes"] = int64_t(compulsory);
  bytes.more["unfused"] = double(report.bytesUnfused) / compulsory;
  if (peers) {
    kernels.goal = peers->kernels;
    // The file has two digits.
    bytes.goal = peers->bytes + 0.005;
    for (Row *row : {&kernels, &bytes}) {
      row->more["peers"] = llvm::json::Object(peers->columns);
      if (row->isOk() == false)
        row->note = "refused: " + plan.refusals;
    }
  }
  found[graph.name] = {report.kernels, *bytes.value};
  results.add(std::move(kernels));
  results.add(std::move(bytes));
}

LogicalResult ModelsRun::run(const GraphFile &graph) {
  GraphContext holder;
  OwningOpRef<ModuleOp> module = loadGraphFile(graph.path, &holder.context);
  FailureOr<PlannedGraph> plan = failure();
  if (module)
    plan = planGraph(*module, PlanRequest());
  if (failed(plan)) {
    reportError("cannot plan '" + graph.path + "'");
    return failure();
  }
  addGraph(graph, *plan, file.find(graph.name));
  return success();
}

/// Sums over the graphs that the goals are stated for; without goals where not
/// all of them were there.
void ModelsRun::finish() {
  const llvm::json::Object *goals = file.getGoals();
  const llvm::json::Array *names = goals ? goals->getArray("graphs") : nullptr;
  if (!names)
    return;
  double kernels = 0, logs = 0;
  size_t count = 0;
  for (const llvm::json::Value &name : *names) {
    auto it = found.find(name.getAsString().value_or(""));
    if (it == found.end())
      continue;
    kernels += double(it->second.first);
    logs += std::log(it->second.second);
    ++count;
  }
  if (count == 0)
    return;
  Row sum, mean;
  sum.name = "sum/kernels";
  sum.unit = "kernels";
  sum.value = kernels;
  mean.name = "mean/bytes";
  mean.unit = "ratio";
  mean.value = std::exp(logs / double(count));
  if (count == names->size()) {
    sum.goal = goals->getNumber("kernels");
    mean.goal = goals->getNumber("bytes_per_compulsory");
  }
  for (Row *row : {&sum, &mean}) {
    row->more["graphs"] = int64_t(count);
    row->note = llvm::formatv("{0} of {1} graphs", count, names->size()).str();
    results.add(std::move(*row));
  }
}

LogicalResult fuse::bench::runModels(const Settings &settings,
                                     Results &results) {
  PeerFile file;
  if (failed(file.load()))
    return failure();
  FailureOr<std::vector<GraphFile>> graphs =
      findGraphs(settings, {"models/full", "Bench/Inputs/regressions"});
  if (failed(graphs))
    return failure();
  ModelsRun run(results, file);
  for (const GraphFile &graph : *graphs)
    if (failed(run.run(graph)))
      return failure();
  run.finish();
  return success();
}
