// Candidates for kernels of two contractions, of which the second one needs the
// first.
#include "fuse-mlir/Analysis/Attention.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <queue>
#include <set>

using namespace mlir;
using namespace mlir::fuse;

bool fuse::isContraction(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && linalg::isaContractionOpInterface(linalgOp);
}

bool fuse::exponentiates(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa<math::ExpOp, math::Exp2Op>(inner) ? WalkResult::interrupt()
                                                     : WalkResult::advance();
      })
      .wasInterrupted();
}

/// What depends on `op` in its block, at most `most` operators.
static llvm::SmallPtrSet<Operation *, 16> findDependents(Operation *op,
                                                         size_t most) {
  llvm::SmallPtrSet<Operation *, 16> found;
  SmallVector<Operation *> work = {op};
  while (!work.empty() && found.size() < most)
    for (Operation *user : work.pop_back_val()->getUsers())
      if (Operation *above = op->getBlock()->findAncestorOpInBlock(*user);
          above && found.insert(above).second)
        work.push_back(above);
  return found;
}

SmallVector<Operation *> fuse::findAttention(Operation *first) {
  constexpr size_t kMost = 96;
  if (!isContraction(first))
    return {};
  // In program order, so that the second contraction is known before what
  // needs both it and the cascade (sums that are divided afterwards).
  auto comesLater = [](Operation *a, Operation *b) {
    return b->isBeforeInBlock(a);
  };
  std::set<Operation *, decltype(comesLater)> seen(comesLater);
  std::priority_queue<Operation *, std::vector<Operation *>,
                      decltype(comesLater)>
      work(comesLater);
  SmallVector<Operation *> path;
  Operation *second = nullptr;
  llvm::SmallPtrSet<Operation *, 16> epilogue;
  bool reduces = false, softens = false;
  work.push(first);
  while (!work.empty()) {
    Operation *op = work.top();
    work.pop();
    path.push_back(op);
    if (epilogue.contains(op))
      continue;
    if (op != first && isContraction(op)) {
      if (second)
        return {};
      second = op;
      epilogue = findDependents(op, kMost);
      continue;
    }
    reduces |= op != first && isRootOp(op);
    softens |= exponentiates(op);
    for (Operation *user : op->getUsers()) {
      Operation *above = first->getBlock()->findAncestorOpInBlock(*user);
      if (!above || seen.size() >= kMost)
        return {};
      if (!above->hasTrait<OpTrait::IsTerminator>() &&
          seen.insert(above).second)
        work.push(above);
    }
  }
  if (!second || !reduces || !softens)
    return {};
  return path;
}
