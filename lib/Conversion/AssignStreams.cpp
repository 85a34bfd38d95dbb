// Makes the GPU operations of each function asynchronous on one stream and
// lets the host wait where it touches what the device works on.
#include "fuse-mlir/Conversion/Passes.h"

#include "BufferClasses.h"
#include "fuse-mlir/IR/FuseOps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/CallInterfaces.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_ASSIGNSTREAMSPASS
#include "fuse-mlir/Conversion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

// The runtime's functions for streams. (`gpu.wait` would not do: it destroys
// the stream it waits for, and `gpu-to-llvm` records the event of
// `gpu.wait async` where the stream is made, not where the operation stands.)
static constexpr StringLiteral kCreateName = "mgpuStreamCreate";
static constexpr StringLiteral kSynchronizeName = "mgpuStreamSynchronize";
static constexpr StringLiteral kDestroyName = "mgpuStreamDestroy";

static bool isStreamOp(Operation *op) {
  return isa<gpu::LaunchFuncOp, gpu::MemcpyOp, gpu::MemsetOp, gpu::AllocOp,
             gpu::DeallocOp>(op);
}

namespace {

/// Rewrites one function.
class StreamAssigner {
public:
  StreamAssigner(FunctionOpInterface function, bool ownStream)
      : function(function), ownStream(ownStream) {}

  void run();

private:
  Value callRuntime(OpBuilder &builder, StringRef name, Type result,
                    ValueRange operands);
  void createStream();
  void visitBlock(Block &block, bool &pending);
  void visitOp(Operation *op, bool &pending);
  void enqueue(Operation *op);
  void findHostUses();
  void waitBefore(Operation *op);
  bool hasStreamOp(Operation *op) const;

  FunctionOpInterface function;
  bool ownStream;
  /// Host operations that read, write or free memory the device works on.
  llvm::DenseSet<Operation *> hostUses;
  Value stream, token;
};

} // namespace

/// Calls a function of the runtime, which is declared if need be.
Value StreamAssigner::callRuntime(OpBuilder &builder, StringRef name,
                                  Type result, ValueRange operands) {
  ModuleOp module = function->getParentOfType<ModuleOp>();
  LLVM::LLVMFuncOp callee = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!callee) {
    OpBuilder atEnd = OpBuilder::atBlockEnd(module.getBody());
    callee = LLVM::LLVMFuncOp::create(
        atEnd, module.getLoc(), name,
        LLVM::LLVMFunctionType::get(result,
                                    llvm::to_vector(operands.getTypes())));
  }
  LLVM::CallOp call =
      LLVM::CallOp::create(builder, function.getLoc(), callee, operands);
  return call.getNumResults() ? call.getResult() : Value();
}

/// Makes the stream on entry, and the token that names it.
void StreamAssigner::createStream() {
  OpBuilder builder =
      OpBuilder::atBlockBegin(&function.getFunctionBody().front());
  Location loc = function.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(function.getContext());
  stream = ownStream ? callRuntime(builder, kCreateName, pointer, ValueRange())
                     : LLVM::ZeroOp::create(builder, loc, pointer).getResult();
  token =
      UnrealizedConversionCastOp::create(
          builder, loc, gpu::AsyncTokenType::get(function.getContext()), stream)
          .getResult(0);
}

/// Puts a synchronous operation on the stream.
void StreamAssigner::enqueue(Operation *op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Type type = token.getType();
  Operation *created = nullptr;
  if (gpu::AllocOp alloc = dyn_cast<gpu::AllocOp>(op)) {
    // Managed memory cannot be allocated in stream order.
    if (alloc.getHostShared())
      return;
    created = gpu::AllocOp::create(builder, loc, alloc.getMemref().getType(),
                                   type, token, alloc.getDynamicSizes(),
                                   alloc.getSymbolOperands());
    alloc.getMemref().replaceAllUsesWith(created->getResult(0));
  } else if (gpu::DeallocOp dealloc = dyn_cast<gpu::DeallocOp>(op)) {
    created =
        gpu::DeallocOp::create(builder, loc, type, token, dealloc.getMemref());
  } else if (gpu::MemcpyOp copy = dyn_cast<gpu::MemcpyOp>(op)) {
    created = gpu::MemcpyOp::create(builder, loc, type, token, copy.getDst(),
                                    copy.getSrc());
  } else if (gpu::MemsetOp set = dyn_cast<gpu::MemsetOp>(op)) {
    created = gpu::MemsetOp::create(builder, loc, type, token, set.getDst(),
                                    set.getValue());
  } else {
    gpu::LaunchFuncOp launch = cast<gpu::LaunchFuncOp>(op);
    created = gpu::LaunchFuncOp::create(
        builder, loc, launch.getKernel(), launch.getGridSizeOperandValues(),
        launch.getBlockSizeOperandValues(), launch.getDynamicSharedMemorySize(),
        launch.getKernelOperands(), type, token);
  }
  created->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op->erase();
}

