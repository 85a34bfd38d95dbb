// Strategy `max` on random programs: no two kernels of a plan could be one.
#include "FunctionGraph.h"
#include "RandomProgram.h"

#include "fuse-mlir/Analysis/ClassPairs.h"
#include "fuse-mlir/Analysis/OpClassification.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::programs;

namespace {
/// A kernel of a plan, or a call, which the host runs.
struct Item {
  Mask ops = 0;
  /// Those whose results it gives to others.
  Mask given = 0;
  bool isCall = false;
};

/// Whether something else needs one of two kernels and is needed by the other.
bool isBetween(const FunctionGraph &graph, ArrayRef<Item> all, size_t first,
               size_t second) {
  // Calls keep their order.
  auto needs = [&](const Item &user, const Item &source) {
    return (graph.getInputs(user.ops) & source.given) ||
           (user.isCall && source.isCall && source.ops < user.ops);
  };
  auto reach = [&](bool below) {
    std::vector<bool> found(all.size());
    SmallVector<size_t> stack{first, second};
    while (!stack.empty()) {
      const Item &at = all[stack.pop_back_val()];
      for (size_t i = 0; i < all.size(); ++i)
        if (i != first && i != second && !found[i] &&
            (below ? needs(all[i], at) : needs(at, all[i]))) {
          found[i] = true;
          stack.push_back(i);
        }
    }
    return found;
  };
  return llvm::any_of(llvm::zip(reach(/*below=*/true), reach(/*below=*/false)),
                      [](auto both) { return get<0>(both) && get<1>(both); });
}

/// Whether the class-pair table has a role for some operator of `first` and
/// some operator of `second`: for one that reads the other's result where there
/// is such a pair, else for siblings.
bool havePair(const FunctionGraph &graph, Mask first, Mask second) {
  auto allow = [&](Operation *a, Operation *b, FusionRole role) {
    return getPairCondition(classify(a), classify(b), role) !=
           PairCondition::Never;
  };
  bool adjacent = graph.getInputs(second) & first;
  for (unsigned a = 0; a < graph.getCount(); ++a)
    for (unsigned b = 0; b < graph.getCount(); ++b) {
      if (!(first >> a & 1) || !(second >> b & 1))
        continue;
      Operation *one = graph.getOp(a), *two = graph.getOp(b);
      if (!adjacent && allow(one, two, FusionRole::Sibling))
        return true;
      if (adjacent && (graph.getInputs(1u << b) >> a & 1) &&
          (allow(one, two, FusionRole::Prologue) ||
           allow(one, two, FusionRole::Epilogue)))
        return true;
    }
  return false;
}

/// Whether a kernel of both groups is legal: neither needs the other through a
/// third one, the table has a role, and there is a shape for what they store
/// (which no nested reduction has).
bool mayMerge(const FunctionGraph &graph, ArrayRef<Item> all, size_t i,
              size_t j) {
  Mask first = all[i].ops, second = all[j].ops, both = first | second;
  if (isBetween(graph, all, i, j) ||
      !(havePair(graph, first, second) || havePair(graph, second, first)))
    return false;
  Mask given = (all[i].given | all[j].given) & graph.getWanted();
  for (unsigned op = 0; op < graph.getCount(); ++op)
    if (((all[i].given | all[j].given) >> op & 1) &&
        (graph.getReaders(1u << op) & ~both))
      given |= 1u << op;
  return graph.isLegal(both, given);
}

struct Kept {
  int adjacent = 0, apart = 0;
};

/// Looks at all pairs of kernels of a plan by `max`.
void checkPairs(const FunctionGraph &graph, ArrayRef<Item> all, unsigned seed,
                Kept &kept) {
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t j = i + 1; j < all.size(); ++j) {
      if (all[i].isCall || all[j].isCall)
        continue;
      bool adjacent = (graph.getInputs(all[j].ops) & all[i].given) ||
                      (graph.getInputs(all[i].ops) & all[j].given);
      ++(adjacent ? kept.adjacent : kept.apart);
      EXPECT_FALSE(mayMerge(graph, all, i, j))
          << "program " << seed << ", kernels " << i << " and " << j
          << (adjacent ? ", adjacent" : ", apart");
    }
}

class MaxTest : public ProgramTest {
protected:
  void check(unsigned seed, StringRef costModel, Kept &kept) {
    Program program(seed, 10 + seed % 20, 3 + seed % 4, /*mixed=*/seed % 2);
    OwningOpRef<ModuleOp> module = parse(program.render(program.getOrder()));
    ASSERT_TRUE(module) << seed;
    PlanRequest request;
    request.strategy = "max";
    request.costModel = costModel.str();
    FailureOr<Plan> found = plan(*module, request);
    FailureOr<ResolvedPlanOptions> resolved =
        resolvePlanOptions(*module, request);
    ASSERT_TRUE(succeeded(found) && succeeded(resolved)) << seed;
    func::FuncOp function = module->lookupSymbol<func::FuncOp>("f");
    FunctionGraph graph(function, *resolved, *found->residency.front().second);
    SmallVector<Item> all;
    for (const PlannedGroup &group : found->groups)
      all.push_back({graph.getMask(group.ops), graph.getMask(group.outputs)});
    for (unsigned op = 0; op < graph.getCount(); ++op)
      if (isa<func::CallOp>(graph.getOp(op)))
        all.push_back({1u << op, 1u << op, /*isCall=*/true});
    checkPairs(graph, all, seed, kept);
  }
};

// Of all pairs that are left, neighbours, siblings and those that have nothing
// in common, none may be one kernel. 120 programs, half of them with products
// and with operators of another size.
TEST_F(MaxTest, LeavesNothingToMerge) {
  Kept kept;
  for (unsigned seed = 3330; seed < 3450; ++seed)
    check(seed, "analytic", kept);
  // A call between, reductions of other rows, a nested product.
  EXPECT_GT(kept.adjacent, 50);
  EXPECT_GT(kept.apart, 30);
}

// Nor if no price is known: the model without a table knows none.
TEST_F(MaxTest, NeedsNoPrices) {
  Kept kept;
  for (unsigned seed = 3400; seed < 3430; ++seed)
    check(seed, "profile", kept);
  EXPECT_GT(kept.adjacent, 10);
}
} // namespace
