// Calls that stand for a scatter become structured: each element of the result
// takes the updates that hit it, in their order. Nothing is written twice, so
// no atomics are needed, and the order of duplicates is the source's.
//
// The price is a comparison for each element and each update that may hit it.
// Where the numbers of the updates say which row they hit (labels of rows),
// these are few; else, all. Beyond a limit the call is left alone.
#include "fuse-mlir/Transforms/ScatterCalls.h"

#include "IndexValues.h"

#include "fuse-mlir/Transforms/NormalizePatterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::fuse;

/// Comparisons that a scatter may become.
static constexpr int64_t kMostComparisons = int64_t(1) << 24;

int64_t ScatterCall::getUpdateDimension(int64_t dimension) const {
  int64_t rank = cast<RankedTensorType>(original.getType()).getRank();
  int64_t slice = cast<RankedTensorType>(updates.getType()).getRank() - 1;
  return std::max<int64_t>(dimension - (rank - slice) + 1, 0);
}

/// The numbers of `dimension_map: "array<i64: 0, 1>"` in `attributes`.
static std::optional<SmallVector<int64_t>>
readDimensions(StringRef attributes) {
  StringRef list = attributes.split("\"dimension_map\"").second;
  list = list.split("array<i64:").second.split('>').first;
  SmallVector<int64_t> dimensions;
  SmallVector<StringRef> numbers;
  list.split(numbers, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef number : numbers) {
    int64_t value;
    if (number.trim().getAsInteger(10, value))
      return std::nullopt;
    dimensions.push_back(value);
  }
  if (dimensions.empty())
    return std::nullopt;
  return dimensions;
}

/// Whether the shapes are those of a scatter along whole dimensions.
static bool hasRightShapes(const ScatterCall &scatter) {
  auto updates = dyn_cast<RankedTensorType>(scatter.updates.getType());
  auto indices = dyn_cast<RankedTensorType>(scatter.indices.getType());
  auto original = dyn_cast<RankedTensorType>(scatter.original.getType());
  if (!updates || !indices || !original || !updates.hasStaticShape() ||
      !indices.hasStaticShape() || !original.hasStaticShape())
    return false;
  int64_t rank = original.getRank(), slice = updates.getRank() - 1;
  if (indices.getRank() != 2 || slice < 0 || slice > rank ||
      indices.getDimSize(0) != updates.getDimSize(0) ||
      indices.getDimSize(1) != int64_t(scatter.dimensions.size()) ||
      !indices.getElementType().isIntOrIndex() ||
      updates.getElementType() != original.getElementType())
    return false;
  for (int64_t dimension : scatter.dimensions)
    if (dimension < 0 || dimension >= rank)
      return false;
  for (int64_t dimension = 0; dimension < rank; ++dimension) {
    bool indexed = llvm::is_contained(scatter.dimensions, dimension);
    int64_t from = scatter.getUpdateDimension(dimension);
    if (from == 0 ? !indexed
                  : updates.getDimSize(from) !=
                        (indexed ? 1 : original.getDimSize(dimension)))
      return false;
  }
  return true;
}

std::optional<ScatterCall> fuse::matchScatterCall(CallOpInterface call) {
  auto callee = dyn_cast_or_null<FunctionOpInterface>(call.resolveCallable());
  if (!callee || !callee.isExternal() || call->getNumResults() != 1 ||
      call.getArgOperands().size() != 3)
    return std::nullopt;
  auto getText = [&](StringRef name) {
    auto text = callee->getAttrOfType<StringAttr>(name);
    return text ? text.getValue() : StringRef();
  };
  StringRef body = getText("opaque.body");
  bool adds = body == "arith.addf,tm_tensor.yield" ||
              body == "arith.addi,tm_tensor.yield";
  std::optional<SmallVector<int64_t>> dimensions =
      readDimensions(getText("opaque.attrs"));
  if (getText("opaque.op") != "tm_tensor.scatter" || !dimensions ||
      !(adds || body == "tm_tensor.yield"))
    return std::nullopt;
  ScatterCall scatter{call.getArgOperands()[0], call.getArgOperands()[1],
                      call.getArgOperands()[2], *dimensions, adds};
  if (!hasRightShapes(scatter) ||
      call->getResult(0).getType() != scatter.original.getType())
    return std::nullopt;
  return scatter;
}

