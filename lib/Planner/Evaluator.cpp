// Asks the analysis, the constraints and the cost model about kernels.
#include "Evaluator.h"

#include "fuse-mlir/CostModel/KernelCounts.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

const RuleViolation *Evaluator::intern(RuleViolation violation) {
  std::string text = violation.rule + ":" + violation.message;
  const RuleViolation *&entry = violationsByText[text];
  if (!entry)
    entry = &violations.emplace_back(std::move(violation));
  return entry;
}

Evaluation Evaluator::analyze(ArrayRef<unsigned> ops, ArrayRef<unsigned> owners,
                              std::optional<int64_t> alignedElements) {
  Evaluation result;
  SmallVector<Operation *> members = graph.getMembers(ops);
  SmallVector<Value> inputs = graph.getInputs(ops);
  SmallVector<Value> outputs = graph.getOutputs(ops, owners);
  std::optional<GroupShape> shape;
  RuleViolation shapeViolation;
  if (alignedElements && !outputs.empty()) {
    // What the analysis would find; where outputs are stored is left open.
    shape.emplace();
    shape->rows = *alignedElements;
  } else {
    FailureOr<GroupShape> found =
        analyzeGroup(members, outputs, &shapeViolation);
    if (succeeded(found))
      shape = std::move(*found);
  }
  GroupView view;
  view.kernel = {members, inputs, outputs, shape ? &*shape : nullptr};
  view.shapeViolation = shape ? nullptr : &shapeViolation;
  view.device = options.device;
  result.hasRoots = !shape || !shape->roots.empty();
  for (const GroupConstraint *constraint : options.constraints)
    if (std::optional<RuleViolation> violation = constraint->check(view)) {
      result.violation = intern(std::move(*violation));
      return result;
    }
  cost::KernelCounts counts = cost::countKernel(view.kernel, &facts);
  view.kernel.counts = &counts;
  const CostModel &model = *options.costModel;
  result.nanoseconds = model.estimateNanoseconds(view.kernel, options.device);
  Quantity read = model.bytesRead(view.kernel);
  Quantity written = model.bytesWritten(view.kernel);
  if (read && written)
    result.bytes = *read + *written;
  return result;
}

Evaluation Evaluator::look(ArrayRef<unsigned> ops, ArrayRef<unsigned> owners,
                           std::optional<int64_t> alignedElements) {
  SmallVector<unsigned, 128> key;
  graph.getKey(ops, owners, key);
  auto it = known.find(ArrayRef<unsigned>(key));
  if (it != known.end())
    return it->second;
  Evaluation result = analyze(ops, owners, alignedElements);
  unsigned *kept = keys.Allocate<unsigned>(key.size());
  llvm::copy(key, kept);
  known.try_emplace(ArrayRef(kept, key.size()), result);
  return result;
}

Evaluation Evaluator::evaluate(ArrayRef<unsigned> ops,
                               ArrayRef<unsigned> owners) {
  return look(ops, owners, std::nullopt);
}

Evaluation Evaluator::evaluateUnion(unsigned first, unsigned second,
                                    ArrayRef<unsigned> owners) {
  return look(
      PlanGraph::unite(graph.groups[first].ops, graph.groups[second].ops),
      owners, graph.getAlignedElements(first, second));
}
