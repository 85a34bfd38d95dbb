//===- MachineTest.cpp - Memory, divergence, barriers, counters -----------===//
//
// What is not one instruction: addresses and their checks, lanes that part and
// meet, blocks, the counters, and the errors that users see.
//
//===----------------------------------------------------------------------===//
#include "EmulatorTest.h"

using namespace fuse_test;

namespace {
bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}
#define EXPECT_CONTAINS(text, part)                                            \
  EXPECT_TRUE(contains(text, part)) << "'" << part << "' is not in: " << (text)

/// Each thread loads from p0 at (tid * stride + start) bytes by `load`.
Outcome runLoads(const std::string &load, unsigned stride, unsigned start,
                 unsigned threads = 32, size_t bytes = 8192) {
  DeviceMemory memory;
  Buffer in(memory, bytes), out(memory, 4096);
  std::string body =
      "  .reg .b32 %r<8>;\n  .reg .b64 %rd<4>;\n  .reg .f32 %f<5>;\n"
      "  ld.param.u64 %rd1, [p0];\n  mov.u32 %r1, %tid.x;\n"
      "  mad.lo.s32 %r2, %r1, " +
      std::to_string(stride) + ", " + std::to_string(start) +
      ";\n  cvt.u64.u32 %rd2, %r2;\n"
      "  add.s64 %rd3, %rd1, %rd2;\n  " +
      load + "\n  ret;";
  return runKernel(memory, kernelText(".param .u64 p0", body), {1, 1, 1},
                   {threads, 1, 1}, {in.address()});
}

TEST(Counters, SectorsOfOneLoad) {
  struct {
    const char *load;
    unsigned stride, start, sectors;
  } rows[] = {
      {"ld.global.b32 %r3, [%rd3];", 4, 0, 4},    // Coalesced.
      {"ld.global.b32 %r3, [%rd3];", 4, 4, 5},    // Shifted by one element.
      {"ld.global.b32 %r3, [%rd3];", 8, 0, 8},    // Every other element.
      {"ld.global.b32 %r3, [%rd3];", 32, 0, 32},  // One sector each.
      {"ld.global.b32 %r3, [%rd3];", 128, 0, 32}, // One line each.
      {"ld.global.b32 %r3, [%rd3];", 0, 8, 1},    // All the same.
      {"ld.global.b8 %r3, [%rd3];", 1, 0, 1},
      {"ld.global.b64 %rd2, [%rd3];", 8, 0, 8},
      {"ld.global.v4.b32 {%r3,%r4,%r5,%r6}, [%rd3];", 16, 0, 16},
      {"ld.global.nc.L1::evict_last.b32 %r3, [%rd3];", 4, 0, 4},
  };
  for (auto &row : rows) {
    Outcome run = runLoads(row.load, row.stride, row.start);
    ASSERT_TRUE(run.ok) << run.error;
    EXPECT_EQ(run.stats.globalLoad.requests, 1u);
    EXPECT_EQ(run.stats.globalLoad.sectors, row.sectors)
        << row.load << " " << row.stride;
    EXPECT_EQ(run.stats.globalLoad.uniqueSectors, row.sectors);
    ASSERT_EQ(run.stats.allocations.size(), 1u);
    EXPECT_EQ(run.stats.allocations[0].load.sectors, row.sectors);
  }
}

TEST(Counters, UniqueSectorsAreASet) {
  // 8 warps read the same 128 bytes.
  Outcome run = runLoads("and.b64 %rd2, %rd2, 127; add.s64 %rd3, %rd1, %rd2;"
                         "ld.global.b32 %r3, [%rd3];",
                         4, 0, 256);
  ASSERT_TRUE(run.ok) << run.error;
  EXPECT_EQ(run.stats.globalLoad.requests, 8u);
  EXPECT_EQ(run.stats.globalLoad.sectors, 32u);
  EXPECT_EQ(run.stats.globalLoad.uniqueSectors, 4u);
  EXPECT_EQ(run.stats.globalLoad.bytes, 1024u);
}

