// Compiles kernels to PTX. Upstream's `gpu-module-to-binary` looks for a CUDA
// toolkit in any case, reports an error where `CUDA_HOME` names none, and loads
// libdevice whether it is needed or not; here only what the target links counts.
#include "fuse-mlir/Conversion/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Target/LLVM/ModuleToObject.h"
#include "mlir/Target/LLVM/NVVM/Utils.h"
#include "llvm/IR/Module.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_COMPILEKERNELSPASS
#include "fuse-mlir/Conversion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;

namespace {

/// Translates one module for one target, linked with the files of the target.
class KernelCompiler : public LLVM::ModuleToObject {
public:
  KernelCompiler(gpu::GPUModuleOp module, NVVM::NVVMTargetAttr target)
      : ModuleToObject(*module, target.getTriple(), target.getChip(),
                       target.getFeatures(), target.getO()),
        files(target.getLink()) {}

protected:
  std::optional<SmallVector<std::unique_ptr<llvm::Module>>>
  loadBitcodeFiles(llvm::Module &module) override {
    SmallVector<std::unique_ptr<llvm::Module>> loaded;
    if (files && failed(loadBitcodeFilesFromList(module.getContext(),
                                                 files.getValue(), loaded)))
      return std::nullopt;
    return loaded;
  }

  /// PTX with a terminating zero, as the driver takes it.
  FailureOr<SmallVector<char, 0>>
  moduleToObject(llvm::Module &translated) override {
    FailureOr<llvm::TargetMachine *> machine = getOrCreateTargetMachine();
    if (failed(machine))
      return getOperation().emitError()
             << "expected an LLVM with a back end for '" << triple << "' and '"
             << chip << "'";
    FailureOr<SmallString<0>> ptx =
        translateModuleToISA(translated, **machine,
                             [&] { return getOperation().emitError(); });
    if (failed(ptx))
      return failure();
    ptx->push_back('\0');
    return SmallVector<char, 0>(ptx->begin(), ptx->end());
  }

private:
  ArrayAttr files;
};

struct CompileKernels
    : public fuse::impl::CompileKernelsPassBase<CompileKernels> {
  using Base::Base;

  void runOnOperation() override {
    NVVM::SerializeGPUModuleBase::init();
    for (gpu::GPUModuleOp module :
         llvm::make_early_inc_range(getOperation().getOps<gpu::GPUModuleOp>()))
      if (failed(compile(module)))
        return signalPassFailure();
  }

private:
  static LogicalResult compile(gpu::GPUModuleOp module) {
    OpBuilder builder(module);
    SmallVector<Attribute> objects;
    ArrayAttr targets = module.getTargetsAttr();
    if (!targets || targets.empty())
      return module.emitError() << "expected a module of kernels with a target,"
                                   " but got none; run 'fuse-attach-target' "
                                   "first";
    for (Attribute attr : targets) {
      NVVM::NVVMTargetAttr target = dyn_cast<NVVM::NVVMTargetAttr>(attr);
      if (!target)
        return module.emitError()
               << "expected targets of NVVM only, but got " << attr;
      std::optional<SmallVector<char, 0>> ptx =
          KernelCompiler(module, target).run();
      if (!ptx)
        return failure();
      NamedAttribute level = builder.getNamedAttr(
          "O", builder.getI32IntegerAttr(target.getO()));
      objects.push_back(gpu::ObjectAttr::get(
          module.getContext(), target, gpu::CompilationTarget::Assembly,
          builder.getStringAttr(StringRef(ptx->data(), ptx->size())),
          builder.getDictionaryAttr(level), /*kernels=*/nullptr));
    }
    gpu::BinaryOp::create(builder, module.getLoc(), module.getName(),
                          module.getOffloadingHandlerAttr(),
                          builder.getArrayAttr(objects));
    module.erase();
    return success();
  }
};
} // namespace
