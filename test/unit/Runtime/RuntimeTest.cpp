//===- RuntimeTest.cpp - The runtime over the emulator --------------------===//
//
// What compiled code calls, what tools ask, and how errors are reported.
//
//===----------------------------------------------------------------------===//
#include "Mgpu.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

namespace {
#define EXPECT_CONTAINS(text, part)                                            \
  EXPECT_NE(std::string(text).find(part), std::string::npos)                   \
      << "'" << part << "' is not in: " << (text)

class Runtime : public testing::Test {
protected:
  static void SetUpTestSuite() {
    setenv("FUSE_RUNTIME", "emulator", 1);
    setenv("FUSE_RUNTIME_CHECK", "races", 1);
  }
  void SetUp() override { fuseRuntimeReset(); }

  void *load() {
    module =
        mgpuModuleLoad(const_cast<char *>(addKernel()), strlen(addKernel()));
    return mgpuModuleGetFunction(module, "addTo");
  }
  void launchAdd(void *function, void *out, void *in, uint32_t add,
                 intptr_t blocks, intptr_t threads, void *stream = nullptr) {
    void *params[] = {&out, &in, &add};
    mgpuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, stream, params,
                     nullptr, 3);
  }
  void TearDown() override {
    if (module)
      mgpuModuleUnload(module);
  }
  void *module = nullptr;
};

TEST_F(Runtime, RoundTrip) {
  void *stream = mgpuStreamCreate(), *event = mgpuEventCreate();
  std::vector<uint32_t> host(100);
  for (uint32_t i = 0; i < 100; ++i)
    host[i] = i;
  void *in = mgpuMemAlloc(400, stream, false);
  void *out = mgpuMemAlloc(400, stream, false);
  mgpuMemcpy(in, host.data(), 400, stream);
  launchAdd(load(), out, in, 7, 4, 25, stream);
  mgpuEventRecord(event, stream);
  mgpuStreamWaitEvent(stream, event);
  mgpuMemcpy(host.data(), out, 400, stream);
  mgpuEventSynchronize(event);
  mgpuStreamSynchronize(stream);
  mgpuEventDestroy(event);
  mgpuStreamDestroy(stream);
  for (uint32_t i = 0; i < 100; ++i)
    EXPECT_EQ(host[i], i + 7);

  ASSERT_EQ(fuseRuntimeNumLaunches(), 1u);
  FuseRuntimeLaunch launch;
  ASSERT_EQ(fuseRuntimeGetLaunch(0, &launch), 0);
  EXPECT_EQ(fuseRuntimeGetLaunch(1, &launch), 1);
  EXPECT_STREQ(launch.name, "addTo");
  EXPECT_EQ(launch.kind, FUSE_RUNTIME_KERNEL);
  EXPECT_EQ(launch.grid[0], 4u);
  EXPECT_EQ(launch.block[0], 25u);
  EXPECT_EQ(launch.counters.load.uniqueSectors, 13u);
  EXPECT_EQ(launch.counters.load.bytes, 400u);
  ASSERT_EQ(launch.numAllocations, 2u);

  FuseRuntimeMemory memory;
  fuseRuntimeGetMemory(&memory);
  EXPECT_EQ(memory.liveBytes, 800u);
  EXPECT_EQ(memory.hostToDeviceBytes, 400u);
  EXPECT_EQ(memory.deviceToHostCopies, 1u);
  mgpuMemFree(in, nullptr);
  mgpuMemFree(out, nullptr);
  fuseRuntimeGetMemory(&memory);
  EXPECT_EQ(memory.liveBytes, 0u);
  EXPECT_EQ(memory.peakBytes, 800u);
}

/// Copies, memsets and kernels of two streams over the same buffers.
class Streams : public Runtime {
protected:
  void SetUp() override {
    Runtime::SetUp();
    function = load();
    first = mgpuStreamCreate();
    second = mgpuStreamCreate();
    event = mgpuEventCreate();
    for (void *&buffer : buffers) {
      buffer = mgpuMemAlloc(400, first, false);
      mgpuMemset32(buffer, 1, 100, first);
    }
    mgpuStreamSynchronize(first);
  }
  void TearDown() override {
    for (void *buffer : buffers)
      if (buffer)
        mgpuMemFree(buffer, nullptr);
    mgpuEventDestroy(event);
    mgpuStreamDestroy(first);
    mgpuStreamDestroy(second);
    Runtime::TearDown();
  }
  void add(int out, int in, void *stream) {
    launchAdd(function, buffers[out], buffers[in], 1, 4, 25, stream);
  }
  Errors errors;
  void *function, *first, *second, *event, *buffers[3] = {};
};

