//===- Entries.cpp - The exported functions -------------------------------===//
//
// The mgpu* functions have the signatures that MLIR 22's gpu-to-llvm calls;
// the fuseRuntime* functions are declared in Runtime.h. Each is a thin layer
// over State and Backend that lets no exception out.
//
//===----------------------------------------------------------------------===//
#include "State.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iterator>

using namespace fuse::runtime;

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {
std::string hex(const void *pointer) {
  char text[32];
  snprintf(text, sizeof text, "%p", pointer);
  return text;
}

/// Runs `body`, which returns an Error, as the call `name`.
template <typename F>
bool guarded(const char *name, F body) {
  State &state = State::get();
  Error error;
  try {
    error = body(state);
  } catch (const std::exception &failure) {
    error = std::string("internal error: ") + failure.what();
  }
  if (error.empty())
    return true;
  state.report(name, error);
  return false;
}

template <typename... Args>
void trace(const char *name, const Args &...args) {
  State &state = State::get();
  if (!state.tracing())
    return;
  std::string text = std::string(name) + "(";
  const char *comma = "";
  ((text += comma + std::string(args), comma = ", "), ...);
  state.traceCall(text + ")");
}
std::string num(uint64_t value) { return std::to_string(value); }
} // namespace

//===-- Modules and launches -----------------------------------------------=//

EXPORT void *mgpuModuleLoad(void *data, size_t gpuBlobSize) {
  trace("mgpuModuleLoad", hex(data), num(gpuBlobSize));
  void *module = nullptr;
  guarded("mgpuModuleLoad", [&](State &state) {
    return state.backend().loadModule(data, gpuBlobSize, -1, module);
  });
  return module;
}

EXPORT void *mgpuModuleLoadJIT(void *data, int optLevel) {
  trace("mgpuModuleLoadJIT", hex(data), std::to_string(optLevel));
  void *module = nullptr;
  guarded("mgpuModuleLoadJIT", [&](State &state) {
    return state.backend().loadModule(data, 0, optLevel, module);
  });
  return module;
}

EXPORT void mgpuModuleUnload(void *module) {
  trace("mgpuModuleUnload", hex(module));
  guarded("mgpuModuleUnload",
          [&](State &state) { return state.backend().unloadModule(module); });
}

EXPORT void *mgpuModuleGetFunction(void *module, const char *name) {
  trace("mgpuModuleGetFunction", hex(module), name);
  void *function = nullptr;
  guarded("mgpuModuleGetFunction", [&](State &state) {
    return state.backend().getFunction(module, name, function);
  });
  return function;
}

static void launch(const char *name, const LaunchRequest &request) {
  State &state = State::get();
  if (state.tracing()) {
    std::string text = std::string(name) + "(" +
                       state.backend().functionName(request.function) +
                       ", grid";
    for (int64_t extent : request.grid)
      text += " " + std::to_string(extent);
    text += ", block";
    for (int64_t extent : request.block)
      text += " " + std::to_string(extent);
    state.traceCall(text + ", shared " +
                    std::to_string(request.dynamicSharedBytes) + ")");
  }
  try {
    state.runLaunch(name, request);
  } catch (const std::exception &failure) {
    state.report(name, std::string("internal error: ") + failure.what());
  }
}

EXPORT void mgpuLaunchKernel(void *function, intptr_t gridX, intptr_t gridY,
                             intptr_t gridZ, intptr_t blockX, intptr_t blockY,
                             intptr_t blockZ, int32_t smem, void *stream,
                             void **params, void **extra, size_t paramsCount) {
  LaunchRequest request{function,
                        {1, 1, 1},
                        {gridX, gridY, gridZ},
                        {blockX, blockY, blockZ},
                        uint32_t(smem),
                        stream,
                        params,
                        extra,
                        paramsCount};
  launch("mgpuLaunchKernel", request);
}

