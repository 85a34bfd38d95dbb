//===- CudaBackend.cpp - The runtime over the CUDA driver -----------------===//
//
// The driver is opened at run time, so that nothing of CUDA is needed to
// build; the few declarations below are of its stable binary interface. Every
// launch is timed with a pair of events that are read later.
//
//===----------------------------------------------------------------------===//
#include "Backend.h"

#include <cstring>
#include <dlfcn.h>
#include <map>
#include <mutex>

using namespace fuse::runtime;

namespace {
using Status = int;
using DevicePtr = unsigned long long;

struct Driver {
  Status (*init)(unsigned);
  Status (*deviceGetCount)(int *);
  Status (*deviceGet)(int *, int);
  Status (*retainContext)(void **, int);
  Status (*pushContext)(void *);
  Status (*popContext)(void **);
  Status (*moduleLoad)(void **, const void *, unsigned, int *, void **);
  Status (*moduleUnload)(void *);
  Status (*moduleGetFunction)(void **, void *, const char *);
  Status (*functionGet)(int *, int, void *);
  Status (*functionSet)(void *, int, int);
  Status (*launchKernel)(void *, unsigned, unsigned, unsigned, unsigned,
                         unsigned, unsigned, unsigned, void *, void **,
                         void **);
  Status (*streamCreate)(void **, unsigned);
  Status (*streamDestroy)(void *);
  Status (*streamSynchronize)(void *);
  Status (*streamWaitEvent)(void *, void *, unsigned);
  Status (*eventCreate)(void **, unsigned);
  Status (*eventDestroy)(void *);
  Status (*eventSynchronize)(void *);
  Status (*eventRecord)(void *, void *);
  Status (*eventElapsed)(float *, void *, void *);
  Status (*memAlloc)(DevicePtr *, size_t);
  Status (*memAllocManaged)(DevicePtr *, size_t, unsigned);
  Status (*memFree)(DevicePtr);
  Status (*memcpyAsync)(DevicePtr, DevicePtr, size_t, void *);
  Status (*memsetD32)(DevicePtr, unsigned, size_t, void *);
  Status (*memsetD16)(DevicePtr, unsigned short, size_t, void *);
  Status (*hostRegister)(void *, size_t, unsigned);
  Status (*hostUnregister)(void *);
  /// Null before CUDA 12.
  Status (*encodeTiled)(void *, unsigned, unsigned, void *, const uint64_t *,
                        const uint64_t *, const uint32_t *, const uint32_t *,
                        unsigned, unsigned, unsigned, unsigned);
  Status (*errorName)(Status, const char **);
  Status (*errorString)(Status, const char **);
};

bool openDriver(Driver &driver, Error &error) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    error = "no CUDA driver (libcuda.so.1)";
    return false;
  }
  auto load = [&](auto &target, const char *name) {
    target =
        reinterpret_cast<std::decay_t<decltype(target)>>(dlsym(library, name));
    if (!target && error.empty())
      error = std::string("the CUDA driver has no '") + name + "'";
  };
  load(driver.init, "cuInit");
  load(driver.deviceGetCount, "cuDeviceGetCount");
  load(driver.deviceGet, "cuDeviceGet");
  load(driver.retainContext, "cuDevicePrimaryCtxRetain");
  load(driver.pushContext, "cuCtxPushCurrent_v2");
  load(driver.popContext, "cuCtxPopCurrent_v2");
  load(driver.moduleLoad, "cuModuleLoadDataEx");
  load(driver.moduleUnload, "cuModuleUnload");
  load(driver.moduleGetFunction, "cuModuleGetFunction");
  load(driver.functionGet, "cuFuncGetAttribute");
  load(driver.functionSet, "cuFuncSetAttribute");
  load(driver.launchKernel, "cuLaunchKernel");
  load(driver.streamCreate, "cuStreamCreate");
  load(driver.streamDestroy, "cuStreamDestroy_v2");
  load(driver.streamSynchronize, "cuStreamSynchronize");
  load(driver.streamWaitEvent, "cuStreamWaitEvent");
  load(driver.eventCreate, "cuEventCreate");
  load(driver.eventDestroy, "cuEventDestroy_v2");
  load(driver.eventSynchronize, "cuEventSynchronize");
  load(driver.eventRecord, "cuEventRecord");
  load(driver.eventElapsed, "cuEventElapsedTime");
  load(driver.memAlloc, "cuMemAlloc_v2");
  load(driver.memAllocManaged, "cuMemAllocManaged");
  load(driver.memFree, "cuMemFree_v2");
  load(driver.memcpyAsync, "cuMemcpyAsync");
  load(driver.memsetD32, "cuMemsetD32Async");
  load(driver.memsetD16, "cuMemsetD16Async");
  load(driver.hostRegister, "cuMemHostRegister_v2");
  load(driver.hostUnregister, "cuMemHostUnregister");
  driver.encodeTiled = reinterpret_cast<decltype(driver.encodeTiled)>(
      dlsym(library, "cuTensorMapEncodeTiled"));
  load(driver.errorName, "cuGetErrorName");
  load(driver.errorString, "cuGetErrorString");
  return error.empty();
}

