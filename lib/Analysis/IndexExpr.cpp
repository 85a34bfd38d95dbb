// Ranges, arrays and bijections of index expressions.
#include "IndexForm.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::fuse;
using index::Extent;

IndexRange IndexRange::ofSize(int64_t size) {
  return {0, size < 0 ? kUnbounded : std::max<int64_t>(size - 1, 0)};
}

IndexRange IndexRange::ofSize(AffineExpr extent) {
  if (AffineConstantExpr constant = dyn_cast<AffineConstantExpr>(extent))
    return ofSize(constant.getValue());
  return {0, kUnbounded, extent};
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

static int64_t saturate(__int128 value) {
  __int128 limit = IndexRange::kUnbounded;
  return static_cast<int64_t>(std::clamp(value, -limit, limit));
}

static int64_t floorDiv(int64_t a, int64_t b) {
  int64_t q = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
}

static IndexRange lookup(llvm::ArrayRef<IndexRange> list, unsigned position) {
  if (position < list.size())
    return list[position];
  return {-IndexRange::kUnbounded, IndexRange::kUnbounded};
}

static IndexRange getProduct(IndexRange a, IndexRange b) {
  auto [lo, hi] = std::minmax({__int128(a.lo) * b.lo, __int128(a.lo) * b.hi,
                               __int128(a.hi) * b.lo, __int128(a.hi) * b.hi});
  return {saturate(lo), saturate(hi)};
}

IndexRange fuse::getRange(AffineExpr expr, const IndexRanges &ranges) {
  IndexRange unknown{-IndexRange::kUnbounded, IndexRange::kUnbounded};
  switch (expr.getKind()) {
  case AffineExprKind::Constant: {
    int64_t value = cast<AffineConstantExpr>(expr).getValue();
    return {value, value};
  }
  case AffineExprKind::DimId:
    return lookup(ranges.dims, cast<AffineDimExpr>(expr).getPosition());
  case AffineExprKind::SymbolId:
    return lookup(ranges.symbols, cast<AffineSymbolExpr>(expr).getPosition());
  default:
    break;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  IndexRange lhs = getRange(binary.getLHS(), ranges);
  IndexRange rhs = getRange(binary.getRHS(), ranges);
  if (expr.getKind() == AffineExprKind::Add)
    return {saturate(__int128(lhs.lo) + rhs.lo),
            saturate(__int128(lhs.hi) + rhs.hi)};
  if (expr.getKind() == AffineExprKind::Mul)
    return getProduct(lhs, rhs);
  if (rhs.lo <= 0)
    return unknown;
  if (expr.getKind() == AffineExprKind::Mod) {
    if (lhs.within(0, rhs.lo - 1))
      return lhs;
    int64_t most = rhs.hi >= IndexRange::kUnbounded ? rhs.hi : rhs.hi - 1;
    return {0, lhs.lo >= 0 ? std::min(lhs.hi, most) : most};
  }
  if (expr.getKind() == AffineExprKind::FloorDiv) {
    // The quotient is largest, by magnitude, with the smallest divisor.
    auto divide = [&](int64_t value, bool upper) {
      if (value <= -IndexRange::kUnbounded || value >= IndexRange::kUnbounded)
        return value;
      return floorDiv(value, (value >= 0) == upper ? rhs.lo : rhs.hi);
    };
    return {divide(lhs.lo, false), divide(lhs.hi, true)};
  }
  return unknown;
}

bool fuse::isIndexBelow(AffineExpr expr, AffineExpr size,
                        const IndexRanges &ranges) {
  if (AffineConstantExpr constant = dyn_cast<AffineConstantExpr>(size))
    if (getRange(expr, ranges).within(0, constant.getValue() - 1))
      return true;
  std::optional<Extent> limit = index::getExtent(size, ranges);
  return limit &&
         index::Simplifier(expr.getContext(), ranges).isBelow(expr, *limit);
}

static uint64_t hash(const IndexRanges &ranges) {
  llvm::hash_code code = llvm::hash_combine(ranges.dims.size());
  for (auto *list : {&ranges.dims, &ranges.symbols})
    for (const IndexRange &range : *list)
      code = llvm::hash_combine(code, range.lo, range.hi, range.extent);
  // Apart from the keys of empty slots.
  return uint64_t(code) >> 1;
}

IndexMemo::Results &IndexMemo::get(const IndexRanges &ranges) {
  auto holds = [&](const Entry &entry) {
    return entry.dims == ranges.dims && entry.symbols == ranges.symbols;
  };
  if (last && holds(*last))
    return last->results;
  auto &equal = entries[hash(ranges)];
  auto it = llvm::find_if(equal, [&](auto &entry) { return holds(*entry); });
  if (it == equal.end()) {
    equal.push_back(std::make_unique<Entry>());
    equal.back()->dims = ranges.dims;
    equal.back()->symbols = ranges.symbols;
    it = equal.end() - 1;
  }
  last = it->get();
  return last->results;
}

AffineExpr fuse::simplifyIndex(AffineExpr expr, const IndexRanges &ranges) {
  if (isa<AffineConstantExpr>(expr))
    return expr;
  auto find = [&] {
    return index::Simplifier(expr.getContext(), ranges).run(expr);
  };
  if (!ranges.memo)
    return find();
  auto [it, added] = ranges.memo->get(ranges).try_emplace(expr);
  if (added)
    it->second = find();
  return it->second;
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

static llvm::SmallVector<AffineExpr> toExprs(llvm::ArrayRef<int64_t> shape,
                                             MLIRContext *context) {
  return llvm::map_to_vector(shape, [&](int64_t size) {
    return getAffineConstantExpr(size, context);
  });
}

AffineExpr fuse::linearize(MLIRContext *context,
                           llvm::ArrayRef<AffineExpr> index,
                           llvm::ArrayRef<AffineExpr> shape,
                           const IndexRanges &ranges) {
  AffineExpr linear = getAffineConstantExpr(0, context);
  for (auto [position, size] : llvm::zip_equal(index, shape))
    linear = linear * size + position;
  return simplifyIndex(linear, ranges);
}

AffineExpr fuse::linearize(MLIRContext *context,
                           llvm::ArrayRef<AffineExpr> index,
                           llvm::ArrayRef<int64_t> shape,
                           const IndexRanges &ranges) {
  return linearize(context, index, toExprs(shape, context), ranges);
}

llvm::SmallVector<AffineExpr>
fuse::delinearize(AffineExpr linear, llvm::ArrayRef<AffineExpr> shape,
                  const IndexRanges &ranges) {
  AffineExpr zero = getAffineConstantExpr(0, linear.getContext());
  llvm::SmallVector<AffineExpr> index(shape.size());
  AffineExpr rest = linear;
  for (size_t i = shape.size(); i-- > 0;) {
    if (i == 0) {
      index[i] = simplifyIndex(rest, ranges);
      break;
    }
    // No element has an index in an empty array; any size does.
    AffineExpr size = shape[i] == zero ? zero + 1 : shape[i];
    index[i] = simplifyIndex(rest % size, ranges);
    rest = simplifyIndex(rest.floorDiv(size), ranges);
  }
  return index;
}

llvm::SmallVector<AffineExpr> fuse::delinearize(AffineExpr linear,
                                                llvm::ArrayRef<int64_t> shape,
                                                const IndexRanges &ranges) {
  return delinearize(linear, toExprs(shape, linear.getContext()), ranges);
}

std::optional<int64_t> fuse::getStride(AffineExpr expr, unsigned dim) {
  if (!expr.isFunctionOfDim(dim))
    return 0;
  if (expr.getKind() == AffineExprKind::DimId)
    return 1;
  AffineBinaryOpExpr binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  std::optional<int64_t> lhs = getStride(binary.getLHS(), dim);
  if (!lhs)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add) {
    std::optional<int64_t> rhs = getStride(binary.getRHS(), dim);
    return rhs ? std::optional<int64_t>(*lhs + *rhs) : std::nullopt;
  }
  AffineConstantExpr c = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (expr.getKind() == AffineExprKind::Mul && c)
    return *lhs * c.getValue();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Bijections
//===----------------------------------------------------------------------===//

namespace {
/// `factor * ((dim floordiv step) mod count)`.
struct Digit {
  unsigned dim = 0;
  Extent factor, step, count;
};
} // namespace

/// `expr` as `lhs kind extent`; null if it is not.
static AffineExpr matchBinary(AffineExpr expr, AffineExprKind kind,
                              const IndexRanges &ranges,
                              std::optional<Extent> &extent) {
  AffineBinaryOpExpr binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || expr.getKind() != kind)
    return {};
  extent = index::getExtent(binary.getRHS(), ranges);
  return extent ? binary.getLHS() : AffineExpr();
}

static std::optional<Extent> getSizeOfDim(unsigned dim,
                                          const IndexRanges &ranges) {
  if (dim >= ranges.dims.size())
    return std::nullopt;
  if (AffineExpr extent = ranges.dims[dim].extent)
    return index::getExtent(extent, ranges);
  if (ranges.dims[dim].hi >= IndexRange::kUnbounded)
    return std::nullopt;
  return Extent{ranges.dims[dim].hi + 1, {}};
}

static bool collectDigits(AffineExpr expr, const Extent &factor,
                          const IndexRanges &ranges,
                          llvm::SmallVectorImpl<Digit> &digits) {
  if (AffineConstantExpr constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() == 0;
  if (expr.getKind() == AffineExprKind::Add) {
    AffineBinaryOpExpr sum = cast<AffineBinaryOpExpr>(expr);
    return collectDigits(sum.getLHS(), factor, ranges, digits) &&
           collectDigits(sum.getRHS(), factor, ranges, digits);
  }
  std::optional<Extent> c, count;
  if (AffineExpr lhs = matchBinary(expr, AffineExprKind::Mul, ranges, c))
    return collectDigits(lhs, index::multiply(factor, *c), ranges, digits);
  Digit digit;
  digit.factor = factor;
  // An outer modulo, a division, an inner modulo; each may be missing.
  if (AffineExpr lhs = matchBinary(expr, AffineExprKind::Mod, ranges, count))
    expr = lhs;
  if (AffineExpr lhs = matchBinary(expr, AffineExprKind::FloorDiv, ranges, c)) {
    digit.step = *c;
    expr = lhs;
  }
  if (AffineExpr lhs = matchBinary(expr, AffineExprKind::Mod, ranges, c)) {
    if (count)
      return false;
    count = index::divide(*c, digit.step);
    if (!count)
      return false;
    expr = lhs;
  }
  AffineDimExpr dim = dyn_cast<AffineDimExpr>(expr);
  if (!dim)
    return false;
  digit.dim = dim.getPosition();
  if (!count)
    if (std::optional<Extent> size = getSizeOfDim(digit.dim, ranges))
      count = index::divide(*size, digit.step);
  if (!count)
    return false;
  digit.count = *count;
  digits.push_back(digit);
  return true;
}

/// Follows digits from 1 up, each beginning (as `start` says) where the last
/// one ended; the end if every digit is met.
static std::optional<Extent>
chain(llvm::SmallVector<Digit> digits,
      llvm::function_ref<const Extent &(const Digit &)> start) {
  Extent end;
  while (!digits.empty()) {
    auto *next = llvm::find_if(
        digits, [&](const Digit &digit) { return start(digit) == end; });
    if (next == digits.end())
      return std::nullopt;
    end = index::multiply(end, next->count);
    digits.erase(next);
  }
  return end;
}

bool fuse::isBijective(AffineExpr expr, AffineExpr size,
                       const IndexRanges &ranges) {
  if (AffineConstantExpr constant = dyn_cast<AffineConstantExpr>(size))
    if (constant.getValue() <= 1)
      return true;
  std::optional<Extent> wanted = index::getExtent(size, ranges);
  llvm::SmallVector<Digit> digits;
  if (!wanted || !collectDigits(expr, Extent(), ranges, digits))
    return false;
  // The values: each factor is the number of values of the lower digits.
  llvm::erase_if(digits,
                 [](const Digit &digit) { return digit.count.isOne(); });
  std::optional<Extent> values =
      chain(digits,
            [](const Digit &digit) -> const Extent & { return digit.factor; });
  if (!values || !(*values == *wanted))
    return false;
  // The places: the digits of a dimension follow each other without gaps, up
  // to its size; together they have as many places as there are values.
  while (!digits.empty()) {
    unsigned dim = digits.front().dim;
    llvm::SmallVector<Digit> own;
    llvm::copy_if(digits, std::back_inserter(own),
                  [&](const Digit &digit) { return digit.dim == dim; });
    llvm::erase_if(digits,
                   [&](const Digit &digit) { return digit.dim == dim; });
    std::optional<Extent> places = chain(
        own, [](const Digit &digit) -> const Extent & { return digit.step; });
    std::optional<Extent> whole = getSizeOfDim(dim, ranges);
    if (!places || !whole || !(*places == *whole))
      return false;
  }
  return true;
}

bool fuse::isBijective(AffineExpr expr, int64_t size,
                       const IndexRanges &ranges) {
  return isBijective(expr, getAffineConstantExpr(size, expr.getContext()),
                     ranges);
}

/// Each digit of the value is a digit of one dimension.
std::optional<llvm::SmallVector<AffineExpr>>
fuse::invertIndex(AffineExpr expr, AffineExpr size, const IndexRanges &ranges,
                  AffineExpr value) {
  MLIRContext *context = expr.getContext();
  if (!isBijective(expr, size, ranges))
    return std::nullopt;
  llvm::SmallVector<AffineExpr> dims(ranges.dims.size(),
                                     getAffineConstantExpr(0, context));
  llvm::SmallVector<Digit> digits;
  if (!collectDigits(expr, Extent(), ranges, digits))
    return dims; // A single value.
  for (const Digit &digit : digits)
    dims[digit.dim] =
        dims[digit.dim] + (value.floorDiv(digit.factor.toExpr(context)) %
                           digit.count.toExpr(context)) *
                              digit.step.toExpr(context);
  return dims;
}

std::optional<llvm::SmallVector<AffineExpr>>
fuse::invertIndex(AffineExpr expr, int64_t size, const IndexRanges &ranges,
                  AffineExpr value) {
  return invertIndex(expr, getAffineConstantExpr(size, expr.getContext()),
                     ranges, value);
}
