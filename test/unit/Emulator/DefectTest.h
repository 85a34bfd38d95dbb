//===- DefectTest.h - Planted defects and their clean twins -------*- C++ -*-=//
//
// A defect is a kernel body that one of the checkers must find, and a body that
// does the same in the right way and in which none may find anything.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_TEST_UNIT_EMULATOR_DEFECTTEST_H
#define FUSE_TEST_UNIT_EMULATOR_DEFECTTEST_H

#include "EmulatorTest.h"

namespace fuse_test {

struct Defect {
  const char *name;
  FindingKind kind;
  const char *finding; ///< Part of the text.
  const char *bad, *good;
  unsigned blocks = 1, threads = 64;
};

/// What the bodies find: buffers `%rd1` (written), `%rd2` (never written),
/// `%rd10` (released) of 8192 bytes; 1024 bytes `tile` at `%r3` and mbarrier
/// `bar` at `%r9` in shared memory, then 256 bytes `dyn`; 32 bytes `frame` in
/// local, 64 bytes `table` in constant memory; thread `%r1`, block `%r2`; the
/// thread's word in the tile `%r5`, in the buffers `%rd4`, `%rd5`, and in the
/// first one counted over all blocks, `%rd7`.
inline std::string defectText(const std::string &body) {
  return kernelText(
      ".param .u64 p0, .param .u64 p1, .param .u64 p2",
      "  .shared .align 16 .b8 tile[1024];\n  .shared .align 8 .b64 bar;\n"
      "  .local .align 16 .b8 frame[32];\n"
      "  .reg .pred %p<9>;\n  .reg .b32 %r<20>;\n  .reg .b64 %rd<16>;\n"
      "  .reg .b16 %h<4>;\n"
      "  ld.param.u64 %rd1, [p0];\n  ld.param.u64 %rd2, [p1];\n"
      "  ld.param.u64 %rd10, [p2];\n"
      "  mov.u32 %r1, %tid.x;\n  mov.u32 %r2, %ctaid.x;\n"
      "  mov.u32 %r9, bar;\n  mov.u32 %r3, tile;\n  shl.b32 %r4, %r1, 2;\n"
      "  add.s32 %r5, %r3, %r4;\n  mul.wide.u32 %rd3, %r1, 4;\n"
      "  add.s64 %rd4, %rd1, %rd3;\n  add.s64 %rd5, %rd2, %rd3;\n"
      "  mad.lo.s32 %r6, %r2, %ntid.x, %r1;\n  mul.wide.u32 %rd6, %r6, 4;\n"
      "  add.s64 %rd7, %rd1, %rd6;\n"
      "  mov.u32 %r7, 0;\n  mov.u16 %h1, 1;\n" +
          body + "\n  ret;",
      ".extern .shared .align 16 .b8 dyn[];\n"
      ".const .align 4 .b8 table[64] = {1, 2, 3};\n"
      ".global .align 1 .b8 words[20] = {110, 32, 62, 32, 48, 0, 102, 46, 99, "
      "117, 0, 107, 0};\n"
      ".extern .func __assertfail\n(.param .b64 a, .param .b64 b, .param .b32 "
      "c, .param .b64 d, .param .b64 e);\n");
}

inline Outcome runDefect(const Defect &defect, const char *body,
                         LaunchOptions options) {
  DeviceMemory memory;
  memory.trackWrites(true);
  Buffer in(memory, 8192), out(memory, 8192), gone(memory, 8192);
  for (size_t k = 0; k < in.bytes; ++k)
    in.data[k] = uint8_t(k / 16); // Copies of 16 bytes differ.
  memory.markWritten(in.data, in.bytes);
  memory.release(gone.data);
  options.maxBlockInstructions = 1 << 16;
  return runKernel(memory, defectText(body), {defect.blocks, 1, 1},
                   {defect.threads, 1, 1},
                   {in.address(), out.address(), gone.address()}, 256, options);
}

/// Every defect is found, with its place; nothing is found in the twins.
inline void checkDefects(const std::vector<Defect> &defects) {
  for (const Defect &defect : defects) {
    LaunchOptions options;
    options.checks = CheckAll;
    Outcome bad = runDefect(defect, defect.bad, options);
    EXPECT_FALSE(bad.ok) << defect.name;
    bool isFound = false;
    for (const Finding &finding : bad.stats.findings)
      isFound |= finding.kind == defect.kind &&
                 finding.text.find(defect.finding) != std::string::npos;
    EXPECT_TRUE(isFound) << defect.name << ": " << bad.error;
    EXPECT_NE(bad.error.find("kernel 'k', block ("), std::string::npos)
        << defect.name << ": " << bad.error;
    Outcome good = runDefect(defect, defect.good, options);
    EXPECT_TRUE(good.ok) << defect.name << ": " << good.error;
    EXPECT_TRUE(good.stats.findings.empty()) << defect.name;
  }
}

} // namespace fuse_test

#endif // FUSE_TEST_UNIT_EMULATOR_DEFECTTEST_H