TEST_F(Streams, RacesOfKernels) {
  add(1, 0, first);
  add(2, 0, second); // Both read.
  EXPECT_EQ(errors.take(), "");
  add(0, 1, second);
  std::string error = errors.take();
  EXPECT_CONTAINS(error, "race between streams: kernel 'addTo' writes byte 0 "
                         "of allocation #");
  EXPECT_CONTAINS(error, "which kernel 'addTo' reads on another stream");
}

TEST_F(Streams, RacesOfCopiesAndMemsets) {
  char host[400];
  add(1, 0, first);
  mgpuMemcpy(host, buffers[1], 400, second);
  std::string error = errors.take();
  EXPECT_CONTAINS(error, "a copy reads byte 0");
  EXPECT_CONTAINS(error, "which kernel 'addTo' writes");
  mgpuMemset32(static_cast<char *>(buffers[0]) + 396, 5, 1, nullptr);
  EXPECT_CONTAINS(errors.take(), "a memset writes byte 396");
}

TEST_F(Streams, EventsAndWaitsOrder) {
  char host[400];
  add(1, 0, first);
  mgpuEventRecord(event, first);
  mgpuStreamWaitEvent(second, event);
  add(2, 1, second);
  mgpuEventRecord(event, second);
  mgpuEventSynchronize(event);
  mgpuMemcpy(host, buffers[1], 400, nullptr);
  mgpuStreamSynchronize(nullptr);
  add(1, 2, first);
  mgpuStreamSynchronize(first);
  mgpuMemset32(buffers[1], 0, 100, second);
  EXPECT_EQ(errors.take(), "");
  // The event was recorded before this kernel.
  mgpuEventRecord(event, first);
  add(0, 2, first);
  mgpuStreamWaitEvent(second, event);
  add(2, 0, second);
  EXPECT_CONTAINS(errors.take(), "race between streams");
}

TEST_F(Streams, ReleasedMemoryIsAnother) {
  add(1, 0, first);
  mgpuMemFree(buffers[1], first);
  buffers[1] = mgpuMemAlloc(400, second, false);
  mgpuMemset32(buffers[1], 0, 100, second);
  mgpuMemset32(buffers[2], 0, 50, first);
  mgpuMemset32(static_cast<char *>(buffers[2]) + 200, 0, 50, second);
  EXPECT_EQ(errors.take(), "");
}

TEST_F(Runtime, NullStreamIsTheDefaultStream) {
  Errors errors;
  mgpuStreamSynchronize(nullptr);
  mgpuStreamDestroy(nullptr);
  mgpuMemFree(nullptr, nullptr);
  EXPECT_EQ(errors.take(), "");
}

TEST_F(Runtime, EmptyAllocationsAreDistinct) {
  void *a = mgpuMemAlloc(0, nullptr, false),
       *b = mgpuMemAlloc(0, nullptr, true);
  EXPECT_TRUE(a && b && a != b);
  mgpuMemFree(a, nullptr);
  mgpuMemFree(b, nullptr);
}

TEST_F(Runtime, MemsetsAndDeviceCopiesCountAsLaunches) {
  void *a = mgpuMemAlloc(64, nullptr, false);
  void *b = mgpuMemAlloc(64, nullptr, false);
  mgpuMemset32(a, 0x01020304, 16, nullptr);
  mgpuMemset16(a, 0xabcd, 2, nullptr);
  mgpuMemcpy(b, a, 64, nullptr);
  uint32_t host[16];
  mgpuMemcpy(host, b, 64, nullptr);
  EXPECT_EQ(host[0], 0xabcdabcd);
  EXPECT_EQ(host[1], 0x01020304u);
  ASSERT_EQ(fuseRuntimeNumLaunches(), 3u);
  FuseRuntimeLaunch launch;
  fuseRuntimeGetLaunch(2, &launch);
  EXPECT_EQ(launch.kind, FUSE_RUNTIME_COPY);
  EXPECT_EQ(launch.bytes, 64u);
  mgpuMemFree(a, nullptr);
  mgpuMemFree(b, nullptr);
}

TEST_F(Runtime, HostMemoryMustBeRegistered) {
  Errors errors;
  std::vector<uint32_t> host(32, 1);
  void *function = load();
  launchAdd(function, host.data(), host.data(), 1, 1, 32);
  EXPECT_CONTAINS(errors.take(), "mgpuLaunchKernel: kernel 'addTo': "
                                 "out-of-bounds load of 4 bytes");
  struct {
    void *allocated, *aligned;
    int64_t offset, size, stride;
  } memref = {host.data(), host.data(), 0, 32, 1};
  mgpuMemHostRegisterMemRef(1, &memref, 4);
  launchAdd(function, host.data(), host.data(), 1, 1, 32);
  mgpuMemHostUnregisterMemRef(1, &memref, 4);
  EXPECT_EQ(errors.take(), "");
  EXPECT_EQ(host[31], 2u);
}

