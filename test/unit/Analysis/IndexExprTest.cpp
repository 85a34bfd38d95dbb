// Index expressions: the simplifier against brute force, and the equalities
// that fusion through views depends on.
#include "fuse-mlir/Analysis/IndexExpr.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace mlir::fuse;

namespace {
int64_t floorDiv(int64_t a, int64_t b) {
  int64_t q = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
}

int64_t evaluate(AffineExpr expr, ArrayRef<int64_t> dims) {
  if (AffineConstantExpr constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (AffineDimExpr dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t lhs = evaluate(binary.getLHS(), dims);
  int64_t rhs = evaluate(binary.getRHS(), dims);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return lhs + rhs;
  case AffineExprKind::Mul:
    return lhs * rhs;
  case AffineExprKind::Mod:
    return lhs - floorDiv(lhs, rhs) * rhs;
  default:
    return floorDiv(lhs, rhs);
  }
}

class RandomExpr {
public:
  RandomExpr(MLIRContext *context, std::mt19937 &rng)
      : context(context), rng(rng) {}

  AffineExpr make(unsigned depth) {
    switch (depth == 0 ? pick(2) : pick(6)) {
    case 0:
      return getAffineConstantExpr(int64_t(pick(12)) - 4, context);
    case 1:
      return getAffineDimExpr(pick(3), context);
    case 2:
    case 3:
      return make(depth - 1) + make(depth - 1);
    case 4:
      return make(depth - 1) * (int64_t(pick(9)) - 2);
    default: {
      static const int64_t divisors[] = {1, 2, 3, 4, 6, 8, 12};
      int64_t c = divisors[pick(7)];
      AffineExpr inner = make(depth - 1);
      return pick(2) ? inner % c : inner.floorDiv(c);
    }
    }
  }

private:
  unsigned pick(unsigned n) { return rng() % n; }
  MLIRContext *context;
  std::mt19937 &rng;
};

TEST(IndexExprTest, SimplifiedExpressionsHaveTheSameValues) {
  MLIRContext context;
  std::mt19937 rng(7);
  RandomExpr random(&context, rng);
  IndexRanges ranges;
  ranges.dims = {{0, 5}, {0, 11}, {-3, 4}};
  for (unsigned round = 0; round < 3000; ++round) {
    AffineExpr expr = random.make(4);
    AffineExpr simple = simplifyIndex(expr, ranges);
    IndexRange range = getRange(simple, ranges);
    for (int64_t a = 0; a <= 5; ++a)
      for (int64_t b = 0; b <= 11; ++b)
        for (int64_t c = -3; c <= 4; ++c) {
          int64_t value = evaluate(expr, {a, b, c});
          ASSERT_EQ(value, evaluate(simple, {a, b, c}))
              << "round " << round << " at " << a << "," << b << "," << c;
          ASSERT_TRUE(range.lo <= value && value <= range.hi);
        }
  }
}

TEST(IndexExprTest, SimplifyingTwiceChangesNothing) {
  MLIRContext context;
  std::mt19937 rng(11);
  RandomExpr random(&context, rng);
  IndexRanges ranges;
  ranges.dims = {{0, 5}, {0, 11}, {-3, 4}};
  for (unsigned round = 0; round < 2000; ++round) {
    AffineExpr once = simplifyIndex(random.make(4), ranges);
    EXPECT_EQ(once, simplifyIndex(once, ranges)) << "round " << round;
  }
}

TEST(IndexExprTest, ReshapeThereAndBackIsTheIdentity) {
  MLIRContext context;
  AffineExpr d0 = getAffineDimExpr(0, &context);
  AffineExpr d1 = getAffineDimExpr(1, &context);
  IndexRanges ranges;
  ranges.dims = {{0, 1023}, {0, 767}};
  AffineExpr row = d0 * 768 + d1;
  EXPECT_EQ(linearize(&context, delinearize(row, {8, 128, 12, 64}, ranges),
                      {8, 128, 12, 64}, ranges),
            row);
  // Collapsing some dimensions of an expanded index gives what expanding to
  // the collapsed shape gives.
  SmallVector<AffineExpr> fine = delinearize(row, {8, 128, 12, 64}, ranges);
  SmallVector<AffineExpr> coarse = delinearize(row, {1024, 768}, ranges);
  EXPECT_EQ(linearize(&context, {fine[0], fine[1]}, {8, 128}, ranges),
            coarse[0]);
  EXPECT_EQ(linearize(&context, {fine[2], fine[3]}, {12, 64}, ranges),
            coarse[1]);
  EXPECT_EQ(coarse[0], d0);
  EXPECT_EQ(coarse[1], d1);
}

TEST(IndexExprTest, StrideIsFoundOnlyInSums) {
  MLIRContext context;
  AffineExpr d0 = getAffineDimExpr(0, &context);
  AffineExpr d1 = getAffineDimExpr(1, &context);
  EXPECT_EQ(getStride(d0 * 12 + d1, 1), 1);
  EXPECT_EQ(getStride(d0 * 12 + d1 * 3 + d1, 1), 4);
  EXPECT_EQ(getStride(d0 * 12 + 5, 1), 0);
  EXPECT_EQ(getStride(d0 + d1.floorDiv(2), 1), std::nullopt);
}
// Sums of digits of two dimensions, some with a digit missing or doubled: what
// is called a bijection is one, and each permutation of all digits is called
// so.
TEST(IndexExpr, BijectionsAgainstBruteForce) {
  MLIRContext context;
  std::mt19937 rng(7);
  AffineExpr d0 = getAffineDimExpr(0, &context);
  AffineExpr d1 = getAffineDimExpr(1, &context);
  IndexRanges ranges;
  ranges.dims = {IndexRange::ofSize(12), IndexRange::ofSize(6)};
  // (digit, count): d0 = 4 * x + y with x < 3, d1 = 3 * z + w with z < 2.
  std::vector<std::pair<AffineExpr, int64_t>> all = {
      {d0.floorDiv(4), 3}, {d0 % 4, 4}, {d1.floorDiv(3), 2}, {d1 % 3, 3}};
  for (int round = 0; round < 200; ++round) {
    std::shuffle(all.begin(), all.end(), rng);
    std::vector<std::pair<AffineExpr, int64_t>> digits = all;
    bool isWhole = round % 2;
    if (!isWhole)
      digits[rng() % 4] = all[rng() % 4];
    AffineExpr expr = getAffineConstantExpr(0, &context);
    for (auto [digit, count] : digits)
      expr = expr * count + digit;
    std::vector<int> seen(72);
    bool bijective = true;
    for (int64_t i = 0; i < 12; ++i)
      for (int64_t j = 0; j < 6; ++j) {
        int64_t value = evaluate(expr, {i, j});
        bijective &= value < 72 && ++seen[std::min<int64_t>(value, 71)] == 1;
      }
    bool claimed = isBijective(simplifyIndex(expr, ranges), 72, ranges);
    if (isWhole)
      EXPECT_TRUE(claimed && bijective);
    else
      EXPECT_TRUE(!claimed || bijective);
  }
  EXPECT_FALSE(isBijective(getAffineConstantExpr(0, &context), 12, ranges));
}

} // namespace
