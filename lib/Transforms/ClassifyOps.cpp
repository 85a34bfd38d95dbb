// fuse-classify-ops: writes the class of each operator and the reason for it.
#include "fuse-mlir/Transforms/Passes.h"

#include "fuse-mlir/Analysis/OpClassification.h"
#include "fuse-mlir/IR/FuseOps.h"
#include "fuse-mlir/Transforms/Functions.h"
#include "fuse-mlir/Transforms/MarkerTags.h"

#include "mlir/IR/Remarks.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_CLASSIFYOPSPASS
#include "fuse-mlir/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
struct ClassifyOps : fuse::impl::ClassifyOpsPassBase<ClassifyOps> {
  using ClassifyOpsPassBase::ClassifyOpsPassBase;
  void runOnOperation() override;

private:
  void classifyOp(Operation *op, StringRef function);
};
} // namespace

void ClassifyOps::classifyOp(Operation *op, StringRef function) {
  std::string reason;
  OpClass opClass = classify(op, reason);
  op->setAttr(FuseDialect::kClassAttrName,
              ClassAttr::get(op->getContext(), opClass, reason));
  remark::analysis(op->getLoc(), remark::RemarkOpts::name("OpClass")
                                     .category("fuse-classify-ops")
                                     .function(function))
      << remark::metric("op", op->getName().getStringRef())
      << remark::metric("class", stringifyOpClass(opClass))
      << remark::reason("{0}", reason);
  if (print)
    llvm::outs() << function << ": " << op->getName() << ": "
                 << stringifyOpClass(opClass) << ", " << reason << "\n";
}

void ClassifyOps::runOnOperation() {
  for (FunctionOpInterface function : collectFunctions(getOperation())) {
    StringRef name = function.getName();
    function->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op == function.getOperation())
        return WalkResult::advance();
      if (op->hasTrait<OpTrait::IsTerminator>())
        return WalkResult::advance();
      if (isInStructuredBody(op))
        return WalkResult::skip();
      classifyOp(op, name);
      return WalkResult::advance();
    });
  }
}
