// Gives every buffer that a kernel touches memory the device can reach, and
// turns launches, copies and allocations into operations of the GPU dialect.
#include "fuse-mlir/Conversion/Passes.h"

#include "ImportBuffers.h"
#include "fuse-mlir/IR/KernelBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_PLACEBUFFERSPASS
#include "fuse-mlir/Conversion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// Where the buffers of a class are.
enum class Place {
  Host,   // pageable memory of the host
  Device, // memory of the device
  Shared, // memory that both reach (managed)
  Given   // device memory that the caller owns
};

/// Places the buffers of one function.
class Placer {
public:
  Placer(FunctionOpInterface function, const DeviceUses &deviceUses)
      : function(function), deviceUses(deviceUses) {}

  /// Decides and rewrites.
  LogicalResult run();

private:
  // Decide for each class.
  Place decide(const BufferClasses::Class &entry);
  bool isHostUse(OpOperand &use) const;

  // Rewrite.
  void rewriteAlloc(memref::AllocOp alloc, Place place);
  void rewriteLaunch(LaunchOp launch);
  void rewriteReturn(Operation *op);
  LogicalResult stageHostUse(Operation *op);

  Place placeOf(Value buffer) const { return places.lookup(buffer); }
  bool isOnDevice(Value buffer) const { return placeOf(buffer) != Place::Host; }

  FunctionOpInterface function;
  const DeviceUses &deviceUses;
  DenseMap<Value, Place> places;
};

} // namespace

/// The same in device memory.
static Value allocateOnDevice(OpBuilder &builder, Location loc, Value buffer) {
  MemRefType type = cast<MemRefType>(buffer.getType());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(memref::DimOp::create(builder, loc, buffer, dim));
  return gpu::AllocOp::create(
             builder, loc,
             MemRefType::get(type.getShape(), type.getElementType()), Type(),
             ValueRange(), sizes, ValueRange())
      .getMemref();
}

static void copyOnDevice(OpBuilder &builder, Location loc, Value target,
                         Value source) {
  gpu::MemcpyOp::create(builder, loc, Type(), ValueRange(), target, source);
}

static void freeOnDevice(OpBuilder &builder, Location loc, Value buffer) {
  gpu::DeallocOp::create(builder, loc, Type(), ValueRange(), buffer);
}