TEST_F(Runtime, ErrorsNameTheCall) {
  Errors errors;
  void *function = load();
  void *a = mgpuMemAlloc(64, nullptr, false);
  launchAdd(function, a, a, 1, 0, 16);
  EXPECT_CONTAINS(errors.take(), "invalid grid (0,1,1)");
  launchAdd(function, a, a, 1, 1, 17);
  EXPECT_CONTAINS(errors.take(), "0 bytes past the end of allocation");
  launchAdd(nullptr, a, a, 1, 1, 1);
  EXPECT_CONTAINS(errors.take(), "not a live kernel");
  char host[128];
  mgpuMemcpy(a, host, 65, nullptr);
  EXPECT_CONTAINS(errors.take(),
                  "mgpuMemcpy: destination of 65 bytes leaves its allocation");
  mgpuMemFree(a, nullptr);
  mgpuMemFree(a, nullptr);
  EXPECT_CONTAINS(errors.take(), "mgpuMemFree: not a live allocation");
  EXPECT_EQ(mgpuModuleGetFunction(module, "none"), nullptr);
  EXPECT_CONTAINS(errors.take(), "no kernel 'none'");
  char cubin[] = "\x7f"
                 "ELF and more";
  EXPECT_EQ(mgpuModuleLoad(cubin, sizeof cubin), nullptr);
  EXPECT_CONTAINS(errors.take(), "expected PTX text, but got a cubin");
  char broken[] = ".version 8.0\n.target sm_80\nnonsense";
  EXPECT_EQ(mgpuModuleLoadJIT(broken, 2), nullptr);
  EXPECT_CONTAINS(errors.take(), "<module>:3: expected a directive");
  void *params[1];
  mgpuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, params, nullptr, 1);
  EXPECT_CONTAINS(errors.take(), "has 3 parameters, but got 1");
  uint32_t add = 1;
  void *three[] = {&a, &a, &add};
  mgpuLaunchClusterKernel(function, 2, 1, 1, 3, 1, 1, 1, 1, 1, 0, nullptr,
                          three, nullptr);
  EXPECT_CONTAINS(errors.take(), "grid (3,1,1) is not a multiple of the "
                                 "cluster (2,1,1)");
}

TEST_F(Runtime, ErrorsEndTheProcessByDefault) {
  EXPECT_EXIT(mgpuMemFree(&module, nullptr), testing::ExitedWithCode(1),
              "fuse runtime: error: mgpuMemFree: not a live allocation");
}

// The second launch finds in L2 what the first one left, until the host writes.
TEST_F(Runtime, CachesLastFromLaunchToLaunch) {
  FuseRuntimeDevice device = {4, 1 << 20, 100 << 10, 65536, 2048, 32};
  fuseRuntimeSetCaches(&device);
  fuseRuntimeSetRegisters("addTo", 255);
  std::vector<uint32_t> host(256);
  void *a = mgpuMemAlloc(1024, nullptr, false);
  void *b = mgpuMemAlloc(1024, nullptr, false);
  mgpuMemcpy(a, host.data(), 1024, nullptr);
  void *function = load();
  launchAdd(function, b, a, 1, 1, 256);
  launchAdd(function, a, b, 1, 1, 256);
  mgpuMemcpy(b, host.data(), 1024, nullptr);
  launchAdd(function, a, b, 1, 1, 256);
  mgpuMemset32(b, 0, 256, nullptr);
  launchAdd(function, a, b, 1, 1, 256);
  fuseRuntimeSetCaches(nullptr);
  launchAdd(function, a, b, 1, 1, 256);
  uint64_t reads[] = {32, 0, 32, 0};
  for (size_t k = 0, index = 0; k < 4; ++k, ++index) {
    FuseRuntimeLaunch launch;
    ASSERT_EQ(fuseRuntimeGetLaunch(index, &launch), 0);
    if (launch.kind != FUSE_RUNTIME_KERNEL)
      ASSERT_EQ(fuseRuntimeGetLaunch(++index, &launch), 0);
    EXPECT_TRUE(launch.counters.hasCaches);
    EXPECT_EQ(launch.counters.residentBlocks, 1u);
    EXPECT_EQ(launch.counters.l2Reads, 32u);
    EXPECT_EQ(launch.counters.dramReads, reads[k]) << k;
  }
  FuseRuntimeLaunch last;
  ASSERT_EQ(fuseRuntimeGetLaunch(fuseRuntimeNumLaunches() - 1, &last), 0);
  EXPECT_FALSE(last.counters.hasCaches);
  EXPECT_EQ(last.counters.l2Reads, 0u);
  mgpuMemFree(a, nullptr);
  mgpuMemFree(b, nullptr);
}