namespace {
/// A scatter whose updates `k * each .. k * each + each - 1` hit index `k` of
/// dimension `dimensions[column]`, and no others do. Without such a dimension
/// all updates may hit all elements.
struct KnownRows {
  std::optional<unsigned> column;
  int64_t each = 0;

  /// The updates that may hit an element are many: a loop takes them. A few are
  /// operands of their own.
  bool isLoop() const { return !column || each > 4; }
  int64_t getNumOperands() const { return isLoop() ? 1 : each; }
};
} // namespace

static KnownRows findKnownRows(const ScatterCall &scatter) {
  auto indices = cast<RankedTensorType>(scatter.indices.getType());
  auto original = cast<RankedTensorType>(scatter.original.getType());
  MLIRContext *context = indices.getContext();
  int64_t updates = indices.getDimSize(0);
  IndexRanges ranges;
  ranges.dims = {IndexRange::ofSize(updates)};
  AffineExpr update = getAffineDimExpr(0, context);
  for (auto [column, dimension] : llvm::enumerate(scatter.dimensions)) {
    int64_t size = original.getDimSize(dimension);
    if (size == 0 || updates == 0 || updates % size != 0)
      continue;
    AffineExpr row = simplifyIndex(update.floorDiv(updates / size), ranges);
    if (findIndexValue(scatter.indices,
                       {update, getAffineConstantExpr(column, context)},
                       ranges) == row)
      return {unsigned(column), updates / size};
  }
  return {std::nullopt, updates};
}

/// The updates of a row as a dimension of their own.
static Value splitUpdates(OpBuilder &b, Location loc, Value value,
                          const KnownRows &rows) {
  if (!rows.column || rows.each == 1)
    return value;
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape = {type.getDimSize(0) / rows.each, rows.each};
  llvm::append_range(shape, type.getShape().drop_front());
  SmallVector<ReassociationIndices> groups = {{0, 1}};
  for (int64_t i = 1; i < type.getRank(); ++i)
    groups.push_back({i + 1});
  return tensor::ExpandShapeOp::create(b, loc, type.clone(shape), value,
                                       groups);
}

/// Element index expressions of the operands: for each update that may hit an
/// element, or all of them if there is a loop, the update and each column of
/// the indices that is compared; then the original and the result. Dimension
/// `rank` of the loops counts the updates, if there is a loop.
static SmallVector<AffineMap> getMaps(const ScatterCall &scatter,
                                      const KnownRows &rows) {
  MLIRContext *context = scatter.original.getContext();
  int64_t rank = cast<RankedTensorType>(scatter.original.getType()).getRank();
  int64_t loops = rank + rows.isLoop();
  SmallVector<AffineMap> maps;
  for (int64_t i = 0; i < rows.getNumOperands(); ++i) {
    SmallVector<AffineExpr> update;
    if (rows.column)
      update.push_back(
          getAffineDimExpr(scatter.dimensions[*rows.column], context));
    if (rows.isLoop())
      update.push_back(getAffineDimExpr(rank, context));
    else if (rows.each > 1)
      update.push_back(getAffineConstantExpr(i, context));
    SmallVector<AffineExpr> slice = update;
    slice.append(cast<RankedTensorType>(scatter.updates.getType()).getRank() -
                     1,
                 getAffineConstantExpr(0, context));
    for (int64_t dimension = 0; dimension < rank; ++dimension)
      if (!llvm::is_contained(scatter.dimensions, dimension))
        slice[scatter.getUpdateDimension(dimension) + update.size() - 1] =
            getAffineDimExpr(dimension, context);
    maps.push_back(AffineMap::get(loops, 0, slice, context));
    for (unsigned j = 0; j < scatter.dimensions.size(); ++j) {
      if (j == rows.column)
        continue;
      SmallVector<AffineExpr> number = update;
      number.push_back(getAffineConstantExpr(j, context));
      maps.push_back(AffineMap::get(loops, 0, number, context));
    }
  }
  AffineMap element = AffineMap::getMultiDimIdentityMap(loops, context);
  if (rows.isLoop())
    element = element.dropResult(rank);
  // Without a loop the original is an operand.
  maps.append(rows.isLoop() ? 1 : 2, element);
  return maps;
}

