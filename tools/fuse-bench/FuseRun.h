// Runs `fuse-run` on a model in a process of its own, and reads what it leaves.
#ifndef FUSE_MLIR_TOOLS_FUSE_BENCH_FUSERUN_H
#define FUSE_MLIR_TOOLS_FUSE_BENCH_FUSERUN_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/JSON.h"

#include <string>

namespace mlir::fuse::bench {

/// What the report of a run says of its kernels together.
struct KernelTotals {
  /// Paths of the kernels, with `+` between them.
  std::string paths;
  /// The most registers of a kernel; bytes spilled by all.
  int64_t kernels = 0, registers = 0, spills = 0;
  double compulsoryBytes = 1, bytes = 0;
  bool verified = false;
};

/// A number of a JSON object; 0 if it or `object` is not there.
double getNumber(const llvm::json::Object *object, StringRef key);

class FuseRun {
public:
  ~FuseRun();

  /// Finds the program beside this one and makes a folder for its files; an
  /// error is reported.
  LogicalResult start();
  /// A file in that folder.
  std::string at(StringRef name) const;
  /// Runs `model` for at most `seconds`. Leaves `report.json` (docs/Report.md)
  /// and `runtime.json` (docs/Emulator.md); fails, with `why`, if it did not
  /// end. A wrong result is no failure here: the report says so.
  /// `flags` are further ones on the command line, `variables` further ones of
  /// the environment (`NAME=VALUE`).
  LogicalResult run(StringRef model, double seconds, std::string &why,
                    ArrayRef<std::string> flags = {},
                    ArrayRef<StringRef> variables = {}) const;
  /// What the last run left under `name`.
  FailureOr<llvm::json::Object> read(StringRef name, std::string &why) const;
  /// The kernels of the last run's report.
  FailureOr<KernelTotals> readTotals(std::string &why) const;
  /// Calls `visit` with each launch of the last run that was counted and its
  /// counters.
  LogicalResult forEachLaunch(
      std::string &why,
      function_ref<void(const llvm::json::Object &launch,
                        const llvm::json::Object &counters)>
          visit) const;

private:
  SmallString<128> scratch;
  std::string program;
};

} // namespace mlir::fuse::bench

#endif // FUSE_MLIR_TOOLS_FUSE_BENCH_FUSERUN_H
