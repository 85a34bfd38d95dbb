// The cost model `ptxas`: when to assemble, and what to take from it.
#include "fuse-mlir/Pipelines/PtxasCostModel.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// The analytic model with a given number of registers.
struct WithRegisters : public AnalyticCostModel {
  explicit WithRegisters(int64_t registers) : registers(registers) {}
  Quantity registersPerThread(const KernelView &) const override {
    return registers;
  }
  int64_t registers;
};
} // namespace

/// Whether the price depends on the registers, if the estimate is wrong by up
/// to a factor of two.
static bool dependsOnRegisters(const KernelView &kernel, int64_t estimate,
                               const DeviceInfo &device) {
  Quantity few = WithRegisters(std::max<int64_t>(16, estimate / 2))
                     .estimateNanoseconds(kernel, device);
  Quantity many =
      WithRegisters(estimate * 2).estimateNanoseconds(kernel, device);
  return few != many;
}

std::optional<AssembledKernel>
PtxasCostModel::getAssembled(const KernelView &kernel) const {
  if (kernel.ops.empty())
    return std::nullopt;
  Quantity estimate = AnalyticCostModel::registersPerThread(kernel);
  if (!estimate)
    return AssembledKernel{std::nullopt, "a size is not known"};
  if (!kernel.shape)
    return AssembledKernel{std::nullopt, "there is no kernel for it"};
  if (!always) {
    FailureOr<DeviceInfo> device = getAttachedDevice(kernel.ops.front());
    if (succeeded(device) && !dependsOnRegisters(kernel, *estimate, *device))
      return std::nullopt;
  }
  return assembler->assemble(kernel);
}

Quantity PtxasCostModel::registersPerThread(const KernelView &kernel) const {
  std::optional<AssembledKernel> assembled = getAssembled(kernel);
  if (assembled && assembled->resources)
    return assembled->resources->registers;
  return AnalyticCostModel::registersPerThread(kernel);
}

Quantity PtxasCostModel::spilledBytesPerThread(const KernelView &kernel,
                                               const DeviceInfo &device) const {
  std::optional<AssembledKernel> assembled = getAssembled(kernel);
  if (assembled && assembled->resources)
    return assembled->resources->spillStoreBytes +
           assembled->resources->spillLoadBytes;
  return AnalyticCostModel::spilledBytesPerThread(kernel, device);
}

Quantity PtxasCostModel::codeBytes(const KernelView &kernel) const {
  std::optional<AssembledKernel> assembled = getAssembled(kernel);
  if (assembled && assembled->resources && assembled->resources->codeBytes)
    return assembled->resources->codeBytes;
  return AnalyticCostModel::codeBytes(kernel);
}

CostBreakdown PtxasCostModel::explain(const KernelView &kernel,
                                      const DeviceInfo &device) const {
  CostBreakdown price = AnalyticCostModel::explain(kernel, device);
  std::optional<AssembledKernel> assembled = getAssembled(kernel);
  if (!assembled)
    price.notes.push_back("not assembled: half and twice the estimated "
                          "registers give the same price");
  else if (assembled->resources)
    price.notes.push_back("registers, spills and code as assembled by ptxas");
  else
    price.notes.push_back("registers, spills and code are estimated: " +
                          assembled->reason);
  return price;
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

namespace {
/// Assemblers by program and folder: models of one registry share them.
struct Assemblers {
  std::shared_ptr<CandidateAssembler> get(StringRef program, StringRef folder) {
    std::lock_guard<std::mutex> lock(mutex);
    std::shared_ptr<CandidateAssembler> &entry =
        known[(program + "\n" + folder).str()];
    if (!entry)
      entry = std::make_shared<CandidateAssembler>(program.str(), folder.str());
    return entry;
  }

  std::mutex mutex;
  llvm::StringMap<std::shared_ptr<CandidateAssembler>> known;
};
} // namespace

static std::unique_ptr<CostModel>
makePtxasModel(Assemblers &assemblers, const CostModelOptions &options,
               function_ref<InFlightDiagnostic()> emitError) {
  std::string program, folder, assemble = "needed";
  for (const auto &option : options) {
    StringRef key = option.getKey();
    if (key == "program") {
      program = option.getValue();
    } else if (key == "cache") {
      folder = option.getValue();
    } else if (key == "assemble") {
      assemble = option.getValue();
    } else {
      emitError() << "unknown option '" << key
                  << "' of cost model 'ptxas'; known are 'assemble', 'cache', "
                     "'program'";
      return nullptr;
    }
  }
  if (assemble != "needed" && assemble != "always") {
    emitError() << "expected option 'assemble' of cost model 'ptxas' to be "
                   "'needed' or 'always', but got '"
                << assemble << "'";
    return nullptr;
  }
  if (!folder.empty()) {
    if (std::error_code error = llvm::sys::fs::create_directories(folder)) {
      emitError() << "cannot make folder '" << folder
                  << "' for option 'cache' of cost model 'ptxas': "
                  << error.message();
      return nullptr;
    }
  }
  return std::make_unique<PtxasCostModel>(assemblers.get(program, folder),
                                          assemble == "always");
}

void fuse::registerPtxasCostModel(CostModelRegistry &registry) {
  auto assemblers = std::make_shared<Assemblers>();
  registry.add("ptxas", [assemblers](const CostModelOptions &options,
                                     function_ref<InFlightDiagnostic()> error) {
    return makePtxasModel(*assemblers, options, error);
  });
}
