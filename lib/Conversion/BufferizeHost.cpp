// Turns host tensors into buffers: checks that only kernels compute, lets
// one-shot bufferization do the work under our calling convention (arguments
// are never written, results are fresh and the caller's), and frees the rest.
#include "DeallocateBuffers.h"
#include "fuse-mlir/Conversion/Passes.h"
#include "fuse-mlir/Conversion/SeparateEdges.h"
#include "fuse-mlir/IR/KernelBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_BUFFERIZEHOSTPASS
#include "fuse-mlir/Conversion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// Whether `op` takes or gives a tensor.
static bool usesTensors(Operation *op) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  return llvm::any_of(op->getOperandTypes(), isTensor) ||
         llvm::any_of(op->getResultTypes(), isTensor);
}

/// Whether `op` may take or give tensors on the host: it moves whole values
/// around or touches single elements, or nobody can say what it does.
static bool isAllowedOnHost(Operation *op) {
  if (!op->isRegistered() || op->hasTrait<OpTrait::ConstantLike>())
    return true;
  if (ClassAttr attr =
          op->getAttrOfType<ClassAttr>(FuseDialect::kClassAttrName))
    if (attr.getValue() == OpClass::Opaque)
      return true;
  if (isa<LaunchOp, BoundaryOp, arith::SelectOp>(op))
    return true;
  if (isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::DimOp,
          tensor::EmptyOp, tensor::ExpandShapeOp, tensor::ExtractOp,
          tensor::ExtractSliceOp, tensor::FromElementsOp, tensor::InsertOp,
          tensor::InsertSliceOp, tensor::ParallelInsertSliceOp, tensor::RankOp,
          tensor::ReshapeOp>(op))
    return true;
  StringRef dialect = op->getDialect()->getNamespace();
  return llvm::is_contained(
      {"bufferization", "builtin", "cf", "func", "scf", "ub"}, dialect);
}

