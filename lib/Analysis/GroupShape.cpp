// Whether operators can be one kernel. The outputs' elements are assigned to
// (row, column); from there every operand element that is needed is followed
// symbolically. A group is refused when a reduction would have to be evaluated
// at any place but its own.
#include "SpaceAnalysis.h"

#include "fuse-mlir/Analysis/Attention.h"
#include "fuse-mlir/Analysis/ElementAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// The sizes of a root: rows (product of parallel loops) and columns (product
/// of reduction loops).
struct RootSizes {
  SmallVector<int64_t> loops;
  SmallVector<unsigned> parallel, reduction;
  int64_t rows = 1, columns = 1;
};

class GroupAnalyzer {
public:
  GroupAnalyzer(ArrayRef<Operation *> ops, ArrayRef<Value> outputs)
      : ops(ops), outputs(outputs), members(ops.begin(), ops.end()) {}

  FailureOr<GroupShape> run(RuleViolation *why);

private:
  LogicalResult refuse(StringRef rule, const Twine &message) {
    violation = {rule.str(), message.str()};
    return failure();
  }
  LogicalResult checkOps();
  LogicalResult analyzePointwise();
  LogicalResult analyzeRow();
  LogicalResult analyzeMixed();
  LogicalResult analyzeGeneral();
  bool chooseDirection();
  AffineExpr getLargestAccess() const;
  bool isSinglePass() const;

  void start(KernelPath path, int64_t rows, int64_t columns);
  LogicalResult demand(Value value, SmallVector<AffineExpr> index);
  LogicalResult visit(Value value, SmallVector<AffineExpr> index);
  void demandLeaf(Value value, ArrayRef<AffineExpr> index);
  LogicalResult demandRoot(Operation *op, ArrayRef<AffineExpr> loops);
  LogicalResult demandOperands(Operation *op, ArrayRef<AffineExpr> loops);
  LogicalResult placeRoot(Operation *op, unsigned keptDim);
  LogicalResult placeMixedRoot(Operation *op, ArrayRef<unsigned> keptDims);
  LogicalResult seedMixedOutputs();
  LogicalResult seedColumnOutput(Value value);
  LogicalResult seedOutputs(bool withColumns);
  LogicalResult seedOutput(Value value, bool withColumns);
  LogicalResult seedFullOutput(OutputSeed seed);
  LogicalResult placeOutput(const OutputSeed &seed);
  bool storesEachOnce(AffineExpr linear, int64_t elements, unsigned dims);
  AffineExpr unknownIndex(Operation *op, unsigned number, int64_t size);
  bool usesUnknown(AffineExpr expr) const;

  MLIRContext *context() { return ops.front()->getContext(); }

  ArrayRef<Operation *> ops;
  ArrayRef<Value> outputs;
  llvm::SmallPtrSet<Operation *, 16> members;
  llvm::SmallMapVector<Operation *, RootSizes, 4> roots;

  GroupShape shape;
  IndexRanges ranges;
  llvm::DenseMap<std::pair<Operation *, unsigned>, AffineExpr> unknowns;
  llvm::DenseSet<std::pair<Value, AffineMap>> visited;
  /// Demands that are still to be followed.
  SmallVector<std::pair<Value, SmallVector<AffineExpr>>> pending;
  llvm::DenseMap<Value, SmallVector<AffineExpr>> firstDemand;
  /// What each leaf (a value from outside) is read at, first access only.
  llvm::MapVector<Value, AffineExpr> leafAccess;
  llvm::DenseSet<std::pair<Value, AffineExpr>> knownAccesses;
  RuleViolation violation;
  /// Outputs with one element per column are followed.
  bool inColumns = false;
};
} // namespace

ArrayRef<StringRef> fuse::getAssumableKernels() {
  static const StringRef kinds[] = {kAttention};
  return kinds;
}

