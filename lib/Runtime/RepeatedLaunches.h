//===- RepeatedLaunches.h - Launches that need not run again ----*- C++ -*-===//
//
// Of a sample of blocks only the counters are wanted. A launch of the same code
// on memory of the same kind as two before it, as in the layers of a model,
// would count what the second of them has counted (the first may have found
// caches empty).
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_RUNTIME_REPEATEDLAUNCHES_H
#define FUSE_RUNTIME_REPEATEDLAUNCHES_H

#include "Backend.h"

#include "fuse-mlir/Emulator/Emulator.h"
#include "fuse-mlir/Emulator/Memory.h"

#include <map>
#include <string>
#include <string_view>

namespace fuse::runtime {

class RepeatedLaunches {
public:
  /// The PTX of a kernel in a module as LLVM prints it, without the names that
  /// come from the kernel's own and from its place; empty if it is not found.
  static std::string findCode(std::string_view module,
                              const std::string &kernel);

  /// What tells a launch of `code` from others: sizes, and for each parameter
  /// the memory that it points to, or its value. Empty if there is no code.
  static std::string describe(const std::string &code,
                              const mlir::fuse::emu::KernelInfo &info,
                              const LaunchRequest &request,
                              const std::string &params,
                              const mlir::fuse::emu::DeviceMemory &memory);

  /// What a launch so described counts; null if two have not run yet.
  const mlir::fuse::emu::LaunchStats *find(const std::string &launch) const;
  /// Notes what a launch has counted; of no more than two.
  void add(const std::string &launch,
           const mlir::fuse::emu::LaunchStats &stats);

private:
  struct Known {
    unsigned count = 0;
    mlir::fuse::emu::LaunchStats last;
  };
  std::map<std::string, Known> known;
};

} // namespace fuse::runtime

#endif // FUSE_RUNTIME_REPEATEDLAUNCHES_H
