// The exact search over abstract items against brute force.
#include "ExactCover.h"
#include "BruteForce.h"

#include "gtest/gtest.h"

#include <map>
#include <random>
#include <set>

using namespace mlir;
using namespace mlir::fuse::plan;

namespace {
using brute::BruteForce;
using brute::Mask;

/// A random graph with prices that grow with what a group reads, writes and
/// computes, and with pairs of items that may not share a group.
struct Graph : brute::Graph {
  Graph(unsigned seed, unsigned count) {
    std::mt19937 random(seed);
    items.resize(count);
    work.resize(count);
    size.resize(count);
    for (unsigned i = 0; i < count; ++i) {
      std::set<unsigned> needs;
      for (unsigned n = 0; i > 0 && n < 1 + random() % 2; ++n)
        needs.insert(i - 1 - random() % std::min(i, 4u));
      items[i].needs.assign(needs.begin(), needs.end());
      items[i].makes = {i};
      items[i].alone = random() % 12 == 0;
      items[i].once = random() % 3 == 0;
      work[i] = random() % 40;
      size[i] = 1 + random() % 60;
      if (i > 0 && random() % 4 == 0)
        apart.emplace_back(i, random() % i);
    }
    std::set<unsigned> used;
    for (const ExactItem &item : items)
      used.insert(item.needs.begin(), item.needs.end());
    for (unsigned i = 0; i < count; ++i)
      if (!used.count(i) || random() % 8 == 0)
        wanted.push_back(i);
  }

  unsigned getCount() const override { return items.size(); }
  bool runsOnce(unsigned item) const override {
    return items[item].once || items[item].alone;
  }
  Mask getWanted() const override {
    Mask mask = 0;
    for (unsigned item : wanted)
      mask |= 1u << item;
    return mask;
  }
  Mask getInputs(Mask group) const override {
    Mask inputs = 0;
    for (unsigned i = 0; i < items.size(); ++i)
      if (group >> i & 1)
        for (unsigned need : items[i].needs)
          inputs |= 1u << need;
    return inputs & ~group;
  }
  std::optional<int64_t> getPrice(Mask group, Mask given) const override {
    bool several = (group & (group - 1)) != 0;
    for (auto [a, b] : apart)
      if ((group >> a & 1) && (group >> b & 1))
        return std::nullopt;
    int64_t price = 25;
    Mask inputs = getInputs(group);
    for (unsigned i = 0; i < items.size(); ++i) {
      if ((group >> i & 1) && items[i].alone && several)
        return std::nullopt;
      if (group >> i & 1)
        price += work[i];
      if ((given >> i & 1) || (inputs >> i & 1))
        price += size[i];
    }
    return price;
  }

  std::vector<ExactItem> items;
  std::vector<int64_t> work, size;
  std::vector<std::pair<unsigned, unsigned>> apart;
  SmallVector<unsigned> wanted;
};

static Mask toMask(ArrayRef<unsigned> list) {
  Mask mask = 0;
  for (unsigned i : list)
    mask |= 1u << i;
  return mask;
}

static ExactProblem makeProblem(const Graph &graph, int64_t limit) {
  ExactProblem problem;
  problem.items = graph.items;
  problem.results = graph.items.size();
  problem.wanted = graph.wanted;
  problem.limit = limit;
  problem.known = std::numeric_limits<int64_t>::max();
  problem.price = [&graph](ArrayRef<unsigned> items, ArrayRef<unsigned> given) {
    return ExactPrice{graph.getPrice(toMask(items), toMask(given))};
  };
  return problem;
}

static int64_t getTotal(const Graph &graph, const ExactSolution &solution) {
  int64_t total = 0;
  for (const ExactGroup &group : solution.groups)
    total += *graph.getPrice(toMask(group.items), toMask(group.given));
  return total;
}

/// Everything that a group reads was given before.
static void expectOrder(const Graph &graph, const ExactSolution &solution) {
  Mask made = 0;
  for (const ExactGroup &group : solution.groups) {
    EXPECT_EQ(graph.getInputs(toMask(group.items)) & ~made, 0u);
    made |= toMask(group.given);
  }
  EXPECT_EQ(toMask(graph.wanted) & ~made, 0u);
}

TEST(ExactCover, AgreesWithBruteForce) {
  int recomputed = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    Graph graph(seed, 2 + seed % 5);
    ExactSolution solution = solveExactCover(makeProblem(graph, 1 << 20));
    ASSERT_TRUE(solution.complete) << seed;
    EXPECT_EQ(solution.bound, BruteForce(graph).run()) << seed;
    EXPECT_EQ(solution.bound, getTotal(graph, solution)) << seed;
    expectOrder(graph, solution);
    size_t places = 0;
    Mask all = 0;
    for (const ExactGroup &group : solution.groups) {
      places += group.items.size();
      all |= toMask(group.items);
    }
    recomputed += places > size_t(llvm::popcount(all));
  }
  // Computing an item twice is part of what is compared.
  EXPECT_GT(recomputed, 10);
}

