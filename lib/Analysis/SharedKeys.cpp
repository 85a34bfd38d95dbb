// Grouped queries: heads that read the same keys and values. Whether they do is
// seen at the places in memory that a key, or a value, is made from: they have
// to be the same for all heads of a group, whether these are a dimension that
// is broadcast, repeated, or divided.
#include "SharedKeys.h"

#include "SpaceAnalysis.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::fuse;

/// Beyond so many queries of a head, its tiles are full without other heads.
static constexpr int64_t kFewQueries = 8;
/// Queries of all heads of a group, at most.
static constexpr int64_t kMostQueries = 64;

namespace {
class KeyPlaces {
public:
  KeyPlaces(const GroupShape &shape, AnalysisCache &cache)
      : shape(shape), cache(cache) {}

  /// Adds those of a factor of the stage's contraction.
  bool add(const KernelPart &stage, const ContractionShape &contraction,
           Value factor);
  bool areShared(int64_t heads) const;

private:
  bool addOperand(const KernelPart &stage, Value operand,
                  ArrayRef<AffineExpr> index, IndexRanges ranges);

  const GroupShape &shape;
  AnalysisCache &cache;
  /// In (row = d0, column = d1) and the number of the product, a symbol; with
  /// the ranges of these.
  SmallVector<std::pair<AffineExpr, IndexRanges>> places;
};
} // namespace

/// Whether elements of `op` are made from the numbers of their places, too,
/// which are no places in memory.
static bool readsNumbers(Operation *op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return linalgOp.hasIndexSemantics();
  return llvm::any_of(op->getRegions(), [](Region &region) {
    return llvm::any_of(region.getArguments(), [](BlockArgument number) {
      return !number.use_empty();
    });
  });
}

/// What the element `index` of `operand` is made from.
bool KeyPlaces::addOperand(const KernelPart &stage, Value operand,
                           ArrayRef<AffineExpr> index, IndexRanges ranges) {
  llvm::SmallPtrSet<Operation *, 8> needed;
  SmallVector<Value> work = {operand};
  while (!work.empty()) {
    Operation *def = work.pop_back_val().getDefiningOp();
    if (def && llvm::is_contained(stage.ops, def) && needed.insert(def).second)
      forEachSource(def, [&](Value source) { work.push_back(source); });
  }
  SmallVector<AffineExpr> extents = shape.sizes.getShape(operand);
  AffineExpr number = linearize(operand.getContext(), index, extents, ranges);
  if (needed.empty()) {
    places.emplace_back(number, ranges);
    return true;
  }
  SmallVector<Operation *> ops = llvm::filter_to_vector(
      stage.ops, [&](Operation *op) { return needed.contains(op); });
  if (llvm::any_of(ops, readsNumbers))
    return false;
  FailureOr<GroupShape> found =
      analyzeSpace(ops, {operand}, shape.sizes, nullptr, cache);
  if (failed(found) || !found->roots.empty() ||
      !found->runTimeIndices.empty() ||
      found->outputs.front().index !=
          delinearize(getAffineDimExpr(0, operand.getContext()), extents,
                      IndexRanges{{IndexRange::ofSize(found->rows)}, {}}))
    return false;
  AffineExpr zero = getAffineConstantExpr(0, operand.getContext());
  for (const LeafAccess &access : found->accesses) {
    places.emplace_back(access.linear.replaceDims({number, zero}), ranges);
    for (auto &[guard, size] : access.guards)
      places.emplace_back(guard.replaceDims({number, zero}), ranges);
  }
  return true;
}

bool KeyPlaces::add(const KernelPart &stage,
                    const ContractionShape &contraction, Value factor) {
  auto op = cast<linalg::LinalgOp>(contraction.op);
  ArrayRef<AffineExpr> loops = stage.shape.rootLoops.find(op)->second;
  IndexRanges ranges;
  ranges.dims = {IndexRange::ofSize(shape.rows),
                 IndexRange::ofSize(contraction.columns)};
  ranges.symbols = {IndexRange::ofSize(contraction.depth)};
  SmallVector<Value> work = {factor};
  llvm::SmallPtrSet<Value, 8> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (Operation *def = value.getDefiningOp()) {
      // What lies above the body is the same for all.
      if (def->getBlock() == op.getBlock())
        llvm::append_range(work, def->getOperands());
      continue;
    }
    BlockArgument argument = cast<BlockArgument>(value);
    if (argument.getOwner() != op.getBlock())
      continue;
    OpOperand *operand = op.getMatchingOpOperand(argument);
    SmallVector<AffineExpr> index = llvm::map_to_vector(
        op.getMatchingIndexingMap(operand).getResults(),
        [&](AffineExpr expr) { return expr.replaceDims(loops); });
    if (!addOperand(stage, operand->get(), index, ranges))
      return false;
  }
  return true;
}

bool KeyPlaces::areShared(int64_t heads) const {
  int64_t together = heads * shape.queries;
  MLIRContext *context = shape.rowExtent.getContext();
  AffineExpr set = getAffineDimExpr(0, context);
  AffineExpr row = set * together + getAffineSymbolExpr(1, context);
  return llvm::all_of(places, [&](const auto &at) {
    auto [place, ranges] = at;
    ranges.dims.front() = IndexRange::ofSize(shape.rows / together);
    ranges.symbols.push_back(IndexRange::ofSize(together));
    return !simplifyIndex(place.replace(set, row), ranges)
                .isFunctionOfSymbol(1);
  });
}

SmallVector<int64_t> fuse::findHeadsOfKeys(const GroupShape &shape,
                                           const StreamedAttention &attention,
                                           AnalysisCache &cache) {
  SmallVector<int64_t> found;
  // Masks by numbers count from the first query of a head.
  if (!shape.sizes.isStatic() || shape.queries > kFewQueries ||
      attention.keys.first || attention.keys.last)
    return found;
  int64_t all = shape.rows / shape.queries;
  KeyPlaces places(shape, cache);
  int64_t heads = std::min(all, kMostQueries / shape.queries);
  if (heads <= 1 ||
      !places.add(shape.stages[0], attention.scores, attention.scores.right) ||
      !places.add(shape.stages[2], attention.sums, attention.sums.right))
    return found;
  for (; heads > 1; --heads) {
    bool isPart = !found.empty() && found.front() % heads == 0;
    if (isPart ||
        (found.empty() && all % heads == 0 && places.areShared(heads)))
      found.push_back(heads);
  }
  return found;
}
