// Suite `planning`: what fuse-classify-ops and fuse-form-groups cost, family by
// family and size by size, beside upstream's element-wise fusion. Each figure
// is CPU time (or memory) of a process of its own, the least of a few runs.
#include "Bench.h"
#include "Child.h"
#include "Families.h"
#include "PlanGraphs.h"

#include "fuse-mlir/Planner/Report.h"
#include "fuse-mlir/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::bench;

/// Sizes in operators.
static constexpr int64_t kSizes[] = {1000, 3000, 10000, 30000, 100000};
/// Sizes that the slope is taken over.
static constexpr int64_t kSlopeFrom = 3000;
static constexpr double kGoalMicroseconds = 20, kGoalSlope = 1.05,
                        kGoalMegabytes = 1024;
/// A measurement is repeated until it has taken so much CPU time.
static constexpr double kEnoughSeconds = 0.3;
static constexpr int kMostRuns = 5;
/// Copies of a graph have together as many operators.
static constexpr int64_t kCopiedOps = 5000;

namespace {
/// Times steps of a child, each over several copies of a small graph: CPU time
/// may be counted in ticks of some milliseconds.
class Steps {
public:
  explicit Steps(int64_t ops) : copies(std::max<int64_t>(kCopiedOps / ops, 1)) {
    entries["copies"] = copies;
  }

  /// Runs a step for each copy; its seconds for one become the entry `key`.
  LogicalResult run(StringRef key, function_ref<LogicalResult(int64_t)> step) {
    double start = getCpuSeconds();
    for (int64_t i = 0; i < copies; ++i)
      if (failed(step(i)))
        return failure();
    entries[key] = (getCpuSeconds() - start) / double(copies);
    return success();
  }

  /// The first step: text to modules.
  LogicalResult parse(StringRef text, MLIRContext *context) {
    return run("parse", [&](int64_t) {
      modules.push_back(parseSourceString<ModuleOp>(text, context));
      return success(bool(modules.back()));
    });
  }

  const int64_t copies;
  llvm::json::Object entries;
  std::vector<OwningOpRef<ModuleOp>> modules;
};
} // namespace

static LogicalResult runPasses(ModuleOp module,
                               function_ref<void(PassManager &)> add) {
  PassManager pm(module.getContext());
  pm.enableVerifier(false);
  add(pm);
  return pm.run(module);
}

static int64_t countOps(ModuleOp module) {
  int64_t count = 0;
  module->walk([&](linalg::LinalgOp op) { count += !isa<linalg::FillOp>(op); });
  return count;
}

/// Plans the graph: seconds of each step, and the memory of planning.
static FailureOr<llvm::json::Object> measurePlan(StringRef text, int64_t ops) {
  GraphContext holder;
  Steps steps(ops);
  if (failed(steps.parse(text, &holder.context)))
    return failure();
  steps.entries["ops"] = countOps(*steps.modules.front());
  if (failed(steps.run("normalize", [&](int64_t i) {
        return runPasses(*steps.modules[i], [](PassManager &pm) {
          pm.addPass(createNormalizeOpsPass());
        });
      })))
    return failure();
  resetPeakBytes();
  int64_t before = getResidentBytes();
  if (failed(steps.run("plan", [&](int64_t i) {
        return runPasses(*steps.modules[i], [](PassManager &pm) {
          pm.addPass(createClassifyOpsPass());
          pm.addPass(createFormGroupsPass());
        });
      })))
    return failure();
  steps.entries["plan_bytes"] = (getPeakBytes() - before) / steps.copies;
  steps.entries["peak_bytes"] = getPeakBytes();
  LastPlanReport &last =
      holder.context.getOrLoadDialect<FuseDialect>()->getSlot<LastPlanReport>();
  steps.entries["kernels"] = last.report ? last.report->kernels : -1;
  if (failed(steps.run("print", [&](int64_t i) {
        llvm::raw_null_ostream os;
        steps.modules[i]->print(os);
        return success();
      })))
    return failure();
  return std::move(steps.entries);
}

/// Upstream's fusion of element-wise operators on the same graph.
static FailureOr<llvm::json::Object> measureUpstream(StringRef text,
                                                     int64_t ops) {
  GraphContext holder;
  Steps steps(ops);
  if (failed(steps.parse(text, &holder.context)))
    return failure();
  steps.entries["ops"] = countOps(*steps.modules.front());
  if (failed(steps.run("upstream", [&](int64_t i) {
        return runPasses(*steps.modules[i], [](PassManager &pm) {
          pm.addNestedPass<func::FuncOp>(createLinalgElementwiseOpFusionPass());
        });
      })))
    return failure();
  steps.entries["kernels"] = countOps(*steps.modules.front());
  return std::move(steps.entries);
}