// Loads up to the first use of one of them; shared memory is not waited for.
TEST(Counters, LongestRunOfLoads) {
  struct {
    const char *body;
    uint32_t bytes;
  } rows[] = {
      {"ld.global.f32 %f1, [%rd1];\n  ld.global.nc.v4.f32 {%f2,%f3,%f4,%f5}, "
       "[%rd1+16];\n  add.f32 %f6, %f1, %f2;",
       32 * (4 + 16)},
      {"ld.global.f32 %f1, [%rd1];\n  add.f32 %f6, %f1, %f1;\n"
       "  ld.global.f32 %f2, [%rd1];\n  ld.global.f32 %f3, [%rd1+4];",
       32 * 8},
      {"ld.global.u64 %rd2, [%rd1];\n  add.s64 %rd2, %rd1, 8;\n"
       "  ld.global.u16 %r1, [%rd2];",
       32 * 8},
      {"ld.global.f32 %f1, [%rd1];\n  ld.shared.f32 %f2, [tile];\n"
       "  add.f32 %f2, %f2, %f2;\n  ld.global.f32 %f3, [%rd1];",
       32 * 8},
      {"mov.f32 %f1, 0f00000000;", 0}};
  for (auto &row : rows) {
    DeviceMemory memory;
    Buffer in(memory, 256);
    Outcome run = runKernel(
        memory,
        kernelText(".param .u64 p0",
                   "  .shared .align 16 .b8 tile[16];\n  .reg .b32 %r<3>;\n"
                   "  .reg .f32 %f<8>;\n  .reg .b64 %rd<4>;\n"
                   "  ld.param.u64 %rd1, [p0];\n  " +
                       std::string(row.body) + "\n  ret;"),
        {1, 1, 1}, {32, 1, 1}, {in.address()});
    EXPECT_TRUE(run.ok) << run.error;
    EXPECT_EQ(run.stats.loadRunBytes, row.bytes) << row.body;
  }
}

TEST(Counters, BankConflicts) {
  struct {
    const char *access;
    unsigned stride, wavefronts, conflicts;
  } rows[] = {
      {"ld.shared.b32 %r3, [%rd2];", 4, 1, 0},
      {"ld.shared.b32 %r3, [%rd2];", 8, 2, 1},
      {"ld.shared.b32 %r3, [%rd2];", 128, 32, 31},
      {"ld.shared.b32 %r3, [%rd2];", 132, 1, 0}, // Padded: conflict-free.
      {"ld.shared.b32 %r3, [%rd2];", 0, 1, 0},   // Broadcast.
      {"ld.shared.b64 %rd3, [%rd2];", 8, 2, 0},
      {"ld.shared.v4.b32 {%r3,%r4,%r5,%r6}, [%rd2];", 16, 4, 0},
      {"ld.shared.v4.b32 {%r3,%r4,%r5,%r6}, [%rd2];", 128, 32, 28},
  };
  for (auto &row : rows) {
    DeviceMemory memory;
    std::string body =
        "  .shared .align 16 .b8 tile[8192];\n"
        "  .reg .b32 %r<8>;\n  .reg .b64 %rd<4>;\n  mov.u32 %r1, %tid.x;\n"
        "  mov.u32 %r2, tile;\n  mad.lo.s32 %r2, %r1, " +
        std::to_string(row.stride) + ", %r2;\n  cvt.u64.u32 %rd2, %r2;\n  " +
        row.access + "\n  ret;";
    Outcome run =
        runKernel(memory, kernelText("", body), {1, 1, 1}, {32, 1, 1}, {});
    ASSERT_TRUE(run.ok) << run.error;
    EXPECT_EQ(run.stats.sharedLoad.wavefronts, row.wavefronts)
        << row.access << " " << row.stride;
    EXPECT_EQ(run.stats.sharedLoad.bankConflicts, row.conflicts);
  }
}

