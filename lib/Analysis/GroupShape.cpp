// Whether operators can be one kernel: the outputs' elements are assigned to
// (row, column) in one of several ways, and the first one is taken in which
// each reduction is evaluated once.
#include "GroupAnalyzer.h"
#include "LaunchChoice.h"

#include "fuse-mlir/Analysis/Attention.h"
#include "fuse-mlir/Analysis/BoxShape.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::fuse;

/// Whether an operand as large as the space is read at several places.
bool GroupAnalyzer::readsTwice() const {
  llvm::SmallDenseSet<Value, 8> read;
  return llvm::any_of(shape.accesses, [&](const LeafAccess &access) {
    return countElements(access.value) >= shape.rows &&
           !read.insert(access.value).second;
  });
}

LogicalResult GroupAnalyzer::analyzePointwise() {
  AffineExpr elements = sizes.getElements(outputs.back());
  start(KernelPath::Pointwise, elements, constant(1));
  if (failed(seedOutputs(/*withColumns=*/false)))
    return failure();
  if (outputs.size() > 1 && readsTwice()) {
    // Outputs in different orders of the same operand: as far as possible, who
    // reads an element stores all that is made of it.
    SpaceWalk inOrder = walk();
    start(KernelPath::Pointwise, elements, constant(1));
    followOperands = true;
    if (failed(seedOutputs(/*withColumns=*/false)) ||
        shape.accesses.size() >= inOrder.shape.accesses.size())
      walk() = std::move(inOrder);
    followOperands = false;
  }
  chooseBox(shape);
  return success();
}

static SmallVector<AffineExpr> getParallelExtents(const RootSizes &root) {
  return llvm::map_to_vector(root.parallel,
                             [&](unsigned i) { return root.loops[i]; });
}

/// The parallel loops of `op` run over dimension `keptDim` of the space, its
/// reduction loops over the other one.
LogicalResult GroupAnalyzer::placeRoot(Operation *op, unsigned keptDim) {
  const RootSizes &root = roots[op];
  SmallVector<AffineExpr> loops(root.loops.size());
  AffineExpr kept = getAffineDimExpr(keptDim, context());
  for (auto [i, e] : llvm::zip(
           root.parallel, delinearize(kept, getParallelExtents(root), ranges)))
    loops[i] = e;
  return placeRoot(op, keptDim, std::move(loops));
}

LogicalResult GroupAnalyzer::placeRoot(Operation *op, unsigned keptDim,
                                       SmallVector<AffineExpr> loops) {
  const RootSizes &root = roots[op];
  SmallVector<AffineExpr> inner;
  for (unsigned i : root.reduction)
    inner.push_back(root.loops[i]);
  AffineExpr summed = getAffineDimExpr(1 - keptDim, context());
  // What lies beyond the end of a shorter one is a place of it, too.
  if (root.columns != (keptDim == 0 ? shape.columnExtent : shape.rowExtent))
    summed = summed % root.columns;
  for (auto [i, e] :
       llvm::zip(root.reduction, delinearize(summed, inner, ranges)))
    loops[i] = e;
  shape.rootLoops[op] = loops;
  return demandOperands(op, loops);
}

/// `placeRoot` with the rows where others need them, if each row is needed
/// once.
LogicalResult GroupAnalyzer::placeRootAsNeeded(Operation *op) {
  const RootSizes &root = roots[op];
  SmallVector<AffineExpr> loops = shape.rootLoops.lookup(op), index;
  if (!loops.empty())
    for (unsigned i : root.parallel)
      index.push_back(loops[i]);
  if (loops.empty() || llvm::is_contained(index, AffineExpr()))
    return placeRoot(op, /*keptDim=*/0);
  // Needed at other places of a row, it would be evaluated for each of them.
  AffineExpr place =
      linearize(context(), index, getParallelExtents(root), ranges);
  if (place.isFunctionOfDim(1) || !storesEachOnce(place, root.rows, /*dims=*/1))
    return refuse("nested-reduction",
                  Twine("'") + op->getName().getStringRef() +
                      "' would be evaluated again for elements of another "
                      "operator");
  return placeRoot(op, /*keptDim=*/0, std::move(loops));
}

