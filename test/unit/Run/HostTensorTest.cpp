// What fuse-run's inputs and comparisons promise: the same draw everywhere,
// exact decoding, and tolerances that let nothing else through.
#include "HostTensor.h"

#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::fuse::run;

namespace {
class HostTensorTest : public ::testing::Test {
protected:
  HostTensor make(ArrayRef<int64_t> shape, Type type) {
    return HostTensor(shape, type, /*isScalar=*/false);
  }
  HostTensor makeFloats(ArrayRef<double> values, Type type) {
    HostTensor tensor = make({static_cast<int64_t>(values.size())}, type);
    for (auto [index, value] : llvm::enumerate(values))
      tensor.setFloat(index, value);
    return tensor;
  }
  MLIRContext context;
  Type f16 = Float16Type::get(&context);
  Type bf16 = BFloat16Type::get(&context);
  Type f32 = Float32Type::get(&context);
  Type f64 = Float64Type::get(&context);
  Type i1 = IntegerType::get(&context, 1);
  Type i64 = IntegerType::get(&context, 64);
};

TEST_F(HostTensorTest, DrawsTheSameValuesEverywhere) {
  HostTensor tensor = make({4}, f64);
  drawValues(tensor, getDefaultDraw(f64), /*seed=*/1, /*stream=*/2);
  // Pinned: reports of different machines must be comparable.
  EXPECT_EQ(tensor.getAsString(0), "-0.515071836");
  EXPECT_EQ(tensor.getAsString(1), "0.989611866");
  HostTensor other = make({4}, f64);
  drawValues(other, getDefaultDraw(f64), /*seed=*/2, /*stream=*/2);
  EXPECT_NE(tensor.data, other.data);
  drawValues(other, getDefaultDraw(f64), /*seed=*/1, /*stream=*/3);
  EXPECT_NE(tensor.data, other.data);
}

TEST_F(HostTensorTest, DrawsWithinTheRange) {
  HostTensor floats = make({5000}, f32);
  drawValues(floats, getDefaultDraw(f32), 7, 0);
  double sum = 0;
  for (int64_t i = 0; i < 5000; ++i) {
    EXPECT_LE(std::fabs(floats.getFloat(i)), 1.0);
    sum += floats.getFloat(i);
  }
  EXPECT_LT(std::fabs(sum / 5000), 0.05);

  HostTensor bits = make({1000}, i1);
  drawValues(bits, getDefaultDraw(i1), 7, 0);
  int64_t ones = 0;
  for (int64_t i = 0; i < 1000; ++i)
    ones += bits.getInt(i);
  EXPECT_GT(ones, 400);
  EXPECT_LT(ones, 600);

  DrawSpec ints;
  ints.kind = DrawSpec::Kind::Ints;
  ints.lo = 3;
  ints.hi = 6;
  HostTensor numbers = make({300}, i64);
  drawValues(numbers, ints, 7, 0);
  for (int64_t i = 0; i < 300; ++i) {
    EXPECT_GE(numbers.getInt(i), 3);
    EXPECT_LE(numbers.getInt(i), 5);
  }
}

TEST_F(HostTensorTest, ChoicesKeepTheFirstColumn) {
  DrawSpec mask;
  mask.kind = DrawSpec::Kind::Choice;
  mask.values = {0.0, -10000.0};
  mask.first = 0.0;
  HostTensor tensor = make({40, 5}, f32);
  drawValues(tensor, mask, 0, 0);
  bool both = false;
  for (int64_t i = 0; i < 200; ++i) {
    if (i % 5 == 0)
      EXPECT_EQ(tensor.getFloat(i), 0.0);
    both |= tensor.getFloat(i) == -10000.0;
  }
  EXPECT_TRUE(both);
}

TEST_F(HostTensorTest, RoundsToTheType) {
  HostTensor half = makeFloats({1.0 + 0x1p-11, 65520.0, -0.0}, f16);
  EXPECT_EQ(half.getFloat(0), 1.0); // a tie, to even
  EXPECT_TRUE(std::isinf(half.getFloat(1)));
  EXPECT_TRUE(std::signbit(half.getFloat(2)));
  HostTensor brain = makeFloats({1.0 + 3 * 0x1p-8}, bf16);
  EXPECT_EQ(brain.getFloat(0), 1.0 + 0x1p-6);
}

TEST_F(HostTensorTest, ComparesRelativeToTheLargest) {
  HostTensor expected = makeFloats({100.0, 0.001}, f32);
  HostTensor near = makeFloats({100.0, 0.005}, f32);
  HostTensor far = makeFloats({100.0, 0.05}, f32);
  EXPECT_TRUE(compareTensors(near, expected, 100.0, 1e-4).ok());
  Comparison bad = compareTensors(far, expected, 100.0, 1e-4);
  EXPECT_EQ(bad.mismatches, 1);
  EXPECT_EQ(bad.examples.front(), 1);
  EXPECT_NEAR(bad.maxError, 4.9e-4, 1e-8);
}

TEST_F(HostTensorTest, SpecialValuesMustBeTheSame) {
  double inf = std::numeric_limits<double>::infinity();
  double nan = std::numeric_limits<double>::quiet_NaN();
  HostTensor expected = makeFloats({nan, inf, -inf, 1.0}, f32);
  EXPECT_TRUE(compareTensors(expected, expected, 1.0, 1e-4).ok());
  HostTensor got = makeFloats({1.0, -inf, 1.0, nan}, f32);
  EXPECT_EQ(compareTensors(got, expected, 1.0, 1e-4).mismatches, 4);
}

TEST_F(HostTensorTest, IntegersMustBeEqual) {
  HostTensor expected = make({2}, i64), got = make({2}, i64);
  got.setInt(1, 1);
  EXPECT_TRUE(compareTensors(expected, expected, 0.0, 0.0).ok());
  EXPECT_EQ(compareTensors(got, expected, 1e9, 0.0).mismatches, 1);
}

TEST_F(HostTensorTest, TolerancesAreUnitsInTheLastPlace) {
  EXPECT_EQ(getTolerance(f16), 4 * 0x1p-10);
  EXPECT_EQ(getTolerance(bf16), 4 * 0x1p-7);
  EXPECT_EQ(getTolerance(f32), 1e-4);
  EXPECT_EQ(getTolerance(f32, /*mayRoundToTf32=*/true), 0x1p-8);
  EXPECT_EQ(getTolerance(bf16, /*mayRoundToTf32=*/true), 4 * 0x1p-7);
  EXPECT_EQ(getTolerance(f64, /*mayRoundToTf32=*/true), 1e-10);
  HostTensor rounded = makeFloats({1.003}, f32), exact = makeFloats({1.0}, f32);
  EXPECT_FALSE(compareTensors(rounded, exact, 1.0, 1e-4).ok());
  EXPECT_TRUE(compareTensors(rounded, exact, 1.0, 0x1p-8).ok());
  EXPECT_EQ(getTolerance(i64), 0.0);
  EXPECT_EQ(getTolerance(Float8E4M3FNType::get(&context)), 0x1p-3);
}

TEST_F(HostTensorTest, NamesCoordinates) {
  EXPECT_EQ(make({2, 3, 4}, f32).getCoordinates(23), "[1, 2, 3]");
  EXPECT_EQ(make({}, f32).getCoordinates(0), "[]");
}
} // namespace
