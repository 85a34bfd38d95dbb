// Suite `optimality`: the greedy plan beside the exact one, on random graphs
// made of the parts of real models, and on the graphs of folders.
#include "Bench.h"
#include "Child.h"
#include "GraphWriter.h"
#include "PlanGraphs.h"

#include "llvm/Support/FormatVariadic.h"

#include <random>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::bench;

static constexpr int kRandomGraphs = 500;
static constexpr double kGoalWorst = 5, kGoalMean = 1; // per cent
static constexpr int64_t kLimit = 40000;

namespace {
using Tensor = GraphWriter::Tensor;

/// A graph of 6 to 60 operators: one value of rows × width goes through the
/// parts of models, one chosen at random after the other, with residuals and a
/// branch now and then. Branches that are left are added up at the end.
class RandomGraph {
public:
  explicit RandomGraph(unsigned seed) : random(seed) {}

  std::string make() {
    static const int64_t rows[] = {64, 128, 512, 1024, 4096};
    static const int64_t widths[] = {64, 256, 768, 1024, 3072};
    GraphWriter::Shape shape{rows[random() % 5], widths[random() % 5]};
    int64_t ops = 6 + random() % 55;
    values.push_back({writer.addArgument(shape)});
    while (writer.getOps() < ops)
      addPart();
    Tensor result = values.back().value;
    for (const Entry &entry : ArrayRef(values).drop_back())
      if (!entry.used)
        result = writer.map({result, entry.value}, kAdd);
    return writer.finish(result);
  }

private:
  struct Entry {
    Tensor value;
    bool used = false;
  };

  /// The last value; sometimes the one before.
  Tensor pick() {
    size_t back = values.size() > 1 && random() % 8 == 0 ? 2 : 1;
    Entry &entry = values[values.size() - back];
    entry.used = true;
    return entry.value;
  }
  void push(const Tensor &value) { values.push_back({value}); }
  Tensor vector(int64_t size) { return writer.addArgument({size}); }

  void addPart() {
    Tensor x = pick();
    int64_t rows = x.shape[0], width = x.shape[1];
    switch (random() % 10) {
    case 0:
    case 1:
      return push(writer.map(x, random() % 2 ? kTanh : kExp));
    case 2:
    case 3:
      return addBinary(x);
    case 4:
      return push(writer.map({x, vector(width)}, kAdd));
    case 5:
      return push(normalize(writer, x, vector(width)));
    case 6: {
      Tensor shifted = writer.map({x, writer.maxRows(x)}, kSubtract);
      Tensor power = writer.map(shifted, kExp);
      return push(writer.map({power, writer.sumRows(power)}, kDivide));
    }
    case 7: {
      if (random() % 2)
        return push(writer.matmul(x, writer.addArgument({width, width})));
      Tensor inner = writer.matmul(x, writer.addArgument({width, 512}));
      inner = writer.map(inner, kTanh);
      return push(writer.matmul(inner, writer.addArgument({512, width})));
    }
    case 8: // GELU with its gate.
      return push(writer.map(
          {x, writer.map(writer.map({x, x}, kMultiply), kTanh)}, kMultiply));
    default: // A statistic that is used again.
      return push(writer.map(
          {x, random() % 2 ? writer.sumRows(x) : vector(rows)}, kMultiply));
    }
  }
  /// With a value that nobody has used yet, if there is one; else with one of
  /// the last few, or with an input.
  void addBinary(const Tensor &x) {
    const char *body = random() % 2 ? kAdd : kMultiply;
    for (bool used : {false, true})
      for (Entry &entry : llvm::reverse(values))
        if (entry.used == used && entry.value.name != x.name &&
            entry.value.shape == x.shape && (!used || random() % 2)) {
          entry.used = true;
          return push(writer.map({x, entry.value}, body));
        }
    push(writer.map({x, writer.addArgument(x.shape)}, body));
  }

  std::mt19937 random;
  GraphWriter writer;
  std::vector<Entry> values;
};

/// Rows of one kind of graphs, and their mean.
class OptimalityRun {
public:
  OptimalityRun(const Settings &settings, Results &results, StringRef kind)
      : settings(settings), results(results), kind(kind) {}

  void run(StringRef name,
           function_ref<OwningOpRef<ModuleOp>(MLIRContext *)> load);
  void finish();

private:
  const Settings &settings;
  Results &results;
  StringRef kind;
  int64_t exact = 0, stopped = 0;
  double sum = 0, worst = 0, worstBound = 0;
};
} // namespace

