//===- Machine.h - Decoded programs and the state that runs them --*- C++ -*-=//
//
// A warp is the unit of execution. A register is an array over the 32 lanes
// (4 bytes a lane up to 32 bits, 8 bytes for 64 bits, two such arrays for 128
// bits, one 32-bit mask for a predicate), so handlers are loops over lanes
// that the compiler turns into SIMD code. Literals, special registers and
// registers all live in one register file and are addressed by byte offset.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_LIB_EMULATOR_MACHINE_H
#define FUSE_LIB_EMULATOR_MACHINE_H

#include "CacheState.h"
#include "DeviceHeap.h"
#include "Ptx.h"
#include "fuse-mlir/Emulator/Emulator.h"

#include <array>
#include <atomic>
#include <cstring>

namespace mlir::fuse::emu {

class Checker;
class Findings;
struct Warp;
struct Block;
struct Cluster;
struct Worker;
struct Inst;
using Handler = void (*)(Warp &, const Inst &, uint32_t mask);

constexpr uint32_t fullMask = ~0u;
/// Warp instructions before another group or warp gets its turn.
constexpr uint32_t sliceInstructions = 1 << 13;

/// Bytes of stack of a thread for recursive functions, functions that are
/// called through registers, and alloca.
constexpr uint32_t stackBytes = 32 << 10;

/// Windows of the generic address space. Host pointers stay far below.
constexpr uint64_t sharedWindow = uint64_t(1) << 56;
constexpr uint64_t localWindow = uint64_t(2) << 56;
constexpr uint64_t paramWindow = uint64_t(3) << 56;
/// The value of a function: its number in the module.
constexpr uint64_t functionWindow = uint64_t(4) << 56;
constexpr uint64_t windowMask = ~((uint64_t(1) << 56) - 1);
/// A shared address with these bits is that of the block of rank (bits - 1)
/// in the cluster; without them it is the own block's.
constexpr unsigned sharedRankShift = 24;
constexpr uint64_t sharedOffsetMask = (uint64_t(1) << sharedRankShift) - 1;

inline uint64_t alignTo(uint64_t value, uint64_t align) {
  return (value + align - 1) / align * align;
}

enum class FlopUnit : uint8_t { None, Fp16, Fp32, Fp64, Sfu, Tensor };

struct Inst {
  Handler fn = nullptr;
  int32_t d = 0, a = 0, b = 0, c = 0; ///< Byte offsets in the register file.
  int64_t imm = 0;
  int32_t pred = -1; ///< Byte offset of the guard, or -1.
  uint32_t x = 0;    ///< First index into Program::operands, or a small datum.
  uint32_t target = 0;
  uint32_t line = 0, loc = 0;
  uint32_t flops = 0;  ///< Per active lane (per warp for Tensor).
  uint32_t used = ~0u; ///< The bytes of a load that matter, see RawInst.
  InstClass cls = InstClass::Special;
  FlopUnit unit = FlopUnit::None;
  Space space = Space::None;
  uint8_t size = 0;  ///< Bytes of one element in memory.
  uint8_t n = 1;     ///< Elements of a vector access.
  uint8_t flags = 0; ///< Meaning private to the handler.
  bool predNegated = false;
  bool strong = false; ///< volatile, relaxed, ...: not part of a race.
  bool pastL1 = false; ///< Loads go to L2: .cg, .cv, bulk copies.
  bool counted = true; ///< False for micro-operations of the decoder.
};

struct SpecialSlot {
  int32_t offset;
  std::string name;
};

/// A place in a frame: an offset from the start of local memory, or from the
/// frame pointer.
struct FramePlace {
  uint32_t offset = 0;
  bool relative = false;
};

/// A function with frames on the stack. Its registers are saved at each call,
/// so that an outer activation finds its own again.
struct StackFunction {
  std::string name;
  uint32_t start = 0, frameBytes = 0;
  std::vector<std::pair<int32_t, uint32_t>> saved; ///< Slots and their bytes.
  /// Offsets and sizes of results and parameters in the frame.
  std::vector<uint32_t> signature;
};

struct StackCall {
  int32_t function = -1; ///< Of Program::stackFunctions; -1 when indirect.
  struct Argument {
    FramePlace from;
    uint32_t to, bytes;
  };
  std::vector<Argument> arguments;
  std::vector<uint32_t> signature; ///< Of the prototype.
};

/// For traces: the registers of the function that starts at an instruction.
struct RegisterName {
  std::string name;
  int32_t slot;
  RawType type;
};
struct RegisterGroup {
  uint32_t start;
  std::vector<RegisterName> names;
};

struct SharedVariable {
  std::string name;
  uint64_t offset, size;
};

struct Program {
  std::string name;
  std::vector<Inst> code;
  std::vector<int32_t> operands;
  std::vector<uint32_t> targets; ///< Of indirect branches.
  /// The register file at the start of a block: literals in, the rest zero.
  std::vector<uint8_t> image;
  std::vector<SpecialSlot> specials;
  std::vector<StackFunction> stackFunctions;
  std::vector<StackCall> stackCalls;
  /// By number of the function in the module; -1 for those not called so.
  std::vector<int32_t> stackFunctionOf;
  /// Slots of the pointers, 0 in programs without a stack; alignment of all
  /// frames.
  int32_t framePointer = 0, stackPointer = 0;
  uint32_t frameAlign = 16;
  std::vector<RegisterGroup> registerGroups;   ///< By ascending start.
  std::vector<SharedVariable> sharedVariables; ///< Static ones, for messages.
  uint32_t localBytes = 0, sharedBytes = 0, sharedAlign = 1;
  uint32_t paramBytes = 0;
  uint32_t loadRunBytes = 0;         ///< See longestLoadRun.
  std::vector<uint64_t> blockBounds; ///< See findBlockBounds.
};

struct ModuleImpl {
  DeviceMemory *memory = nullptr;
  std::string fileName;
  std::vector<std::string> lines; ///< Of the text, for messages.
  std::vector<SourceLoc> locs;
  std::map<uint32_t, std::string> files;
  std::vector<KernelInfo> kernels;
  std::vector<Program> programs; ///< Parallel to kernels.
  struct Global {
    uint64_t address, size;
  };
  std::map<std::string, Global, std::less<>> globals;
  std::unique_ptr<DeviceHeap> heap; ///< Where a kernel calls malloc or free.
  ~ModuleImpl();
};

/// An error of the running kernel; caught per cluster, never escapes. Without a
/// message it has been recorded as a finding.
struct Trap {
  std::string message;
  uint32_t line = 0; ///< Of the PTX text, where there is one.
};

enum class AccessKind : uint8_t { Load, Store, Atomic };

struct InstCounters {
  uint64_t warp = 0, thread = 0;
  uint64_t requests = 0, sectors = 0, idealSectors = 0, bytes = 0; ///< Global.
  uint64_t wavefronts = 0, bankConflicts = 0;                      ///< Shared.
  uint64_t passes = 0; ///< Of global atomics: most lanes at one address.
  AccessKind kind = AccessKind::Load; ///< Of the global requests.
};

struct Launch {
  const ModuleImpl *module;
  const Program *program;
  const LaunchOptions *options;
  Dim3 grid, block, cluster;
  bool explicitCluster = false;
  uint32_t sharedBytes, dynamicShared;
  const uint8_t *params;
  std::vector<Allocation> allocations;
  /// One bit per sector, made when an allocation is first touched:
  /// [2 * index] loads, [2 * index + 1] stores.
  std::vector<std::atomic<std::atomic<uint64_t> *>> touched;
  Findings *findings = nullptr;  ///< With any checker.
  bool isParallel = false;       ///< More than one host thread.
  uint64_t residentClusters = 1; ///< On the whole device, with caches.
  /// Clusters (of one block, mostly), in order.
  std::atomic<uint64_t> nextCluster{0};
  std::atomic<uint64_t> failedCluster{~uint64_t(0)};
};

/// Where the last access of an instruction went: skips the table look-up.
struct Span {
  uint64_t base = 1, end = 0;
  uint64_t toDevice = 0; ///< To be added to a sector's number.
  uint32_t index = 0;
  bool readOnly = false;
};

struct BarrierState {
  uint32_t arrived = 0;
  uint32_t expected = 0; ///< 0: all threads that have not exited.
  uint32_t popc = 0;
  bool all = true, any = false;
};

struct Group {
  enum State : uint8_t {
    Ready,
    AtBarrier,
    AtClusterBarrier,
    AtSync,
    AtAligned, ///< Not at the barrier yet: waits for the rest of its warp.
    AtWarpBarrier
  };
  uint32_t pc = 0, mask = 0, depth = 0;
  State state = Ready;
  uint8_t barrier = 0;
  uint32_t need = 0;          ///< Lanes that must arrive, for the sync states.
  const Inst *inst = nullptr; ///< Where it waits.
};

struct Warp {
  uint8_t *regs = nullptr;
  uint8_t *local = nullptr; ///< Lane-major, Program::localBytes each.
  Block *block = nullptr;
  Worker *worker = nullptr;
  const Program *program = nullptr;
  uint32_t pc = 0, active = 0, depth = 0;
  uint32_t lanes = 0;  ///< Lanes that exist.
  uint32_t exited = 0; ///< Of those, lanes that ended.
  uint32_t switchPc = ~0u;
  uint32_t fuel = 0;
  uint32_t index = 0;
  Findings *findings = nullptr;  ///< With any checker.
  bool isParallel = false;       ///< More than one host thread.
  uint64_t residentClusters = 1; ///< On the whole device, with caches.
  uint32_t order = 0;            ///< Number among the warps of the cluster.
  /// Lanes between barrier.cluster.arrive and .wait, and the phase in which
  /// each arrived.
  uint32_t clusterArrived = 0, clusterPhase = 0;
  uint64_t localLine = 0; ///< Its local memory as lines of the device.
  bool event = false;     ///< The scheduler must look before the next one.
  bool yield = false;     ///< Waiting for another warp: give up the slice.
  bool rotate = false;    ///< Fairness: pick another group than the first.
  bool apart = false;     ///< The next aligned barrier has all it will get.
  uint64_t issued = 0;
  std::vector<Group> groups;                     ///< All but the running one.
  std::vector<std::array<uint32_t, 32>> returns; ///< By depth.
  /// Registers of outer activations, a stack for each lane.
  std::array<std::vector<uint8_t>, 32> saved;
  uint32_t alive() const { return lanes & ~exited; }

