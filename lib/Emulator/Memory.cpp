//===- Memory.cpp - Device memory of the emulator -------------------------===//
//
// A mutex-protected map by base address. Launches take a snapshot, so the
// kernels themselves never lock.
//
//===----------------------------------------------------------------------===//
#include "fuse-mlir/Emulator/Memory.h"

#include <cstdlib>
#include <cstring>

using namespace mlir::fuse::emu;

static constexpr uint64_t alignment = 256;
/// Bytes that are released but kept from new allocations.
static constexpr uint64_t maxQuarantine = uint64_t(64) << 20;
/// Device addresses start here, so that 0 is none.
static constexpr uint64_t deviceBase = uint64_t(1) << 20;

DeviceMemory::~DeviceMemory() {
  for (auto &[base, allocation] : table)
    if (!allocation.isHost)
      std::free(reinterpret_cast<void *>(base));
  for (Allocation &allocation : quarantine)
    std::free(reinterpret_cast<void *>(allocation.base));
}

void DeviceMemory::placeOnDevice(Allocation &allocation) {
  uint64_t within = allocation.base % 128, start = deviceBase;
  uint64_t need = (within + std::max<uint64_t>(allocation.size, 1) + 255) /
                  alignment * alignment;
  for (auto &[from, to] : placed) {
    if (start + need <= from)
      break;
    start = to;
  }
  placed[start] = start + need;
  allocation.device = start + within;
}

void *DeviceMemory::allocate(uint64_t size, std::string name, bool readOnly) {
  if (size > (uint64_t(1) << 46))
    return nullptr;
  uint64_t rounded =
      (std::max<uint64_t>(size, 1) + alignment - 1) & ~(alignment - 1);
  void *pointer = std::aligned_alloc(alignment, rounded);
  if (!pointer)
    return nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  Allocation allocation;
  allocation.base = reinterpret_cast<uint64_t>(pointer);
  allocation.size = size;
  allocation.isReadOnly = readOnly;
  allocation.name = std::move(name);
  if (tracking && allocation.name.empty())
    allocation.written =
        std::make_shared<std::vector<uint64_t>>((size + 63) / 64, 0);
  if (allocation.name.empty()) {
    live += size;
    peak = std::max(peak, live);
    ++liveAllocs;
    ++allAllocs;
  }
  allocation.serial = ++serials;
  placeOnDevice(allocation);
  table[allocation.base] = std::move(allocation);
  return pointer;
}

bool DeviceMemory::release(void *pointer) {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = table.find(reinterpret_cast<uint64_t>(pointer));
  if (it == table.end() || it->second.isHost)
    return false;
  if (it->second.name.empty()) {
    live -= it->second.size;
    --liveAllocs;
  }
  if (freed.size() >= 1024)
    freed.erase(freed.begin(), freed.begin() + 512);
  freed.push_back(it->second);
  freed.back().written = nullptr;
  placed.erase(it->second.device & ~(alignment - 1));
  if (!tracking) {
    std::free(pointer);
  } else {
    quarantined += it->second.size;
    quarantine.push_back(it->second);
    quarantine.back().written = nullptr;
  }
  table.erase(it);
  size_t gone = 0;
  for (; quarantined > maxQuarantine; ++gone) {
    quarantined -= quarantine[gone].size;
    std::free(reinterpret_cast<void *>(quarantine[gone].base));
  }
  quarantine.erase(quarantine.begin(), quarantine.begin() + gone);
  return true;
}

void DeviceMemory::markWritten(const void *pointer, uint64_t size) {
  std::lock_guard<std::mutex> lock(mutex);
  uint64_t base = reinterpret_cast<uint64_t>(pointer);
  auto it = table.upper_bound(base);
  if (it == table.begin())
    return;
  Allocation &allocation = std::prev(it)->second;
  if (!allocation.written || base - allocation.base >= allocation.size)
    return;
  uint64_t first = base - allocation.base;
  uint64_t last = std::min(first + size, allocation.size);
  for (uint64_t at = first; at < last; ++at)
    (*allocation.written)[at / 64] |= uint64_t(1) << (at % 64);
}