static FailureOr<llvm::json::Object>
compare(function_ref<OwningOpRef<ModuleOp>(MLIRContext *)> load) {
  GraphContext holder;
  OwningOpRef<ModuleOp> module = load(&holder.context);
  if (!module)
    return failure();
  PlanRequest request;
  FailureOr<PlannedGraph> greedy = planGraph(*module, request);
  request.strategy = "optimal";
  request.optimalLimit = kLimit;
  double start = getCpuSeconds();
  FailureOr<PlannedGraph> best = planGraph(*module, request);
  if (failed(greedy) || failed(best))
    return failure();
  llvm::json::Object object;
  object["greedy_ns"] = greedy->nanoseconds;
  object["optimal_ns"] = best->nanoseconds;
  object["greedy_kernels"] = greedy->report.kernels;
  object["optimal_kernels"] = best->report.kernels;
  object["work"] = best->report.optimalWork.value_or(0);
  object["ops"] = greedy->report.kernelsUnfused;
  object["seconds"] = getCpuSeconds() - start;
  if (best->report.optimalGap)
    object["gap"] = *best->report.optimalGap;
  return object;
}

void OptimalityRun::run(
    StringRef name, function_ref<OwningOpRef<ModuleOp>(MLIRContext *)> load) {
  Row row;
  row.name = (kind + "/" + name).str();
  row.unit = "%";
  row.goal = kGoalWorst;
  std::string why;
  FailureOr<llvm::json::Object> found =
      runInChild(settings.limit, [&] { return compare(load); }, why);
  if (failed(found)) {
    row.note = why;
    return results.add(std::move(row));
  }
  double greedy = found->getNumber("greedy_ns").value_or(0);
  double best = std::max(1.0, found->getNumber("optimal_ns").value_or(1));
  row.value = (greedy / best - 1) * 100;
  std::optional<double> gap = found->getNumber("gap");
  if (gap == 0.0) {
    ++exact;
    sum += *row.value;
    worst = std::max(worst, *row.value);
  } else {
    // The optimum is unknown: what is certain is the distance to the bound.
    ++stopped;
    row.goal = std::nullopt;
    if (gap) {
      double most = ((1 + *gap) * greedy / best - 1) * 100;
      row.note = llvm::formatv("optimum unknown, at most {0:F2} %", most).str();
      row.more["at_most"] = most;
      worstBound = std::max(worstBound, most);
    } else {
      row.note = "optimum unknown";
    }
  }
  for (auto &[key, value] : *found)
    row.more[key] = value;
  results.add(std::move(row));
}

void OptimalityRun::finish() {
  if (exact + stopped == 0)
    return;
  Row mean, most;
  mean.name = (kind + "/mean").str();
  most.name = (kind + "/worst").str();
  for (Row *row : {&mean, &most}) {
    row->unit = "%";
    row->more["exact"] = exact;
    row->more["stopped"] = stopped;
    row->note = llvm::formatv("{0} exact, {1} stopped", exact, stopped).str();
  }
  mean.goal = kGoalMean;
  most.goal = kGoalWorst;
  if (exact > 0) {
    mean.value = sum / double(exact);
    most.value = worst;
  }
  most.more["worst_bound_of_stopped"] = worstBound;
  results.add(std::move(mean));
  results.add(std::move(most));
}

LogicalResult fuse::bench::runOptimality(const Settings &settings,
                                         Results &results) {
  OptimalityRun random(settings, results, "random");
  for (int seed = 0; seed < kRandomGraphs; ++seed) {
    std::string name = std::to_string(seed);
    if (!settings.wants("random/" + name))
      continue;
    std::string text = RandomGraph(seed).make();
    random.run(name, [&](MLIRContext *context) {
      return loadGraphText(text, context);
    });
  }
  random.finish();
  OptimalityRun models(settings, results, "models");
  FailureOr<std::vector<GraphFile>> graphs =
      findGraphs(settings, {"models/full", "Bench/Inputs/regressions"});
  if (failed(graphs))
    return failure();
  for (const GraphFile &graph : *graphs)
    models.run(graph.name, [&](MLIRContext *context) {
      return loadGraphFile(graph.path, context);
    });
  models.finish();
  return success();
}
