// Entry points by which a stock mlir-opt loads libFuseMLIR.so:
//
//   mlir-opt --load-dialect-plugin=libFuseMLIR.so
//            --load-pass-plugin=libFuseMLIR.so --pass-pipeline='...'
//
// The host program has registered upstream's dialects already; registering
// one twice does no harm.
#include "fuse-mlir/IR/FuseDialect.h"
#include "fuse-mlir/InitAll.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Support/Compiler.h"

static constexpr const char *kPluginName = "fuse";
static constexpr const char *kPluginVersion = "0.1.0";

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, kPluginName, kPluginVersion,
          [](mlir::DialectRegistry *registry) {
            mlir::fuse::registerAllDialects(*registry);
            mlir::fuse::registerAllExtensions(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, kPluginName, kPluginVersion, []() {
            mlir::fuse::registerPasses();
            mlir::fuse::registerPipelines();
          }};
}
