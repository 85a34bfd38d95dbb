// Simplification of index expressions with ranges. An expression is held as a
// linear form over atoms (variables, quotients, remainders); the rules work on
// that form, so that their order does not matter.
#include "fuse-mlir/Analysis/IndexExpr.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

IndexRange IndexRange::ofSize(int64_t size) {
  return {0, size < 0 ? kUnbounded : std::max<int64_t>(size - 1, 0)};
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
  if (expr.getKind() == AffineExprKind::Add) {
    IndexRange rhs = getRange(binary.getRHS(), ranges);
    return {saturate(__int128(lhs.lo) + rhs.lo),
            saturate(__int128(lhs.hi) + rhs.hi)};
  }
  auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (!constant)
    return unknown;
  int64_t c = constant.getValue();
  if (expr.getKind() == AffineExprKind::Mul) {
    int64_t a = saturate(__int128(lhs.lo) * c);
    int64_t b = saturate(__int128(lhs.hi) * c);
    return {std::min(a, b), std::max(a, b)};
  }
  if (c <= 0)
    return unknown;
  if (expr.getKind() == AffineExprKind::Mod)
    return lhs.within(0, c - 1) ? lhs : IndexRange{0, c - 1};
  if (expr.getKind() == AffineExprKind::FloorDiv)
    return {lhs.lo <= -IndexRange::kUnbounded ? lhs.lo : floorDiv(lhs.lo, c),
            lhs.hi >= IndexRange::kUnbounded ? lhs.hi : floorDiv(lhs.hi, c)};
  return unknown;
}

//===----------------------------------------------------------------------===//
// Linear forms
//===----------------------------------------------------------------------===//

namespace {
/// `constant + sum of coefficient * atom`, sorted by atom, no zero
/// coefficients.
struct LinearForm {
  llvm::SmallVector<std::pair<AffineExpr, int64_t>, 4> terms;
  int64_t constant = 0;
};

/// A form as `divisor * big + small` with `0 <= small < divisor`.
struct Factored {
  int64_t divisor = 1;
  LinearForm big, small;
};

class Simplifier {
public:
  explicit Simplifier(const IndexRanges &ranges) : ranges(ranges) {}
  AffineExpr run(AffineExpr expr) { return build(toForm(expr), expr); }

private:
  LinearForm toForm(AffineExpr expr);
  LinearForm atom(AffineExpr expr) { return {{{expr, 1}}, 0}; }
  LinearForm modulo(LinearForm form, int64_t c, AffineExpr like);
  LinearForm quotient(LinearForm form, int64_t c, AffineExpr like);
  std::optional<Factored> factor(const LinearForm &form, int64_t c,
                                 AffineExpr like) const;
  void normalize(LinearForm &form);
  bool joinQuotientAndRemainder(LinearForm &form);
  AffineExpr build(const LinearForm &form, AffineExpr like) const;

  const IndexRanges &ranges;
};
} // namespace

/// A structural order of expressions that does not depend on addresses.
static int compareExprs(AffineExpr a, AffineExpr b) {
  if (a == b)
    return 0;
  if (a.getKind() != b.getKind())
    return a.getKind() < b.getKind() ? -1 : 1;
  if (AffineDimExpr dim = dyn_cast<AffineDimExpr>(a))
    return dim.getPosition() < cast<AffineDimExpr>(b).getPosition() ? -1 : 1;
  if (AffineSymbolExpr symbol = dyn_cast<AffineSymbolExpr>(a))
    return symbol.getPosition() < cast<AffineSymbolExpr>(b).getPosition() ? -1
                                                                          : 1;
  if (AffineConstantExpr constant = dyn_cast<AffineConstantExpr>(a))
    return constant.getValue() < cast<AffineConstantExpr>(b).getValue() ? -1
                                                                        : 1;
  auto x = cast<AffineBinaryOpExpr>(a), y = cast<AffineBinaryOpExpr>(b);
  if (int order = compareExprs(x.getLHS(), y.getLHS()))
    return order;
  return compareExprs(x.getRHS(), y.getRHS());
}

