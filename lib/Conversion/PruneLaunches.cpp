// Removes arguments that device functions do not use, and launches in vain.
#include "fuse-mlir/Conversion/Passes.h"
#include "fuse-mlir/IR/KernelBody.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/SymbolTable.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_PRUNELAUNCHESPASS
#include "fuse-mlir/Conversion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

using LaunchMap = llvm::MapVector<gpu::GPUFuncOp, SmallVector<LaunchOp>>;

static bool hasNoElements(Type type) {
  ShapedType shaped = dyn_cast<ShapedType>(type);
  return shaped && shaped.hasStaticShape() && shaped.getNumElements() == 0;
}

/// Whether the launch gives nothing that is used.
static bool isInVain(LaunchOp launch) {
  for (auto [index, out] : llvm::enumerate(launch.getOuts())) {
    if (hasNoElements(out.getType()))
      continue;
    if (launch.getNumResults() == 0 || !launch.getResult(index).use_empty())
      return false;
  }
  return true;
}

/// Erases `launch`; its results are its destinations.
static void eraseLaunch(LaunchOp launch) {
  for (auto [result, out] : llvm::zip(launch.getResults(), launch.getOuts()))
    result.replaceAllUsesWith(out);
  launch.erase();
}

/// The arguments of `kernel` that its launches need not pass.
static llvm::BitVector findUnused(gpu::GPUFuncOp kernel,
                                  ArrayRef<LaunchOp> launches) {
  llvm::BitVector unused(kernel.getNumArguments());
  for (BlockArgument argument : kernel.getArguments())
    if (argument.use_empty())
      unused.set(argument.getArgNumber());
  for (LaunchOp launch : launches) {
    size_t firstOut = launch.getInputs().size();
    for (auto [index, out] : llvm::enumerate(launch.getOuts()))
      if (!hasNoElements(out.getType()))
        unused.reset(firstOut + index);
  }
  return unused;
}

/// Rebuilds `launch` without the operands in `unused`.
static void dropOperands(LaunchOp launch, const llvm::BitVector &unused) {
  SmallVector<Value> ins, outs, replaced;
  SmallVector<Type> types;
  SmallVector<int32_t> updates;
  for (auto [index, input] : llvm::enumerate(launch.getInputs()))
    if (!unused.test(index))
      ins.push_back(input);
  size_t firstOut = launch.getInputs().size();
  bool hasResults = launch.getNumResults() != 0;
  for (auto [index, out] : llvm::enumerate(launch.getOuts())) {
    if (unused.test(firstOut + index))
      continue;
    if (llvm::is_contained(getUpdates(launch), index))
      updates.push_back(outs.size());
    outs.push_back(out);
    if (hasResults)
      types.push_back(out.getType());
  }
  OpBuilder builder(launch);
  LaunchOp created = LaunchOp::create(
      builder, launch.getLoc(), types, launch.getKernel(), launch.getGrid(),
      launch.getBlock(), launch.getDynamicSharedBytes(), ins, outs);
  created->setDiscardableAttrs(launch->getDiscardableAttrDictionary());
  if (!updates.empty())
    created->setAttr(kUpdatesAttrName, builder.getDenseI32ArrayAttr(updates));
  unsigned next = 0;
  for (auto [index, result] : llvm::enumerate(launch.getResults()))
    result.replaceAllUsesWith(unused.test(firstOut + index)
                                  ? launch.getOuts()[index]
                                  : created.getResult(next++));
  launch.erase();
}

/// Erases arguments of a device function. (The interface's own method does not
/// know of the attributions that follow the arguments in the block.)
static void eraseArguments(gpu::GPUFuncOp kernel, llvm::BitVector unused) {
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attrs;
  for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    if (unused.test(index))
      continue;
    types.push_back(type);
    attrs.push_back(kernel.getArgAttrDict(index));
  }
  Block &body = kernel.getBody().front();
  unused.resize(body.getNumArguments());
  body.eraseArguments(unused);
  kernel.setFunctionType(
      FunctionType::get(kernel.getContext(), types, TypeRange()));
  kernel.setAllArgAttrs(attrs);
}

namespace {
struct PruneLaunches : public fuse::impl::PruneLaunchesPassBase<PruneLaunches> {
  using Base::Base;

  void runOnOperation() override {
    SymbolTableCollection symbols;
    LaunchMap kernels;
    llvm::SetVector<gpu::GPUFuncOp> touched;
    SmallVector<LaunchOp> all;
    getOperation().walk([&](LaunchOp launch) { all.push_back(launch); });
    // Backwards: a launch comes after those that use it.
    for (LaunchOp launch : llvm::reverse(all)) {
      gpu::GPUFuncOp kernel = symbols.lookupNearestSymbolFrom<gpu::GPUFuncOp>(
          launch, launch.getKernel());
      if (!kernel)
        continue;
      touched.insert(kernel);
      if (isInVain(launch))
        eraseLaunch(launch);
      else
        kernels[kernel].push_back(launch);
    }
    for (gpu::GPUFuncOp kernel : touched) {
      ArrayRef<LaunchOp> launches = kernels[kernel];
      if (launches.empty()) {
        kernel.erase();
        continue;
      }
      if (llvm::any_of(launches, [&](LaunchOp launch) {
            return launch.getInputs().size() + launch.getOuts().size() !=
                   kernel.getNumArguments();
          }))
        continue;
      llvm::BitVector unused = findUnused(kernel, launches);
      if (unused.none())
        continue;
      for (LaunchOp launch : launches)
        dropOperands(launch, unused);
      eraseArguments(kernel, unused);
    }
  }
};
} // namespace
