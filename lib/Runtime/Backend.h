//===- Backend.h - What executes the runtime's calls --------------*- C++ -*-=//
//
// One implementation over the PTX emulator, one over the CUDA driver. Calls
// return an error text, empty on success; nothing throws.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_LIB_RUNTIME_BACKEND_H
#define FUSE_LIB_RUNTIME_BACKEND_H

#include "fuse-mlir/Emulator/Counters.h"

#include <cstdint>
#include <memory>
#include <string>

namespace fuse::runtime {

using Error = std::string;
using Handle = void *;

struct LaunchRequest {
  Handle function = nullptr;
  int64_t cluster[3] = {1, 1, 1};
  int64_t grid[3], block[3];
  uint32_t dynamicSharedBytes = 0;
  Handle stream = nullptr;
  void **params = nullptr;
  void **extra = nullptr;
  size_t numParams = 0; ///< 0 when the caller does not say.
};

struct LaunchResult {
  double milliseconds = 0;
  uint32_t staticSharedBytes = 0;
  bool hasCounters = false;
  mlir::fuse::emu::LaunchStats stats;
  /// Where the time is only known later: to be asked with `elapsed`.
  Handle timer = nullptr;
};

/// The arguments of the driver's cuTensorMapEncodeTiled, in its order;
/// enumerations are its numbers.
struct TensorMapRequest {
  uint32_t dataType, rank;
  void *address;
  const uint64_t *dims;    ///< Elements, innermost first.
  const uint64_t *strides; ///< Bytes, of dimensions 1 and up.
  const uint32_t *box, *steps;
  uint32_t interleave, swizzle, l2Promotion, oobFill;
};

class Backend {
public:
  virtual ~Backend() = default;
  virtual const char *name() const = 0;

  /// `size` is 0 for NUL-terminated text.
  virtual Error loadModule(const void *data, size_t size, int optLevel,
                           Handle &module) = 0;
  virtual Error unloadModule(Handle module) = 0;
  virtual Error getFunction(Handle module, const char *name,
                            Handle &function) = 0;
  virtual std::string functionName(Handle function) = 0;
  virtual Error launch(const LaunchRequest &request, LaunchResult &result) = 0;
  /// Milliseconds of a timer, which is released; -1 when it is not known.
  virtual double elapsed(Handle timer) = 0;

  virtual Error createStream(Handle &stream) = 0;
  virtual Error destroyStream(Handle stream) = 0;
  virtual Error synchronizeStream(Handle stream) = 0;
  virtual Error waitEvent(Handle stream, Handle event) = 0;
  virtual Error createEvent(Handle &event) = 0;
  virtual Error destroyEvent(Handle event) = 0;
  virtual Error synchronizeEvent(Handle event) = 0;
  virtual Error recordEvent(Handle event, Handle stream) = 0;

  virtual Error allocate(uint64_t size, bool hostShared, void *&pointer) = 0;
  virtual Error release(void *pointer) = 0;
  virtual Error copy(void *to, const void *from, size_t size,
                     Handle stream) = 0;
  virtual Error set(void *to, uint32_t value, unsigned bits, size_t count,
                    Handle stream) = 0;
  virtual Error registerHost(void *pointer, uint64_t size) = 0;
  virtual Error unregisterHost(void *pointer) = 0;
  /// Writes the 128 bytes that kernels take as a tensor map.
  virtual Error encodeTensorMap(const TensorMapRequest &request, void *map) = 0;
  virtual Error setDevice(int32_t device) = 0;
  virtual void setHostThreads(unsigned threads) = 0;

  /// What the emulator counts beyond the requests of the kernels; a GPU has
  /// its own caches and runs every block.
  virtual void setCaches(const mlir::fuse::emu::DeviceShape *) {}
  virtual void setRegisters(const std::string & /*kernel*/, uint32_t) {}
  virtual void setSampleBlocks(uint64_t /*blocks*/, uint64_t /*seed*/) {}
};

/// Set up by FUSE_RUNTIME_CHECK, FUSE_RUNTIME_CACHES and
/// FUSE_RUNTIME_SAMPLE_BLOCKS; null with the reason when one has no legal
/// value.
std::unique_ptr<Backend> createEmulatorBackend(Error &error);
/// Null with the reason when there is no driver or no device.
std::unique_ptr<Backend> createCudaBackend(Error &error);

} // namespace fuse::runtime

#endif // FUSE_LIB_RUNTIME_BACKEND_H
