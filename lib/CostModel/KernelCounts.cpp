// Counts work, recomputation and footprints of a candidate kernel from the
// facts about its operators. All formulas are documented in docs/CostModel.md.
#include "fuse-mlir/CostModel/KernelCounts.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::cost;

namespace {
/// One walk over a kernel.
class Counter {
public:
  Counter(const KernelView &kernel, OpFactsCache &cache)
      : kernel(kernel), cache(cache) {
    for (Operation *op : kernel.ops)
      facts.push_back(&cache.get(op));
  }

  KernelCounts run();

private:
  /// Evaluations per element that consumers ask for: those that read all of a
  /// value share, parts and picks of gathers add.
  struct Demand {
    double whole = 0, parts = 0, gathered = 0;
    double sparse() const { return std::max(whole, parts + gathered); }
    /// The same if a gather needs its whole table.
    double dense() const {
      return std::max({whole, parts, gathered > 0 ? 1.0 : 0.0});
    }
  };
  /// Elements of an input that are read, the table of a gather counting whole
  /// or as far as it is read.
  struct Footprint {
    double dense = 0, sparse = 0;
  };

  double getReads(const OpFacts &op, const OperandFacts &operand) const;
  Demand getDemand(size_t position) const;
  bool countEvaluations();
  void addOp(const OpFacts &op, double evaluations);
  void countInputs();
  void countOutputs();
  double getLiveWords() const;

  const KernelView &kernel;
  OpFactsCache &cache;
  SmallVector<const OpFacts *> facts;
  llvm::DenseMap<Value, Demand> demands;
  llvm::SmallDenseSet<Value> outputs;
  /// Of each operator, in the order of `kernel.ops`.
  SmallVector<double> dense, sparse;
  /// Threads that share a row on the row path.
  double threadsPerRow = 1;
  KernelCounts counts;
};
} // namespace

/// Elements of the operand that are evaluated while `op` runs once: one
/// evaluation per thread or tile where that serves several iterations.
double Counter::getReads(const OpFacts &op, const OperandFacts &operand) const {
  if (op.view)
    return operand.elements;
  if (op.contraction)
    return operand.used * operand.otherTiles;
  double repeats = operand.others;
  if (kernel.shape && hasRows(*kernel.shape) &&
      operand.used <= double(kernel.shape->rows))
    repeats = std::min(repeats, threadsPerRow);
  else if (operand.used <= 1) // The same for all elements: once per thread.
    repeats = std::min(repeats, std::max(1.0, repeats / 4));
  return operand.used * repeats;
}

void Counter::addOp(const OpFacts &op, double evaluations) {
  const OpWork &work = op.work;
  double total = work.iterations * evaluations;
  counts.flops += work.iterations * work.flops;
  counts.recomputedFlops += std::max(0.0, total - work.iterations) * work.flops;
  counts.special += total * work.special;
  counts.f64 += total * work.f64;
  counts.integer += total * work.integer;
  counts.staticInstructions += work.instructions;
  counts.contracts |= op.contraction;
  if (!op.contraction)
    counts.instructions += total * work.instructions;
  else if (op.matrix)
    counts.tensorFlops += total * work.flops;
  else
    counts.contractionFmas += total;
}

/// What consumers, and the outputs, ask of an operator.
Counter::Demand Counter::getDemand(size_t position) const {
  Demand demand;
  // A reduction is never nested in another's evaluation.
  if (facts[position]->root)
    demand.whole = 1;
  for (Value result : kernel.ops[position]->getResults()) {
    Demand own = demands.lookup(result);
    if (outputs.contains(result))
      demand.whole = std::max(demand.whole, 1.0);
    if (facts[position]->root)
      continue;
    demand.whole = std::max(demand.whole, own.whole);
    demand.parts = std::max(demand.parts, own.parts);
    demand.gathered = std::max(demand.gathered, own.gathered);
  }
  return demand;
}

