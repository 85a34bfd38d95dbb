// A pass that lowers the dialect to linalg, and a pipeline that puts it before
// passes of fuse.
#include "tiny/Tiny.h"

#include "fuse-mlir/Transforms/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace {

struct LowerOpsPass : PassWrapper<LowerOpsPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerOpsPass)

  StringRef getArgument() const override { return "tiny-lower-ops"; }
  StringRef getDescription() const override { return "tiny to linalg"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<linalg::LinalgDialect, tensor::TensorDialect>();
  }

  void runOnOperation() override {
    getOperation()->walk([](tiny::SquareOp op) { lower(op); });
  }

  static void lower(tiny::SquareOp op) {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    Value input = op.getInput();
    RankedTensorType type = cast<RankedTensorType>(input.getType());
    Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                          builder.getF32Type());
    linalg::SquareOp square = linalg::SquareOp::create(
        builder, loc, ValueRange{input}, ValueRange{empty});
    op.getResult().replaceAllUsesWith(square->getResult(0));
    op.erase();
  }
};

} // namespace

void tiny::registerPasses() {
  PassRegistration<LowerOpsPass>();
  PassPipelineRegistration<>(
      "tiny-plan", "lower tiny, then plan its kernels by the model 'tiny'",
      [](OpPassManager &pm) {
        pm.addPass(std::make_unique<LowerOpsPass>());
        fuse::FormGroupsPassOptions options;
        options.costModel = "tiny";
        pm.addPass(fuse::createFormGroupsPass(options));
      });
}
