// Two cost models in a shared library: one that replaces a single quantity of
// the analytic model, and one that prices kernels by itself. See
// docs/CostModel.md, "Models in a shared library".
#include "fuse-mlir/CostModel/Plugin.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// The analytic model, but every kernel has the same number of registers: say,
/// a code generator that is told so (`-maxrregcount`). Occupancy, spills and
/// time follow from it.
class FixedRegisters : public AnalyticCostModel {
public:
  explicit FixedRegisters(int64_t registers) : registers(registers) {}

  Quantity registersPerThread(const KernelView &) const override {
    return registers;
  }

private:
  int64_t registers;
};

/// A machine without a memory system: a launch takes a microsecond, and a
/// million operations take another.
class ComputeOnly : public CostModel {
public:
  Quantity estimateNanoseconds(const KernelView &kernel,
                               const DeviceInfo &) const override {
    Quantity useful = flops(kernel), again = recomputedFlops(kernel);
    if (!useful || !again)
      return std::nullopt; // Unknown is an answer.
    return 1000 + (*useful + *again) / 1000;
  }

  CostBreakdown explain(const KernelView &kernel,
                        const DeviceInfo &device) const override {
    CostBreakdown price = CostModel::explain(kernel, device);
    if (price.nanoseconds)
      price.terms = {
          {"flops", double(*price.nanoseconds - 1000), TermRole::Added},
          {"launch", 1000, TermRole::Added}};
    return price;
  }
};

} // namespace

static std::unique_ptr<CostModel>
makeFixedRegisters(const CostModelOptions &options,
                   function_ref<InFlightDiagnostic()> emitError) {
  int64_t registers = 32;
  for (const auto &option : options) {
    if (option.getKey() != "registers" ||
        StringRef(option.getValue()).getAsInteger(10, registers) ||
        registers < 1) {
      emitError() << "cost model 'fixed-registers': expected "
                     "registers=POSITIVE, but got '"
                  << option.getKey() << "=" << option.getValue() << "'";
      return nullptr;
    }
  }
  return std::make_unique<FixedRegisters>(registers);
}

static std::unique_ptr<CostModel>
makeComputeOnly(const CostModelOptions &options,
                function_ref<InFlightDiagnostic()> emitError) {
  if (options.empty())
    return std::make_unique<ComputeOnly>();
  emitError() << "cost model 'compute-only' has no options";
  return nullptr;
}

CostModelPluginInfo fuseGetCostModelPluginInfo() {
  return {FUSE_COST_MODEL_PLUGIN_API_VERSION, "example", "1.0",
          [](CostModelRegistry &registry) {
            registry.add("fixed-registers", makeFixedRegisters);
            registry.add("compute-only", makeComputeOnly);
          }};
}
