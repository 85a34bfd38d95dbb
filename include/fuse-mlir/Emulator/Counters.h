//===- Counters.h - What one launch did ---------------------------*- C++ -*-=//
//
// Counters of one emulated launch. All are sums over blocks, sizes of sets, or
// follow from a fixed order of requests, so they do not depend on the number of
// host threads. docs/Emulator.md names the NVIDIA profiler metric that each
// corresponds to.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_MLIR_EMULATOR_COUNTERS_H
#define FUSE_MLIR_EMULATOR_COUNTERS_H

#include "fuse-mlir/Emulator/Caches.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mlir::fuse::emu {

/// Instruction classes. Loads and stores without a state space are `Generic`;
/// their traffic is counted where the address leads.
enum class InstClass : uint8_t {
  Integer,
  Fp16,
  Fp32,
  Fp64,
  Sfu,
  Tensor,
  Convert,
  Move,
  Predicate,
  GlobalLoad,
  GlobalStore,
  SharedLoad,
  SharedStore,
  LocalLoad,
  LocalStore,
  GenericLoad,
  GenericStore,
  ConstLoad,
  Atomic,
  AsyncCopy,
  Shuffle,
  Vote,
  Branch,
  Barrier,
  Fence,
  Special,
};
constexpr unsigned numInstClasses = unsigned(InstClass::Special) + 1;

/// Stable lower-case name, e.g. "global_load".
const char *instClassName(InstClass cls);

struct InstCount {
  uint64_t warp = 0;   ///< Warp instructions issued.
  uint64_t thread = 0; ///< Sum over them of lanes whose guard was true.
};

/// Traffic of one direction. A request is one warp instruction with at least
/// one active lane; `sectors` is the sum over requests of the distinct 32-byte
/// sectors touched; `uniqueSectors` the distinct sectors of the whole launch.
struct Traffic {
  uint64_t requests = 0;
  uint64_t sectors = 0;
  uint64_t uniqueSectors = 0;
  uint64_t bytes = 0; ///< Bytes the lanes asked for, duplicates included.
};

struct SharedTraffic {
  uint64_t requests = 0;
  uint64_t wavefronts = 0;
  uint64_t bankConflicts = 0; ///< Wavefronts above the conflict-free number.
};

struct Flops {
  uint64_t fp16 = 0, fp32 = 0, fp64 = 0; ///< A fused multiply-add is 2.
  uint64_t sfu = 0;                      ///< Special-function results.
  uint64_t tensor = 0;                   ///< Multiply and add both counted.
};

/// Atomics are a read and a write of the sectors they touch: their unique
/// sectors are in both `load` and `store`, their requests only in `atomic`.
struct AllocationTraffic {
  uint64_t base = 0, size = 0;
  uint64_t serial = 0; ///< 1-based number of the allocation since start.
  std::string name;    ///< Module variable, or empty.
  Traffic load, store, atomic;
};

struct LineCount {
  unsigned line = 0; ///< 1-based line of the PTX text.
  uint64_t warp = 0, thread = 0;
  uint64_t requests = 0, sectors = 0; ///< Global memory.
  /// The least sectors that could hold what each request asks for.
  uint64_t idealSectors = 0;
  uint64_t bytes = 0;                         ///< Global memory.
  uint64_t wavefronts = 0, bankConflicts = 0; ///< Shared memory.
};

/// Kinds of what the checkers find; `Error` ends the launch at once.
enum class FindingKind : uint8_t {
  OutOfBounds,
  UseAfterFree,
  Misaligned,
  WrongSpace,
  SharedRace,
  GlobalRace,
  Uninitialised,
  DivergentBarrier,
  Async,
  Error,
};

/// Stable lower-case name, e.g. "shared-race".
const char *findingName(FindingKind kind);

struct Finding {
  FindingKind kind = FindingKind::Error;
  unsigned line = 0; ///< Of the PTX text; 0 when there is none.
  std::string text;  ///< With kernel, block, thread, location.
};

struct LaunchStats {
  uint64_t blocks = 0, warps = 0;
  uint64_t warpInstructions = 0, threadInstructions = 0;
  InstCount byClass[numInstClasses];
  Traffic globalLoad, globalStore, globalAtomic, local, localStore;
  SharedTraffic sharedLoad, sharedStore, sharedAtomic;
  /// Of global atomics: the most lanes of a request at one address, summed.
  uint64_t atomicPasses = 0;
  uint64_t branches = 0, divergentBranches = 0, barriers = 0;
  Flops flops;
  CacheTraffic caches;         ///< With LaunchOptions::caches.
  uint64_t gridBlocks = 0;     ///< Of the launch.
  uint64_t sampledBlocks = 0;  ///< Blocks that ran, if not all did, else 0.
  uint32_t residentBlocks = 0; ///< On one SM; with caches or a sample.
  /// Bytes that a warp asks global memory for before it uses any of them: the
  /// longest run of loads in the text of the kernel.
  uint32_t loadRunBytes = 0;
  std::vector<AllocationTraffic> allocations; ///< Those touched, by base.
  std::vector<LineCount> lines;               ///< Only with options.perLine.
  /// With LaunchOptions::checks, one for each kind and line, in the order of
  /// the blocks.
  std::vector<Finding> findings;
  std::string printed; ///< Output of printf in block order.
};

/// One JSON object; `indent` spaces before each line but the first.
std::string statsToJson(const LaunchStats &stats, unsigned indent = 0);

/// The same as lines of a name and a number, for people.
std::string statsToTable(const LaunchStats &stats);

/// Adds the numbers of `more`, another launch; allocations by their number.
/// Lines and output are left alone: they belong to one kernel. Unique sectors
/// that both launches touch count twice.
void addStats(LaunchStats &to, const LaunchStats &more);

} // namespace mlir::fuse::emu

#endif // FUSE_MLIR_EMULATOR_COUNTERS_H
