// Cost models in shared libraries, loaded by the pass option
// `cost-model-plugin=FILE`, in our tools and in a stock `mlir-opt` alike. A
// plug-in defines the one function declared here:
//
//   extern "C" FUSE_COST_MODEL_PLUGIN_EXPORT mlir::fuse::CostModelPluginInfo
//   fuseGetCostModelPluginInfo() {
//     return {FUSE_COST_MODEL_PLUGIN_API_VERSION, "my-models", "1.0",
//             [](mlir::fuse::CostModelRegistry &registry) {
//               registry.add("mine", makeMine);
//             }};
//   }
//
// docs/examples/cost-model-plugin is a complete one.
#ifndef FUSE_MLIR_COSTMODEL_PLUGIN_H
#define FUSE_MLIR_COSTMODEL_PLUGIN_H

#include "fuse-mlir/CostModel/CostModel.h"

#include "llvm/Support/Compiler.h"

#include <cstdint>

/// Version of what a plug-in and its host share: `CostModelPluginInfo`,
/// `CostModel`, `KernelView` and `DeviceInfo`. It grows with every change of
/// them; a plug-in built for another one is refused.
#define FUSE_COST_MODEL_PLUGIN_API_VERSION 3

#define FUSE_COST_MODEL_PLUGIN_EXPORT LLVM_ATTRIBUTE_VISIBILITY_DEFAULT

namespace mlir::fuse {

/// What a plug-in says of itself. The text lives as long as the library.
struct CostModelPluginInfo {
  /// FUSE_COST_MODEL_PLUGIN_API_VERSION as it was when the plug-in was built.
  uint32_t apiVersion;
  const char *name;
  /// Version of the plug-in itself.
  const char *version;
  /// Adds its models to `registry`, at least one. The registry is empty: names
  /// that the program has already are found out later.
  void (*registerModels)(CostModelRegistry &registry);
};

/// Loads the plug-in `path` and adds its models to `registry`; one that is
/// there already is left alone. The library stays loaded. An unreadable file, a
/// missing entry point, another API version, no model, or a model whose name is
/// taken is an error, and then nothing is added. Thread-safe.
LogicalResult loadCostModelPlugin(StringRef path, CostModelRegistry &registry,
                                  function_ref<InFlightDiagnostic()> emitError);

} // namespace mlir::fuse

/// What a plug-in defines.
extern "C" FUSE_COST_MODEL_PLUGIN_EXPORT ::mlir::fuse::CostModelPluginInfo
fuseGetCostModelPluginInfo();

#endif // FUSE_MLIR_COSTMODEL_PLUGIN_H
