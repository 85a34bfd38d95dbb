// The walk of the analysis: every operand element that an output or a reduction
// needs is followed symbolically, up to what comes from outside. A group is
// refused when a reduction would have to be evaluated at any place but its own.
#include "GroupAnalyzer.h"

#include "fuse-mlir/Analysis/ElementAccess.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::fuse;

//===----------------------------------------------------------------------===//
// Following elements
//===----------------------------------------------------------------------===//

void GroupAnalyzer::start(KernelPath path, AffineExpr rows,
                          AffineExpr columns) {
  shape = GroupShape();
  shape.path = path;
  shape.sizes = sizes;
  shape.rowExtent = rows;
  shape.columnExtent = columns;
  shape.rows = sizes.assume(rows);
  shape.columns = sizes.assume(columns);
  for (auto &[op, root] : roots)
    shape.roots.push_back(op);
  ranges.dims = {IndexRange::ofSize(rows), IndexRange::ofSize(columns)};
  ranges.symbols.assign(sizes.getNumSymbols(), IndexRange::ofSizeSymbol());
  ranges.memo = &cache.simplified;
  unknowns.clear();
  visited.clear();
  firstDemand.clear();
  leafAccess.clear();
  knownAccesses.clear();
}

/// An index that is known at run time only; the same one for the same request.
AffineExpr GroupAnalyzer::unknownIndex(Operation *op, unsigned number,
                                       AffineExpr size) {
  AffineExpr &symbol = unknowns[{op, number}];
  if (!symbol) {
    symbol = getAffineSymbolExpr(ranges.symbols.size(), context());
    ranges.symbols.push_back(size ? IndexRange::ofSize(size)
                                  : IndexRange::ofSize(ShapedType::kDynamic));
    // The numbers of loops are complements (see `analyzeGeneral`).
    bool isWindow = windows.contains(op);
    bool loop = int(number) < 0 && (roots.count(op) || isWindow);
    bool perRow = !loop && shape.columnExtent != constant(1) &&
                  sizes.getElements(op->getResult(0)) == shape.rowExtent;
    shape.runTimeIndices.push_back(
        {size ? sizes.assume(size) : ShapedType::kDynamic, loop ? op : nullptr,
         perRow, isWindow});
  }
  return symbol;
}

bool GroupAnalyzer::usesUnknown(AffineExpr expr) const {
  for (unsigned i = sizes.getNumSymbols(); i < ranges.symbols.size(); ++i)
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
  if (!cache.isRootOp(op) || windows.contains(op))
    return forEachOperandElement(
        op, cast<OpResult>(value).getResultNumber(), index, ranges, sizes,
        [&](Operation *at, unsigned number, AffineExpr size) {
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
  SmallVector<AffineExpr> extents = sizes.getShape(value);
  AffineExpr linear = linearize(context(), index, extents, ranges);
  leafAccess.insert({value, linear});
  auto [known, isNew] =
      knownAccesses.try_emplace({value, linear}, shape.accesses.size());
  if (!isNew && shape.accesses[known->second].guards.empty())
    return;
  LeafAccess access;
  access.value = value;
  access.linear = linear;
  for (auto [expr, size] : llvm::zip_equal(index, extents))
    if (!isIndexBelow(expr, size, ranges))
      access.guards.push_back({expr, sizes.assume(size)});
  // The same element may exist at other places: of a single column, either
  // index of a pair may be the row.
  auto isSame = [&](const LeafAccess &other) {
    return other.value == value && other.linear == linear &&
           other.guards == access.guards;
  };
  if (isNew || llvm::none_of(shape.accesses, isSame))
    shape.accesses.push_back(std::move(access));
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
      op, loops, ranges, sizes,
      [&](Operation *at, unsigned number, AffineExpr size) {
        return unknownIndex(at, number, size);
      },
      [&](Value operand, ArrayRef<AffineExpr> at) {
        return demand(operand, SmallVector<AffineExpr>(at));
      });
}

//===----------------------------------------------------------------------===//
// Outputs
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

/// A size for people: a number, or a product of size symbols.
std::string GroupAnalyzer::print(AffineExpr size) {
  if (auto constant = dyn_cast<AffineConstantExpr>(size))
    return std::to_string(constant.getValue());
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << size;
  return text;
}

LogicalResult GroupAnalyzer::seedOutput(Value value, bool withColumns) {
  AffineExpr elements = sizes.getElements(value);
  bool full = elements == sizes.multiply(shape.rowExtent, shape.columnExtent);
  bool perRow = elements == shape.rowExtent && !(full && !withColumns);
  if (!full && !perRow)
    return refuse("output-domain", Twine("an output has ") + print(elements) +
                                       " elements in a space of " +
                                       print(shape.rowExtent) + " x " +
                                       print(shape.columnExtent));
  OutputSeed seed{
      value, {}, withColumns && perRow && shape.columnExtent != constant(1)};
  auto known = firstDemand.find(value);
  if (known != firstDemand.end() &&
      storesEachOnce(
          linearize(context(), known->second, sizes.getShape(value), ranges),
          elements, seed.perRow || !withColumns ? 1 : 2)) {
    seed.index = known->second;
    return placeOutput(seed);
  }
  if (followOperands)
    return seedFullOutput(seed);
  if (seed.perRow || !withColumns) {
    AffineExpr place = followRows ? findRow(value) : AffineExpr();
    if (place) {
      seed.index = delinearize(place, sizes.getShape(value), ranges);
      return placeOutput(seed);
    }
    seed.index = delinearize(getAffineDimExpr(0, context()),
                             sizes.getShape(value), ranges);
    return placeOutput(seed);
  }
  return seedFullOutput(seed);
}

/// Whether the owners of places store each of the `elements` once if they
/// store the one numbered `linear`. What others read in part, or again and
/// again, does not.
bool GroupAnalyzer::storesEachOnce(AffineExpr linear, AffineExpr elements,
                                   unsigned dims) {
  IndexRanges places = ranges;
  places.dims.truncate(dims);
  places.symbols.truncate(sizes.getNumSymbols());
  return isBijective(linear, elements, places);
}

/// Number of the element of `output` that is made of what the owner of row d0
/// has of the first reduction that tells it; null if none does.
AffineExpr GroupAnalyzer::findRow(Value output) {
  AffineExpr elements = sizes.getElements(output);
  GroupAnalyzer other(this);
  other.start(KernelPath::General, elements, constant(1));
  // What is refused here will be refused again where it matters.
  (void)other.demand(output, delinearize(getAffineDimExpr(0, context()),
                                         sizes.getShape(output), other.ranges));
  for (auto &[op, root] : roots) {
    SmallVector<AffineExpr> loops = shape.rootLoops.lookup(op);
    auto made = other.firstDemand.find(op->getResult(0));
    if (loops.empty() || made == other.firstDemand.end())
      continue;
    linalg::LinalgOp linalgOp = cast<linalg::LinalgOp>(op);
    AffineMap map =
        linalgOp.getMatchingIndexingMap(linalgOp.getDpsInitOperand(0));
    SmallVector<AffineExpr> index =
        llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
          return simplifyIndex(expr.replaceDims(loops), ranges);
        });
    SmallVector<AffineExpr> extents = sizes.getShape(op->getResult(0));
    AffineExpr known = linearize(context(), index, extents, ranges);
    if (AffineExpr place = invertAccess(
            linearize(context(), made->second, extents, other.ranges), known,
            elements, /*dims=*/1))
      return place;
  }
  return {};
}