/// Evaluations of each operator, consumers first.
bool Counter::countEvaluations() {
  outputs.insert(kernel.outputs.begin(), kernel.outputs.end());
  dense.resize(kernel.ops.size());
  sparse.resize(kernel.ops.size());
  for (size_t i = kernel.ops.size(); i-- > 0;) {
    const OpFacts &op = *facts[i];
    if (!op.known)
      return false;
    Demand own = getDemand(i);
    sparse[i] = own.sparse();
    dense[i] = own.dense();
    // A gather's demand stays one when handed on through other operators.
    bool gathered = own.gathered > 0 && own.whole < 1;
    for (auto [operand, value] :
         llvm::zip(op.operands, kernel.ops[i]->getOperands())) {
      double reads = getReads(op, operand);
      double perElement =
          operand.elements > 0 ? sparse[i] * reads / operand.elements : 0;
      Demand &demand = demands[value];
      if (gathered)
        demand.gathered += perElement;
      else if (reads == operand.elements)
        demand.whole = std::max(demand.whole, perElement);
      else
        demand.parts += perElement;
      if (op.contraction)
        counts.tileBytes += reads * double(operand.elementBytes);
    }
    for (Value table : op.tables)
      demands[table].gathered +=
          sparse[i] * op.work.iterations /
          std::max(1.0, getElements(table.getType()).value_or(1));
    addOp(op, sparse[i]);
  }
  return true;
}

/// Sums up the unique bytes of the inputs.
void Counter::countInputs() {
  llvm::MapVector<Value, Footprint> footprints;
  for (Value input : kernel.inputs)
    if (isa<ShapedType>(input.getType()))
      footprints[input];
  for (auto [position, op] : llvm::enumerate(facts)) {
    if (op->free)
      continue;
    for (const OperandFacts &operand : op->operands) {
      auto it = footprints.find(operand.base);
      if (it == footprints.end())
        continue;
      it->second.dense += operand.read * std::min(1.0, dense[position]);
      it->second.sparse += operand.read * std::min(1.0, sparse[position]);
    }
    for (Value table : op->tables) {
      auto it = footprints.find(table);
      if (it == footprints.end())
        continue;
      it->second.dense += getElements(table.getType()).value_or(0);
      it->second.sparse += op->work.iterations;
    }
  }
  for (auto &[input, footprint] : footprints) {
    std::optional<double> whole = getElements(input.getType());
    if (!whole) {
      counts.known = false;
      return;
    }
    double bytes = double(getElementBytes(input.getType()));
    counts.bytesRead += bytes * std::min(*whole, footprint.dense);
    counts.bytesReadSparsely += bytes * std::min(*whole, footprint.sparse);
  }
}

void Counter::countOutputs() {
  for (Value output : kernel.outputs) {
    std::optional<double> bytes = getBytes(output.getType());
    counts.known &= bytes.has_value();
    counts.bytesWritten += bytes.value_or(0);
  }
}

/// Most values that are alive at once, in 4-byte words per element, when the
/// operators run in program order.
double Counter::getLiveWords() const {
  llvm::DenseMap<Value, size_t> lastUse;
  for (auto [position, op] : llvm::enumerate(facts))
    for (const OperandFacts &operand : op->operands)
      lastUse[operand.base] = position;
  auto words = [](Value value) {
    return double(llvm::divideCeil(getElementBytes(value.getType()), 4));
  };
  llvm::DenseSet<Value> alive;
  double now = 0, most = 0;
  for (auto [position, op] : llvm::enumerate(facts)) {
    if (op->free)
      continue;
    for (const OperandFacts &operand : op->operands)
      if (operand.shaped && alive.insert(operand.base).second)
        now += words(operand.base);
    for (Value result : kernel.ops[position]->getResults())
      if (alive.insert(result).second)
        now += words(result);
    most = std::max(most, now);
    for (const OperandFacts &operand : op->operands)
      if (lastUse.lookup(operand.base) == position && alive.erase(operand.base))
        now -= words(operand.base);
    for (Value result : kernel.ops[position]->getResults())
      if (!lastUse.count(result) && alive.erase(result))
        now -= words(result); // An output: stored.
  }
  return most;
}

KernelCounts Counter::run() {
  if (kernel.shape && hasRows(*kernel.shape))
    threadsPerRow = double(getLaunch(kernel).threadsPerRow);
  if (!countEvaluations())
    return counts;
  counts.known = true;
  counts.liveWords = getLiveWords();
  countInputs();
  countOutputs();
  if (kernel.shape && counts.known)
    countSectors(kernel, cache, counts);
  return counts;
}

KernelCounts cost::countKernel(const KernelView &kernel, OpFactsCache *cache) {
  OpFactsCache own;
  return Counter(kernel, cache ? *cache : own).run();
}
