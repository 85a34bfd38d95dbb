// Tables of measured kernels: what lies on, between and outside of their rows.
#include "fuse-mlir/CostModel/Profile.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
ProfiledKernel make(KernelPath path, int64_t bytes, double nanoseconds) {
  return {"k", path, bytes, bytes / 2, bytes / 4, nanoseconds};
}

ProfileTable makeTable() {
  ProfileTable table;
  for (int64_t size = 1 << 10; size <= 1 << 20; size *= 4)
    table.kernels.push_back(
        make(KernelPath::Row, size, 1000 + double(size) / 100));
  table.kernels.push_back(make(KernelPath::Column, 1 << 12, 7000));
  return table;
}

double ask(const ProfileTable &table, KernelPath path, int64_t bytes) {
  return table.estimate(make(path, bytes, 0)).value_or(-1);
}
} // namespace

TEST(ProfileTable, GivesWhatWasMeasured) {
  ProfileTable table = makeTable();
  for (const ProfiledKernel &kernel : table.kernels)
    EXPECT_NEAR(ask(table, kernel.path, kernel.bytesRead), kernel.nanoseconds,
                1e-6);
  // Twice the same kernel: the geometric mean of both times.
  table.kernels.push_back(make(KernelPath::Column, 1 << 12, 28000));
  EXPECT_NEAR(ask(table, KernelPath::Column, 1 << 12), 14000, 1e-6);
}

TEST(ProfileTable, InterpolatesBetweenKernels) {
  ProfileTable table = makeTable();
  double last = 0;
  for (int64_t size = 1 << 10; size <= 1 << 20; size *= 2) {
    double time = ask(table, KernelPath::Row, size);
    EXPECT_GT(time, last) << size;
    EXPECT_GE(time, 1010);
    EXPECT_LE(time, 1000 + double(1 << 20) / 100 + 1e-6);
    last = time;
  }
  // Independent of the order of the rows.
  double before = ask(table, KernelPath::Row, 5000);
  std::reverse(table.kernels.begin(), table.kernels.end());
  EXPECT_EQ(before, ask(table, KernelPath::Row, 5000));
}

TEST(ProfileTable, KnowsNothingOutside) {
  ProfileTable table = makeTable();
  EXPECT_EQ(ask(table, KernelPath::Row, (1 << 10) - 8), -1);
  EXPECT_EQ(ask(table, KernelPath::Row, (1 << 20) + 8), -1);
  EXPECT_EQ(ask(table, KernelPath::Column, (1 << 12) + 8), -1);
  EXPECT_EQ(ask(table, KernelPath::Pointwise, 1 << 12), -1);
  EXPECT_EQ(ask(ProfileTable(), KernelPath::Row, 1 << 12), -1);
  // One figure is outside, although the others are not.
  ProfiledKernel odd = make(KernelPath::Row, 1 << 14, 0);
  odd.flops = 1 << 30;
  EXPECT_FALSE(table.estimate(odd).has_value());
  // A hole in the middle: the next kernels are a factor of 32 away.
  ProfileTable hole;
  hole.kernels = {make(KernelPath::Row, 1 << 10, 1000),
                  make(KernelPath::Row, 1 << 20, 9000)};
  EXPECT_EQ(ask(hole, KernelPath::Row, 1 << 15), -1);
  EXPECT_GT(ask(hole, KernelPath::Row, 1 << 11), 999);
}