/// `expr` as `lhs kind constant`, or null with `c` untouched.
static AffineExpr matchBinary(AffineExpr expr, AffineExprKind kind,
                              int64_t &c) {
  AffineBinaryOpExpr binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || expr.getKind() != kind)
    return {};
  AffineConstantExpr constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (!constant)
    return {};
  c = constant.getValue();
  return binary.getLHS();
}

void Simplifier::normalize(LinearForm &form) {
  do {
    llvm::sort(form.terms, [](const std::pair<AffineExpr, int64_t> &a,
                              const std::pair<AffineExpr, int64_t> &b) {
      return compareExprs(a.first, b.first) < 0;
    });
    llvm::SmallVector<std::pair<AffineExpr, int64_t>, 4> merged;
    for (std::pair<AffineExpr, int64_t> term : form.terms) {
      if (!merged.empty() && merged.back().first == term.first)
        merged.back().second += term.second;
      else
        merged.push_back(term);
    }
    llvm::erase_if(merged, [](const std::pair<AffineExpr, int64_t> &term) {
      return term.second == 0;
    });
    form.terms = std::move(merged);
  } while (joinQuotientAndRemainder(form));
}

/// Finds `k*(x mod c)` beside `k*c*(x floordiv c)`, which together are `k*x`,
/// or beside `k*c*((x floordiv c) mod d)`, together `k*(x mod (c*d))`.
bool Simplifier::joinQuotientAndRemainder(LinearForm &form) {
  for (size_t i = 0; i < form.terms.size(); ++i) {
    int64_t c = 0;
    AffineExpr x = matchBinary(form.terms[i].first, AffineExprKind::Mod, c);
    if (!x)
      continue;
    int64_t k = form.terms[i].second;
    AffineExpr whole = build(quotient(toForm(x), c, x), x);
    for (size_t j = 0; j < form.terms.size(); ++j) {
      if (j == i || form.terms[j].second != k * c)
        continue;
      int64_t d = 0;
      AffineExpr other = form.terms[j].first;
      AffineExpr inner = matchBinary(other, AffineExprKind::Mod, d);
      LinearForm joined;
      if (other == whole)
        joined = toForm(x);
      else if (inner && inner == whole)
        joined = modulo(toForm(x), c * d, x);
      else
        continue;
      form.terms.erase(form.terms.begin() + std::max(i, j));
      form.terms.erase(form.terms.begin() + std::min(i, j));
      for (std::pair<AffineExpr, int64_t> term : joined.terms)
        form.terms.push_back({term.first, term.second * k});
      form.constant += joined.constant * k;
      return true;
    }
  }
  return false;
}

LinearForm Simplifier::toForm(AffineExpr expr) {
  if (AffineConstantExpr constant = dyn_cast<AffineConstantExpr>(expr))
    return {{}, constant.getValue()};
  AffineBinaryOpExpr binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return atom(expr);
  LinearForm lhs = toForm(binary.getLHS());
  if (expr.getKind() == AffineExprKind::Add) {
    LinearForm rhs = toForm(binary.getRHS());
    llvm::append_range(lhs.terms, rhs.terms);
    lhs.constant += rhs.constant;
    normalize(lhs);
    return lhs;
  }
  AffineConstantExpr constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (!constant)
    return atom(expr);
  int64_t c = constant.getValue();
  switch (expr.getKind()) {
  case AffineExprKind::Mul:
    for (std::pair<AffineExpr, int64_t> &term : lhs.terms)
      term.second *= c;
    lhs.constant *= c;
    if (c == 0)
      lhs.terms.clear();
    return lhs;
  case AffineExprKind::Mod:
    return c > 0 ? modulo(lhs, c, expr) : atom(expr);
  case AffineExprKind::FloorDiv:
    return c > 0 ? quotient(lhs, c, expr) : atom(expr);
  default:
    return atom(expr);
  }
}

