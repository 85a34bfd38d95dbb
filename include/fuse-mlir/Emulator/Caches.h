//===- Caches.h - A simulated L1 and L2 ---------------------------*- C++ -*-=//
//
// What of a program's global and local traffic reaches L2 and DRAM. Lines have
// 128 bytes in four sectors of 32. Launches that are given the same `Caches`
// share its L2, as kernels of one program do; docs/Emulator.md states what is
// simplified.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_MLIR_EMULATOR_CACHES_H
#define FUSE_MLIR_EMULATOR_CACHES_H

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace mlir::fuse::emu {

/// The part of a GPU that decides what is resident and what is cached. The
/// initial values are those of an H200 SXM.
struct DeviceShape {
  uint32_t smCount = 132;
  uint64_t l2Bytes = 50 << 20;
  uint64_t sharedBytesPerSM = 228 << 10; ///< The rest of 28 KiB more is L1.
  uint32_t registersPerSM = 65536;
  uint32_t maxThreadsPerSM = 2048;
  uint32_t maxBlocksPerSM = 32;
};

/// Parses "sms=108,l2=41943040,shared=167936,registers=65536,threads=2048,
/// blocks=32", each key optional, into `shape`; false with a reason.
bool parseDeviceShape(std::string_view text, DeviceShape &shape,
                      std::string &error);

/// Blocks of `threads` threads that one SM holds at a time, at least 1.
/// `registers` a thread (0: no limit) are allocated in units of 256 a warp, of
/// shared memory each block takes 1 KiB more than it asks for.
uint32_t residentBlocks(const DeviceShape &shape, uint64_t threads,
                        uint64_t sharedBytes, uint32_t registers);

/// Traffic in 32-byte sectors of one launch, or of several summed up.
struct CacheTraffic {
  bool simulated = false;
  uint64_t l1Hits = 0;  ///< Of loads.
  uint64_t l2Reads = 0; ///< Loads that missed L1 or went past it.
  uint64_t l2Writes = 0;
  uint64_t l2Atomics = 0;
  uint64_t l2Hits = 0; ///< Of reads and atomics.
  uint64_t dramReads = 0;
  uint64_t dramWrites = 0; ///< Written back while this launch ran.
  uint64_t l2Dirty = 0;    ///< Left in L2, not written back, at its end.
  uint64_t l2Sectors() const { return l2Reads + l2Writes + l2Atomics; }
  uint64_t dramSectors() const { return dramReads + dramWrites; }
};

class CacheState;

/// The caches of one device, empty at first. Not thread-safe: launches that
/// share it come one after the other.
class Caches {
public:
  explicit Caches(const DeviceShape &shape);
  ~Caches();
  Caches(const Caches &) = delete;
  Caches &operator=(const Caches &) = delete;

  const DeviceShape &getShape() const;
  /// The host wrote `size` bytes at device address `address`: L2 forgets them.
  void hostWrote(uint64_t address, uint64_t size);
  /// A copy or memset on the device wrote them: they are in L2.
  void deviceWrote(uint64_t address, uint64_t size);
  CacheState &getState() { return *state; }

private:
  std::unique_ptr<CacheState> state;
};

} // namespace mlir::fuse::emu

#endif // FUSE_MLIR_EMULATOR_CACHES_H