TEST(Counters, InstructionsAndFlops) {
  DeviceMemory memory;
  std::string body = "  .reg .f32 %f<4>;\n"
                     "  mov.f32 %f1, 0f3F800000;\n"
                     "  fma.rn.f32 %f2, %f1, %f1, %f1;\n"
                     "  ex2.approx.f32 %f3, %f2;\n"
                     "  ret;";
  Outcome run =
      runKernel(memory, kernelText("", body), {3, 1, 1}, {48, 1, 1}, {});
  ASSERT_TRUE(run.ok) << run.error;
  EXPECT_EQ(run.stats.blocks, 3u);
  EXPECT_EQ(run.stats.warps, 6u);
  EXPECT_EQ(run.stats.warpInstructions, 24u);
  EXPECT_EQ(run.stats.threadInstructions, 4u * 48 * 3);
  EXPECT_EQ(run.stats.flops.fp32, 2u * 48 * 3);
  EXPECT_EQ(run.stats.flops.sfu, 48u * 3);
}

TEST(Counters, SameForAnyNumberOfHostThreads) {
  std::string text = kernelText(
      ".param .u64 p0",
      "  .reg .pred %p<3>;\n  .reg .b32 %r<9>;\n  .reg .b64 %rd<5>;\n"
      "  ld.param.u64 %rd1, [p0];\n"
      "  mov.u32 %r1, %tid.x;\n  mov.u32 %r2, %ctaid.x;\n"
      "  mov.u32 %r3, %ntid.x;\n  mad.lo.s32 %r4, %r2, %r3, %r1;\n"
      "  and.b32 %r5, %r4, 7;\n  setp.gt.u32 %p1, %r5, 3;\n"
      "  @%p1 bra $L1;\n  add.s32 %r5, %r5, 100;\n$L1:\n"
      "  mul.wide.u32 %rd2, %r4, 12;\n  add.s64 %rd3, %rd1, %rd2;\n"
      "  st.global.b32 [%rd3], %r5;\n"
      "  atom.global.add.u32 %r6, [%rd1], 1;\n  ret;");
  std::string first;
  for (unsigned threads : {1u, 2u, 7u}) {
    DeviceMemory memory;
    Buffer out(memory, 64 * 96 * 12);
    LaunchOptions options;
    options.threads = threads;
    Outcome run = runKernel(memory, text, {64, 1, 1}, {96, 1, 1},
                            {out.address()}, 0, options);
    ASSERT_TRUE(run.ok) << run.error;
    std::string json = statsToJson(run.stats);
    if (first.empty())
      first = json;
    EXPECT_EQ(json, first);
  }
}

TEST(Bounds, OutOfBoundsNamesTheAllocation) {
  Outcome run = runLoads("ld.global.b32 %r3, [%rd3];", 4, 0, 32, 120);
  EXPECT_FALSE(run.ok);
  EXPECT_CONTAINS(run.error, "out-of-bounds load of 4 bytes");
  EXPECT_CONTAINS(run.error, "0 bytes past the end of allocation #1 of 120");
  EXPECT_CONTAINS(run.error, "block (0,0,0), thread (30,0,0)");
  EXPECT_CONTAINS(run.error, "test.ptx:15: ld.global.b32 %r3, [%rd3];");
}

TEST(Bounds, MisalignedAndNull) {
  EXPECT_CONTAINS(runLoads("ld.global.b32 %r3, [%rd3];", 4, 2).error,
                  "misaligned load of 4 bytes");
  EXPECT_CONTAINS(
      runLoads("mov.u64 %rd3, 0; ld.global.b32 %r3, [%rd3];", 4, 0).error,
      "in no allocation");
  EXPECT_CONTAINS(runLoads("ld.global.v2.b32 {%r3,%r4}, [%rd3];", 4, 0).error,
                  "misaligned load of 8 bytes");
}

TEST(Bounds, SharedLocalAndConst) {
  DeviceMemory memory;
  auto error = [&](const std::string &body, const std::string &globals = "") {
    return runKernel(memory, kernelText("", body, globals), {1, 1, 1},
                     {32, 1, 1}, {})
        .error;
  };
  EXPECT_CONTAINS(error("  .shared .b32 s[4];\n  .reg .b32 %r<3>;\n"
                        "  ld.shared.b32 %r1, [s+16];\n  ret;"),
                  "shared memory has 16 bytes");
  EXPECT_CONTAINS(error("  .local .align 4 .b8 s[8];\n  .reg .b32 %r<3>;\n"
                        "  st.local.b32 [s+16], %r1;\n  ret;"),
                  "local memory has 16 bytes");
  EXPECT_CONTAINS(error("  .reg .b64 %rd<2>;\n  .reg .b32 %r<2>;\n"
                        "  mov.u64 %rd1, table;\n"
                        "  st.global.u32 [%rd1], %r1;\n  ret;",
                        ".const .align 4 .u32 table[2] = {1, 2};"),
                  "read-only store");
}

