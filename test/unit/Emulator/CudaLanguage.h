//===- CudaLanguage.h - Functions shared by kernels and host -----*- C++ -*-=//
//
// What CudaLanguage.cu and CudaLanguageTest.cpp both compile: recursion,
// function pointers, classes, wide integers, structures.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_TEST_UNIT_EMULATOR_CUDALANGUAGE_H
#define FUSE_TEST_UNIT_EMULATOR_CUDALANGUAGE_H

#include "CudaKernels.h"

#ifdef __CUDACC__
#define HD_CALL __host__ __device__ __noinline__
#else
#define HD_CALL inline
#endif

HD_CALL int ackermann(int m, int n) {
  if (m == 0)
    return n + 1;
  if (n == 0)
    return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

/// Sorts through pointers to an array of the caller's.
HD_CALL void quicksort(int *low, int *high) {
  if (high - low < 2)
    return;
  int pivot = low[(high - low) / 2], *i = low, *j = high - 1;
  while (i <= j) {
    while (*i < pivot)
      ++i;
    while (*j > pivot)
      --j;
    if (i <= j) {
      int t = *i;
      *i++ = *j;
      *j-- = t;
    }
  }
  quicksort(low, j + 1);
  quicksort(i, high);
}
HD int sortsLocally(int a, int b) {
  int data[12];
  unsigned x = (unsigned)a;
  for (int k = 0; k < 12; ++k) {
    x = x * 1664525u + 1013904223u;
    data[k] = (int)(x >> 8) % 100 - (b & 7);
  }
  quicksort(data, data + 12);
  return data[0] + 3 * data[5] - 7 * data[11];
}

HD_CALL bool isOdd(unsigned n);
HD_CALL bool isEven(unsigned n) { return n == 0 ? true : isOdd(n - 1); }
HD_CALL bool isOdd(unsigned n) { return n == 0 ? false : isEven(n - 1); }
HD int parity(int a, int) { return isEven((unsigned)a % 30) ? 1 : -1; }
HD int ackermannSmall(int a, int b) {
  return ackermann((unsigned)a % 3, (unsigned)b % 4);
}

/// A tree in an array, walked recursively with an accumulator by reference.
HD_CALL int walkTree(const int *tree, int node, int depth, int &visited) {
  if (node >= 31)
    return 0;
  ++visited;
  int left = walkTree(tree, 2 * node + 1, depth + 1, visited);
  int right = walkTree(tree, 2 * node + 2, depth + 1, visited);
  return tree[node] * depth + (left > right ? left - right : right - left);
}
HD int treeWalk(int a, int b) {
  int tree[31], visited = 0;
  for (int k = 0; k < 31; ++k)
    tree[k] = ((a >> (k % 16)) ^ (b & 0xff) * k) & 0xffff;
  return walkTree(tree, 0, 1, visited) + visited;
}

struct Shape {
  int scale;
  HD_CALL explicit Shape(int scale) : scale(scale) {}
  HD_CALL virtual int area(int x) const { return x; }
  HD_CALL virtual int twice(int x) const { return 2 * area(x); }
};
struct Square : Shape {
  HD_CALL explicit Square(int scale) : Shape(scale) {}
  HD_CALL int area(int x) const override { return x * x * scale; }
};
struct Strip : Shape {
  int width;
  HD_CALL Strip(int scale, int width) : Shape(scale), width(width) {}
  HD_CALL int area(int x) const override { return x * width + scale; }
  HD_CALL int twice(int x) const override { return area(x) - 1; }
};
HD int virtuals(int a, int b) {
  Square square(a & 7);
  Strip strip(a & 15, b & 15);
  Shape plain(1);
  const Shape *shapes[3] = {&square, &strip, &plain};
  const Shape *shape = shapes[(unsigned)b % 3];
  return shape->area(a & 0xff) + shape->twice(b & 0xff);
}

HD i64 int128(i64 a, i64 b) {
  unsigned __int128 product = (unsigned __int128)(u64)a * (u64)b;
  __int128 sum = (__int128)a * b - ((__int128)b << 40);
  unsigned __int128 quotient = product / (((u64)b >> 3) + 1);
  return (i64)(product >> 64) ^ (i64)(sum >> 17) ^ (i64)quotient ^
         (i64)(quotient >> 64);
}

struct Pair {
  float first;
  double second;
  short tail[3];
};
HD_CALL Pair makePair(float a, float b) {
  Pair pair;
  pair.first = a - b;
  pair.second = (double)a * b;
  for (int k = 0; k < 3; ++k)
    pair.tail[k] = (short)(a * (k + 1));
  return pair;
}
HD float structures(float a, float b) {
  Pair pair = makePair(a, b), other = makePair(b, a * 0.5f);
  if (pair.first > other.first) {
    Pair t = pair;
    pair = other;
    other = t;
  }
  return pair.first + (float)other.second + pair.tail[1] - other.tail[2];
}

template <int N>
struct Polynomial {
  float c[N];
  template <typename F>
  HD float map(float x, F f) const {
    float r = 0;
    for (int k = 0; k < N; ++k)
      r = f(r, x) + c[k];
    return r;
  }
};
HD float lambdas(float a, float b) {
  Polynomial<5> p = {{a, b, a - b, 0.5f, 2.0f}};
  int calls = 0;
  float r = p.map(b, [&](float acc, float x) {
    ++calls;
    return acc * x;
  });
  return r * 0.25f + (float)calls;
}

HD int bigSwitch(int a, int b) {
  int r = b;
  // Sums and products wrap, as they do on the device.
  unsigned second = (unsigned)b;
  for (int k = 0; k < 3; ++k, a /= 7) {
    unsigned first = (unsigned)a, u = (unsigned)r;
    switch (first % 32) {
#define CASE(N, E)                                                             \
  case N:                                                                      \
    r = (int)(E);                                                              \
    break;
      CASE(0, u + 1) CASE(1, u * 3) CASE(2, r ^ 77) CASE(3, u - second)
      CASE(4, r << 1) CASE(5, ~r) CASE(6, r & 0xffff) CASE(7, r | 1)
      CASE(8, r % 97) CASE(9, r / 3) CASE(10, 0u - u) CASE(11, u + first)
      CASE(12, u * first) CASE(13, r >> 2) CASE(14, u + 14) CASE(15, r ^ b)
      CASE(16, b) CASE(17, u + 17 * second) CASE(18, u - 18) CASE(19, u * 19)
#undef CASE
    default:
      r = (int)(u + 1000);
    }
  }
  return r;
}

#define LANGUAGE_INT(X)                                                        \
  X(ackermannSmall)                                                            \
  X(sortsLocally) X(parity) X(treeWalk) X(virtuals) X(bigSwitch)
#define LANGUAGE_FLOAT(X) X(structures) X(lambdas)

#endif // FUSE_TEST_UNIT_EMULATOR_CUDALANGUAGE_H
