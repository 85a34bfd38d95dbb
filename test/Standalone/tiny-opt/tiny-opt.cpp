// The driver of the example: its own dialect and passes beside fuse's.
#include "tiny/Tiny.h"

#include "fuse-mlir/InitAll.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::fuse::registerAllDialects(registry);
  mlir::fuse::registerAllExtensions(registry);
  mlir::fuse::registerPasses();
  mlir::fuse::registerPipelines();
  tiny::registerDialect(registry);
  tiny::registerCostModel(registry);
  tiny::registerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "a compiler that uses fuse\n", registry));
}
