// How op-agnostic passes find the functions they work on, see the header.
#include "fuse-mlir/Transforms/Functions.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;

SmallVector<FunctionOpInterface> fuse::collectFunctions(Operation *root) {
  SmallVector<FunctionOpInterface> functions;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<gpu::GPUModuleOp>(op))
      return WalkResult::skip();
    FunctionOpInterface function = dyn_cast<FunctionOpInterface>(op);
    if (!function)
      return WalkResult::advance();
    functions.push_back(function);
    return WalkResult::skip();
  });
  return functions;
}