/// Of reductions of different lengths the longer one, if both are known and
/// neither is empty.
static AffineExpr takeLonger(AffineExpr a, AffineExpr b) {
  auto left = dyn_cast<AffineConstantExpr>(a);
  auto right = dyn_cast<AffineConstantExpr>(b);
  if (a == b)
    return a;
  if (!left || !right || left.getValue() == 0 || right.getValue() == 0)
    return {};
  return left.getValue() < right.getValue() ? b : a;
}

LogicalResult GroupAnalyzer::analyzeRow() {
  const RootSizes &first = roots.front().second;
  AffineExpr columns = first.columns;
  for (auto &[op, root] : roots) {
    AffineExpr longer = takeLonger(columns, root.columns);
    if (root.rows != first.rows || !longer)
      return refuse("row-mismatch",
                    Twine("reductions over ") + print(first.rows) + " x " +
                        print(first.columns) + " and " + print(root.rows) +
                        " x " + print(root.columns) + " elements");
    columns = longer;
  }
  start(KernelPath::Row, first.rows, columns);
  if (llvm::any_of(roots, [&](auto &root) {
        return !cache.hasCombinablePartials(root.first);
      }))
    return analyzeOrderedRow();
  if (succeeded(placeRows(/*asNeeded=*/false)))
    return success();
  if (violation.rule != "nested-reduction")
    return failure();
  RuleViolation inOrder = violation;
  followRows = true;
  for (bool asNeeded : {false, true}) {
    if (asNeeded && roots.size() < 2)
      break;
    start(KernelPath::Row, first.rows, columns);
    if (failed(placeRows(asNeeded)))
      continue;
    followRows = false;
    return success();
  }
  followRows = false;
  violation = inOrder;
  return failure();
}

/// Where a reduction depends on the order of the elements a thread takes a row
/// alone, and can do no more than store what comes of it: the row would be read
/// by every thread else. It takes the columns as they lie in memory, or, if not
/// the rows but they are neighbours, from rows that the block has copied.
LogicalResult GroupAnalyzer::analyzeOrderedRow() {
  auto refuseOrder = [&] {
    return refuse("unsupported-op", "partial results cannot be combined");
  };
  if (!sizes.isStatic() || failed(placeRows(/*asNeeded=*/false)) ||
      !isSinglePass() || !chooseDirection())
    return refuseOrder();
  if (shape.path == KernelPath::Row && !canStageOrdered(shape))
    return refuseOrder();
  return success();
}

/// Rows are numbered by the results of the reductions, all in one order; or, if
/// that puts a result at another row than who needs it (a transpose lies in
/// between), of those before others by the places where these need them, and
/// outputs by the results that they are made of.
LogicalResult GroupAnalyzer::placeRows(bool asNeeded) {
  for (unsigned i = 0; i < roots.size(); ++i) {
    Operation *op = roots.begin()[asNeeded ? roots.size() - 1 - i : i].first;
    if (failed(asNeeded ? placeRootAsNeeded(op) : placeRoot(op, /*keptDim=*/0)))
      return failure();
  }
  return seedOutputs(/*withColumns=*/true);
}

LogicalResult GroupAnalyzer::analyzeGeneral() {
  AffineExpr rows = roots.front().second.rows;
  for (auto &[op, root] : roots)
    if (root.rows != rows)
      return refuse("row-mismatch", Twine("reductions with ") + print(rows) +
                                        " and " + print(root.rows) +
                                        " results");
  start(KernelPath::General, rows, constant(1));
  if (failed(seedOutputs(/*withColumns=*/false)))
    return failure();
  // A root may be needed inside the loop of another one as long as it is needed
  // at the thread's own element: it is computed before that loop.
  llvm::SmallPtrSet<Operation *, 4> walked;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &[op, root] : roots) {
      SmallVector<AffineExpr> loops = shape.rootLoops.lookup(op);
      if (loops.empty() || !walked.insert(op).second)
        continue;
      changed = true;
      for (unsigned i : root.reduction)
        loops[i] = unknownIndex(op, ~i, root.loops[i]);
      if (failed(demandOperands(op, loops)))
        return failure();
    }
  }
  llvm::erase_if(shape.roots, [&](Operation *op) {
    return shape.rootLoops.lookup(op).empty();
  });
  return success();
}

