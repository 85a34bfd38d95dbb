// fuse-outline-groups: each group or kernel becomes a call of a private
// function, for compilers with a code generator of their own.
#include "fuse-mlir/Transforms/Passes.h"

#include "fuse-mlir/IR/FuseOps.h"
#include "fuse-mlir/Transforms/Functions.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_OUTLINEGROUPSPASS
#include "fuse-mlir/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
struct OutlineGroups : fuse::impl::OutlineGroupsPassBase<OutlineGroups> {
  void runOnOperation() override;
};
} // namespace

/// The function that `kernel` calls from now on; takes over the body.
static func::FuncOp makeFunction(KernelOp kernel) {
  OpBuilder builder(kernel.getContext());
  func::FuncOp function =
      func::FuncOp::create(kernel.getLoc(), kernel.getKernelName(),
                           builder.getFunctionType(kernel.getOperandTypes(),
                                                   kernel.getResultTypes()));
  function.setPrivate();
  auto carry = [&](StringRef name, Attribute value) {
    if (value)
      function->setAttr(name, value);
  };
  carry(FuseDialect::kClassAttrName, kernel.getOpClassAttr());
  carry(FuseDialect::kScheduleAttrName, kernel.getScheduleAttr());
  carry(FuseDialect::kCostAttrName, kernel.getCostAttr());

  function.getBody().takeBody(kernel.getBody());
  Block &body = function.getBody().front();
  YieldOp yield = cast<YieldOp>(body.getTerminator());
  builder.setInsertionPoint(yield);
  SmallVector<Value> stored;
  ArrayRef<BlockArgument> destinations =
      body.getArguments().take_back(yield.getValues().size());
  for (auto [value, destination] : llvm::zip(yield.getValues(), destinations))
    stored.push_back(bufferization::MaterializeInDestinationOp::create(
                         builder, yield.getLoc(), value, destination)
                         .getResult());
  func::ReturnOp::create(builder, yield.getLoc(), stored);
  yield.erase();
  return function;
}

void OutlineGroups::runOnOperation() {
  Operation *root = getOperation();
  if (!root->hasTrait<OpTrait::SymbolTable>()) {
    root->emitOpError("expected a symbol table to put functions into");
    return signalPassFailure();
  }
  // The same as kernels, but whole, and only what stands in groups.
  OpPassManager isolate(root->getName().getStringRef());
  IsolateGroupsPassOptions options;
  options.split = false;
  options.standalone = false;
  isolate.addPass(createIsolateGroupsPass(options));
  if (failed(runPipeline(isolate, root)))
    return signalPassFailure();

  SymbolTableCollection tables;
  for (FunctionOpInterface function : collectFunctions(root)) {
    Operation *scope = SymbolTable::getNearestSymbolTable(
        function->getParentOp() ? function->getParentOp()
                                : function.getOperation());
    Block::iterator after = std::next(Block::iterator(function));
    SmallVector<KernelOp> kernels;
    function->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    for (KernelOp kernel : kernels) {
      OpBuilder builder(kernel);
      func::FuncOp outlined = makeFunction(kernel);
      tables.getSymbolTable(scope).insert(outlined, after);
      func::CallOp call = func::CallOp::create(builder, kernel.getLoc(),
                                               outlined, kernel->getOperands());
      kernel.replaceAllUsesWith(call.getResults());
      kernel.erase();
    }
  }
}
