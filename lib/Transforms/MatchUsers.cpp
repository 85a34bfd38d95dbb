#include "MatchUsers.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

bool fuse::matchUsersInOrder(Operation *root,
                             function_ref<bool(Operation *)> match,
                             function_ref<bool(Value)> follows) {
  llvm::SmallSetVector<Operation *, 8> open(root->user_begin(),
                                            root->user_end());
  while (!open.empty()) {
    Operation *first = *open.begin();
    for (Operation *user : open)
      if (user->getBlock() != root->getBlock())
        return false;
      else if (user->isBeforeInBlock(first))
        first = user;
    if (!match(first))
      return false;
    open.remove(first);
    if (first->getNumResults() > 0 && follows(first->getResult(0)))
      open.insert(first->user_begin(), first->user_end());
  }
  return true;
}