/// The host waits for all that is on the stream so far.
void StreamAssigner::waitBefore(Operation *op) {
  OpBuilder builder(op);
  callRuntime(builder, kSynchronizeName,
              LLVM::LLVMVoidType::get(function.getContext()), stream);
}

/// Whether the use is host code that needs the contents, or frees them.
static bool isHostAccess(OpOperand &operand) {
  switch (classifyBufferUse(operand)) {
  case BufferUse::Forward:
  case BufferUse::Inspect:
  case BufferUse::Launch:
  case BufferUse::Device:
    return false;
  case BufferUse::Copy:
  case BufferUse::Free:
  case BufferUse::Return:
  case BufferUse::Call:
  case BufferUse::Host:
    return true;
  }
  return true;
}

void StreamAssigner::findHostUses() {
  BufferClasses classes(function);
  for (const BufferClasses::Class &entry : classes.classes()) {
    bool onDevice = llvm::any_of(
        entry.uses, [](OpOperand *use) { return isStreamOp(use->getOwner()); });
    for (OpOperand *use : entry.uses)
      if (onDevice && isHostAccess(*use))
        hostUses.insert(use->getOwner());
  }
}

bool StreamAssigner::hasStreamOp(Operation *op) const {
  return op
      ->walk([&](Operation *nested) {
        bool found =
            isStreamOp(nested) || (!ownStream && isa<CallOpInterface>(nested));
        return found ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

void StreamAssigner::visitOp(Operation *op, bool &pending) {
  bool isReturn = op->hasTrait<OpTrait::ReturnLike>() &&
                  op->getParentOp() == function.getOperation();
  if (isReturn) {
    if (ownStream || (pending && hostUses.contains(op)))
      waitBefore(op);
    if (ownStream) {
      OpBuilder builder(op);
      callRuntime(builder, kDestroyName,
                  LLVM::LLVMVoidType::get(function.getContext()), stream);
    }
    return;
  }
  if (isStreamOp(op)) {
    pending |= !isa<gpu::AllocOp, gpu::DeallocOp>(op);
    return enqueue(op);
  }
  if (pending && hostUses.contains(op)) {
    waitBefore(op);
    pending = false;
  }
  // On the default stream, a callee leaves its work for others to wait for.
  if (!ownStream && isa<CallOpInterface>(op))
    pending = true;
  if (op->getNumRegions() == 0)
    return;
  // A region may run after itself: something may be on the stream on entry.
  bool launches = hasStreamOp(op);
  bool before = pending || launches;
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      bool inside = before;
      visitBlock(block, inside);
    }
  pending = before;
}

void StreamAssigner::visitBlock(Block &block, bool &pending) {
  for (Operation &op : llvm::make_early_inc_range(block))
    visitOp(&op, pending);
}

void StreamAssigner::run() {
  findHostUses();
  bool entry = true;
  SmallVector<Block *> blocks = llvm::to_vector(
      llvm::make_pointer_range(function.getFunctionBody().getBlocks()));
  createStream();
  for (Block *block : blocks) {
    bool pending = !entry;
    visitBlock(*block, pending);
    entry = false;
  }
}

namespace {
struct AssignStreams : public fuse::impl::AssignStreamsPassBase<AssignStreams> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (stream != "own" && stream != "default") {
      module.emitError() << "expected option 'stream' to be 'own' or "
                            "'default', but got '"
                         << stream << "'";
      return signalPassFailure();
    }
    for (FunctionOpInterface function : module.getOps<FunctionOpInterface>())
      if (launchesSynchronously(function))
        StreamAssigner(function, stream == "own").run();
  }

private:
  /// Functions whose author threaded tokens himself are left alone.
  static bool launchesSynchronously(FunctionOpInterface function) {
    bool found = false;
    function.walk([&](Operation *op) {
      if (isStreamOp(op))
        found |= !cast<gpu::AsyncOpInterface>(op).getAsyncToken();
    });
    return found;
  }
};
} // namespace
