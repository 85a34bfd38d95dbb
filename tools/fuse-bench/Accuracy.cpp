// Suite `accuracy`: what the cost model predicts of each kernel beside what the
// emulator counts while a sample of the blocks runs, what `ptxas` assembles,
// and the time that follows from both. The constants of the model are fitted on
// the graphs of one half, by the hash of their names, and judged on those of
// the other.
#include "Bench.h"
#include "FuseRun.h"
#include "Yardstick.h"

#include "llvm/Support/DJB.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <map>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::bench;

/// Largest relative errors that are good enough: of the sectors of a kernel,
/// and of registers on average; in per cent.
static constexpr double kSectorGoal = 5, kRegisterGoal = 15;
/// Largest distance from 1 of the rank correlation of times.
static constexpr double kRankGoal = 0.05;
/// Blocks of a kernel that run, at least; whole waves do.
static constexpr StringLiteral kSample = "--sample-blocks=64";

namespace {
/// Relative errors of some kernels, in per cent, without signs.
struct Errors {
  std::vector<double> all;
  void add(double predicted, double measured) {
    all.push_back(100 * std::abs(predicted - measured) /
                  std::max(1.0, measured));
  }
  double getMean() const {
    double sum = 0;
    for (double error : all)
      sum += error;
    return all.empty() ? 0 : sum / double(all.size());
  }
  double getWorst() const { return all.empty() ? 0 : *llvm::max_element(all); }
  int64_t countBeyond(double limit) const {
    return llvm::count_if(all, [&](double error) { return error > limit; });
  }
};

/// Predicted times of kernels beside those by the yardstick.
struct Times {
  std::vector<double> predicted, measured;
  void add(double guess, double time) {
    predicted.push_back(guess);
    measured.push_back(time);
  }
  std::optional<double> getRankCorrelation() const;
};

struct Half {
  StringRef name;
  /// Of the sectors that are asked for, and of the distinct ones: the bytes
  /// that a kernel has to move.
  Errors sectors, distinct;
  Errors registers;
  Times times;
};

class AccuracyRun {
public:
  AccuracyRun(const Settings &settings, Results &results)
      : settings(settings), results(results) {}
  LogicalResult start() { return fuseRun.start(); }
  void measure(const GraphFile &graph);
  void finish();

private:
  void addKernels(const GraphFile &graph, const llvm::json::Array &groups,
                  const llvm::json::Object &runtime);
  void addTimes(StringRef name, const Times &times);

  const Settings &settings;
  Results &results;
  FuseRun fuseRun;
  Half fitted{"fitted", {}, {}, {}, {}}, judged{"judged", {}, {}, {}, {}};
};
} // namespace

