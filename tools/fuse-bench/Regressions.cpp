// Suite `regressions`: graphs on which fusing compilers lost time, planned by
// price, by no price and by the policies of other compilers. Judged by events
// that are counted at full size while a sample of the blocks runs
// (Yardstick.h).
#include "Bench.h"
#include "FuseRun.h"
#include "JsonFile.h"
#include "PlanGraphs.h"
#include "Yardstick.h"

#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::bench;

/// The plan by price may take so much longer than the best of all others.
static constexpr double kGoal = 1.05;
/// Blocks of a kernel that run, at least; whole waves do.
static constexpr StringLiteral kSample = "64";

namespace {
/// One way to plan a graph, and what it takes.
struct Build {
  PlanStrategy strategy;
  int64_t kernels = 0;
  std::optional<double> nanoseconds;
  std::string why;
};

class RegressionsRun {
public:
  RegressionsRun(const Settings &settings, Results &results)
      : settings(settings), results(results) {}
  LogicalResult start();
  LogicalResult run(const GraphFile &graph);

private:
  std::optional<double> measure(const GraphFile &graph, StringRef strategy,
                                std::string &why);
  FailureOr<std::vector<Build>> build(const GraphFile &graph);
  void addTime(const GraphFile &graph, ArrayRef<Build> builds);
  void addKernels(const GraphFile &graph, const Build &own);

  const Settings &settings;
  Results &results;
  FuseRun fuseRun;
  DeviceInfo device;
  llvm::json::Object expected;
};
} // namespace

LogicalResult RegressionsRun::start() {
  device = *lookupDevice("h200");
  FailureOr<llvm::json::Object> file =
      readJsonFile(FUSE_SOURCE_DIR "/docs/regressions.json");
  if (failed(file))
    return failure();
  expected = std::move(*file);
  return fuseRun.start();
}

std::optional<double> RegressionsRun::measure(const GraphFile &graph,
                                              StringRef strategy,
                                              std::string &why) {
  std::string flags[] = {("--strategy=" + strategy).str(),
                         "--sample-blocks=" + kSample.str(),
                         "--device=" + device.name};
  if (failed(fuseRun.run(graph.path, settings.limit, why, flags)))
    return std::nullopt;
  FailureOr<llvm::json::Object> runtime = fuseRun.read("runtime.json", why);
  if (failed(runtime))
    return std::nullopt;
  std::vector<LaunchTime> launches = getLaunchTimes(*runtime, device);
  if (launches.empty()) {
    why = "nothing was launched";
    return std::nullopt;
  }
  return getTotal(launches);
}

/// All builds, the one by price first. Equal plans are measured once.
FailureOr<std::vector<Build>> RegressionsRun::build(const GraphFile &graph) {
  GraphContext holder;
  OwningOpRef<ModuleOp> module = loadGraphFile(graph.path, &holder.context);
  std::vector<Build> builds;
  std::map<std::string, size_t> known;
  for (PlanStrategy strategy : getPlanStrategies()) {
    if (strategy == PlanStrategy::Optimal)
      continue;
    PlanRequest request;
    request.strategy = stringifyPlanStrategy(strategy).str();
    FailureOr<PlannedGraph> plan = failure();
    if (module)
      plan = planGraph(*module, request);
    if (failed(plan))
      return failure();
    auto [equal, isNew] = known.try_emplace(plan->partition, builds.size());
    Build &build = builds.emplace_back();
    build = isNew ? Build() : builds[equal->second];
    build.strategy = strategy;
    build.kernels = plan->report.kernels;
    if (isNew)
      build.nanoseconds = measure(graph, request.strategy, build.why);
  }
  return builds;
}

static std::string describe(const Build &build) {
  std::string text = llvm::formatv(
      "{0} {1} in ", stringifyPlanStrategy(build.strategy), build.kernels);
  return text +
         (build.nanoseconds
              ? llvm::formatv("{0:F1} us", *build.nanoseconds / 1e3).str()
              : "? (" + build.why + ")");
}

/// The time by price ÷ the least time of all others.
void RegressionsRun::addTime(const GraphFile &graph, ArrayRef<Build> builds) {
  Row row;
  row.name = graph.name + "/time";
  row.unit = "ratio";
  row.goal = kGoal;
  std::optional<double> best;
  llvm::json::Object all;
  for (const Build &build : builds) {
    row.note += (row.note.empty() ? "" : ", ") + describe(build);
    llvm::json::Object own{{"kernels", build.kernels}};
    if (build.nanoseconds)
      own["yardstick_ns"] = *build.nanoseconds;
    else
      own["why"] = build.why;
    all[stringifyPlanStrategy(build.strategy)] = std::move(own);
    if (&build != builds.begin() && build.nanoseconds)
      best = std::min(best.value_or(*build.nanoseconds), *build.nanoseconds);
  }
  if (builds.front().nanoseconds && best)
    row.value = *builds.front().nanoseconds / *best;
  row.more["builds"] = std::move(all);
  results.add(std::move(row));
}

/// Kernels by price beside those of the plan that is expected.
void RegressionsRun::addKernels(const GraphFile &graph, const Build &own) {
  const llvm::json::Object *kernels = expected.getObject("kernels");
  std::optional<int64_t> most =
      kernels ? kernels->getInteger(graph.name) : std::nullopt;
  if (!most)
    return;
  Row row;
  row.name = graph.name + "/kernels";
  row.unit = "kernels";
  row.value = double(own.kernels);
  row.goal = double(*most);
  results.add(std::move(row));
}

LogicalResult RegressionsRun::run(const GraphFile &graph) {
  FailureOr<std::vector<Build>> builds = build(graph);
  if (failed(builds)) {
    reportError("cannot plan '" + graph.path + "'");
    return failure();
  }
  addTime(graph, *builds);
  addKernels(graph, builds->front());
  return success();
}

LogicalResult fuse::bench::runRegressions(const Settings &settings,
                                          Results &results) {
  FailureOr<std::vector<GraphFile>> graphs =
      findGraphs(settings, {"Bench/Inputs/regressions"});
  RegressionsRun run(settings, results);
  if (failed(graphs) || failed(run.start()))
    return failure();
  for (const GraphFile &graph : *graphs)
    if (failed(run.run(graph)))
      return failure();
  return success();
}
