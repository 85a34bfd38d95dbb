//===- Findings.h - What the checkers found in a launch -----------*- C++ -*-=//
//
// One finding for each kind and PTX line: that of the first block. The launch
// goes on after a finding where it can.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_LIB_EMULATOR_FINDINGS_H
#define FUSE_LIB_EMULATOR_FINDINGS_H

#include "Machine.h"

#include <mutex>

namespace mlir::fuse::emu {

class Findings {
public:
  void add(FindingKind kind, uint32_t line, uint64_t cluster,
           const std::string &text);
  /// Those of clusters up to `last`, by cluster, then in the order in which
  /// they were found.
  std::vector<Finding> sorted(uint64_t last) const;

private:
  struct Entry {
    uint64_t cluster = 0, sequence = 0;
    Finding finding;
  };
  mutable std::mutex mutex;
  std::map<std::pair<FindingKind, uint32_t>, Entry> entries;
  uint64_t count = 0;
};

/// `what` with kernel, block, thread, PTX line and source location.
std::string locate(const Warp &warp, const Inst &inst, unsigned lane,
                   const std::string &what);

/// Records a finding when a checker is on; else ends the launch with it.
void report(Warp &warp, const Inst &inst, unsigned lane, FindingKind kind,
            const std::string &what);

/// "'tile' + 4" for a variable that holds the offset, else "offset 4".
std::string describeShared(const Program &program, uint64_t offset);

} // namespace mlir::fuse::emu

#endif // FUSE_LIB_EMULATOR_FINDINGS_H
