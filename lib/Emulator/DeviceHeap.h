//===- DeviceHeap.h - malloc and free of the device ---------------*- C++ -*-=//
//
// One heap for each module that allocates; it lasts from launch to launch.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_LIB_EMULATOR_DEVICEHEAP_H
#define FUSE_LIB_EMULATOR_DEVICEHEAP_H

#include "fuse-mlir/Emulator/Memory.h"

namespace mlir::fuse::emu {

/// Thread-safe. Chunks are multiples of 16 bytes; the lowest that fits is
/// taken.
class DeviceHeap {
public:
  /// CUDA's default of cudaLimitMallocHeapSize.
  static constexpr uint64_t bytes = uint64_t(8) << 20;

  explicit DeviceHeap(DeviceMemory &memory);
  ~DeviceHeap();
  DeviceHeap(const DeviceHeap &) = delete;
  DeviceHeap &operator=(const DeviceHeap &) = delete;

  /// 0 when no chunk is large enough.
  uint64_t allocate(uint64_t size);
  /// False when no chunk in use starts there. With `park` it is not used again
  /// before the end of the launch, so that no two blocks write the same bytes.
  bool release(uint64_t address, bool park);
  void endLaunch();

private:
  DeviceMemory &memory;
  std::mutex mutex;
  uint64_t base = 0;
  std::map<uint64_t, uint64_t> used; ///< Chunks: address and bytes.
  std::vector<uint64_t> parked;      ///< Of those, the ones that are free.
};

} // namespace mlir::fuse::emu

#endif // FUSE_LIB_EMULATOR_DEVICEHEAP_H