EXPORT void mgpuLaunchClusterKernel(void *function, intptr_t clusterX,
                                    intptr_t clusterY, intptr_t clusterZ,
                                    intptr_t gridX, intptr_t gridY,
                                    intptr_t gridZ, intptr_t blockX,
                                    intptr_t blockY, intptr_t blockZ,
                                    int32_t smem, void *stream, void **params,
                                    void **extra) {
  LaunchRequest request{function,
                        {clusterX, clusterY, clusterZ},
                        {gridX, gridY, gridZ},
                        {blockX, blockY, blockZ},
                        uint32_t(smem),
                        stream,
                        params,
                        extra,
                        0};
  launch("mgpuLaunchClusterKernel", request);
}

//===-- Streams and events -------------------------------------------------=//

EXPORT void *mgpuStreamCreate() {
  trace("mgpuStreamCreate");
  void *stream = nullptr;
  guarded("mgpuStreamCreate",
          [&](State &state) { return state.backend().createStream(stream); });
  return stream;
}
EXPORT void mgpuStreamDestroy(void *stream) {
  trace("mgpuStreamDestroy", hex(stream));
  if (stream)
    guarded("mgpuStreamDestroy", [&](State &state) {
      return state.backend().destroyStream(stream);
    });
}
EXPORT void mgpuStreamSynchronize(void *stream) {
  trace("mgpuStreamSynchronize", hex(stream));
  guarded("mgpuStreamSynchronize", [&](State &state) {
    return state.backend().synchronizeStream(stream);
  });
}
EXPORT void mgpuStreamWaitEvent(void *stream, void *event) {
  trace("mgpuStreamWaitEvent", hex(stream), hex(event));
  guarded("mgpuStreamWaitEvent", [&](State &state) {
    return state.backend().waitEvent(stream, event);
  });
}
EXPORT void *mgpuEventCreate() {
  trace("mgpuEventCreate");
  void *event = nullptr;
  guarded("mgpuEventCreate",
          [&](State &state) { return state.backend().createEvent(event); });
  return event;
}
EXPORT void mgpuEventDestroy(void *event) {
  trace("mgpuEventDestroy", hex(event));
  if (event)
    guarded("mgpuEventDestroy",
            [&](State &state) { return state.backend().destroyEvent(event); });
}
EXPORT void mgpuEventSynchronize(void *event) {
  trace("mgpuEventSynchronize", hex(event));
  guarded("mgpuEventSynchronize", [&](State &state) {
    return state.backend().synchronizeEvent(event);
  });
}
EXPORT void mgpuEventRecord(void *event, void *stream) {
  trace("mgpuEventRecord", hex(event), hex(stream));
  guarded("mgpuEventRecord", [&](State &state) {
    return state.backend().recordEvent(event, stream);
  });
}

//===-- Memory -------------------------------------------------------------=//

EXPORT void *mgpuMemAlloc(uint64_t sizeBytes, void *stream, bool isHostShared) {
  trace("mgpuMemAlloc", num(sizeBytes), hex(stream), num(isHostShared));
  void *pointer = nullptr;
  guarded("mgpuMemAlloc", [&](State &state) {
    Error error = state.backend().allocate(sizeBytes, isHostShared, pointer);
    if (error.empty())
      state.recordAllocation(pointer, sizeBytes);
    return error;
  });
  return pointer;
}
EXPORT void mgpuMemFree(void *pointer, void *stream) {
  trace("mgpuMemFree", hex(pointer), hex(stream));
  guarded("mgpuMemFree", [&](State &state) {
    Error error = state.backend().release(pointer);
    if (error.empty())
      state.recordRelease(pointer);
    return error;
  });
}
EXPORT void mgpuMemcpy(void *dst, void *src, size_t sizeBytes, void *stream) {
  trace("mgpuMemcpy", hex(dst), hex(src), num(sizeBytes), hex(stream));
  guarded("mgpuMemcpy", [&](State &state) -> Error {
    if (!sizeBytes)
      return {};
    Error error = state.backend().copy(dst, src, sizeBytes, stream);
    if (error.empty())
      state.recordCopy(dst, src, sizeBytes);
    return error;
  });
}
static void setMemory(const char *name, void *dst, uint32_t value,
                      unsigned bits, size_t count, void *stream) {
  trace(name, hex(dst), num(value), num(count), hex(stream));
  guarded(name, [&](State &state) -> Error {
    if (!count)
      return {};
    Error error = state.backend().set(dst, value, bits, count, stream);
    if (error.empty())
      state.recordSet(count * (bits / 8));
    return error;
  });
}
EXPORT void mgpuMemset32(void *dst, unsigned value, size_t count,
                         void *stream) {
  setMemory("mgpuMemset32", dst, value, 32, count, stream);
}
EXPORT void mgpuMemset16(void *dst, unsigned short value, size_t count,
                         void *stream) {
  setMemory("mgpuMemset16", dst, value, 16, count, stream);
}

