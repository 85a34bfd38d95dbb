//===- CudaBackendTest.cpp - The CUDA backend over a mock driver ----------===//
//
// No GPU is needed: the mock has the name of the driver and is loaded first,
// so that the runtime's dlopen finds it. What it records is what a driver
// would have been told.
//
//===----------------------------------------------------------------------===//
#include "Mgpu.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

namespace {
#define EXPECT_CONTAINS(text, part)                                            \
  EXPECT_NE(std::string(text).find(part), std::string::npos)                   \
      << "'" << part << "' is not in: " << (text)

class CudaBackend : public testing::Test {
protected:
  static void SetUpTestSuite() {
    setenv("FUSE_RUNTIME", "auto", 1);
    void *mock = dlopen(FUSE_MOCK_CUDA, RTLD_NOW | RTLD_GLOBAL);
    ASSERT_TRUE(mock) << dlerror();
    log = reinterpret_cast<const char *(*)()>(dlsym(mock, "mockCudaLog"));
    fail =
        reinterpret_cast<void (*)(const char *)>(dlsym(mock, "mockCudaFail"));
  }
  /// What the driver was told since the last call.
  std::string calls() {
    std::string all = log(), fresh = all.substr(seen);
    seen = all.size();
    return fresh;
  }
  static const char *(*log)();
  static void (*fail)(const char *);
  size_t seen = 0;
};
const char *(*CudaBackend::log)();
void (*CudaBackend::fail)(const char *);

TEST_F(CudaBackend, IsChosenWhenThereIsADevice) {
  EXPECT_STREQ(fuseRuntimeBackend(), "cuda");
  EXPECT_CONTAINS(log(), "cuInit;cuDeviceGetCount;cuDeviceGet 0;");
}

TEST_F(CudaBackend, LaunchIsTimed) {
  fuseRuntimeReset();
  calls();
  void *module = mgpuModuleLoadJIT(const_cast<char *>(addKernel()), 3);
  EXPECT_EQ(calls(), "cuModuleLoadDataEx " +
                         std::to_string(strlen(addKernel())) + " 3;");
  void *function = mgpuModuleGetFunction(module, "addTo");
  void *stream = mgpuStreamCreate();
  void *a = mgpuMemAlloc(0, stream, false), *b = mgpuMemAlloc(8, stream, true);
  EXPECT_EQ(calls(), "cuModuleGetFunction addTo;cuStreamCreate;cuMemAlloc 1;"
                     "cuMemAllocManaged 8;");
  void *params[] = {nullptr};
  mgpuLaunchKernel(function, 2, 3, 4, 5, 6, 7, 65536, stream, params, nullptr,
                   1);
  EXPECT_EQ(calls(), "cuFuncSetAttribute 8 65536;cuEventRecord;"
                     "cuLaunchKernel 2 3 4 / 5 6 7 / 65536;cuEventRecord;");
  FuseRuntimeLaunch launch;
  ASSERT_EQ(fuseRuntimeGetLaunch(0, &launch), 0);
  EXPECT_STREQ(launch.name, "addTo");
  EXPECT_EQ(launch.milliseconds, 1.5);
  EXPECT_EQ(launch.staticSharedBytes, 96u);
  EXPECT_FALSE(launch.hasCounters);
  EXPECT_EQ(calls(), "cuEventElapsedTime;cuEventDestroy;cuEventDestroy;");
  mgpuMemset32(b, 1, 2, stream);
  mgpuMemset16(b, 1, 4, stream);
  mgpuMemFree(a, stream);
  mgpuMemFree(b, stream);
  mgpuStreamSynchronize(stream);
  mgpuStreamDestroy(stream);
  mgpuModuleUnload(module);
  EXPECT_EQ(calls(), "cuMemsetD32Async 2;cuMemsetD16Async 4;cuMemFree;"
                     "cuMemFree;cuStreamSynchronize;cuStreamDestroy;"
                     "cuModuleUnload;");
}

TEST_F(CudaBackend, TensorMaps) {
  Errors errors;
  calls();
  struct {
    char *allocated, *aligned;
    int64_t offset, sizes[2], strides[2];
  } memref = {nullptr, nullptr, 0, {6, 40}, {48, 1}};
  const int64_t box[] = {4, 16};
  void *map = mgpuTensorMapEncodeTiledMemref(2, &memref, 6, 0, 3, 0, 0, box);
  EXPECT_EQ(calls(), "cuTensorMapEncodeTiled 6 2 40 96 16 3;cuMemAlloc 128;"
                     "cuMemcpyAsync 128;");
  EXPECT_EQ(static_cast<char *>(map)[127], 0x5a);
  mgpuMemFree(map, nullptr);
  EXPECT_EQ(errors.take(), "");
}

TEST_F(CudaBackend, Errors) {
  Errors errors;
  fail("cuLaunchKernel");
  void *module =
      mgpuModuleLoad(const_cast<char *>(addKernel()), strlen(addKernel()));
  void *function = mgpuModuleGetFunction(module, "addTo");
  void *params[] = {nullptr};
  mgpuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, params, nullptr, 0);
  EXPECT_EQ(errors.take(),
            "mgpuLaunchKernel: kernel 'addTo': cuLaunchKernel failed with "
            "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was "
            "encountered)");
  fail("cuModuleLoadDataEx");
  mgpuModuleLoad(const_cast<char *>(addKernel()), 0);
  EXPECT_CONTAINS(errors.take(), "ptxas: bad line 3");
  fail("");
  mgpuSetDefaultDevice(5);
  EXPECT_CONTAINS(errors.take(), "no device 5 of 2");
}
} // namespace
