//===- CudaClusterTest.cpp - Clusters against the host --------------------===//
//
// Distributed shared memory, the barrier of the cluster, and barriers and
// stores that reach into other blocks.
//
//===----------------------------------------------------------------------===//
#include "CudaTest.h"

#include <numeric>

using namespace fuse_test;

namespace {
class CudaCluster : public CudaTest {
protected:
  void SetUp() override {
    setUp("CudaCluster.cu", GetParam(), GetParam() == "sm_90");
  }
};

TEST_P(CudaCluster, NeighbourReadsSharedMemory) {
  auto a = ints(8 * 32);
  int *o = zeros<int>(8 * 32);
  auto *facts = zeros<unsigned>(32);
  EXPECT_EQ(module->lookup("k_neighbour")->requiredCluster.x, 4u);
  run("k_neighbour", {8, 1, 1}, {32, 1, 1}, 0, upload(a), o, facts);
  for (int block = 0; block < 8; ++block) {
    int next = block / 4 * 4 + (block + 1) % 4;
    for (int t = 0; t < 32; ++t)
      ASSERT_EQ(o[block * 32 + t],
                int(unsigned(a[next * 32 + t]) * 2 + unsigned(next % 4)));
    EXPECT_EQ(std::vector<unsigned>(facts + 4 * block, facts + 4 * block + 4),
              (std::vector<unsigned>{unsigned(block) % 4, 4, 4,
                                     unsigned(block) % 4 * 32}));
  }
}

TEST_P(CudaCluster, ClusterOfTheLaunch) {
  auto a = ints(1000);
  int *in = upload(a);
  for (unsigned blocks : {1u, 2u, 8u}) {
    cluster = {blocks, 1, 1};
    int *o = zeros<int>(16 * blocks);
    run("k_distributedHistogram", {8, 1, 1}, {64, 1, 1}, 0, in, o, 1000);
    std::vector<int> want(16 * blocks);
    for (int v : a)
      ++want[unsigned(v) % (16 * blocks)];
    EXPECT_EQ(std::vector<int>(o, o + 16 * blocks), want);
  }
}

TEST_P(CudaCluster, LaunchesThatDoNotFit) {
  LaunchStats stats;
  int *o = zeros<int>(1024);
  EXPECT_NE(tryRun(stats, "k_neighbour", {6, 1, 1}, {32, 1, 1}, 0, o, o, o)
                .find("is not a multiple of the cluster (4,1,1)"),
            std::string::npos);
  cluster = {2, 1, 1};
  EXPECT_NE(tryRun(stats, "k_neighbour", {8, 1, 1}, {32, 1, 1}, 0, o, o, o)
                .find("is not the required (4,1,1)"),
            std::string::npos);
  cluster = {32, 1, 1};
  EXPECT_NE(tryRun(stats, "k_distributedHistogram", {32, 1, 1}, {32, 1, 1}, 0,
                   o, o, 0)
                .find("more than 16 blocks"),
            std::string::npos);
}

TEST_P(CudaCluster, ArriveThenWaitInTwoDimensions) {
  auto a = ints(16 * 32);
  int *o = zeros<int>(16);
  run("k_clusterSum", {4, 4, 1}, {32, 1, 1}, 0, upload(a), o);
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 4; ++x) {
      const int *row = &a[(y * 4 + x) * 32];
      unsigned sum = std::accumulate(row, row + 32, 0u);
      EXPECT_EQ(unsigned(o[4 * (y / 2 * 2 + x / 2) + y % 2 * 2 + x % 2]), sum);
    }
}

TEST_P(CudaCluster, StoresAndArrivalsInOtherBlocks) {
  auto a = ints(64);
  int *o = zeros<int>(64);
  run("k_storeAsync", {4, 1, 1}, {32, 1, 1}, 0, upload(a), o);
  for (int i = 0; i < 64; ++i)
    ASSERT_EQ(unsigned(o[i]), unsigned(a[i]) + 7);
  run("k_remoteArrive", {8, 1, 1}, {32, 1, 1}, 0, o);
  for (int i = 0; i < 64; ++i)
    ASSERT_EQ(o[i], 32 * (1 + 2 + 3));
}

TEST_P(CudaCluster, Misuse) {
  LaunchStats stats;
  int *o = zeros<int>(2);
  std::string error =
      tryRun(stats, "k_endedBlock", {2, 1, 1}, {32, 1, 1}, 0, o);
  EXPECT_NE(error.find("block of rank 1 of the cluster, which has ended"),
            std::string::npos)
      << error;
}

INSTANTIATE_TEST_SUITE_P(Targets, CudaCluster,
                         testing::Values("sm_90", "sm_100"));
} // namespace
