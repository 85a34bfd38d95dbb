// Counts work, recomputation and footprints of a candidate kernel. All
// formulas are documented in docs/CostModel.md.
#include "fuse-mlir/CostModel/KernelCounts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::cost;

std::optional<double> cost::getElements(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return 1.0;
  if (!shaped.hasStaticShape())
    return std::nullopt;
  double elements = 1;
  for (int64_t size : shaped.getShape())
    elements *= double(size);
  return elements;
}

int64_t cost::getElementBytes(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (element.isIntOrFloat())
    return std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
  return 8; // index, and whatever has no width.
}

std::optional<double> cost::getBytes(Type type) {
  std::optional<double> elements = getElements(type);
  if (!elements)
    return std::nullopt;
  return *elements * double(getElementBytes(type));
}

bool cost::isView(Operation *op) {
  return isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp,
                         tensor::CastOp, tensor::ReshapeOp>(op);
}

bool cost::isFree(Operation *op) {
  return isView(op) || isa<tensor::EmptyOp, linalg::FillOp>(op) ||
         op->hasTrait<OpTrait::ConstantLike>();
}

Value cost::lookThroughViews(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isView(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

bool cost::isContraction(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || linalgOp.getNumReductionLoops() == 0)
    return false;
  // A pooling has a window operand, but multiplies nothing.
  if (isa<linalg::ConvolutionOpInterface>(op))
    return !op->getName().getStringRef().contains("pooling");
  return linalg::isaContractionOpInterface(linalgOp);
}

//===----------------------------------------------------------------------===//
// Work of an operator
//===----------------------------------------------------------------------===//

namespace {
/// Instruction and special-function slots of one scalar operation.
struct Weight {
  double instructions = 1;
  double special = 0;
};
} // namespace

/// The table of weights in docs/CostModel.md.
static Weight getWeight(Operation *op) {
  return llvm::TypeSwitch<Operation *, Weight>(op)
      .Case<arith::ConstantOp, linalg::YieldOp>(
          [](Operation *) { return Weight{0, 0}; })
      .Case<arith::DivFOp>([](Operation *) { return Weight{8, 1}; })
      .Case<arith::RemFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
            arith::RemUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>(
          [](Operation *) { return Weight{20, 1}; })
      .Case<math::SqrtOp, math::RsqrtOp>(
          [](Operation *) { return Weight{4, 1}; })
      .Case<math::ExpOp>([](Operation *) { return Weight{6, 1}; })
      .Case<math::Exp2Op>([](Operation *) { return Weight{2, 1}; })
      .Case<math::LogOp, math::Log2Op, math::ExpM1Op, math::Log1pOp>(
          [](Operation *) { return Weight{8, 1}; })
      .Case<math::TanhOp>([](Operation *) { return Weight{20, 2}; })
      .Case<math::ErfOp>([](Operation *) { return Weight{25, 1}; })
      .Case<math::SinOp, math::CosOp, math::PowFOp>(
          [](Operation *) { return Weight{40, 2}; })
      .Case<math::AbsFOp, math::AbsIOp, math::FmaOp, math::CopySignOp,
            math::FloorOp, math::CeilOp>([](Operation *) { return Weight{}; })
      .Default([](Operation *scalar) {
        bool isMath = isa<math::MathDialect>(scalar->getDialect());
        return isMath ? Weight{20, 1} : Weight{};
      });
}

/// Whether `op` computes: casts, index and selection move values only.
static bool isArithmetic(Operation *op) {
  if (isa<linalg::IndexOp, linalg::YieldOp, arith::ConstantOp, arith::SelectOp,
          arith::CmpFOp, arith::CmpIOp, tensor::ExtractOp>(op))
    return false;
  if (isa<CastOpInterface>(op))
    return false;
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect());
}

static bool isF64(Operation *op) {
  auto hasF64 = [](Type type) { return getElementTypeOrSelf(type).isF64(); };
  return llvm::any_of(op->getResultTypes(), hasF64) ||
         llvm::any_of(op->getOperandTypes(), hasF64);
}

static void addBody(Block &body, OpWork &work) {
  for (Operation &op : body) {
    Weight weight = getWeight(&op);
    work.instructions += weight.instructions;
    work.special += weight.special;
    if (isF64(&op))
      work.f64 += weight.instructions;
    if (isArithmetic(&op))
      work.flops += isa<math::FmaOp>(op) ? 2 : 1;
    for (Region &region : op.getRegions())
      for (Block &block : region)
        addBody(block, work);
  }
}

