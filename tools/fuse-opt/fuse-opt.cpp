// The optimizer driver: upstream's passes and ours on .mlir files.
#include "fuse-mlir/InitAll.h"

#include "mlir/IR/Dialect.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::fuse::registerAllDialects(registry);
  mlir::fuse::registerAllExtensions(registry);
  mlir::registerAllPasses();
  mlir::fuse::registerPasses();
  mlir::fuse::registerPipelines();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "fuse operator-fusion driver\n", registry));
}