static RootSizes getRootSizes(linalg::LinalgOp op) {
  RootSizes sizes;
  sizes.loops = op.getStaticLoopRanges();
  for (auto [i, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool parallel = kind == utils::IteratorType::parallel;
    (parallel ? sizes.parallel : sizes.reduction).push_back(i);
    (parallel ? sizes.rows : sizes.columns) *= sizes.loops[i];
  }
  return sizes;
}

//===----------------------------------------------------------------------===//
// Following elements
//===----------------------------------------------------------------------===//

void GroupAnalyzer::start(KernelPath path, int64_t rows, int64_t columns) {
  shape = GroupShape();
  shape.path = path;
  shape.rows = rows;
  shape.columns = columns;
  for (auto &[op, sizes] : roots)
    shape.roots.push_back(op);
  ranges.dims = {IndexRange::ofSize(rows), IndexRange::ofSize(columns)};
  ranges.symbols.clear();
  unknowns.clear();
  visited.clear();
  firstDemand.clear();
  leafAccess.clear();
  knownAccesses.clear();
}

/// An index that is known at run time only; the same one for the same request.
AffineExpr GroupAnalyzer::unknownIndex(Operation *op, unsigned number,
                                       int64_t size) {
  AffineExpr &symbol = unknowns[{op, number}];
  if (!symbol) {
    symbol = getAffineSymbolExpr(ranges.symbols.size(), context());
    ranges.symbols.push_back(IndexRange::ofSize(size));
    // The numbers of loops are complements (see `analyzeGeneral`).
    bool loop = int(number) < 0 && roots.count(op);
    shape.runTimeIndices.push_back({size, loop ? op : nullptr});
  }
  return symbol;
}

bool GroupAnalyzer::usesUnknown(AffineExpr expr) const {
  for (unsigned i = 0; i < ranges.symbols.size(); ++i)
    if (expr.isFunctionOfSymbol(i))
      return true;
  return false;
}

LogicalResult GroupAnalyzer::visit(Value value, SmallVector<AffineExpr> index) {
  if (!isa<RankedTensorType>(value.getType()))
    return success();
  Operation *op = value.getDefiningOp();
  if (!op || !members.contains(op)) {
    demandLeaf(value, index);
    return success();
  }
  AffineMap key = AffineMap::get(2, ranges.symbols.size(), index, context());
  if (!visited.insert({value, key}).second)
    return success();
  if (visited.size() > 64 * ops.size() + 4096)
    return refuse("recompute-limit",
                  "elements would be computed at too many places");
  firstDemand.insert({value, index});
  if (!isRootOp(op))
    return forEachOperandElement(
        op, cast<OpResult>(value).getResultNumber(), index, ranges,
        [&](Operation *at, unsigned number, int64_t size) {
          return unknownIndex(at, number, size);
        },
        [&](Value operand, ArrayRef<AffineExpr> at) {
          pending.emplace_back(operand, at);
          return success();
        });
  return demandRoot(
      op, getLoopsOfResult(op, cast<OpResult>(value).getResultNumber(), index));
}

/// Follows a demand up to the leaves, depth first, in the order of operands;
/// without recursion, for groups may be long chains.
LogicalResult GroupAnalyzer::demand(Value value,
                                    SmallVector<AffineExpr> index) {
  pending.emplace_back(value, std::move(index));
  while (!pending.empty()) {
    auto [at, place] = pending.pop_back_val();
    size_t before = pending.size();
    if (failed(visit(at, std::move(place)))) {
      pending.clear();
      return failure();
    }
    std::reverse(pending.begin() + before, pending.end());
  }
  return success();
}

void GroupAnalyzer::demandLeaf(Value value, ArrayRef<AffineExpr> index) {
  ArrayRef<int64_t> sizes = cast<RankedTensorType>(value.getType()).getShape();
  AffineExpr linear = linearize(context(), index, sizes, ranges);
  leafAccess.insert({value, linear});
  if (!knownAccesses.insert({value, linear}).second)
    return;
  LeafAccess &access = shape.accesses.emplace_back();
  access.value = value;
  access.linear = linear;
  for (auto [expr, size] : llvm::zip_equal(index, sizes))
    if (!getRange(expr, ranges).within(0, size - 1))
      access.guards.push_back({expr, size});
}

LogicalResult GroupAnalyzer::demandRoot(Operation *op,
                                        ArrayRef<AffineExpr> loops) {
  if (!inColumns && llvm::is_contained(shape.columnRoots, op))
    return refuse("nested-reduction",
                  Twine("'") + op->getName().getStringRef() +
                      "' is complete only after all rows, but needed in one");
  SmallVector<AffineExpr> &own = shape.rootLoops[op];
  if (own.empty()) {
    for (AffineExpr loop : loops)
      if (loop && usesUnknown(loop))
        return refuse("nested-reduction",
                      Twine("'") + op->getName().getStringRef() +
                          "' would be evaluated inside the loop of another "
                          "reduction");
    own.assign(loops.begin(), loops.end());
    return success();
  }
  for (unsigned i : roots[op].parallel) {
    if (loops[i] && own[i] != loops[i])
      return refuse("nested-reduction",
                    Twine("'") + op->getName().getStringRef() +
                        "' would be evaluated again for elements of another "
                        "operator");
  }
  return success();
}

LogicalResult GroupAnalyzer::demandOperands(Operation *op,
                                            ArrayRef<AffineExpr> loops) {
  return forEachOperandElementOfLoops(
      op, loops, ranges,
      [&](Operation *at, unsigned number, int64_t size) {
        return unknownIndex(at, number, size);
      },
      [&](Value operand, ArrayRef<AffineExpr> at) {
        return demand(operand, SmallVector<AffineExpr>(at));
      });
}

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

/// Seeds the consumers before the producers, so that an output that another
/// output needs is stored where it is computed anyway.
LogicalResult GroupAnalyzer::seedOutputs(bool withColumns) {
  llvm::DenseMap<Value, unsigned> number;
  for (auto [i, value] : llvm::enumerate(outputs))
    number[value] = i;
  shape.outputs.resize(outputs.size());
  SmallVector<Value> order;
  for (Operation *op : llvm::reverse(ops))
    for (Value result : op->getResults())
      if (number.contains(result))
        order.push_back(result);
  if (order.size() != outputs.size())
    return refuse("no-output", "an output is not made by the group");
  for (Value value : order)
    if (failed(seedOutput(value, withColumns)))
      return failure();
  llvm::SmallVector<OutputSeed> sorted(outputs.size());
  for (OutputSeed &seed : shape.outputs)
    sorted[number[seed.value]] = std::move(seed);
  shape.outputs = std::move(sorted);
  return success();
}

LogicalResult GroupAnalyzer::seedOutput(Value value, bool withColumns) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t elements = type.getNumElements();
  bool full = elements == shape.rows * shape.columns;
  bool perRow = elements == shape.rows && !(full && !withColumns);
  if (!full && !perRow)
    return refuse("output-domain", Twine("an output has ") + Twine(elements) +
                                       " elements in a space of " +
                                       Twine(shape.rows) + " x " +
                                       Twine(shape.columns));
  OutputSeed seed{value, {}, withColumns && perRow && shape.columns != 1};
  auto known = firstDemand.find(value);
  if (known != firstDemand.end() &&
      storesEachOnce(
          linearize(context(), known->second, type.getShape(), ranges),
          elements, seed.perRow || !withColumns ? 1 : 2)) {
    seed.index = known->second;
    return placeOutput(seed);
  }
  if (seed.perRow || !withColumns) {
    seed.index =
        delinearize(getAffineDimExpr(0, context()), type.getShape(), ranges);
    return placeOutput(seed);
  }
  return seedFullOutput(seed);
}

