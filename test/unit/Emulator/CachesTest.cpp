//===- CachesTest.cpp - L1, L2 and DRAM, and sampled blocks ---------------===//
//
// Small kernels whose traffic is known, on devices so small that it matters.
//
//===----------------------------------------------------------------------===//
#include "EmulatorTest.h"

using namespace fuse_test;

namespace {

/// Each thread copies one word of p0 to p1, `repeat` times.
std::string copyText(unsigned repeat, const char *load = "ld.global.u32") {
  std::string body = "  .reg .b32 %r<5>;\n  .reg .b64 %rd<6>;\n"
                     "  ld.param.u64 %rd1, [p0];\n  ld.param.u64 %rd2, [p1];\n"
                     "  mov.u32 %r1, %tid.x;\n  mov.u32 %r2, %ctaid.x;\n"
                     "  mad.lo.s32 %r3, %r2, %ntid.x, %r1;\n"
                     "  mul.wide.u32 %rd3, %r3, 4;\n"
                     "  add.s64 %rd4, %rd1, %rd3;\n"
                     "  add.s64 %rd5, %rd2, %rd3;\n";
  for (unsigned k = 0; k < repeat; ++k)
    body += std::string("  ") + load + " %r4, [%rd4];\n";
  return kernelText(".param .u64 p0, .param .u64 p1",
                    body + "  st.global.u32 [%rd5], %r4;\n  ret;");
}

DeviceShape smallDevice(uint64_t l2Bytes) {
  DeviceShape shape;
  shape.smCount = 4;
  shape.l2Bytes = l2Bytes;
  return shape;
}

struct CopyRun {
  DeviceMemory memory;
  Buffer in, out;
  Caches caches;
  CopyRun(uint64_t words, uint64_t l2Bytes)
      : in(memory, words * 4), out(memory, words * 4),
        caches(smallDevice(l2Bytes)) {}
  CacheTraffic run(const std::string &text, LaunchOptions options = {}) {
    options.caches = &caches;
    Outcome run =
        runKernel(memory, text, {uint32_t(in.bytes / 1024), 1, 1}, {256, 1, 1},
                  {in.address(), out.address()}, 0, options);
    EXPECT_TRUE(run.ok) << run.error;
    return run.stats.caches;
  }
};

// 64 KiB in and out: 2048 sectors each way, all of them cold.
TEST(Caches, AStreamIsReadOnceAndStaysInL2) {
  CopyRun copy(16384, 1 << 20);
  CacheTraffic first = copy.run(copyText(1));
  EXPECT_TRUE(first.simulated);
  EXPECT_EQ(first.l1Hits, 0u);
  EXPECT_EQ(first.l2Reads, 2048u);
  EXPECT_EQ(first.l2Writes, 2048u);
  EXPECT_EQ(first.dramReads, 2048u);
  EXPECT_EQ(first.dramWrites, 0u);
  EXPECT_EQ(first.l2Dirty, 2048u);
  CacheTraffic second = copy.run(copyText(1));
  EXPECT_EQ(second.l2Hits, 2048u);
  EXPECT_EQ(second.dramReads, 0u);
}

TEST(Caches, WhatDoesNotFitIsWrittenBack) {
  CopyRun copy(16384, 32 << 10); // L2 has 256 lines, the data 1024.
  CacheTraffic first = copy.run(copyText(1));
  EXPECT_EQ(first.dramReads, 2048u);
  EXPECT_EQ(first.dramWrites + first.l2Dirty, 2048u);
  EXPECT_LE(first.l2Dirty, 1024u);
  EXPECT_GE(first.dramWrites, 1024u);
  EXPECT_EQ(copy.run(copyText(1)).dramReads, 2048u); // LRU: nothing is left.
}

TEST(Caches, L1ServesRepeatedLoads) {
  CopyRun copy(16384, 1 << 20);
  CacheTraffic cached = copy.run(copyText(3));
  EXPECT_EQ(cached.l1Hits, 2 * 2048u);
  EXPECT_EQ(cached.l2Reads, 2048u);
  CopyRun other(16384, 1 << 20);
  CacheTraffic past = other.run(copyText(3, "ld.global.cg.u32"));
  EXPECT_EQ(past.l1Hits, 0u);
  EXPECT_EQ(past.l2Reads, 3 * 2048u);
  EXPECT_EQ(past.l2Hits, 2 * 2048u);
  CopyRun strong(16384, 1 << 20);
  EXPECT_EQ(strong.run(copyText(3, "ld.volatile.global.u32")).l1Hits, 0u);
}

TEST(Caches, AtomicsHappenInL2) {
  DeviceMemory memory;
  Buffer cell(memory, 32);
  Caches caches((DeviceShape()));
  LaunchOptions options;
  options.caches = &caches;
  Outcome run = runKernel(memory,
                          kernelText(".param .u64 p0",
                                     "  .reg .b64 %rd<2>;\n"
                                     "  ld.param.u64 %rd1, [p0];\n"
                                     "  red.global.add.u32 [%rd1], 1;\n  ret;"),
                          {8, 1, 1}, {32, 1, 1}, {cell.address()}, 0, options);
  ASSERT_TRUE(run.ok) << run.error;
  EXPECT_EQ(run.stats.atomicPasses, 8 * 32u); // All at one address.
  EXPECT_EQ(run.stats.caches.l2Atomics, 8u);
  EXPECT_EQ(run.stats.caches.dramReads, 1u);
  EXPECT_EQ(run.stats.caches.l2Dirty, 1u);
}

TEST(Caches, LocalMemoryIsCachedToo) {
  DeviceMemory memory;
  Caches caches((DeviceShape()));
  LaunchOptions options;
  options.caches = &caches;
  Outcome run =
      runKernel(memory,
                kernelText("", "  .local .align 4 .b8 spill[16];\n"
                               "  .reg .b32 %r<3>;\n"
                               "  st.local.u32 [spill+4], %r1;\n"
                               "  ld.local.u32 %r2, [spill+4];\n  ret;"),
                {1, 1, 1}, {64, 1, 1}, {}, 0, options);
  ASSERT_TRUE(run.ok) << run.error;
  EXPECT_EQ(run.stats.local.sectors, 8u);
  EXPECT_EQ(run.stats.caches.l2Writes, 8u);
  EXPECT_EQ(run.stats.caches.l2Reads, 8u); // L1 does not keep what is stored.
  EXPECT_EQ(run.stats.caches.dramReads, 0u);
}

TEST(Caches, HostAndDeviceWrites) {
  CopyRun copy(16384, 1 << 20);
  copy.run(copyText(1));
  uint64_t device = copy.memory.deviceAddress(copy.in.data);
  copy.caches.hostWrote(device, copy.in.bytes / 2);
  EXPECT_EQ(copy.run(copyText(1)).dramReads, 1024u);
  copy.caches.hostWrote(device, copy.in.bytes);
  copy.caches.deviceWrote(device, copy.in.bytes);
  EXPECT_EQ(copy.run(copyText(1)).dramReads, 0u);
}

TEST(Caches, SameForAnyNumberOfHostThreads) {
  std::vector<CacheTraffic> seen;
  for (unsigned threads : {1u, 2u, 7u}) {
    CopyRun copy(1 << 16, 64 << 10);
    LaunchOptions options;
    options.threads = threads;
    copy.run(copyText(2), options);
    seen.push_back(copy.run(copyText(2), options));
  }
  for (const CacheTraffic &other : seen) {
    EXPECT_EQ(other.l1Hits, seen[0].l1Hits);
    EXPECT_EQ(other.l2Reads, seen[0].l2Reads);
    EXPECT_EQ(other.l2Hits, seen[0].l2Hits);
    EXPECT_EQ(other.dramReads, seen[0].dramReads);
    EXPECT_EQ(other.dramWrites, seen[0].dramWrites);
    EXPECT_EQ(other.l2Dirty, seen[0].l2Dirty);
  }
  EXPECT_GT(seen[0].dramWrites, 0u);
}

TEST(Caches, ResidentBlocks) {
  DeviceShape shape;
  EXPECT_EQ(residentBlocks(shape, 256, 0, 0), 8u);
  EXPECT_EQ(residentBlocks(shape, 32, 0, 0), 32u);
  EXPECT_EQ(residentBlocks(shape, 256, 0, 64), 4u);
  EXPECT_EQ(residentBlocks(shape, 256, 0, 33), 6u); // 40 are allocated.
  EXPECT_EQ(residentBlocks(shape, 256, 100 << 10, 0), 2u);
  EXPECT_EQ(residentBlocks(shape, 1024, 227 << 10, 255), 1u);
}

TEST(Caches, DeviceShapeAsText) {
  DeviceShape shape;
  std::string error;
  EXPECT_TRUE(parseDeviceShape("sms=108,l2=41943040,shared=0", shape, error));
  EXPECT_EQ(shape.smCount, 108u);
  EXPECT_EQ(shape.l2Bytes, 40u << 20);
  EXPECT_EQ(shape.sharedBytesPerSM, 0u);
  EXPECT_FALSE(parseDeviceShape("sms", shape, error));
  EXPECT_EQ(error, "expected KEY=NUMBER, but got 'sms'");
  EXPECT_FALSE(parseDeviceShape("sms=0", shape, error));
  EXPECT_FALSE(parseDeviceShape("l3=1", shape, error));
  EXPECT_NE(error.find("unknown key 'l3'"), std::string::npos);
}

//===-- Sampled blocks -----------------------------------------------------=//

/// A product of n x n matrices without tiles: blocks share rows and columns.
std::string matmulText() {
  return kernelText(
      ".param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 n",
      R"(
  .reg .pred %p<2>; .reg .b32 %r<12>; .reg .f32 %f<5>; .reg .b64 %rd<12>;
  ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; ld.param.u64 %rd3, [p2];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ctaid.y;
  mad.lo.s32 %r5, %r3, 32, %r2; // column
  mov.u32 %r6, %tid.y; mad.lo.s32 %r7, %r4, 4, %r6; // row
  setp.ge.s32 %p1, %r7, %r1; @%p1 ret;
  setp.ge.s32 %p1, %r5, %r1; @%p1 ret;
  mul.lo.s32 %r8, %r7, %r1;
  mul.wide.s32 %rd4, %r8, 4; add.s64 %rd5, %rd1, %rd4;
  mul.wide.s32 %rd6, %r5, 4; add.s64 %rd7, %rd2, %rd6;
  mul.wide.s32 %rd8, %r1, 4;
  mov.f32 %f1, 0f00000000; mov.u32 %r9, 0;
$loop:
  ld.global.f32 %f2, [%rd5]; ld.global.f32 %f3, [%rd7];
  fma.rn.f32 %f1, %f2, %f3, %f1;
  add.s64 %rd5, %rd5, 4; add.s64 %rd7, %rd7, %rd8;
  add.s32 %r9, %r9, 1; setp.lt.s32 %p1, %r9, %r1; @%p1 bra $loop;
  add.s32 %r10, %r8, %r5; mul.wide.s32 %rd9, %r10, 4;
  add.s64 %rd10, %rd3, %rd9; st.global.f32 [%rd10], %f1;
  ret;)");
}

struct Sampled {
  LaunchStats full, sample;
};

void expectClose(const char *what, uint64_t sample, uint64_t full) {
  double error = full ? double(sample) / double(full) - 1 : double(sample);
  EXPECT_LE(std::abs(error), 0.02) << what << ": " << sample << " for " << full;
}

void expectClose(const Sampled &run) {
  const LaunchStats &a = run.sample, &b = run.full;
  EXPECT_GT(a.sampledBlocks, 0u);
  EXPECT_LT(a.sampledBlocks, a.gridBlocks * 2 / 3);
  EXPECT_EQ(b.sampledBlocks, 0u);
  EXPECT_EQ(a.blocks, b.blocks);
  expectClose("instructions", a.warpInstructions, b.warpInstructions);
  expectClose("threads", a.threadInstructions, b.threadInstructions);
  expectClose("loads", a.globalLoad.sectors, b.globalLoad.sectors);
  expectClose("stores", a.globalStore.sectors, b.globalStore.sectors);
  expectClose("unique loads", a.globalLoad.uniqueSectors,
              b.globalLoad.uniqueSectors);
  expectClose("unique stores", a.globalStore.uniqueSectors,
              b.globalStore.uniqueSectors);
  expectClose("L2", a.caches.l2Sectors(), b.caches.l2Sectors());
  expectClose("DRAM reads", a.caches.dramReads, b.caches.dramReads);
  expectClose("DRAM", a.caches.dramSectors(), b.caches.dramSectors());
}

TEST(Samples, AStreamMuchLargerThanL2) {
  Sampled run;
  for (bool isSample : {false, true}) {
    CopyRun copy(1 << 20, 256 << 10); // 1024 blocks, 32 of them at a time.
    LaunchOptions options;
    options.caches = &copy.caches;
    options.sampleBlocks = isSample ? 200 : 0;
    Outcome out =
        runKernel(copy.memory, copyText(1), {4096, 1, 1}, {256, 1, 1},
                  {copy.in.address(), copy.out.address()}, 0, options);
    ASSERT_TRUE(out.ok) << out.error;
    (isSample ? run.sample : run.full) = out.stats;
  }
  expectClose(run);
}

TEST(Samples, AMatrixProductWithARaggedEdge) {
  Sampled run;
  for (bool isSample : {false, true}) {
    DeviceMemory memory;
    uint64_t n = 205; // The last of 52 rows of blocks has one row of four.
    Buffer a(memory, n * n * 4), b(memory, n * n * 4), c(memory, n * n * 4);
    DeviceShape shape = smallDevice(1 << 20);
    shape.maxBlocksPerSM = 7; // Waves of 28 blocks, 4 rows of blocks.
    Caches caches(shape);
    LaunchOptions options;
    options.caches = &caches;
    options.sampleBlocks = isSample ? 150 : 0;
    options.sampleSeed = 7;
    Outcome out =
        runKernel(memory, matmulText(), {7, 52, 1}, {32, 4, 1},
                  {a.address(), b.address(), c.address(), n}, 0, options);
    ASSERT_TRUE(out.ok) << out.error;
    (isSample ? run.sample : run.full) = out.stats;
  }
  expectClose(run);
}

// Three operators in one launch: blocks below 1500 copy, others up to 1800
// fill, the rest add two words. Compares say so in each way that LLVM writes
// them.
TEST(Samples, PartsOfAPackAreEachMet) {
  std::string text = kernelText(".param .u64 p0, .param .u64 p1", R"(
  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<7>;
  ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
  mad.lo.s32 %r3, %r2, %ntid.x, %r1; mul.wide.u32 %rd3, %r3, 4;
  add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;
  mov.u32 %r4, 7;
  setp.lt.u32 %p1, %r2, 1500; @%p1 bra $copy;
  cvt.u64.u32 %rd6, %r2; add.s64 %rd6, %rd6, -1800;
  setp.gt.s64 %p1, %rd6, -1; @%p1 bra $add;
  bra $store;
$copy:
  ld.global.u32 %r4, [%rd4]; bra $store;
$add:
  ld.global.u32 %r4, [%rd4]; ld.global.u32 %r5, [%rd5];
  add.s32 %r4, %r4, %r5;
$store:
  st.global.u32 [%rd5], %r4; ret;)");
  for (uint64_t seed : {0, 1, 2}) {
    Sampled run;
    for (bool isSample : {false, true}) {
      CopyRun copy(1 << 20, 256 << 10);
      LaunchOptions options;
      options.caches = &copy.caches;
      options.sampleBlocks = isSample ? 200 : 0;
      options.sampleSeed = seed;
      Outcome out =
          runKernel(copy.memory, text, {4096, 1, 1}, {256, 1, 1},
                    {copy.in.address(), copy.out.address()}, 0, options);
      ASSERT_TRUE(out.ok) << out.error;
      (isSample ? run.sample : run.full) = out.stats;
    }
    expectClose(run);
  }
}

TEST(Samples, SmallGridsRunInFull) {
  CopyRun copy(16384, 1 << 20);
  LaunchOptions options;
  options.sampleBlocks = 1;
  options.caches = &copy.caches;
  Outcome out = runKernel(copy.memory, copyText(1), {64, 1, 1}, {256, 1, 1},
                          {copy.in.address(), copy.out.address()}, 0, options);
  EXPECT_EQ(out.stats.sampledBlocks, 0u);
}

} // namespace