EXPORT void mgpuMemHostRegister(void *pointer, uint64_t sizeBytes) {
  trace("mgpuMemHostRegister", hex(pointer), num(sizeBytes));
  guarded("mgpuMemHostRegister", [&](State &state) {
    return state.backend().registerHost(pointer, sizeBytes);
  });
}
EXPORT void mgpuMemHostUnregister(void *pointer) {
  trace("mgpuMemHostUnregister", hex(pointer));
  guarded("mgpuMemHostUnregister", [&](State &state) {
    return state.backend().unregisterHost(pointer);
  });
}

namespace {
/// The head of a ranked memref descriptor; sizes and strides follow.
struct MemRef {
  char *allocated;
  char *aligned;
  int64_t offset;
  int64_t sizesAndStrides[1];
};
} // namespace

EXPORT void mgpuMemHostRegisterMemRef(int64_t rank, MemRef *memref,
                                      int64_t elementSizeBytes) {
  guarded("mgpuMemHostRegisterMemRef", [&](State &state) -> Error {
    const int64_t *sizes = memref->sizesAndStrides, *strides = sizes + rank;
    int64_t dense = 1;
    for (int64_t i = rank - 1; i >= 0; --i) {
      if (sizes[i] != 1 && strides[i] != dense)
        return "the memref is not contiguous";
      dense *= sizes[i];
    }
    return state.backend().registerHost(memref->aligned +
                                            memref->offset * elementSizeBytes,
                                        uint64_t(dense * elementSizeBytes));
  });
}
EXPORT void mgpuMemHostUnregisterMemRef(int64_t, MemRef *memref,
                                        int64_t elementSizeBytes) {
  mgpuMemHostUnregister(memref->aligned + memref->offset * elementSizeBytes);
}

//===-- Tensor maps --------------------------------------------------------=//

EXPORT void mgpuTensorMapEncodeTiled(void *tensorMap, uint32_t tensorDataType,
                                     uint32_t tensorRank, void *globalAddress,
                                     const uint64_t *globalDim,
                                     const uint64_t *globalStrides,
                                     const uint32_t *boxDim,
                                     const uint32_t *elementStrides,
                                     uint32_t interleave, uint32_t swizzle,
                                     uint32_t l2Promotion, uint32_t oobFill) {
  trace("mgpuTensorMapEncodeTiled", num(tensorDataType), num(tensorRank),
        hex(globalAddress));
  guarded("mgpuTensorMapEncodeTiled", [&](State &state) {
    return state.backend().encodeTensorMap(
        {tensorDataType, tensorRank, globalAddress, globalDim, globalStrides,
         boxDim, elementStrides, interleave, swizzle, l2Promotion, oobFill},
        tensorMap);
  });
}

