// Asks the analysis, the constraints and the cost model about kernels.
#include "Evaluator.h"

#include "fuse-mlir/Analysis/OpClassification.h"
#include "fuse-mlir/CostModel/KernelCounts.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

Evaluator::Evaluator(const PlanGraph &graph, const PlanOptions &options)
    : graph(graph), options(options) {
  for (unsigned i = 0; i < graph.nodes.size(); ++i) {
    const OpNode &node = graph.nodes[i];
    Operation *example = graph.getExample(i);
    if (node.role != Role::Host && node.op != example)
      facts.copy(node.op, example);
  }
}

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

ArrayRef<unsigned> Evaluator::keep(ArrayRef<unsigned> key) {
  unsigned *kept = keys.Allocate<unsigned>(key.size());
  llvm::copy(key, kept);
  return {kept, key.size()};
}

Evaluation Evaluator::look(ArrayRef<unsigned> ops, ArrayRef<unsigned> owners,
                           std::optional<int64_t> alignedElements) {
  SmallVector<unsigned, 128> key;
  graph.getKey(ops, owners, key);
  auto it = known.find(ArrayRef<unsigned>(key));
  if (it != known.end())
    return it->second;
  Evaluation result = analyze(ops, owners, alignedElements);
  known.try_emplace(keep(key), result);
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

void Evaluator::describe(unsigned index, PlannedGroup &group) {
  SmallVector<unsigned, 128> key;
  if (!group.premade) {
    graph.getKey(graph.groups[index].ops, {index}, key);
    auto it = described.find(ArrayRef<unsigned>(key));
    if (it != described.end()) {
      static_cast<KernelSummary &>(group) = *it->second;
      return;
    }
  }
  // Once more: neighbours may need less of the group than when it was priced.
  FailureOr<GroupShape> shape = analyzeGroup(group.members, group.outputs);
  if (succeeded(shape)) {
    group.path = shape->path;
    group.assumed = shape->assumed;
  }
  group.opClass = classifyTogether(group.ops);
  KernelView view = group.getView(succeeded(shape) ? &*shape : nullptr);
  cost::KernelCounts counts = cost::countKernel(view, &facts);
  view.counts = &counts;
  const CostModel &model = *options.costModel;
  group.bytesRead = model.bytesRead(view);
  group.bytesWritten = model.bytesWritten(view);
  group.flops = model.flops(view);
  group.registers = model.registersPerThread(view);
  group.nanoseconds = model.estimateNanoseconds(view, options.device);
  if (!group.premade)
    described.try_emplace(keep(key), std::make_unique<KernelSummary>(group));
}
