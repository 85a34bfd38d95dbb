//===- PtxFuzzer.cpp - Hostile PTX text -----------------------------------===//
//
// libFuzzer target: whatever the text, loading ends with a module or an error,
// and a short run of a kernel ends with a result or an error. Seeds are
// the .ptx files beside it (one form of each line of Forms.txt) and those under
// test/Emulator/Inputs; test/unit/Emulator/FuzzTest.cpp is a short run.
//
//===----------------------------------------------------------------------===//
#include "fuse-mlir/Emulator/Emulator.h"

using namespace mlir::fuse::emu;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  DeviceMemory memory;
  std::string error;
  std::string_view text(reinterpret_cast<const char *>(data), size);
  auto module = Module::load(text, memory, error);
  if (!module)
    return 0;
  for (const KernelInfo &info : module->kernels()) {
    std::vector<uint8_t> params(info.paramBytes + 8);
    LaunchOptions options;
    options.threads = 1;
    options.maxBlockInstructions = 2000;
    LaunchStats stats;
    launch(*module, info.name, {2, 1, 1}, {33, 1, 1}, 64, params.data(),
           options, stats, error);
  }
  return 0;
}
