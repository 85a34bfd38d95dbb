// Suite `models`: kernels and bytes of plans beside other compilers' figures
// (docs/peers.json). A goal is the best that any of them reaches on the graph.
#include "Bench.h"
#include "PlanGraphs.h"

#include "fuse-mlir/Analysis/GroupShape.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::bench;

namespace {
/// Figures of one graph, and what other compilers make of it.
struct Peers {
  double compulsoryBytes = 0;
  double kernels = 0, bytes = 0;
  llvm::json::Object columns;
};

class ModelsRun {
public:
  ModelsRun(Results &results, llvm::json::Object file)
      : results(results), file(std::move(file)) {}

  LogicalResult run(const GraphFile &graph);
  void finish();

private:
  std::optional<Peers> getPeers(StringRef name) const;
  void addGraph(const GraphFile &graph, const PlannedGraph &plan,
                const std::optional<Peers> &peers);

  Results &results;
  llvm::json::Object file;
  llvm::StringMap<std::pair<int64_t, double>> found;
};
} // namespace

/// The figures of others for a graph; nothing without an entry.
std::optional<Peers> ModelsRun::getPeers(StringRef name) const {
  const llvm::json::Object *graphs = file.getObject("graphs");
  const llvm::json::Object *graph = graphs ? graphs->getObject(name) : nullptr;
  const llvm::json::Object *columns =
      graph ? graph->getObject("peers") : nullptr;
  if (!columns)
    return std::nullopt;
  Peers peers;
  peers.compulsoryBytes = graph->getNumber("compulsory_mb").value_or(0) * 1e6;
  peers.kernels = peers.bytes = std::numeric_limits<double>::max();
  for (auto &[name, value] : *columns) {
    const llvm::json::Object *figure = value.getAsObject();
    if (!figure)
      continue;
    peers.kernels =
        std::min(peers.kernels, figure->getNumber("kernels").value_or(1e9));
    peers.bytes = std::min(
        peers.bytes, figure->getNumber("bytes_per_compulsory").value_or(1e9));
  }
  peers.columns = *columns;
  return peers;
}

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
  std::optional<Peers> peers = getPeers(graph.name);
  addGraph(graph, *plan, peers);
  return success();
}

/// Sums over the graphs that the goals are stated for; without goals where not
/// all of them were there.
void ModelsRun::finish() {
  const llvm::json::Object *goals = file.getObject("goals");
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
  StringRef path = FUSE_SOURCE_DIR "/docs/peers.json";
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> text =
      llvm::MemoryBuffer::getFile(path);
  if (!text) {
    reportError("cannot read '" + path + "': " + text.getError().message());
    return failure();
  }
  llvm::Expected<llvm::json::Value> file =
      llvm::json::parse((*text)->getBuffer());
  if (!file || !file->getAsObject()) {
    std::string why = file ? std::string("expected an object")
                           : llvm::toString(file.takeError());
    reportError("cannot read '" + path + "': " + why);
    return failure();
  }
  FailureOr<std::vector<GraphFile>> graphs =
      findGraphs(settings, {"models/full", "Bench/Inputs/regressions"});
  if (failed(graphs))
    return failure();
  ModelsRun run(results, std::move(*file->getAsObject()));
  for (const GraphFile &graph : *graphs)
    if (failed(run.run(graph)))
      return failure();
  run.finish();
  return success();
}
