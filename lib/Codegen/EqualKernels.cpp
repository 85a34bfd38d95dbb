// Kernels that the same device function serves: layers of a model that are the
// same but for their weights need to be compiled only once.
#include "EqualKernels.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::fuse;

static llvm::hash_code hashKernel(KernelOp kernel) {
  llvm::hash_code hash = llvm::hash_combine(
      kernel.getScheduleAttr().getAsOpaquePointer(),
      kernel->getParentOfType<FunctionOpInterface>().getOperation());
  kernel.getBody().walk([&](Operation *op) {
    hash =
        llvm::hash_combine(hash, OperationEquivalence::computeHash(
                                     op, OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::IgnoreLocations));
  });
  return hash;
}

static bool areEqual(KernelOp a, KernelOp b) {
  return a.getScheduleAttr() == b.getScheduleAttr() &&
         a->getOperandTypes() == b->getOperandTypes() &&
         a->getResultTypes() == b->getResultTypes() &&
         a.getInputs().size() == b.getInputs().size() &&
         a->getDiscardableAttrDictionary() ==
             b->getDiscardableAttrDictionary() &&
         a->getParentOfType<FunctionOpInterface>() ==
             b->getParentOfType<FunctionOpInterface>() &&
         OperationEquivalence::isRegionEquivalentTo(
             &a.getBody(), &b.getBody(), OperationEquivalence::IgnoreLocations);
}

KernelOp EqualKernels::getFirst(KernelOp kernel) {
  llvm::hash_code hash = hashKernel(kernel);
  auto [begin, end] = kernels.equal_range(hash);
  for (auto it = begin; it != end; ++it)
    if (areEqual(it->second, kernel))
      return it->second;
  kernels.emplace(hash, kernel);
  return kernel;
}