bool Placer::isHostUse(OpOperand &use) const {
  BufferUse kind = classifyBufferUse(use);
  return kind == BufferUse::Host ||
         (kind == BufferUse::Call && !deviceUses.contains(use));
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

Place Placer::decide(const BufferClasses::Class &entry) {
  bool given = false, placeable = true;
  for (Value root : entry.roots) {
    BlockArgument argument = dyn_cast<BlockArgument>(root);
    if (argument && deviceUses.deviceMemory &&
        argument.getOwner() == &function.getFunctionBody().front())
      given = true;
    else if (!isa_and_nonnull<memref::AllocOp, gpu::AllocOp>(
                 root.getDefiningOp()))
      placeable = false;
  }
  if (!placeable)
    return Place::Host;
  if (given)
    return Place::Given;
  bool device = false, host = false;
  for (OpOperand *use : entry.uses) {
    device |= deviceUses.contains(*use);
    host |= isHostUse(*use);
  }
  if (!device)
    return Place::Host;
  return host ? Place::Shared : Place::Device;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

void Placer::rewriteAlloc(memref::AllocOp alloc, Place place) {
  OpBuilder builder(alloc);
  gpu::AllocOp created = gpu::AllocOp::create(
      builder, alloc.getLoc(), alloc.getType(), Type(), ValueRange(),
      alloc.getDynamicSizes(), alloc.getSymbolOperands(),
      /*hostShared=*/place == Place::Shared);
  places[created.getMemref()] = place;
  alloc.replaceAllUsesWith(created.getMemref());
  alloc.erase();
}

/// Kernels take the address of a buffer only. One of run-time sizes is passed
/// as its first element.
static Value passFirstElement(OpBuilder &builder, Location loc, Value value) {
  MemRefType type = dyn_cast<MemRefType>(value.getType());
  if (!type || type.hasStaticShape())
    return value;
  return memref::ReinterpretCastOp::create(
      builder, loc, MemRefType::get({}, type.getElementType()), value,
      /*offset=*/int64_t(0), /*sizes=*/ArrayRef<int64_t>(),
      /*strides=*/ArrayRef<int64_t>());
}

/// Emits a launch that does not happen if there are no blocks.
static void emitUnlessEmpty(OpBuilder &builder, Location loc, Value grid,
                            function_ref<void(OpBuilder &)> emit) {
  if (getConstantIntValue(grid))
    return emit(builder);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value some =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, grid, zero);
  scf::IfOp::create(builder, loc, some, [&](OpBuilder &inner, Location) {
    emit(inner);
    scf::YieldOp::create(inner, loc);
  });
}

void Placer::rewriteLaunch(LaunchOp launch) {
  OpBuilder builder(launch);
  Location loc = launch.getLoc();
  SmallVector<Value> operands;
  SmallVector<std::pair<Value, Value>> staged, written;
  for (OpOperand &operand : launch->getOpOperands()) {
    bool isOut = launch.isDpsInit(&operand);
    bool isIn = llvm::is_contained(
        llvm::make_pointer_range(launch.getInputsMutable()), &operand);
    if (!isIn && !isOut)
      continue;
    Value value = operand.get();
    if (isa<BaseMemRefType>(value.getType()) && !isOnDevice(value)) {
      Value copy = allocateOnDevice(builder, loc, value);
      if (isIn || isUpdate(launch, operand))
        copyOnDevice(builder, loc, copy, value);
      if (isOut)
        written.push_back({value, copy});
      staged.push_back({value, copy});
      value = copy;
    }
    operands.push_back(passFirstElement(builder, loc, value));
  }
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  emitUnlessEmpty(builder, loc, launch.getGrid(), [&](OpBuilder &inner) {
    gpu::LaunchFuncOp::create(inner, loc, launch.getKernel(),
                              gpu::KernelDim3{launch.getGrid(), one, one},
                              gpu::KernelDim3{launch.getBlock(), one, one},
                              launch.getDynamicSharedBytes(), operands);
  });
  for (auto [value, copy] : written)
    copyOnDevice(builder, loc, value, copy);
  for (auto [value, copy] : staged)
    freeOnDevice(builder, loc, copy);
  launch.erase();
}

/// The caller gets memory of its kind.
void Placer::rewriteReturn(Operation *op) {
  if (deviceUses.deviceMemory)
    return;
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (!isa<MemRefType>(value.getType()) || !isOnDevice(value) ||
        placeOf(value) == Place::Given)
      continue;
    Value copy = allocateLike(builder, op->getLoc(), value);
    copyOnDevice(builder, op->getLoc(), copy, value);
    freeOnDevice(builder, op->getLoc(), value);
    operand.set(copy);
  }
}

/// Lets host code that touches memory of the caller's device work on a copy.
LogicalResult Placer::stageHostUse(Operation *op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  DenseMap<Value, Value> copies;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (!isa<BaseMemRefType>(value.getType()) ||
        placeOf(value) != Place::Given ||
        classifyBufferUse(operand) != BufferUse::Host)
      continue;
    if (!isContiguousBuffer(value))
      return op->emitError() << "expected host code to touch contiguous device "
                                "buffers only, but got "
                             << value.getType();
    Value &copy = copies[value];
    builder.setInsertionPoint(op);
    if (!copy) {
      copy = allocateLike(builder, loc, value);
      copyOnDevice(builder, loc, copy, value);
      builder.setInsertionPointAfter(op);
      memref::DeallocOp::create(builder, loc, copy);
    }
    builder.setInsertionPointAfter(op);
    if (mayWriteBuffer(operand))
      copyOnDevice(builder, loc, value, copy);
    operand.set(copy);
  }
  return success();
}

