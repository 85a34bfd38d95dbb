// Registration of everything this project has.
#include "fuse-mlir/InitAll.h"

#include "fuse-mlir/Codegen/Passes.h"
#include "fuse-mlir/Conversion/Passes.h"
#include "fuse-mlir/IR/FuseOps.h"
#include "fuse-mlir/Transforms/Passes.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"

using namespace mlir;

void fuse::registerAllDialects(DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  registry.insert<FuseDialect>();
}

void fuse::registerAllExtensions(DialectRegistry &registry) {
  mlir::registerAllExtensions(registry);
}

void fuse::registerPasses() {
  registerFuseTransformsPasses();
  registerFuseCodegenPasses();
  registerFuseConversionPasses();
}

void fuse::registerPipelines() {}
