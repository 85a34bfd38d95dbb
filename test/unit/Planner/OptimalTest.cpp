// Strategy `optimal` on programs: against brute force with prices asked for
// apart, and laws that hold whatever the graph.
#include "FunctionGraph.h"
#include "RandomProgram.h"

#include "fuse-mlir/CostModel/Traffic.h"

#include <set>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::programs;

namespace {
class OptimalTest : public ProgramTest {};

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

// What plans of other programs have counted only saves time.
TEST_F(OptimalTest, CountsOfOthersChangeNothing) {
  std::shared_ptr<cost::TrafficCache> shared =
      std::make_shared<cost::TrafficCache>();
  for (unsigned seed = 500; seed < 520; ++seed) {
    Program program(seed, 20, 4, /*mixed=*/true);
    OwningOpRef<ModuleOp> module = parse(program.render(program.getOrder()));
    FailureOr<ResolvedPlanOptions> resolved = resolvePlanOptions(*module, {});
    ASSERT_TRUE(succeeded(resolved));
    resolved->options.traffic = shared;
    FailureOr<Plan> with =
        planFusion(module->getBodyRegion(), resolved->options);
    FailureOr<Plan> without = plan(*module, "greedy");
    ASSERT_TRUE(succeeded(with) && succeeded(without));
    ASSERT_EQ(with->groups.size(), without->groups.size()) << seed;
    for (auto [a, b] : llvm::zip(with->groups, without->groups)) {
      EXPECT_EQ(a.ops, b.ops) << seed;
      EXPECT_EQ(a.nanoseconds, b.nanoseconds) << seed;
      EXPECT_EQ(a.sectorsRequested, b.sectorsRequested) << seed;
    }
  }
  EXPECT_FALSE(shared->known.empty());
  EXPECT_FALSE(shared->knownTiles.empty());
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