LogicalResult Placer::run() {
  {
    BufferClasses classes(function);
    SmallVector<Place> decided;
    for (const BufferClasses::Class &entry : classes.classes())
      decided.push_back(decide(entry));
    function.walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (isa<BaseMemRefType>(operand.getType()))
          places[operand] = decided[classes.indexOf(operand)];
      for (Value result : op->getResults())
        if (isa<BaseMemRefType>(result.getType()))
          places[result] = decided[classes.indexOf(result)];
    });
  }
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    OpBuilder builder(op);
    Location loc = op->getLoc();
    if (memref::AllocOp alloc = dyn_cast<memref::AllocOp>(op)) {
      if (isOnDevice(alloc))
        rewriteAlloc(alloc, placeOf(alloc));
    } else if (memref::DeallocOp dealloc = dyn_cast<memref::DeallocOp>(op)) {
      if (!isOnDevice(dealloc.getMemref()))
        continue;
      freeOnDevice(builder, loc, dealloc.getMemref());
      dealloc.erase();
    } else if (memref::CopyOp copy = dyn_cast<memref::CopyOp>(op)) {
      if (!isOnDevice(copy.getSource()) && !isOnDevice(copy.getTarget()))
        continue;
      if (classifyBufferUse(op->getOpOperand(0)) == BufferUse::Copy) {
        copyOnDevice(builder, loc, copy.getTarget(), copy.getSource());
        copy.erase();
      } else if (failed(stageHostUse(op))) {
        return failure();
      }
    } else if (LaunchOp launch = dyn_cast<LaunchOp>(op)) {
      rewriteLaunch(launch);
    } else if (op->hasTrait<OpTrait::ReturnLike>() &&
               op->getParentOp() == function) {
      rewriteReturn(op);
    } else if (failed(stageHostUse(op))) {
      return failure();
    }
  }
  return success();
}

namespace {
struct PlaceBuffers : public fuse::impl::PlaceBuffersPassBase<PlaceBuffers> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (memory != "host" && memory != "device") {
      module.emitError() << "expected option 'memory' to be 'host' or "
                            "'device', but got '"
                         << memory << "'";
      return signalPassFailure();
    }
    if (failed(checkBufferized()))
      return signalPassFailure();
    module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                    UnitAttr::get(module.getContext()));
    SymbolTableCollection symbols;
    DeviceFunctions functions = collectDeviceFunctions(symbols);
    DeviceUses deviceUses{memory == "device", functions, symbols};
    SmallVector<FunctionOpInterface> placed(
        llvm::make_filter_range(module.getOps<FunctionOpInterface>(),
                                [&](FunctionOpInterface function) {
                                  return functions.contains(function);
                                }));
    // All before any is rewritten: it looks into callees.
    for (FunctionOpInterface function : placed)
      importBuffers(function, deviceUses);
    for (FunctionOpInterface function : placed)
      if (failed(Placer(function, deviceUses).run()))
        return signalPassFailure();
  }

private:
  /// Launches are about buffers by now.
  LogicalResult checkBufferized() {
    WalkResult result = getOperation().walk([](LaunchOp launch) {
      if (llvm::none_of(launch->getOperandTypes(), llvm::IsaPred<TensorType>))
        return WalkResult::advance();
      launch.emitError("expected a launch on buffers, but got tensors: run "
                       "'fuse-bufferize-host' before");
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  /// Functions that launch kernels; where arguments are device memory, also
  /// those that call such functions.
  DeviceFunctions collectDeviceFunctions(SymbolTableCollection &symbols) {
    DeviceFunctions found;
    bool changed = true;
    while (changed) {
      changed = false;
      for (FunctionOpInterface function :
           getOperation().getOps<FunctionOpInterface>()) {
        if (found.contains(function) || function.isExternal())
          continue;
        WalkResult result = function.walk([&](Operation *op) {
          bool isDevice =
              isa<LaunchOp>(op) ||
              (memory == "device" && found.contains(getCallee(op, symbols)));
          return isDevice ? WalkResult::interrupt() : WalkResult::advance();
        });
        if (result.wasInterrupted())
          changed |= found.insert(function).second;
      }
    }
    return found;
  }
};
} // namespace
