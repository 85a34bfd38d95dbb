// Random programs for the planner's tests, and a fixture that plans them.
#ifndef FUSE_MLIR_TEST_UNIT_PLANNER_RANDOMPROGRAM_H
#define FUSE_MLIR_TEST_UNIT_PLANNER_RANDOMPROGRAM_H

#include "fuse-mlir/InitAll.h"
#include "fuse-mlir/Planner/PlanRequest.h"

#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringSwitch.h"
#include "gtest/gtest.h"

#include <random>

namespace mlir::fuse::programs {
/// One statement of a random program, and the statements that it reads.
struct Line {
  std::string text;
  SmallVector<unsigned> reads;
};

/// `count` operators on 256 × 512 values and on one value for each row: maps,
/// row sums and maxima, broadcasts, transposes and (rarely) calls. All that is
/// left unused is returned. A `mixed` one has products with a 512 × 512 matrix
/// and operators on 96 × 40 values (with sums of rows), too.
class Program {
public:
  Program(unsigned seed, unsigned count, unsigned window, bool mixed = false)
      : random(seed), mixed(mixed) {
    values.push_back({"%a0", "M"});
    values.push_back({"%a1", "M"});
    values.push_back({"%a2", "R"});
    values.push_back({"%a3", "N"});
    while (lines.size() < count)
      addLine(window);
  }

  /// The program with its statements in order `order` (a topological one).
  std::string render(ArrayRef<unsigned> order, StringRef name = "f") const {
    std::string text = "func.func @" + name.str() +
                       "(%a0: M, %a1: M, %a2: R, %a3: N, %w: W) -> (" +
                       types() +
                       ") {\n%z = arith.constant 0.0 : f32\n"
                       "%m = tensor.empty() : M\n%r = tensor.empty() : R\n"
                       "%s = linalg.fill ins(%z : f32) outs(%r : R) -> R\n"
                       "%n = tensor.empty() : N\n%k = tensor.empty() : K\n"
                       "%t = linalg.fill ins(%z : f32) outs(%k : K) -> K\n"
                       "%p = linalg.fill ins(%z : f32) outs(%m : M) -> M\n";
    for (unsigned i : order)
      text += lines[i].text + " loc(\"v" + std::to_string(i) + "\")\n";
    text += "return " + names() + " : " + types() + "\n}\n";
    std::string full;
    for (size_t i = 0; i < text.size(); ++i) {
      bool whole = i > 0 && !llvm::isAlnum(text[i - 1]) &&
                   !llvm::isAlnum(text[i + 1]) && text[i - 1] != '@';
      StringRef type = whole ? getType(text[i]) : "";
      full += type.empty() ? std::string(1, text[i]) : type.str();
    }
    return full;
  }
  SmallVector<unsigned> getOrder() const {
    return llvm::to_vector(llvm::seq<unsigned>(lines.size()));
  }
  /// Another topological order.
  SmallVector<unsigned> shuffle(unsigned seed) const {
    std::mt19937 random(seed);
    SmallVector<unsigned> order;
    llvm::DenseSet<unsigned> done;
    while (order.size() < lines.size()) {
      SmallVector<unsigned> ready;
      for (unsigned i = 0; i < lines.size(); ++i)
        if (!done.contains(i) && llvm::all_of(lines[i].reads, [&](unsigned r) {
              return done.contains(r);
            }))
          ready.push_back(i);
      order.push_back(ready[random() % ready.size()]);
      done.insert(order.back());
    }
    return order;
  }

private:
  struct Named {
    std::string name;
    char type[2];
    int line = -1;
    bool used = false;
  };

