// Work, reads and kind of single operators. The weights and formulas are
// documented in docs/CostModel.md.
#include "fuse-mlir/CostModel/OpFacts.h"

#include "fuse-mlir/Analysis/ContractionShape.h"
#include "fuse-mlir/Analysis/ElementAccess.h"
#include "fuse-mlir/Analysis/GroupShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::cost;

std::optional<double> cost::getElements(Type type) {
  // Most are ranked tensors: a look at the interface takes longer.
  ArrayRef<int64_t> shape;
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    shape = tensor.getShape();
  } else if (auto shaped = dyn_cast<ShapedType>(type)) {
    if (!shaped.hasRank())
      return std::nullopt;
    shape = shaped.getShape();
  }
  double elements = 1;
  for (int64_t size : shape) {
    if (ShapedType::isDynamic(size))
      return std::nullopt;
    elements *= double(size);
  }
  return elements;
}

int64_t cost::getElementBytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  Type element = tensor ? tensor.getElementType() : getElementTypeOrSelf(type);
  if (isa<Float32Type>(element))
    return 4;
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
  return linalg::isaContractionOpInterface(linalgOp) ||
         multipliesFactors(linalgOp);
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

/// Whether `op` computes with integers or indices, for which there are fewer
/// lanes.
static bool isInteger(Operation *op) {
  return op->getNumResults() == 1 && !isa<CastOpInterface>(op) &&
         isa<arith::ArithDialect>(op->getDialect()) &&
         getElementTypeOrSelf(op->getResult(0).getType()).isIntOrIndex() &&
         !isa<arith::CmpFOp, arith::ConstantOp>(op);
}

static void addBody(Block &body, OpWork &work) {
  for (Operation &op : body) {
    Weight weight = getWeight(&op);
    if (isInteger(&op))
      work.integer += weight.instructions;
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
    work.integer = isInteger(op) ? weight.instructions : 0;
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
// Reads
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

static OperandFacts getOperandFacts(OpOperand &operand, bool contraction,
                                    ArrayRef<int64_t> sizes) {
  OperandFacts facts;
  Type type = operand.get().getType();
  facts.shaped = isa<ShapedType>(type);
  facts.elements = getElements(type).value_or(0);
  facts.elementBytes = getElementBytes(type);
  facts.read = facts.used = getElementsRead(operand, facts.elements);
  auto linalgOp = dyn_cast<linalg::LinalgOp>(operand.getOwner());
  if (!linalgOp || linalgOp.isDpsInit(&operand))
    return facts;
  AffineMap map = linalgOp.getMatchingIndexingMap(&operand);
  facts.used = 1;
  for (auto [position, size] : llvm::enumerate(sizes)) {
    if (map.isFunctionOfDim(position)) {
      facts.used *= double(size);
      continue;
    }
    facts.others *= double(size);
    facts.otherTiles *= contraction
                            ? double(llvm::divideCeil(size, kContractionTile))
                            : double(size);
  }
  return facts;
}

static bool hasKnownSizes(Operation *op) {
  auto known = [](Type type) { return getElements(type).has_value(); };
  return llvm::all_of(op->getResultTypes(), known) &&
         llvm::all_of(op->getOperandTypes(), known);
}

/// Tables that the body gathers from, views looked through.
static SmallVector<Value, 1> findTables(Operation *op) {
  SmallVector<Value, 1> tables;
  for (Region &region : op->getRegions())
    region.walk([&](tensor::ExtractOp extract) {
      tables.push_back(lookThroughViews(extract.getTensor()));
    });
  return tables;
}

static double getWords(Value value) {
  return double(llvm::divideCeil(getElementBytes(value.getType()), 4));
}

static OpFacts makeFacts(Operation *op) {
  OpFacts facts;
  facts.known = hasKnownSizes(op);
  facts.free = isFree(op);
  facts.view = isView(op);
  facts.picks = isa<tensor::ConcatOp>(op);
  if (!facts.known)
    return facts;
  facts.root = isRootOp(op);
  facts.contraction = isContraction(op);
  if (facts.contraction) {
    Type element = getElementTypeOrSelf(op->getOperand(0).getType());
    facts.matrix = element.isF16() || element.isBF16();
  }
  facts.work = getWork(op);
  SmallVector<int64_t> sizes;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    sizes = linalgOp.getStaticLoopRanges();
  for (OpOperand &operand : op->getOpOperands()) {
    OperandFacts &own = facts.operands.emplace_back(
        getOperandFacts(operand, facts.contraction, sizes));
    own.words = getWords(lookThroughViews(operand.get()));
    own.isUnread = !facts.view && own.used == 0;
    own.isReadOnce =
        own.elements > 0 && !facts.contraction &&
        (facts.view || (own.others == 1 && own.used == own.elements));
  }
  return facts;
}

unsigned OpFactsCache::getNumber(Value value) {
  auto [it, added] = numbers.try_emplace(value, values.size());
  if (added) {
    Type type = value.getType();
    values.push_back({isa<RankedTensorType>(type) || isa<ShapedType>(type),
                      isView(value.getDefiningOp()), getElements(type),
                      getElementBytes(type)});
  }
  return it->second;
}

/// Makes the entry of `op`; gives the numbers, which have to be filled in.
unsigned *OpFactsCache::makeNumbers(Operation *op, const OpFacts &facts,
                                    size_t numTables) {
  size_t size = 2 * facts.operands.size() + facts.results.size() + numTables;
  unsigned *made = storage.Allocate<unsigned>(size);
  ops[op] = new (storage.Allocate<NumberedOp>()) NumberedOp{op, &facts, made};
  return made;
}

const NumberedOp &OpFactsCache::get(Operation *op) {
  if (const NumberedOp *known = ops.lookup(op))
    return *known;
  OpFacts &own = facts.emplace_back(makeFacts(op));
  SmallVector<Value, 1> tables;
  if (own.known && !own.free)
    tables = findTables(op);
  for (Value table : tables)
    own.tables.push_back(getElements(table.getType()));
  for (Value result : op->getResults())
    own.results.push_back(getWords(result));
  unsigned *next = makeNumbers(op, own, tables.size());
  auto addNumbers = [&](ValueRange values, bool throughViews) {
    for (Value value : values)
      *next++ = getNumber(throughViews ? lookThroughViews(value) : value);
  };
  ValueRange operands = op->getOperands().take_front(own.operands.size());
  addNumbers(operands, /*throughViews=*/false);
  addNumbers(operands, /*throughViews=*/true);
  addNumbers(op->getResults(), /*throughViews=*/false);
  addNumbers(tables, /*throughViews=*/false);
  return *ops.lookup(op);
}

const NumberedOp &OpFactsCache::copy(Operation *op, Operation *like,
                                     ArrayRef<unsigned> operands,
                                     ArrayRef<unsigned> bases,
                                     unsigned firstResult) {
  const OpFacts &own = *get(like).facts;
  SmallVector<Value, 1> tables;
  if (!own.tables.empty())
    tables = findTables(op);
  unsigned *next = makeNumbers(op, own, tables.size());
  next = llvm::copy(operands.take_front(own.operands.size()), next);
  next = llvm::copy(bases.take_front(own.operands.size()), next);
  for (size_t i = 0; i < own.results.size(); ++i)
    *next++ = firstResult + i;
  for (Value table : tables)
    *next++ = getNumber(table);
  return *ops.lookup(op);
}
