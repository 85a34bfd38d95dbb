// Each decision to fuse as an upstream action, so that upstream's flags count,
// log and stop them one by one (docs/Bisecting.md).
#ifndef FUSE_MLIR_PLANNER_FUSIONACTION_H
#define FUSE_MLIR_PLANNER_FUSIONACTION_H

#include "fuse-mlir/Planner/Planner.h"

#include "mlir/IR/Action.h"

namespace mlir::fuse {

/// The planner is about to put two operators into one kernel (or to compute the
/// one again where the other is). A handler that does not execute the action
/// keeps them apart, and the decision is logged with the rule `action`.
///
///     mlir-opt --mlir-debug-counter=fuse-decision-skip=7,fuse-decision-count=1
class FusionAction : public tracing::ActionImpl<FusionAction> {
public:
  static constexpr StringLiteral tag = "fuse-decision";

  FusionAction(ArrayRef<IRUnit> units, DecisionKind kind, Operation *producer,
               Operation *consumer)
      : ActionImpl(units), kind(kind), producer(producer), consumer(consumer) {}

  /// `fuse-decision: KIND of FUNCTION:ORDINAL:OP and FUNCTION:ORDINAL:OP`.
  void print(raw_ostream &os) const override;

  DecisionKind kind;
  Operation *producer, *consumer;
};

/// Asks the context's action handler, if there is one, about a fusion that is
/// about to be done. Nothing if it may be done; else the rule to log.
std::optional<RuleViolation>
askActionHandler(DecisionKind kind, Operation *producer, Operation *consumer);

} // namespace mlir::fuse

MLIR_DECLARE_EXPLICIT_TYPE_ID(mlir::fuse::FusionAction)

#endif // FUSE_MLIR_PLANNER_FUSIONACTION_H
