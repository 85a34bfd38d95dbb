// What the body of a kernel computes and where it goes, see the header.
#include "fuse-mlir/IR/KernelBody.h"

using namespace mlir;
using namespace mlir::fuse;

ArrayRef<int32_t> fuse::getUpdates(LaunchOp launch) {
  DenseI32ArrayAttr numbers =
      launch->getAttrOfType<DenseI32ArrayAttr>(kUpdatesAttrName);
  return numbers ? numbers.asArrayRef() : ArrayRef<int32_t>();
}

bool fuse::isUpdate(LaunchOp launch, OpOperand &operand) {
  return launch.isDpsInit(&operand) &&
         llvm::is_contained(getUpdates(launch),
                            operand.getOperandNumber() -
                                launch.getOutsMutable()[0].getOperandNumber());
}

tensor::InsertSliceOp fuse::getUpdate(KernelOp kernel, unsigned number) {
  Block &body = kernel.getBody().front();
  tensor::InsertSliceOp insert = body.getTerminator()
                                     ->getOperand(number)
                                     .getDefiningOp<tensor::InsertSliceOp>();
  unsigned destination = kernel.getInputs().size() + number;
  if (!insert || insert.getDest() != body.getArgument(destination))
    return {};
  return insert;
}

Value fuse::getStoredValue(KernelOp kernel, unsigned number) {
  if (tensor::InsertSliceOp update = getUpdate(kernel, number))
    return update.getSource();
  return kernel.getBody().front().getTerminator()->getOperand(number);
}

KernelBody::KernelBody(KernelOp kernel) {
  for (Operation &op : kernel.getBody().front().without_terminator())
    ops.push_back(&op);
  for (unsigned i = 0; i < kernel.getNumResults(); ++i)
    outputs.push_back(getStoredValue(kernel, i));
}