/// Runs `measure` in a few processes and gives the one that was fastest at
/// `key`.
static FailureOr<llvm::json::Object>
measureBest(const Settings &settings, StringRef key,
            function_ref<FailureOr<llvm::json::Object>()> measure,
            std::string &why) {
  std::optional<llvm::json::Object> best;
  double spent = 0;
  for (int run = 0; run < kMostRuns && spent < kEnoughSeconds; ++run) {
    FailureOr<llvm::json::Object> next =
        runInChild(settings.limit, measure, why);
    if (failed(next))
      return failure();
    double seconds = next->getNumber(key).value_or(0);
    spent += seconds * double(next->getInteger("copies").value_or(1));
    if (!best || seconds < best->getNumber(key).value_or(0))
      best = std::move(*next);
  }
  return std::move(*best);
}

namespace {
/// All sizes of one family.
class FamilyRun {
public:
  FamilyRun(const Family &family, const Settings &settings, Results &results)
      : family(family), settings(settings), results(results) {}

  void run();

private:
  void addStep(int64_t size, StringRef step,
               const FailureOr<llvm::json::Object> &found, StringRef why,
               std::optional<double> goal);
  void addMemory(int64_t size, const llvm::json::Object &found);
  void addSlope();
  std::string getName(int64_t size, StringRef step) const {
    return (family.name + "/" + Twine(size) + "/" + step).str();
  }

  const Family &family;
  const Settings &settings;
  Results &results;
  /// Logarithms of size and seconds of planning.
  std::vector<std::pair<double, double>> points;
};
} // namespace

void FamilyRun::addStep(int64_t size, StringRef step,
                        const FailureOr<llvm::json::Object> &found,
                        StringRef why, std::optional<double> goal) {
  Row row;
  row.name = getName(size, step);
  row.unit = "us/op";
  row.goal = goal;
  if (failed(found)) {
    row.note = why.str();
  } else {
    double ops = found->getNumber("ops").value_or(1);
    double seconds = found->getNumber(step).value_or(0);
    row.value = seconds * 1e6 / ops;
    row.more["ops"] = int64_t(ops);
    row.more["seconds"] = seconds;
    if (step == "plan" || step == "upstream")
      row.more["kernels"] = found->getInteger("kernels").value_or(-1);
  }
  results.add(std::move(row));
}

void FamilyRun::addMemory(int64_t size, const llvm::json::Object &found) {
  Row row;
  row.name = getName(size, "memory");
  row.unit = "MB";
  row.value = double(found.getInteger("plan_bytes").value_or(0)) / 1e6;
  if (size == kSizes[std::size(kSizes) - 1])
    row.goal = kGoalMegabytes;
  row.more["whole_process_mb"] =
      double(found.getInteger("peak_bytes").value_or(0)) / 1e6;
  results.add(std::move(row));
}

/// The slope of a line through the logarithms, by least squares.
void FamilyRun::addSlope() {
  if (points.size() < 2)
    return;
  double n = double(points.size()), x = 0, y = 0, xx = 0, xy = 0;
  for (auto [size, seconds] : points) {
    x += size;
    y += seconds;
    xx += size * size;
    xy += size * seconds;
  }
  Row row;
  row.name = (family.name + "/slope").str();
  row.unit = "log/log";
  row.goal = kGoalSlope;
  row.value = (n * xy - x * y) / (n * xx - x * x);
  row.more["points"] = int64_t(points.size());
  results.add(std::move(row));
}

void FamilyRun::run() {
  std::string late, upstreamLate;
  for (int64_t size : kSizes) {
    bool wanted = settings.wants(getName(size, "plan"));
    bool upstreamWanted = settings.wants(getName(size, "upstream"));
    if (!wanted && !upstreamWanted)
      continue;
    std::string text = family.make(size);
    // What took too long is not tried at a larger size.
    FailureOr<llvm::json::Object> found = failure(), upstream = failure();
    if (wanted && late.empty())
      found = measureBest(
          settings, "plan", [&] { return measurePlan(text, size); }, late);
    if (upstreamWanted && upstreamLate.empty())
      upstream = measureBest(
          settings, "upstream", [&] { return measureUpstream(text, size); },
          upstreamLate);
    if (wanted)
      addStep(size, "plan", found, late, kGoalMicroseconds);
    if (upstreamWanted)
      addStep(size, "upstream", upstream, upstreamLate, std::nullopt);
    if (failed(found))
      continue;
    for (StringRef step : {"parse", "normalize", "print"})
      addStep(size, step, found, "", std::nullopt);
    addMemory(size, *found);
    if (size >= kSlopeFrom)
      points.emplace_back(
          std::log(found->getNumber("ops").value_or(1)),
          std::log(std::max(1e-9, found->getNumber("plan").value_or(0))));
  }
  addSlope();
}

LogicalResult fuse::bench::runPlanning(const Settings &settings,
                                       Results &results) {
  if (!settings.folders.empty()) {
    reportError("suite 'planning' makes its graphs itself and takes no folder");
    return failure();
  }
  for (const Family &family : getFamilies())
    FamilyRun(family, settings, results).run();
  return success();
}
