//===- MockCuda.cpp - A CUDA driver that records calls --------------------===//
//
// Stands in for libcuda.so.1 in the tests of the CUDA backend: memory is host
// memory, launches are written down, and a failure can be asked for.
//
//===----------------------------------------------------------------------===//
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#define MOCK extern "C" __attribute__((visibility("default")))
using DevicePtr = unsigned long long;

static std::string callLog, failing;
static long handles = 0x1000;

static int record(const char *name, const std::string &detail = "") {
  callLog += std::string(name) + detail + ";";
  return failing == name ? 700 : 0;
}

MOCK const char *mockCudaLog() { return callLog.c_str(); }
MOCK void mockCudaFail(const char *name) { failing = name; }

static void *newHandle() { return reinterpret_cast<void *>(++handles); }

MOCK int cuInit(unsigned) { return record("cuInit"); }
MOCK int cuDeviceGetCount(int *count) {
  *count = 2;
  return record("cuDeviceGetCount");
}
MOCK int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return record("cuDeviceGet", " " + std::to_string(ordinal));
}
MOCK int cuDevicePrimaryCtxRetain(void **context, int) {
  *context = newHandle();
  return record("cuDevicePrimaryCtxRetain");
}
MOCK int cuCtxPushCurrent_v2(void *) { return 0; }
MOCK int cuCtxPopCurrent_v2(void **) { return 0; }
MOCK int cuModuleLoadDataEx(void **module, const void *data, unsigned count,
                            int *options, void **values) {
  *module = newHandle();
  std::string text(static_cast<const char *>(data));
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == 5 && failing == "cuModuleLoadDataEx")
      strcpy(static_cast<char *>(values[i]), "ptxas: bad line 3");
  return record("cuModuleLoadDataEx", " " + std::to_string(text.size()) + " " +
                                          std::to_string(count));
}
MOCK int cuModuleUnload(void *) { return record("cuModuleUnload"); }
MOCK int cuModuleGetFunction(void **function, void *, const char *name) {
  *function = newHandle();
  return record("cuModuleGetFunction", std::string(" ") + name);
}
MOCK int cuFuncGetAttribute(int *value, int, void *) {
  *value = 96;
  return 0;
}
MOCK int cuFuncSetAttribute(void *, int attribute, int value) {
  return record("cuFuncSetAttribute",
                " " + std::to_string(attribute) + " " + std::to_string(value));
}
MOCK int cuLaunchKernel(void *, unsigned gx, unsigned gy, unsigned gz,
                        unsigned bx, unsigned by, unsigned bz, unsigned shared,
                        void *, void **, void **) {
  char text[96];
  snprintf(text, sizeof text, " %u %u %u / %u %u %u / %u", gx, gy, gz, bx, by,
           bz, shared);
  return record("cuLaunchKernel", text);
}
MOCK int cuStreamCreate(void **stream, unsigned) {
  *stream = newHandle();
  return record("cuStreamCreate");
}
MOCK int cuStreamDestroy_v2(void *) { return record("cuStreamDestroy"); }
MOCK int cuStreamSynchronize(void *) { return record("cuStreamSynchronize"); }
MOCK int cuStreamWaitEvent(void *, void *, unsigned) {
  return record("cuStreamWaitEvent");
}
MOCK int cuEventCreate(void **event, unsigned) {
  *event = newHandle();
  return 0;
}
MOCK int cuEventDestroy_v2(void *) { return record("cuEventDestroy"); }
MOCK int cuEventSynchronize(void *) { return 0; }
MOCK int cuEventRecord(void *, void *) { return record("cuEventRecord"); }
MOCK int cuEventElapsedTime(float *milliseconds, void *, void *) {
  *milliseconds = 1.5f;
  return record("cuEventElapsedTime");
}
MOCK int cuMemAlloc_v2(DevicePtr *pointer, size_t size) {
  *pointer = reinterpret_cast<DevicePtr>(malloc(size));
  return record("cuMemAlloc", " " + std::to_string(size));
}
MOCK int cuMemAllocManaged(DevicePtr *pointer, size_t size, unsigned) {
  *pointer = reinterpret_cast<DevicePtr>(malloc(size));
  return record("cuMemAllocManaged", " " + std::to_string(size));
}
MOCK int cuMemFree_v2(DevicePtr pointer) {
  free(reinterpret_cast<void *>(pointer));
  return record("cuMemFree");
}
MOCK int cuMemcpyAsync(DevicePtr to, DevicePtr from, size_t size, void *) {
  memcpy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from), size);
  return record("cuMemcpyAsync", " " + std::to_string(size));
}
MOCK int cuMemsetD32Async(DevicePtr, unsigned, size_t count, void *) {
  return record("cuMemsetD32Async", " " + std::to_string(count));
}
MOCK int cuMemsetD16Async(DevicePtr, unsigned short, size_t count, void *) {
  return record("cuMemsetD16Async", " " + std::to_string(count));
}
MOCK int cuMemHostRegister_v2(void *, size_t, unsigned) {
  return record("cuMemHostRegister");
}
MOCK int cuMemHostUnregister(void *) { return record("cuMemHostUnregister"); }
MOCK int cuTensorMapEncodeTiled(void *map, unsigned type, unsigned rank, void *,
                                const uint64_t *dims, const uint64_t *strides,
                                const uint32_t *box, const uint32_t *, unsigned,
                                unsigned swizzle, unsigned, unsigned) {
  memset(map, 0x5a, 128);
  return record("cuTensorMapEncodeTiled",
                " " + std::to_string(type) + " " + std::to_string(rank) + " " +
                    std::to_string(dims[0]) + " " + std::to_string(strides[0]) +
                    " " + std::to_string(box[0]) + " " +
                    std::to_string(swizzle));
}
MOCK int cuGetErrorName(int, const char **name) {
  *name = "CUDA_ERROR_ILLEGAL_ADDRESS";
  return 0;
}
MOCK int cuGetErrorString(int, const char **text) {
  *text = "an illegal memory access was encountered";
  return 0;
}