bool DeviceMemory::overlaps(uint64_t base, uint64_t size) const {
  auto it = table.lower_bound(base + std::max<uint64_t>(size, 1));
  if (it == table.begin())
    return false;
  --it;
  return it->second.base + std::max<uint64_t>(it->second.size, 1) > base;
}

bool DeviceMemory::registerHost(void *pointer, uint64_t size) {
  std::lock_guard<std::mutex> lock(mutex);
  uint64_t base = reinterpret_cast<uint64_t>(pointer);
  if (!base || overlaps(base, size))
    return false;
  Allocation allocation;
  allocation.base = base;
  allocation.size = size;
  allocation.serial = ++serials;
  allocation.isHost = true;
  placeOnDevice(allocation);
  table[base] = std::move(allocation);
  return true;
}

bool DeviceMemory::unregisterHost(void *pointer) {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = table.find(reinterpret_cast<uint64_t>(pointer));
  if (it == table.end() || !it->second.isHost)
    return false;
  placed.erase(it->second.device & ~(alignment - 1));
  table.erase(it);
  return true;
}

uint64_t DeviceMemory::deviceAddress(const void *pointer) const {
  std::lock_guard<std::mutex> lock(mutex);
  uint64_t address = reinterpret_cast<uint64_t>(pointer);
  auto it = table.upper_bound(address);
  if (it == table.begin() || address >= std::prev(it)->second.end())
    return 0;
  const Allocation &allocation = std::prev(it)->second;
  return allocation.device + (address - allocation.base);
}

std::vector<Allocation> DeviceMemory::snapshot() const {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<Allocation> result;
  result.reserve(table.size());
  for (auto &[base, allocation] : table)
    result.push_back(allocation);
  return result;
}

static std::string spell(const Allocation &allocation) {
  char text[128];
  snprintf(text, sizeof text, "allocation #%llu of %llu bytes at 0x%llx",
           (unsigned long long)allocation.serial,
           (unsigned long long)allocation.size,
           (unsigned long long)allocation.base);
  std::string result = text;
  if (!allocation.name.empty())
    result = "'" + allocation.name + "', " + result;
  if (allocation.isHost)
    result = "registered host " + result;
  return result;
}

std::string DeviceMemory::describe(uint64_t address) const {
  std::lock_guard<std::mutex> lock(mutex);
  auto after = table.upper_bound(address);
  if (after != table.begin()) {
    const Allocation &before = std::prev(after)->second;
    if (address - before.base < before.size)
      return "byte " + std::to_string(address - before.base) + " of " +
             spell(before);
  }
  for (size_t i = freed.size(); i-- > 0;)
    if (address - freed[i].base < freed[i].size)
      return "byte " + std::to_string(address - freed[i].base) + " of freed " +
             spell(freed[i]);
  if (after != table.begin()) {
    const Allocation &before = std::prev(after)->second;
    if (address - before.end() < (1 << 20))
      return std::to_string(address - before.end()) +
             " bytes past the end of " + spell(before);
  }
  if (after != table.end() && after->first - address < (1 << 20))
    return std::to_string(after->first - address) + " bytes before " +
           spell(after->second);
  return "in no allocation";
}

bool DeviceMemory::wasFreed(uint64_t address) const {
  std::lock_guard<std::mutex> lock(mutex);
  auto after = table.upper_bound(address);
  if (after != table.begin() && address < std::prev(after)->second.end())
    return false;
  for (const Allocation &allocation : freed)
    if (address - allocation.base < allocation.size)
      return true;
  return false;
}

uint64_t DeviceMemory::liveBytes() const {
  std::lock_guard<std::mutex> lock(mutex);
  return live;
}
uint64_t DeviceMemory::peakBytes() const {
  std::lock_guard<std::mutex> lock(mutex);
  return peak;
}
uint64_t DeviceMemory::liveCount() const {
  std::lock_guard<std::mutex> lock(mutex);
  return liveAllocs;
}
uint64_t DeviceMemory::totalCount() const {
  std::lock_guard<std::mutex> lock(mutex);
  return allAllocs;
}