/// Whether the owners of places store each of the `elements` once if they
/// store the one numbered `linear`. What others read in part, or again and
/// again, does not.
bool GroupAnalyzer::storesEachOnce(AffineExpr linear, int64_t elements,
                                   unsigned dims) {
  IndexRanges places = ranges;
  places.dims.truncate(dims);
  places.symbols.clear();
  return isBijective(linear, elements, places);
}

/// An output with an element for each place, in the order in memory of an
/// operand of that size, or else row after row.
LogicalResult GroupAnalyzer::seedFullOutput(OutputSeed seed) {
  auto type = cast<RankedTensorType>(seed.value.getType());
  AffineExpr rowMajor = getAffineDimExpr(0, context()) * shape.columns +
                        getAffineDimExpr(1, context());
  for (auto &[leaf, linear] : leafAccess) {
    int64_t elements = cast<RankedTensorType>(leaf.getType()).getNumElements();
    if (elements != type.getNumElements() || linear == rowMajor ||
        !storesEachOnce(linear, elements, 2))
      continue;
    GroupAnalyzer before = *this;
    seed.index = delinearize(linear, type.getShape(), ranges);
    if (succeeded(placeOutput(seed)))
      return success();
    *this = std::move(before);
    break;
  }
  seed.index = delinearize(rowMajor, type.getShape(), ranges);
  return placeOutput(seed);
}

