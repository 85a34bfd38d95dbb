// The structural default: the class of an operator by its indexing maps, its
// iterators and what its body does with them.
#include "fuse-mlir/Analysis/ElementAccess.h"
#include "fuse-mlir/Analysis/OpClassification.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/IndexingMapOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// What a value of a body is made of.
struct Sources {
  llvm::SmallSetVector<BlockArgument, 4> args;
  bool gathers = false;
  bool indices = false;
};

/// Maps, iterators and body of an operator, in one form.
class MapClassifier {
public:
  MapClassifier(linalg::LinalgOp op, std::string &reason);
  MapClassifier(IndexingMapOpInterface op, std::string &reason);

  OpClass run();

private:
  struct Operand {
    unsigned number;
    AffineMap map;
    bool isInit;
    /// The body uses the element (always, without a body).
    bool isRead;
  };

  OpClass decide(OpClass opClass, const Twine &why) {
    reason = why.str();
    return opClass;
  }
  bool writesWhole(const Operand &init) const;
  /// Whether a loop has more than one round.
  bool repeats(unsigned loop);
  std::optional<OpClass> checkEffects();
  OpClass classifyParallel();
  std::optional<OpClass> classifyMove();
  OpClass classifyMoveOf(const Operand &operand);
  OpClass classifyReduction();
  bool isSumOfProducts(unsigned &left, unsigned &right);
  bool hasReuse();
  std::optional<unsigned> leftOutLoop(const Operand &operand);
  std::string describe(const Operand &operand);
  std::string listReductions();

  Operation *op;
  std::string &reason;
  SmallVector<Operand> operands;
  SmallVector<utils::IteratorType> iterators;
  /// Sizes of the loops, once they are asked for.
  SmallVector<int64_t> ranges;
  Block *body = nullptr;
};

} // namespace

/// Follows `value` back to block arguments, gathers and loop indices of `body`.
static Sources findSources(Value value, Block *body) {
  Sources sources;
  SmallVector<Value> worklist{value};
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value current = worklist.pop_back_val();
    if (!seen.insert(current).second)
      continue;
    if (BlockArgument arg = dyn_cast<BlockArgument>(current)) {
      if (arg.getOwner() == body)
        sources.args.insert(arg);
      continue;
    }
    Operation *def = body->findAncestorOpInBlock(*current.getDefiningOp());
    if (!def)
      continue;
    def->walk([&](Operation *nested) {
      sources.gathers |= isa<tensor::ExtractOp>(nested);
      sources.indices |= isa<linalg::IndexOp>(nested);
      worklist.append(nested->operand_begin(), nested->operand_end());
    });
  }
  return sources;
}

MapClassifier::MapClassifier(linalg::LinalgOp op, std::string &reason)
    : op(op), reason(reason), iterators(op.getIteratorTypesArray()) {
  if (op->getNumRegions() && !op->getRegion(0).empty())
    body = op.getBlock();
  bool argsMatch = body && body->getNumArguments() == op->getNumOperands();
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    bool isRead = !argsMatch || !body->getArgument(number).use_empty();
    operands.push_back({number, op.getMatchingIndexingMap(&operand),
                        op.isDpsInit(&operand), isRead});
  }
}

MapClassifier::MapClassifier(IndexingMapOpInterface op, std::string &reason)
    : op(op), reason(reason), ranges(op.getStaticLoopRanges()) {
  DestinationStyleOpInterface dps =
      dyn_cast<DestinationStyleOpInterface>(op.getOperation());
  llvm::SmallBitVector inResult(ranges.size());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  unsigned count = std::min<unsigned>(maps.size(), op->getNumOperands());
  for (OpOperand &operand : op->getOpOperands().take_front(count)) {
    // Without destinations, results are taken to be written by the last map.
    unsigned number = operand.getOperandNumber();
    bool isInit = dps ? dps.isDpsInit(&operand) : number + 1 == maps.size();
    operands.push_back({number, maps[number], isInit, !isInit});
  }
  if (!dps && maps.size() > op->getNumOperands())
    operands.push_back({unsigned(maps.size() - 1), maps.back(), true, false});
  for (const Operand &operand : operands)
    for (unsigned i = 0; operand.isInit && i < ranges.size(); ++i)
      if (operand.map.isFunctionOfDim(i))
        inResult.set(i);
  for (unsigned i = 0; i < ranges.size(); ++i)
    iterators.push_back(inResult.test(i) ? utils::IteratorType::parallel
                                         : utils::IteratorType::reduction);
}

static std::string toString(AffineMap map) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  map.print(stream);
  return text;
}

std::string MapClassifier::describe(const Operand &operand) {
  return llvm::formatv("operand {0} by map {1}", operand.number,
                       toString(operand.map));
}

std::string MapClassifier::listReductions() {
  std::string text;
  unsigned count = 0;
  for (auto [i, kind] : llvm::enumerate(iterators)) {
    if (kind != utils::IteratorType::reduction)
      continue;
    text += (count++ ? ", " : "") + std::to_string(i);
  }
  return (count == 1 ? "iterator " + text + " is a reduction"
                     : "iterators " + text + " are reductions");
}

