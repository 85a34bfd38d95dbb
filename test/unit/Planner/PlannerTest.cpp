// planFusion as a library: nothing is rewritten, a constraint of one's own is
// asked, and on random graphs every plan is complete, ordered and repeatable.
#include "fuse-mlir/Planner/PlanRequest.h"

#include "fuse-mlir/InitAll.h"
#include "fuse-mlir/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace mlir::fuse;

namespace {
class PlannerTest : public ::testing::Test {
protected:
  PlannerTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    registerAllExtensions(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// `count` element-wise operators and row sums; each reads one or two of the
  /// last `window` values. Some have a call between.
  OwningOpRef<ModuleOp> makeRandom(unsigned seed, unsigned count,
                                   unsigned window) {
    std::mt19937 random(seed);
    std::string text = "func.func private @g(T) -> T\nfunc.func @f(%v0: T) -> "
                       "T {\n%e = tensor.empty() : T\n";
    for (unsigned i = 1; i <= count; ++i) {
      auto pick = [&] {
        return "%v" + std::to_string(i - 1 - random() % std::min(i, window));
      };
      std::string name = "%v" + std::to_string(i);
      unsigned kind = random() % 12;
      if (kind == 0)
        text += name + " = func.call @g(" + pick() + ") : (T) -> T\n";
      else if (kind < 6)
        text +=
            name + " = linalg.exp ins(" + pick() + " : T) outs(%e : T) -> T\n";
      else
        text += name + " = linalg.add ins(" + pick() + ", " + pick() +
                " : T, T) outs(%e : T) -> T\n";
    }
    text += "return %v" + std::to_string(count) + " : T\n}";
    std::string full;
    for (size_t i = 0; i < text.size(); ++i) {
      bool type = text[i] == 'T' &&
                  (i + 1 == text.size() || !llvm::isAlnum(text[i + 1]));
      full += type ? std::string("tensor<64x64xf32>") : std::string(1, text[i]);
    }
    return parseSourceString<ModuleOp>(full, &context);
  }

  FailureOr<Plan> plan(ModuleOp module, StringRef strategy,
                       const GroupConstraint *extra = nullptr,
                       bool wantsDecisions = true) {
    PlanRequest request;
    request.strategy = strategy.str();
    FailureOr<ResolvedPlanOptions> resolved =
        resolvePlanOptions(module, request);
    if (failed(resolved))
      return failure();
    if (extra)
      resolved->options.constraints.push_back(extra);
    resolved->options.wantsDecisions = wantsDecisions;
    return planFusion(module.getBodyRegion(), resolved->options);
  }

  MLIRContext context;
};

/// No kernel of more than two operators.
struct AtMostTwo : GroupConstraint {
  std::optional<RuleViolation> check(const GroupView &group) const override {
    int64_t computing = llvm::count_if(group.kernel.ops, [](Operation *op) {
      return op->getName().getStringRef() != "tensor.empty";
    });
    if (computing <= 2)
      return std::nullopt;
    return RuleViolation{"at-most-two", "more than two operators"};
  }
};

TEST_F(PlannerTest, NothingIsRewritten) {
  OwningOpRef<ModuleOp> module = makeRandom(1, 20, 4);
  ASSERT_TRUE(module);
  std::string before, after;
  llvm::raw_string_ostream(before) << *module;
  ASSERT_TRUE(succeeded(plan(*module, "greedy")));
  llvm::raw_string_ostream(after) << *module;
  EXPECT_EQ(before, after);
}

TEST_F(PlannerTest, ConstraintIsAsked) {
  OwningOpRef<ModuleOp> module = makeRandom(2, 30, 3);
  AtMostTwo constraint;
  FailureOr<Plan> result = plan(*module, "max", &constraint);
  ASSERT_TRUE(succeeded(result));
  bool refused = false;
  for (const PlannedGroup &group : result->groups)
    EXPECT_LE(group.ops.size(), 2u);
  for (const Decision &decision : result->decisions)
    refused |= decision.violation.rule == "at-most-two";
  EXPECT_TRUE(refused);
}

// Each operator that is needed is in a group; groups can run in their order;
// the same plan comes out twice; the rewritten program verifies.
TEST_F(PlannerTest, RandomGraphs) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    OwningOpRef<ModuleOp> module = makeRandom(seed, 5 + seed, 2 + seed % 9);
    ASSERT_TRUE(module);
    for (StringRef strategy : {"greedy", "max", "none"}) {
      FailureOr<Plan> first = plan(*module, strategy);
      FailureOr<Plan> second = plan(*module, strategy);
      ASSERT_TRUE(succeeded(first) && succeeded(second));
      ASSERT_EQ(first->groups.size(), second->groups.size());
      llvm::DenseSet<Value> made;
      for (auto [a, b] : llvm::zip(first->groups, second->groups)) {
        EXPECT_EQ(a.name, b.name);
        EXPECT_EQ(a.ops, b.ops);
        EXPECT_FALSE(a.outputs.empty());
        made.insert(a.outputs.begin(), a.outputs.end());
      }
      // Names are numbered in the order of the plan.
      for (auto [i, group] : llvm::enumerate(first->groups))
        EXPECT_TRUE(
            StringRef(group.name).starts_with("f_" + std::to_string(i) + "_"));
      for (const PlannedGroup &group : first->groups)
        for (Value input : group.inputs)
          if (Operation *def = input.getDefiningOp())
            EXPECT_TRUE(made.contains(input) || isa<func::CallOp>(def));
      if (strategy == "none")
        EXPECT_EQ(int64_t(first->groups.size()), first->kernelsUnfused);
    }
    FormGroupsPassOptions options;
    options.strategy = seed % 2 ? "greedy" : "max";
    PassManager pm(&context);
    pm.addPass(createFormGroupsPass(options));
    EXPECT_TRUE(succeeded(pm.run(*module)));
    EXPECT_TRUE(succeeded(verify(*module)));
  }
}

// Who wants to be told of decisions gets the same plan.
TEST_F(PlannerTest, TellingChangesNothing) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    OwningOpRef<ModuleOp> module =
        makeRandom(seed, 20 + 3 * seed, 2 + seed % 9);
    FailureOr<Plan> told = plan(*module, "greedy");
    FailureOr<Plan> silent = plan(*module, "greedy", nullptr, false);
    ASSERT_TRUE(succeeded(told) && succeeded(silent));
    EXPECT_FALSE(told->decisions.empty());
    EXPECT_TRUE(silent->decisions.empty());
    ASSERT_EQ(told->groups.size(), silent->groups.size());
    for (auto [a, b] : llvm::zip(told->groups, silent->groups)) {
      EXPECT_EQ(a.ops, b.ops);
      EXPECT_EQ(a.nanoseconds, b.nanoseconds);
    }
  }
}

// Greedy is never dearer than no fusion at all.
TEST_F(PlannerTest, GreedyIsNotDearer) {
  for (unsigned seed = 100; seed < 120; ++seed) {
    OwningOpRef<ModuleOp> module = makeRandom(seed, 40, 6);
    auto total = [&](StringRef strategy) {
      FailureOr<Plan> result = plan(*module, strategy);
      int64_t sum = 0;
      for (const PlannedGroup &group : result->groups)
        sum += *group.nanoseconds;
      return sum;
    };
    EXPECT_LE(total("greedy"), total("none"));
  }
}
} // namespace
