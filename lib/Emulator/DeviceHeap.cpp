//===- DeviceHeap.cpp - malloc and free of the device ---------------------===//
//
// See DeviceHeap.h.
//
//===----------------------------------------------------------------------===//
#include "DeviceHeap.h"

#include <algorithm>

using namespace mlir::fuse::emu;

DeviceHeap::DeviceHeap(DeviceMemory &memory) : memory(memory) {
  base =
      reinterpret_cast<uint64_t>(memory.allocate(bytes, "the device's heap"));
}

DeviceHeap::~DeviceHeap() { memory.release(reinterpret_cast<void *>(base)); }

uint64_t DeviceHeap::allocate(uint64_t size) {
  if (!base || size > bytes)
    return 0;
  size = (std::max<uint64_t>(size, 1) + 15) & ~uint64_t(15);
  std::lock_guard<std::mutex> lock(mutex);
  uint64_t at = base;
  for (auto [start, length] : used) {
    if (at + size <= start)
      break;
    at = start + length;
  }
  if (at + size > base + bytes)
    return 0;
  used[at] = size;
  return at;
}

bool DeviceHeap::release(uint64_t address, bool park) {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = used.find(address);
  if (it == used.end() ||
      std::find(parked.begin(), parked.end(), address) != parked.end())
    return false;
  if (park)
    parked.push_back(address);
  else
    used.erase(it);
  return true;
}

void DeviceHeap::endLaunch() {
  std::lock_guard<std::mutex> lock(mutex);
  for (uint64_t address : parked)
    used.erase(address);
  parked.clear();
}
