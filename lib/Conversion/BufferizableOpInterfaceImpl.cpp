// Bufferization of `fuse.launch` and `fuse.boundary`. A launch reads its `ins`
// and overwrites its `outs`; the kernel's arguments have identity layout, so
// that strided buffers are copied before (ins) or after (outs) the launch.
#include "fuse-mlir/Conversion/BufferizableOpInterfaceImpl.h"

#include "fuse-mlir/IR/KernelBody.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::bufferization;

namespace {

/// Gives an uninitialized buffer of the shape of `buffer`, identity layout.
FailureOr<Value> allocateLike(RewriterBase &rewriter, Location loc,
                              Value buffer,
                              const BufferizationOptions &options) {
  MemRefType type = cast<MemRefType>(buffer.getType());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(memref::DimOp::create(rewriter, loc, buffer, dim));
  return options.createAlloc(
      rewriter, loc, MemRefType::get(type.getShape(), type.getElementType()),
      sizes);
}

bool isIdentity(Value buffer) {
  MemRefType type = dyn_cast<MemRefType>(buffer.getType());
  return type && type.getLayout().isIdentity() && !type.getMemorySpace();
}

struct LaunchOpModel
    : public DstBufferizableOpInterfaceExternalModel<LaunchOpModel,
                                                     fuse::LaunchOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &state) const {
    fuse::LaunchOp launch = cast<fuse::LaunchOp>(op);
    return !launch.isDpsInit(&operand) || fuse::isUpdate(launch, operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    fuse::LaunchOp launch = cast<fuse::LaunchOp>(op);
    Location loc = op->getLoc();
    rewriter.setInsertionPoint(op);
    SmallVector<Value> ins, outs, results;
    for (Value input : launch.getInputs()) {
      FailureOr<Value> buffer = readable(rewriter, loc, input, options, state);
      if (failed(buffer))
        return failure();
      ins.push_back(*buffer);
    }
    for (auto [number, output] : llvm::enumerate(launch.getOuts())) {
      FailureOr<Value> buffer = bufferOf(rewriter, output, options, state);
      if (failed(buffer))
        return failure();
      results.push_back(*buffer);
      if (!isIdentity(*buffer)) {
        buffer = allocateLike(rewriter, loc, *buffer, options);
        if (failed(buffer) ||
            (llvm::is_contained(fuse::getUpdates(launch), number) &&
             failed(options.createMemCpy(rewriter, loc, results.back(),
                                         *buffer))))
          return failure();
      }
      outs.push_back(*buffer);
    }
    fuse::LaunchOp::create(rewriter, loc, TypeRange(), launch.getKernel(),
                           launch.getGrid(), launch.getBlock(),
                           launch.getDynamicSharedBytes(), ins, outs)
        ->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    for (auto [result, out] : llvm::zip_equal(results, outs))
      if (result != out &&
          failed(options.createMemCpy(rewriter, loc, out, result)))
        return failure();
    replaceOpWithBufferizedValues(rewriter, op, results);
    return success();
  }

private:
  static FailureOr<Value> bufferOf(RewriterBase &rewriter, Value value,
                                   const BufferizationOptions &options,
                                   const BufferizationState &state) {
    if (!isa<TensorType>(value.getType()))
      return value;
    return getBuffer(rewriter, value, options, state);
  }

  /// The buffer of `value`, or a contiguous copy of it.
  static FailureOr<Value> readable(RewriterBase &rewriter, Location loc,
                                   Value value,
                                   const BufferizationOptions &options,
                                   const BufferizationState &state) {
    FailureOr<Value> buffer = bufferOf(rewriter, value, options, state);
    if (failed(buffer) || !isa<BaseMemRefType>(buffer->getType()) ||
        isIdentity(*buffer))
      return buffer;
    FailureOr<Value> copy = allocateLike(rewriter, loc, *buffer, options);
    if (failed(copy) ||
        failed(options.createMemCpy(rewriter, loc, *buffer, *copy)))
      return failure();
    return copy;
  }
};

struct BoundaryOpModel
    : public BufferizableOpInterface::ExternalModel<BoundaryOpModel,
                                                    fuse::BoundaryOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &state) const {
    return false;
  }

  bool bufferizesToMemoryWrite(Operation *op, OpOperand &operand,
                               const AnalysisState &state) const {
    return false;
  }

  AliasingValueList getAliasingValues(Operation *op, OpOperand &operand,
                                      const AnalysisState &state) const {
    return {{op->getResult(0), BufferRelation::Equivalent}};
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    FailureOr<Value> buffer =
        getBuffer(rewriter, op->getOperand(0), options, state);
    if (failed(buffer))
      return failure();
    replaceOpWithBufferizedValues(rewriter, op, *buffer);
    return success();
  }
};

} // namespace

void fuse::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, FuseDialect *) {
    LaunchOp::attachInterface<LaunchOpModel>(*context);
    BoundaryOp::attachInterface<BoundaryOpModel>(*context);
    context->loadDialect<memref::MemRefDialect>();
  });
}
