// The class of any operator, see the header.
#include "fuse-mlir/Analysis/OpClassification.h"

#include "fuse-mlir/IR/FuseOps.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::fuse;

/// How much a class tells about the way in which a kernel runs.
static unsigned getRank(OpClass opClass) {
  switch (opClass) {
  case OpClass::Movement:
    return 0;
  case OpClass::Injective:
    return 1;
  case OpClass::Broadcast:
    return 2;
  case OpClass::Reduction:
    return 3;
  case OpClass::Scan:
    return 4;
  case OpClass::Contraction:
    return 5;
  case OpClass::Opaque:
    return 6;
  }
  return 6;
}

OpClass fuse::joinClasses(OpClass a, OpClass b) {
  return getRank(a) < getRank(b) ? b : a;
}

OpClass fuse::classifyTogether(ArrayRef<Operation *> ops) {
  OpClass together = OpClass::Movement;
  for (Operation *op : ops)
    together = joinClasses(together, classify(op));
  return together;
}

static bool isOnTensors(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), llvm::IsaPred<ShapedType>) ||
         llvm::any_of(op->getResultTypes(), llvm::IsaPred<ShapedType>);
}

/// The class of a group or kernel: what it says, else that of its operators.
static OpClass classifyBody(Operation *op, ClassAttr given,
                            std::string &reason) {
  if (given) {
    reason = given.getReason().str();
    return given.getValue();
  }
  SmallVector<Operation *> ops;
  for (Operation &inner : op->getRegion(0).front().without_terminator())
    ops.push_back(&inner);
  reason = "of " + std::to_string(ops.size()) + " operations in its body";
  return classifyTogether(ops);
}

/// What is left: barriers, constants and scalar code.
static OpClass classifyByEffects(Operation *op, std::string &reason) {
  auto decide = [&](OpClass opClass, const Twine &why) {
    reason = why.str();
    return opClass;
  };
  if (!op->isRegistered())
    return decide(OpClass::Opaque, "unregistered: its effects are unknown");
  if (isa<CallOpInterface>(op))
    return decide(OpClass::Opaque, "a call");
  if (isa<BoundaryOp>(op))
    return decide(OpClass::Opaque, "no fusion crosses it");
  if (op->hasTrait<OpTrait::ConstantLike>())
    return decide(OpClass::Injective, "no inputs: a constant");
  if (op->hasTrait<OpTrait::Elementwise>() && isOnTensors(op) &&
      isMemoryEffectFree(op))
    return decide(OpClass::Injective, "has the element-wise trait");
  if (isa<LoopLikeOpInterface>(op))
    return decide(OpClass::Opaque, "a loop of the host");
  if (op->getNumRegions())
    return decide(OpClass::Opaque, "has regions of unknown use");
  if (!isMemoryEffectFree(op))
    return decide(OpClass::Opaque,
                  "'" + op->getName().getStringRef() + "' has a side effect");
  if (!isOnTensors(op))
    return decide(OpClass::Injective, "scalar code of the host");
  return decide(OpClass::Opaque,
                "has neither indexing maps nor FusableOpInterface");
}

OpClass fuse::classify(Operation *op, std::string &reason) {
  if (ClassAttr given =
          op->getAttrOfType<ClassAttr>(FuseDialect::kClassAttrName)) {
    reason = given.getReason().str();
    return given.getValue();
  }
  if (FusableOpInterface fusable = dyn_cast<FusableOpInterface>(op))
    return fusable.getFusionClass(reason);
  if (std::optional<OpClass> byMaps = classifyByMaps(op, reason))
    return *byMaps;
  if (GroupOp group = dyn_cast<GroupOp>(op))
    return classifyBody(op, group.getOpClassAttr(), reason);
  if (KernelOp kernel = dyn_cast<KernelOp>(op))
    return classifyBody(op, kernel.getOpClassAttr(), reason);
  return classifyByEffects(op, reason);
}

OpClass fuse::classify(Operation *op) {
  std::string reason;
  return classify(op, reason);
}
