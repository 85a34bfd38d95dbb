// Loads shared libraries with cost models.
#include "fuse-mlir/CostModel/Plugin.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr const char *kEntryPoint = "fuseGetCostModelPluginInfo";

/// What the library `path` says of itself, checked.
static FailureOr<CostModelPluginInfo>
readInfo(const std::string &path,
         function_ref<InFlightDiagnostic()> emitError) {
  std::string message;
  llvm::sys::DynamicLibrary library =
      llvm::sys::DynamicLibrary::getPermanentLibrary(path.c_str(), &message);
  if (!library.isValid())
    return emitError() << "cannot load cost-model plug-in '" << path
                       << "': " << message;
  void *entry = library.getAddressOfSymbol(kEntryPoint);
  if (!entry)
    return emitError() << "expected '" << path
                       << "' to be a cost-model plug-in, but it does not "
                          "export '"
                       << kEntryPoint << "'";
  CostModelPluginInfo info =
      reinterpret_cast<CostModelPluginInfo (*)()>(entry)();
  if (info.apiVersion != FUSE_COST_MODEL_PLUGIN_API_VERSION)
    return emitError() << "expected cost-model plug-in '" << path
                       << "' to be built for API version "
                       << FUSE_COST_MODEL_PLUGIN_API_VERSION << ", but got "
                       << info.apiVersion;
  if (!info.name || !info.version || !info.registerModels)
    return emitError() << "expected cost-model plug-in '" << path
                       << "' to give a name, a version and a function that "
                          "registers its models";
  return info;
}

LogicalResult
fuse::loadCostModelPlugin(StringRef path, CostModelRegistry &registry,
                          function_ref<InFlightDiagnostic()> emitError) {
  // `dlopen` would look for a name without a slash in the system's folders.
  SmallString<128> file;
  if (std::error_code error = llvm::sys::fs::real_path(path, file))
    return emitError() << "cannot load cost-model plug-in '" << path
                       << "': " << error.message();
  FailureOr<CostModelPluginInfo> info = readInfo(file.str().str(), emitError);
  if (failed(info))
    return failure();
  CostModelRegistry own{CostModelRegistry::Empty()};
  info->registerModels(own);
  if (own.names().empty())
    return emitError() << "expected cost-model plug-in '" << path
                       << "' to register a model, but got none";
  SmallVector<StringRef> taken = registry.addAll(own, file);
  if (taken.empty())
    return success();
  return emitError() << "cost-model plug-in '" << path << "' (" << info->name
                     << " " << info->version << ") brings cost model '"
                     << taken.front() << "', a name that is taken";
}