/// An effect in the body makes the operator a barrier; an assertion does not.
std::optional<OpClass> MapClassifier::checkEffects() {
  if (!body)
    return std::nullopt;
  Operation *effect = nullptr;
  body->walk([&](Operation *nested) {
    if (isa<cf::AssertOp>(nested) || isMemoryEffectFree(nested) ||
        nested->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return WalkResult::advance();
    effect = nested;
    return WalkResult::interrupt();
  });
  if (!effect)
    return std::nullopt;
  return decide(OpClass::Opaque, "'" + effect->getName().getStringRef() +
                                     "' in the body has a side effect");
}

bool MapClassifier::repeats(unsigned loop) {
  if (ranges.empty())
    ranges = cast<linalg::LinalgOp>(op).getStaticLoopRanges();
  return ranges[loop] != 1;
}

/// A loop of more than one round that the operand's map leaves out.
std::optional<unsigned> MapClassifier::leftOutLoop(const Operand &operand) {
  for (unsigned i = 0; i < iterators.size(); ++i)
    if (!operand.map.isFunctionOfDim(i) && repeats(i))
      return i;
  return std::nullopt;
}

/// The class of a result that is nothing but `operand`'s element.
OpClass MapClassifier::classifyMoveOf(const Operand &operand) {
  if (std::optional<unsigned> loop = leftOutLoop(operand))
    return decide(OpClass::Broadcast, "repeats " + describe(operand) +
                                          ", which leaves out loop " +
                                          Twine(*loop));
  for (const Operand &init : operands)
    if (init.isInit && init.map == operand.map)
      return decide(OpClass::Movement, "copies " + describe(operand));
  return decide(OpClass::Movement,
                (operand.map.isPermutation() ? "permutes " : "moves ") +
                    describe(operand));
}

/// The class of a body that computes nothing; nothing if it does compute.
std::optional<OpClass> MapClassifier::classifyMove() {
  if (!body)
    return std::nullopt;
  bool reads = false, indices = false, moves = true, gathers = false;
  const Operand *moved = nullptr;
  auto isElement = [&](BlockArgument arg) {
    return isa<ShapedType>(op->getOperand(arg.getArgNumber()).getType());
  };
  for (Value yielded : body->getTerminator()->getOperands()) {
    Sources sources = findSources(yielded, body);
    reads |= sources.gathers || llvm::any_of(sources.args, isElement);
    indices |= sources.indices;
    if (BlockArgument arg = dyn_cast<BlockArgument>(yielded)) {
      if (arg.getOwner() == body && isElement(arg))
        moved = &operands[arg.getArgNumber()];
      continue;
    }
    Operation *def = body->findAncestorOpInBlock(*yielded.getDefiningOp());
    if (isa_and_nonnull<tensor::ExtractOp>(def))
      gathers = true;
    else if (def && !def->hasTrait<OpTrait::ConstantLike>())
      moves = false;
  }
  if (!reads)
    return decide(OpClass::Injective,
                  indices ? "no inputs: made of the loop indices"
                          : "no inputs: filled with a scalar");
  if (!moves)
    return std::nullopt;
  if (gathers)
    return decide(OpClass::Movement,
                  "gathers elements of a tensor by 'tensor.extract' in the "
                  "body");
  return classifyMoveOf(*moved);
}

OpClass MapClassifier::classifyParallel() {
  if (std::optional<OpClass> move = classifyMove())
    return *move;
  for (const Operand &operand : operands) {
    if (!operand.isRead)
      continue;
    bool isScalar = operand.number < op->getNumOperands() &&
                    !isa<ShapedType>(op->getOperand(operand.number).getType());
    if (isScalar)
      continue;
    if (std::optional<unsigned> loop = leftOutLoop(operand))
      return decide(OpClass::Broadcast, "reads " + describe(operand) +
                                            ", which leaves out loop " +
                                            Twine(*loop));
  }
  bool gathers = false;
  if (body)
    body->walk([&](tensor::ExtractOp) { gathers = true; });
  if (gathers)
    return decide(OpClass::Injective, "all iterators are parallel; gathers by "
                                      "'tensor.extract' in the body");
  return decide(OpClass::Injective,
                "all iterators are parallel, and each operand is read once "
                "per element");
}

/// Looks through conversions of one element.
static Value skipCasts(Value value) {
  while (Operation *def = value.getDefiningOp()) {
    if (!isa<CastOpInterface>(def) || def->getNumOperands() != 1)
      break;
    value = def->getOperand(0);
  }
  return value;
}

static bool isNamed(Operation *op, ArrayRef<StringRef> names) {
  return op && llvm::is_contained(names, op->getName().getStringRef());
}

/// Whether the body adds to its accumulator a product of two values that are
/// made of different operands.
bool MapClassifier::isSumOfProducts(unsigned &left, unsigned &right) {
  if (!body || body->getTerminator()->getNumOperands() != 1)
    return false;
  unsigned numInputs = 0;
  for (const Operand &operand : operands)
    numInputs += !operand.isInit;
  if (body->getNumArguments() != numInputs + 1)
    return false;
  BlockArgument accumulator = body->getArgument(numInputs);
  Operation *sum =
      skipCasts(body->getTerminator()->getOperand(0)).getDefiningOp();
  if (!isNamed(sum, {"arith.addf", "arith.addi", "arith.ori", "complex.add"}))
    return false;
  Value added;
  if (skipCasts(sum->getOperand(0)) == accumulator)
    added = sum->getOperand(1);
  else if (skipCasts(sum->getOperand(1)) == accumulator)
    added = sum->getOperand(0);
  else
    return false;
  Operation *product = skipCasts(added).getDefiningOp();
  if (!isNamed(product,
               {"arith.mulf", "arith.muli", "arith.andi", "complex.mul"}))
    return false;
  Sources lhs = findSources(product->getOperand(0), body);
  Sources rhs = findSources(product->getOperand(1), body);
  auto isTensor = [&](BlockArgument arg) {
    return isa<ShapedType>(op->getOperand(arg.getArgNumber()).getType());
  };
  llvm::SmallSetVector<BlockArgument, 4> lhsTensors, rhsTensors;
  for (BlockArgument arg : lhs.args)
    if (isTensor(arg))
      lhsTensors.insert(arg);
  for (BlockArgument arg : rhs.args)
    if (isTensor(arg))
      rhsTensors.insert(arg);
  if (lhsTensors.empty() || rhsTensors.empty() ||
      lhsTensors.contains(accumulator) || rhsTensors.contains(accumulator) ||
      llvm::any_of(lhsTensors,
                   [&](BlockArgument arg) { return rhsTensors.contains(arg); }))
    return false;
  left = lhsTensors.front().getArgNumber();
  right = rhsTensors.front().getArgNumber();
  return true;
}

/// Whether an input element takes part in more than one result element: its
/// map leaves out a parallel loop, or is a window.
bool MapClassifier::hasReuse() {
  for (const Operand &operand : operands) {
    if (operand.isInit || !operand.isRead)
      continue;
    for (AffineExpr expr : operand.map.getResults())
      if (!isa<AffineDimExpr, AffineConstantExpr>(expr))
        return true;
    for (auto [i, kind] : llvm::enumerate(iterators))
      if (kind == utils::IteratorType::parallel &&
          !operand.map.isFunctionOfDim(i) && repeats(i))
        return true;
  }
  return false;
}

OpClass MapClassifier::classifyReduction() {
  for (const Operand &operand : operands)
    for (auto [i, kind] : llvm::enumerate(iterators))
      if (operand.isInit && kind == utils::IteratorType::reduction &&
          operand.map.isFunctionOfDim(i))
        return decide(OpClass::Scan,
                      "a result is written by map " + toString(operand.map) +
                          ", at each step of reduction " + Twine(i));
  unsigned left = 0, right = 0;
  if (isSumOfProducts(left, right) &&
      (isa<linalg::ContractionOpInterface>(op) || hasReuse()))
    return decide(OpClass::Contraction, "products of operands " + Twine(left) +
                                            " and " + Twine(right) +
                                            " are summed: " + listReductions());
  for (const Operand &operand : operands)
    for (AffineExpr expr : operand.map.getResults())
      if (!operand.isInit && !isa<AffineDimExpr, AffineConstantExpr>(expr))
        return decide(OpClass::Reduction,
                      listReductions() +
                          " over a window: " + describe(operand));
  return decide(OpClass::Reduction, listReductions());
}

bool MapClassifier::writesWhole(const Operand &init) const {
  Type type = init.number < op->getNumOperands()
                  ? op->getOperand(init.number).getType()
              : op->getNumResults() ? op->getResult(0).getType()
                                    : Type();
  ShapedType shaped = dyn_cast_or_null<ShapedType>(type);
  if (!shaped || !shaped.hasRank() ||
      shaped.getRank() != init.map.getNumResults())
    return init.map.isProjectedPermutation();
  return writesWholeResult(init.map, shaped.getShape());
}

OpClass MapClassifier::run() {
  if (llvm::any_of(op->getOperandTypes(), llvm::IsaPred<BaseMemRefType>))
    return decide(OpClass::Opaque, "works on buffers");
  if (std::optional<OpClass> opaque = checkEffects())
    return *opaque;
  for (const Operand &operand : operands)
    if (operand.isInit && !writesWhole(operand))
      return decide(OpClass::Opaque, "a result is written by map " +
                                         toString(operand.map) +
                                         ", which may leave out elements");
  bool reduces = llvm::is_contained(iterators, utils::IteratorType::reduction);
  return reduces ? classifyReduction() : classifyParallel();
}

std::optional<OpClass> fuse::classifyByMaps(Operation *op,
                                            std::string &reason) {
  if (linalg::LinalgOp linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return MapClassifier(linalgOp, reason).run();
  if (IndexingMapOpInterface maps = dyn_cast<IndexingMapOpInterface>(op))
    return MapClassifier(maps, reason).run();
  return std::nullopt;
}
