// fuse-normalize-ops: brings a function to the normal form that planning
// starts from. The heavy lifting is upstream's; what is ours is the order, the
// checks, and that markers, identities and locations survive each rewrite.
#include "fuse-mlir/Transforms/Passes.h"

#include "fuse-mlir/Analysis/ReductionParts.h"

#include "fuse-mlir/IR/FuseOps.h"
#include "fuse-mlir/Transforms/Functions.h"
#include "fuse-mlir/Transforms/MarkerTags.h"
#include "fuse-mlir/Transforms/NormalizePatterns.h"
#include "fuse-mlir/Transforms/WidenSums.h"

#include "mlir/Conversion/ComplexToStandard/ComplexToStandard.h"
#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/TosaToSCF/TosaToSCF.h"
#include "mlir/Conversion/TosaToTensor/TosaToTensor.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_NORMALIZEOPSPASS
#include "fuse-mlir/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// True if a value of tensor type occurs at `function` or in it.
static bool usesTensors(FunctionOpInterface function) {
  if (llvm::any_of(function.getArgumentTypes(), llvm::IsaPred<TensorType>))
    return true;
  return function
      ->walk([](Operation *op) {
        return llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// True for operators whose operands and results kernels will read and write.
static bool worksOnElements(Operation *op) {
  if (isa<tensor::CastOp, tensor::DimOp, tensor::RankOp>(op))
    return false;
  if (Dialect *dialect = op->getDialect())
    if (isa<linalg::LinalgDialect, tensor::TensorDialect, tosa::TosaDialect>(
            dialect))
      return true;
  return op->hasTrait<OpTrait::Elementwise>();
}

static bool isSupportedElement(Type type) {
  if (isa<Float8E4M3FNType, Float8E5M2Type>(type) || type.isF16() ||
      type.isBF16() || type.isF32() || type.isF64() || type.isIndex())
    return true;
  return type.isSignlessInteger() &&
         llvm::is_contained({1u, 8u, 16u, 32u, 64u},
                            type.getIntOrFloatBitWidth());
}

/// Refuses marks in the bodies of operators, which say nothing there. What
/// upstream's rewrites have copied from the operator itself is no mark.
static LogicalResult checkMarks(Operation *op) {
  if (!isInStructuredBody(op))
    return success();
  for (StringRef name :
       {FuseDialect::kMustFuseAttrName, FuseDialect::kNeverFuseAttrName})
    if (op->hasAttr(name) && !op->getParentOp()->hasAttr(name))
      return op->emitError() << "expected attribute '" << name
                             << "' on an operator on tensors, but got it in "
                                "the body of '"
                             << op->getParentOp()->getName() << "'";
  return success();
}

/// Refuses element types and encodings that no later stage takes.
static LogicalResult checkTypes(Operation *op) {
  auto check = [&](Type type) -> LogicalResult {
    if (isa<UnrankedTensorType>(type))
      return op->emitError() << "expected ranked tensors, but got " << type
                             << " in '" << op->getName() << "'";
    RankedTensorType tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return success();
    if (!isSupportedElement(tensor.getElementType()))
      return op->emitError()
             << "expected an element type of f8E4M3FN, f8E5M2, f16, bf16, f32, "
                "f64, i1, i8, i16, i32, i64 or index, but got "
             << tensor.getElementType() << " in '" << op->getName() << "'";
    if (tensor.getEncoding())
      return op->emitError() << "expected a dense tensor without encoding, but "
                                "got "
                             << tensor << " in '" << op->getName() << "'";
    return success();
  };
  if (!worksOnElements(op))
    return success();
  for (Type type : op->getOperandTypes())
    if (failed(check(type)))
      return failure();
  for (Type type : op->getResultTypes())
    if (failed(check(type)))
      return failure();
  // Its verifier takes these, and has no meaning for them.
  linalg::SoftmaxOp softmax = dyn_cast<linalg::SoftmaxOp>(op);
  if (softmax &&
      !isa<FloatType>(softmax.getInputOperandType().getElementType()))
    return op->emitError() << "expected floating-point elements, but got "
                           << softmax.getInputOperandType() << " in '"
                           << op->getName() << "'";
  return success();
}

/// Refuses a body that reads an element of a tensor that has none, whatever the
/// data are. (One behind a condition may be right.)
static LogicalResult checkReads(Operation *op) {
  tensor::ExtractOp extract = dyn_cast<tensor::ExtractOp>(op);
  linalg::LinalgOp parent = dyn_cast<linalg::LinalgOp>(op->getParentOp());
  if (!extract || !parent ||
      llvm::any_of(parent.getStaticLoopRanges(), [](int64_t range) {
        return range == 0 || ShapedType::isDynamic(range);
      }))
    return success();
  RankedTensorType type = extract.getTensor().getType();
  if (!type.hasStaticShape() || type.getNumElements() != 0)
    return success();
  return op->emitError() << "expected a tensor with elements, but got " << type
                         << ", of which each iteration reads one";
}

namespace {

struct NormalizeOpsPass
    : public fuse::impl::NormalizeOpsPassBase<NormalizeOpsPass> {
  using NormalizeOpsPassBase::NormalizeOpsPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet decompose(context);
    populateDecomposePatterns(decompose);
    populateIrregularResultPatterns(decompose);
    populateConcatPatterns(decompose);
    populateScatterPatterns(decompose);
    populateDropDeadResultsPatterns(decompose);
    decomposePatterns = std::move(decompose);

    RewritePatternSet decomposeTosa(context);
    populateDecomposeTosaPatterns(decomposeTosa);
    tosaPatterns = std::move(decomposeTosa);

    RewritePatternSet narrow(context);
    populateNarrowFactorsPatterns(narrow);
    populateSplitConcatsPatterns(narrow);
    populateSplitContractionsPatterns(narrow);
    narrowPatterns = std::move(narrow);

    RewritePatternSet unit(context), unitCleanup(context);
    linalg::ControlDropUnitDims options = unitDimsOptions();
    linalg::populateFoldUnitExtentDimsPatterns(unit, options);
    unitPatterns = std::move(unit);
    linalg::populateFoldUnitExtentDimsCanonicalizationPatterns(unitCleanup,
                                                               options);
    populateDropDeadResultsPatterns(unitCleanup);
    unitCleanupPatterns = std::move(unitCleanup);

    RewritePatternSet cleanup(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(cleanup);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      op.getCanonicalizationPatterns(cleanup, context);
    cleanupPatterns = std::move(cleanup);
    return success();
  }

  void runOnOperation() override;

private:
  static linalg::ControlDropUnitDims unitDimsOptions();
  LogicalResult normalize(FunctionOpInterface function);
  LogicalResult lowerTosa(FunctionOpInterface function);
  LogicalResult lowerComplex(FunctionOpInterface function);
  LogicalResult rewrite(FunctionOpInterface function);
  LogicalResult cleanUp(FunctionOpInterface function, bool hasGroups);
  LogicalResult narrow(FunctionOpInterface function);

  FrozenRewritePatternSet decomposePatterns, tosaPatterns, unitPatterns,
      unitCleanupPatterns, cleanupPatterns, narrowPatterns;
};

} // namespace

/// Operators on buffers keep their unit dimensions.
linalg::ControlDropUnitDims NormalizeOpsPass::unitDimsOptions() {
  linalg::ControlDropUnitDims options;
  options.controlFn = [](Operation *op) -> SmallVector<unsigned> {
    if (linalg::GenericOp generic = dyn_cast<linalg::GenericOp>(op))
      if (generic.hasPureTensorSemantics())
        return llvm::to_vector(llvm::seq<unsigned>(0, generic.getNumLoops()));
    if (tensor::PadOp pad = dyn_cast<tensor::PadOp>(op))
      return llvm::to_vector(
          llvm::seq<unsigned>(0, pad.getSourceType().getRank()));
    return {};
  };
  return options;
}

/// Whether an operator of dialect `DialectTy` is in `function`.
template <typename DialectTy>
static bool uses(FunctionOpInterface function) {
  return function
      ->walk([](Operation *op) {
        return isa_and_nonnull<DialectTy>(op->getDialect())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Complex numbers between real elements become their two parts.
LogicalResult NormalizeOpsPass::lowerComplex(FunctionOpInterface function) {
  if (!uses<complex::ComplexDialect>(function))
    return success();
  OpPassManager pm(function->getName().getStringRef());
  pm.addPass(createConvertComplexToStandardPass());
  return runPipeline(pm, function);
}

LogicalResult NormalizeOpsPass::lowerTosa(FunctionOpInterface function) {
  if (!uses<tosa::TosaDialect>(function))
    return success();
  walkAndApplyPatterns(function, tosaPatterns);
  OpPassManager pm(function->getName().getStringRef());
  // Control flow first: the others take no terminators.
  pm.addPass(createTosaToSCFPass());
  pm.addPass(tosa::createTosaToLinalgNamed());
  pm.addPass(tosa::createTosaToLinalg());
  pm.addPass(createTosaToTensorPass());
  TosaToArithPassOptions rescale;
  rescale.includeApplyRescale = true;
  pm.addPass(createTosaToArithPass(rescale));
  return runPipeline(pm, function);
}

/// Canonical form. Where there are groups of the user's, equal operators are
/// not merged: that would take them out of a group.
LogicalResult NormalizeOpsPass::cleanUp(FunctionOpInterface function,
                                        bool hasGroups) {
  if (hasGroups) {
    GreedyRewriteConfig config;
    config.enableConstantCSE(false);
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    (void)applyPatternsGreedily(function, cleanupPatterns, config);
    return success();
  }
  OpPassManager pm(function->getName().getStringRef());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  return runPipeline(pm, function);
}

static bool holdsGroups(FunctionOpInterface function) {
  return function->walk([](GroupOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Markers are where they belong by then, and say which operators stay.
LogicalResult NormalizeOpsPass::narrow(FunctionOpInterface function) {
  GreedyRewriteConfig config;
  config.enableConstantCSE(false);
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  bool changed = false;
  (void)applyPatternsGreedily(function, narrowPatterns, config, &changed);
  if (!changed)
    return success();
  MarkerTags tags;
  tags.attach(function);
  LogicalResult cleaned = cleanUp(function, holdsGroups(function));
  tags.detach(function);
  return cleaned;
}

LogicalResult NormalizeOpsPass::rewrite(FunctionOpInterface function) {
  bool hasGroups = holdsGroups(function);
  // A bound, so that patterns which undo each other end.
  int64_t operations = 0;
  function->walk([&](Operation *) { ++operations; });
  GreedyRewriteConfig config;
  config.enableConstantCSE(!hasGroups);
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  config.setMaxNumRewrites(1000 + 50 * operations);
  bool usesTosa = uses<tosa::TosaDialect>(function);
  if (failed(lowerTosa(function)) || failed(lowerComplex(function)))
    return failure();
  // A pattern set that does not settle is no error: the result is valid IR.
  (void)applyPatternsGreedily(function, decomposePatterns, config);
  if (failed(cleanUp(function, hasGroups)))
    return failure();
  if (usesTosa)
    foldRunTimeBroadcasts(function);
  if (foldUnitDims) {
    walkAndApplyPatterns(function, unitPatterns);
    (void)applyPatternsGreedily(function, unitCleanupPatterns, config);
    if (failed(cleanUp(function, hasGroups)))
      return failure();
  }
  return success();
}

/// A group that yields a value from outside (its operator was a no-op and is
/// gone) hands it on; a group left empty disappears.
static void tidyGroups(FunctionOpInterface function) {
  function->walk([](GroupOp group) {
    YieldOp yield = cast<YieldOp>(group.getBody().front().getTerminator());
    SmallVector<Value> inner;
    SmallVector<unsigned> kept;
    for (auto [i, value] : llvm::enumerate(yield.getValues())) {
      if (value.getParentRegion() == &group.getBody()) {
        inner.push_back(value);
        kept.push_back(i);
        continue;
      }
      group.getResult(i).replaceAllUsesWith(value);
    }
    if (inner.size() == yield.getValues().size() &&
        !group.getBody().front().without_terminator().empty())
      return;
    if (inner.empty() &&
        llvm::all_of(group.getBody().front(),
                     [](Operation &op) { return isPure(&op); })) {
      group.erase();
      return;
    }
    OpBuilder builder(group);
    yield.getValuesMutable().assign(inner);
    GroupOp smaller = GroupOp::create(
        builder, group.getLoc(), ValueRange(inner).getTypes(),
        group.getGroupNameAttr(), group.getOpClassAttr(), group.getCostAttr());
    smaller->setDiscardableAttrs(group->getDiscardableAttrDictionary());
    smaller.getBody().takeBody(group.getBody());
    for (auto [now, before] : llvm::enumerate(kept))
      group.getResult(before).replaceAllUsesWith(smaller.getResult(now));
    group.erase();
  });
}

LogicalResult NormalizeOpsPass::normalize(FunctionOpInterface function) {
  if (function.isExternal() || !usesTensors(function))
    return success();
  WalkResult types = function->walk([](Operation *op) {
    return failed(checkTypes(op)) || failed(checkMarks(op))
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (types.wasInterrupted())
    return failure();
  if (!fpOrder.empty())
    function->setAttr(kFpOrderAttrName,
                      StringAttr::get(&getContext(), fpOrder));
  if (!halfSums.empty())
    function->setAttr(kHalfSumsAttrName,
                      StringAttr::get(&getContext(), halfSums));

  MarkerTags tags;
  tags.attach(function);
  widenHalfSums(function);
  LogicalResult rewritten = rewrite(function);
  tags.detach(function);
  if (failed(rewritten) || failed(narrow(function)))
    return failure();
  tidyGroups(function);

  WalkResult left = function->walk([](Operation *op) {
    if (failed(checkReads(op)))
      return WalkResult::interrupt();
    bool isTosa = isa_and_nonnull<tosa::TosaDialect>(op->getDialect());
    if ((!isTosa && !isa<tensor::GatherOp, tensor::ScatterOp>(op)) ||
        op->use_empty())
      return WalkResult::advance();
    op->emitError() << "expected an operation with a linalg form, but got '"
                    << op->getName() << "'";
    return WalkResult::interrupt();
  });
  return failure(left.wasInterrupted());
}

void NormalizeOpsPass::runOnOperation() {
  if (!llvm::is_contained({"", "fixed", "strict"}, fpOrder)) {
    getOperation()->emitError()
        << "expected fp-order to be fixed or strict, but got '" << fpOrder
        << "'";
    return signalPassFailure();
  }
  if (!llvm::is_contained({"", "source", "f32"}, halfSums)) {
    getOperation()->emitError()
        << "expected half-sums to be source or f32, but got '" << halfSums
        << "'";
    return signalPassFailure();
  }
  for (FunctionOpInterface function : collectFunctions(getOperation()))
    if (failed(normalize(function)))
      return signalPassFailure();
}
