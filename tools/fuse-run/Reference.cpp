// Upstream's passes, one after another; of ours only what dissolves the groups
// of the input, and what one of upstream's stops at.
#include "Reference.h"

#include "fuse-mlir/Analysis/ElementAccess.h"
#include "fuse-mlir/Conversion/SeparateEdges.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

/// From structured operators on tensors to loops over buffers.
static constexpr llvm::StringLiteral toLoops =
    "func.func(empty-tensor-to-alloc-tensor),"
    "one-shot-bufferize{bufferize-function-boundaries=true "
    "allow-return-allocs-from-loops=true "
    "function-boundary-type-conversion=identity-layout-map},"
    "func.func(convert-linalg-to-loops)";

/// TOSA and element-wise operators on tensors to structured operators. Wrong
/// indices stop the program. Groups
/// and boundaries that the user made are dissolved first, and marks of
/// operators removed, which operators without results may not have.
static constexpr llvm::StringLiteral toStructured =
    "fuse-inline-groups,fuse-strip-markers,fuse-check-extracts,"
    "func.func(tosa-optional-decompositions,tosa-to-scf,"
    "tosa-to-linalg-named,tosa-to-linalg),"
    "func.func(tosa-to-tensor,"
    "tosa-to-arith{include-apply-rescale=true}),"
    "func.func(convert-elementwise-to-linalg)";

/// From loops over buffers to the LLVM dialect.
static constexpr llvm::StringLiteral toLLVM =
    "fuse-lower-reshapes,expand-strided-metadata,lower-affine,"
    "convert-scf-to-cf,"
    "memref-expand,arith-expand,convert-complex-to-standard,"
    "convert-math-to-funcs{min-width-of-fpowi-exponent=33},"
    "convert-math-to-llvm,convert-math-to-libm,"
    "convert-complex-to-llvm,convert-vector-to-llvm,"
    "convert-arith-to-llvm,convert-index-to-llvm,"
    "finalize-memref-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,"
    "convert-ub-to-llvm,reconcile-unrealized-casts";

/// The loops of `op` with the innermost reduction and the innermost parallel
/// loop exchanged, if that makes an operand contiguous: a matrix multiplication
/// then goes along the rows of its second operand. Each element is summed in
/// the same order as before, so the values stay the same bit by bit.
static std::optional<SmallVector<unsigned>>
getBetterOrder(linalg::LinalgOp op) {
  unsigned loops = op.getNumLoops();
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  if (loops < 2 || reductions.size() != 1 || reductions[0] != loops - 1 ||
      op.hasIndexSemantics())
    return std::nullopt;
  unsigned inner = loops - 2;
  bool improves = false;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    if (map.getNumResults() < 2)
      continue;
    improves |= map.getResult(map.getNumResults() - 1) ==
                    getAffineDimExpr(inner, op.getContext()) &&
                map.isFunctionOfDim(loops - 1);
  }
  for (AffineMap map : op.getIndexingMapsArray())
    if (!map.isProjectedPermutation())
      return std::nullopt;
  if (!improves)
    return std::nullopt;
  SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(0, loops));
  std::swap(order[loops - 1], order[inner]);
  return order;
}

static void improveLoopOrder(ModuleOp module) {
  SmallVector<linalg::LinalgOp> targets;
  module.walk([&](linalg::LinalgOp op) {
    if (getBetterOrder(op))
      targets.push_back(op);
  });
  IRRewriter rewriter(module.getContext());
  for (linalg::LinalgOp op : targets) {
    SmallVector<unsigned> order = *getBetterOrder(op);
    linalg::GenericOp generic = dyn_cast<linalg::GenericOp>(op.getOperation());
    rewriter.setInsertionPoint(op);
    if (!generic) {
      FailureOr<linalg::GenericOp> made =
          linalg::generalizeNamedOp(rewriter, op);
      if (failed(made))
        continue;
      generic = *made;
    }
    rewriter.setInsertionPoint(generic);
    (void)linalg::interchangeGenericOp(rewriter, generic, order);
  }
}

