// Tells LLVM what we know of a kernel's buffers: aligned, read-only, apart.
#include "fuse-mlir/Conversion/Passes.h"

#include "BufferClasses.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_ANNOTATEKERNELSPASS
#include "fuse-mlir/Conversion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// What launches pass on and how a vector access wants it.
static constexpr int64_t kBufferAlignment = 16;

namespace {

/// How the kernel's body uses one of its buffers.
struct Access {
  bool reads = false, writes = false;
};

/// What is known of a kernel and all of its launches.
struct KernelFacts {
  SmallVector<Access> accesses;
  /// For each argument: whether no other argument that is written, and no
  /// other one at all if this is written, may be the same memory.
  SmallVector<bool> apart;
};

struct AnnotateKernels
    : public fuse::impl::AnnotateKernelsPassBase<AnnotateKernels> {
  using Base::Base;
  void runOnOperation() override;
};

} // namespace

/// How `argument` is used, through views; unknown operations do both.
static Access collectAccess(Value argument, const BufferClasses &classes) {
  Access access;
  for (Value value : classes.reachableFrom(argument))
    for (OpOperand &use : value.getUses()) {
      BufferUse kind = classifyBufferUse(use);
      if (kind == BufferUse::Forward || isa<memref::DimOp>(use.getOwner()))
        continue;
      MemoryEffectOpInterface effects =
          dyn_cast<MemoryEffectOpInterface>(use.getOwner());
      SmallVector<MemoryEffects::EffectInstance> instances;
      if (effects)
        effects.getEffectsOnValue(value, instances);
      // Its address, for instance, can be used in any way.
      if (instances.empty())
        access.reads = access.writes = true;
      for (MemoryEffects::EffectInstance &instance : instances) {
        bool isRead = isa<MemoryEffects::Read>(instance.getEffect());
        access.reads |= isRead;
        access.writes |= !isRead;
      }
    }
  return access;
}

/// The one allocation that `value` can be, or nothing. A result that the
/// caller passes as an argument counts: it overlaps with nothing else.
static Value getAllocation(Value value, const BufferClasses &classes) {
  const BufferClasses::Class &entry = classes.lookup(value);
  if (entry.roots.size() != 1)
    return nullptr;
  Value root = entry.roots.front();
  if (BlockArgument argument = dyn_cast<BlockArgument>(root))
    if (FunctionOpInterface function =
            dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp()))
      return function.getArgAttr(argument.getArgNumber(), "bufferize.result")
                 ? root
                 : nullptr;
  return isa_and_nonnull<gpu::AllocOp, memref::AllocOp>(root.getDefiningOp())
             ? root
             : nullptr;
}

/// Narrows `facts.apart` to what holds in this launch.
static void checkLaunch(gpu::LaunchFuncOp launch, const BufferClasses &classes,
                        KernelFacts &facts) {
  OperandRange operands = launch.getKernelOperands();
  SmallVector<Value> allocations(operands.size());
  SmallVector<bool> isBuffer(operands.size());
  for (auto [index, operand] : llvm::enumerate(operands)) {
    isBuffer[index] = isa<BaseMemRefType>(operand.getType());
    if (isBuffer[index])
      allocations[index] = getAllocation(operand, classes);
  }
  for (size_t i = 0; i < operands.size(); ++i)
    for (size_t j = 0; j < operands.size(); ++j) {
      bool matters = i != j && isBuffer[i] && isBuffer[j] &&
                     (facts.accesses[i].writes || facts.accesses[j].writes);
      // A fresh allocation is different from whatever else there is, unless
      // that is (part of) the same class.
      bool differ =
          (allocations[i] || allocations[j]) &&
          (isBuffer[i] && isBuffer[j] &&
           classes.indexOf(operands[i]) != classes.indexOf(operands[j]));
      if (matters && !differ)
        facts.apart[i] = false;
    }
}

/// The alignment that the compiler may rely on. LLVM turns a load of three
/// aligned elements into one of four, which must not leave the buffer: so no
/// more than what divides its size.
static int64_t getUsableAlignment(MemRefType type) {
  int64_t align = kBufferAlignment;
  if (!type.hasStaticShape() || !type.getElementType().isIntOrIndexOrFloat())
    return align;
  int64_t bits =
      type.getElementType().isIndex() ? 64 : type.getElementTypeBitWidth();
  int64_t bytes = type.getNumElements() * llvm::divideCeil(bits, 8);
  while (bytes % align != 0)
    align /= 2;
  return align;
}

static void annotate(gpu::GPUFuncOp kernel, const KernelFacts &facts) {
  OpBuilder builder(kernel.getContext());
  for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    MemRefType buffer = dyn_cast<MemRefType>(type);
    if (!buffer || !buffer.getLayout().isIdentity())
      continue;
    kernel.setArgAttr(index, "llvm.align",
                      builder.getI64IntegerAttr(getUsableAlignment(buffer)));
    const Access &access = facts.accesses[index];
    if (!access.writes)
      kernel.setArgAttr(index, "llvm.readonly", builder.getUnitAttr());
    else if (!access.reads)
      kernel.setArgAttr(index, "llvm.writeonly", builder.getUnitAttr());
    if (facts.apart[index])
      kernel.setArgAttr(index, "llvm.noalias", builder.getUnitAttr());
  }
}

void AnnotateKernels::runOnOperation() {
  ModuleOp module = getOperation();
  SymbolTableCollection symbols;
  llvm::MapVector<gpu::GPUFuncOp, KernelFacts> kernels;
  for (FunctionOpInterface function : module.getOps<FunctionOpInterface>()) {
    if (function.isExternal())
      continue;
    SmallVector<gpu::LaunchFuncOp> launches;
    function.walk([&](gpu::LaunchFuncOp op) { launches.push_back(op); });
    if (launches.empty())
      continue;
    BufferClasses classes(function);
    for (gpu::LaunchFuncOp launch : launches) {
      gpu::GPUFuncOp kernel = symbols.lookupNearestSymbolFrom<gpu::GPUFuncOp>(
          launch, launch.getKernel());
      if (!kernel ||
          kernel.getNumArguments() != launch.getKernelOperands().size())
        continue;
      KernelFacts &facts = kernels[kernel];
      if (facts.accesses.empty()) {
        BufferClasses inside(kernel);
        for (Value argument : kernel.getArguments())
          facts.accesses.push_back(isa<BaseMemRefType>(argument.getType())
                                       ? collectAccess(argument, inside)
                                       : Access());
        facts.apart.assign(kernel.getNumArguments(), true);
      }
      checkLaunch(launch, classes, facts);
    }
  }
  for (auto &[kernel, facts] : kernels)
    annotate(kernel, facts);
}
