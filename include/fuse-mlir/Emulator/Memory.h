//===- Memory.h - Device memory of the emulator -------------------*- C++ -*-=//
//
// Device memory is host memory in a table of allocations, so that every
// access of a kernel can be checked and attributed to its allocation.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_MLIR_EMULATOR_MEMORY_H
#define FUSE_MLIR_EMULATOR_MEMORY_H

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace mlir::fuse::emu {

struct Allocation {
  uint64_t base = 0, size = 0;
  uint64_t serial = 0;
  /// Its address on a device of its own, which does not depend on the host:
  /// the lowest free one. The same modulo 128 as `base`.
  uint64_t device = 0;
  bool isHost = false;     ///< Registered, not owned.
  bool isReadOnly = false; ///< A `.const` variable.
  std::string name;
  /// One bit a byte: written since the allocation. Null: not tracked.
  std::shared_ptr<std::vector<uint64_t>> written;
  uint64_t end() const { return base + size; }
};

/// Thread-safe. Memory is in bytes; addresses are host addresses.
class DeviceMemory {
public:
  DeviceMemory() = default;
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;
  ~DeviceMemory();

  /// Uninitialised memory aligned to 256 bytes; a distinct non-null pointer
  /// also for size 0. Null when the host has no memory left.
  void *allocate(uint64_t size, std::string name = {}, bool readOnly = false);
  /// False when `pointer` is not the start of a live allocation.
  bool release(void *pointer);

  /// Makes host memory accessible to kernels until unregistered. False when
  /// it overlaps a live allocation (or for unregister: is not registered).
  bool registerHost(void *pointer, uint64_t size);
  bool unregisterHost(void *pointer);

  /// Allocations made from now on remember which bytes were written, for the
  /// checker of uninitialised reads; the host says so by `markWritten`. What is
  /// released then stays unused for a while, so that later accesses are found.
  void trackWrites(bool on) { tracking = on; }
  void markWritten(const void *pointer, uint64_t size);

  /// The device address of a byte of a live allocation, else 0.
  uint64_t deviceAddress(const void *pointer) const;
  /// The live allocations by ascending base.
  std::vector<Allocation> snapshot() const;
  /// "allocation #3 of 64 bytes [0x..., 0x...)", or the nearest neighbours.
  std::string describe(uint64_t address) const;

  /// True when the byte belonged to an allocation and to none now.
  bool wasFreed(uint64_t address) const;

  uint64_t liveBytes() const;
  uint64_t peakBytes() const;
  uint64_t liveCount() const;  ///< Without module variables and host memory.
  uint64_t totalCount() const; ///< Allocations ever made, likewise.

private:
  bool overlaps(uint64_t base, uint64_t size) const;
  void placeOnDevice(Allocation &allocation);
  bool tracking = false;
  mutable std::mutex mutex;
  std::map<uint64_t, Allocation> table;
  std::map<uint64_t, uint64_t> placed; ///< Device addresses: start and end.
  /// Freed ranges, newest last, to name a use after free; bounded.
  std::vector<Allocation> freed;
  std::vector<Allocation> quarantine; ///< Released but not yet free.
  uint64_t quarantined = 0;
  uint64_t live = 0, peak = 0, liveAllocs = 0, allAllocs = 0, serials = 0;
};

} // namespace mlir::fuse::emu

#endif // FUSE_MLIR_EMULATOR_MEMORY_H
