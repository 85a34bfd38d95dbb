// Decisions as actions.
#include "fuse-mlir/Planner/FusionAction.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Unit.h"

using namespace mlir;
using namespace mlir::fuse;

MLIR_DEFINE_EXPLICIT_TYPE_ID(mlir::fuse::FusionAction)

static void printOperator(Operation *op, raw_ostream &os) {
  os << getFunctionName(op) << ":";
  if (auto own = op->getAttrOfType<IntegerAttr>(FuseDialect::kOrdinalAttrName))
    os << own.getInt();
  else
    os << "?";
  os << ":" << op->getName();
}

void FusionAction::print(raw_ostream &os) const {
  os << tag << ": " << stringifyDecisionKind(kind) << " of ";
  printOperator(producer, os);
  os << " and ";
  printOperator(consumer, os);
}

std::optional<RuleViolation> fuse::askActionHandler(DecisionKind kind,
                                                    Operation *producer,
                                                    Operation *consumer) {
  MLIRContext *context = producer->getContext();
  if (!context->hasActionHandler())
    return std::nullopt;
  bool executed = false;
  IRUnit units[] = {producer, consumer};
  context->executeAction<FusionAction>([&] { executed = true; }, units, kind,
                                       producer, consumer);
  if (executed)
    return std::nullopt;
  return RuleViolation{"action", "an action handler (say, a debug counter) "
                                 "kept the two apart"};
}
