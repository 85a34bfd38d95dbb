//===- CudaKernels.h - Functions shared by kernels and host -------*- C++ -*-=//
//
// Per-element functions of the test kernels, compiled by nvcc for the device
// and by the host compiler for the expected values.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_TEST_UNIT_EMULATOR_CUDAKERNELS_H
#define FUSE_TEST_UNIT_EMULATOR_CUDAKERNELS_H

#ifdef __CUDACC__
#define HD __host__ __device__ inline
#else
#include <math.h>
#define HD inline
#endif

typedef long long i64;
typedef unsigned long long u64;

/// Element-wise functions with exact results: out[i] = fN(a[i], b[i]).
/// Their products and sums are never contracted (-fmad=false).
HD int mixBits(int a, int b) { return ((a ^ b) * 0x9e3779b1) >> 7; }
HD int collatz(int a, int) {
  unsigned n = (unsigned)a % 1000 + 1;
  int steps = 0;
  while (n != 1 && steps < 500) {
    n = n & 1 ? 3 * n + 1 : n / 2;
    ++steps;
  }
  return steps;
}
HD int gcdOf(int a, int b) {
  unsigned x = (unsigned)a % 9973 + 1, y = (unsigned)b % 7919 + 1;
  while (y) {
    unsigned t = x % y;
    x = y;
    y = t;
  }
  return (int)x;
}
HD int switchy(int a, int b) {
  switch ((unsigned)a % 11) {
  case 0:
    return (int)((unsigned)b + 1u);
  case 1:
    return (int)((unsigned)b * 3u);
  case 2:
    return b / 7;
  case 3:
    return b % 13;
  case 4:
    return ~b;
  case 5:
    return b << 3;
  case 6:
    return b >> 2;
  case 7:
    return (int)(0u - (unsigned)b);
  case 8:
    return b ^ 0x55aa;
  case 9:
    return (b & 0xff) | 0x100;
  default:
    return 42;
  }
}
HD int earlyExits(int a, int b) {
  int sum = 0;
  for (int i = 0; i < 40; ++i) {
    if (i == (a & 31))
      continue;
    if (sum > 300 + (b & 63))
      break;
    sum += i ^ (b & 7);
    for (int j = 0; j < (a & 3); ++j) {
      if ((i + j) % 5 == 0)
        return sum * 1000 + i;
      sum += j;
    }
  }
  return sum;
}
HD int localArray(int a, int b) {
  int table[24];
  for (int i = 0; i < 24; ++i)
    table[i] = i * i - a % (i + 1);
  int index = (unsigned)b % 24, sum = 0;
  for (int i = 0; i < 10; ++i) {
    sum += table[index];
    table[index] = sum & 0xffff;
    index = (unsigned)(index * 5 + 7 + (sum & 3)) % 24;
  }
  return sum;
}
HD int sortNetwork(int a, int b) {
  int v[6] = {a, b, a ^ b, a & b, a | b, ~a};
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j + 1 < 6 - i; ++j)
      if (v[j] > v[j + 1]) {
        int t = v[j];
        v[j] = v[j + 1];
        v[j + 1] = t;
      }
  return (int)((unsigned)v[2] - (unsigned)v[3] + (unsigned)v[0] * 3u);
}
HD int divisions(int a, int b) {
  int d = (b % 1000) ? b % 1000 : 1;
  unsigned u = (unsigned)b % 77777 + 1;
  return (int)((unsigned)(a / d) + (unsigned)(a % d) + (unsigned)a / u -
               (unsigned)a % u);
}
HD i64 wideMath(i64 a, i64 b) {
  u64 x = (u64)a * (u64)b, d = ((u64)b >> 20) + 1;
  return (i64)(x / d ^ x % d) + (a >> (b & 63)) - (i64)((u64)a << (b & 31));
}
HD i64 signedWide(i64 a, i64 b) {
  i64 d = (b >> 30) ? (b >> 30) : 3;
  return a / d + a % d * 5 + (a < b ? a : b);
}
HD float poly(float a, float b) {
  float r = a * b + 0.5f;
  r = r * a - b;
  return r * r + a / (b * b + 1.0f);
}
HD float roots(float a, float b) {
  return sqrtf(a * a + b * b) - 1.0f / (fabsf(a) + 1.0f);
}
HD float selects(float a, float b) {
  float m = a > b ? a : b;
  if (a != a)
    return -1.0f;
  return fminf(m, 3.0f) + fmaxf(a, -2.0f) + (b == b ? floorf(b) : 7.0f);
}
HD float roundings(float a, float b) {
  return truncf(a) + ceilf(b) * 2 + rintf(a * 4) + floorf(b * 8);
}
HD float fused(float a, float b) { return fmaf(a, b, fmaf(b, b, -a)); }
HD int conversions(float a, float b) {
  return (int)(a * 100) + (int)(unsigned)(fabsf(b) * 1000) + (short)(int)a +
         (signed char)(int)(b * 3);
}
HD float scaled(float a, float b) {
  return ldexpf(a, (int)(b * 3) % 8) + copysignf(b, a);
}
HD double doubles(double a, double b) {
  double r = a * b - a / (b * b + 2.0);
  return sqrt(r * r + 1.0) + fma(a, b, r) + (double)(int)(a * 50);
}
HD double newton(double a, double) {
  double x = a * a + 1, y = 1;
  for (int i = 0; i < 30 && fabs(y * y - x) > 1e-12 * x; ++i)
    y = 0.5 * (y + x / y);
  return y;
}

/// Element-wise functions compared within a tolerance.
HD float transcendental(float a, float b) {
  return sinf(a) + cosf(b) + expf(a * 0.25f) + logf(fabsf(b) + 1.0f);
}
HD float activations(float a, float b) {
  return tanhf(a) + 1.0f / (1.0f + expf(-b)) + erff(a * 0.5f);
}
HD float powers(float a, float b) {
  return powf(fabsf(a) + 0.1f, b * 0.5f) + cbrtf(a) + exp2f(b) +
         log10f(fabsf(a) + 1.0f);
}
HD double transcendentalDouble(double a, double b) {
  return sin(a) + exp(b * 0.5) + log(fabs(a) + 1) + atan2(a, b) + erf(b);
}

#define INT_FUNCTIONS(X)                                                       \
  X(mixBits)                                                                   \
  X(collatz)                                                                   \
  X(gcdOf) X(switchy) X(earlyExits) X(localArray) X(sortNetwork) X(divisions)
#define WIDE_FUNCTIONS(X) X(wideMath) X(signedWide)
#define FLOAT_FUNCTIONS(X)                                                     \
  X(poly) X(roots) X(selects) X(roundings) X(fused) X(scaled)
#define DOUBLE_FUNCTIONS(X) X(doubles) X(newton)
#define CLOSE_FUNCTIONS(X) X(transcendental) X(activations) X(powers)

#endif // FUSE_TEST_UNIT_EMULATOR_CUDAKERNELS_H