TEST_F(Runtime, SampledBlocks) {
  FuseRuntimeDevice device = {1, 1 << 20, 100 << 10, 65536, 2048, 1};
  fuseRuntimeSetCaches(&device);
  fuseRuntimeSetSampleBlocks(3, 1);
  void *a = mgpuMemAlloc(4000, nullptr, false);
  launchAdd(load(), a, a, 1, 40, 25);
  fuseRuntimeSetSampleBlocks(0, 0);
  fuseRuntimeSetCaches(nullptr);
  FuseRuntimeLaunch launch;
  ASSERT_EQ(fuseRuntimeGetLaunch(0, &launch), 0);
  EXPECT_GE(launch.counters.sampledBlocks, 3u); // And one to warm up.
  EXPECT_LE(launch.counters.sampledBlocks, 4u);
  EXPECT_EQ(launch.counters.warps, 40u);
  EXPECT_EQ(launch.counters.load.bytes, 4000u);
  mgpuMemFree(a, nullptr);
}

// Code that has run twice on such memory counts the same and does not run, also
// under another name; other sizes run.
TEST_F(Runtime, SampledLaunchesThatRepeat) {
  std::string text = addKernel();
  text.replace(text.find("addTo"), 5, "sumTo");
  void *other = mgpuModuleLoad(text.data(), text.size());
  void *functions[] = {load(), mgpuModuleGetFunction(other, "sumTo")};
  fuseRuntimeSetSampleBlocks(1, 1);
  std::vector<uint32_t> host(256);
  void *a = mgpuMemAlloc(1024, nullptr, false);
  mgpuMemset32(a, 0, 256, nullptr);
  uint32_t expected[] = {1, 2, 2, 2, 3};
  for (size_t k = 0; k < 5; ++k) {
    launchAdd(functions[k % 2], a, a, 1, k < 4 ? 1 : 2, k < 4 ? 256 : 128);
    mgpuMemcpy(host.data(), a, 1024, nullptr);
    EXPECT_EQ(host[255], expected[k]) << k;
  }
  size_t kernels = 0;
  FuseRuntimeLaunch launch;
  for (size_t index = 0; fuseRuntimeGetLaunch(index, &launch) == 0; ++index) {
    if (launch.kind != FUSE_RUNTIME_KERNEL)
      continue;
    EXPECT_EQ(launch.counters.load.bytes, 1024u) << kernels;
    EXPECT_STREQ(launch.name, kernels % 2 ? "sumTo" : "addTo");
    ++kernels;
  }
  EXPECT_EQ(kernels, 5u);
  fuseRuntimeSetSampleBlocks(0, 0);
  mgpuMemFree(a, nullptr);
  mgpuModuleUnload(other);
}

/// Copies the 4 x 16 words at row 1, column 20 of the map's tensor to `out`.
const char *tileKernel = R"(.version 8.3
.target sm_90a
.address_size 64
.visible .entry tile(.param .u64 map, .param .u64 out)
{
  .shared .align 128 .b8 words[256];
  .shared .align 8 .b64 bar;
  .reg .pred %p;
  .reg .b32 %r<9>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [map];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, bar;
  mov.u32 %r3, words;
  setp.ne.u32 %p, %r1, 0;
  @%p bra $wait;
  mbarrier.init.shared.b64 [%r2], 1;
  mbarrier.arrive.expect_tx.shared.b64 %rd3, [%r2], 256;
  mov.u32 %r4, 20;
  mov.u32 %r5, 1;
  cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes
    [%r3], [%rd1, {%r4, %r5}], [%r2];
$wait:
  bar.sync 0;
$again:
  mbarrier.try_wait.parity.shared.b64 %p, [%r2], 0;
  @!%p bra $again;
  shl.b32 %r6, %r1, 2;
  add.s32 %r7, %r3, %r6;
  ld.shared.u32 %r8, [%r7];
  mul.wide.u32 %rd4, %r1, 4;
  add.s64 %rd5, %rd2, %rd4;
  st.global.u32 [%rd5], %r8;
  ret;
}
)";