struct Timer {
  void *start = nullptr, *stop = nullptr;
};

class CudaBackend final : public Backend {
public:
  Error open();
  const char *name() const override { return "cuda"; }
  Error loadModule(const void *data, size_t size, int optLevel,
                   Handle &module) override;
  Error unloadModule(Handle module) override {
    Scope scope(*this);
    return check(module ? cuda.moduleUnload(module) : 0, "cuModuleUnload");
  }
  Error getFunction(Handle module, const char *name, Handle &function) override;
  std::string functionName(Handle function) override {
    std::lock_guard<std::mutex> lock(mutex);
    auto it = names.find(function);
    return it == names.end() ? "<null>" : it->second;
  }
  Error launch(const LaunchRequest &request, LaunchResult &result) override;
  double elapsed(Handle timer) override;

  Error createStream(Handle &stream) override {
    Scope scope(*this); // 1: does not wait for the default stream.
    return check(cuda.streamCreate(&stream, 1), "cuStreamCreate");
  }
  Error destroyStream(Handle stream) override {
    Scope scope(*this);
    return check(cuda.streamDestroy(stream), "cuStreamDestroy");
  }
  Error synchronizeStream(Handle stream) override {
    Scope scope(*this);
    return check(cuda.streamSynchronize(stream), "cuStreamSynchronize");
  }
  Error waitEvent(Handle stream, Handle event) override {
    Scope scope(*this);
    return check(cuda.streamWaitEvent(stream, event, 0), "cuStreamWaitEvent");
  }
  Error createEvent(Handle &event) override {
    Scope scope(*this); // 2: no timing.
    return check(cuda.eventCreate(&event, 2), "cuEventCreate");
  }
  Error destroyEvent(Handle event) override {
    Scope scope(*this);
    return check(cuda.eventDestroy(event), "cuEventDestroy");
  }
  Error synchronizeEvent(Handle event) override {
    Scope scope(*this);
    return check(cuda.eventSynchronize(event), "cuEventSynchronize");
  }
  Error recordEvent(Handle event, Handle stream) override {
    Scope scope(*this);
    return check(cuda.eventRecord(event, stream), "cuEventRecord");
  }
  Error allocate(uint64_t size, bool hostShared, void *&pointer) override;
  Error release(void *pointer) override {
    Scope scope(*this);
    return check(cuda.memFree(address(pointer)), "cuMemFree");
  }
  Error copy(void *to, const void *from, size_t size, Handle stream) override {
    Scope scope(*this);
    return check(cuda.memcpyAsync(address(to), address(from), size, stream),
                 "cuMemcpyAsync");
  }
  Error set(void *to, uint32_t value, unsigned bits, size_t count,
            Handle stream) override {
    Scope scope(*this);
    return bits == 32 ? check(cuda.memsetD32(address(to), value, count, stream),
                              "cuMemsetD32Async")
                      : check(cuda.memsetD16(address(to), (unsigned short)value,
                                             count, stream),
                              "cuMemsetD16Async");
  }
  Error registerHost(void *pointer, uint64_t size) override {
    Scope scope(*this);
    return check(cuda.hostRegister(pointer, size, 0), "cuMemHostRegister");
  }
  Error unregisterHost(void *pointer) override {
    Scope scope(*this);
    return check(cuda.hostUnregister(pointer), "cuMemHostUnregister");
  }
  Error encodeTensorMap(const TensorMapRequest &r, void *map) override {
    if (!cuda.encodeTiled)
      return "the CUDA driver has no 'cuTensorMapEncodeTiled'";
    Scope scope(*this);
    return check(cuda.encodeTiled(map, r.dataType, r.rank, r.address, r.dims,
                                  r.strides, r.box, r.steps, r.interleave,
                                  r.swizzle, r.l2Promotion, r.oobFill),
                 "cuTensorMapEncodeTiled");
  }
  Error setDevice(int32_t device) override;
  void setHostThreads(unsigned) override {}

private:
  /// Makes the context current for one call and restores the caller's.
  struct Scope {
    explicit Scope(CudaBackend &backend) : backend(backend) {
      backend.cuda.pushContext(backend.context);
    }
    ~Scope() {
      void *previous;
      backend.cuda.popContext(&previous);
    }
    CudaBackend &backend;
  };
  static DevicePtr address(const void *pointer) {
    return reinterpret_cast<DevicePtr>(pointer);
  }
  Error check(Status status, const char *call);

  Driver cuda = {};
  void *context = nullptr;
  int deviceCount = 0;
  std::mutex mutex;
  std::map<Handle, std::string> names;
};
} // namespace

Error CudaBackend::check(Status status, const char *call) {
  if (!status)
    return {};
  const char *name = nullptr, *text = nullptr;
  cuda.errorName(status, &name);
  cuda.errorString(status, &text);
  return std::string(call) + " failed with " + (name ? name : "?") + " (" +
         (text ? text : "no description") + ")";
}