/// Upstream makes an element-wise operator on tensors start from its first
/// operand, which it does not read there. A chain of them would be one alias
/// set.
static void dropUnreadInits(ModuleOp module) {
  module.walk([](linalg::LinalgOp op) {
    if (!op.hasPureTensorSemantics())
      return;
    for (OpOperand &init : op.getDpsInitsMutable()) {
      auto type = dyn_cast<RankedTensorType>(init.get().getType());
      if (!type || !type.hasStaticShape() ||
          op.payloadUsesValueFromOperand(&init) ||
          !op.getMatchingIndexingMap(&init).isProjectedPermutation())
        continue;
      OpBuilder builder(op);
      init.set(tensor::EmptyOp::create(builder, op.getLoc(), type.getShape(),
                                       type.getElementType()));
    }
  });
}

/// Copies each init of which the operator writes only parts and reads nothing:
/// upstream would give it a new buffer without contents where it cannot have
/// the init's own.
static void copyPartlyWrittenInits(ModuleOp module) {
  module.walk([](linalg::LinalgOp op) {
    if (!op.hasPureTensorSemantics())
      return;
    for (OpOperand &init : op.getDpsInitsMutable()) {
      if (op.payloadUsesValueFromOperand(&init) ||
          init.get().getDefiningOp<tensor::EmptyOp>() ||
          fuse::writesWholeResult(op.getMatchingIndexingMap(&init),
                                  op.getShape(&init)))
        continue;
      OpBuilder builder(op);
      Value empty = tensor::EmptyOp::create(
          builder, op.getLoc(),
          tensor::getMixedSizes(builder, op.getLoc(), init.get()),
          getElementTypeOrSelf(init.get().getType()));
      init.set(linalg::CopyOp::create(builder, op.getLoc(), init.get(), empty)
                   ->getResult(0));
    }
  });
}

/// Gives each use of an uninitialised tensor one of its own. Otherwise all
/// results that start from it are one alias set, which bufferization analyses
/// in quadratic time.
static void separateEmptyTensors(ModuleOp module) {
  SmallVector<tensor::EmptyOp> targets;
  module.walk([&](tensor::EmptyOp op) { targets.push_back(op); });
  for (tensor::EmptyOp op : targets) {
    for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
      OpBuilder builder(use.getOwner());
      use.set(builder.clone(*op)->getResult(0));
    }
    op->erase();
  }
}

/// Makes each view that takes every so many-th element *and* drops dimensions
/// two views: the first with all dimensions, the second to drop them.
/// Upstream's `SubViewOp::getDroppedDims` finds dropped dimensions by strides
/// of the source, which are not those of the view, and crashes.
static void splitStridedViews(ModuleOp module) {
  module.walk([](memref::SubViewOp op) {
    if (op.getType().getRank() == op.getSourceType().getRank() ||
        llvm::all_of(op.getMixedStrides(), isOneInteger))
      return;
    OpBuilder builder(op);
    Value full = memref::SubViewOp::create(
        builder, op.getLoc(), op.getSource(), op.getMixedOffsets(),
        op.getMixedSizes(), op.getMixedStrides());
    int64_t rank = op.getSourceType().getRank();
    SmallVector<OpFoldResult> zeros(rank, builder.getIndexAttr(0));
    SmallVector<OpFoldResult> ones(rank, builder.getIndexAttr(1));
    Value reduced =
        memref::SubViewOp::create(builder, op.getLoc(), op.getType(), full,
                                  zeros, op.getMixedSizes(), ones);
    op.replaceAllUsesWith(reduced);
    op.erase();
  });
}

