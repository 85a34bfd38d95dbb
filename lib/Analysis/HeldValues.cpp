// What a thread keeps of a row from one reduction to the next.
#include "LaunchChoice.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Follows the requests of code generation: first all reductions that need no
/// other's result, then those that need the result of these, and so on; at last
/// the outputs. What two of these stages ask for is computed once and kept.
class HeldValues {
public:
  explicit HeldValues(const GroupShape &shape) : shape(shape) {
    for (const LeafAccess &access : shape.accesses)
      leaves.insert(access.value);
  }

  int64_t countWords();

private:
  unsigned getStage(Operation *op);
  bool isFull(Value value) const;
  void request(Value value, unsigned stage);
  void requestOperands(Operation *op, unsigned stage);

  const GroupShape &shape;
  llvm::DenseSet<Value> leaves;
  /// Reductions behind one another before an operator's results.
  llvm::DenseMap<Operation *, unsigned> depths;
  /// The stage that asked for a value first, and values of several stages.
  llvm::DenseMap<Value, unsigned> firstStage;
  llvm::SetVector<Value> held;
};
} // namespace

/// Operands whose elements the operator reads.
static SmallVector<Value> getReadOperands(Operation *op) {
  SmallVector<Value> operands;
  linalg::LinalgOp linalgOp = dyn_cast<linalg::LinalgOp>(op);
  for (OpOperand &operand : op->getOpOperands())
    if (!linalgOp || linalgOp.payloadUsesValueFromOperand(&operand))
      operands.push_back(operand.get());
  return operands;
}

unsigned HeldValues::getStage(Operation *op) {
  auto known = depths.find(op);
  if (known != depths.end())
    return known->second;
  unsigned depth = 0;
  for (Value operand : getReadOperands(op)) {
    Operation *producer = operand.getDefiningOp();
    if (!producer || leaves.contains(operand))
      continue;
    bool isRoot = llvm::is_contained(shape.roots, producer);
    depth = std::max(depth, getStage(producer) + isRoot);
  }
  depths[op] = depth;
  return depth;
}

void HeldValues::request(Value value, unsigned stage) {
  Operation *producer = value.getDefiningOp();
  bool isLeaf = leaves.contains(value) || !producer;
  if (!isLeaf && (isa<tensor::EmptyOp, linalg::FillOp>(producer) ||
                  producer->hasTrait<OpTrait::ConstantLike>() ||
                  llvm::is_contained(shape.roots, producer)))
    return;
  auto [known, isNew] = firstStage.try_emplace(value, stage);
  if (!isNew) {
    if (known->second != stage)
      held.insert(value);
    return;
  }
  if (!isLeaf)
    requestOperands(producer, stage);
}

void HeldValues::requestOperands(Operation *op, unsigned stage) {
  for (Value operand : getReadOperands(op))
    request(operand, stage);
}

/// Whether `value` has an element for each place of the space.
bool HeldValues::isFull(Value value) const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return false;
  if (type.hasStaticShape())
    return type.getNumElements() >= shape.rows * shape.columns;
  return shape.sizes.getElements(value) ==
         shape.sizes.multiply(shape.rowExtent, shape.columnExtent);
}

int64_t HeldValues::countWords() {
  unsigned last = 0;
  for (Operation *root : shape.roots)
    last = std::max(last, getStage(root) + 1);
  for (unsigned stage = 0; stage < last; ++stage)
    for (Operation *root : shape.roots)
      if (getStage(root) == stage)
        requestOperands(root, stage);
  for (const OutputSeed &output : shape.outputs)
    request(output.value, last);
  int64_t words = 0;
  for (Value value : held)
    if (isFull(value))
      words += std::max<int64_t>(bytesOf(value.getType()) / 4, 1);
  return words;
}

int64_t fuse::countHeldWords(const GroupShape &shape) {
  return std::max<int64_t>(HeldValues(shape).countWords(), 1);
}
