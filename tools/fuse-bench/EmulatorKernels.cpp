// The kernels of the suite `emulator`; see EmulatorKernels.h.
#include "EmulatorKernels.h"

using namespace mlir::fuse;
using namespace mlir::fuse::bench;

const char *const bench::emulatedKernelsPtx = R"(.version 7.0
.target sm_80
.address_size 64

// c[i] = a[i] * 2 + b[i]
.visible .entry pointwise(.param .u64 a, .param .u64 b, .param .u64 c,
                          .param .u32 n)
{
  .reg .pred %p<2>; .reg .f32 %f<4>; .reg .b32 %r<6>; .reg .b64 %rd<11>;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  ld.param.u64 %rd3, [c];
  ld.param.u32 %r2, [n];
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mov.u32 %r5, %tid.x;
  mad.lo.s32 %r1, %r3, %r4, %r5;
  setp.ge.s32 %p1, %r1, %r2;
  @%p1 bra $done;
  cvta.to.global.u64 %rd4, %rd1;
  mul.wide.s32 %rd5, %r1, 4;
  add.s64 %rd6, %rd4, %rd5;
  ld.global.f32 %f1, [%rd6];
  cvta.to.global.u64 %rd7, %rd2;
  add.s64 %rd8, %rd7, %rd5;
  ld.global.f32 %f2, [%rd8];
  fma.rn.f32 %f3, %f1, 0f40000000, %f2;
  cvta.to.global.u64 %rd9, %rd3;
  add.s64 %rd10, %rd9, %rd5;
  st.global.f32 [%rd10], %f3;
$done:
  ret;
}

// c = a b, n x n each; n is a multiple of 32.
.visible .entry matmul(.param .u64 a, .param .u64 b, .param .u64 c,
                       .param .u32 n)
{
  .reg .pred %p<2>; .reg .f32 %f<16>; .reg .b32 %r<16>; .reg .b64 %rd<24>;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  ld.param.u64 %rd3, [c];
  ld.param.u32 %r1, [n];
  cvta.to.global.u64 %rd1, %rd1;
  cvta.to.global.u64 %rd2, %rd2;
  cvta.to.global.u64 %rd3, %rd3;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  mov.u32 %r6, %ctaid.y;
  mov.u32 %r7, %ntid.y;
  mov.u32 %r8, %tid.y;
  mad.lo.s32 %r9, %r6, %r7, %r8;
  mul.lo.s32 %r10, %r9, %r1;
  mul.wide.s32 %rd4, %r10, 4;
  add.s64 %rd5, %rd1, %rd4;
  mul.wide.s32 %rd6, %r5, 4;
  add.s64 %rd7, %rd2, %rd6;
  mul.wide.s32 %rd8, %r1, 4;
  mov.f32 %f1, 0f00000000;
  mov.u32 %r11, %r1;
$loop:
  ld.global.f32 %f2, [%rd7];
  ld.global.f32 %f3, [%rd5];
  fma.rn.f32 %f4, %f3, %f2, %f1;
  add.s64 %rd9, %rd7, %rd8;
  ld.global.f32 %f5, [%rd9];
  ld.global.f32 %f6, [%rd5+4];
  fma.rn.f32 %f7, %f6, %f5, %f4;
  add.s64 %rd10, %rd9, %rd8;
  ld.global.f32 %f8, [%rd10];
  ld.global.f32 %f9, [%rd5+8];
  fma.rn.f32 %f10, %f9, %f8, %f7;
  add.s64 %rd11, %rd10, %rd8;
  add.s64 %rd7, %rd11, %rd8;
  ld.global.f32 %f11, [%rd11];
  ld.global.f32 %f12, [%rd5+12];
  fma.rn.f32 %f1, %f12, %f11, %f10;
  add.s64 %rd5, %rd5, 16;
  add.s32 %r11, %r11, -4;
  setp.ne.s32 %p1, %r11, 0;
  @%p1 bra $loop;
  add.s32 %r12, %r10, %r5;
  mul.wide.s32 %rd12, %r12, 4;
  add.s64 %rd13, %rd3, %rd12;
  st.global.f32 [%rd13], %f1;
  ret;
}