/// `math.isinf` and `math.isnormal` as comparisons: upstream marks them illegal
/// on the way to LLVM and has nothing to put in their place.
static void lowerClassifications(ModuleOp module) {
  module.walk([](Operation *op) {
    bool isNormal = isa<math::IsNormalOp>(op);
    if (!isNormal && !isa<math::IsInfOp>(op))
      return;
    FloatType type = dyn_cast<FloatType>(op->getOperand(0).getType());
    if (!type)
      return;
    ImplicitLocOpBuilder b(op->getLoc(), op);
    Value magnitude = math::AbsFOp::create(b, op->getOperand(0));
    auto compare = [&](arith::CmpFPredicate predicate, APFloat bound) -> Value {
      Value limit = arith::ConstantOp::create(b, b.getFloatAttr(type, bound));
      return arith::CmpFOp::create(b, predicate, magnitude, limit);
    };
    const llvm::fltSemantics &format = type.getFloatSemantics();
    APFloat infinity = APFloat::getInf(format);
    Value result = isNormal
                       ? arith::AndIOp::create(
                             b,
                             compare(arith::CmpFPredicate::OGE,
                                     APFloat::getSmallestNormalized(format)),
                             compare(arith::CmpFPredicate::OLT, infinity))
                             .getResult()
                       : compare(arith::CmpFPredicate::OEQ, infinity);
    op->replaceAllUsesWith(ValueRange{result});
    op->erase();
  });
}

static LogicalResult runPasses(ModuleOp module, StringRef passes) {
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  if (failed(parsePassPipeline(passes, pm)))
    return failure();
  return pm.run(module);
}

/// Replaces `op` by operators that have a loop form.
static LogicalResult decompose(IRRewriter &rewriter, Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](linalg::MapOp map) {
        return linalg::generalizeNamedOp(rewriter, map);
      })
      .Case([&](linalg::PackOp pack) {
        return linalg::lowerPack(rewriter, pack);
      })
      .Case([&](linalg::UnPackOp unpack) {
        return linalg::lowerUnPack(rewriter, unpack);
      })
      .Case([&](linalg::WinogradFilterTransformOp filter) {
        return linalg::decomposeWinogradFilterTransformOp(rewriter, filter);
      })
      .Case([&](linalg::WinogradInputTransformOp input) {
        return linalg::decomposeWinogradInputTransformOp(rewriter, input);
      })
      .Case([&](linalg::WinogradOutputTransformOp output) {
        return linalg::decomposeWinogradOutputTransformOp(rewriter, output);
      })
      .Default([&](Operation *) -> LogicalResult {
        FailureOr<SmallVector<Value>> values =
            cast<linalg::AggregatedOpInterface>(op).decomposeOperation(
                rewriter);
        if (failed(values))
          return failure();
        rewriter.replaceOp(op, *values);
        return success();
      });
}

/// Takes apart the operators that have no loop form of their own, and makes
/// generics of maps: what the body of one reads of its init, upstream's
/// bufferization takes for unread.
static LogicalResult decompose(ModuleOp module) {
  SmallVector<Operation *> targets;
  module.walk([&](Operation *op) {
    if (isa<linalg::AggregatedOpInterface, linalg::MapOp, linalg::PackOp,
            linalg::UnPackOp, linalg::WinogradFilterTransformOp,
            linalg::WinogradInputTransformOp,
            linalg::WinogradOutputTransformOp>(op))
      targets.push_back(op);
  });
  IRRewriter rewriter(module.getContext());
  for (Operation *op : targets) {
    rewriter.setInsertionPoint(op);
    if (failed(decompose(rewriter, op)))
      return op->emitError("the reference cannot lower this");
  }
  RewritePatternSet patterns(module.getContext());
  tensor::populateDecomposeTensorConcatPatterns(patterns);
  return applyPatternsGreedily(module, std::move(patterns));
}

LogicalResult fuse::run::lowerReference(ModuleOp module) {
  fuse::separateEdges(module);
  lowerScatters(module);
  lowerGathers(module);
  if (failed(runPasses(module, toStructured)) || failed(decompose(module)))
    return failure();
  improveLoopOrder(module);
  dropUnreadInits(module);
  copyPartlyWrittenInits(module);
  separateEmptyTensors(module);
  if (failed(runPasses(module, toLoops)))
    return failure();
  splitStridedViews(module);
  lowerClassifications(module);
  lowerNarrowFloats(module);
  return runPasses(module, toLLVM);
}

int64_t fuse::run::estimateWork(ModuleOp module) {
  int64_t work = 0;
  module.walk([&](linalg::LinalgOp op) {
    int64_t count = 1;
    for (int64_t range : op.getStaticLoopRanges())
      count *= ShapedType::isDynamic(range) ? 1 : range;
    work += count;
  });
  return work;
}
