// A cost model of the user's own: the analytic one with another price for a
// kernel launch.
#include "tiny/Tiny.h"

#include "fuse-mlir/CostModel/CostModel.h"

using namespace mlir;

namespace {

class TinyCostModel : public fuse::AnalyticCostModel {
public:
  explicit TinyCostModel(int64_t launchNs) : launchNs(launchNs) {}

  fuse::Quantity
  estimateNanoseconds(const fuse::KernelView &kernel,
                      const fuse::DeviceInfo &device) const override {
    fuse::Quantity bytes = bytesRead(kernel), written = bytesWritten(kernel);
    if (!bytes || !written)
      return std::nullopt;
    // One byte in a nanosecond: a slow machine, where bytes decide.
    return launchNs + *bytes + *written;
  }

private:
  int64_t launchNs;
};

std::unique_ptr<fuse::CostModel>
makeModel(const fuse::CostModelOptions &options,
          function_ref<InFlightDiagnostic()> emitError) {
  int64_t launchNs = 0;
  for (const auto &option : options) {
    if (option.getKey() != "launch-ns" ||
        StringRef(option.getValue()).getAsInteger(10, launchNs)) {
      emitError() << "cost model 'tiny': expected launch-ns=INTEGER, but got '"
                  << option.getKey() << "=" << option.getValue() << "'";
      return nullptr;
    }
  }
  return std::make_unique<TinyCostModel>(launchNs);
}

} // namespace

void tiny::registerCostModel(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, fuse::FuseDialect *dialect) {
    dialect->getSlot<fuse::CostModelRegistry>().add("tiny", makeModel);
  });
}
