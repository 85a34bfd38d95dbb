//===- Emulator.h - Executes PTX on the CPU -----------------------*- C++ -*-=//
//
// Load a module from PTX text, look up a kernel, launch it. Nothing throws;
// errors are text, complete enough to be shown to a user as they are.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_MLIR_EMULATOR_EMULATOR_H
#define FUSE_MLIR_EMULATOR_EMULATOR_H

#include "fuse-mlir/Emulator/Counters.h"
#include "fuse-mlir/Emulator/Memory.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mlir::fuse::emu {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
};

struct ParamInfo {
  std::string name;
  uint32_t offset = 0, size = 0, align = 0; ///< Bytes in the parameter block.
};

struct KernelInfo {
  std::string name;
  std::vector<ParamInfo> params;
  uint32_t paramBytes = 0;
  uint32_t staticSharedBytes = 0;
  uint32_t localBytes = 0;       ///< Per thread.
  Dim3 maxThreads{0, 0, 0};      ///< `.maxntid`, zeros when absent.
  Dim3 requiredThreads{0, 0, 0}; ///< `.reqntid`, zeros when absent.
  Dim3 requiredCluster{0, 0, 0}; ///< `.reqnctapercluster`, likewise.
  /// Why the kernel cannot be launched, located; empty when it can.
  std::string unsupported;
};

struct Program;
struct ModuleImpl;

/// A loaded PTX module; its `.global` and `.const` variables live in `memory`
/// as long as the module.
class Module {
public:
  /// Null on a defect of the text, with `error` = "name:line: what: text".
  static std::unique_ptr<Module> load(std::string_view ptx,
                                      DeviceMemory &memory, std::string &error,
                                      std::string_view fileName = "<ptx>");
  ~Module();

  /// Kernels in the order of the text.
  std::vector<KernelInfo> kernels() const;
  /// Null when there is no such entry.
  const KernelInfo *lookup(std::string_view name) const;
  /// Address and size of a module variable; 0 when there is none.
  uint64_t globalAddress(std::string_view name, uint64_t *size = nullptr) const;

  ModuleImpl &getImpl() const { return *impl; }

private:
  Module();
  std::unique_ptr<ModuleImpl> impl;
};

/// Checkers beyond bounds and alignment, which are always on. With any of them
/// a launch goes on after a finding where it can, and lists all it found.
enum Check : unsigned {
  CheckNone = 0,
  CheckRaces = 1,    ///< Between warps in shared, blocks in global memory.
  CheckUninit = 2,   ///< Reads of memory never written.
  CheckBarriers = 4, ///< Aligned barriers that part of a warp reaches.
  CheckAsync = 8,    ///< Reads of a copy's destination before the wait.
  CheckAll = 15,
};

/// Parses "all", "none" or a list of "races,uninit,barriers,async".
bool parseChecks(std::string_view text, unsigned &checks);

/// Parses "BLOCKS" or "BLOCKS:SEED", BLOCKS at least 1.
bool parseSample(std::string_view text, uint64_t &blocks, uint64_t &seed);

struct ByteRange {
  uint64_t begin, end; ///< Addresses.
};

/// What a launch did to global memory but for atomics and volatile, relaxed,
/// ... accesses: ascending ranges, apart from each other and none in two
/// allocations. Bytes that were read before they were written are in `written`
/// only.
struct AccessedBytes {
  std::vector<ByteRange> read, written;
};

struct LaunchOptions {
  unsigned threads = 0; ///< Host threads; 0 is one per core.
  /// Count instructions and traffic; else LaunchStats has only what was printed
  /// and found.
  bool counters = true;
  bool perLine = false; ///< Fill LaunchStats::lines.
  /// Of `Check`. Races run the blocks in order on one host thread.
  unsigned checks = CheckNone;
  AccessedBytes *accessed = nullptr; ///< Receives them, with CheckRaces.
  unsigned maxFindings = 16;         ///< That the error text shows.
  /// Warp instructions of one block before it is reported as endless.
  uint64_t maxBlockInstructions = uint64_t(1) << 30;
  /// Blocks of a cluster along each axis; zeros for what the kernel requires.
  Dim3 cluster{0, 0, 0};
  /// L1 and L2 of a device, or null: nothing beyond L1's requests is counted.
  /// Costs time; the requests of a wave are kept, at most 128 MB of them
  /// unless one block has more.
  Caches *caches = nullptr;
  /// What decides the blocks of a wave when there are no caches.
  DeviceShape device;
  /// Of a thread, for occupancy; 0 when unknown (then it is no limit).
  uint32_t registers = 0;
  /// Runs about this many blocks, in whole waves, and scales the counters; 0
  /// runs all. Memory then holds the results of those blocks only.
  uint64_t sampleBlocks = 0;
  uint64_t sampleSeed = 0;
  uint32_t maxSharedBytes = 232448; ///< Static and dynamic together.
  int64_t traceBlock = -1;          ///< Linear block number, -1 for none.
  std::string *trace = nullptr;     ///< Receives the trace.
};

/// Runs `kernel` to the end. `params` is the parameter block as laid out by
/// KernelInfo::params (at least paramBytes bytes). False on error, with the
/// reason in `error`; memory then holds what was written before it.
bool launch(const Module &module, std::string_view kernel, Dim3 grid,
            Dim3 block, uint32_t dynamicSharedBytes, const void *params,
            const LaunchOptions &options, LaunchStats &stats,
            std::string &error);

} // namespace mlir::fuse::emu

#endif // FUSE_MLIR_EMULATOR_EMULATOR_H
