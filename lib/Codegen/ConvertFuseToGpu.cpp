// convert-fuse-to-gpu: kernels become device functions and launches.
#include "fuse-mlir/Codegen/Passes.h"

#include "EqualKernels.h"
#include "HostSizes.h"
#include "fuse-mlir/Codegen/KernelCodegen.h"
#include "fuse-mlir/Codegen/MathExpansions.h"
#include "fuse-mlir/IR/KernelBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_CONVERTFUSETOGPUPASS
#include "fuse-mlir/Codegen/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// PTX reads these as instructions.
static bool isPtxKeyword(StringRef name) {
  static const llvm::StringSet<> keywords = {
      "abs",  "add",  "and",   "atom", "bar",  "bfe",   "bfi",  "bra",  "brev",
      "call", "clz",  "cnot",  "cos",  "cvt",  "cvta",  "div",  "ex2",  "exit",
      "fma",  "fns",  "ld",    "ldu",  "lg2",  "mad",   "max",  "min",  "mma",
      "mov",  "mul",  "neg",   "not",  "or",   "popc",  "prmt", "rcp",  "red",
      "rem",  "ret",  "rsqrt", "sad",  "selp", "set",   "setp", "shf",  "shfl",
      "shl",  "shr",  "sin",   "slct", "sqrt", "st",    "sub",  "tanh", "testp",
      "tex",  "trap", "vote",  "xor",  "func", "entry", "main"};
  return keywords.contains(name);
}

/// A name that PTX, C and JSON all take.
static std::string sanitizeName(StringRef name) {
  std::string result;
  for (char c : name)
    result += llvm::isAlnum(c) || c == '_' ? c : '_';
  if (result.empty() || !llvm::isAlpha(result.front()) || isPtxKeyword(result))
    result = "k_" + result;
  return result;
}

/// An operand without elements is not read and not passed on.
static bool isPassed(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return !tensor || !tensor.hasStaticShape() || tensor.getNumElements() != 0;
}

/// The type of a device function's argument for a kernel operand. A tensor of
/// run-time sizes is its first element: the sizes are passed once, whatever the
/// number of tensors that have them.
static Type getArgumentType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return type;
  ArrayRef<int64_t> shape = tensor.getShape();
  return MemRefType::get(tensor.hasStaticShape() ? shape : ArrayRef<int64_t>(),
                         tensor.getElementType());
}

static LogicalResult checkTypes(KernelOp kernel) {
  for (Type type : kernel.getBody().getArgumentTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    Type element = getElementTypeOrSelf(type);
    if (!element.isIntOrIndexOrFloat() ||
        (isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 16 &&
         !isNarrowFloat(element)))
      return kernel.emitOpError(
                 "expected integers, f8E4M3FN, f8E5M2, or floats of 16 bits or "
                 "more, but got ")
             << type;
    if (!element.isIndex() && !element.isInteger(1) &&
        element.getIntOrFloatBitWidth() % 8 != 0)
      return kernel.emitOpError("expected elements of whole bytes, but got ")
             << type;
    if (tensor && tensor.getEncoding())
      return kernel.emitOpError("expected dense tensors, but got ") << type;
  }
  return success();
}

/// The location of `op`, or of what it is in: bodies that upstream builds have
/// none.
static Location getKnownLoc(Operation *op) {
  while (isa<UnknownLoc>(op->getLoc()) && op->getParentOp())
    op = op->getParentOp();
  return op->getLoc();
}

