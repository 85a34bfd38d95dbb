// How often machine instructions run, by the lines of PTX that they are for.
#include "MachineCounts.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::bench;

/// What `nvdisasm -gp -c` prints for one kernel with `body`.
static MachineKernel parseKernel(StringRef body) {
  std::string text =
      ("//--------------------- .text.k --------------------------\n"
       "\t.section\t.text.k,\"ax\",@progbits\n.text.k:\n" +
       body)
          .str();
  SmallVector<MachineKernel, 0> kernels = Nvdisasm::parse(text);
  EXPECT_EQ(kernels.size(), 1u);
  return kernels.empty() ? MachineKernel() : kernels.front();
}

/// Three instructions for each of 64 threads; NOPs and what stands behind the
/// end do not count.
TEST(MachineCounts, CountsStraightCode) {
  MachineKernel kernel = parseKernel(R"(
	//## File ".nv_debug_ptx_txt", line 1
        /*0000*/                   LDG.E R0, desc[UR4][R2.64] ;
	//## File ".nv_debug_ptx_txt", line 2
        /*0010*/                   FADD R0, R0, R1 ;
        /*0020*/                   EXIT ;
.L_x_0:
        /*0030*/                   BRA `(.L_x_0);
        /*0040*/                   NOP;
)");
  ASSERT_EQ(kernel.instructions.size(), 4u);
  EXPECT_EQ(kernel.instructions[1].ptxLine, 2u);
  EXPECT_EQ(kernel.instructions[1].getOpcode(), "FADD");
  EXPECT_TRUE(kernel.instructions[3].isTarget);
  EXPECT_EQ(countMachineInstructions(
                kernel, "ld.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f1, %f0;\n",
                {{1, 64}, {2, 64}}),
            3 * 64);
}

/// A loop of eight trips that was unrolled twice runs four times, and the copy
/// for what is left does not count.
TEST(MachineCounts, KnowsUnrolledLoops) {
  StringRef ptx = "ld.param.u64 %rd1, [p];\n"
                  "add.f32 %f1, %f1, %f0;\n"
                  "add.s32 %r1, %r1, 1;\n";
  MachineKernel kernel = parseKernel(R"(
	//## File ".nv_debug_ptx_txt", line 1
        /*0000*/                   LDC R1, c[0x0][0x28] ;
.L_x_0:
	//## File ".nv_debug_ptx_txt", line 2
        /*0010*/                   FADD R0, R0, R1 ;
        /*0020*/                   FADD R0, R0, R1 ;
	//## File ".nv_debug_ptx_txt", line 3
        /*0030*/                   IADD3 R4, R4, 0x2, RZ ;
        /*0040*/              @!P0 BRA `(.L_x_0) ;
.L_x_1:
	//## File ".nv_debug_ptx_txt", line 2
        /*0050*/                   FADD R0, R0, R1 ;
        /*0060*/               @P1 BRA `(.L_x_1) ;
	//## File ".nv_debug_ptx_txt", line 1
        /*0070*/                   EXIT ;
)");
  EXPECT_EQ(
      countMachineInstructions(kernel, ptx, {{1, 32}, {2, 256}, {3, 256}}),
      32 + 4 * (256 / 2) + 32);
}

/// The subroutine of a division by a denormal does not run; that of a 64-bit
/// integer division does.
TEST(MachineCounts, KnowsSubroutines) {
  StringRef body = R"(
	//## File ".nv_debug_ptx_txt", line 1
        /*0000*/                   MUFU.RCP R4, R5 ;
        /*0010*/                   FCHK P0, R0, R5 ;
        /*0020*/              @!P0 BRA `(.L_x_1) ;
        /*0030*/                   CALL.REL.NOINC `($division) ;
.L_x_1:
        /*0040*/                   EXIT ;
$division:
        /*0050*/                   MOV R2, R3 ;
        /*0060*/                   RET.REL.NODEC R2 `(k) ;
)";
  MachineKernel kernel = parseKernel(body);
  EXPECT_EQ(kernel.instructions[3].target, 5u);
  EXPECT_EQ(
      countMachineInstructions(kernel, "div.rn.f32 %f1, %f2, %f3;", {{1, 10}}),
      4 * 10);
  EXPECT_EQ(
      countMachineInstructions(kernel, "div.s64 %rd1, %rd2, %rd3;", {{1, 10}}),
      7 * 10);
}

/// Code of which no line was counted does not run.
TEST(MachineCounts, CountsNothingUnknown) {
  MachineKernel kernel = parseKernel("        /*0000*/   FADD R0, R0, R1 ;\n");
  EXPECT_EQ(
      countMachineInstructions(kernel, "add.f32 %f1, %f1, %f0;", LineCounts()),
      0);
  EXPECT_EQ(countMachineInstructions(MachineKernel(), "", LineCounts()), 0);
}
