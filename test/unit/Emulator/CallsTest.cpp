//===- CallsTest.cpp - Recursion, function pointers, the stack ------------===//
//
// Functions with frames on the stack: each activation has its own variables
// and registers, lanes may be at different depths and in different functions.
//
//===----------------------------------------------------------------------===//
#include "EmulatorTest.h"

using namespace fuse_test;

namespace {
#define EXPECT_CONTAINS(text, part)                                            \
  EXPECT_NE((text).find(part), std::string::npos) << (text)

/// Runs `body` with thread number in %r1; results are %r2 of each thread.
Outcome runThreads(const std::string &functions, const std::string &body,
                   std::vector<uint32_t> &results, unsigned threads = 32) {
  DeviceMemory memory;
  Buffer out(memory, 4 * threads);
  Outcome run =
      runKernel(memory,
                kernelText(".param .u64 p0",
                           "  .reg .b32 %r<10>;\n  .reg .b64 %rd<10>;\n"
                           "  .reg .pred %p<4>;\n  ld.param.u64 %rd1, [p0];\n"
                           "  mov.u32 %r1, %tid.x;\n" +
                               body +
                               "\n  mul.wide.u32 %rd2, %r1, 4;\n"
                               "  add.s64 %rd1, %rd1, %rd2;\n"
                               "  st.global.u32 [%rd1], %r2;\n  ret;",
                           functions),
                {1, 1, 1}, {threads, 1, 1}, {out.address()});
  results.assign(out.as<uint32_t>(), out.as<uint32_t>() + threads);
  return run;
}

/// "call (result), NAME, (%r1)" through .param variables.
std::string call(const std::string &target, const std::string &tail = "") {
  return "  {\n  .param .b32 arg0;\n  .param .b32 ret0;\n"
         "  st.param.b32 [arg0], %r1;\n  call (ret0), " +
         target + ", (arg0)" + tail + ";\n  ld.param.b32 %r2, [ret0];\n  }\n";
}

/// fib(n), with n kept in a register across the first call.
const char *fib = R"(
.func (.param .b32 result) fib(.param .b32 n)
{
  .reg .b32 %a<8>;
  .reg .pred %q;
  ld.param.b32 %a1, [n];
  setp.lt.u32 %q, %a1, 2;
  @%q bra BASE;
  sub.u32 %a2, %a1, 1;
  {
    .param .b32 x; .param .b32 y;
    st.param.b32 [x], %a2;
    call (y), fib, (x);
    ld.param.b32 %a3, [y];
  }
  sub.u32 %a4, %a1, 2;
  {
    .param .b32 x; .param .b32 y;
    st.param.b32 [x], %a4;
    call (y), fib, (x);
    ld.param.b32 %a5, [y];
  }
  add.u32 %a1, %a3, %a5;
BASE:
  st.param.b32 [result], %a1;
  ret;
}
)";

TEST(Recursion, LanesAtDifferentDepths) {
  std::vector<uint32_t> got;
  Outcome run = runThreads(fib,
                           "  and.b32 %r3, %r1, 15;\n  mov.u32 %r4, %r1;\n"
                           "  mov.u32 %r1, %r3;\n" +
                               call("fib") + "  mov.u32 %r1, %r4;",
                           got, 64);
  ASSERT_TRUE(run.ok) << run.error;
  uint32_t want[16] = {0, 1};
  for (unsigned n = 2; n < 16; ++n)
    want[n] = want[n - 1] + want[n - 2];
  for (unsigned t = 0; t < 64; ++t)
    EXPECT_EQ(got[t], want[t % 16]) << t;
}

/// Each activation writes through the address of a variable of its caller.
TEST(Recursion, VariablesHaveAddressesOfTheirOwn) {
  const char *chain = R"(
.func (.param .b32 result) walk(.param .b32 n, .param .b64 link)
{
  .local .align 16 .b8 cell[16];
  .reg .b32 %a<8>;
  .reg .b64 %d<4>;
  .reg .pred %q;
  ld.param.b32 %a1, [n];
  ld.param.b64 %d1, [link];
  mov.u64 %d2, cell;
  cvta.local.u64 %d2, %d2;
  st.local.u32 [cell], 0;
  st.u32 [%d1], %a1;
  setp.eq.u32 %q, %a1, 0;
  @%q bra DONE;
  sub.u32 %a2, %a1, 1;
  {
    .param .b32 x; .param .b64 l; .param .b32 y;
    st.param.b32 [x], %a2;
    st.param.b64 [l], %d2;
    call (y), walk, (x, l);
    ld.param.b32 %a3, [y];
  }
  ld.u32 %a4, [%d2];
  mad.lo.u32 %a1, %a4, %a1, %a3;
DONE:
  st.param.b32 [result], %a1;
  ret;
}
)";
  std::vector<uint32_t> got;
  Outcome run =
      runThreads(chain,
                 "  .local .align 4 .b8 top[4];\n  mov.u64 %rd3, top;\n"
                 "  cvta.local.u64 %rd3, %rd3;\n"
                 "  {\n  .param .b32 x; .param .b64 l; .param .b32 y;\n"
                 "  st.param.b32 [x], %r1;\n  st.param.b64 [l], %rd3;\n"
                 "  call (y), walk, (x, l);\n  ld.param.b32 %r2, [y];\n  }",
                 got);
  ASSERT_TRUE(run.ok) << run.error;
  for (unsigned t = 0; t < 32; ++t) {
    uint32_t want = 0;
    for (uint32_t n = 1; n <= t; ++n)
      want += (n - 1) * n;
    EXPECT_EQ(got[t], want) << t;
  }
}

