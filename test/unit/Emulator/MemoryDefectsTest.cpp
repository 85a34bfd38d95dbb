//===- MemoryDefectsTest.cpp - Addresses and values that are wrong --------===//
//
// Bounds, alignment, use after free, state spaces, uninitialised reads.
//
//===----------------------------------------------------------------------===//
#include "DefectTest.h"

using namespace fuse_test;

namespace {
using K = FindingKind;

#define COPY(to, from, size)                                                   \
  "  shl.b32 %r7, %r1, 4;\n  add.s32 %r8, %r3, %r7;\n"                         \
  "  mul.wide.u32 %rd8, %r1, 16;\n  add.s64 %rd9, " from ", %rd8;\n"           \
  "  cp.async.ca.shared.global [%r8+" to "], [%rd9], " size ";\n"              \
  "  cp.async.wait_all;\n"
// The first warp fills 128 bytes and reads them as a matrix.
#define MATRIX(fill, offset)                                                   \
  "  setp.gt.u32 %p1, %r1, 31;\n  @%p1 bra $e;\n" fill "  bar.warp.sync -1;\n" \
  "  and.b32 %r7, %r1, 7;\n  shl.b32 %r7, %r7, 4;\n"                           \
  "  add.s32 %r7, %r7, %r3;\n"                                                 \
  "  ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r7+" offset "];\n$e:"
#define QUAD(offset)                                                           \
  "  mul.wide.u32 %rd8, %r1, 16;\n  add.s64 %rd8, %rd1, %rd8;\n"               \
  "  ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd8+" offset "];"

TEST(Defects, Bounds) {
  checkDefects({
      {"load past the end", K::OutOfBounds, "bytes past the end of allocation",
       "  ld.global.u32 %r10, [%rd4+8192];",
       "  ld.global.u32 %r10, [%rd4+7936];"},
      {"store before the start", K::OutOfBounds, "out-of-bounds store",
       "  st.global.u32 [%rd4+-4], %r1;", "  st.global.u32 [%rd4], %r1;"},
      {"null pointer", K::OutOfBounds, "at 0x0: in no allocation",
       "  mov.u64 %rd8, 0;\n  ld.global.u32 %r10, [%rd8];",
       "  mov.u64 %rd8, %rd1;\n  ld.global.u32 %r10, [%rd8];"},
      {"only the last lane of a vector load", K::OutOfBounds,
       "block (0,0,0), thread (63,0,0)", QUAD("7184"), QUAD("7168")},
      {"one byte", K::OutOfBounds, "load of 1 bytes",
       "  setp.eq.u32 %p1, %r1, 63;\n  @%p1 ld.global.u8 %r10, [%rd1+8192];",
       "  setp.eq.u32 %p1, %r1, 63;\n  @%p1 ld.global.u8 %r10, [%rd1+8191];"},
      {"atomic", K::OutOfBounds, "out-of-bounds atomic access",
       "  red.global.add.u32 [%rd4+8192], 1;",
       "  red.global.add.u32 [%rd4+4096], 1;"},
      {"generic store", K::OutOfBounds, "out-of-bounds store",
       "  st.u32 [%rd4+8192], %r1;", "  st.u32 [%rd4], %r1;"},
      {"the second block", K::OutOfBounds, "block (1,0,0)",
       "  ld.global.u32 %r10, [%rd7+7936];", "  ld.global.u32 %r10, [%rd7];",
       2},
      {"shared array", K::OutOfBounds, "shared memory has",
       "  st.shared.u32 [%r5+4096], %r1;", "  st.shared.u32 [%r5], %r1;"},
      {"dynamic shared memory", K::OutOfBounds, "at shared address",
       "  mov.u32 %r7, dyn;\n  add.s32 %r7, %r7, %r4;\n"
       "  st.shared.u32 [%r7+4], %r1;",
       "  mov.u32 %r7, dyn;\n  add.s32 %r7, %r7, %r4;\n"
       "  st.shared.u32 [%r7], %r1;"},
      {"local array", K::OutOfBounds, "local memory has",
       "  st.local.u32 [frame+256], %r1;", "  st.local.u32 [frame+28], %r1;"},
      {"constant table", K::OutOfBounds, "past the end of 'table'",
       "  mov.u64 %rd8, table;\n  ld.const.u32 %r10, [%rd8+64];",
       "  mov.u64 %rd8, table;\n  ld.const.u32 %r10, [%rd8+60];"},
      {"source of cp.async", K::OutOfBounds, "past the end of allocation",
       "  add.s64 %rd1, %rd1, 8192;\n" COPY("0", "%rd1", "16"),
       COPY("0", "%rd1", "16")},
      {"destination of cp.async", K::OutOfBounds, "at shared address",
       COPY("4096", "%rd1", "16"), COPY("0", "%rd1", "16")},
      {"row of ldmatrix", K::OutOfBounds, "at shared address",
       MATRIX("  st.shared.u32 [%r5], %r1;\n", "4096"),
       MATRIX("  st.shared.u32 [%r5], %r1;\n", "0")},
  });
}

TEST(Defects, UseAfterFree) {
  checkDefects({
      {"load", K::UseAfterFree, "byte 0 of freed allocation #",
       "  ld.global.u32 %r10, [%rd10];", "  ld.global.u32 %r10, [%rd1];"},
      {"store", K::UseAfterFree, "out-of-bounds store",
       "  add.s64 %rd8, %rd10, %rd3;\n  st.global.u32 [%rd8], %r1;",
       "  add.s64 %rd8, %rd1, %rd3;\n  st.global.u32 [%rd8], %r1;"},
      {"atomic", K::UseAfterFree, "byte 64 of freed allocation #",
       "  atom.global.add.u32 %r10, [%rd10+64], 1;",
       "  atom.global.add.u32 %r10, [%rd1+64], 1;"},
      {"source of cp.async", K::UseAfterFree, "of freed allocation #",
       COPY("0", "%rd10", "16"), COPY("0", "%rd1", "16")},
  });
}

TEST(Defects, Alignment) {
  checkDefects({
      {"load", K::Misaligned, "misaligned load of 4 bytes",
       "  ld.global.u32 %r10, [%rd4+2];", "  ld.global.u32 %r10, [%rd4+4];"},
      {"vector", K::Misaligned, "misaligned load of 16 bytes", QUAD("8"),
       QUAD("16")},
      {"generic", K::Misaligned, "misaligned load of 8 bytes",
       "  ld.u64 %rd8, [%rd1+4];", "  ld.u64 %rd8, [%rd1+8];"},
      {"shared", K::Misaligned, "misaligned store of 8 bytes",
       "  add.s32 %r7, %r5, %r4;\n  st.shared.u64 [%r7+4], %rd3;",
       "  add.s32 %r7, %r5, %r4;\n  st.shared.u64 [%r7], %rd3;"},
      {"local", K::Misaligned, "misaligned store of 4 bytes",
       "  st.local.u32 [frame+2], %r1;", "  st.local.u32 [frame+4], %r1;"},
      {"atomic", K::Misaligned, "misaligned atomic access",
       "  red.global.add.u32 [%rd1+2], 1;",
       "  red.global.add.u32 [%rd1+4], 1;"},
      {"cp.async", K::Misaligned, "misaligned store of 16 bytes",
       COPY("8", "%rd1", "16"), COPY("0", "%rd1", "16")},
  });
}

#define SHARED_GENERIC                                                         \
  "  cvt.u64.u32 %rd8, %r5;\n  cvta.shared.u64 %rd9, %rd8;\n"

TEST(Defects, StateSpaces) {
  checkDefects({
      {"a global address as a shared one", K::WrongSpace,
       "in global memory it is byte 0 of allocation",
       "  ld.shared.u32 %r10, [%rd1];", "  ld.global.u32 %r10, [%rd1];"},
      {"a shared address as a generic one", K::WrongSpace,
       "to be converted by cvta.shared",
       SHARED_GENERIC "  st.u32 [%rd8+4], %r1;",
       SHARED_GENERIC "  st.u32 [%rd9], %r1;"},
      {"a generic address of shared memory as a global one", K::WrongSpace,
       "it is a generic address of shared memory",
       SHARED_GENERIC "  st.global.u32 [%rd9], %r1;",
       SHARED_GENERIC "  st.u32 [%rd9], %r1;"},
      {"a generic address of shared memory as a shared one", K::WrongSpace,
       "it is a generic address of shared memory",
       SHARED_GENERIC "  st.shared.u32 [%rd9], %r1;",
       SHARED_GENERIC "  cvta.to.shared.u64 %rd9, %rd9;\n"
                      "  st.shared.u32 [%rd9], %r1;"},
      {"a local address as a global one", K::WrongSpace,
       "it is a generic address of local memory",
       "  mov.u64 %rd8, frame;\n  cvta.local.u64 %rd8, %rd8;\n"
       "  st.global.u32 [%rd8], %r1;",
       "  mov.u64 %rd8, frame;\n  cvta.local.u64 %rd8, %rd8;\n"
       "  st.u32 [%rd8], %r1;"},
      {"a store to a constant", K::WrongSpace, "read-only store",
       "  mov.u64 %rd8, table;\n  st.global.u32 [%rd8], %r1;",
       "  mov.u64 %rd8, table;\n  ld.const.u32 %r10, [%rd8];"},
  });
}

TEST(Defects, UninitialisedReads) {
  checkDefects({
      {"global memory", K::Uninitialised, "byte 0 of allocation",
       "  ld.global.u32 %r10, [%rd5];",
       "  st.global.u32 [%rd5], %r1;\n  ld.global.u32 %r10, [%rd5];"},
      {"half of a word", K::Uninitialised, "byte 2 of allocation",
       "  st.global.u16 [%rd5], %h1;\n  ld.global.u32 %r10, [%rd5];",
       "  st.global.u16 [%rd5], %h1;\n  st.global.u16 [%rd5+2], %h1;\n"
       "  ld.global.u32 %r10, [%rd5];"},
      {"part of a vector", K::Uninitialised, "byte 4 of allocation",
       "  add.s64 %rd8, %rd5, %rd3;\n  st.global.u32 [%rd8], %r1;\n"
       "  ld.global.v2.u32 {%r10, %r11}, [%rd8];",
       "  add.s64 %rd8, %rd5, %rd3;\n"
       "  st.global.v2.u32 [%rd8], {%r1, %r1};\n"
       "  ld.global.v2.u32 {%r10, %r11}, [%rd8];"},
      {"atomic", K::Uninitialised, "uninitialised global memory",
       "  red.global.add.u32 [%rd5], 1;",
       "  st.global.u32 [%rd5], %r7;\n  red.global.add.u32 [%rd5], 1;"},
      {"generic load", K::Uninitialised, "uninitialised global memory",
       "  ld.u32 %r10, [%rd5];",
       "  st.u32 [%rd5], %r1;\n  ld.u32 %r10, [%rd5];"},
      {"source of cp.async", K::Uninitialised, "uninitialised global memory",
       COPY("0", "%rd2", "16"), COPY("0", "%rd1", "16")},
      {"shared memory", K::Uninitialised, "at 'tile' + 0",
       "  ld.shared.u32 %r10, [%r5];",
       "  st.shared.u32 [%r5], %r1;\n  ld.shared.u32 %r10, [%r5];"},
      {"half of a word of shared memory", K::Uninitialised, "at 'tile' + 2",
       "  st.shared.u16 [%r5], %h1;\n  ld.shared.u32 %r10, [%r5];",
       "  st.shared.u16 [%r5], %h1;\n  st.shared.u16 [%r5+2], %h1;\n"
       "  ld.shared.u32 %r10, [%r5];"},
      {"dynamic shared memory", K::Uninitialised, "uninitialised shared",
       "  mov.u32 %r7, dyn;\n  add.s32 %r7, %r7, %r4;\n"
       "  ld.shared.u32 %r10, [%r7];",
       "  mov.u32 %r7, dyn;\n  add.s32 %r7, %r7, %r4;\n"
       "  st.shared.u32 [%r7], %r1;\n  ld.shared.u32 %r10, [%r7];"},
      {"the rest of a short cp.async", K::Uninitialised, "at 'tile' + 8",
       COPY("0", "%rd1", "8") "  ld.shared.u32 %r10, [%r8+8];",
       COPY("0", "%rd1", "8") "  ld.shared.u32 %r10, [%r8+4];"},
      {"ldmatrix", K::Uninitialised, "uninitialised shared", MATRIX("", "0"),
       MATRIX("  st.shared.u32 [%r5], %r1;\n", "0")},
      {"local memory", K::Uninitialised, "uninitialised local memory",
       "  ld.local.u32 %r10, [frame];",
       "  st.local.u32 [frame], %r1;\n  ld.local.u32 %r10, [frame];"},
      {"local memory written by some threads", K::Uninitialised,
       "thread (32,0,0)",
       "  setp.gt.u32 %p1, %r1, 31;\n  @!%p1 st.local.u32 [frame+8], %r1;\n"
       "  ld.local.u32 %r10, [frame+8];",
       "  setp.gt.u32 %p1, %r1, 31;\n  @!%p1 st.local.u32 [frame+8], %r1;\n"
       "  @!%p1 ld.local.u32 %r10, [frame+8];"},
  });
}

} // namespace