// c[row] = sum of a[row, 0..n); one block of 256 threads for a row.
.visible .entry rowsum(.param .u64 a, .param .u64 c, .param .u32 n)
{
  .shared .align 4 .b8 part[32];
  .reg .pred %p<4>; .reg .f32 %f<16>; .reg .b32 %r<16>; .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [c];
  ld.param.u32 %r1, [n];
  cvta.to.global.u64 %rd1, %rd1;
  cvta.to.global.u64 %rd2, %rd2;
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mul.lo.s32 %r5, %r3, %r1;
  mov.f32 %f1, 0f00000000;
  mov.u32 %r6, %r2;
$loop:
  add.s32 %r7, %r6, %r5;
  mul.wide.u32 %rd3, %r7, 4;
  add.s64 %rd4, %rd1, %rd3;
  ld.global.f32 %f2, [%rd4];
  add.f32 %f1, %f1, %f2;
  add.s32 %r6, %r6, %r4;
  setp.lt.s32 %p1, %r6, %r1;
  @%p1 bra $loop;
  shfl.sync.bfly.b32 %f3, %f1, 16, 31, -1;
  add.f32 %f1, %f1, %f3;
  shfl.sync.bfly.b32 %f3, %f1, 8, 31, -1;
  add.f32 %f1, %f1, %f3;
  shfl.sync.bfly.b32 %f3, %f1, 4, 31, -1;
  add.f32 %f1, %f1, %f3;
  shfl.sync.bfly.b32 %f3, %f1, 2, 31, -1;
  add.f32 %f1, %f1, %f3;
  shfl.sync.bfly.b32 %f3, %f1, 1, 31, -1;
  add.f32 %f1, %f1, %f3;
  and.b32 %r8, %r2, 31;
  setp.ne.s32 %p2, %r8, 0;
  shr.u32 %r9, %r2, 5;
  shl.b32 %r9, %r9, 2;
  mov.u32 %r10, part;
  add.s32 %r9, %r9, %r10;
  @!%p2 st.shared.f32 [%r9], %f1;
  bar.sync 0;
  setp.ne.s32 %p3, %r2, 0;
  @%p3 bra $done;
  ld.shared.v4.f32 {%f4, %f5, %f6, %f7}, [part];
  ld.shared.v4.f32 {%f8, %f9, %f10, %f11}, [part+16];
  add.f32 %f4, %f4, %f5;
  add.f32 %f4, %f4, %f6;
  add.f32 %f4, %f4, %f7;
  add.f32 %f4, %f4, %f8;
  add.f32 %f4, %f4, %f9;
  add.f32 %f4, %f4, %f10;
  add.f32 %f4, %f4, %f11;
  mul.wide.u32 %rd5, %r3, 4;
  add.s64 %rd6, %rd2, %rd5;
  st.global.f32 [%rd6], %f4;
$done:
  ret;
}
)";

using Inputs = std::vector<std::vector<float>>;

static void pointwise(const Inputs &in, std::vector<float> &out,
                      uint32_t size) {
  for (uint32_t i = 0; i < size; ++i)
    out[i] = in[0][i] * 2 + in[1][i];
}

static void matmul(const Inputs &in, std::vector<float> &out, uint32_t size) {
  for (uint32_t y = 0; y < size; ++y)
    for (uint32_t x = 0; x < size; ++x) {
      float sum = 0;
      for (uint32_t k = 0; k < size; ++k)
        sum += in[0][y * size + k] * in[1][k * size + x];
      out[y * size + x] = sum;
    }
}

static void rowsum(const Inputs &in, std::vector<float> &out, uint32_t size) {
  for (uint32_t row = 0; row < out.size(); ++row) {
    float sum = 0;
    for (uint32_t k = 0; k < size; ++k)
      sum += in[0][size_t(row) * size + k];
    out[row] = sum;
  }
}

std::vector<EmulatedKernel> bench::getEmulatedKernels(bool isSmall) {
  uint32_t count = isSmall ? 1 << 21 : 1 << 24, n = isSmall ? 384 : 512,
           rows = isSmall ? 8192 : 4096, columns = isSmall ? 512 : 4096;
  uint64_t square = uint64_t(n) * n;
  return {
      {"pointwise",
       count,
       {count / 256, 1, 1},
       {256, 1, 1},
       {count, count, count},
       pointwise},
      {"matmul",
       n,
       {n / 32, n / 8, 1},
       {32, 8, 1},
       {square, square, square},
       matmul},
      {"rowsum",
       columns,
       {rows, 1, 1},
       {256, 1, 1},
       {uint64_t(rows) * columns, rows},
       rowsum},
  };
}