  template <typename T>
  T *reg(int32_t offset) {
    return reinterpret_cast<T *>(regs + offset);
  }
};

struct Block {
  Launch *launch = nullptr;
  uint64_t linear = 0;
  Dim3 id;
  Cluster *cluster = nullptr;
  uint32_t rank = 0; ///< In the cluster.
  uint8_t *shared = nullptr;
  uint32_t liveThreads = 0;
  std::vector<Warp> warps;
  BarrierState barriers[16];
  uint64_t instructions = 0;
};

/// Blocks that run together; mostly there is one.
struct Cluster {
  std::vector<Block> blocks;
  uint32_t arrived = 0, liveThreads = 0;
  uint32_t phase = 0;    ///< Parity of the cluster's barrier.
  bool progress = false; ///< A barrier was released in this round.
};

struct AllocationCounters {
  Traffic load, store, atomic;
};

/// One host thread of a launch.
struct Worker {
  Launch *launch = nullptr;
  std::vector<InstCounters> counters;
  std::vector<Span> spans;
  std::vector<AllocationCounters> perAllocation;
  Traffic localLoad, localStore;
  SharedTraffic sharedLoad, sharedStore, sharedAtomic;
  uint64_t divergent = 0, warps = 0, blocks = 0;
  std::vector<std::pair<uint64_t, std::string>> printed; ///< By block.
  std::string *trace = nullptr;
  bool counting = true;   ///< Else only results matter.
  bool recording = false; ///< Requests go to `requests`, for the caches.
  RequestTrace requests;
  Checker *checker = nullptr; ///< Null when all checks are off.
  Cluster cluster;
  uint64_t clusterNumber = 0;
  alignas(32) uint8_t scratch[32]; ///< Where bad accesses go.
  /// Register files at the start, by warp of a block, but for what differs
  /// from block to block.
  std::vector<uint8_t> images;
  std::vector<SpecialSlot> blockSpecials;
  std::vector<uint8_t> fileStorage, localStorage, sharedStorage;
};

/// Makes the register files that the warps of a block start with.
void prepareImages(Worker &worker);
/// Sets up cluster number `linear` of the launch in the worker.
void prepareCluster(Worker &worker, uint64_t linear);
/// Bytes between the shared memories of two blocks of a cluster.
size_t sharedStride(const Launch &launch);

/// Throws Trap with everything a user needs to find the access.
[[noreturn]] void trap(Warp &warp, const Inst &inst, unsigned lane,
                       const std::string &what);

//===-- Scheduling ---------------------------------------------------------=//

/// Runs one warp until it blocks, ends or has used its slice.
void runWarp(Warp &warp);
/// Runs all warps of the blocks to the end; throws Trap.
void runCluster(Cluster &cluster);
/// Splits `mask` off the running group as a ready group at `pc`.
void splitGroup(Warp &warp, uint32_t mask, uint32_t pc);
/// True when all `members` are in `mask` or gone; else the lanes of `mask`
/// wait at this instruction and the handler must return.
bool converged(Warp &warp, const Inst &inst, uint32_t &mask, uint32_t members);
/// True when the lanes of `mask` may arrive at an aligned barrier: all lanes
/// that are left, or no other can come. Else they wait at this instruction, as
/// for `converged`.
bool aligned(Warp &warp, const Inst &inst, uint32_t mask);
/// The lanes of `mask` end.
void exitLanes(Warp &warp, uint32_t mask);
/// The lanes of `mask` arrive at a barrier and wait there (or go on).
void arrive(Warp &warp, const Inst &inst, uint32_t mask, unsigned id,
            uint32_t count, bool wait);
/// The lanes of `mask` arrive at the barrier of the cluster.
void arriveCluster(Warp &warp, const Inst &inst, uint32_t mask);
/// They wait until all threads of the cluster have arrived.
void waitCluster(Warp &warp, const Inst &inst, uint32_t mask);
/// The lanes of `mask` wait for `members` at any bar.warp.sync.
void warpBarrier(Warp &warp, const Inst &inst, uint32_t mask, uint32_t members);

//===-- Lane loops ---------------------------------------------------------=//

template <typename S>
inline void commit(S *__restrict d, const S *__restrict t, uint32_t mask) {
  if (mask == fullMask) {
    for (unsigned l = 0; l < 32; ++l)
      d[l] = t[l];
    return;
  }
  for (unsigned l = 0; l < 32; ++l)
    d[l] = (mask >> l) & 1 ? t[l] : d[l];
}

template <typename F>
inline void forLanes(uint32_t mask, F body) {
  for (; mask; mask &= mask - 1)
    body(unsigned(__builtin_ctz(mask)));
}

/// The storage of one lane of a value of `bytes` bytes.
template <typename T>
using Lane = std::conditional_t<(sizeof(T) > 4), uint64_t, uint32_t>;

template <typename T, typename S>
inline T fromLane(S bits) {
  if constexpr (std::is_floating_point_v<T>) {
    T value;
    memcpy(&value, &bits, sizeof value);
    return value;
  } else {
    return T(bits);
  }
}

template <typename S, typename T>
inline S toLane(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    S bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
  } else {
    return S(std::make_unsigned_t<T>(value));
  }
}