  /// What stands for a letter of a program's text.
  static StringRef getType(char letter) {
    return llvm::StringSwitch<StringRef>(StringRef(&letter, 1))
        .Case("M", "tensor<256x512xf32>")
        .Case("R", "tensor<256xf32>")
        .Case("N", "tensor<96x40xf32>")
        .Case("K", "tensor<96xf32>")
        .Case("W", "tensor<512x512xf32>")
        .Default("");
  }
  /// One of the last `window` values of type `type`.
  unsigned pick(char type, unsigned window) {
    SmallVector<unsigned> fitting;
    for (unsigned i = values.size(); i-- > 0 && fitting.size() < window;)
      if (values[i].type[0] == type)
        fitting.push_back(i);
    return fitting[random() % fitting.size()];
  }
  void addLine(unsigned window) {
    std::string name = "%v" + std::to_string(lines.size());
    unsigned kind = random() % (mixed ? 19 : 14);
    if (kind >= 14)
      return addOther(name, kind, window);
    unsigned m = pick('M', window), n = pick('M', window);
    std::string one = values[m].name, two = values[n].name;
    if (kind < 3)
      add(name, 'M', {m}, "linalg.exp ins(" + one + " : M) outs(%m : M) -> M");
    else if (kind < 7)
      add(name, 'M', {m, n},
          "linalg.add ins(" + one + ", " + two + " : M, M) outs(%m : M) -> M");
    else if (kind < 10)
      add(name, 'R', {m},
          "linalg.reduce {arith.addf} ins(" + one +
              " : M) outs(%s : R) dimensions = [1]");
    else if (kind < 12) {
      unsigned r = pick('R', window);
      add(name, 'M', {r},
          "linalg.broadcast ins(" + values[r].name +
              " : R) outs(%m : M) dimensions = [1]");
    } else if (kind < 13) {
      unsigned r = pick('R', window);
      add(name, 'R', {r},
          "linalg.sqrt ins(" + values[r].name + " : R) outs(%r : R) -> R");
    } else {
      // Calls may have effects: they stay in their order.
      add(name, 'M', {m}, "func.call @g(" + one + ") : (M) -> M");
      if (lastCall)
        lines.back().reads.push_back(*lastCall);
      lastCall = lines.size() - 1;
    }
  }
  void addOther(const std::string &name, unsigned kind, unsigned window) {
    unsigned m = pick('M', window), n = pick('N', window);
    if (kind < 16)
      add(name, 'M', {m},
          "linalg.matmul ins(" + values[m].name +
              ", %w : M, W) outs(%p : M) -> M");
    else if (kind < 18)
      add(name, 'N', {n},
          "linalg.exp ins(" + values[n].name + " : N) outs(%n : N) -> N");
    else
      add(name, 'K', {n},
          "linalg.reduce {arith.addf} ins(" + values[n].name +
              " : N) outs(%t : K) dimensions = [1]");
  }
  void add(const std::string &name, char type, ArrayRef<unsigned> operands,
           const std::string &text) {
    Line line{name + " = " + text, {}};
    for (unsigned operand : operands) {
      values[operand].used = true;
      if (values[operand].line >= 0)
        line.reads.push_back(values[operand].line);
    }
    values.push_back({name, {type, 0}, int(lines.size())});
    lines.push_back(line);
  }
  std::string list(function_ref<std::string(const Named &)> get) const {
    std::string text;
    for (const Named &value : values)
      if (!value.used && value.line >= 0)
        text += (text.empty() ? "" : ", ") + get(value);
    return text;
  }
  std::string names() const {
    return list([](const Named &value) { return value.name; });
  }
  std::string types() const {
    return list([](const Named &value) { return std::string(value.type); });
  }

  std::mt19937 random;
  bool mixed;
  std::optional<unsigned> lastCall;
  std::vector<Line> lines;
  std::vector<Named> values;
};

/// Parses and plans random programs.
class ProgramTest : public ::testing::Test {
protected:
  ProgramTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    registerAllExtensions(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  OwningOpRef<ModuleOp> parse(const std::string &functions) {
    return parseSourceString<ModuleOp>(
        "func.func private @g(tensor<256x512xf32>) -> tensor<256x512xf32>\n" +
            functions,
        &context);
  }

  FailureOr<Plan> plan(ModuleOp module, StringRef strategy,
                       int64_t limit = 20000,
                       function_ref<void(DeviceInfo &)> change = {}) {
    PlanRequest request;
    request.strategy = strategy.str();
    request.optimalLimit = limit;
    return plan(module, request, change);
  }
  FailureOr<Plan> plan(ModuleOp module, const PlanRequest &request,
                       function_ref<void(DeviceInfo &)> change = {}) {
    FailureOr<ResolvedPlanOptions> resolved =
        resolvePlanOptions(module, request);
    if (failed(resolved))
      return failure();
    if (change)
      change(resolved->options.device);
    return planFusion(module.getBodyRegion(), resolved->options);
  }

  static int64_t getTotal(const Plan &plan) {
    int64_t total = 0;
    for (const PlannedGroup &group : plan.groups)
      total += group.nanoseconds.value_or(0);
    return total;
  }

  MLIRContext context;
};
} // namespace mlir::fuse::programs

#endif // FUSE_MLIR_TEST_UNIT_PLANNER_RANDOMPROGRAM_H