/// Number of the output's element that is made of what the owner of a place
/// knows: `known` is the number of its element of some value, `made` that of
/// the value's element that element d0 of the output needs. Null if that does
/// not give each of the `elements` to one owner.
AffineExpr GroupAnalyzer::invertAccess(AffineExpr made, AffineExpr known,
                                       AffineExpr elements, unsigned dims) {
  if (!storesEachOnce(known, elements, dims))
    return {};
  IndexRanges places;
  places.dims = {IndexRange::ofSize(elements)};
  places.symbols = ranges.symbols;
  places.symbols.truncate(sizes.getNumSymbols());
  std::optional<SmallVector<AffineExpr>> place =
      invertIndex(made, elements, places, known);
  return place ? simplifyIndex(place->front(), ranges) : AffineExpr();
}

/// Number of the element of `output` that is made of what the owner of a place
/// reads or, if that tells nothing (a gathered row), computes for a reduction;
/// null if there is none. Of the elements of a value that an element of
/// `output` needs, the first one counts.
AffineExpr GroupAnalyzer::findPlace(Value output) {
  AffineExpr elements = sizes.getElements(output);
  GroupAnalyzer other(this);
  other.start(KernelPath::General, elements, constant(1));
  // What is refused here will be refused again where it matters.
  (void)other.demand(output, delinearize(getAffineDimExpr(0, context()),
                                         sizes.getShape(output), other.ranges));
  for (auto &[leaf, known] : leafAccess)
    if (AffineExpr made = other.leafAccess.lookup(leaf))
      if (sizes.getElements(leaf) == elements)
        if (AffineExpr place = invertAccess(made, known, elements, /*dims=*/2))
          return place;
  // Most values of a group are read alike.
  llvm::SmallDenseSet<std::pair<AffineExpr, AffineExpr>, 8> tried;
  for (Operation *op : ops)
    for (Value value : op->getResults()) {
      auto known = firstDemand.find(value);
      auto made = other.firstDemand.find(value);
      if (known == firstDemand.end() || made == other.firstDemand.end() ||
          sizes.getElements(value) != elements)
        continue;
      SmallVector<AffineExpr> extents = sizes.getShape(value);
      std::pair<AffineExpr, AffineExpr> access = {
          linearize(context(), made->second, extents, other.ranges),
          linearize(context(), known->second, extents, ranges)};
      if (!tried.insert(access).second)
        continue;
      if (AffineExpr place = invertAccess(access.first, access.second, elements,
                                          /*dims=*/2))
        return place;
    }
  return {};
}

/// An output with an element for each place: the element that is made of
/// another value's is stored by those who have that, or else row after row.
LogicalResult GroupAnalyzer::seedFullOutput(OutputSeed seed) {
  SmallVector<AffineExpr> extents = sizes.getShape(seed.value);
  if (AffineExpr place = findPlace(seed.value)) {
    SpaceWalk before = walk();
    seed.index = delinearize(place, extents, ranges);
    if (succeeded(placeOutput(seed)))
      return success();
    walk() = std::move(before);
  }
  AffineExpr rowMajor = getAffineDimExpr(0, context());
  if (shape.columnExtent != constant(1))
    rowMajor = simplifyIndex(
        rowMajor * shape.columnExtent + getAffineDimExpr(1, context()), ranges);
  seed.index = delinearize(rowMajor, extents, ranges);
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
