// Calls that stand for a scatter become structured: each element of the result
// takes the updates that hit it, in their order. Nothing is written twice, so no
// atomics are needed, and the order of duplicates is the source's.
//
// The price is a comparison for each element and update. Beyond a limit the call
// is left alone.
#include "fuse-mlir/Transforms/ScatterCalls.h"

#include "fuse-mlir/Transforms/NormalizePatterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
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
static std::optional<SmallVector<int64_t>> readDimensions(StringRef attributes) {
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

/// Whether the shapes are those of a scatter along whole dimensions, within the
/// limit.
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
      updates.getElementType() != original.getElementType() ||
      original.getNumElements() * updates.getDimSize(0) > kMostComparisons)
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

/// Element index expressions of the updates and of each column of the indices;
/// dimension `rank` of the loops counts the updates.
static SmallVector<AffineMap> getMaps(const ScatterCall &scatter) {
  MLIRContext *context = scatter.original.getContext();
  int64_t rank = cast<RankedTensorType>(scatter.original.getType()).getRank();
  AffineExpr update = getAffineDimExpr(rank, context);
  SmallVector<AffineExpr> slice(
      cast<RankedTensorType>(scatter.updates.getType()).getRank(),
      getAffineConstantExpr(0, context));
  slice[0] = update;
  for (int64_t dimension = 0; dimension < rank; ++dimension)
    if (!llvm::is_contained(scatter.dimensions, dimension))
      slice[scatter.getUpdateDimension(dimension)] =
          getAffineDimExpr(dimension, context);
  SmallVector<AffineMap> maps = {AffineMap::get(rank + 1, 0, slice, context)};
  for (unsigned j = 0; j < scatter.dimensions.size(); ++j)
    maps.push_back(AffineMap::get(
        rank + 1, 0, {update, getAffineConstantExpr(j, context)}, context));
  maps.push_back(AffineMap::getMultiDimIdentityMap(rank + 1, context)
                     .dropResult(rank));
  return maps;
}

/// The accumulated value after one update.
static Value applyUpdate(OpBuilder &b, Location loc, const ScatterCall &scatter,
                         ValueRange arguments) {
  Value update = arguments.front(), old = arguments.back(), hit;
  for (auto [dimension, number] : llvm::zip(
           scatter.dimensions, arguments.drop_front().drop_back())) {
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
  return arith::SelectOp::create(b, loc, hit, next, old);
}

namespace {
struct DecomposeScatter : public OpInterfaceRewritePattern<CallOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(CallOpInterface call,
                                PatternRewriter &rewriter) const override {
    std::optional<ScatterCall> scatter = matchScatterCall(call);
    if (!scatter)
      return failure();
    auto type = cast<RankedTensorType>(scatter->original.getType());
    SmallVector<Value> inputs = {scatter->updates};
    inputs.append(scatter->dimensions.size(), scatter->indices);
    SmallVector<utils::IteratorType> loops(type.getRank(),
                                           utils::IteratorType::parallel);
    loops.push_back(utils::IteratorType::reduction);
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        call, TypeRange(type), inputs, ValueRange(scatter->original),
        getMaps(*scatter), loops,
        [&](OpBuilder &b, Location loc, ValueRange arguments) {
          linalg::YieldOp::create(b, loc,
                                  applyUpdate(b, loc, *scatter, arguments));
        });
    return success();
  }
};
} // namespace

void fuse::populateScatterPatterns(RewritePatternSet &patterns) {
  patterns.add<DecomposeScatter>(patterns.getContext());
}