OpWork cost::getWork(Operation *op) {
  OpWork work;
  if (isFree(op))
    return work;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    work.iterations = 1;
    for (int64_t size : linalgOp.getStaticLoopRanges())
      work.iterations *= ShapedType::isDynamic(size) ? 1.0 : double(size);
    addBody(*linalgOp.getBlock(), work);
    work.instructions += 1; // Its store, or the move to its consumer.
    return work;
  }
  double elements = 0;
  for (Type type : op->getResultTypes())
    elements += getElements(type).value_or(1);
  work.iterations = elements;
  if (OpTrait::hasElementwiseMappableTraits(op)) {
    Weight weight = getWeight(op);
    work.instructions = weight.instructions;
    work.special = weight.special;
    work.flops = isArithmetic(op) ? 1 : 0;
    work.f64 = isF64(op) ? weight.instructions : 0;
    return work;
  }
  for (Region &region : op->getRegions())
    for (Block &block : region)
      addBody(block, work);
  // A slice shifts an index, a pad or concat selects for each part.
  work.instructions += double(op->getNumOperands());
  return work;
}

//===----------------------------------------------------------------------===//
// Footprints
//===----------------------------------------------------------------------===//

/// Elements of `operand`'s value that its owner reads.
static double getElementsRead(OpOperand &operand, double whole) {
  Operation *user = operand.getOwner();
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(user))
    return getElements(slice.getType()).value_or(whole);
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(user)) {
    if (operand.get() == insert.getDest())
      return whole - getElements(insert.getSourceType()).value_or(0);
    return whole;
  }
  auto linalgOp = dyn_cast<linalg::LinalgOp>(user);
  if (!linalgOp)
    return whole;
  if (linalgOp.isDpsInit(&operand))
    return linalgOp.payloadUsesValueFromOperand(&operand) ? whole : 0;
  AffineMap map = linalgOp.getMatchingIndexingMap(&operand);
  if (!map.isProjectedPermutation(/*allowZeroInResults=*/true))
    return whole; // Windows and the like: all of it.
  SmallVector<int64_t> sizes = linalgOp.getStaticLoopRanges();
  double elements = 1;
  for (AffineExpr expr : map.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      elements *= double(sizes[dim.getPosition()]);
  return std::min(whole, elements);
}

/// Elements of one input that are read: of all its readers, and how many of
/// them are picked by gathers.
namespace {
struct Footprint {
  double elements = 0, gathered = 0;
};
} // namespace

/// Adds what the body of `op` picks from tables, values from above.
static void addGathers(Operation *op, double iterations,
                       llvm::MapVector<Value, Footprint> &footprints) {
  for (Region &region : op->getRegions())
    region.walk([&](tensor::ExtractOp extract) {
      auto it = footprints.find(lookThroughViews(extract.getTensor()));
      if (it != footprints.end())
        it->second.gathered += iterations;
    });
}

