// Blocks between a branch and what it reaches twice, see the header.
#include "fuse-mlir/Conversion/SeparateEdges.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

static void separateEdges(BranchOpInterface branch) {
  llvm::SmallPtrSet<Block *, 4> reached;
  for (unsigned i = 0; i < branch->getNumSuccessors(); ++i) {
    Block *target = branch->getSuccessor(i);
    SuccessorOperands operands = branch.getSuccessorOperands(i);
    if (reached.insert(target).second || operands.empty() ||
        operands.getProducedOperandCount() != 0)
      continue;
    OpBuilder builder(branch);
    Block *between = builder.createBlock(target);
    cf::BranchOp::create(builder, branch.getLoc(), target,
                         operands.getForwardedOperands());
    operands.erase(0, operands.size());
    branch->setSuccessor(between, i);
  }
}

void fuse::separateEdges(Operation *root) {
  root->walk([](BranchOpInterface branch) { ::separateEdges(branch); });
}
