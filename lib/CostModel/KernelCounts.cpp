// Counts work, recomputation and footprints of a candidate kernel from the
// facts about its operators. All formulas are documented in docs/CostModel.md.
#include "CountScratch.h"

#include "fuse-mlir/CostModel/AttentionTraffic.h"
#include "fuse-mlir/CostModel/KernelCounts.h"
#include "fuse-mlir/CostModel/TiledContraction.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::cost;

OpFactsCache::OpFactsCache(std::shared_ptr<TrafficCache> given)
    : shared(given ? std::move(given) : std::make_shared<TrafficCache>()),
      traffic(*shared), scratch(std::make_unique<CountScratch>()) {}
OpFactsCache::~OpFactsCache() = default;

namespace {
/// One walk over a kernel.
class Counter {
public:
  Counter(const KernelView &kernel, const KernelFacts &facts,
          OpFactsCache &cache);

  KernelCounts run();

private:
  double getReads(const OpFacts &op, const OperandFacts &operand,
                  unsigned number) const;
  Demand getDemand(size_t position);
  bool countEvaluations();
  void ask(size_t position, bool gathered);
  void addOp(const OpFacts &op, double evaluations);
  void addFootprints(size_t position, ArrayRef<ValueNotes *> uses);
  void countInputs();
  void countOutputs();
  void runInOrder();

  const KernelView &kernel;
  OpFactsCache &cache;
  ValueMap<ValueNotes> &notes;
  const KernelFacts &all;
  ArrayRef<const NumberedOp *> ops;
  /// Numbers of the inputs and outputs.
  ArrayRef<unsigned> inputs, outputs;
  /// Of each operator, in the order of `ops`.
  SmallVector<double, 16> dense, sparse;
  /// What the operators use, views looked through: the operands of the last one
  /// first. All numbers of the kernel were given before, so that nothing moves.
  SmallVector<ValueNotes *, 64> uses;
  /// Threads that share a row on the row path.
  double threadsPerRow = 1;
  /// Evaluations of an element by the walks of an attention.
  llvm::DenseMap<Operation *, double> walks;
  /// Reads of an element by the walks, by the numbers of the factors' tensors.
  llvm::SmallDenseMap<unsigned, double, 4> factorReads;
  KernelCounts counts;
};
} // namespace

Counter::Counter(const KernelView &kernel, const KernelFacts &facts,
                 OpFactsCache &cache)
    : kernel(kernel), cache(cache), notes(cache.scratch->notes), all(facts),
      ops(facts.ops), inputs(facts.inputs), outputs(facts.outputs) {
  notes.clear(cache.getNumValues());
  for (unsigned output : outputs)
    notes[output].demand.isOutput = true;
  for (unsigned input : inputs)
    notes[input].isInput = cache.getValue(input).shaped;
}

/// Elements of the operand that are evaluated while `op` runs once: one
/// evaluation per thread or tile where that serves several iterations.
double Counter::getReads(const OpFacts &op, const OperandFacts &operand,
                         unsigned number) const {
  if (op.view)
    return operand.elements;
  if (op.contraction) {
    auto factor = factorReads.find(number);
    return operand.used *
           (factor == factorReads.end() ? operand.otherTiles : factor->second);
  }
  double repeats = operand.others;
  if (kernel.shape && (hasRows(*kernel.shape) || reducesRows(*kernel.shape)) &&
      operand.used <= double(kernel.shape->rows))
    repeats = std::min(repeats, threadsPerRow);
  else if (operand.used <= 1) // The same for all elements: once per thread.
    repeats = std::min(repeats, std::max(1.0, repeats / 4));
  return operand.used * repeats;
}