TEST(Recursion, EndlessIsAnError) {
  std::vector<uint32_t> got;
  Outcome run = runThreads(".func down()\n{\n  call.uni down;\n  ret;\n}\n",
                           "  call.uni down;\n  mov.u32 %r2, 0;", got);
  EXPECT_FALSE(run.ok);
  EXPECT_CONTAINS(run.error, "stack overflow: the call of 'down' at depth ");
  EXPECT_CONTAINS(run.error, "test.ptx:");
}

const char *twoFunctions = R"(
.func (.param .b32 result) twice(.param .b32 n)
{
  .reg .b32 %a<3>;
  ld.param.b32 %a1, [n];
  add.u32 %a1, %a1, %a1;
  st.param.b32 [result], %a1;
  ret;
}
.func (.param .b32 result) square(.param .b32 n)
{
  .reg .b32 %a<3>;
  ld.param.b32 %a1, [n];
  mul.lo.u32 %a1, %a1, %a1;
  st.param.b32 [result], %a1;
  ret;
}
.func nothing()
{
  ret;
}
.global .align 8 .u64 table[3] = {twice, square, nothing};
)";
const std::string prototype =
    "  proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n";

TEST(FunctionPointers, LanesCallDifferentFunctions) {
  std::vector<uint32_t> got;
  Outcome run =
      runThreads(twoFunctions,
                 prototype +
                     "  mov.u64 %rd3, twice;\n  mov.u64 %rd4, square;\n"
                     "  and.b32 %r3, %r1, 1;\n  setp.eq.u32 %p1, %r3, 0;\n"
                     "  selp.b64 %rd3, %rd3, %rd4, %p1;\n" +
                     call("%rd3", ", proto"),
                 got);
  ASSERT_TRUE(run.ok) << run.error;
  for (unsigned t = 0; t < 32; ++t)
    EXPECT_EQ(got[t], t % 2 ? t * t : 2 * t);
}

TEST(FunctionPointers, TablesHoldThem) {
  std::vector<uint32_t> got;
  Outcome run = runThreads(twoFunctions,
                           prototype + "  ld.global.u64 %rd3, [table+8];\n" +
                               call("%rd3", ", proto"),
                           got);
  ASSERT_TRUE(run.ok) << run.error;
  EXPECT_EQ(got[7], 49u);
}

TEST(FunctionPointers, Misuse) {
  std::vector<uint32_t> got;
  Outcome run = runThreads(
      twoFunctions,
      prototype + "  mov.u64 %rd3, 1234;\n" + call("%rd3", ", proto"), got);
  EXPECT_CONTAINS(run.error, "call of an address that is not a function's");
  run = runThreads(twoFunctions,
                   prototype + "  ld.global.u64 %rd3, [table+16];\n" +
                       call("%rd3", ", proto"),
                   got);
  EXPECT_CONTAINS(
      run.error,
      "call of 'nothing', whose parameters are not those of the prototype");
  run =
      runThreads(twoFunctions, "  mov.u64 %rd3, twice;\n" + call("%rd3"), got);
  EXPECT_CONTAINS(run.error, "expected the prototype");
}

TEST(FunctionPointers, AliasesAreTheFunction) {
  std::vector<uint32_t> got;
  Outcome run =
      runThreads(std::string(twoFunctions) + ".alias other, square;\n",
                 call("other"), got);
  ASSERT_TRUE(run.ok) << run.error;
  EXPECT_EQ(got[9], 81u);
}

TEST(Stack, AllocaGivesDistinctMemory) {
  std::vector<uint32_t> got;
  Outcome run = runThreads("", R"(
  stacksave.u64 %rd3;
  cvt.u64.u32 %rd4, %r1;
  add.u64 %rd4, %rd4, 4;
  alloca.u64 %rd5, %rd4, 16;
  alloca.u64 %rd6, 8, 64;
  st.local.u32 [%rd5], %r1;
  st.local.u32 [%rd6], 7;
  ld.local.u32 %r3, [%rd5];
  ld.local.u32 %r4, [%rd6];
  mad.lo.u32 %r2, %r3, 100, %r4;
  and.b64 %rd7, %rd6, 63;
  cvt.u32.u64 %r5, %rd7;
  add.u32 %r2, %r2, %r5;
  stackrestore.u64 %rd3;
  alloca.u64 %rd7, 4, 16;
  sub.u64 %rd7, %rd7, %rd5;
  cvt.u32.u64 %r5, %rd7;
  add.u32 %r2, %r2, %r5;)",
                           got);
  ASSERT_TRUE(run.ok) << run.error;
  for (unsigned t = 0; t < 32; ++t)
    EXPECT_EQ(got[t], t * 100 + 7);
  run = runThreads("", "  alloca.u64 %rd5, 1000000;\n  mov.u32 %r2, 0;", got);
  EXPECT_CONTAINS(run.error, "stack overflow: alloca of 1000000 bytes");
  run = runThreads("", "  mov.u64 %rd5, -16;\n  stackrestore.u64 %rd5;", got);
  EXPECT_CONTAINS(run.error, "'stackrestore' of a value");
}
} // namespace
