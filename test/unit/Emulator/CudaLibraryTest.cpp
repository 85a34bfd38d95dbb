//===- CudaLibraryTest.cpp - CUDA's C++ libraries against the host --------===//
//
// What CudaLibrary.cu must compute.
//
//===----------------------------------------------------------------------===//
#include "CudaTest.h"

#include <algorithm>
#include <numeric>

using namespace fuse_test;

namespace {
class CudaLibrary : public CudaTest {
protected:
  void SetUp() override {
    setUp("CudaLibrary.cu", GetParam(), GetParam() == "sm_90");
  }
  std::vector<int> small(size_t count, int limit) {
    std::vector<int> data = ints(count, 7);
    for (int &value : data)
      value = std::abs(value % limit);
    return data;
  }
  static constexpr Dim3 one{1, 1, 1}, block{128, 1, 1};
};

TEST_P(CudaLibrary, BlockSort) {
  auto a = reals<float>(512);
  float *o = zeros<float>(512);
  run("k_sort", one, block, 0, upload(a), o);
  std::sort(a.begin(), a.end());
  EXPECT_TRUE(std::equal(a.begin(), a.end(), o));
}

TEST_P(CudaLibrary, ScansAndReductions) {
  auto a = small(128, 1000);
  int *o = zeros<int>(128);
  run("k_scan", one, block, 0, upload(a), o);
  std::vector<int> want(128);
  std::exclusive_scan(a.begin(), a.end(), want.begin(), 0);
  EXPECT_TRUE(std::equal(want.begin(), want.end(), o));
  run("k_warpScan", one, block, 0, upload(a), o);
  for (int t = 0; t < 128; ++t)
    ASSERT_EQ(o[t], *std::max_element(&a[t / 32 * 32], &a[t] + 1));
  auto x = reals<double>(128);
  double *largest = zeros<double>(1);
  run("k_reduce", one, block, 0, upload(x), largest);
  EXPECT_EQ(*largest, *std::max_element(x.begin(), x.end()));
}

TEST_P(CudaLibrary, HistogramLoadAndStore) {
  std::vector<uint8_t> keys;
  std::vector<unsigned> want(256);
  for (int value : small(512, 256))
    keys.push_back(uint8_t(value)), ++want[value];
  unsigned *bins = zeros<unsigned>(256);
  run("k_histogram", one, block, 0, upload(keys), bins);
  EXPECT_TRUE(std::equal(want.begin(), want.end(), bins));
  auto a = ints(512);
  int *o = zeros<int>(512);
  run("k_loadStore", one, block, 0, upload(a), o, 500);
  for (int i = 0; i < 512; ++i)
    ASSERT_EQ(o[i], i < 500 ? int(unsigned(a[i]) * 3) : 0);
}

TEST_P(CudaLibrary, PipelineOfTwoStages) {
  for (int n : {1, 2, 5}) {
    auto a = reals<float>(128 * 5);
    float *o = zeros<float>(128);
    run("k_pipeline", one, block, 0, upload(a), o, n);
    for (int t = 0; t < 128; ++t) {
      float sum = 0;
      for (int k = 0; k < n; ++k)
        sum += a[k * 128 + (t ^ 1)];
      ASSERT_EQ(o[t], sum) << n;
    }
  }
}

TEST_P(CudaLibrary, BarriersAndCopies) {
  auto a = small(512, 1 << 20);
  int *in = upload(a), *o = zeros<int>(512);
  run("k_barrier", one, block, 0, in, o);
  for (int t = 0; t < 128; ++t)
    ASSERT_EQ(o[t], a[t] * 2 + a[127 - t]);
  run("k_copyToBarrier", one, block, 0, in, o);
  for (int i = 0; i < 512; ++i)
    ASSERT_EQ(o[i], a[(127 - i / 4) * 4 + i % 4]);
}

TEST_P(CudaLibrary, AtomicReferences) {
  int *counts = zeros<int>(3);
  double *sum = zeros<double>(1);
  short *half = zeros<short>(2);
  run("k_atomics", {2, 1, 1}, {32, 1, 1}, 0, counts, sum, half);
  EXPECT_EQ(counts[0], 128);
  EXPECT_EQ(counts[1], 31);
  unsigned tries = 0;
  for (int t = 0; t < 64; ++t)
    tries = tries * 3 + 1;
  EXPECT_EQ(unsigned(counts[2]), tries);
  EXPECT_EQ(*sum, 32);
  EXPECT_EQ(half[0], 0);
  EXPECT_EQ(half[1], -64);
}

TEST_P(CudaLibrary, HeapOfTheDevice) {
  auto a = small(128, 16);
  int *o = zeros<int>(128);
  // Twice: what was freed is there again.
  for (int k = 0; k < 2; ++k)
    run("k_heap", one, block, 0, upload(a), o);
  for (int t = 0; t < 128; ++t)
    ASSERT_EQ(o[t], a[t] * a[t] * (a[t] + 1) / 2);
  run("k_heapIsFull", one, one, 0, o);
  EXPECT_EQ(o[0], 1);
  LaunchStats stats;
  std::string error = tryRun(stats, "k_freeTwice", one, one, 0, o);
  EXPECT_NE(error.find("free of what malloc did not return"), std::string::npos)
      << error;
}

TEST_P(CudaLibrary, VirtualFunctions) {
  auto a = small(32, 100);
  int *o = zeros<int>(32);
  run("k_virtual", one, {32, 1, 1}, 0, upload(a), o);
  for (int t = 0; t < 32; ++t)
    ASSERT_EQ(o[t], a[t] % 3 == 0   ? t + 3
                    : a[t] % 3 == 1 ? t * 4
                                    : int(t * 2.5) + t * 5);
}

INSTANTIATE_TEST_SUITE_P(Targets, CudaLibrary,
                         testing::Values("sm_75", "sm_90"));
} // namespace