void Counter::addOp(const OpFacts &op, double evaluations) {
  const OpWork &work = op.work;
  double total = work.iterations * evaluations;
  double recomputed = std::max(0.0, total - work.iterations);
  // What there is once a row, all threads of the row compute, unless they have
  // put their partial results together in shared memory.
  if (!op.root && !op.contraction && evaluations > 0 && threadsPerRow > 1 &&
      kernel.shape->path != KernelPath::Column &&
      work.iterations <= double(kernel.shape->rows))
    total = std::max(total, work.iterations * threadsPerRow);
  counts.flops += work.iterations * work.flops;
  counts.recomputedFlops += recomputed * work.flops;
  counts.special += total * work.special;
  (op.contraction ? counts.contractionF64 : counts.f64) += total * work.f64;
  (op.contraction ? counts.contractionInteger : counts.integer) +=
      total * work.integer;
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
Demand Counter::getDemand(size_t position) {
  Demand demand;
  bool isRoot = ops[position]->facts->root &&
                !(kernel.shape &&
                  llvm::is_contained(kernel.shape->windows, ops[position]->op));
  // Any other reduction is never nested in another's evaluation.
  if (isRoot)
    demand.whole = 1;
  for (unsigned result : ops[position]->getResults()) {
    const ValueNotes *value = notes.find(result);
    if (!value)
      continue;
    const Demand *own = &value->demand;
    if (own->isOutput)
      demand.whole = std::max(demand.whole, 1.0);
    if (isRoot)
      continue;
    demand.whole = std::max(demand.whole, own->whole);
    demand.parts = std::max(demand.parts, own->parts);
    demand.gathered = std::max(demand.gathered, own->gathered);
  }
  return demand;
}

/// Passes on to what an operator reads how often it is evaluated. `gathered`: a
/// gather asks for it.
void Counter::ask(size_t position, bool gathered) {
  const NumberedOp &op = *ops[position];
  for (auto [operand, number, base] :
       llvm::zip_equal(op.facts->operands, op.getOperands(), op.getBases())) {
    ValueNotes *used = &notes[base];
    uses.push_back(used);
    if (!std::exchange(used->life.isUsed, true))
      used->life.lastUse = unsigned(position);
    if (operand.isUnread)
      continue;
    Demand &demand = (number == base ? *used : notes[number]).demand;
    if (operand.isReadOnce && sparse[position] == 1 && !gathered) {
      demand.whole = std::max(demand.whole, 1.0);
      continue;
    }
    double reads = getReads(*op.facts, operand, number);
    double perElement =
        operand.elements > 0 ? sparse[position] * reads / operand.elements : 0;
    if (gathered)
      demand.gathered += perElement;
    else if (reads == operand.elements)
      demand.whole = std::max(demand.whole, perElement);
    else
      demand.parts += perElement;
    if (op.facts->contraction)
      counts.tileBytes += reads * double(operand.elementBytes);
  }
  for (auto [elements, number] :
       llvm::zip_equal(op.facts->tables, op.getTables()))
    notes[number].demand.gathered += sparse[position] *
                                     op.facts->work.iterations /
                                     std::max(1.0, elements.value_or(1));
}

/// Evaluations of each operator, consumers first; and where each value is read
/// last.
bool Counter::countEvaluations() {
  dense.resize(ops.size());
  sparse.resize(ops.size());
  bool copiesTogether = kernel.shape && !kernel.shape->contractions.empty();
  for (size_t i = ops.size(); i-- > 0;) {
    const OpFacts &facts = *ops[i]->facts;
    if (!facts.known)
      return false;
    Demand own = getDemand(i);
    sparse[i] = own.sparse();
    dense[i] = own.dense();
    // A gather's demand stays one when handed on through other operators.
    ask(i, own.gathered > 0 && own.whole < 1);
    double evaluations = sparse[i];
    if (auto walked = walks.find(ops[i]->op); walked != walks.end())
      evaluations *= walked->second;
    if (copiesTogether)
      evaluations /= countCopiedTogether(*kernel.shape, ops[i]->op);
    addOp(facts, evaluations);
  }
  return true;
}

/// Adds what an operator reads of the inputs.
void Counter::addFootprints(size_t position, ArrayRef<ValueNotes *> uses) {
  const NumberedOp &op = *ops[position];
  for (auto [operand, used] : llvm::zip_equal(op.facts->operands, uses))
    if (used->isInput) {
      used->footprint.dense += operand.read * std::min(1.0, dense[position]);
      used->footprint.sparse += operand.read * std::min(1.0, sparse[position]);
    }
  for (auto [elements, number] :
       llvm::zip_equal(op.facts->tables, op.getTables()))
    if (ValueNotes &own = notes[number]; own.isInput) {
      own.footprint.dense += elements.value_or(0);
      own.footprint.sparse += op.facts->work.iterations;
    }
}

/// Sums up the unique bytes of the inputs.
void Counter::countInputs() {
  for (auto [position, number] : llvm::enumerate(inputs)) {
    if (!notes[number].isInput)
      continue;
    const Footprint &footprint = notes[number].footprint;
    const ValueFacts &input = cache.getValue(number);
    std::optional<double> whole = input.elements;
    if (!whole) {
      counts.known = false;
      return;
    }
    double bytes = double(input.elementBytes);
    counts.bytesRead += bytes * std::min(*whole, footprint.dense);
    double sparse = bytes * std::min(*whole, footprint.sparse);
    counts.bytesReadSparsely += sparse;
    if (position < kernel.residentInputs.size() &&
        kernel.residentInputs[position])
      counts.bytesResident += sparse;
  }
}

void Counter::countOutputs() {
  for (unsigned output : outputs) {
    std::optional<double> bytes = cache.getValue(output).getBytes();
    counts.known &= bytes.has_value();
    counts.bytesWritten += bytes.value_or(0);
  }
}

/// Walks in program order: finds the most values that are alive at once, in
/// 4-byte words per element, and what is read of the inputs.
void Counter::runInOrder() {
  double now = 0;
  auto begin = [&](Life &life, double words) {
    if (!std::exchange(life.isAlive, true))
      now += words;
  };
  auto end = [&](Life &life, double words) {
    if (std::exchange(life.isAlive, false))
      now -= words;
  };
  ArrayRef<ValueNotes *> left = uses;
  for (auto [position, op] : llvm::enumerate(ops)) {
    const OpFacts &facts = *op->facts;
    ArrayRef<ValueNotes *> own = left.take_back(facts.operands.size());
    left = left.drop_back(own.size());
    if (facts.free)
      continue;
    addFootprints(position, own);
    double picked = 0;
    for (auto [operand, used] : llvm::zip_equal(facts.operands, own)) {
      if (facts.picks && used->isInput && !used->life.isAlive)
        picked = std::max(picked, operand.words);
      else if (operand.shaped)
        begin(used->life, operand.words);
    }
    for (auto [words, result] :
         llvm::zip_equal(facts.results, op->getResults()))
      begin(notes[result].life, words);
    counts.liveWords = std::max(counts.liveWords, now + picked);
    for (auto [operand, used] : llvm::zip_equal(facts.operands, own))
      if (used->life.lastUse == position)
        end(used->life, operand.words);
    for (auto [words, result] :
         llvm::zip_equal(facts.results, op->getResults()))
      if (Life &life = notes[result].life; !life.isUsed)
        end(life, words); // An output: stored.
  }
}

/// Threads that have some of a row of tiles.
static double countTileThreads(const GroupShape &shape,
                               const LaunchShape &launch) {
  const TileShape &tile = *launch.tile;
  int64_t warps = countRowShares(shape, tile.columns, tile.columnWarps);
  int64_t columns = tile.columns / tile.columnWarps;
  // Of a warp's lanes, eight lie along the rows of multiply-adds.
  int64_t lanes = tile.unit == TileUnit::Fma
                      ? 8
                      : std::clamp<int64_t>(columns / launch.vector, 1, 32);
  return double(warps * lanes);
}

KernelCounts Counter::run() {
  if (kernel.shape && hasRows(*kernel.shape))
    threadsPerRow = double(getLaunch(kernel).threadsPerRow);
  else if (kernel.shape && reducesRows(*kernel.shape))
    threadsPerRow = countTileThreads(*kernel.shape, getLaunch(kernel));
  if (kernel.shape && kernel.shape->path == KernelPath::Attention) {
    LaunchShape launch = getLaunch(kernel);
    walks = cost::countWalks(*kernel.shape, launch);
    for (auto [tensor, reads] : countFactorReads(*kernel.shape, launch))
      factorReads[cache.getNumber(tensor)] = reads;
  }
  if (!countEvaluations())
    return counts;
  counts.known = true;
  runInOrder();
  countInputs();
  countOutputs();
  if (kernel.shape && counts.known)
    countSectors(kernel, all, cache, counts);
  return counts;
}

KernelCounts cost::countKernel(const KernelView &kernel,
                               const KernelFacts &facts, OpFactsCache &cache) {
  return Counter(kernel, facts, cache).run();
}

static KernelCounts findAndCount(const KernelView &kernel,
                                 OpFactsCache &cache) {
  KernelFacts facts;
  for (Operation *op : kernel.ops)
    facts.ops.push_back(&cache.get(op));
  for (Value input : kernel.inputs)
    facts.inputs.push_back(cache.getNumber(input));
  for (Value output : kernel.outputs)
    facts.outputs.push_back(cache.getNumber(output));
  return countKernel(kernel, facts, cache);
}

CountedView::CountedView(const KernelView &kernel, OpFactsCache *cache)
    : view(kernel) {
  if (view.counts)
    return;
  own = countKernel(view, cache);
  view.counts = &own;
}

KernelCounts cost::countKernel(const KernelView &kernel, OpFactsCache *cache) {
  if (cache)
    return findAndCount(kernel, *cache);
  OpFactsCache own;
  return findAndCount(kernel, own);
}
