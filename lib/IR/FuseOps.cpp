// Operations of the fuse dialect: verifiers and interface methods.
#include "fuse-mlir/IR/KernelBody.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace mlir::fuse;

#define GET_OP_CLASSES
#include "fuse-mlir/IR/FuseOps.cpp.inc"

/// Checks that what `yield` gives agrees with the results of `op`.
static LogicalResult verifyYield(Operation *op, Region &body, StringRef rule) {
  auto yield = cast<YieldOp>(body.front().getTerminator());
  if (yield.getValues().getTypes() == op->getResultTypes())
    return success();
  InFlightDiagnostic diag = op->emitOpError()
                            << "expected 'fuse.yield' to give the types of the "
                               "results ("
                            << rule << ")";
  diag.attachNote(yield.getLoc()) << "yields " << yield.getValues().getTypes();
  return diag;
}

//===----------------------------------------------------------------------===//
// GroupOp
//===----------------------------------------------------------------------===//

LogicalResult GroupOp::verify() {
  if ((*this)->getParentOfType<GroupOp>() ||
      (*this)->getParentOfType<KernelOp>())
    return emitOpError("expected no enclosing group or kernel (group_c3)");
  return success();
}

LogicalResult GroupOp::verifyRegions() {
  if (getBody().front().without_terminator().empty())
    return emitOpError("expected at least one operation in the body "
                       "(group_c1)");
  if (failed(verifyYield(*this, getBody(), "group_c2")))
    return failure();
  auto yield = cast<YieldOp>(getBody().front().getTerminator());
  for (Value value : yield.getValues())
    if (value.getParentRegion() != &getBody())
      return emitOpError("expected yielded values to be defined in the body "
                         "(group_c4)");
  return success();
}

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

MutableOperandRange KernelOp::getDpsInitsMutable() { return getOutsMutable(); }

LogicalResult KernelOp::verify() {
  if (getOuts().getTypes() != getResultTypes())
    return emitOpError("expected results of the types of 'outs' (kernel_c2)");
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  if (getBody().getArgumentTypes() != getOperandTypes())
    return emitOpError("expected block arguments of the types of the operands "
                       "(kernel_c1)");
  return verifyYield(*this, getBody(), "kernel_c3");
}

//===----------------------------------------------------------------------===//
// LaunchOp
//===----------------------------------------------------------------------===//

MutableOperandRange LaunchOp::getDpsInitsMutable() { return getOutsMutable(); }

LogicalResult LaunchOp::verify() {
  if (!getOutputs().empty() && getOuts().getTypes() != getResultTypes())
    return emitOpError("expected results of the types of 'outs' (launch_c1)");
  for (Value size : {getGrid(), getBlock()}) {
    APInt constant;
    if (matchPattern(size, m_ConstantInt(&constant)) &&
        constant.getSExtValue() < 1)
      return emitOpError("expected positive grid and block sizes, but got ")
             << constant.getSExtValue() << " (launch_c2)";
  }
  for (int32_t number : getUpdates(*this))
    if (number < 0 || number >= int64_t(getOuts().size()))
      return emitOpError("expected '")
             << kUpdatesAttrName << "' to list numbers of 'outs', but got "
             << number << " (launch_c3)";
  return success();
}

void LaunchOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : getInputsMutable())
    if (isa<MemRefType>(operand.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &operand,
                           SideEffects::DefaultResource::get());
  for (OpOperand &operand : getOutsMutable())
    if (isa<MemRefType>(operand.get().getType())) {
      if (isUpdate(*this, operand))
        effects.emplace_back(MemoryEffects::Read::get(), &operand,
                             SideEffects::DefaultResource::get());
      effects.emplace_back(MemoryEffects::Write::get(), &operand,
                           SideEffects::DefaultResource::get());
    }
}