LogicalResult GroupAnalyzer::placeOutput(const OutputSeed &seed) {
  for (OutputSeed &slot : shape.outputs) {
    if (slot.value)
      continue;
    slot = seed;
    break;
  }
  return demand(seed.value, seed.index);
}

LogicalResult GroupAnalyzer::analyzePointwise() {
  Value primary = outputs.back();
  start(KernelPath::Pointwise,
        cast<RankedTensorType>(primary.getType()).getNumElements(), 1);
  return seedOutputs(/*withColumns=*/false);
}

/// The parallel loops of `op` run over dimension `keptDim` of the space, its
/// reduction loops over the other one.
LogicalResult GroupAnalyzer::placeRoot(Operation *op, unsigned keptDim) {
  const RootSizes &sizes = roots[op];
  SmallVector<int64_t> outer, inner;
  for (unsigned i : sizes.parallel)
    outer.push_back(sizes.loops[i]);
  for (unsigned i : sizes.reduction)
    inner.push_back(sizes.loops[i]);
  AffineExpr kept = getAffineDimExpr(keptDim, context());
  AffineExpr summed = getAffineDimExpr(1 - keptDim, context());
  SmallVector<AffineExpr> loops(sizes.loops.size());
  for (auto [i, e] :
       llvm::zip(sizes.parallel, delinearize(kept, outer, ranges)))
    loops[i] = e;
  for (auto [i, e] :
       llvm::zip(sizes.reduction, delinearize(summed, inner, ranges)))
    loops[i] = e;
  shape.rootLoops[op] = loops;
  return demandOperands(op, loops);
}

LogicalResult GroupAnalyzer::analyzeRow() {
  const RootSizes &first = roots.front().second;
  start(KernelPath::Row, first.rows, first.columns);
  for (auto &[op, sizes] : roots) {
    if (!hasCombinablePartials(op))
      return refuse("unsupported-op", "partial results cannot be combined");
    if (sizes.rows != shape.rows || sizes.columns != shape.columns)
      return refuse("row-mismatch",
                    Twine("reductions over ") + Twine(shape.rows) + " x " +
                        Twine(shape.columns) + " and " + Twine(sizes.rows) +
                        " x " + Twine(sizes.columns) + " elements");
    if (failed(placeRoot(op, /*keptDim=*/0)))
      return failure();
  }
  return seedOutputs(/*withColumns=*/true);
}