/// The accumulated value after one update.
static Value applyUpdate(OpBuilder &b, Location loc, const ScatterCall &scatter,
                         const KnownRows &rows, ValueRange arguments,
                         Value old) {
  Value update = arguments.front(), hit;
  SmallVector<int64_t> compared = scatter.dimensions;
  if (rows.column)
    compared.erase(compared.begin() + *rows.column);
  for (auto [dimension, number] : llvm::zip(compared, arguments.drop_front())) {
    Value at = number;
    if (!at.getType().isIndex())
      at = arith::IndexCastOp::create(b, loc, b.getIndexType(), at);
    Value here = linalg::IndexOp::create(b, loc, dimension);
    Value same =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, at, here);
    hit = hit ? arith::AndIOp::create(b, loc, hit, same) : same;
  }
  Value next = update;
  if (scatter.adds && isa<FloatType>(old.getType()))
    next = arith::AddFOp::create(b, loc, update, old);
  else if (scatter.adds)
    next = arith::AddIOp::create(b, loc, update, old);
  return hit ? arith::SelectOp::create(b, loc, hit, next, old) : next;
}

namespace {
struct DecomposeScatter : public OpInterfaceRewritePattern<CallOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(CallOpInterface call,
                                PatternRewriter &rewriter) const override {
    std::optional<ScatterCall> scatter = matchScatterCall(call);
    if (!scatter)
      return failure();
    KnownRows rows = findKnownRows(*scatter);
    auto type = cast<RankedTensorType>(scatter->original.getType());
    if (type.getNumElements() * rows.each > kMostComparisons && rows.isLoop())
      return failure();
    Location loc = call.getLoc();
    Value original = scatter->original, result = original;
    Value updates = splitUpdates(rewriter, loc, scatter->updates, rows);
    Value indices = splitUpdates(rewriter, loc, scatter->indices, rows);
    unsigned compared = scatter->dimensions.size() - (rows.column ? 1 : 0);
    SmallVector<Value> inputs;
    for (int64_t i = 0; i < rows.getNumOperands(); ++i) {
      inputs.push_back(updates);
      inputs.append(compared, indices);
    }
    SmallVector<utils::IteratorType> loops(type.getRank(),
                                           utils::IteratorType::parallel);
    if (rows.isLoop()) {
      loops.push_back(utils::IteratorType::reduction);
    } else {
      inputs.push_back(original);
      result = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                       type.getElementType());
    }
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        call, TypeRange(type), inputs, ValueRange(result),
        getMaps(*scatter, rows), loops,
        [&](OpBuilder &b, Location loc, ValueRange arguments) {
          unsigned each = compared + 1;
          Value next = arguments[rows.getNumOperands() * each];
          for (int64_t i = 0; i < rows.getNumOperands(); ++i)
            next = applyUpdate(b, loc, *scatter, rows,
                               arguments.slice(i * each, each), next);
          linalg::YieldOp::create(b, loc, next);
        });
    return success();
  }
};
} // namespace

void fuse::populateScatterPatterns(RewritePatternSet &patterns) {
  patterns.add<DecomposeScatter>(patterns.getContext());
}