TEST(Bounds, UseAfterFree) {
  DeviceMemory memory;
  void *pointer = memory.allocate(64);
  EXPECT_TRUE(memory.release(pointer));
  EXPECT_FALSE(memory.release(pointer));
  std::string body = "  .reg .b64 %rd<2>;\n  .reg .b32 %r<2>;\n"
                     "  ld.param.u64 %rd1, [p0];\n"
                     "  ld.global.u32 %r1, [%rd1];\n  ret;";
  Outcome run = runKernel(memory, kernelText(".param .u64 p0", body), {1, 1, 1},
                          {1, 1, 1}, {reinterpret_cast<uint64_t>(pointer)});
  EXPECT_CONTAINS(run.error, "byte 0 of freed allocation #1");
}

TEST(Memory, Accounting) {
  DeviceMemory memory;
  void *a = memory.allocate(100), *b = memory.allocate(0),
       *c = memory.allocate(0);
  EXPECT_NE(b, c);
  EXPECT_EQ(reinterpret_cast<uint64_t>(a) % 256, 0u);
  EXPECT_EQ(memory.liveBytes(), 100u);
  EXPECT_EQ(memory.liveCount(), 3u);
  memory.release(a);
  EXPECT_EQ(memory.liveBytes(), 0u);
  EXPECT_EQ(memory.peakBytes(), 100u);
  int host[4];
  EXPECT_TRUE(memory.registerHost(host, sizeof host));
  EXPECT_FALSE(memory.registerHost(host + 1, 4));
  EXPECT_TRUE(memory.unregisterHost(host));
  EXPECT_FALSE(memory.unregisterHost(host));
}

/// Runs a kernel whose thread t stores a 32-bit value at p0 + 4 t.
std::vector<uint32_t> results(const std::string &body, unsigned threads = 32,
                              const std::string &globals = "") {
  DeviceMemory memory;
  Buffer out(memory, 4 * threads);
  std::string full =
      "  .reg .pred %p<9>;\n  .reg .b32 %r<20>;\n  .reg .b64 %rd<9>;\n"
      "  mov.u32 %r1, %tid.x;\n" +
      body +
      "\n  ld.param.u64 %rd1, [p0];\n  mul.wide.u32 %rd2, %r1, 4;\n"
      "  add.s64 %rd3, %rd1, %rd2;\n  st.global.u32 [%rd3], %r2;\n  ret;";
  Outcome run = runKernel(memory, kernelText(".param .u64 p0", full, globals),
                          {1, 1, 1}, {threads, 1, 1}, {out.address()}, 64);
  EXPECT_TRUE(run.ok) << run.error;
  uint32_t *data = out.as<uint32_t>();
  return {data, data + threads};
}

