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

std::string print(AffineExpr expr) {
  std::string text;
  llvm::raw_string_ostream(text) << expr;
  return text;
}

int64_t evaluate(AffineExpr expr, ArrayRef<int64_t> dims,
                 ArrayRef<int64_t> symbols = {}) {
  if (AffineConstantExpr constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (AffineDimExpr dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (AffineSymbolExpr symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t lhs = evaluate(binary.getLHS(), dims, symbols);
  int64_t rhs = evaluate(binary.getRHS(), dims, symbols);
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
  // Also where a part of the row carries into the digits behind it.
  IndexRanges tile;
  tile.dims = {{0, 195}, {0, 7}};
  for (int64_t step = 0; step < 64; step += 8) {
    AffineExpr shifted = d0 * 64 + d1 + step;
    EXPECT_EQ(linearize(&context, delinearize(shifted, {4, 56, 56}, tile),
                        {4, 56, 56}, tile),
              shifted)
        << "step " << step;
  }
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
    AffineExpr simple = simplifyIndex(expr, ranges);
    bool claimed = isBijective(simple, 72, ranges);
    for (int64_t value = 0; claimed && value < 72; ++value) {
      SmallVector<AffineExpr> at = *invertIndex(
          simple, 72, ranges, getAffineConstantExpr(value, &context));
      EXPECT_EQ(evaluate(expr, {evaluate(at[0], {}), evaluate(at[1], {})}),
                value);
    }
    EXPECT_EQ(claimed, invertIndex(simple, 72, ranges, d0).has_value());
    if (isWhole)
      EXPECT_TRUE(claimed && bijective);
    else
      EXPECT_TRUE(!claimed || bijective);
  }
  EXPECT_FALSE(isBijective(getAffineConstantExpr(0, &context), 12, ranges));
}

//===----------------------------------------------------------------------===//
// Sizes known at run time only
//===----------------------------------------------------------------------===//

/// d0 < s0, d1 < s1, d2 < 4 * s0; s2 is an unknown index below 6.
class SymbolicIndex : public testing::Test {
protected:
  SymbolicIndex() {
    ranges.symbols = {IndexRange::ofSizeSymbol(), IndexRange::ofSizeSymbol(),
                      IndexRange::ofSize(6)};
    ranges.dims = {IndexRange::ofSize(s0), IndexRange::ofSize(s1),
                   IndexRange::ofSize(s0 * 4)};
  }

  AffineExpr pick(unsigned depth) {
    auto one = [&](std::initializer_list<AffineExpr> list) {
      return list.begin()[rng() % list.size()];
    };
    switch (depth == 0 ? rng() % 2 : rng() % 7) {
    case 0:
      return getAffineConstantExpr(int64_t(rng() % 9) - 3, &context);
    case 1:
      return one({d0, d1, d2, s0, s1, s2});
    case 2:
    case 3:
      return pick(depth - 1) + pick(depth - 1);
    case 4:
      return pick(depth - 1) * one({s0, s1, s0 * s1, two, four});
    default: {
      AffineExpr divisor = one({s0, s1, s0 * s1, s0 * 4, two, four});
      AffineExpr inner = pick(depth - 1);
      return rng() % 2 ? inner % divisor : inner.floorDiv(divisor);
    }
    }
  }

  /// Calls `check` with the variables' values for small sizes.
  void forAllValues(
      llvm::function_ref<void(ArrayRef<int64_t>, ArrayRef<int64_t>)> check) {
    for (int64_t a : {1, 2, 3, 5})
      for (int64_t b : {1, 2, 4})
        for (int64_t i = 0; i < a; ++i)
          for (int64_t j = 0; j < b; ++j)
            for (int64_t k = 0; k < 4 * a; k += 3)
              check({i, j, k}, {a, b, (i + j + k) % 6});
  }

  MLIRContext context;
  std::mt19937 rng{5};
  AffineExpr d0 = getAffineDimExpr(0, &context);
  AffineExpr d1 = getAffineDimExpr(1, &context);
  AffineExpr d2 = getAffineDimExpr(2, &context);
  AffineExpr s0 = getAffineSymbolExpr(0, &context);
  AffineExpr s1 = getAffineSymbolExpr(1, &context);
  AffineExpr s2 = getAffineSymbolExpr(2, &context);
  AffineExpr two = getAffineConstantExpr(2, &context);
  AffineExpr four = getAffineConstantExpr(4, &context);
  IndexRanges ranges;
};

TEST_F(SymbolicIndex, SimplifiedExpressionsHaveTheSameValues) {
  for (unsigned round = 0; round < 3000; ++round) {
    AffineExpr expr = pick(4);
    AffineExpr simple = simplifyIndex(expr, ranges);
    IndexRange range = getRange(simple, ranges);
    forAllValues([&](ArrayRef<int64_t> dims, ArrayRef<int64_t> symbols) {
      int64_t value = evaluate(expr, dims, symbols);
      ASSERT_EQ(value, evaluate(simple, dims, symbols))
          << "round " << round << ": " << print(expr) << " -> "
          << print(simple);
      ASSERT_TRUE(range.lo <= value && value <= range.hi) << "round " << round;
    });
    AffineExpr again = simplifyIndex(simple, ranges);
    ASSERT_EQ(simple, again)
        << "round " << round << ": " << print(simple) << " -> " << print(again);
  }
}

TEST_F(SymbolicIndex, ReshapeThereAndBackIsTheIdentity) {
  // A space of s0 x (4 * s1): split, merged and read back.
  ranges.dims = {IndexRange::ofSize(s0), IndexRange::ofSize(s1 * 4)};
  AffineExpr linear = d0 * (s1 * 4) + d1;
  SmallVector<AffineExpr> fine =
      delinearize(linear, ArrayRef<AffineExpr>{s0, s1, four}, ranges);
  EXPECT_EQ(fine[0], d0);
  EXPECT_EQ(fine[1], d1.floorDiv(4));
  EXPECT_EQ(fine[2], d1 % 4);
  EXPECT_EQ(
      linearize(&context, fine, ArrayRef<AffineExpr>{s0, s1, four}, ranges),
      simplifyIndex(linear, ranges));
  // One flat dimension.
  ranges.dims = {IndexRange::ofSize(s0 * s1)};
  SmallVector<AffineExpr> index =
      delinearize(d0, ArrayRef<AffineExpr>{s0, s1}, ranges);
  EXPECT_EQ(index[0], d0.floorDiv(s1));
  EXPECT_EQ(linearize(&context, index, ArrayRef<AffineExpr>{s0, s1}, ranges),
            d0);
}

TEST_F(SymbolicIndex, NothingIsAssumedBeyondTheBounds) {
  EXPECT_EQ(simplifyIndex((d0 * s1 + d1).floorDiv(s1), ranges), d0);
  EXPECT_EQ(simplifyIndex((d0 * s1 + d1) % s1, ranges), d1);
  // d0 may be above s1, and d1 + 1 may be s1.
  EXPECT_NE(simplifyIndex(d0 % s1, ranges), d0);
  EXPECT_NE(simplifyIndex((d1 + 1) % s1, ranges), d1 + 1);
  // An unknown index has no relation to the sizes.
  EXPECT_NE(simplifyIndex(s2 % s0, ranges), s2);
}

TEST_F(SymbolicIndex, Bijections) {
  EXPECT_TRUE(isBijective(d0 * s1 + d1, s0 * s1, [&] {
    IndexRanges both = ranges;
    both.dims.truncate(2);
    return both;
  }()));
  IndexRanges flat;
  flat.symbols = ranges.symbols;
  flat.dims = {IndexRange::ofSize(s0 * s1)};
  AffineExpr transposed = (d0 % s1) * s0 + d0.floorDiv(s1);
  EXPECT_TRUE(isBijective(transposed, s0 * s1, flat));
  EXPECT_FALSE(isBijective((d0 % s1) * s1 + d0.floorDiv(s1), s0 * s1, flat));
  EXPECT_FALSE(isBijective(d0.floorDiv(s1), s0 * s1, flat));
  EXPECT_FALSE(isBijective(d0, s0, flat));
}

} // namespace
