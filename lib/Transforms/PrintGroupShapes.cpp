// Prints what analyzeGroup finds, for tests and for the curious.
#include "fuse-mlir/Analysis/GroupShape.h"
#include "fuse-mlir/IR/KernelBody.h"
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
  using PrintGroupShapesPassBase::PrintGroupShapesPassBase;

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

  void print(Operation *group) {
    Block &body = group->getRegion(0).front();
    SmallVector<Operation *> ops;
    for (Operation &op : body.without_terminator())
      ops.push_back(&op);
    SmallVector<Value> outputs(body.getTerminator()->getOperands());
    if (KernelOp kernel = dyn_cast<KernelOp>(group))
      outputs = KernelBody(kernel).outputs;
    RuleViolation why;
    FailureOr<GroupShape> shape = analyzeGroup(ops, outputs, &why);
    llvm::outs() << group->getName() << ": ";
    if (failed(shape)) {
      llvm::outs() << "refused by " << why.rule << ": " << why.message << "\n";
      return;
    }
    printShape(*shape, "");
    for (const KernelPart &part : shape->stages) {
      llvm::outs() << "  stage of " << part.ops.size() << " operator(s): ";
      printShape(part.shape, "  ");
    }
    for (const KernelPart &part : shape->parts) {
      llvm::outs() << "  part of " << part.ops.size() << " operator(s): ";
      printShape(part.shape, "  ");
    }
  }

  static void printShape(const GroupShape &shape, StringRef indent) {
    llvm::outs() << stringifyKernelPath(shape.path) << " ";
    if (shape.sizes.isStatic())
      llvm::outs() << shape.rows << " x " << shape.columns;
    else
      llvm::outs() << shape.rowExtent << " x " << shape.columnExtent;
    llvm::outs() << "\n";
    for (auto &[root, loops] : shape.rootLoops) {
      llvm::outs() << indent << "  root " << root->getName() << " ";
      printIndex(loops);
      llvm::outs() << "\n";
    }
    for (const OutputSeed &seed : shape.outputs) {
      llvm::outs() << indent << "  output ";
      printIndex(seed.index);
      llvm::outs() << (seed.perRow      ? " per row\n"
                       : seed.perColumn ? " per column\n"
                                        : "\n");
    }
  }
};
} // namespace
