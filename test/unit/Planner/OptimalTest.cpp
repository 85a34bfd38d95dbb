// Strategy `optimal` on programs: against brute force with prices asked for
// apart, and laws that hold whatever the graph.
#include "BruteForce.h"

#include "fuse-mlir/CostModel/OpFacts.h"
#include "fuse-mlir/InitAll.h"
#include "fuse-mlir/Planner/OpRoles.h"
#include "fuse-mlir/Planner/PlanRequest.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <map>
#include <random>
#include <set>

using namespace mlir;
using namespace mlir::fuse;
using brute::Mask;

namespace {
/// One statement of a random program, and the statements that it reads.
struct Line {
  std::string text;
  SmallVector<unsigned> reads;
};

/// `count` operators on 256 × 512 values and on one value for each row: maps,
/// row sums and maxima, broadcasts, transposes and (rarely) calls. All that is
/// left unused is returned.
class Program {
public:
  Program(unsigned seed, unsigned count, unsigned window) : random(seed) {
    values.push_back({"%a0", "M"});
    values.push_back({"%a1", "M"});
    values.push_back({"%a2", "R"});
    while (lines.size() < count)
      addLine(window);
  }

  /// The program with its statements in order `order` (a topological one).
  std::string render(ArrayRef<unsigned> order, StringRef name = "f") const {
    std::string text = "func.func @" + name.str() +
                       "(%a0: M, %a1: M, %a2: R) -> (" + types() +
                       ") {\n%z = arith.constant 0.0 : f32\n"
                       "%m = tensor.empty() : M\n%r = tensor.empty() : R\n"
                       "%s = linalg.fill ins(%z : f32) outs(%r : R) -> R\n";
    for (unsigned i : order)
      text += lines[i].text + " loc(\"v" + std::to_string(i) + "\")\n";
    text += "return " + names() + " : " + types() + "\n}\n";
    std::string full;
    for (size_t i = 0; i < text.size(); ++i) {
      bool whole = i > 0 && !llvm::isAlnum(text[i - 1]) &&
                   !llvm::isAlnum(text[i + 1]) && text[i - 1] != '@';
      if (whole && text[i] == 'M')
        full += "tensor<256x512xf32>";
      else if (whole && text[i] == 'R')
        full += "tensor<256xf32>";
      else
        full += text[i];
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
    unsigned kind = random() % 14;
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
  std::optional<unsigned> lastCall;
  std::vector<Line> lines;
  std::vector<Named> values;
};

class OptimalTest : public ::testing::Test {
protected:
  OptimalTest() {
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

/// The operators of one function for the brute force: kernels are described and
/// priced without the planner's help.
class FunctionGraph : public brute::Graph {
public:
  /// `residency` says what is in L2: that follows from the program alone.
  FunctionGraph(func::FuncOp function, const ResolvedPlanOptions &resolved,
                const L2Residency &residency)
      : options(resolved.options), residency(residency) {
    for (Operation &op : function.getBody().front().without_terminator())
      if (!isFreeOp(&op) && !isGeneratorOp(&op)) {
        index[&op] = ops.size();
        ops.push_back(&op);
      }
    for (Value value :
         function.getBody().front().getTerminator()->getOperands())
      wanted |= 1u << index[value.getDefiningOp()];
    for (Operation *op : ops)
      if (isa<func::CallOp>(op))
        wanted |= 1u << index[op];
  }

  unsigned getCount() const override { return ops.size(); }
  /// The computing operators of a kernel.
  Mask getMask(const PlannedGroup &group) const {
    Mask mask = 0;
    for (Operation *op : group.ops)
      mask |= 1u << index.lookup(op);
    return mask;
  }
  /// Items that read results of `group` and are not in it.
  Mask getReaders(Mask group) const {
    Mask readers = 0;
    for (unsigned i = 0; i < ops.size(); ++i)
      if (!(group >> i & 1) && (getInputs(1u << i) & group))
        readers |= 1u << i;
    return readers;
  }
  Mask getWanted() const override { return wanted; }
  bool runsOnce(unsigned item) const override {
    return isRootOp(ops[item]) || isa<func::CallOp>(ops[item]);
  }
  Mask getInputs(Mask group) const override {
    Mask inputs = 0;
    for (unsigned i = 0; i < ops.size(); ++i)
      if (group >> i & 1)
        for (Value operand : ops[i]->getOperands()) {
          auto it = index.find(operand.getDefiningOp());
          if (it != index.end())
            inputs |= 1u << it->second;
        }
    return inputs & ~group;
  }
  std::optional<int64_t> getPrice(Mask group, Mask given) const override {
    auto [it, added] = prices.try_emplace({group, given});
    if (added)
      it->second = computePrice(group, given);
    return it->second;
  }

private:
  std::optional<int64_t> computePrice(Mask group, Mask given) const {
    llvm::SmallSetVector<Operation *, 16> members;
    llvm::SmallSetVector<Value, 8> inputs;
    SmallVector<Value> outputs;
    SmallVector<Operation *> computing;
    for (unsigned i = 0; i < ops.size(); ++i) {
      if (!(group >> i & 1))
        continue;
      computing.push_back(ops[i]);
      if (isa<func::CallOp>(ops[i])) {
        if (llvm::popcount(group) > 1)
          return std::nullopt;
        return 0; // The host's.
      }
      for (Value operand : ops[i]->getOperands())
        addOperand(operand, group, members, inputs);
      members.insert(ops[i]);
      if (given >> i & 1)
        outputs.push_back(ops[i]->getResult(0));
    }
    SmallVector<Operation *> sorted = llvm::to_vector(members);
    llvm::sort(sorted, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    RuleViolation violation;
    FailureOr<GroupShape> shape = analyzeGroup(sorted, outputs, &violation);
    GroupView view;
    view.kernel.ops = sorted;
    view.kernel.inputs = inputs.getArrayRef();
    view.kernel.outputs = outputs;
    view.kernel.shape = succeeded(shape) ? &*shape : nullptr;
    SmallVector<bool> resident =
        residency.find(computing, inputs.getArrayRef(), outputs);
    view.kernel.residentInputs = resident;
    view.shapeViolation = succeeded(shape) ? nullptr : &violation;
    view.device = options.device;
    for (const GroupConstraint *constraint : options.constraints)
      if (constraint->check(view))
        return std::nullopt;
    return options.costModel->estimateNanoseconds(view.kernel, options.device);
  }
  void addOperand(Value operand, Mask group,
                  llvm::SmallSetVector<Operation *, 16> &members,
                  llvm::SmallSetVector<Value, 8> &inputs) const {
    Operation *def = operand.getDefiningOp();
    if (def && (isFreeOp(def) || isGeneratorOp(def))) {
      for (Value inner : def->getOperands())
        addOperand(inner, group, members, inputs);
      members.insert(def);
      return;
    }
    auto it = index.find(def);
    if (it == index.end() || !(group >> it->second & 1))
      inputs.insert(operand);
  }

  const PlanOptions &options;
  const L2Residency &residency;
  std::vector<Operation *> ops;
  llvm::DenseMap<Operation *, unsigned> index;
  Mask wanted = 0;
  mutable std::map<std::pair<Mask, Mask>, std::optional<int64_t>> prices;
};

// Nothing is cheaper than the optimal plan: all plans of graphs of up to ten
// operators (most of them: up to nine) are tried, also those that store what
// nobody reads. What greedy misses is not all there is to find.
TEST_F(OptimalTest, AgreesWithBruteForce) {
  int better = 0;
  for (unsigned seed = 0; seed < 176; ++seed) {
    Program program(seed, 3 + seed % (seed < 32 ? 8 : 7), 3);
    OwningOpRef<ModuleOp> module = parse(program.render(program.getOrder()));
    ASSERT_TRUE(module) << seed;
    FailureOr<Plan> found = plan(*module, "optimal", kDefaultOptimalLimit);
    FailureOr<Plan> greedy = plan(*module, "greedy");
    ASSERT_TRUE(succeeded(found) && succeeded(greedy)) << seed;
    ASSERT_TRUE(found->optimality && found->optimality->complete) << seed;
    FailureOr<ResolvedPlanOptions> resolved = resolvePlanOptions(*module, {});
    ASSERT_TRUE(succeeded(resolved));
    func::FuncOp function = module->lookupSymbol<func::FuncOp>("f");
    FunctionGraph graph(function, *resolved, *found->residency.front().second);
    int64_t total = getTotal(*found);
    EXPECT_EQ(total, found->optimality->total) << seed;
    EXPECT_EQ(total, found->optimality->bound) << seed;
    // At one more there is a plan, and it is the cheapest one.
    EXPECT_EQ(brute::BruteForce(graph).run(total + 1), total) << seed;
    EXPECT_LE(total, getTotal(*greedy)) << seed;
    better += total < getTotal(*greedy);
  }
  RecordProperty("cheaper_than_greedy", better);
}

// A search that stops keeps a plan no dearer than greedy's, and says so.
TEST_F(OptimalTest, StopsAtTheLimit) {
  Program program(11, 40, 6);
  OwningOpRef<ModuleOp> module = parse(program.render(program.getOrder()));
  FailureOr<Plan> stopped = plan(*module, "optimal", /*limit=*/50);
  FailureOr<Plan> greedy = plan(*module, "greedy");
  ASSERT_TRUE(succeeded(stopped) && succeeded(greedy));
  EXPECT_FALSE(stopped->optimality->complete);
  EXPECT_LE(stopped->optimality->bound, getTotal(*stopped));
  EXPECT_LE(getTotal(*stopped), getTotal(*greedy));
}

// Names and places mean nothing; a graph twice costs twice as much.
TEST_F(OptimalTest, NamesMeanNothing) {
  for (unsigned seed = 100; seed < 105; ++seed) {
    Program program(seed, 12, 4);
    std::string once = program.render(program.getOrder(), "f");
    std::string other = program.render(program.getOrder(), "another");
    for (StringRef strategy : {"greedy", "max", "none", "optimal"}) {
      OwningOpRef<ModuleOp> a = parse(once), b = parse("\n\n" + other),
                            both = parse(once + other);
      FailureOr<Plan> first = plan(*a, strategy), second = plan(*b, strategy),
                      twice = plan(*both, strategy);
      ASSERT_TRUE(succeeded(first) && succeeded(second) && succeeded(twice));
      EXPECT_EQ(getTotal(*first), getTotal(*second)) << strategy.str() << seed;
      EXPECT_EQ(2 * getTotal(*first), getTotal(*twice))
          << strategy.str() << seed;
      EXPECT_EQ(2 * first->groups.size(), twice->groups.size())
          << strategy.str() << seed;
    }
  }
}

// The order of independent operators means nothing to the price.
TEST_F(OptimalTest, OrderMeansNothing) {
  for (unsigned seed = 200; seed < 210; ++seed) {
    Program program(seed, 10, 4);
    OwningOpRef<ModuleOp> given = parse(program.render(program.getOrder()));
    OwningOpRef<ModuleOp> shuffled =
        parse(program.render(program.shuffle(seed)));
    ASSERT_TRUE(given && shuffled);
    for (StringRef strategy : {"none", "optimal"}) {
      FailureOr<Plan> first = plan(*given, strategy),
                      second = plan(*shuffled, strategy);
      ASSERT_TRUE(succeeded(first) && succeeded(second));
      EXPECT_EQ(getTotal(*first), getTotal(*second)) << strategy.str() << seed;
    }
  }
}

// Nor does it for what looks at one candidate after the other: the same
// operators share kernels, whatever the order of the program.
TEST_F(OptimalTest, OrderMeansNothingToGreedy) {
  auto getNames = [](const Plan &plan) {
    std::multiset<std::multiset<std::string>> kernels;
    for (const PlannedGroup &group : plan.groups) {
      std::multiset<std::string> names;
      for (Operation *op : group.ops)
        names.insert(cast<NameLoc>(op->getLoc()).getName().str());
      kernels.insert(names);
    }
    return kernels;
  };
  int moved = 0;
  for (unsigned seed = 300; seed < 340; ++seed) {
    Program program(seed, 10 + seed % 40, 3 + seed % 5);
    SmallVector<unsigned> order = program.shuffle(seed);
    moved += order != program.getOrder();
    OwningOpRef<ModuleOp> given = parse(program.render(program.getOrder()));
    OwningOpRef<ModuleOp> shuffled = parse(program.render(order));
    ASSERT_TRUE(given && shuffled);
    for (StringRef strategy : {"greedy", "max"}) {
      FailureOr<Plan> first = plan(*given, strategy),
                      second = plan(*shuffled, strategy);
      ASSERT_TRUE(succeeded(first) && succeeded(second));
      EXPECT_EQ(getTotal(*first), getTotal(*second)) << strategy.str() << seed;
      EXPECT_EQ(getNames(*first), getNames(*second)) << strategy.str() << seed;
    }
  }
  EXPECT_GT(moved, 30);
}

// Strategy `max` leaves no two kernels that one reads of the other and that
// could be one.
TEST_F(OptimalTest, MaxLeavesNothingToMerge) {
  int kept = 0;
  for (unsigned seed = 400; seed < 420; ++seed) {
    Program program(seed, 14 + seed % 10, 4);
    OwningOpRef<ModuleOp> module = parse(program.render(program.getOrder()));
    ASSERT_TRUE(module);
    FailureOr<Plan> found = plan(*module, "max");
    FailureOr<ResolvedPlanOptions> resolved = resolvePlanOptions(*module, {});
    ASSERT_TRUE(succeeded(found) && succeeded(resolved));
    func::FuncOp function = module->lookupSymbol<func::FuncOp>("f");
    FunctionGraph graph(function, *resolved, *found->residency.front().second);
    SmallVector<Mask> masks;
    for (const PlannedGroup &group : found->groups)
      masks.push_back(graph.getMask(group));
    for (Mask first : masks)
      for (Mask second : masks) {
        Mask both = first | second;
        if (first == second || !(graph.getInputs(second) & first))
          continue;
        ++kept;
        // What depends on the two and is needed by them.
        Mask below = 0, above = 0;
        for (Mask next = graph.getReaders(both); next & ~below;
             next = graph.getReaders(both | below) & ~both)
          below |= next;
        for (Mask next = graph.getInputs(both); next & ~above;
             next = graph.getInputs(both | above) & ~both)
          above |= next;
        if (below & above)
          continue; // A cycle.
        Mask given = both & graph.getWanted();
        for (unsigned i = 0; i < graph.getCount(); ++i)
          if ((both >> i & 1) && (graph.getReaders(1u << i) & ~both))
            given |= 1u << i;
        EXPECT_FALSE(graph.getPrice(both, given)) << seed;
      }
  }
  // A call between, a nested reduction.
  EXPECT_GT(kept, 5);
}

// More of what a device has never makes the best plan worse.
TEST_F(OptimalTest, MoreOfTheDeviceIsNotWorse) {
  const std::pair<StringRef, function_ref<void(DeviceInfo &)>> changes[] = {
      {"dram", [](DeviceInfo &d) { d.dramGBPerSecond *= 2; }},
      {"l2", [](DeviceInfo &d) { d.l2GBPerSecond *= 2; }},
      {"clock", [](DeviceInfo &d) { d.clockMHz *= 2; }},
      {"sfu", [](DeviceInfo &d) { d.sfuLanesPerSM *= 2; }},
      {"fma", [](DeviceInfo &d) { d.fmaLanesPerSM *= 2; }},
      {"code", [](DeviceInfo &d) { d.instructionCacheBytes *= 2; }},
      {"parameters", [](DeviceInfo &d) { d.parameterBytes *= 2; }},
      {"launch", [](DeviceInfo &d) { d.launchNs /= 2; }},
  };
  for (unsigned seed = 300; seed < 305; ++seed) {
    Program program(seed, 10, 4);
    OwningOpRef<ModuleOp> module = parse(program.render(program.getOrder()));
    FailureOr<Plan> base = plan(*module, "optimal");
    ASSERT_TRUE(succeeded(base));
    for (auto [name, change] : changes) {
      FailureOr<Plan> more = plan(*module, "optimal", 20000, change);
      ASSERT_TRUE(succeeded(more));
      EXPECT_LE(getTotal(*more), getTotal(*base)) << name.str() << seed;
    }
  }
}
} // namespace