TEST(Divergence, LoopWithDifferentTripCounts) {
  auto got = results("  mov.u32 %r2, 0;\n  mov.u32 %r3, 0;\n"
                     "$loop:\n  setp.ge.u32 %p1, %r3, %r1;\n"
                     "  @%p1 bra $done;\n  add.s32 %r2, %r2, %r3;\n"
                     "  add.s32 %r3, %r3, 1;\n  bra $loop;\n$done:");
  for (uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(got[t], t * (t - 1) / 2) << t;
}

TEST(Divergence, ShuffleWaitsForItsMask) {
  // Even lanes take the long way; the shuffle after the join needs all.
  auto got = results("  and.b32 %r3, %r1, 1;\n  setp.eq.u32 %p1, %r3, 0;\n"
                     "  @%p1 bra $even;\n  mov.u32 %r4, 7;\n  bra $join;\n"
                     "$even:\n  mov.u32 %r4, 5;\n$join:\n"
                     "  shfl.sync.bfly.b32 %r2, %r4, 1, 31, -1;");
  for (uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(got[t], t % 2 ? 5u : 7u);
}

TEST(Divergence, SpinningLanesLetOthersRun) {
  // Lane 0 waits for a flag that lane 1 sets later in the text.
  auto got = results("  mov.u32 %r5, flag;\n  setp.ne.u32 %p1, %r1, 0;\n"
                     "  @%p1 bra $set;\n"
                     "$spin:\n  ld.volatile.shared.u32 %r6, [%r5];\n"
                     "  setp.eq.u32 %p2, %r6, 0;\n  @%p2 bra $spin;\n"
                     "  bra $end;\n$set:\n  mov.u32 %r7, 3;\n"
                     "  st.volatile.shared.u32 [%r5], %r7;\n$end:\n"
                     "  mov.u32 %r2, 9;",
                     32, ".shared .align 4 .u32 flag;");
  EXPECT_EQ(got[0], 9u);
}

TEST(Divergence, IndexedBranch) {
  auto got = results("  and.b32 %r3, %r1, 3;\n"
                     "  targets: .branchtargets $a, $b, $c, $d;\n"
                     "  brx.idx %r3, targets;\n"
                     "$a: mov.u32 %r2, 10;\n  bra $e;\n"
                     "$b: mov.u32 %r2, 11;\n  bra $e;\n"
                     "$c: mov.u32 %r2, 12;\n  bra $e;\n"
                     "$d: mov.u32 %r2, 13;\n$e:");
  for (uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(got[t], 10 + t % 4);
}

TEST(Barriers, DataCrossesWarps) {
  auto got = results("  mov.u32 %r3, tile;\n  shl.b32 %r4, %r1, 2;\n"
                     "  add.s32 %r5, %r3, %r4;\n  st.shared.u32 [%r5], %r1;\n"
                     "  bar.sync 0;\n  sub.s32 %r6, 127, %r1;\n"
                     "  shl.b32 %r6, %r6, 2;\n  add.s32 %r6, %r3, %r6;\n"
                     "  ld.shared.u32 %r2, [%r6];",
                     128, ".shared .align 4 .b32 tile[128];");
  for (uint32_t t = 0; t < 128; ++t)
    EXPECT_EQ(got[t], 127 - t);
}

TEST(Barriers, Reductions) {
  auto got = results("  setp.lt.u32 %p1, %r1, 40;\n"
                     "  barrier.cta.red.popc.u32 %r2, 0, %p1;",
                     96);
  EXPECT_EQ(got[95], 40u);
  got = results("  setp.lt.u32 %p1, %r1, 40;\n"
                "  bar.red.or.pred %p2, 0, %p1;\n"
                "  bar.red.and.pred %p3, 0, %p1;\n"
                "  selp.u32 %r3, 1, 0, %p2;\n  selp.u32 %r4, 2, 0, %p3;\n"
                "  add.s32 %r2, %r3, %r4;",
                96);
  EXPECT_EQ(got[0], 1u);
}

TEST(Barriers, DeadlockIsReported) {
  DeviceMemory memory;
  std::string body = "  .reg .pred %p<2>;\n  .reg .b32 %r<3>;\n"
                     "  mov.u32 %r1, %tid.x;\n  setp.lt.u32 %p1, %r1, 32;\n"
                     "  @%p1 bra $a;\n  bar.sync 1, 64;\n  ret;\n"
                     "$a:\n  bar.sync 2, 64;\n  ret;";
  Outcome run =
      runKernel(memory, kernelText("", body), {1, 1, 1}, {64, 1, 1}, {});
  EXPECT_CONTAINS(run.error, "deadlock in kernel 'k', block (0,0,0)");
  EXPECT_CONTAINS(run.error, "warp 1, lanes ffffffff wait at line 12: "
                             "bar.sync 1, 64;");
}

TEST(Barriers, EndlessLoopIsReported) {
  DeviceMemory memory;
  LaunchOptions options;
  options.maxBlockInstructions = 100000;
  Outcome run = runKernel(memory, kernelText("", "$l: bra $l;"), {1, 1, 1},
                          {32, 1, 1}, {}, 0, options);
  EXPECT_CONTAINS(run.error, "did not end within 100000 warp instructions");
}

TEST(Calls, FrameAndResult) {
  std::string function =
      ".func (.param .b32 out) twice(.param .b32 in)\n{\n"
      "  .reg .b32 %r<3>;\n  ld.param.b32 %r1, [in];\n"
      "  shl.b32 %r2, %r1, 1;\n  st.param.b32 [out], %r2;\n  ret;\n}\n";
  auto got = results("  setp.gt.u32 %p1, %r1, 7;\n  mov.u32 %r2, 1;\n"
                     "  @%p1 bra $skip;\n  { .param .b32 a; .param .b32 r;\n"
                     "  st.param.b32 [a], %r1;\n"
                     "  call.uni (r), twice, (a);\n"
                     "  ld.param.b32 %r2, [r]; }\n$skip:",
                     32, function);
  for (uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(got[t], t > 7 ? 1 : 2 * t);
}

TEST(Warp, VoteMatchRedux) {
  auto ballot = results("  and.b32 %r3, %r1, 3;\n  setp.eq.u32 %p1, %r3, 1;\n"
                        "  vote.sync.ballot.b32 %r2, %p1, -1;");
  EXPECT_EQ(ballot[5], 0x22222222u);
  auto match = results("  and.b32 %r3, %r1, 3;\n"
                       "  match.any.sync.b32 %r2, %r3, -1;");
  EXPECT_EQ(match[2], 0x44444444u);
  auto sum = results("  redux.sync.add.s32 %r2, %r1, -1;");
  EXPECT_EQ(sum[0], 31u * 16);
  auto down = results("  shfl.sync.down.b32 %r2|%p1, %r1, 3, 31, -1;\n"
                      "  @!%p1 mov.u32 %r2, 99;");
  EXPECT_EQ(down[0], 3u);
  EXPECT_EQ(down[30], 99u);
}

TEST(Atomics, AddAndCas) {
  auto got = results("  mov.u32 %r3, cell;\n"
                     "  atom.shared.add.u32 %r4, [%r3], 2;\n  bar.sync 0;\n"
                     "  ld.shared.u32 %r2, [%r3];",
                     64, ".shared .align 4 .u32 cell;");
  EXPECT_EQ(got[63], 128u);
  got = results("  mov.u32 %r3, cell;\n"
                "  atom.shared.cas.b32 %r4, [%r3], 0, 5;\n"
                "  atom.shared.inc.u32 %r5, [%r3], 6;\n  bar.sync 0;\n"
                "  ld.shared.u32 %r2, [%r3];",
                1, ".shared .align 4 .u32 cell;");
  EXPECT_EQ(got[0], 6u);
}

TEST(Module, VariablesAndInitialisers) {
  auto got = results("  mov.u64 %rd4, pointer;\n  ld.global.u64 %rd5, [%rd4];\n"
                     "  ld.global.u32 %r2, [%rd5];",
                     1,
                     ".global .align 4 .u32 data[3] = {7, 8, 9};\n"
                     ".global .align 8 .u64 pointer[1] = {data+8};");
  EXPECT_EQ(got[0], 9u);
}

TEST(Module, ParametersAndLayout) {
  DeviceMemory memory;
  std::string error;
  auto module = Module::load(
      kernelText(".param .u32 a, .param .align 8 .b8 b[12], .param .u64 c",
                 "  .shared .b32 s[10];\n  .reg .b32 %r<2>;\n"
                 "  ld.shared.u32 %r1, [s];\n  ret;"),
      memory, error);
  ASSERT_TRUE(module) << error;
  const KernelInfo *info = module->lookup("k");
  ASSERT_EQ(info->params.size(), 3u);
  EXPECT_EQ(info->params[1].offset, 8u);
  EXPECT_EQ(info->params[1].size, 12u);
  EXPECT_EQ(info->params[2].offset, 24u);
  EXPECT_EQ(info->paramBytes, 32u);
  EXPECT_EQ(info->staticSharedBytes, 40u);
}

TEST(Module, ErrorsNameLineAndText) {
  auto body = [](const std::string &inst) {
    return loadError(kernelText(
        "", "  .reg .b32 %r<4>;\n  .reg .b64 %rd<2>;\n  " + inst + "\n  ret;"));
  };
  EXPECT_EQ(body("frob.b32 %r1, %r2;"),
            "test.ptx:9: unknown instruction 'frob'\n  frob.b32 %r1, %r2;");
  EXPECT_CONTAINS(body("add.wrong.s32 %r1, %r2, %r3;"),
                  "unsupported modifier '.wrong' of 'add'");
  EXPECT_CONTAINS(body("add.s32 %r1, %r2;"), "expected 3 operands, but got 2");
  EXPECT_CONTAINS(body("add.s32 %r1, %r9, 1;"), "unknown register '%r9'");
  EXPECT_CONTAINS(body("add.s64 %rd1, %r1, 1;"), "is too narrow");
  EXPECT_CONTAINS(body("bra $nowhere;"), "unknown label '$nowhere'");
  EXPECT_CONTAINS(body("mov.u64 %rd1, nothing;"), "unknown symbol 'nothing'");
  EXPECT_CONTAINS(loadError("garbage"), "test.ptx:1: expected a directive");
  EXPECT_CONTAINS(loadError(""), "expected a '.version' directive");
}

// A texture costs the kernels that read it, directly or by a call, no others.
TEST(Module, UnsupportedInstructionsRefuseOnlyTheirKernels) {
  std::string text =
      ".version 8.3\n.target sm_80\n.address_size 64\n"
      ".global .texref image;\n.global .samplerref nearest = {\n"
      "  addr_mode_0 = clamp_to_edge, filter_mode = nearest };\n"
      ".func read(.param .b64 t) {\n"
      "  .reg .f32 %f<5>; .reg .pred %p<2>; .reg .b64 %rd<2>;\n"
      "  ld.param.b64 %rd1, [t];\n"
      "  tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}|%p1, [%rd1, {%f1,%f2}];\n"
      "  ret;\n}\n"
      ".visible .entry direct() {\n  .reg .f32 %f<5>;\n"
      "  tex.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [image, nearest, {%f1}];\n"
      "  ret;\n}\n"
      ".visible .entry k(.param .u64 out) {\n"
      "  .reg .b64 %rd<2>; .reg .b32 %r<2>;\n  ld.param.u64 %rd1, [out];\n"
      "  mov.b32 %r1, 7;\n  st.global.b32 [%rd1], %r1;\n  ret;\n}\n"
      ".visible .entry calls(.param .u64 t) {\n  .reg .b64 %rd<2>;\n"
      "  ld.param.u64 %rd1, [t];\n  .param .b64 arg;\n"
      "  st.param.b64 [arg], %rd1;\n  call read, (arg);\n  ret;\n}\n";
  DeviceMemory memory;
  Buffer out(memory, 4);
  EXPECT_EQ(runKernel(memory, text, {}, {}, {out.address()}).error, "");
  EXPECT_EQ(*out.as<uint32_t>(), 7u);
  std::string error;
  auto module = Module::load(text, memory, error, "test.ptx");
  ASSERT_TRUE(module) << error;
  uint64_t param = 0;
  LaunchStats stats;
  for (auto [kernel, at] :
       {std::pair<const char *, const char *>{"direct", "test.ptx:15: "},
        {"calls", "test.ptx:10: "}}) {
    EXPECT_FALSE(launch(*module, kernel, {}, {}, 0, &param, {}, stats, error));
    EXPECT_EQ(error.find(std::string(at) +
                         "unsupported: textures, instruction 'tex'\n  tex."),
              0u)
        << error;
  }
  EXPECT_EQ(module->lookup("calls")->params.size(), 1u);
  EXPECT_EQ(module->lookup("k")->unsupported, "");
}

TEST(Launch, BadSizesAreRefused) {
  DeviceMemory memory;
  std::string text = kernelText("", "  ret;");
  EXPECT_CONTAINS(runKernel(memory, text, {0, 1, 1}, {1, 1, 1}, {}).error,
                  "invalid grid (0,1,1)");
  EXPECT_CONTAINS(runKernel(memory, text, {1, 1, 1}, {1025, 1, 1}, {}).error,
                  "invalid block (1025,1,1)");
  EXPECT_CONTAINS(
      runKernel(memory, text, {1, 1, 1}, {1, 1, 1}, {}, 300000).error,
      "shared memory of 300000 bytes exceeds");
}
} // namespace
