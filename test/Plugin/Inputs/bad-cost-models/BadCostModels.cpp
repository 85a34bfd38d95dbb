// Faults of plug-ins and of the models in them, one at a time.
#include "fuse-mlir/CostModel/Plugin.h"

#include <atomic>
#include <cstdlib>

using namespace mlir::fuse;

namespace {
/// Another price at every call.
struct Restless : public AnalyticCostModel {
  Quantity estimateNanoseconds(const KernelView &,
                               const DeviceInfo &) const override {
    return ++calls;
  }
  mutable std::atomic<int64_t> calls{0};
};

struct Negative : public AnalyticCostModel {
  Quantity estimateNanoseconds(const KernelView &,
                               const DeviceInfo &) const override {
    return -1;
  }
};

/// Large kernels are cheap.
struct Falling : public AnalyticCostModel {
  Quantity estimateNanoseconds(const KernelView &kernel,
                               const DeviceInfo &) const override {
    return 1'000'000'000'000 / (1 + bytesMoved(kernel).value_or(0));
  }
};
} // namespace

template <typename Model>
static void addModel(CostModelRegistry &registry, llvm::StringRef name) {
  registry.add(name, [](const auto &, auto) -> std::unique_ptr<CostModel> {
    return std::make_unique<Model>();
  });
}

CostModelPluginInfo fuseGetCostModelPluginInfo() {
  const char *fault = std::getenv("BAD_PLUGIN");
  llvm::StringRef kind = fault ? fault : "";
  if (kind == "version")
    return {FUSE_COST_MODEL_PLUGIN_API_VERSION + 1, "bad", "1.0", nullptr};
  if (kind == "incomplete")
    return {FUSE_COST_MODEL_PLUGIN_API_VERSION, "bad", "1.0", nullptr};
  if (kind == "empty")
    return {FUSE_COST_MODEL_PLUGIN_API_VERSION, "bad", "1.0",
            [](CostModelRegistry &) {}};
  if (kind == "taken")
    return {FUSE_COST_MODEL_PLUGIN_API_VERSION, "bad", "1.0",
            [](CostModelRegistry &registry) {
              addModel<Negative>(registry, "aaa");
              addModel<Negative>(registry, "traffic");
            }};
  return {FUSE_COST_MODEL_PLUGIN_API_VERSION, "bad", "1.0",
          [](CostModelRegistry &registry) {
            addModel<Restless>(registry, "restless");
            addModel<Negative>(registry, "negative");
            addModel<Falling>(registry, "falling");
          }};
}