/// Ranks from 0 on; equal values share the mean of theirs.
static std::vector<double> getRanks(const std::vector<double> &values) {
  std::vector<size_t> order(values.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  llvm::sort(order, [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (size_t i = 0, end; i < order.size(); i = end) {
    for (end = i; end < order.size() && values[order[end]] == values[order[i]];)
      ++end;
    for (size_t j = i; j < end; ++j)
      ranks[order[j]] = double(i + end - 1) / 2;
  }
  return ranks;
}

/// Spearman's: the correlation of the ranks. Nothing for fewer than three
/// kernels, or if all on one side are equal.
std::optional<double> Times::getRankCorrelation() const {
  std::vector<double> a = getRanks(predicted), b = getRanks(measured);
  double mean = (double(a.size()) - 1) / 2, both = 0, first = 0, second = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    both += (a[i] - mean) * (b[i] - mean);
    first += (a[i] - mean) * (a[i] - mean);
    second += (b[i] - mean) * (b[i] - mean);
  }
  if (a.size() < 3 || first == 0 || second == 0)
    return std::nullopt;
  return both / std::sqrt(first * second);
}

static std::optional<double> getSectors(const llvm::json::Object &group,
                                        StringRef key, StringRef kind) {
  const llvm::json::Object *sectors = group.getObject(key);
  return sectors ? sectors->getNumber(kind) : std::nullopt;
}

/// Why the sectors of a kernel are left out; empty if they are not: it reads at
/// places from the data, or its sizes were assumed.
static StringRef whyLeftOut(const llvm::json::Object &group) {
  if (group.getBoolean("data_dependent").value_or(false))
    return "places from the data";
  return group.getArray("predicted_ns_range") ? "sizes of the run" : "";
}

/// Adds the error of one kind of sectors, if both figures are known.
static void addSectors(const llvm::json::Object &group, StringRef kind,
                       ArrayRef<Errors *> all) {
  std::optional<double> predicted =
      getSectors(group, "predicted_sectors", kind);
  std::optional<double> counted = getSectors(group, "counted_sectors", kind);
  if (predicted && counted && whyLeftOut(group).empty())
    for (Errors *errors : all)
      errors->add(*predicted, *counted);
}

/// The worst error of the sectors of a graph, and how many kernels are good
/// enough.
static Row makeGraphRow(const Twine &name, StringRef half,
                        const Errors &errors) {
  Row row;
  row.name = name.str();
  row.unit = "%";
  row.note = half.str();
  if (errors.all.empty())
    return row;
  row.value = errors.getWorst();
  row.goal = kSectorGoal;
  row.note += llvm::formatv(", {0} of {1} kernels within {2} %",
                            errors.all.size() - errors.countBeyond(kSectorGoal),
                            errors.all.size(), kSectorGoal)
                  .str();
  return row;
}

void AccuracyRun::addKernels(const GraphFile &graph,
                             const llvm::json::Array &groups,
                             const llvm::json::Object &runtime) {
  llvm::StringMap<double> times;
  for (const LaunchTime &launch :
       getLaunchTimes(runtime, *lookupDevice("h200")))
    times[launch.name] = launch.nanoseconds;
  Half &half = llvm::djbHash(graph.name) % 2 == 0 ? fitted : judged;
  Errors sectors, distinct, registers;
  std::map<StringRef, std::string> excluded;
  llvm::json::Array kernels;
  for (const llvm::json::Value &value : groups) {
    const llvm::json::Object *group = value.getAsObject();
    if (!group)
      continue;
    StringRef name = group->getString("name").value_or("");
    llvm::json::Object kernel{{"name", name.str()}};
    for (StringRef key :
         {"path", "predicted_sectors", "counted_sectors", "registers_predicted",
          "registers", "data_dependent", "predicted_ns"})
      if (const llvm::json::Value *own = group->get(key))
        kernel[key] = *own;
    std::optional<double> price = group->getNumber("predicted_ns");
    auto time = times.find(group->getString("entry").value_or(""));
    bool sizesAreKnown = !group->getArray("predicted_ns_range");
    if (price && time != times.end() && sizesAreKnown &&
        group->getInteger("kernels") == 1) {
      half.times.add(*price, time->second);
      kernel["yardstick_ns"] = time->second;
    }
    kernels.push_back(std::move(kernel));
    if (StringRef why = whyLeftOut(*group); !why.empty())
      excluded[why] += " " + name.str();
    addSectors(*group, "requested", {&sectors, &half.sectors});
    addSectors(*group, "unique", {&distinct, &half.distinct});
    std::optional<double> guess = group->getNumber("registers_predicted");
    std::optional<double> real = group->getNumber("registers");
    if (guess && real)
      for (Errors *errors : {&registers, &half.registers})
        errors->add(*guess, *real);
  }
  Row row = makeGraphRow(graph.name + "/sectors", half.name, sectors);
  for (const auto &[why, names] : excluded)
    row.note += ", excluded (" + why.str() + "):" + names;
  row.more["kernels"] = std::move(kernels);
  results.add(std::move(row));
  results.add(makeGraphRow(graph.name + "/distinct", half.name, distinct));
  if (registers.all.empty())
    return;
  Row assembled;
  assembled.name = graph.name + "/registers";
  assembled.unit = "%";
  assembled.value = registers.getMean();
  assembled.note = half.name.str();
  results.add(std::move(assembled));
}

void AccuracyRun::measure(const GraphFile &graph) {
  std::string why;
  FailureOr<llvm::json::Object> report = failure();
  FailureOr<llvm::json::Object> runtime = failure();
  if (succeeded(fuseRun.run(graph.path, settings.limit, why, {kSample.str()})))
    report = fuseRun.read("report.json", why);
  if (succeeded(report))
    runtime = fuseRun.read("runtime.json", why);
  if (succeeded(runtime))
    if (const llvm::json::Array *groups = report->getArray("groups"))
      return addKernels(graph, *groups, *runtime);
  Row row;
  row.name = graph.name + "/sectors";
  row.unit = "%";
  row.note = why;
  results.add(std::move(row));
}

/// How far the ranks by price are from those by the yardstick.
void AccuracyRun::addTimes(StringRef name, const Times &times) {
  Row row;
  row.name = name.str() + "/time";
  row.unit = "1 - rank";
  row.note = llvm::formatv("{0} kernels", times.predicted.size()).str();
  if (std::optional<double> rank = times.getRankCorrelation()) {
    row.value = 1 - *rank;
    row.goal = kRankGoal;
    row.note += llvm::formatv(", rank correlation {0:F3}", *rank).str();
  }
  results.add(std::move(row));
}

/// The worst error of sectors, with the mean and how many are good enough.
static Row makeSectorRow(const Twine &name, const Errors &errors) {
  Row row;
  row.name = name.str();
  row.unit = "%";
  if (errors.all.empty())
    return row;
  row.value = errors.getWorst();
  row.goal = kSectorGoal;
  row.more["mean"] = errors.getMean();
  row.more["kernels"] = int64_t(errors.all.size());
  row.more["beyond"] = errors.countBeyond(kSectorGoal);
  row.note = llvm::formatv("worst; mean {0:F2} %, {1} of {2} kernels "
                           "within {3} %",
                           errors.getMean(),
                           errors.all.size() - errors.countBeyond(kSectorGoal),
                           errors.all.size(), kSectorGoal)
                 .str();
  return row;
}

void AccuracyRun::finish() {
  for (const Half *half : {&fitted, &judged}) {
    Row registers;
    registers.name = half->name.str() + "/registers";
    registers.unit = "%";
    if (!half->registers.all.empty()) {
      registers.value = half->registers.getMean();
      registers.goal = kRegisterGoal;
      registers.note =
          llvm::formatv("mean over {0} kernels, worst {1:F1} %",
                        half->registers.all.size(), half->registers.getWorst())
              .str();
    }
    results.add(makeSectorRow(half->name + "/sectors", half->sectors));
    results.add(makeSectorRow(half->name + "/distinct", half->distinct));
    results.add(std::move(registers));
    addTimes(half->name, half->times);
  }
  Times all = fitted.times;
  llvm::append_range(all.predicted, judged.times.predicted);
  llvm::append_range(all.measured, judged.times.measured);
  addTimes("all", all);
}

LogicalResult fuse::bench::runAccuracy(const Settings &settings,
                                       Results &results) {
  FailureOr<std::vector<GraphFile>> graphs =
      findGraphs(settings, {"models/small"});
  if (failed(graphs))
    return failure();
  AccuracyRun run(settings, results);
  if (failed(run.start()))
    return failure();
  for (const GraphFile &graph : *graphs)
    run.measure(graph);
  if (!graphs->empty())
    run.finish();
  return success();
}