/// Splits `form` by a divisor of `c` that some of its terms have in common,
/// where what the others add stays below it.
std::optional<Factored> Simplifier::factor(const LinearForm &form, int64_t c,
                                           AffineExpr like) const {
  Factored parts;
  parts.divisor = c;
  for (std::pair<AffineExpr, int64_t> term : form.terms)
    if (std::gcd(parts.divisor, term.second) > 1)
      parts.divisor = std::gcd(parts.divisor, term.second);
  if (parts.divisor == 1)
    return std::nullopt;
  for (std::pair<AffineExpr, int64_t> term : form.terms) {
    if (term.second % parts.divisor == 0)
      parts.big.terms.push_back({term.first, term.second / parts.divisor});
    else
      parts.small.terms.push_back(term);
  }
  parts.big.constant = floorDiv(form.constant, parts.divisor);
  parts.small.constant = form.constant - parts.big.constant * parts.divisor;
  if (parts.big.terms.empty() ||
      !getRange(build(parts.small, like), ranges).within(0, parts.divisor - 1))
    return std::nullopt;
  return parts;
}

LinearForm Simplifier::modulo(LinearForm form, int64_t c, AffineExpr like) {
  LinearForm rest;
  for (std::pair<AffineExpr, int64_t> term : form.terms)
    if (term.second % c != 0)
      rest.terms.push_back(term);
  rest.constant = form.constant - floorDiv(form.constant, c) * c;
  AffineExpr value = build(rest, like);
  if (getRange(value, ranges).within(0, c - 1))
    return rest;
  // (g*x + r) mod (g*d) is g*(x mod d) + r for 0 <= r < g.
  if (std::optional<Factored> parts = factor(rest, c, like)) {
    LinearForm result = modulo(parts->big, c / parts->divisor, like);
    for (std::pair<AffineExpr, int64_t> &term : result.terms)
      term.second *= parts->divisor;
    llvm::append_range(result.terms, parts->small.terms);
    result.constant = result.constant * parts->divisor + parts->small.constant;
    normalize(result);
    return result;
  }
  // (y mod m) mod c is y mod c if c divides m.
  int64_t m = 0;
  if (rest.terms.size() == 1 && rest.terms[0].second == 1 && rest.constant == 0)
    if (AffineExpr y = matchBinary(rest.terms[0].first, AffineExprKind::Mod, m))
      if (m % c == 0)
        return modulo(toForm(y), c, like);
  return atom(value % c);
}

LinearForm Simplifier::quotient(LinearForm form, int64_t c, AffineExpr like) {
  if (c == 1)
    return form;
  LinearForm whole, rest;
  for (std::pair<AffineExpr, int64_t> term : form.terms) {
    if (term.second % c == 0)
      whole.terms.push_back({term.first, term.second / c});
    else
      rest.terms.push_back(term);
  }
  whole.constant = floorDiv(form.constant, c);
  rest.constant = form.constant - whole.constant * c;
  AffineExpr value = build(rest, like);
  if (getRange(value, ranges).within(0, c - 1))
    return whole;
  LinearForm inner;
  int64_t m = 0;
  AffineExpr y =
      rest.terms.size() == 1 && rest.terms[0].second == 1 && rest.constant == 0
          ? matchBinary(rest.terms[0].first, AffineExprKind::FloorDiv, m)
          : AffineExpr();
  if (std::optional<Factored> parts = factor(rest, c, like))
    inner = quotient(parts->big, c / parts->divisor, like);
  else if (y && m > 0) // (y floordiv m) floordiv c is y floordiv (m*c).
    inner = quotient(toForm(y), m * c, like);
  else
    inner = atom(value.floorDiv(c));
  llvm::append_range(whole.terms, inner.terms);
  whole.constant += inner.constant;
  normalize(whole);
  return whole;
}

AffineExpr Simplifier::build(const LinearForm &form, AffineExpr like) const {
  MLIRContext *context = like.getContext();
  AffineExpr sum;
  for (const std::pair<AffineExpr, int64_t> &term : form.terms) {
    AffineExpr product =
        term.second == 1 ? term.first : term.first * term.second;
    sum = sum ? sum + product : product;
  }
  if (!sum)
    return getAffineConstantExpr(form.constant, context);
  return form.constant == 0 ? sum : sum + form.constant;
}

