// Picking kernels out of PTX text.
#include "fuse-mlir/Target/PtxModule.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr StringLiteral kPtx = R"(//
.version 8.3
.target sm_90
.address_size 64

	// .globl	first                   // -- Begin function first
.extern .func  (.param .b32 func_retval0) helper
(
	.param .b32 helper_param_0
)
;
.global .align 4 .b8 table[4] = {1, 2, 3, 4};

.visible .entry first(
	.param .u64 .ptr .align 16 first_param_0
)
.maxntid 32, 1, 1
{
	ret;

}
	// .globl	first_two
.visible .entry first_two()
{
	// an .entry in a comment
	ret;

}
)";

TEST(PtxModule, ListsKernelsInOrder) {
  SmallVector<StringRef> names = getKernelNames(kPtx);
  ASSERT_EQ(names.size(), 2u);
  EXPECT_EQ(names[0], "first");
  EXPECT_EQ(names[1], "first_two");
}

TEST(PtxModule, KeepsOneKernelAndTheModuleLevel) {
  FailureOr<std::string> text = extractKernel(kPtx, "first_two");
  ASSERT_TRUE(succeeded(text));
  SmallVector<StringRef> names = getKernelNames(*text);
  ASSERT_EQ(names.size(), 1u);
  EXPECT_EQ(names[0], "first_two");
  EXPECT_TRUE(StringRef(*text).contains(".version 8.3"));
  EXPECT_TRUE(StringRef(*text).contains("table[4]"));
  EXPECT_TRUE(StringRef(*text).contains("helper_param_0"));
  EXPECT_FALSE(StringRef(*text).contains("first_param_0"));
  EXPECT_EQ(StringRef(*text).count("ret;"), 1u);
}

TEST(PtxModule, FailsWithoutTheKernel) {
  EXPECT_TRUE(failed(extractKernel(kPtx, "firs")));
  EXPECT_TRUE(failed(extractKernel("", "first")));
}
