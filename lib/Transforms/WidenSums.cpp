// Sums of f16 and bf16 that may be kept in f32. Exporters that leave it open
// how a product of matrices is summed up (StableHLO without a result type of
// its own, ONNX) name the type of the result; matrix units have sums of f32.
#include "fuse-mlir/Transforms/WidenSums.h"

#include "fuse-mlir/IR/FuseOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::fuse;

/// An operator that is to stay alone cannot be one and a conversion.
static bool mayWiden(Operation *op) {
  if (op->hasAttr(FuseDialect::kNeverFuseAttrName))
    return false;
  for (; op; op = op->getParentOp())
    if (auto sums = op->getAttrOfType<StringAttr>(kHalfSumsAttrName))
      return sums == "f32";
  return false;
}

/// The sum that `op` yields of its only output and something else.
static arith::AddFOp findHalfSum(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0 ||
      !op.hasPureTensorSemantics())
    return {};
  Block *body = op.getBlock();
  BlockArgument out = body->getArguments().back();
  auto sum =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  bool isHalf = out.getType().isF16() || out.getType().isBF16();
  if (!sum || !isHalf || !out.hasOneUse() || !sum->hasOneUse() ||
      sum->getBlock() != body || !llvm::is_contained(sum->getOperands(), out))
    return {};
  return sum;
}

/// A value of f32 in place of `value`, a product not rounded before it is
/// added.
static Value widen(RewriterBase &rewriter, Value value) {
  Type wide = rewriter.getF32Type();
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product || !product->hasOneUse()) {
    rewriter.setInsertionPointAfterValue(value);
    return arith::ExtFOp::create(rewriter, value.getLoc(), wide, value);
  }
  rewriter.setInsertionPoint(product);
  for (OpOperand &factor : product->getOpOperands()) {
    Value extended =
        arith::ExtFOp::create(rewriter, product.getLoc(), wide, factor.get());
    rewriter.modifyOpInPlace(product, [&] { factor.set(extended); });
  }
  rewriter.modifyOpInPlace(product, [&] { product.getResult().setType(wide); });
  return product;
}

/// Each element of `value`, which has `sizes`, as `type`, by an operator that
/// has the attributes of `like`.
static Value convert(RewriterBase &rewriter, Value value,
                     ArrayRef<OpFoldResult> sizes, Type type, Operation *like) {
  Location loc = like->getLoc();
  auto tensor = cast<RankedTensorType>(value.getType());
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, type);
  AffineMap identity = rewriter.getMultiDimIdentityMap(tensor.getRank());
  SmallVector<utils::IteratorType> loops(tensor.getRank(),
                                         utils::IteratorType::parallel);
  bool widens = type.getIntOrFloatBitWidth() >
                tensor.getElementType().getIntOrFloatBitWidth();
  auto op = linalg::GenericOp::create(
      rewriter, loc, TypeRange{empty.getType()}, ValueRange{value},
      ValueRange{empty}, ArrayRef{identity, identity}, loops,
      [&](OpBuilder &body, Location at, ValueRange elements) {
        Value cast =
            widens
                ? arith::ExtFOp::create(body, at, type, elements[0]).getResult()
                : arith::TruncFOp::create(body, at, type, elements[0])
                      .getResult();
        linalg::YieldOp::create(body, at, cast);
      });
  // The tile is that of the sum.
  op->setDiscardableAttrs(like->getDiscardableAttrDictionary());
  op->removeDiscardableAttr(FuseDialect::kTileAttrName);
  return op->getResult(0);
}

/// The initial value of a sum in f32: a filled tensor stays one.
static Value widenInit(RewriterBase &rewriter, Value init,
                       ArrayRef<OpFoldResult> sizes, Operation *like) {
  Type wide = rewriter.getF32Type();
  auto fill = init.getDefiningOp<linalg::FillOp>();
  FloatAttr constant;
  if (!fill || !matchPattern(fill.value(), m_Constant(&constant)))
    return convert(rewriter, init, sizes, wide, like);
  APFloat value = constant.getValue();
  bool losesInfo = false;
  value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  Location loc = fill.getLoc();
  Value start = arith::ConstantOp::create(rewriter, loc,
                                          rewriter.getFloatAttr(wide, value));
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, wide);
  auto filled = linalg::FillOp::create(rewriter, loc, start, empty);
  filled->setDiscardableAttrs(fill->getDiscardableAttrDictionary());
  return filled.getResult(0);
}

static void widenSum(RewriterBase &rewriter, linalg::LinalgOp op,
                     arith::AddFOp sum) {
  Type wide = rewriter.getF32Type();
  Value result = op->getResult(0);
  Type narrow = getElementTypeOrSelf(result.getType());
  BlockArgument out = op.getBlock()->getArguments().back();
  for (OpOperand &operand : sum->getOpOperands())
    if (operand.get() != out) {
      Value widened = widen(rewriter, operand.get());
      rewriter.modifyOpInPlace(sum, [&] { operand.set(widened); });
    }
  rewriter.modifyOpInPlace(sum, [&] { sum.getResult().setType(wide); });
  rewriter.setInsertionPoint(op);
  OpOperand *init = op.getDpsInitOperand(0);
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, op.getLoc(), init->get());
  Value start = widenInit(rewriter, init->get(), sizes, op);
  rewriter.modifyOpInPlace(op, [&] {
    out.setType(wide);
    init->set(start);
    result.setType(cast<RankedTensorType>(result.getType()).clone(wide));
  });
  rewriter.setInsertionPointAfter(op);
  Value rounded = convert(rewriter, result, sizes, narrow, op);
  rewriter.replaceAllUsesExcept(result, rounded, rounded.getDefiningOp());
}

void fuse::widenHalfSums(Operation *root) {
  IRRewriter rewriter(root->getContext());
  SmallVector<std::pair<linalg::LinalgOp, arith::AddFOp>> found;
  root->walk([&](linalg::LinalgOp op) {
    if (arith::AddFOp sum = findHalfSum(op); sum && mayWiden(op))
      found.push_back({op, sum});
  });
  for (auto &[op, sum] : found)
    widenSum(rewriter, op, sum);
}