/// Reports the first tensor computation outside of kernels.
static LogicalResult checkHostCode(ModuleOp module) {
  WalkResult result = module.walk<WalkOrder::PreOrder>([](Operation *op) {
    if (isa<gpu::GPUModuleOp, gpu::BinaryOp>(op))
      return WalkResult::skip();
    if (!usesTensors(op))
      return WalkResult::advance();
    if (isa<GroupOp, KernelOp>(op)) {
      op->emitError() << "expected kernels to be device code already, but got '"
                      << op->getName() << "'";
      return WalkResult::interrupt();
    }
    if (isAllowedOnHost(op)) {
      bool isOpaque = op->hasAttr(FuseDialect::kClassAttrName);
      return isOpaque ? WalkResult::skip() : WalkResult::advance();
    }
    op->emitError() << "expected tensor computation to be inside a kernel, "
                       "but got '"
                    << op->getName() << "' in host code";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// The functions that have tensors anywhere.
static SmallVector<func::FuncOp> collectTensorFunctions(ModuleOp module) {
  SmallVector<func::FuncOp> functions;
  for (func::FuncOp function : module.getOps<func::FuncOp>()) {
    auto isTensor = [](Type type) { return isa<TensorType>(type); };
    bool found = llvm::any_of(function.getArgumentTypes(), isTensor) ||
                 llvm::any_of(function.getResultTypes(), isTensor);
    if (!found)
      function.walk([&](Operation *op) {
        found |= usesTensors(op);
        return found ? WalkResult::interrupt() : WalkResult::advance();
      });
    if (found)
      functions.push_back(function);
  }
  return functions;
}

/// Gives every `outs` operand that is an uninitialized tensor a tensor of its
/// own, made just before the launch: nothing is shared or lives too long.
static void separateDestinations(func::FuncOp function) {
  SmallVector<tensor::EmptyOp> old;
  function.walk([&](LaunchOp launch) {
    OpBuilder builder(launch);
    llvm::SmallDenseSet<Value> seen;
    for (OpOperand &out : launch.getOutsMutable()) {
      RankedTensorType type = dyn_cast<RankedTensorType>(out.get().getType());
      tensor::EmptyOp empty = out.get().getDefiningOp<tensor::EmptyOp>();
      bool isFirst = seen.insert(out.get()).second;
      if (!type || isUpdate(launch, out) || (!empty && isFirst))
        continue;
      if (empty) {
        old.push_back(empty);
        out.set(builder.clone(*empty)->getResult(0));
      } else if (type.hasStaticShape()) {
        out.set(tensor::EmptyOp::create(
            builder, launch.getLoc(), type.getShape(), type.getElementType()));
      }
    }
  });
  for (tensor::EmptyOp empty :
       llvm::SmallSetVector<tensor::EmptyOp, 8>(old.begin(), old.end()))
    if (empty->use_empty())
      empty->erase();
}

/// Poison, which `lift-cf-to-scf` leaves, is memory of any contents.
static void replacePoison(func::FuncOp function) {
  function.walk([](ub::PoisonOp poison) {
    RankedTensorType type = dyn_cast<RankedTensorType>(poison.getType());
    if (!type || !type.hasStaticShape())
      return;
    OpBuilder builder(poison);
    poison.replaceAllUsesWith(tensor::EmptyOp::create(builder, poison.getLoc(),
                                                      type.getShape(),
                                                      type.getElementType())
                                  .getResult());
    poison.erase();
  });
}

/// The user's marks stand on operators with results, of which buffers leave
/// none; what they ask for is done by now.
static void dropMarks(func::FuncOp function) {
  function.walk([](Operation *op) {
    op->removeDiscardableAttr(FuseDialect::kMustFuseAttrName);
    op->removeDiscardableAttr(FuseDialect::kNeverFuseAttrName);
  });
}

/// Callers keep what they pass: no argument is written in place.
static void protectArguments(func::FuncOp function) {
  if (function.isExternal())
    return;
  StringRef name = bufferization::BufferizationDialect::kWritableAttrName;
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    if (isa<TensorType>(type) && !function.getArgAttr(index, name))
      function.setArgAttr(index, name,
                          BoolAttr::get(function.getContext(), false));
}

static LogicalResult bufferize(ModuleOp module) {
  bufferization::OneShotBufferizationOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.allowReturnAllocsFromLoops = true;
  options.allowUnknownOps = true;
  options.setFunctionBoundaryTypeConversion(
      bufferization::LayoutMapOption::IdentityLayoutMap);
  options.unknownTypeConverterFn =
      [](TensorType type, Attribute space,
         const bufferization::BufferizationOptions &) -> BaseMemRefType {
    return bufferization::getMemRefTypeWithStaticIdentityLayout(type, space);
  };
  bufferization::BufferizationState state;
  if (failed(bufferization::runOneShotModuleBufferize(module, options, state)))
    return failure();
  bufferization::removeBufferizationAttributesInModule(module);
  return success();
}

/// The buffer that `value` is a view of.
static Value getViewedBuffer(Value value) {
  while (ViewLikeOpInterface view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  return value;
}

/// Results are the caller's, each by itself: one buffer is not given twice.
/// (Not by `bufferization.clone`: where results are arguments, upstream takes
/// it for a mere allocation and drops the copy.)
static void separateResults(func::FuncOp function) {
  function.walk([](func::ReturnOp returnOp) {
    llvm::SmallDenseSet<Value> seen;
    OpBuilder builder(returnOp);
    Location loc = returnOp.getLoc();
    for (OpOperand &operand : returnOp->getOpOperands()) {
      Value value = operand.get();
      MemRefType type = dyn_cast<MemRefType>(value.getType());
      if (!type || seen.insert(getViewedBuffer(value)).second)
        continue;
      SmallVector<Value> sizes;
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        if (type.isDynamicDim(dim))
          sizes.push_back(memref::DimOp::create(builder, loc, value, dim));
      Value copy = memref::AllocOp::create(builder, loc, type, sizes,
                                           builder.getI64IntegerAttr(64));
      memref::CopyOp::create(builder, loc, value, copy);
      operand.set(copy);
    }
  });
}

namespace {
struct BufferizeHost : public fuse::impl::BufferizeHostPassBase<BufferizeHost> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (results != "returned" && results != "out-params") {
      module.emitError() << "expected option 'results' to be 'returned' or "
                            "'out-params', but got '"
                         << results << "'";
      return signalPassFailure();
    }
    if (failed(checkHostCode(module)))
      return signalPassFailure();
    SmallVector<func::FuncOp> functions = collectTensorFunctions(module);
    for (func::FuncOp function : functions) {
      replacePoison(function);
      separateDestinations(function);
      separateEdges(function);
      dropMarks(function);
      protectArguments(function);
    }
    if (functions.empty())
      return;
    if (failed(bufferize(module)))
      return signalPassFailure();
    for (func::FuncOp function : functions)
      separateResults(function);
    if (results == "out-params" && failed(passResultsOut(functions)))
      return signalPassFailure();
    if (failed(deallocate(functions)))
      return signalPassFailure();
  }

private:
  LogicalResult passResultsOut(ArrayRef<func::FuncOp> functions) {
    llvm::SmallDenseSet<Operation *> converted;
    for (func::FuncOp function : functions)
      converted.insert(function);
    bufferization::BufferResultsToOutParamsOpts options;
    options.filterFn = [&](func::FuncOp *function) {
      return converted.contains(*function);
    };
    // The mark tells later passes that the argument overlaps with no other.
    options.addResultAttribute = true;
    options.hoistStaticAllocs = true;
    options.modifyPublicFunctions = true;
    return bufferization::promoteBufferResultsToOutParams(getOperation(),
                                                          options);
  }

  LogicalResult deallocate(ArrayRef<func::FuncOp> functions) {
    SymbolTableCollection symbols;
    for (func::FuncOp function : functions)
      if (failed(deallocateBuffers(function, symbols)))
        return failure();
    return success();
  }
};
} // namespace
