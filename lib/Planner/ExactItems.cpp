// Prices sets of items for the exact search; see the header.
#include "ExactItems.h"

#include "fuse-mlir/Analysis/ClassPairs.h"
#include "fuse-mlir/Analysis/GroupShape.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

bool plan::runsOnce(const OpNode &node) {
  return isRootOp(node.op) || node.op->getNumResults() > 1 ||
         llvm::any_of(node.reads, [](Value value) {
           return value.getDefiningOp<bufferization::ToTensorOp>() != nullptr;
         });
}

bool plan::hasRole(OpClass opClass) {
  return llvm::any_of(
      ArrayRef{FusionRole::Prologue, FusionRole::Epilogue, FusionRole::Sibling},
      [&](FusionRole role) {
        return getPairCondition(opClass, OpClass::Injective, role) !=
               PairCondition::Never;
      });
}

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

unsigned ExactItems::add(ArrayRef<unsigned> own, const ItemTraits &how) {
  unsigned number = ops.size();
  ops.emplace_back(own.begin(), own.end());
  traits.push_back(how);
  ExactItem &item = problem.items.emplace_back();
  item.alone = how.alone;
  item.once = how.once;
  for (unsigned op : own)
    for (OpResult result : graph.nodes[op].op->getResults()) {
      resultOf[result] = results.size();
      item.makes.push_back(results.size());
      results.push_back(
          {int(graph.nodes[op].firstResult + result.getResultNumber()), number,
           int(op)});
    }
  return number;
}

/// The result that stands for having run.
unsigned ExactItems::getToken(unsigned item) {
  auto [it, added] = tokenOf.try_emplace(item, results.size());
  if (added) {
    problem.items[item].makes.push_back(results.size());
    // Whoever waits for it waits for the one time that it runs.
    problem.items[item].once = true;
    results.push_back({-1, item, ops[item].empty() ? -1 : int(ops[item][0])});
  }
  return it->second;
}

void ExactItems::need(unsigned item, unsigned result) {
  if (results[result].item != item &&
      !llvm::is_contained(problem.items[item].needs, result))
    problem.items[item].needs.push_back(result);
}

void ExactItems::addRead(unsigned item, Value value) {
  auto it = resultOf.find(value);
  if (it != resultOf.end())
    need(item, it->second);
}

void ExactItems::addReads(unsigned item) {
  for (unsigned op : ops[item])
    for (Value value : graph.nodes[op].reads)
      addRead(item, value);
}

void ExactItems::addOrder(unsigned item, unsigned before) {
  for (unsigned result : problem.items[item].needs)
    if (results[result].item == before)
      return;
  need(item, getToken(before));
}

void ExactItems::wantValue(Value value) {
  problem.wanted.push_back(resultOf.lookup(value));
}

void ExactItems::wantItem(unsigned item) {
  problem.wanted.push_back(getToken(item));
}

void ExactItems::findDependents() {
  dependents.assign(ops.size(), llvm::BitVector(ops.size()));
  for (size_t i = ops.size(); i-- > 0;) {
    dependents[i].set(i);
    for (unsigned need : problem.items[i].needs)
      dependents[results[need].item] |= dependents[i];
  }
}

ExactSolution ExactItems::solve(int64_t known, int64_t least, int64_t limit,
                                std::function<bool()> stop) {
  findDependents();
  problem.results = results.size();
  problem.limit = limit;
  problem.known = known;
  problem.least = least;
  problem.stop = std::move(stop);
  problem.price = [this](ArrayRef<unsigned> items, ArrayRef<unsigned> given) {
    return getPrice(items, given);
  };
  problem.isHopeless = [this](ArrayRef<unsigned> items) {
    return isAlone(items) || holdsConflict(items);
  };
  return solveExactCover(problem);
}

SmallVector<unsigned, 4> ExactItems::getOps(const ExactGroup &group) const {
  SmallVector<unsigned, 4> all;
  for (unsigned item : group.items)
    all = PlanGraph::unite(all, ops[item]);
  return all;
}

SmallVector<unsigned> ExactItems::getGiven(const ExactGroup &group) const {
  SmallVector<unsigned> given;
  for (unsigned result : group.given)
    if (results[result].op >= 0)
      given.push_back(results[result].op);
  return given;
}

//===----------------------------------------------------------------------===//
// Prices
//===----------------------------------------------------------------------===//

Evaluation ExactItems::evaluate(ArrayRef<unsigned> items,
                                ArrayRef<unsigned> given) {
  SmallVector<unsigned, 4> all;
  for (unsigned item : items)
    all = PlanGraph::unite(all, ops[item]);
  SmallVector<unsigned> stored;
  for (unsigned result : given)
    if (results[result].value >= 0)
      stored.push_back(results[result].value);
  llvm::sort(stored);
  return evaluator.evaluateStoring(all, stored);
}

/// Whether the second item, a reduction, would evaluate the first one in its
/// loops. Then it does so in every kernel that holds both.
bool ExactItems::areInConflict(unsigned first, unsigned second) {
  auto [it, added] = conflicts.try_emplace({first, second}, false);
  if (!added)
    return it->second;
  SmallVector<unsigned> between;
  for (unsigned item : dependents[first].set_bits())
    if (dependents[item].test(second))
      between.push_back(item);
  Evaluation evaluation = evaluate(between, problem.items[second].makes);
  return conflicts[{first, second}] =
             evaluation.violation &&
             evaluation.violation->rule == "nested-reduction";
}

bool ExactItems::holdsConflict(ArrayRef<unsigned> items) {
  // Two contractions may be those of an attention, which holds what no other
  // kernel can.
  unsigned contractions = 0;
  for (unsigned item : items)
    contractions += llvm::count_if(ops[item], [&](unsigned op) {
      return graph.nodes[op].opClass == OpClass::Contraction;
    });
  if (contractions > 1)
    return false;
  SmallVector<unsigned> roots;
  for (unsigned item : items)
    if (traits[item].hasRoots)
      roots.push_back(item);
  for (unsigned first : roots)
    for (unsigned second : roots)
      if (first != second && dependents[first].test(second) &&
          areInConflict(first, second))
        return true;
  return false;
}

ExactPrice ExactItems::getPrice(ArrayRef<unsigned> items,
                                ArrayRef<unsigned> given) {
  if (isAlone(items))
    return {traits[items.front()].price, /*hopeless=*/true};
  if (holdsConflict(items))
    return {std::nullopt, /*hopeless=*/true};
  Evaluation evaluation = evaluate(items, given);
  return {evaluation.violation ? std::nullopt : evaluation.nanoseconds, false};
}