/// The map of a memref, in device memory that nobody frees, as MLIR has it.
/// Sizes of `inputBoxDims` are outermost first, as those of the memref.
EXPORT void *
mgpuTensorMapEncodeTiledMemref(int64_t tensorRank, MemRef *memref,
                               uint32_t tensorDataType, uint32_t interleave,
                               uint32_t swizzle, uint32_t l2Promotion,
                               uint32_t oobFill, const int64_t *inputBoxDims) {
  trace("mgpuTensorMapEncodeTiledMemref", num(tensorDataType), num(tensorRank),
        hex(memref->aligned));
  void *onDevice = nullptr;
  guarded("mgpuTensorMapEncodeTiledMemref", [&](State &state) -> Error {
    if (tensorRank < 1 || tensorRank > 5)
      return "rank " + std::to_string(tensorRank) + " is not within 1 to 5";
    // By the driver's numbers of types.
    static const unsigned bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    if (tensorDataType >= std::size(bytes))
      return "unknown element type " + std::to_string(tensorDataType);
    const int64_t *sizes = memref->sizesAndStrides,
                  *strides = sizes + tensorRank;
    uint64_t dims[5], pitches[5];
    uint32_t box[5], steps[5] = {1, 1, 1, 1, 1};
    for (int64_t k = 0; k < tensorRank; ++k) {
      int64_t outer = tensorRank - 1 - k;
      dims[k] = uint64_t(sizes[outer]);
      box[k] = uint32_t(inputBoxDims[outer]);
      if (outer)
        pitches[k] = uint64_t(strides[outer - 1]) * bytes[tensorDataType];
    }
    alignas(64) char map[128];
    Error error = state.backend().encodeTensorMap(
        {tensorDataType, uint32_t(tensorRank), memref->aligned, dims, pitches,
         box, steps, interleave, swizzle, l2Promotion, oobFill},
        map);
    if (error.empty())
      error = state.backend().allocate(sizeof map, false, onDevice);
    if (!error.empty())
      return error;
    state.recordAllocation(onDevice, sizeof map);
    return state.backend().copy(onDevice, map, sizeof map, nullptr);
  });
  return onDevice;
}

EXPORT void mgpuSetDefaultDevice(int32_t device) {
  trace("mgpuSetDefaultDevice", std::to_string(device));
  guarded("mgpuSetDefaultDevice",
          [&](State &state) { return state.backend().setDevice(device); });
}

//===-- Runtime.h ----------------------------------------------------------=//

EXPORT const char *fuseRuntimeBackend(void) {
  return State::get().backend().name();
}
EXPORT void fuseRuntimeReset(void) { State::get().reset(); }
EXPORT void fuseRuntimeSetErrorHandler(FuseRuntimeErrorHandler handler,
                                       void *user) {
  State::get().setErrorHandler(handler, user);
}
EXPORT void fuseRuntimeSetLaunchCallback(FuseRuntimeLaunchCallback callback,
                                         void *user) {
  State::get().setLaunchCallback(callback, user);
}
EXPORT size_t fuseRuntimeNumLaunches(void) {
  return State::get().numLaunches();
}
EXPORT int fuseRuntimeGetLaunch(size_t index, FuseRuntimeLaunch *launch) {
  return State::get().getLaunch(index, *launch) ? 0 : 1;
}
EXPORT void fuseRuntimeGetMemory(FuseRuntimeMemory *memory) {
  *memory = State::get().memory();
}
EXPORT void fuseRuntimeSetHostThreads(unsigned threads) {
  State::get().backend().setHostThreads(threads);
}
EXPORT void fuseRuntimeSetCaches(const FuseRuntimeDevice *device) {
  mlir::fuse::emu::DeviceShape shape;
  if (device)
    shape = {device->smCount,          device->l2Bytes,
             device->sharedBytesPerSM, device->registersPerSM,
             device->maxThreadsPerSM,  device->maxBlocksPerSM};
  State::get().backend().setCaches(device ? &shape : nullptr);
}
EXPORT void fuseRuntimeSetRegisters(const char *name, uint32_t registers) {
  State::get().backend().setRegisters(name, registers);
}
EXPORT void fuseRuntimeSetSampleBlocks(uint64_t blocks, uint64_t seed) {
  State::get().backend().setSampleBlocks(blocks, seed);
}
EXPORT const char *fuseRuntimeClassName(unsigned index) {
  using namespace mlir::fuse::emu;
  return index < numInstClasses ? instClassName(InstClass(index)) : nullptr;
}
EXPORT int fuseRuntimeWriteReport(const char *path) {
  return State::get().writeReport(path) ? 0 : 1;
}
EXPORT char *fuseRuntimeReportJson(void) {
  return strdup(State::get().reportJson().c_str());
}