Error CudaBackend::open() {
  Error error;
  if (!openDriver(cuda, error))
    return error;
  error = check(cuda.init(0), "cuInit");
  if (error.empty())
    error = check(cuda.deviceGetCount(&deviceCount), "cuDeviceGetCount");
  if (error.empty() && deviceCount < 1)
    error = "no CUDA device";
  return error.empty() ? setDevice(0) : error;
}

Error CudaBackend::setDevice(int32_t ordinal) {
  if (ordinal < 0 || ordinal >= deviceCount)
    return "no device " + std::to_string(ordinal) + " of " +
           std::to_string(deviceCount);
  int device;
  Error error = check(cuda.deviceGet(&device, ordinal), "cuDeviceGet");
  if (!error.empty())
    return error;
  return check(cuda.retainContext(&context, device),
               "cuDevicePrimaryCtxRetain");
}

Error CudaBackend::loadModule(const void *data, size_t size, int optLevel,
                              Handle &module) {
  if (!data)
    return "no module data";
  // PTX has to end in NUL, which a blob of known size need not.
  std::string copy;
  if (size) {
    copy.assign(static_cast<const char *>(data), size);
    data = copy.c_str();
  }
  char log[8192] = {};
  // CU_JIT_ERROR_LOG_BUFFER 5, its size 6, CU_JIT_OPTIMIZATION_LEVEL 7.
  int options[3] = {5, 6, 7};
  void *values[3] = {log, reinterpret_cast<void *>(sizeof log),
                     reinterpret_cast<void *>(intptr_t(optLevel))};
  Scope scope(*this);
  Status status =
      cuda.moduleLoad(&module, data, optLevel >= 0 ? 3 : 2, options, values);
  Error error = check(status, "cuModuleLoadDataEx");
  if (!error.empty() && log[0])
    error += "\n" + std::string(log);
  return error;
}

Error CudaBackend::getFunction(Handle module, const char *name,
                               Handle &function) {
  Scope scope(*this);
  Error error = check(cuda.moduleGetFunction(&function, module, name),
                      "cuModuleGetFunction");
  if (!error.empty())
    return "kernel '" + std::string(name) + "': " + error;
  std::lock_guard<std::mutex> lock(mutex);
  names[function] = name;
  return {};
}

Error CudaBackend::launch(const LaunchRequest &request, LaunchResult &result) {
  if (request.cluster[0] != 1 || request.cluster[1] != 1 ||
      request.cluster[2] != 1)
    return "clusters of more than one block are not supported";
  Scope scope(*this);
  int shared = 0; // CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES
  cuda.functionGet(&shared, 1, request.function);
  result.staticSharedBytes = uint32_t(shared);
  if (request.dynamicSharedBytes > 48 * 1024) {
    // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    Error error = check(
        cuda.functionSet(request.function, 8, int(request.dynamicSharedBytes)),
        "cuFuncSetAttribute");
    if (!error.empty())
      return error;
  }
  auto *timer = new Timer();
  bool timed = !cuda.eventCreate(&timer->start, 0) &&
               !cuda.eventCreate(&timer->stop, 0) &&
               !cuda.eventRecord(timer->start, request.stream);
  Error error = check(
      cuda.launchKernel(request.function, unsigned(request.grid[0]),
                        unsigned(request.grid[1]), unsigned(request.grid[2]),
                        unsigned(request.block[0]), unsigned(request.block[1]),
                        unsigned(request.block[2]), request.dynamicSharedBytes,
                        request.stream, request.params, request.extra),
      "cuLaunchKernel");
  timed =
      timed && error.empty() && !cuda.eventRecord(timer->stop, request.stream);
  if (timed) {
    result.timer = timer;
    return error;
  }
  if (timer->start)
    cuda.eventDestroy(timer->start);
  if (timer->stop)
    cuda.eventDestroy(timer->stop);
  delete timer;
  return error;
}

double CudaBackend::elapsed(Handle handle) {
  auto *timer = static_cast<Timer *>(handle);
  Scope scope(*this);
  float milliseconds = -1;
  if (cuda.eventSynchronize(timer->stop) ||
      cuda.eventElapsed(&milliseconds, timer->start, timer->stop))
    milliseconds = -1;
  cuda.eventDestroy(timer->start);
  cuda.eventDestroy(timer->stop);
  delete timer;
  return milliseconds;
}

Error CudaBackend::allocate(uint64_t size, bool hostShared, void *&pointer) {
  Scope scope(*this);
  DevicePtr device = 0;
  // The driver refuses 0 bytes, but the caller needs a pointer of its own.
  size_t bytes = size ? size : 1;
  Status status = hostShared ? cuda.memAllocManaged(&device, bytes, 1)
                             : cuda.memAlloc(&device, bytes);
  pointer = reinterpret_cast<void *>(device);
  return check(status, hostShared ? "cuMemAllocManaged" : "cuMemAlloc");
}

std::unique_ptr<Backend> fuse::runtime::createCudaBackend(Error &error) {
  auto backend = std::make_unique<CudaBackend>();
  error = backend->open();
  if (!error.empty())
    return nullptr;
  return backend;
}