/// Sums up the unique bytes of the inputs.
static bool countInputs(const KernelView &kernel, KernelCounts &counts) {
  llvm::MapVector<Value, Footprint> footprints;
  for (Value input : kernel.inputs)
    if (isa<ShapedType>(input.getType()))
      footprints[input];
  for (Operation *op : kernel.ops) {
    if (isFree(op))
      continue;
    for (OpOperand &operand : op->getOpOperands()) {
      auto it = footprints.find(lookThroughViews(operand.get()));
      if (it != footprints.end())
        it->second.elements += getElementsRead(
            operand, getElements(operand.get().getType()).value_or(0));
    }
    if (op->getNumRegions() != 0)
      addGathers(op, getWork(op).iterations, footprints);
  }
  for (auto &[input, footprint] : footprints) {
    std::optional<double> whole = getElements(input.getType());
    if (!whole)
      return false;
    double bytes = double(getElementBytes(input.getType()));
    double sparse = footprint.elements + footprint.gathered;
    double dense =
        footprint.elements + (footprint.gathered > 0 ? *whole : 0);
    counts.bytesRead += bytes * std::min(*whole, dense);
    counts.bytesReadSparsely += bytes * std::min(*whole, sparse);
  }
  for (Value output : kernel.outputs) {
    std::optional<double> bytes = getBytes(output.getType());
    if (!bytes)
      return false;
    counts.bytesWritten += *bytes;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Evaluations
//===----------------------------------------------------------------------===//

int64_t cost::getThreadsPerRow(const GroupShape &shape) {
  int64_t threads = 32;
  while (threads < 512 && threads * 8 < shape.columns)
    threads *= 2;
  return threads;
}

int64_t cost::getVectorWidth(const KernelView &kernel) {
  int64_t bytes = 1;
  for (Value value : kernel.inputs)
    bytes = std::max(bytes, getElementBytes(value.getType()));
  for (Value value : kernel.outputs)
    bytes = std::max(bytes, getElementBytes(value.getType()));
  return std::max<int64_t>(1, 16 / bytes);
}

/// How often an iteration space is multiplied for the loops that `map` does not
/// use: one evaluation per thread or tile instead of one per iteration.
static double getRepeats(const KernelView &kernel, linalg::LinalgOp op,
                         AffineMap map) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  bool contraction = isContraction(op);
  double used = 1, repeats = 1, total = 1;
  for (auto [position, size] : llvm::enumerate(sizes)) {
    total *= double(size);
    if (map.isFunctionOfDim(position))
      used *= double(size);
    else if (contraction)
      repeats *= double(llvm::divideCeil(size, kContractionTile));
    else
      repeats *= double(size);
  }
  if (contraction)
    return repeats;
  if (kernel.shape && kernel.shape->path == KernelPath::Row &&
      used <= double(kernel.shape->rows))
    return std::min(repeats, double(getThreadsPerRow(*kernel.shape)));
  if (used <= 1) // The same for all elements: once per thread.
    return std::min(repeats, std::max(1.0, total / 4));
  return repeats;
}

/// Elements of the operand that are evaluated while `op` runs once.
static double getReads(const KernelView &kernel, OpOperand &operand) {
  Operation *op = operand.getOwner();
  double whole = getElements(operand.get().getType()).value_or(1);
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return getElementsRead(operand, whole);
  if (linalgOp.isDpsInit(&operand))
    return linalgOp.payloadUsesValueFromOperand(&operand) ? whole : 0;
  AffineMap map = linalgOp.getMatchingIndexingMap(&operand);
  SmallVector<int64_t> sizes = linalgOp.getStaticLoopRanges();
  double used = 1;
  for (auto [position, size] : llvm::enumerate(sizes))
    if (map.isFunctionOfDim(position))
      used *= double(size);
  return used * getRepeats(kernel, linalgOp, map);
}

/// Most values that are alive at once, in 4-byte words per element, when the
/// operators run in program order.
static double getLiveWords(const KernelView &kernel) {
  llvm::DenseMap<Value, size_t> lastUse;
  for (auto [position, op] : llvm::enumerate(kernel.ops))
    for (Value operand : op->getOperands())
      lastUse[lookThroughViews(operand)] = position;
  auto words = [](Value value) {
    return double(llvm::divideCeil(getElementBytes(value.getType()), 4));
  };
  llvm::DenseSet<Value> alive;
  double now = 0, most = 0;
  for (auto [position, op] : llvm::enumerate(kernel.ops)) {
    if (isFree(op))
      continue;
    for (Value operand : op->getOperands()) {
      Value value = lookThroughViews(operand);
      if (isa<ShapedType>(value.getType()) && alive.insert(value).second)
        now += words(value);
    }
    for (Value result : op->getResults())
      if (alive.insert(result).second)
        now += words(result);
    most = std::max(most, now);
    for (Value operand : op->getOperands()) {
      Value value = lookThroughViews(operand);
      if (lastUse.lookup(value) == position && alive.erase(value))
        now -= words(value);
    }
    for (Value result : op->getResults())
      if (!lastUse.count(result) && alive.erase(result))
        now -= words(result); // An output: stored.
  }
  return most;
}

static void addOp(const KernelView &kernel, Operation *op, double evaluations,
                  KernelCounts &counts) {
  OpWork work = getWork(op);
  double total = work.iterations * evaluations;
  counts.flops += work.iterations * work.flops;
  counts.recomputedFlops += (total - work.iterations) * work.flops;
  counts.special += total * work.special;
  counts.f64 += total * work.f64;
  counts.staticInstructions += work.instructions;
  if (!isContraction(op)) {
    counts.instructions += total * work.instructions;
    return;
  }
  counts.contracts = true;
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  if (element.isF16() || element.isBF16())
    counts.tensorFlops += total * work.flops;
  else
    counts.contractionFmas += total;
}

KernelCounts cost::countKernel(const KernelView &kernel) {
  KernelCounts counts;
  // Demand, consumers first: evaluations per element of each value.
  llvm::DenseMap<Value, double> whole, partial;
  for (Operation *op : llvm::reverse(kernel.ops)) {
    double evaluations = 1;
    for (Value result : op->getResults())
      evaluations = std::max(
          {evaluations, whole.lookup(result), partial.lookup(result)});
    if (isRootOp(op))
      evaluations = 1; // Never nested in another's evaluation.
    for (Type type : op->getResultTypes())
      if (!getElements(type))
        return counts;
    for (OpOperand &operand : op->getOpOperands()) {
      std::optional<double> elements = getElements(operand.get().getType());
      if (!elements)
        return counts;
      double reads =
          isView(op) ? *elements : getReads(kernel, operand);
      double perElement = *elements > 0 ? evaluations * reads / *elements : 0;
      // Consumers that read everything share one evaluation, the others add.
      double &demand = reads == *elements ? whole[operand.get()]
                                          : partial[operand.get()];
      demand = reads == *elements ? std::max(demand, perElement)
                                  : demand + perElement;
      if (isContraction(op))
        counts.l2Bytes +=
            reads * double(getElementBytes(operand.get().getType()));
    }
    addOp(kernel, op, evaluations, counts);
  }
  counts.liveWords = getLiveWords(kernel);
  counts.known = countInputs(kernel, counts);
  return counts;
}