TEST_F(Runtime, TensorMaps) {
  Errors errors;
  uint32_t words[6][40], got[4][16];
  for (uint32_t k = 0; k < 240; ++k)
    words[k / 40][k % 40] = k;
  char *in = static_cast<char *>(mgpuMemAlloc(sizeof words, nullptr, false));
  void *out = mgpuMemAlloc(sizeof got, nullptr, false);
  mgpuMemcpy(in, words, sizeof words, nullptr);
  struct {
    char *allocated, *aligned;
    int64_t offset, sizes[2], strides[2];
  } memref = {in, in, 0, {6, 40}, {40, 1}};
  const int64_t box[] = {4, 16};
  void *map = mgpuTensorMapEncodeTiledMemref(2, &memref, 2, 0, 0, 0, 0, box);
  module = mgpuModuleLoad(const_cast<char *>(tileKernel), strlen(tileKernel));
  void *params[] = {&map, &out};
  mgpuLaunchKernel(mgpuModuleGetFunction(module, "tile"), 1, 1, 1, 64, 1, 1, 0,
                   nullptr, params, nullptr, 2);
  mgpuMemcpy(got, out, sizeof got, nullptr);
  EXPECT_EQ(errors.take(), "");
  for (uint32_t row = 0; row < 4; ++row)
    for (uint32_t column = 0; column < 16; ++column)
      EXPECT_EQ(got[row][column], words[row + 1][column + 20]);

  // The same bytes without a memref; what the driver refuses is an error.
  const uint64_t dims[] = {40, 6}, strides[] = {160};
  const uint32_t tile[] = {16, 4}, steps[] = {1, 1};
  char bytes[128];
  mgpuTensorMapEncodeTiled(bytes, 2, 2, in, dims, strides, tile, steps, 0, 0, 0,
                           0);
  EXPECT_EQ(memcmp(bytes, map, sizeof bytes), 0);
  EXPECT_EQ(errors.take(), "");
  mgpuTensorMapEncodeTiled(bytes, 2, 2, in, dims, strides, tile, steps, 0, 9, 0,
                           0);
  EXPECT_EQ(errors.take(), "mgpuTensorMapEncodeTiled: unknown swizzle mode 9");
  mgpuTensorMapEncodeTiledMemref(2, &memref, 99, 0, 0, 0, 0, box);
  EXPECT_EQ(errors.take(), "mgpuTensorMapEncodeTiledMemref: unknown element "
                           "type 99");
  for (void *pointer : {static_cast<void *>(in), out, map})
    mgpuMemFree(pointer, nullptr);
}

TEST_F(Runtime, ClassNames) {
  EXPECT_STREQ(fuseRuntimeClassName(0), "integer");
  EXPECT_NE(fuseRuntimeClassName(FUSE_RUNTIME_NUM_CLASSES - 1), nullptr);
  EXPECT_EQ(fuseRuntimeClassName(FUSE_RUNTIME_NUM_CLASSES), nullptr);
}

TEST_F(Runtime, Report) {
  void *a = mgpuMemAlloc(128, nullptr, false);
  launchAdd(load(), a, a, 1, 1, 32);
  std::string path = testing::TempDir() + "fuse-runtime-report.json";
  EXPECT_EQ(fuseRuntimeWriteReport(path.c_str()), 0);
  std::ifstream in(path);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  EXPECT_CONTAINS(text, "\"backend\": \"emulator\"");
  EXPECT_CONTAINS(text, "\"name\": \"addTo\"");
  EXPECT_CONTAINS(text, "\"counted_sectors\": {");
  EXPECT_CONTAINS(text, "\"unique\": 8");
  EXPECT_CONTAINS(text, "\"total\": {");
  EXPECT_CONTAINS(text, "\"peak_device_bytes\": 128");
  EXPECT_CONTAINS(text, "\"leaked_bytes\": 128");
  std::remove(path.c_str());
  mgpuMemFree(a, nullptr);
}

TEST_F(Runtime, LaunchCallback) {
  std::string log;
  fuseRuntimeSetLaunchCallback(
      [](const FuseRuntimeLaunch *launch, int finished, void *user) {
        *static_cast<std::string *>(user) +=
            std::string(launch->name) + (finished ? " end;" : " start;");
      },
      &log);
  void *a = mgpuMemAlloc(128, nullptr, false);
  launchAdd(load(), a, a, 1, 1, 32);
  fuseRuntimeSetLaunchCallback(nullptr, nullptr);
  EXPECT_EQ(log, "addTo start;addTo end;");
  mgpuMemFree(a, nullptr);
}
} // namespace
