// Reading what `ptxas` prints, and running it where it is installed.
#include "fuse-mlir/Target/Ptxas.h"
#include "fuse-mlir/Target/Nvdisasm.h"

#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::fuse;

TEST(Ptxas, ReadsResources) {
  SmallVector<KernelResources> kernels = Ptxas::parse(R"(
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'softmax' for 'sm_90'
ptxas info    : Function properties for softmax
    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 16 bytes cumulative stack size, 132 bytes smem
ptxas info    : Compile time = 5.1 ms
ptxas info    : Compiling entry function 'add' for 'sm_90'
ptxas info    : Function properties for add
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 12 registers, used 0 barriers
)");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].kernel, "softmax");
  EXPECT_EQ(kernels[0].registers, 40);
  EXPECT_EQ(kernels[0].stackBytes, 16);
  EXPECT_EQ(kernels[0].spillStoreBytes, 8);
  EXPECT_EQ(kernels[0].spillLoadBytes, 12);
  EXPECT_EQ(kernels[0].sharedBytes, 132);
  EXPECT_EQ(kernels[1].kernel, "add");
  EXPECT_EQ(kernels[1].registers, 12);
  EXPECT_EQ(kernels[1].sharedBytes, 0);
}

TEST(Ptxas, AssemblesOrSaysWhyNot) {
  std::optional<Ptxas> ptxas = Ptxas::find();
  if (!ptxas)
    GTEST_SKIP() << "no ptxas";
  std::string message;
  FailureOr<SmallVector<KernelResources>> kernels =
      ptxas->assemble(R"(
.version 8.3
.target sm_90
.address_size 64
.visible .entry nothing()
{
  ret;
}
)",
                      "sm_90", message);
  ASSERT_TRUE(succeeded(kernels)) << message;
  ASSERT_EQ(kernels->size(), 1u);
  EXPECT_EQ(kernels->front().kernel, "nothing");
  // Instructions of 16 bytes, padded to a multiple of 128.
  EXPECT_GT(kernels->front().codeBytes, 0);
  EXPECT_EQ(kernels->front().codeBytes % 128, 0);
  EXPECT_NE(ptxas->getVersion(), "");
  EXPECT_TRUE(failed(ptxas->assemble("not ptx", "sm_90", message)));
  EXPECT_NE(message, "");
}

TEST(Ptxas, SaysIfTheProgramIsMissing) {
  std::string message;
  EXPECT_TRUE(
      failed(Ptxas("/does/not/exist/ptxas").assemble("", "sm_90", message)));
  EXPECT_NE(message, "");
}

TEST(Nvdisasm, TakesApartOrSaysWhyNot) {
  std::optional<Ptxas> ptxas = Ptxas::find();
  std::optional<Nvdisasm> nvdisasm = Nvdisasm::find(FUSE_TOOLS_DIR);
  if (!ptxas || !nvdisasm)
    GTEST_SKIP() << "no ptxas or no nvdisasm";
  SmallString<128> cubin;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("fuse", "cubin", cubin));
  std::string message;
  ASSERT_TRUE(succeeded(ptxas->assembleTo(cubin, R"(
.version 8.3
.target sm_90
.address_size 64
.visible .entry nothing()
{
  ret;
}
)",
                                          "sm_90", message)))
      << message;
  FailureOr<SmallVector<MachineKernel, 0>> kernels =
      nvdisasm->disassemble(cubin, message);
  llvm::sys::fs::remove(cubin);
  ASSERT_TRUE(succeeded(kernels)) << message;
  ASSERT_EQ(kernels->size(), 1u);
  EXPECT_EQ(kernels->front().name, "nothing");
  // `ret` on line 7 of the text is the kernel's end.
  bool ends = false;
  for (const MachineInstruction &instruction : kernels->front().instructions)
    ends |= instruction.getOpcode() == "EXIT" && instruction.ptxLine == 7;
  EXPECT_TRUE(ends);
  EXPECT_TRUE(failed(nvdisasm->disassemble("/does/not/exist", message)));
  EXPECT_NE(message, "");
}