LogicalResult GroupAnalyzer::checkOps() {
  if (outputs.empty() || ops.empty())
    return refuse("no-output", "nothing of the group is used outside");
  for (Operation *op : ops) {
    if (!cache.isElementComputable(op))
      return refuse("unsupported-op", Twine("'") +
                                          op->getName().getStringRef() +
                                          "' has no code generation");
    if (llvm::any_of(op->getOperandTypes(),
                     llvm::IsaPred<UnrankedTensorType>) ||
        llvm::any_of(op->getResultTypes(), llvm::IsaPred<UnrankedTensorType>))
      return refuse("unsupported-op", Twine("'") +
                                          op->getName().getStringRef() +
                                          "' has a tensor without a rank");
    if (cache.isRootOp(op))
      roots[op] = cache.getRootSizes(op, sizes);
  }
  for (Value output : outputs)
    if (!isa<RankedTensorType>(output.getType()))
      return refuse("output-domain", "an output is not a tensor");
  return success();
}

FailureOr<GroupShape> GroupAnalyzer::conclude(LogicalResult result,
                                              RuleViolation *why) {
  if (succeeded(result))
    return shape;
  if (why)
    *why = violation;
  return failure();
}

LogicalResult GroupAnalyzer::analyze() {
  if (failed(checkOps()))
    return failure();
  if (roots.empty())
    return analyzePointwise();
  if (succeeded(analyzeTile()))
    return success();
  // Tiles of different spaces are parts, not loops of one thread.
  if (roots.size() > 1 && !shape.contractions.empty())
    return failure();
  // In a square space all reductions have the sizes of rows.
  const RootSizes &first = roots.front().second;
  if (roots.size() > 1 && first.rows == first.columns &&
      succeeded(analyzeMixed()))
    return success();
  LogicalResult general = analyzeGeneral();
  if (succeeded(general) && isWindow())
    shape.path = KernelPath::Window;
  GroupShape generalShape = shape;
  RuleViolation generalViolation = violation;
  LogicalResult row = analyzeRow();
  // A handful of threads must not run windows alone.
  constexpr int64_t kFewRows = 32;
  bool isWindowed = generalShape.path == KernelPath::Window;
  bool isDirected = succeeded(row) && chooseDirection();
  if (succeeded(row) && (isDirected || !isWindowed || shape.rows < kFewRows)) {
    if (!isDirected)
      chooseNearest();
    // Blocks can share the rows of a reduction over an outer dimension if what
    // else is stored does not need it.
    GroupShape rowShape = shape;
    if (shape.path == KernelPath::Column && !shape.singlePass &&
        failed(analyzeMixed()))
      shape = std::move(rowShape);
    return success();
  }
  RuleViolation rowViolation = violation;
  if (failed(row) && succeeded(analyzeMixed()))
    return success();
  violation = rowViolation;
  if (succeeded(general)) {
    shape = std::move(generalShape);
    return success();
  }
  // The row path's reason says more, unless it cannot take the operators.
  if (violation.rule == "unsupported-op")
    violation = generalViolation;
  return failure();
}

LogicalResult GroupAnalyzer::analyzeRows() {
  if (failed(checkOps()))
    return failure();
  if (roots.empty())
    return refuse("no-output", "no reductions lie between the contractions");
  return analyzeRow();
}

