// The contract of cost models, checked by asking a model again and again.
#include "fuse-mlir/CostModel/Contract.h"

#include <thread>

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// All that a model says of one kernel.
struct Answer {
  SmallVector<std::pair<StringRef, Quantity>, 12> numbers;

  Quantity getPrice() const { return numbers.front().second; }
  bool operator==(const Answer &other) const {
    return numbers == other.numbers;
  }
};

/// Asks one model about kernels and collects what is wrong.
class Examiner {
public:
  Examiner(const CostModel &model, const ContractOptions &options)
      : model(model), options(options) {}

  Answer ask(const KernelView &view) const;
  void examine(const ContractProbes::Probe &probe);
  void compare(const ContractProbes::Probe &smaller,
               const ContractProbes::Probe &larger);

  std::vector<ContractViolation> violations;

private:
  void report(StringRef rule, const ContractProbes::Probe &probe,
              const Twine &message) {
    violations.push_back({rule.str(), (probe.name + ": " + message).str()});
  }

  const CostModel &model;
  const ContractOptions &options;
};
} // namespace

static std::string describe(Quantity value) {
  return value ? std::to_string(*value) : "unknown";
}

/// The first number in which two answers differ, as text.
static std::string describeDifference(const Answer &a, const Answer &b) {
  for (auto [first, second] : llvm::zip(a.numbers, b.numbers))
    if (first != second)
      return (first.first + " is " + describe(first.second) + ", then " +
              describe(second.second))
          .str();
  return "";
}

Answer Examiner::ask(const KernelView &view) const {
  Answer answer;
  auto add = [&](StringRef name, Quantity value) {
    answer.numbers.emplace_back(name, value);
  };
  add("estimateNanoseconds", model.estimateNanoseconds(view, options.device));
  add("bytesRead", model.bytesRead(view));
  add("bytesWritten", model.bytesWritten(view));
  add("bytesMoved", model.bytesMoved(view));
  add("flops", model.flops(view));
  add("recomputedFlops", model.recomputedFlops(view));
  add("instructions", model.instructions(view));
  add("registersPerThread", model.registersPerThread(view));
  add("spilledBytesPerThread",
      model.spilledBytesPerThread(view, options.device));
  add("sharedWavefronts", model.sharedWavefronts(view));
  add("sharedBytes", model.sharedBytes(view));
  add("codeBytes", model.codeBytes(view));
  add("launches", model.launches(view));
  std::optional<Occupancy> grid = model.occupancy(view, options.device);
  add("blocks", grid ? Quantity(grid->blocks) : std::nullopt);
  add("threadsPerBlock", grid ? Quantity(grid->threadsPerBlock) : std::nullopt);
  add("residentBlocks", grid ? Quantity(grid->residentBlocks) : std::nullopt);
  return answer;
}

void Examiner::examine(const ContractProbes::Probe &probe) {
  Answer first = ask(probe.view);
  for (auto [name, value] : first.numbers)
    if (value && *value < 0) {
      report("non-negative", probe, name + " is " + describe(value));
      break;
    }
  if (model.explain(probe.view, options.device).nanoseconds != first.getPrice())
    report("consistent", probe,
           "explain and estimateNanoseconds give different prices");
  int64_t least = model.leastNanoseconds(options.device);
  if (first.getPrice() && *first.getPrice() < least)
    report("least", probe,
           "costs " + describe(first.getPrice()) +
               " ns, but leastNanoseconds is " + std::to_string(least));
  for (unsigned i = 1; i < options.repetitions; ++i) {
    Answer again = ask(probe.view);
    if (again == first)
      continue;
    report("deterministic", probe, describeDifference(first, again));
    return; // Threads would only say so again.
  }
  std::vector<Answer> answers(options.threads);
  std::vector<std::thread> threads;
  for (Answer &answer : answers)
    threads.emplace_back([&] { answer = ask(probe.view); });
  for (std::thread &thread : threads)
    thread.join();
  for (Answer &answer : answers)
    if (!(answer == first)) {
      report("thread-safe", probe, describeDifference(first, answer));
      return;
    }
}

void Examiner::compare(const ContractProbes::Probe &smaller,
                       const ContractProbes::Probe &larger) {
  // Below that, more work keeps more of the device busy.
  std::optional<Occupancy> grid = model.occupancy(smaller.view, options.device);
  if (!grid || grid->blocks < options.device.smCount)
    return;
  Quantity less = model.bytesMoved(smaller.view);
  Quantity more = model.bytesMoved(larger.view);
  Quantity cheap = model.estimateNanoseconds(smaller.view, options.device);
  Quantity dear = model.estimateNanoseconds(larger.view, options.device);
  if (!less || !more || !cheap || !dear || *less > *more || *cheap <= *dear)
    return;
  report("monotone", larger,
         describe(dear) + " ns for " + describe(more) + " bytes, but '" +
             smaller.name + "' costs " + describe(cheap) + " ns for " +
             describe(less));
}

std::vector<ContractViolation>
fuse::checkCostModel(const CostModel &model,
                     ArrayRef<ContractProbes::Probe> probes,
                     const ContractOptions &options) {
  Examiner examiner(model, options);
  for (const ContractProbes::Probe &probe : probes)
    examiner.examine(probe);
  if (options.monotone)
    for (size_t i = 1; i < probes.size(); ++i)
      if (probes[i - 1].family == probes[i].family)
        examiner.compare(probes[i - 1], probes[i]);
  return std::move(examiner.violations);
}