/// Narrow floats are stored, moved, and converted: nothing else is computed in
/// them.
static LogicalResult checkNarrowFloats(KernelOp kernel) {
  WalkResult result = kernel.getBody().walk([&](Operation *op) {
    if (isa<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp,
            arith::FPToSIOp, arith::FPToUIOp, arith::BitcastOp, arith::SelectOp,
            arith::ConstantOp>(op) ||
        op->hasTrait<OpTrait::IsTerminator>() || op->getNumRegions() != 0 ||
        !isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
            op->getDialect()))
      return WalkResult::advance();
    for (TypeRange types :
         {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
      for (Type type : types)
        if (isNarrowFloat(getElementTypeOrSelf(type))) {
          emitError(getKnownLoc(op))
              << "'" << op->getName() << "' op has no code generation for "
              << getElementTypeOrSelf(type) << "; compute in a wider type";
          return WalkResult::interrupt();
        }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

static FailureOr<GroupShape> analyzeKernel(KernelOp kernel) {
  KernelBody body(kernel);
  RuleViolation why;
  FailureOr<GroupShape> shape = analyzeGroup(body.ops, body.outputs, &why);
  if (failed(shape))
    kernel.emitOpError("cannot be one kernel: ")
        << why.message << " (" << why.rule << ")";
  return shape;
}

static LogicalResult checkSchedule(KernelOp kernel, const GroupShape &shape,
                                   ScheduleAttr schedule) {
  // Where sizes are not known the real grid is that of the host.
  if (shape.sizes.isStatic() && schedule.getGrid() > INT32_MAX)
    return kernel.emitOpError("expected at most 2^31 - 1 blocks, but got ")
           << schedule.getGrid();
  if (schedule.getParts().size() != shape.parts.size())
    return kernel.emitOpError("expected a schedule of ")
           << shape.parts.size() << " part(s), but got one of "
           << schedule.getParts().size();
  if (schedule.getPath() == shape.path && schedule.getRows() == shape.rows &&
      schedule.getColumns() == shape.columns) {
    for (auto [part, own] : llvm::zip(shape.parts, schedule.getParts()))
      if (failed(checkSchedule(kernel, part.shape, own)))
        return failure();
    return success();
  }
  return kernel.emitOpError("expected a schedule for path ")
         << stringifyKernelPath(shape.path) << " and " << shape.rows << " x "
         << shape.columns << " elements, but got "
         << stringifyKernelPath(schedule.getPath()) << " and "
         << schedule.getRows() << " x " << schedule.getColumns();
}

namespace {
/// A device function and what a launch of it needs.
struct DeviceFunction {
  gpu::GPUFuncOp function;
  GroupShape shape;
  SmallVector<MemRefType> scratch;
  int64_t dynamicSharedBytes;
};

class ConvertFuseToGpu
    : public fuse::impl::ConvertFuseToGpuPassBase<ConvertFuseToGpu> {
  void runOnOperation() override;
};

/// Converts the kernels of one module. Kernels are erased last: later ones may
/// be equal to them.
class KernelConverter {
public:
  explicit KernelConverter(gpu::GPUModuleOp module)
      : module(module), symbols(module) {}

  LogicalResult convert(KernelOp kernel);

private:
  FailureOr<const DeviceFunction *> getFunction(KernelOp kernel);
  FailureOr<DeviceFunction> emitFunction(KernelOp kernel);
  FailureOr<SmallVector<Value>> emitLaunchSizes(KernelOp kernel,
                                                const DeviceFunction &device);

  gpu::GPUModuleOp module;
  SymbolTable symbols;
  EqualKernels equal;
  llvm::DenseMap<KernelOp, DeviceFunction> functions;
};
} // namespace

/// Elements of a scratch buffer for the blocks that there are.
static Value emitScratchSize(OpBuilder &builder, Location loc, MemRefType most,
                             Value grid) {
  Value blocks = arith::MinUIOp::create(
      builder, loc, grid,
      arith::ConstantIndexOp::create(builder, loc, kMostSharingBlocks));
  return arith::MulIOp::create(
      builder, loc, blocks,
      arith::ConstantIndexOp::create(
          builder, loc, most.getNumElements() / kMostSharingBlocks));
}

static void replaceByLaunch(KernelOp kernel, const DeviceFunction &device,
                            ArrayRef<Value> sizes, gpu::GPUModuleOp module) {
  OpBuilder builder(kernel);
  Location loc = kernel.getLoc();
  ScheduleAttr schedule = *kernel.getSchedule();
  SymbolRefAttr symbol = SymbolRefAttr::get(
      module.getNameAttr(), {FlatSymbolRefAttr::get(device.function)});
  Value grid = emitGrid(builder, loc, device.shape, schedule, sizes);
  Value block =
      arith::ConstantIndexOp::create(builder, loc, schedule.getThreads());
  Value shared;
  if (device.dynamicSharedBytes)
    shared = arith::ConstantIntOp::create(builder, loc, builder.getI32Type(),
                                          device.dynamicSharedBytes);
  SmallVector<Value> inputs = llvm::to_vector(llvm::make_filter_range(
      kernel.getInputs(), [](Value v) { return isPassed(v.getType()); }));
  llvm::append_range(inputs, sizes);
  SmallVector<Value> outs(kernel.getOuts());
  for (MemRefType type : device.scratch) {
    OpFoldResult size = builder.getIndexAttr(type.getNumElements());
    if (!device.shape.sizes.isStatic())
      size = emitScratchSize(builder, loc, type, grid);
    outs.push_back(
        tensor::EmptyOp::create(builder, loc, size, type.getElementType()));
  }
  SmallVector<int32_t> updates;
  for (unsigned i = 0; i < kernel.getNumResults(); ++i)
    if (getUpdate(kernel, i))
      updates.push_back(i);
  LaunchOp launch = LaunchOp::create(builder, loc, ValueRange(outs).getTypes(),
                                     symbol, grid, block, shared, inputs, outs);
  launch->setDiscardableAttrs(kernel->getDiscardableAttrDictionary());
  launch->setAttr(kKernelNameAttrName,
                  builder.getStringAttr(sanitizeName(kernel.getKernelName())));
  if (!updates.empty())
    launch->setAttr(kUpdatesAttrName, builder.getDenseI32ArrayAttr(updates));
  kernel.replaceAllUsesWith(
      launch.getOutputs().take_front(kernel.getNumResults()));
}

/// The arguments of the device function of `kernel`.
static SmallVector<Type> getArgumentTypes(KernelOp kernel,
                                          const DeviceFunction &device) {
  SmallVector<Type> types;
  unsigned inputs = kernel.getInputs().size();
  const TensorSizes &sizes = device.shape.sizes;
  for (auto [i, type] : llvm::enumerate(kernel.getBody().getArgumentTypes())) {
    if (i == inputs)
      types.append(sizes.getNumSymbols(), IndexType::get(kernel.getContext()));
    if (i >= inputs || isPassed(type))
      types.push_back(getArgumentType(type));
  }
  for (MemRefType type : device.scratch)
    types.push_back(
        sizes.isStatic() ? type : MemRefType::get({}, type.getElementType()));
  return types;
}

FailureOr<DeviceFunction> KernelConverter::emitFunction(KernelOp kernel) {
  if (!kernel.getSchedule())
    return kernel.emitOpError("expected a schedule, but got none; run "
                              "'fuse-select-schedules' first");
  FailureOr<GroupShape> shape = analyzeKernel(kernel);
  if (failed(shape) ||
      failed(checkSchedule(kernel, *shape, *kernel.getSchedule())))
    return failure();
  ScheduleAttr schedule = *kernel.getSchedule();
  OpBuilder builder(module.getContext());
  DeviceFunction device = {nullptr, std::move(*shape), {}, 0};
  device.scratch = getScratchTypes(device.shape, schedule);
  device.function = gpu::GPUFuncOp::create(
      builder, kernel.getLoc(), sanitizeName(kernel.getKernelName()),
      builder.getFunctionType(getArgumentTypes(kernel, device), {}));
  device.function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                           builder.getUnitAttr());
  device.function.setKnownBlockSize(
      ArrayRef<int32_t>{static_cast<int32_t>(schedule.getThreads()), 1, 1});
  if (device.shape.sizes.isStatic())
    device.function.setKnownGridSize(
        ArrayRef<int32_t>{static_cast<int32_t>(schedule.getGrid()), 1, 1});
  symbols.insert(device.function);
  FailureOr<int64_t> dynamicShared =
      emitKernel(kernel, device.shape, device.function);
  if (failed(dynamicShared))
    return failure();
  device.dynamicSharedBytes = *dynamicShared;
  return device;
}

FailureOr<const DeviceFunction *>
KernelConverter::getFunction(KernelOp kernel) {
  KernelOp first = equal.getFirst(kernel);
  auto it = functions.find(first);
  if (it == functions.end()) {
    FailureOr<DeviceFunction> device = emitFunction(kernel);
    if (failed(device))
      return failure();
    it = functions.try_emplace(first, std::move(*device)).first;
  }
  return &it->second;
}

/// Host code for the sizes that a launch passes on: from operands of `kernel`,
/// not of the one that the function was made for.
FailureOr<SmallVector<Value>>
KernelConverter::emitLaunchSizes(KernelOp kernel,
                                 const DeviceFunction &device) {
  if (device.shape.sizes.isStatic())
    return SmallVector<Value>();
  FailureOr<GroupShape> shape = analyzeKernel(kernel);
  if (failed(shape))
    return failure();
  return emitSizes(kernel, shape->sizes);
}

LogicalResult KernelConverter::convert(KernelOp kernel) {
  if (failed(checkTypes(kernel)) || failed(checkNarrowFloats(kernel)))
    return failure();
  if (llvm::all_of(kernel.getResultTypes(), [](Type type) {
        auto tensor = cast<RankedTensorType>(type);
        return tensor.hasStaticShape() && tensor.getNumElements() == 0;
      })) {
    kernel.replaceAllUsesWith(kernel.getOuts());
    return success();
  }
  FailureOr<const DeviceFunction *> device = getFunction(kernel);
  if (failed(device))
    return failure();
  FailureOr<SmallVector<Value>> sizes = emitLaunchSizes(kernel, **device);
  if (failed(sizes))
    return failure();
  replaceByLaunch(kernel, **device, *sizes, module);
  return success();
}

void ConvertFuseToGpu::runOnOperation() {
  ModuleOp top = getOperation();
  SmallVector<KernelOp> kernels;
  top.walk([&](KernelOp kernel) { kernels.push_back(kernel); });
  if (kernels.empty())
    return;
  OpBuilder builder = OpBuilder::atBlockEnd(top.getBody());
  gpu::GPUModuleOp module =
      gpu::GPUModuleOp::create(builder, top.getLoc(), "fuse_kernels");
  SymbolTable(top).insert(module);
  KernelConverter converter(module);
  for (KernelOp kernel : kernels) {
    // Where operators stood in the input is no part of what they compute.
    kernel.getBody().walk([](Operation *op) {
      op->removeDiscardableAttr(FuseDialect::kOrdinalAttrName);
    });
    if (failed(converter.convert(kernel)))
      return signalPassFailure();
  }
  for (KernelOp kernel : kernels)
    kernel.erase();
  if (module.getBody()->empty())
    module.erase();
  else
    top->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                 builder.getUnitAttr());
}