AffineExpr fuse::simplifyIndex(AffineExpr expr, const IndexRanges &ranges) {
  return Simplifier(ranges).run(expr);
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

AffineExpr fuse::linearize(MLIRContext *context,
                           llvm::ArrayRef<AffineExpr> index,
                           llvm::ArrayRef<int64_t> shape,
                           const IndexRanges &ranges) {
  AffineExpr linear = getAffineConstantExpr(0, context);
  for (auto [position, size] : llvm::zip_equal(index, shape))
    linear = linear * size + position;
  return simplifyIndex(linear, ranges);
}

llvm::SmallVector<AffineExpr> fuse::delinearize(AffineExpr linear,
                                                llvm::ArrayRef<int64_t> shape,
                                                const IndexRanges &ranges) {
  llvm::SmallVector<AffineExpr> index(shape.size());
  AffineExpr rest = linear;
  for (size_t i = shape.size(); i-- > 0;) {
    if (i == 0) {
      index[i] = simplifyIndex(rest, ranges);
      break;
    }
    int64_t size = std::max<int64_t>(shape[i], 1);
    index[i] = simplifyIndex(rest % size, ranges);
    rest = simplifyIndex(rest.floorDiv(size), ranges);
  }
  return index;
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
  int64_t factor = 1, step = 1, count = 0;
};
} // namespace

static bool collectDigits(AffineExpr expr, int64_t factor,
                          const IndexRanges &ranges,
                          llvm::SmallVectorImpl<Digit> &digits) {
  int64_t c = 0;
  if (AffineConstantExpr constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() == 0;
  if (expr.getKind() == AffineExprKind::Add) {
    AffineBinaryOpExpr sum = cast<AffineBinaryOpExpr>(expr);
    return collectDigits(sum.getLHS(), factor, ranges, digits) &&
           collectDigits(sum.getRHS(), factor, ranges, digits);
  }
  if (AffineExpr lhs = matchBinary(expr, AffineExprKind::Mul, c))
    return collectDigits(lhs, factor * c, ranges, digits);
  Digit digit;
  digit.factor = factor;
  // An outer modulo, a division, an inner modulo; each may be missing.
  if (AffineExpr lhs = matchBinary(expr, AffineExprKind::Mod, c)) {
    digit.count = c;
    expr = lhs;
  }
  if (AffineExpr lhs = matchBinary(expr, AffineExprKind::FloorDiv, c)) {
    digit.step = c;
    expr = lhs;
  }
  int64_t inner = 0;
  if (AffineExpr lhs = matchBinary(expr, AffineExprKind::Mod, inner)) {
    if (digit.count || inner % digit.step != 0)
      return false;
    digit.count = inner / digit.step;
    expr = lhs;
  }
  AffineDimExpr dim = dyn_cast<AffineDimExpr>(expr);
  if (!dim || dim.getPosition() >= ranges.dims.size())
    return false;
  digit.dim = dim.getPosition();
  if (!digit.count) {
    int64_t size = ranges.dims[digit.dim].hi + 1;
    if (size % digit.step != 0)
      return false;
    digit.count = size / digit.step;
  }
  digits.push_back(digit);
  return true;
}

bool fuse::isBijective(AffineExpr expr, int64_t size,
                       const IndexRanges &ranges) {
  if (size <= 1)
    return true;
  llvm::SmallVector<Digit> digits;
  if (!collectDigits(expr, 1, ranges, digits))
    return false;
  // The values: each factor is the number of values of the lower digits.
  llvm::erase_if(digits, [](const Digit &digit) { return digit.count == 1; });
  llvm::sort(digits, [](const Digit &a, const Digit &b) {
    return a.factor < b.factor;
  });
  int64_t values = 1;
  for (const Digit &digit : digits) {
    if (digit.factor != values)
      return false;
    values *= digit.count;
  }
  if (values != size)
    return false;
  // The places: the digits of a dimension follow each other without gaps, up
  // to its size; together they have as many places as there are values.
  llvm::sort(digits, [](const Digit &a, const Digit &b) {
    return std::pair(a.dim, a.step) < std::pair(b.dim, b.step);
  });
  for (size_t i = 0; i < digits.size(); ++i) {
    bool isFirst = i == 0 || digits[i - 1].dim != digits[i].dim;
    bool isLast = i + 1 == digits.size() || digits[i + 1].dim != digits[i].dim;
    int64_t below = isFirst ? 1 : digits[i - 1].step * digits[i - 1].count;
    if (digits[i].step != below ||
        (isLast &&
         digits[i].step * digits[i].count != ranges.dims[digits[i].dim].hi + 1))
      return false;
  }
  return true;
}
