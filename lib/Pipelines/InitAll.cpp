// Registration of everything this project has.
#include "fuse-mlir/InitAll.h"

#include "fuse-mlir/Analysis/OpClassification.h"
#include "fuse-mlir/Codegen/Passes.h"
#include "fuse-mlir/Conversion/BufferizableOpInterfaceImpl.h"
#include "fuse-mlir/Conversion/Passes.h"
#include "fuse-mlir/IR/FuseOps.h"
#include "fuse-mlir/Pipelines/PtxasCostModel.h"
#include "fuse-mlir/Transforms/Passes.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"

using namespace mlir;

void fuse::registerAllDialects(DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  registry.insert<FuseDialect>();
}

void fuse::registerAllExtensions(DialectRegistry &registry) {
  mlir::registerAllExtensions(registry);
  registerBufferizableOpInterfaceExternalModels(registry);
  registerFusableOpExternalModels(registry);
  // `fuse-compile-kernels` translates kernels to LLVM IR.
  registerAllGPUToLLVMIRTranslations(registry);
  // The model that compiles what it prices stands above the code generator.
  registry.addExtension(+[](MLIRContext *, FuseDialect *dialect) {
    registerPtxasCostModel(dialect->getSlot<CostModelRegistry>());
  });
}

void fuse::registerPasses() {
  registerFuseTransformsPasses();
  registerFuseCodegenPasses();
  registerFuseConversionPasses();
}
