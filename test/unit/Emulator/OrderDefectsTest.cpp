//===- OrderDefectsTest.cpp - Accesses and threads out of order -----------===//
//
// Races in shared and global memory, barriers, asynchronous copies, mbarriers,
// assertions.
//
//===----------------------------------------------------------------------===//
#include "DefectTest.h"

using namespace fuse_test;

namespace {
using K = FindingKind;

// Thread t looks at the word of thread 63 - t, of another warp.
#define OPPOSITE "  sub.s32 %r7, 252, %r4;\n  add.s32 %r8, %r3, %r7;\n"
#define FIRST_WARP "  setp.gt.u32 %p1, %r1, 31;\n"
#define WRITE "  st.shared.u32 [%r5], %r1;\n"
#define BAR "  bar.sync 0;\n"

#define ZERO                                                                   \
  "  setp.eq.u32 %p2, %r1, 0;\n  @%p2 st.shared.u32 [%r3], %r7;\n"             \
  "  @%p2 st.shared.u32 [%r3+4], %r7;\n" BAR
// All warps but the third read a word that its first thread will write.
#define READERS                                                                \
  "  shr.u32 %r8, %r1, 5;\n  setp.ne.u32 %p1, %r8, 2;\n"                       \
  "  @%p1 ld.shared.u32 %r10, [%r3];\n  setp.eq.u32 %p2, %r1, 64;\n"
// The first warp writes a value and then a flag that the second waits for.
#define FLAG(st, ld)                                                           \
  FIRST_WARP "  @%p1 bra $w;\n  @%p2 st.shared.u32 [%r3], %r1;\n"              \
             "  membar.cta;\n  @%p2 " st ".u32 [%r3+4], 1;\n  bra $e;\n"       \
             "$w:\n  " ld ".u32 %r10, [%r3+4];\n  setp.ne.u32 %p3, %r10, 1;\n" \
             "  @%p3 bra $w;\n  ld.shared.u32 %r11, [%r3];\n$e:"

TEST(Defects, SharedRaces) {
  checkDefects({
      {"read without a barrier", K::SharedRace,
       "read follows a write of warp 0",
       WRITE OPPOSITE "  ld.shared.u32 %r10, [%r8];",
       WRITE BAR OPPOSITE "  ld.shared.u32 %r10, [%r8];"},
      {"the second round lacks its barrier", K::SharedRace, "race in shared",
       WRITE BAR OPPOSITE "  ld.shared.u32 %r10, [%r8];\n"
                          "  st.shared.u32 [%r5], %r10;",
       WRITE BAR OPPOSITE "  ld.shared.u32 %r10, [%r8];\n" BAR
                          "  st.shared.u32 [%r5], %r10;"},
      {"read after an unordered second write", K::SharedRace, "race in shared",
       WRITE BAR WRITE OPPOSITE "  ld.shared.u32 %r10, [%r8];",
       WRITE BAR WRITE BAR OPPOSITE "  ld.shared.u32 %r10, [%r8];"},
      {"two warps write one word", K::SharedRace,
       "write follows a write of warp 0", "  st.shared.u32 [%r3], %r1;",
       "  setp.eq.u32 %p1, %r1, 0;\n  @%p1 st.shared.u32 [%r3], %r1;"},
      {"the same word, but not the same value", K::SharedRace,
       "write follows a write",
       "  shr.u32 %r8, %r1, 5;\n"
       "  st.shared.u32 [%r3], %r8;",
       "  st.shared.u32 [%r3], %r7;"},
      {"words that overlap by half", K::SharedRace, "race in shared",
       // Halves 0, 1 of thread 31 and 32 are one word.
       FIRST_WARP "  @%p1 st.shared.u16 [%r3+2], %h1;\n"
                  "  @!%p1 st.shared.u32 [%r3], %r1;",
       FIRST_WARP "  @%p1 st.shared.u16 [%r3+2], %h1;\n"
                  "  @!%p1 st.shared.u16 [%r3], %h1;"},
      {"a barrier of each warp alone", K::SharedRace, "write follows a write",
       FIRST_WARP "  @%p1 bra $w;\n  st.shared.u32 [%r3], %r1;\n"
                  "  bar.sync 1, 32;\n  bra $e;\n$w:\n  bar.sync 2, 32;\n"
                  "  st.shared.u32 [%r3], %r1;\n$e:",
       FIRST_WARP "  @%p1 bra $w;\n  st.shared.u32 [%r3], %r1;\n"
                  "  bar.sync 1, 64;\n  bra $e;\n$w:\n  bar.sync 1, 64;\n"
                  "  st.shared.u32 [%r3], %r1;\n$e:"},
      {"the consumer only arrives", K::SharedRace, "read follows a write",
       FIRST_WARP "  @%p1 bra $w;\n" WRITE "  bar.sync 1, 64;\n  bra $e;\n"
                  "$w:\n  bar.arrive 1, 64;\n"
                  "  ld.shared.u32 %r10, [%r5+-128];\n$e:",
       FIRST_WARP "  @%p1 bra $w;\n" WRITE "  bar.arrive 1, 64;\n  bra $e;\n"
                  "$w:\n  bar.sync 1, 64;\n"
                  "  ld.shared.u32 %r10, [%r5+-128];\n$e:"},
      {"a fence is no barrier", K::SharedRace, "race in shared",
       WRITE "  membar.cta;\n" OPPOSITE "  ld.shared.u32 %r10, [%r8];",
       WRITE "  membar.cta;\n" BAR OPPOSITE "  ld.shared.u32 %r10, [%r8];"},
      {"an atomic and a plain read", K::SharedRace, "race in shared",
       FIRST_WARP "  setp.eq.u32 %p2, %r1, 0;\n"
                  "  @%p2 st.shared.u32 [%r3], %r7;\n" BAR
                  "  @!%p1 atom.shared.add.u32 %r10, [%r3], 1;\n"
                  "  @%p1 ld.shared.u32 %r10, [%r3];",
       "  setp.eq.u32 %p2, %r1, 0;\n  @%p2 st.shared.u32 [%r3], %r7;\n" BAR
       "  atom.shared.add.u32 %r10, [%r3], 1;\n" BAR
       "  ld.shared.u32 %r10, [%r3];"},
      {"one of three readers", K::SharedRace, "write follows a read of warp 0",
       ZERO READERS "  @%p2 st.shared.u32 [%r3], %r1;",
       ZERO READERS BAR "  @%p2 st.shared.u32 [%r3], %r1;", 1, 128},
      {"one buffer where two are needed", K::SharedRace, "race in shared",
       WRITE BAR OPPOSITE "  ld.shared.u32 %r10, [%r8];\n" WRITE BAR
                          "  ld.shared.u32 %r10, [%r8];",
       WRITE BAR OPPOSITE "  ld.shared.u32 %r10, [%r8];\n"
                          "  st.shared.u32 [%r5+256], %r1;\n" BAR
                          "  ld.shared.u32 %r10, [%r8+256];"},
      {"through a generic address", K::SharedRace, "race in shared",
       WRITE OPPOSITE "  cvt.u64.u32 %rd8, %r8;\n"
                      "  cvta.shared.u64 %rd8, %rd8;\n  ld.u32 %r10, [%rd8];",
       WRITE BAR OPPOSITE "  cvt.u64.u32 %rd8, %r8;\n"
                          "  cvta.shared.u64 %rd8, %rd8;\n"
                          "  ld.u32 %r10, [%rd8];"},
      {"a flag that is not volatile", K::SharedRace, "race in shared",
       ZERO FLAG("st.shared", "ld.volatile.shared"),
       ZERO FLAG("st.volatile.shared", "ld.volatile.shared")},
  });
}

// A ticket by thread 0 after (or before) the block's stores; the last reads.
#define STORE "  st.global.u32 [%rd7], %r1;\n  membar.gl;\n" BAR
#define TICKET                                                                 \
  "  setp.eq.u32 %p2, %r1, 0;\n"                                               \
  "  @%p2 atom.global.add.u32 %r10, [%rd1+4096], 1;\n" BAR
#define LAST_READS                                                             \
  "  setp.eq.u32 %p1, %r2, 1;\n  @%p1 ld.global.u32 %r11, [%rd4];"

TEST(Defects, GlobalRacesOfBlocks) {
  checkDefects({
      {"the same words", K::GlobalRace, "write follows a write of block 0",
       "  st.global.u32 [%rd4], %r6;", "  st.global.u32 [%rd7], %r1;", 4},
      {"the same words, but not the same values", K::GlobalRace,
       "write follows a write of block 0", "  st.global.u32 [%rd4], %r2;",
       "  st.global.u32 [%rd4], %r1;", 4},
      {"a block reads what another wrote", K::GlobalRace,
       "read follows a write of block 0",
       STORE "  setp.eq.u32 %p1, %r2, 0;\n  @!%p1 ld.global.u32 %r10, [%rd4];",
       STORE "  ld.global.u32 %r10, [%rd7];", 2},
      {"a block overwrites what another read", K::GlobalRace,
       "write follows a read of block 0",
       "  setp.eq.u32 %p1, %r2, 0;\n  @%p1 ld.global.u32 %r10, [%rd4+256];\n"
       "  @!%p1 st.global.u32 [%rd7], %r1;",
       "  setp.eq.u32 %p1, %r2, 0;\n  @%p1 ld.global.u32 %r10, [%rd4+512];\n"
       "  @!%p1 st.global.u32 [%rd7], %r1;",
       2},
      {"all read, then the last writes", K::GlobalRace,
       "write follows a read of block 0",
       "  setp.eq.u32 %p1, %r2, 2;\n  ld.global.u32 %r10, [%rd4];\n"
       "  @%p1 st.global.u32 [%rd4], %r1;",
       "  setp.eq.u32 %p1, %r2, 2;\n  ld.global.u32 %r10, [%rd4];\n"
       "  @%p1 st.global.u32 [%rd4+2048], %r1;",
       3},
      {"a sum without atomics", K::GlobalRace, "race in global memory",
       "  setp.eq.u32 %p1, %r1, 0;\n  @!%p1 bra $e;\n"
       "  ld.global.u32 %r10, [%rd1];\n  add.s32 %r10, %r10, 1;\n"
       "  st.global.u32 [%rd1], %r10;\n$e:",
       "  setp.eq.u32 %p1, %r1, 0;\n  @%p1 red.global.add.u32 [%rd1], 1;", 4},
      {"the ticket is drawn before the store", K::GlobalRace,
       "read follows a write of block 0", TICKET STORE LAST_READS,
       STORE TICKET LAST_READS, 2},
      {"neighbouring bytes", K::GlobalRace, "write follows a write",
       "  shl.b32 %r7, %r1, 1;\n  cvt.u64.u32 %rd8, %r7;\n"
       "  add.s64 %rd9, %rd1, %rd8;\n  st.global.u8 [%rd9], %r6;",
       "  shl.b32 %r7, %r1, 1;\n  add.s32 %r7, %r7, %r2;\n"
       "  cvt.u64.u32 %rd8, %r7;\n  add.s64 %rd9, %rd1, %rd8;\n"
       "  st.global.u8 [%rd9], %r6;",
       2},
      {"the edge of the neighbour", K::GlobalRace, "race in global memory",
       "  st.global.u32 [%rd7], %r1;\n" BAR "  ld.global.u32 %r10, [%rd7+4];",
       "  st.global.u32 [%rd7+4096], %r1;\n" BAR
       "  ld.global.u32 %r10, [%rd7+4];",
       2},
  });
}

TEST(Defects, GlobalRacesOfWarps) {
  checkDefects({
      {"read without a barrier", K::GlobalRace,
       "read follows a write of warp 0",
       "  st.global.u32 [%rd4], %r1;\n  xor.b32 %r7, %r4, 128;\n"
       "  cvt.u64.u32 %rd8, %r7;\n  add.s64 %rd8, %rd1, %rd8;\n"
       "  ld.global.u32 %r10, [%rd8];",
       "  st.global.u32 [%rd4], %r1;\n" BAR "  xor.b32 %r7, %r4, 128;\n"
       "  cvt.u64.u32 %rd8, %r7;\n  add.s64 %rd8, %rd1, %rd8;\n"
       "  ld.global.u32 %r10, [%rd8];"},
      {"one word", K::GlobalRace, "write follows a write of warp 0",
       "  st.global.u32 [%rd1], %r1;",
       "  setp.eq.u32 %p1, %r1, 0;\n  @%p1 st.global.u32 [%rd1], %r1;"},
      {"write after a read", K::GlobalRace, "write follows a read of warp 0",
       FIRST_WARP "  @!%p1 ld.global.u32 %r10, [%rd1];\n"
                  "  @%p1 st.global.u32 [%rd1], %r1;",
       FIRST_WARP "  @!%p1 ld.global.u32 %r10, [%rd1];\n" BAR
                  "  setp.eq.u32 %p2, %r1, 32;\n"
                  "  @%p2 st.global.u32 [%rd1], %r1;"},
      {"write after reads, one of them its own", K::GlobalRace,
       "write follows a read of warp 0",
       FIRST_WARP "  ld.global.u32 %r10, [%rd1];\n"
                  "  setp.eq.u32 %p2, %r1, 32;\n"
                  "  @%p2 st.global.u32 [%rd1], %r1;",
       FIRST_WARP "  ld.global.u32 %r10, [%rd1];\n" BAR
                  "  setp.eq.u32 %p2, %r1, 32;\n"
                  "  @%p2 st.global.u32 [%rd1], %r1;"},
      {"a flag that is not volatile", K::GlobalRace, "race in global memory",
       FIRST_WARP "  setp.eq.u32 %p2, %r1, 0;\n"
                  "  @%p2 st.global.u32 [%rd1], %r1;\n  membar.cta;\n"
                  "  @%p2 st.global.u32 [%rd1+4], 1;\n"
                  "  @%p1 ld.global.u32 %r10, [%rd1+4];",
       FIRST_WARP "  setp.eq.u32 %p2, %r1, 0;\n"
                  "  @%p2 st.global.u32 [%rd1], %r1;\n  membar.cta;\n"
                  "  @%p2 st.volatile.global.u32 [%rd1+4], 1;\n"
                  "  @%p1 ld.volatile.global.u32 %r10, [%rd1+4];\n"
                  "  @%p1 ld.global.u32 %r11, [%rd1];"},
  });
}

#define HALVES "  and.b32 %r7, %r1, 1;\n  setp.eq.u32 %p1, %r7, 0;\n"

#define ODD_OF_FIRST                                                           \
  HALVES "  setp.lt.u32 %p2, %r1, 32;\n  not.pred %p3, %p1;\n"                 \
         "  and.pred %p3, %p3, %p2;\n"

TEST(Defects, Barriers) {
  checkDefects({
      {"the halves of a warp", K::DivergentBarrier, "divergent barrier",
       HALVES "  @%p1 bra $a;\n  bar.sync 0;\n  bra $e;\n$a:\n  bar.sync 0;\n"
              "$e:",
       HALVES "  @%p1 bra $a;\n  barrier.sync 0;\n  bra $e;\n"
              "$a:\n  barrier.sync 0;\n$e:"},
      {"a barrier with a guard", K::DivergentBarrier, "divergent barrier",
       HALVES "  @%p1 bar.sync 0;\n  @!%p1 bar.sync 0;",
       HALVES "  bar.sync 0;\n  @%p1 add.s32 %r7, %r7, 1;"},
      {"loops of different length", K::DivergentBarrier, "divergent barrier",
       "  and.b32 %r8, %r1, 1;\n  mov.u32 %r7, 0;\n"
       "$l:\n  bar.sync 0;\n  add.s32 %r7, %r7, 1;\n"
       "  setp.le.u32 %p1, %r7, %r8;\n  @%p1 bra $l;\n  bar.sync 0;",
       // The lanes that do not come are gone.
       "  and.b32 %r8, %r1, 1;\n  mov.u32 %r7, 0;\n"
       "$l:\n  bar.sync 0;\n  add.s32 %r7, %r7, 1;\n"
       "  setp.le.u32 %p1, %r7, %r8;\n  @%p1 bra $l;"},
      {"the other half at another barrier", K::DivergentBarrier,
       "divergent barrier",
       HALVES "  @%p1 bra $a;\n  bar.sync 1, 64;\n  bra $e;\n"
              "$a:\n  bar.sync 0;\n$e:",
       // Code of two branches that share the tail with the barrier.
       HALVES "  @%p1 bra $a;\n  add.s32 %r8, %r7, 1;\n  bra $b;\n"
              "$c:\n  bar.sync 0;\n  bra $e;\n"
              "$a:\n  add.s32 %r8, %r7, 2;\n  bra $c;\n"
              "$b:\n  add.s32 %r8, %r8, 3;\n  bra $c;\n$e:"},
      {"the other half waits for another warp", K::DivergentBarrier,
       "divergent barrier",
       ODD_OF_FIRST "  @%p3 bra $a;\n  barrier.sync 1, 64;\n  bra $b;\n"
                    "$a:\n  barrier.arrive 1, 64;\n  bar.sync 0;\n  bra $e;\n"
                    "$b:\n  bar.sync 0;\n$e:",
       ODD_OF_FIRST "  @%p3 bra $a;\n  barrier.sync 1, 64;\n  bra $b;\n"
                    "$a:\n  barrier.arrive 1, 64;\n$b:\n  bar.sync 0;"},
      {"a reduction of half a warp", K::DivergentBarrier, "divergent barrier",
       HALVES "  setp.eq.u32 %p2, %r1, %r1;\n  @%p1 bra $a;\n"
              "  bar.red.popc.u32 %r8, 0, %p2;\n  bra $e;\n"
              "$a:\n  bar.red.popc.u32 %r8, 0, %p2;\n$e:",
       "  setp.eq.u32 %p2, %r1, %r1;\n  bar.red.popc.u32 %r8, 0, %p2;"},
      {"different counts", K::Error,
       "barrier 1 is used with 96 threads, but 64 by others",
       FIRST_WARP "  @%p1 bra $a;\n  bar.sync 1, 64;\n  bra $e;\n"
                  "$a:\n  bar.sync 1, 96;\n$e:",
       "  bar.sync 1, 64;"},
      {"too few threads for the count", K::Error, "deadlock",
       FIRST_WARP "  @!%p1 bar.sync 1, 64;", "  bar.sync 1, 64;"},
      {"warps at different barriers", K::Error, "deadlock",
       FIRST_WARP "  @%p1 bra $a;\n  bar.sync 1, 64;\n  bra $e;\n"
                  "$a:\n  bar.sync 2, 64;\n$e:",
       FIRST_WARP "  @%p1 bra $a;\n  bar.sync 1, 64;\n  bra $e;\n"
                  "$a:\n  bar.sync 1, 64;\n$e:"},
      {"lanes at different warp barriers", K::Error, "deadlock",
       HALVES "  @%p1 bra $a;\n  bar.warp.sync -1;\n  bra $e;\n"
              "$a:\n  shfl.sync.idx.b32 %r8, %r1, 0, 31, -1;\n$e:",
       HALVES "  @%p1 bra $a;\n  bar.warp.sync -1;\n  bra $e;\n"
              "$a:\n  bar.warp.sync -1;\n$e:"},
  });
}

#define COPY                                                                   \
  "  shl.b32 %r7, %r1, 4;\n  add.s32 %r8, %r3, %r7;\n"                         \
  "  mul.wide.u32 %rd8, %r1, 16;\n  add.s64 %rd9, %rd1, %rd8;\n"               \
  "  cp.async.cg.shared.global [%r8], [%rd9], 16;\n"
#define COMMIT "  cp.async.commit_group;\n"
#define READ "  ld.shared.u32 %r10, [%r8];"

TEST(Defects, AsyncCopies) {
  checkDefects({
      {"not waited for", K::Async, "before the asynchronous copy",
       COPY COMMIT READ, COPY COMMIT "  cp.async.wait_group 0;\n" READ},
      {"one group may stay open", K::Async, "at 'tile' + 0 is read before",
       COPY COMMIT "  cp.async.wait_group 1;\n" READ,
       COPY COMMIT COMMIT "  cp.async.wait_group 1;\n" READ},
      {"never committed", K::Async, "is read before",
       COPY "  cp.async.wait_group 0;\n" READ,
       COPY "  cp.async.wait_all;\n" READ},
      {"waited for by its own warp only", K::SharedRace, "race in shared",
       COPY "  cp.async.wait_all;\n  xor.b32 %r7, %r7, 512;\n"
            "  add.s32 %r8, %r3, %r7;\n" READ,
       COPY "  cp.async.wait_all;\n" BAR "  xor.b32 %r7, %r7, 512;\n"
            "  add.s32 %r8, %r3, %r7;\n" READ},
      {"two warps copy to one place", K::SharedRace, "write follows a write",
       COPY COMMIT "  cp.async.cg.shared.global [%r3+512], [%rd9], 16;\n"
                   "  cp.async.wait_all;\n",
       COPY COMMIT "  cp.async.wait_all;\n"},
      {"a barrier instead of the wait", K::Async, "is read before",
       COPY COMMIT BAR READ, COPY COMMIT "  cp.async.wait_group 0;\n" BAR READ},
      {"the second stage of a pipeline", K::Async, "at 'tile' + 256",
       // Threads of the first half-warp copy 256 bytes in each of two stages.
       "  setp.lt.u32 %p1, %r1, 16;\n  @!%p1 bra $e;\n" COPY COMMIT
       "  cp.async.cg.shared.global [%r8+256], [%rd9], 16;\n" COMMIT
       "  cp.async.wait_group 1;\n" READ
       "\n  ld.shared.u32 %r10, [%r8+256];\n$e:",
       "  setp.lt.u32 %p1, %r1, 16;\n  @!%p1 bra $e;\n" COPY COMMIT
       "  cp.async.cg.shared.global [%r8+256], [%rd9], 16;\n" COMMIT
       "  cp.async.wait_group 1;\n" READ "\n  cp.async.wait_group 0;\n"
       "  ld.shared.u32 %r10, [%r8+256];\n$e:"},
  });
}

// Thread 0 initialises the barrier for `count` arrivals.
#define INIT(count)                                                            \
  "  setp.eq.u32 %p2, %r1, 0;\n"                                               \
  "  @%p2 mbarrier.init.shared.b64 [%r9], " count ";\n" BAR
#define ARRIVE "  mbarrier.arrive.shared.b64 %rd8, [%r9];\n"
#define WAIT(parity)                                                           \
  "$w:\n  mbarrier.try_wait.parity.shared.b64 %p3, [%r9], " parity ";\n"       \
  "  @!%p3 bra $w;\n"
// Thread 0 copies 256 bytes that complete on the barrier.
#define BULK                                                                   \
  INIT("1")                                                                    \
  "  @!%p2 bra $c;\n"                                                          \
  "  mbarrier.arrive.expect_tx.shared.b64 %rd8, [%r9], 256;\n"                 \
  "  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "       \
  "[%r3], [%rd1], 256, [%r9];\n$c:\n"

TEST(Defects, Mbarriers) {
  checkDefects({
      {"not initialised", K::Async, "an mbarrier that was not initialised",
       ARRIVE, INIT("64") ARRIVE},
      {"no longer valid", K::Async, "an mbarrier that was not initialised",
       INIT("64") "  @%p2 mbarrier.inval.shared.b64 [%r9];\n" BAR ARRIVE,
       INIT("64") ARRIVE BAR "  @%p2 mbarrier.inval.shared.b64 [%r9];\n"},
      {"too many arrivals", K::Error, "more arrivals",
       INIT("64") "  @%p2 mbarrier.arrive.shared.b64 %rd8, [%r9], 65;",
       INIT("64") "  @%p2 mbarrier.arrive.shared.b64 %rd8, [%r9], 64;"},
      {"a count of zero", K::Error, "count of an mbarrier", INIT("0"),
       INIT("1")},
      {"too few arrivals", K::Error, "did not end within",
       INIT("65") ARRIVE WAIT("0"), INIT("64") ARRIVE WAIT("0")},
      {"read before the wait", K::Async, "is read before the asynchronous copy",
       COPY INIT(
           "64") "  cp.async.mbarrier.arrive.noinc.shared.b64 [%r9];\n" READ,
       COPY INIT("64") "  cp.async.mbarrier.arrive.noinc.shared.b64 "
                       "[%r9];\n" WAIT("0") READ},
      {"a bulk copy that is not waited for", K::Async, "is read before",
       BULK "  ld.shared.u32 %r10, [%r5];",
       BULK WAIT("0") "  ld.shared.u32 %r10, [%r5];"},
      {"the wrong parity", K::Error, "did not end within",
       BULK WAIT("1") "  ld.shared.u32 %r10, [%r5];",
       BULK WAIT("0") "  ld.shared.u32 %r10, [%r5];"},
      {"only one thread waits", K::SharedRace, "race in shared",
       BULK "  @!%p2 bra $n;\n" WAIT("0") "$n:\n"
                                          "  ld.shared.u32 %r10, [%r5];",
       BULK "  @!%p2 bra $n;\n" WAIT("0") "$n:\n" BAR
                                          "  ld.shared.u32 %r10, [%r5];"},
  });
}

TEST(Defects, Assertions) {
  checkDefects({
      {"trap", K::Error, "'trap' was executed",
       "  setp.eq.u32 %p1, %r1, 40;\n  @%p1 trap;",
       "  setp.eq.u32 %p1, %r1, 64;\n  @%p1 trap;"},
      {"a failing assertion", K::Error, "n > 0",
       "  setp.eq.u32 %p1, %r1, 40;\n  @!%p1 bra $e;\n"
       "  mov.u64 %rd8, words;\n  cvta.global.u64 %rd8, %rd8;\n"
       "  add.s64 %rd9, %rd8, 6;\n  add.s64 %rd11, %rd8, 11;\n"
       "  mov.u64 %rd12, 1;\n"
       "  { .param .b64 q0; .param .b64 q1; .param .b32 q2; .param .b64 q3;\n"
       "  .param .b64 q4;\n"
       "  st.param.b64 [q0], %rd8; st.param.b64 [q1], %rd9;\n"
       "  st.param.b32 [q2], 12; st.param.b64 [q3], %rd11;\n"
       "  st.param.b64 [q4], %rd12;\n"
       "  call.uni __assertfail, (q0, q1, q2, q3, q4); }\n$e:",
       "  setp.eq.u32 %p1, %r1, 64;\n  @%p1 trap;"},
  });
}

} // namespace