LogicalResult GroupAnalyzer::analyzeGeneral() {
  int64_t rows = roots.front().second.rows;
  for (auto &[op, sizes] : roots)
    if (sizes.rows != rows)
      return refuse("row-mismatch", Twine("reductions with ") + Twine(rows) +
                                        " and " + Twine(sizes.rows) +
                                        " results");
  start(KernelPath::General, rows, 1);
  if (failed(seedOutputs(/*withColumns=*/false)))
    return failure();
  // A root may be needed inside the loop of another one as long as it is needed
  // at the thread's own element: it is computed before that loop.
  llvm::SmallPtrSet<Operation *, 4> walked;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &[op, sizes] : roots) {
      SmallVector<AffineExpr> loops = shape.rootLoops.lookup(op);
      if (loops.empty() || !walked.insert(op).second)
        continue;
      changed = true;
      for (unsigned i : sizes.reduction)
        loops[i] = unknownIndex(op, ~i, sizes.loops[i]);
      if (failed(demandOperands(op, loops)))
        return failure();
    }
  }
  llvm::erase_if(shape.roots, [&](Operation *op) {
    return shape.rootLoops.lookup(op).empty();
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Rows and columns
//===----------------------------------------------------------------------===//

/// Finds out whether `op` runs over the columns or over the rows: its operands
/// must be read at the places at which the others read them. `keptDims` are the
/// dimensions that its parallel loops may run over.
LogicalResult GroupAnalyzer::placeMixedRoot(Operation *op,
                                            ArrayRef<unsigned> keptDims) {
  // A copy, as going back to `before` replaces `roots`.
  const RootSizes sizes = roots[op];
  for (unsigned keptDim : keptDims) {
    int64_t rows = keptDim == 0 ? sizes.rows : sizes.columns;
    int64_t columns = keptDim == 0 ? sizes.columns : sizes.rows;
    if (rows != shape.rows || columns != shape.columns)
      continue;
    GroupAnalyzer before = *this;
    llvm::MapVector<Value, AffineExpr> known = std::move(leafAccess);
    leafAccess.clear();
    if (keptDim == 1)
      shape.columnRoots.push_back(op);
    bool fits = succeeded(placeRoot(op, keptDim));
    for (auto &[leaf, access] : leafAccess) {
      auto other = known.insert({leaf, access}).first;
      int64_t elements =
          cast<RankedTensorType>(leaf.getType()).getNumElements();
      fits &= elements < shape.rows * shape.columns || other->second == access;
    }
    leafAccess = std::move(known);
    if (fits)
      return success();
    RuleViolation why = violation;
    *this = std::move(before);
    violation = why.rule.empty() ? violation : why;
  }
  return failure();
}

/// Reductions over the rows and over the columns of one space, as large as the
/// operands that they share.
LogicalResult GroupAnalyzer::analyzeMixed() {
  // Partial results of the columns that a block keeps, in 4-byte words.
  constexpr int64_t kMostWords = 16 * 1024;
  const RootSizes first = roots.front().second;
  auto mismatch = [&] {
    return refuse("row-mismatch",
                  "the reductions are not over the rows and the columns of one "
                  "space");
  };
  // Most groups that are no rows are not this either.
  for (auto &[op, sizes] : roots) {
    bool same = sizes.rows == first.rows && sizes.columns == first.columns;
    bool swapped = sizes.rows == first.columns && sizes.columns == first.rows;
    if (first.rows <= 1 || first.columns <= 1 || !(same || swapped))
      return mismatch();
    if (!hasCombinablePartials(op))
      return refuse("unsupported-op", "partial results cannot be combined");
  }
  // The columns are what is contiguous in memory.
  auto startWith = [&](int64_t rows, int64_t columns, unsigned keptDim) {
    start(KernelPath::Mixed, rows, columns);
    if (failed(placeMixedRoot(roots.front().first, keptDim)))
      return false;
    AffineExpr access = getLargestAccess();
    return access && getStride(access, 1) == 1;
  };
  if (!startWith(first.rows, first.columns, 0) &&
      !startWith(first.columns, first.rows, 1))
    return mismatch();
  int64_t words = 0;
  SmallVector<Operation *> others =
      llvm::to_vector(llvm::make_first_range(llvm::drop_begin(roots)));
  for (Operation *op : others)
    if (failed(placeMixedRoot(op, {0u, 1u})))
      return mismatch();
  for (Operation *op : shape.columnRoots)
    for (Type type : op->getResultTypes())
      words += llvm::divideCeil(
          getElementTypeOrSelf(type).isIndex()
              ? 8
              : getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8,
          4);
  if (shape.columnRoots.empty() || words * shape.columns > kMostWords)
    return mismatch();
  return seedMixedOutputs();
}

/// What needs a reduction over the rows has one element per column.
LogicalResult GroupAnalyzer::seedMixedOutputs() {
  llvm::SmallPtrSet<Operation *, 16> after(shape.columnRoots.begin(),
                                           shape.columnRoots.end());
  for (Operation *op : ops)
    if (llvm::any_of(op->getOperands(), [&](Value operand) {
          return after.contains(operand.getDefiningOp());
        }))
      after.insert(op);
  shape.outputs.resize(outputs.size());
  // Consumers before producers, as on the other paths.
  SmallVector<unsigned> order;
  for (Operation *op : llvm::reverse(ops))
    for (auto [i, value] : llvm::enumerate(outputs))
      if (value.getDefiningOp() == op)
        order.push_back(i);
  SmallVector<OutputSeed> seeds(outputs.size());
  for (unsigned i : order) {
    shape.outputs.assign(1, OutputSeed());
    inColumns = after.contains(outputs[i].getDefiningOp());
    LogicalResult seeded =
        inColumns ? seedColumnOutput(outputs[i]) : seedOutput(outputs[i], true);
    inColumns = false;
    if (failed(seeded))
      return failure();
    seeds[i] = shape.outputs.front();
  }
  shape.outputs = std::move(seeds);
  return success();
}

LogicalResult GroupAnalyzer::seedColumnOutput(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getNumElements() != shape.columns)
    return refuse("output-domain", Twine("an output has ") +
                                       Twine(type.getNumElements()) +
                                       " elements, but there are " +
                                       Twine(shape.columns) + " columns");
  OutputSeed seed{value, {}, false, /*perColumn=*/true};
  auto known = firstDemand.find(value);
  if (known != firstDemand.end()) {
    // As a function of the column alone.
    AffineExpr d0 = getAffineDimExpr(0, context());
    AffineExpr linear =
        linearize(context(), known->second, type.getShape(), ranges)
            .replaceDims({getAffineDimExpr(1, context()), d0});
    IndexRanges places;
    places.dims = {ranges.dims[1]};
    if (isBijective(linear, shape.columns, places)) {
      seed.index = known->second;
      return placeOutput(seed);
    }
  }
  seed.index =
      delinearize(getAffineDimExpr(1, context()), type.getShape(), ranges);
  return placeOutput(seed);
}

//===----------------------------------------------------------------------===//
// Directions
//===----------------------------------------------------------------------===//

/// Steps of dimension `dim` from the origin, up to `limit`, of which each goes
/// to the next element in memory.
static int64_t countNeighbours(AffineExpr access, unsigned dim, int64_t limit,
                               const IndexRanges &ranges) {
  MLIRContext *context = access.getContext();
  AffineExpr zero = getAffineConstantExpr(0, context);
  SmallVector<AffineExpr> symbols(ranges.symbols.size(), zero);
  auto at = [&](int64_t step) {
    SmallVector<AffineExpr> dims(2, zero);
    dims[dim] = getAffineConstantExpr(step, context);
    AffineConstantExpr place = dyn_cast<AffineConstantExpr>(
        access.replaceDimsAndSymbols(dims, symbols));
    return place ? place.getValue() : INT64_MIN / 2;
  };
  int64_t count = 1;
  while (count < limit && at(count) == at(count - 1) + 1)
    ++count;
  return count;
}

/// The number of the element of the largest operand at a place, if it has one
/// for each place.
AffineExpr GroupAnalyzer::getLargestAccess() const {
  int64_t largest = 0;
  AffineExpr access;
  for (auto &[value, linear] : leafAccess) {
    int64_t elements = cast<RankedTensorType>(value.getType()).getNumElements();
    if (elements <= largest)
      continue;
    largest = elements;
    access = linear;
  }
  return shape.rows * shape.columns > largest ? AffineExpr() : access;
}

/// Decides by the largest operand whether threads lie along the columns or
/// along the rows. No, if elements of it serve several places of the space.
bool GroupAnalyzer::chooseDirection() {
  AffineExpr access = getLargestAccess();
  if (!access)
    return false;
  shape.singlePass = isSinglePass();
  constexpr int64_t kEnough = 8, kMost = 1024;
  if (getStride(access, 1) == 1)
    return true;
  int64_t columns =
      countNeighbours(access, 1, std::min(shape.columns, kMost), ranges);
  int64_t rows =
      countNeighbours(access, 0, std::min(shape.rows, kMost), ranges);
  if (columns >= std::min(shape.columns, kEnough) || columns > rows)
    return true;
  if (rows == 1)
    return false;
  shape.path = KernelPath::Column;
  shape.neighbours = rows;
  return true;
}

/// Whether each reduction's loop needs operands only, and the outputs no more
/// than an element of each row.
bool GroupAnalyzer::isSinglePass() const {
  if (!llvm::all_of(shape.outputs,
                    [](const OutputSeed &seed) { return seed.perRow; }))
    return false;
  // Operators that need a reduction, in program order.
  llvm::SmallPtrSet<Operation *, 16> after;
  for (Operation *op : ops) {
    bool isAfter = llvm::any_of(op->getOperands(), [&](Value operand) {
      Operation *producer = operand.getDefiningOp();
      return producer && members.contains(producer) &&
             (roots.contains(producer) || after.contains(producer));
    });
    if (isAfter && roots.contains(op))
      return false;
    if (isAfter)
      after.insert(op);
  }
  return true;
}

LogicalResult GroupAnalyzer::checkOps() {
  if (outputs.empty() || ops.empty())
    return refuse("no-output", "nothing of the group is used outside");
  for (Operation *op : ops) {
    if (!isElementComputable(op))
      return refuse("unsupported-op", Twine("'") +
                                          op->getName().getStringRef() +
                                          "' has no code generation");
    for (Type type : op->getResultTypes())
      if (auto tensor = dyn_cast<ShapedType>(type))
        if (!tensor.hasStaticShape())
          return refuse("dynamic-shape", Twine("'") +
                                             op->getName().getStringRef() +
                                             "' has a dynamic size");
    for (Type type : op->getOperandTypes())
      if (auto tensor = dyn_cast<ShapedType>(type))
        if (!tensor.hasStaticShape())
          return refuse("dynamic-shape", Twine("'") +
                                             op->getName().getStringRef() +
                                             "' has a dynamic size");
    if (isRootOp(op))
      roots[op] = getRootSizes(cast<linalg::LinalgOp>(op));
  }
  for (Value output : outputs)
    if (!isa<RankedTensorType>(output.getType()))
      return refuse("output-domain", "an output is not a tensor");
  return success();
}

FailureOr<GroupShape> GroupAnalyzer::run(RuleViolation *why) {
  auto finish = [&](LogicalResult result) -> FailureOr<GroupShape> {
    if (succeeded(result))
      return shape;
    if (why)
      *why = violation;
    return failure();
  };
  if (failed(checkOps()))
    return finish(failure());
  if (roots.empty())
    return finish(analyzePointwise());
  // In a square space all reductions have the sizes of rows.
  const RootSizes &first = roots.front().second;
  if (roots.size() > 1 && first.rows == first.columns &&
      succeeded(analyzeMixed()))
    return finish(success());
  LogicalResult general = analyzeGeneral();
  GroupShape generalShape = shape;
  RuleViolation generalViolation = violation;
  LogicalResult row = analyzeRow();
  // A handful of threads must not run the loops of the general path.
  constexpr int64_t kFewRows = 32;
  if (succeeded(row) &&
      (chooseDirection() || failed(general) || shape.rows < kFewRows)) {
    // Blocks can share the rows of a reduction over an outer dimension if what
    // else is stored does not need it.
    GroupShape rowShape = shape;
    if (shape.path == KernelPath::Column && !shape.singlePass &&
        failed(analyzeMixed()))
      shape = std::move(rowShape);
    return finish(success());
  }
  RuleViolation rowViolation = violation;
  if (failed(row) && succeeded(analyzeMixed()))
    return finish(success());
  violation = rowViolation;
  if (succeeded(general)) {
    shape = std::move(generalShape);
    return finish(success());
  }
  // The row path's reason says more, unless it cannot take the operators.
  if (violation.rule == "unsupported-op")
    violation = generalViolation;
  return finish(failure());
}

FailureOr<GroupShape> fuse::analyzeSpace(ArrayRef<Operation *> ops,
                                         ArrayRef<Value> outputs,
                                         RuleViolation *why) {
  return GroupAnalyzer(ops, outputs).run(why);
}

/// Whether the elements of a group are not those of one space.
static bool isAboutSpaces(const RuleViolation &violation) {
  return violation.rule == "output-domain" ||
         violation.rule == "row-mismatch" ||
         violation.rule == "nested-reduction";
}

bool fuse::needsSeveralKernels(const RuleViolation &violation) {
  return isAboutSpaces(violation) || violation.rule == "shared-reduction" ||
         violation.rule == "recompute-limit";
}

FailureOr<GroupShape> fuse::analyzeGroup(ArrayRef<Operation *> ops,
                                         ArrayRef<Value> outputs,
                                         RuleViolation *why,
                                         ArrayRef<std::string> assume) {
  RuleViolation violation;
  FailureOr<GroupShape> shape = analyzeSpace(ops, outputs, &violation);
  bool inParts =
      outputs.size() > 1 && (succeeded(shape) ? !isConnected(ops, outputs)
                                              : isAboutSpaces(violation));
  if (inParts)
    shape = analyzeParts(ops, outputs, violation, &violation);
  if (failed(shape) && needsSeveralKernels(violation) &&
      llvm::is_contained(assume, kAttention)) {
    FailureOr<GroupShape> attention = analyzeAttention(ops, outputs);
    if (succeeded(attention))
      return attention;
  }
  if (failed(shape) && why)
    *why = violation;
  return shape;
}