LogicalResult GroupAnalyzer::analyzeEpilogue(
    Value source, ArrayRef<AffineExpr> index, AffineExpr rows,
    AffineExpr columns, const llvm::SmallPtrSetImpl<Operation *> &given) {
  if (failed(checkOps()))
    return failure();
  // To what follows, given values come from outside.
  for (Operation *op : given)
    members.erase(op);
  roots.clear();
  start(KernelPath::Row, rows, columns);
  demandLeaf(source, index);
  if (failed(seedOutputs(/*withColumns=*/true)))
    return failure();
  if (llvm::any_of(shape.outputs,
                   [](const OutputSeed &seed) { return !seed.isFull(); }))
    return refuse("output-domain", "an output has no element for each one of "
                                   "the reduction before it");
  return success();
}

FailureOr<GroupShape>
fuse::analyzeEpilogue(ArrayRef<Operation *> ops, ArrayRef<Value> outputs,
                      const TensorSizes &sizes, Value source,
                      ArrayRef<AffineExpr> index, AffineExpr rows,
                      AffineExpr columns,
                      const llvm::SmallPtrSetImpl<Operation *> &given,
                      RuleViolation *why, AnalysisCache &cache) {
  GroupAnalyzer analyzer(ops, outputs, sizes, cache);
  return analyzer.conclude(
      analyzer.analyzeEpilogue(source, index, rows, columns, given), why);
}

FailureOr<GroupShape> fuse::analyzeRows(ArrayRef<Operation *> ops,
                                        ArrayRef<Value> outputs,
                                        const TensorSizes &sizes,
                                        RuleViolation *why,
                                        AnalysisCache &cache) {
  GroupAnalyzer analyzer(ops, outputs, sizes, cache);
  return analyzer.conclude(analyzer.analyzeRows(), why);
}

FailureOr<GroupShape> fuse::analyzeSpace(ArrayRef<Operation *> ops,
                                         ArrayRef<Value> outputs,
                                         const TensorSizes &sizes,
                                         RuleViolation *why,
                                         AnalysisCache &cache) {
  // Symbols of unknown sizes are numbered in the order of the whole group.
  if (!sizes.isStatic()) {
    GroupAnalyzer analyzer(ops, outputs, sizes, cache);
    return analyzer.conclude(analyzer.analyze(), why);
  }
  bool added = false;
  AnalysisCache::Space &space = cache.getSpace(ops, outputs, added);
  if (added) {
    GroupAnalyzer analyzer(ops, outputs, sizes, cache);
    FailureOr<GroupShape> shape =
        analyzer.conclude(analyzer.analyze(), &space.why);
    if (succeeded(shape))
      space.shape = std::move(*shape);
  }
  if (space.shape)
    return *space.shape;
  if (why)
    *why = space.why;
  return failure();
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
                                         RuleViolation *why) {
  AnalysisCache cache;
  return analyzeGroup(ops, outputs, why, cache);
}

FailureOr<GroupShape> fuse::analyzeGroup(ArrayRef<Operation *> ops,
                                         ArrayRef<Value> outputs,
                                         RuleViolation *why,
                                         AnalysisCache &cache) {
  TensorSizes sizes = cache.getSizes(ops);
  // The grid of a packed kernel is a constant.
  bool isStatic = sizes.isStatic();
  bool mayHaveParts = outputs.size() > 1 && isStatic;
  bool inParts = mayHaveParts && !isConnected(ops, outputs, cache);
  RuleViolation violation;
  FailureOr<GroupShape> shape = failure();
  if (!inParts) {
    shape = analyzeSpace(ops, outputs, sizes, &violation, cache);
    inParts = mayHaveParts && failed(shape) && isAboutSpaces(violation);
  }
  if (inParts) {
    shape = analyzeParts(ops, outputs, violation, &violation, cache);
  } else if (succeeded(shape) && shape->contractions.size() > 1 && isStatic) {
    FailureOr<GroupShape> apart =
        analyzeContractionsApart(ops, outputs, *shape, cache);
    if (succeeded(apart))
      shape = std::move(apart);
  }
  if (failed(shape) && needsSeveralKernels(violation)) {
    FailureOr<GroupShape> attention =
        analyzeAttention(ops, outputs, nullptr, cache);
    if (succeeded(attention))
      return attention;
  }
  if (failed(shape) && why)
    *why = violation;
  return shape;
}
