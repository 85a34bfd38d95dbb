//===- CheckerTest.cpp - Planted defects and their correct twins ----------===//
//
// Every row is a kernel body that is run under all checkers, with a part of
// the finding it must cause, or none for the correct version of the same.
//
//===----------------------------------------------------------------------===//
#include "EmulatorTest.h"

using namespace fuse_test;

namespace {
struct Row {
  const char *name, *body, *finding;
  unsigned blocks = 1, threads = 64;
};

/// p0 is a written buffer of 8192 bytes, p1 one that was never written.
std::string findingOf(const Row &row) {
  DeviceMemory memory;
  memory.trackWrites(true);
  Buffer in(memory, 8192), out(memory, 8192);
  memory.markWritten(in.data, in.bytes);
  std::string body =
      "  .shared .align 16 .b8 tile[1024];\n  .shared .align 8 .b64 bar;\n"
      "  .reg .pred %p<9>;\n  .reg .b32 %r<20>;\n  .reg .b64 %rd<12>;\n"
      "  .reg .b16 %h<4>;\n"
      "  ld.param.u64 %rd1, [p0];\n  ld.param.u64 %rd2, [p1];\n"
      "  mov.u32 %r1, %tid.x;\n  mov.u32 %r2, %ctaid.x;\n"
      "  mov.u32 %r9, bar;\n"
      "  mov.u32 %r3, tile;\n  shl.b32 %r4, %r1, 2;\n"
      "  add.s32 %r5, %r3, %r4;\n  mul.wide.u32 %rd3, %r1, 4;\n"
      "  add.s64 %rd4, %rd1, %rd3;\n  add.s64 %rd5, %rd2, %rd3;\n"
      "  mad.lo.s32 %r6, %r2, %ntid.x, %r1;\n  mul.wide.u32 %rd6, %r6, 4;\n"
      "  add.s64 %rd7, %rd1, %rd6;\n" +
      std::string(row.body) + "\n  ret;";
  LaunchOptions options;
  options.checks = CheckAll;
  Outcome run =
      runKernel(memory, kernelText(".param .u64 p0, .param .u64 p1", body),
                {row.blocks, 1, 1}, {row.threads, 1, 1},
                {in.address(), out.address()}, 0, options);
  EXPECT_EQ(run.ok, run.error.empty());
  return run.error;
}

void check(const std::vector<Row> &rows) {
  for (const Row &row : rows) {
    std::string error = findingOf(row);
    if (!*row.finding)
      EXPECT_EQ(error, "") << row.name;
    else
      EXPECT_NE(error.find(row.finding), std::string::npos)
          << row.name << ": " << error;
    if (*row.finding) {
      EXPECT_NE(error.find("in kernel 'k', block ("), std::string::npos);
      EXPECT_NE(error.find("at test.ptx:"), std::string::npos);
    }
  }
}

// Thread t reads what thread 63 - t wrote: another warp.
#define OPPOSITE "  sub.s32 %r7, 252, %r4;\n  add.s32 %r8, %r3, %r7;\n"

TEST(Checker, SharedRaces) {
  check({
      {"write, barrier, read",
       "  st.shared.u32 [%r5], %r1;\n  bar.sync 0;\n" OPPOSITE
       "  ld.shared.u32 %r10, [%r8];",
       ""},
      // The first warp finds the words of the second not even written.
      {"write, no barrier, read",
       "  st.shared.u32 [%r5], %r1;\n" OPPOSITE "  ld.shared.u32 %r10, [%r8];",
       "read of uninitialised shared memory"},
      {"the second round lacks its barrier",
       "  st.shared.u32 [%r5], %r1;\n  bar.sync 0;\n" OPPOSITE
       "  ld.shared.u32 %r10, [%r8];\n  st.shared.u32 [%r5], %r10;",
       "race in shared memory at address"},
      {"the second round has its barrier",
       "  st.shared.u32 [%r5], %r1;\n  bar.sync 0;\n" OPPOSITE
       "  ld.shared.u32 %r10, [%r8];\n  bar.sync 0;\n"
       "  st.shared.u32 [%r5], %r10;",
       ""},
      {"read after an unordered write",
       "  st.shared.u32 [%r5], %r1;\n  bar.sync 0;\n"
       "  st.shared.u32 [%r5], %r1;\n" OPPOSITE "  ld.shared.u32 %r10, [%r8];",
       "race in shared memory at address"},
      {"two warps write one word", "  st.shared.u32 [%r3], %r1;",
       "write follows a write of warp 0"},
      {"one warp writes one word",
       "  setp.ne.u32 %p1, %r1, 0;\n  @%p1 bra $e;\n"
       "  st.shared.u32 [%r3], %r1;\n$e:",
       ""},
      {"neighbouring halves belong to two warps",
       "  shl.b32 %r7, %r1, 5;\n  and.b32 %r7, %r7, 1023;\n"
       "  shr.u32 %r8, %r1, 5;\n  shl.b32 %r8, %r8, 1;\n"
       "  add.s32 %r7, %r7, %r8;\n  add.s32 %r7, %r7, %r3;\n"
       "  mov.u16 %h1, 1;\n  st.shared.u16 [%r7], %h1;",
       ""},
      {"a barrier for one warp does not order the other",
       "  setp.gt.u32 %p1, %r1, 31;\n  @%p1 bra $w;\n"
       "  st.shared.u32 [%r3], %r1;\n  bar.sync 1, 32;\n  bra $e;\n"
       "$w:\n  bar.sync 2, 32;\n  st.shared.u32 [%r3], %r1;\n$e:",
       "write follows a write"},
      {"producer and consumer by named barrier",
       "  setp.gt.u32 %p1, %r1, 31;\n  @%p1 bra $w;\n"
       "  st.shared.u32 [%r5], %r1;\n  bar.arrive 1, 64;\n  bra $e;\n"
       "$w:\n  bar.sync 1, 64;\n  ld.shared.u32 %r10, [%r5+-128];\n$e:",
       ""},
      {"atomics do not race",
       "  setp.ne.u32 %p1, %r1, 0;\n  mov.u32 %r7, 0;\n"
       "  @!%p1 st.shared.u32 [%r3], %r7;\n  bar.sync 0;\n"
       "  atom.shared.add.u32 %r10, [%r3], 1;",
       ""},
      {"an atomic and a plain read race",
       "  mov.u32 %r7, 0;\n  setp.ne.u32 %p1, %r1, 0;\n"
       "  @!%p1 st.shared.u32 [%r3], %r7;\n  bar.sync 0;\n"
       "  setp.gt.u32 %p2, %r1, 31;\n"
       "  @!%p2 atom.shared.add.u32 %r10, [%r3], 1;\n"
       "  @%p2 ld.shared.u32 %r10, [%r3];",
       "race in shared memory at address"},
  });
}

TEST(Checker, GlobalRaces) {
  check({
      {"each block its part", "  st.global.u32 [%rd7], %r1;", "", 4},
      {"blocks write the same words", "  st.global.u32 [%rd4], %r1;",
       "write follows a write of block 0", 4},
      {"a block reads what another wrote",
       "  st.global.u32 [%rd7], %r1;\n  setp.eq.u32 %p1, %r2, 0;\n"
       "  @!%p1 ld.global.u32 %r10, [%rd4];",
       "read follows a write of block 0", 2},
      {"a block overwrites what another read",
       "  setp.eq.u32 %p1, %r2, 0;\n  @%p1 ld.global.u32 %r10, [%rd4+256];\n"
       "  @!%p1 st.global.u32 [%rd7], %r1;",
       "write follows a read of block 0", 2},
      {"blocks read the same words", "  ld.global.u32 %r10, [%rd4];", "", 4},
      {"blocks add atomically", "  red.global.add.u32 [%rd4], 1;", "", 4},
      {"ordered by an atomic ticket",
       "  st.global.u32 [%rd7], %r1;\n  membar.gl;\n  bar.sync 0;\n"
       "  atom.global.add.u32 %r10, [%rd1+4096], 1;\n"
       "  setp.eq.u32 %p1, %r2, 1;\n  @%p1 ld.global.u32 %r11, [%rd4];",
       "", 2},
      {"neighbouring bytes belong to two blocks",
       "  shl.b32 %r7, %r1, 1;\n  add.s32 %r7, %r7, %r2;\n"
       "  cvt.u64.u32 %rd8, %r7;\n  add.s64 %rd9, %rd1, %rd8;\n"
       "  st.global.u8 [%rd9], %r1;",
       "", 2},
  });
}

TEST(Checker, UninitialisedReads) {
  check({
      {"global, never written", "  ld.global.u32 %r10, [%rd5];",
       "read of uninitialised global memory: byte 0 of allocation #2"},
      {"global, written before",
       "  st.global.u32 [%rd5], %r1;\n  ld.global.u32 %r10, [%rd5];", ""},
      {"global, half written",
       "  st.global.u16 [%rd5], %h1;\n  ld.global.u32 %r10, [%rd5];",
       "byte 2 of allocation #2"},
      {"atomic on memory never written", "  red.global.add.u32 [%rd5], 1;",
       "uninitialised global memory"},
      {"shared, never written", "  ld.shared.u32 %r10, [%r5];",
       "read of uninitialised shared memory"},
      {"shared, own word",
       "  st.shared.u32 [%r5], %r1;\n  ld.shared.u32 %r10, [%r5];", ""},
  });
}

TEST(Checker, Barriers) {
  check({
      {"all lanes", "  bar.sync 0;", ""},
      {"half of each warp",
       "  and.b32 %r7, %r1, 1;\n  setp.eq.u32 %p1, %r7, 0;\n"
       "  @%p1 bra $a;\n  bar.sync 0;\n  bra $e;\n$a:\n  bar.sync 0;\n$e:",
       "divergent barrier"},
      {"not aligned, half of each warp",
       "  and.b32 %r7, %r1, 1;\n  setp.eq.u32 %p1, %r7, 0;\n"
       "  @%p1 bra $a;\n  barrier.sync 0;\n  bra $e;\n"
       "$a:\n  barrier.sync 0;\n$e:",
       ""},
      {"the others have left",
       "  and.b32 %r7, %r1, 1;\n  setp.eq.u32 %p1, %r7, 0;\n  @%p1 ret;\n"
       "  bar.sync 0;",
       ""},
      {"different counts",
       "  setp.gt.u32 %p1, %r1, 31;\n  @%p1 bra $a;\n  bar.sync 1, 64;\n"
       "  bra $e;\n$a:\n  bar.sync 1, 96;\n$e:",
       "barrier 1 is used with 96 threads, but 64 by others"},
  });
}

#define COPY                                                                   \
  "  shl.b32 %r7, %r1, 4;\n  add.s32 %r8, %r3, %r7;\n"                         \
  "  mul.wide.u32 %rd8, %r1, 16;\n  add.s64 %rd9, %rd1, %rd8;\n"               \
  "  cp.async.cg.shared.global [%r8], [%rd9], 16;\n"                           \
  "  cp.async.commit_group;\n"

TEST(Checker, AsyncCopies) {
  check({
      {"waited for",
       COPY "  cp.async.wait_group 0;\n"
            "  ld.shared.u32 %r10, [%r8];",
       ""},
      {"not waited for", COPY "  ld.shared.u32 %r10, [%r8];",
       "is read before the cp.async that writes it was waited for"},
      {"one group may stay open",
       COPY "  cp.async.wait_group 1;\n"
            "  ld.shared.u32 %r10, [%r8];",
       "is read before the cp.async"},
      {"waited for, but of another warp, without a barrier",
       COPY "  cp.async.wait_all;\n  xor.b32 %r7, %r7, 512;\n"
            "  add.s32 %r8, %r3, %r7;\n  ld.shared.u32 %r10, [%r8];",
       "shared memory"},
      {"waited for, of another warp, with a barrier",
       COPY "  cp.async.wait_all;\n  bar.sync 0;\n  xor.b32 %r7, %r7, 512;\n"
            "  add.s32 %r8, %r3, %r7;\n  ld.shared.u32 %r10, [%r8];",
       ""},
      {"mbarrier not initialised", "  mbarrier.arrive.shared.b64 %rd8, [%r9];",
       "use of an mbarrier that was not initialised"},
  });
}

TEST(Checker, ParsesLists) {
  unsigned checks = 0;
  EXPECT_TRUE(parseChecks("all", checks));
  EXPECT_EQ(checks, unsigned(CheckAll));
  EXPECT_TRUE(parseChecks("races,async", checks));
  EXPECT_EQ(checks, unsigned(CheckRaces | CheckAsync));
  EXPECT_TRUE(parseChecks("none", checks));
  EXPECT_EQ(checks, 0u);
  EXPECT_FALSE(parseChecks("everything", checks));
}
// LLVM loads whole aligned chunks and says which bytes of them count.
TEST(Checker, UsedBytesOfALoad) {
  for (bool isSaid : {true, false}) {
    DeviceMemory memory;
    Buffer in(memory, 10);
    std::string body =
        "  .reg .b32 %r<5>;\n  .reg .b64 %rd<2>;\n"
        "  ld.param.u64 %rd1, [p0];\n" +
        std::string(isSaid ? "  .pragma \"used_bytes_mask 0x3ff\";\n" : "") +
        "  ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1];\n  ret;";
    Outcome run = runKernel(memory, kernelText(".param .u64 p0", body),
                            {1, 1, 1}, {32, 1, 1}, {in.address()}, 0, {});
    EXPECT_EQ(run.ok, isSaid) << run.error;
  }
}

} // namespace