// A search that stops says how far it is from the optimum at most.
TEST(ExactCover, BoundHoldsWhenStopped) {
  int stopped = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    Graph graph(seed, 12);
    ExactSolution whole = solveExactCover(makeProblem(graph, 1 << 22));
    ASSERT_TRUE(whole.complete) << seed;
    for (int64_t limit : {1, 20, 200, 2000}) {
      ExactSolution part = solveExactCover(makeProblem(graph, limit));
      EXPECT_LE(part.bound, whole.bound) << seed;
      EXPECT_LE(part.work, limit + 1) << seed;
      if (part.complete)
        EXPECT_EQ(part.bound, whole.bound) << seed;
      stopped += !part.complete;
    }
  }
  EXPECT_GT(stopped, 100);
}

// What is known is not found again; what is better than known is.
TEST(ExactCover, StartsFromWhatIsKnown) {
  Graph graph(7, 10);
  ExactProblem problem = makeProblem(graph, 1 << 22);
  int64_t best = solveExactCover(problem).bound;
  problem.known = best;
  ExactSolution same = solveExactCover(problem);
  EXPECT_TRUE(same.complete);
  EXPECT_TRUE(same.groups.empty());
  EXPECT_EQ(same.bound, best);
  problem.known = best + 1;
  ExactSolution better = solveExactCover(problem);
  EXPECT_TRUE(better.complete);
  EXPECT_EQ(getTotal(graph, better), best);
}

// What no group costs less than spares prices where that is most of a price,
// and changes no result.
TEST(ExactCover, LeastPriceSparesPrices) {
  constexpr int64_t kLaunch = 1000;
  size_t asked[2] = {0, 0}, sum[2] = {0, 0};
  for (unsigned seed = 0; seed < 60; ++seed) {
    Graph graph(seed, 8);
    ExactProblem problem = makeProblem(graph, 1 << 22);
    bool isKnown = false;
    problem.price = [&, price = problem.price](ArrayRef<unsigned> items,
                                               ArrayRef<unsigned> given) {
      ++asked[isKnown];
      ExactPrice found = price(items, given);
      if (found.cost)
        *found.cost += kLaunch;
      return found;
    };
    problem.known = solveExactCover(problem).bound + 1;
    asked[false] = 0;
    ExactSolution all = solveExactCover(problem);
    isKnown = true;
    // A launch, 25, and a result.
    problem.least = kLaunch + 26;
    ExactSolution fewer = solveExactCover(problem);
    ASSERT_TRUE(all.complete && fewer.complete) << seed;
    EXPECT_EQ(fewer.bound, problem.known - 1) << seed;
    EXPECT_EQ(getTotal(graph, fewer), getTotal(graph, all)) << seed;
    expectOrder(graph, fewer);
    EXPECT_LE(asked[true], asked[false]) << seed;
    sum[0] += asked[false];
    sum[1] += asked[true];
    asked[true] = 0;
  }
  EXPECT_LT(sum[1], sum[0] / 2);
}

// An item that runs once gives all its results to those that are left: of the
// sets of them only one is looked at, not two to the power of their number.
TEST(ExactCover, GivesResultsOfOneThatRunsOnceTogether) {
  constexpr unsigned kResults = 40;
  ExactProblem problem;
  ExactItem source, target;
  source.once = target.once = true;
  for (unsigned result = 0; result < kResults; ++result) {
    source.makes.push_back(result);
    target.makes.push_back(kResults + result);
    problem.wanted.push_back(kResults + result);
  }
  target.needs.assign(source.makes.begin(), source.makes.end());
  problem.items = {source, target};
  problem.results = 2 * kResults;
  problem.limit = 2000;
  problem.known = std::numeric_limits<int64_t>::max();
  problem.price = [](ArrayRef<unsigned> items, ArrayRef<unsigned> given) {
    // Two kernels are cheaper than one.
    return ExactPrice{items.size() == 2 ? 30 : 10};
  };
  int64_t looks = 0;
  problem.stop = [&] { return ++looks > 1000; };
  ExactSolution solution = solveExactCover(problem);
  EXPECT_TRUE(solution.complete);
  EXPECT_EQ(solution.bound, 20);
  EXPECT_EQ(solution.groups.size(), 2u);
  EXPECT_LT(looks, 100);
}
} // namespace
