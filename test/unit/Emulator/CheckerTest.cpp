//===- CheckerTest.cpp - How checkers are chosen and report ---------------===//
//
// What they find is in MemoryDefectsTest.cpp and OrderDefectsTest.cpp.
//
//===----------------------------------------------------------------------===//
#include "DefectTest.h"

using namespace fuse_test;

namespace {
const char twoRaces[] =
    "  st.shared.u32 [%r3], %r1;\n  st.shared.u32 [%r3+4], %r1;\n"
    "  ld.global.u32 %r10, [%rd4+8192];\n  ld.shared.u32 %r10, [%r5+512];";

// The launch goes on after a finding; each kind and line is told once.
TEST(Checker, SeveralFindings) {
  Defect defect = {"", FindingKind::Error, "", twoRaces, "", 3};
  LaunchOptions options;
  options.checks = CheckAll;
  Outcome run = runDefect(defect, twoRaces, options);
  EXPECT_FALSE(run.ok);
  std::vector<FindingKind> kinds;
  for (const Finding &finding : run.stats.findings)
    kinds.push_back(finding.kind);
  using K = FindingKind;
  EXPECT_EQ(kinds, (std::vector<K>{K::OutOfBounds, K::Uninitialised,
                                   K::SharedRace, K::SharedRace}));
  EXPECT_NE(run.error.find("\n4 findings"), std::string::npos) << run.error;
  options.maxFindings = 1;
  run = runDefect(defect, twoRaces, options);
  EXPECT_NE(run.error.find("\nand 3 more\n4 findings"), std::string::npos)
      << run.error;
  EXPECT_EQ(run.stats.findings.size(), 4u);
}

TEST(Checker, FindingsDoNotDependOnHostThreads) {
  Defect defect = {"", FindingKind::Error, "", twoRaces, "", 40};
  std::vector<std::string> errors;
  for (unsigned threads : {1u, 2u, 5u}) {
    LaunchOptions options;
    options.checks = CheckUninit | CheckBarriers | CheckAsync;
    options.threads = threads;
    std::string error = runDefect(defect, twoRaces, options).error;
    error.resize(error.find(" at 0x")); // Host addresses differ.
    errors.push_back(error);
  }
  EXPECT_NE(errors[0].find("out-of-bounds load"), std::string::npos);
  EXPECT_EQ(errors[0], errors[1]);
  EXPECT_EQ(errors[0], errors[2]);
}

// Each checker is silent when it is off.
TEST(Checker, EachCanBeOff) {
  struct Row {
    unsigned check;
    const char *body;
  } rows[] = {
      {CheckRaces, "  st.shared.u32 [%r3], %r1;"},
      {CheckUninit, "  ld.global.u32 %r10, [%rd5];"},
      {CheckBarriers, "  and.b32 %r7, %r1, 1;\n  setp.eq.u32 %p1, %r7, 0;\n"
                      "  @%p1 bra $a;\n  bar.sync 0;\n  bra $e;\n$a:\n"
                      "  bar.sync 0;\n$e:"},
      {CheckAsync, "  mbarrier.expect_tx.relaxed.cta.shared.b64 [%r9], 0;"},
  };
  for (const Row &row : rows) {
    Defect defect = {"", FindingKind::Error, "", row.body, ""};
    LaunchOptions options;
    options.checks = row.check;
    EXPECT_FALSE(runDefect(defect, row.body, options).ok) << row.body;
    options.checks = CheckAll & ~row.check;
    Outcome off = runDefect(defect, row.body, options);
    EXPECT_TRUE(off.ok) << off.error;
  }
}

// A warp that has lost some lanes arrives as a whole.
TEST(Checker, ThreadsThatLeftDoNotDiverge) {
  const char *body = "  and.b32 %r7, %r1, 1;\n  setp.eq.u32 %p1, %r7, 0;\n"
                     "  @%p1 ret;\n  bar.sync 0;";
  LaunchOptions options;
  options.checks = CheckAll;
  Outcome run =
      runDefect({"", FindingKind::Error, "", body, ""}, body, options);
  EXPECT_TRUE(run.ok) << run.error;
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

// The others need not have been written, wherever they lie in the load.
TEST(Checker, UnusedBytesMayBeUnwritten) {
  for (const auto &[used, unwritten] :
       {std::pair("0x7", 3), std::pair("0xd", 1), std::pair("0xf", 2)}) {
    std::string body = "  .reg .b32 %r<3>;\n  .shared .align 4 .b8 s[4];\n"
                       "  mov.b32 %r1, 1;\n";
    for (int byte = 0; byte < 4; ++byte)
      if (byte != unwritten)
        body += "  st.shared.b8 [s+" + std::to_string(byte) + "], %r1;\n";
    body += std::string("  .pragma \"used_bytes_mask ") + used +
            "\";\n  ld.shared.b32 %r2, [s];\n  ret;";
    DeviceMemory memory;
    LaunchOptions options;
    options.checks = CheckAll;
    Outcome run = runKernel(memory, kernelText("", body), {1, 1, 1}, {1, 1, 1},
                            {}, 0, options);
    EXPECT_EQ(run.ok, unwritten != 2) << run.error;
    EXPECT_EQ(run.error.find("shared memory at 's' + 2") != std::string::npos,
              unwritten == 2)
        << run.error;
  }
}

} // namespace
