// Prints what analyzeGroup finds, for tests and for the curious.
#include "fuse-mlir/Analysis/GroupShape.h"
#include "fuse-mlir/IR/FuseOps.h"
#include "fuse-mlir/Transforms/Passes.h"

#include "llvm/Support/raw_ostream.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_PRINTGROUPSHAPESPASS
#include "fuse-mlir/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
struct PrintGroupShapesPass
    : fuse::impl::PrintGroupShapesPassBase<PrintGroupShapesPass> {
  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      if (isa<GroupOp, KernelOp>(op))
        print(op);
    });
    markAllAnalysesPreserved();
  }

  static void printIndex(ArrayRef<AffineExpr> index) {
    llvm::outs() << "(";
    llvm::interleaveComma(index, llvm::outs(), [](AffineExpr expr) {
      if (expr)
        llvm::outs() << expr;
      else
        llvm::outs() << "*";
    });
    llvm::outs() << ")";
  }

  static void print(Operation *group) {
    Block &body = group->getRegion(0).front();
    SmallVector<Operation *> ops;
    for (Operation &op : body.without_terminator())
      ops.push_back(&op);
    SmallVector<Value> outputs(body.getTerminator()->getOperands());
    RuleViolation why;
    FailureOr<GroupShape> shape = analyzeGroup(ops, outputs, &why);
    llvm::outs() << group->getName() << ": ";
    if (failed(shape)) {
      llvm::outs() << "refused by " << why.rule << ": " << why.message << "\n";
      return;
    }
    llvm::outs() << stringifyKernelPath(shape->path) << " " << shape->rows
                 << " x " << shape->columns << "\n";
    for (Operation *root : shape->roots) {
      llvm::outs() << "  root " << root->getName() << " ";
      printIndex(shape->rootLoops[root]);
      llvm::outs() << "\n";
    }
    for (OutputSeed &seed : shape->outputs) {
      llvm::outs() << "  output ";
      printIndex(seed.index);
      llvm::outs() << (seed.perRow ? " per row\n" : "\n");
    }
  }
};
} // namespace