template <typename D, typename A, typename F>
inline void map1(Warp &w, const Inst &i, uint32_t mask, F f) {
  const auto *a = w.reg<Lane<A>>(i.a);
  alignas(64) Lane<D> t[32];
  for (unsigned l = 0; l < 32; ++l)
    t[l] = toLane<Lane<D>>(D(f(fromLane<A>(a[l]))));
  commit(w.reg<Lane<D>>(i.d), t, mask);
}

template <typename D, typename A, typename B, typename F>
inline void map2(Warp &w, const Inst &i, uint32_t mask, F f) {
  const auto *a = w.reg<Lane<A>>(i.a);
  const auto *b = w.reg<Lane<B>>(i.b);
  alignas(64) Lane<D> t[32];
  for (unsigned l = 0; l < 32; ++l)
    t[l] = toLane<Lane<D>>(D(f(fromLane<A>(a[l]), fromLane<B>(b[l]))));
  commit(w.reg<Lane<D>>(i.d), t, mask);
}

template <typename D, typename A, typename B, typename C, typename F>
inline void map3(Warp &w, const Inst &i, uint32_t mask, F f) {
  const auto *a = w.reg<Lane<A>>(i.a);
  const auto *b = w.reg<Lane<B>>(i.b);
  const auto *c = w.reg<Lane<C>>(i.c);
  alignas(64) Lane<D> t[32];
  for (unsigned l = 0; l < 32; ++l)
    t[l] = toLane<Lane<D>>(
        D(f(fromLane<A>(a[l]), fromLane<B>(b[l]), fromLane<C>(c[l]))));
  commit(w.reg<Lane<D>>(i.d), t, mask);
}

} // namespace mlir::fuse::emu

#endif // FUSE_LIB_EMULATOR_MACHINE_H
