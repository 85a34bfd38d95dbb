// Bounds of index expressions, as forms of sizes.
#include "IndexForm.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

namespace mlir::fuse::index {

/// The range of a form without sizes; nothing if there are any.
std::optional<IndexRange> Simplifier::getStaticRange(const Form &form) const {
  __int128 lo = form.constant, hi = form.constant;
  for (const Term &term : form.terms) {
    if (!term.atom || !term.sizes.empty())
      return std::nullopt;
    IndexRange range = getRange(term.atom, ranges);
    if (term.coefficient < 0)
      std::swap(range.lo, range.hi);
    lo += __int128(range.lo) * term.coefficient;
    hi += __int128(range.hi) * term.coefficient;
  }
  if (lo < -IndexRange::kUnbounded || hi > IndexRange::kUnbounded)
    return std::nullopt;
  return IndexRange{int64_t(lo), int64_t(hi)};
}

bool Simplifier::isWithin(const Form &form, const Extent &limit) const {
  // Constants first: that is cheap, and most of what is asked.
  std::optional<IndexRange> range = getStaticRange(form);
  if (range && range->within(0, limit.constant - 1))
    return true;
  if (!hasSizes)
    return false;
  std::optional<Form> lower = getBound(form, /*upper=*/false);
  if (!lower || !isNonNegative(*lower))
    return false;
  std::optional<Form> upper = getBound(form, /*upper=*/true);
  if (!upper)
    return false;
  Form room = makeForm(limit);
  room.constant -= 1;
  subtract(room, *upper);
  collect(room);
  return isNonNegative(room);
}

/// `a * b` where that stays clear of overflow.
static std::optional<int64_t> multiplyInRange(int64_t a, int64_t b) {
  __int128 product = __int128(a) * b;
  if (product > IndexRange::kUnbounded || product < -IndexRange::kUnbounded)
    return std::nullopt;
  return int64_t(product);
}

std::optional<Form> Simplifier::getBound(const Form &form, bool upper) const {
  Form sum{{}, form.constant};
  for (const Term &term : form.terms) {
    if (!term.atom) {
      sum.terms.push_back(term);
      continue;
    }
    std::optional<Form> bound =
        getBound(term.atom, upper == (term.coefficient > 0));
    if (!bound)
      return std::nullopt;
    for (Term &part : bound->terms) {
      std::optional<int64_t> coefficient =
          multiplyInRange(part.coefficient, term.coefficient);
      if (!coefficient)
        return std::nullopt;
      part.coefficient = *coefficient;
    }
    std::optional<int64_t> constant =
        multiplyInRange(bound->constant, term.coefficient);
    if (!constant)
      return std::nullopt;
    bound->constant = *constant;
    multiply(*bound, Extent{1, term.sizes});
    add(sum, *bound);
  }
  collect(sum);
  return sum;
}

std::optional<Form> Simplifier::getBound(AffineExpr atom, bool upper) const {
  IndexRange range = getRange(atom, ranges);
  if (!upper) {
    if (range.lo <= -IndexRange::kUnbounded)
      return std::nullopt;
    return Form{{}, range.lo};
  }
  if (range.hi < IndexRange::kUnbounded)
    return Form{{}, range.hi};
  std::optional<Extent> extent;
  if (range.extent)
    extent = getExtent(range.extent, ranges);
  if (atom.getKind() == AffineExprKind::Mod)
    extent = getExtent(cast<AffineBinaryOpExpr>(atom).getRHS(), ranges);
  if (extent) {
    Form bound = makeForm(*extent);
    bound.constant -= 1;
    return bound;
  }
  if (atom.getKind() == AffineExprKind::FloorDiv)
    return getQuotientBound(cast<AffineBinaryOpExpr>(atom));
  return std::nullopt;
}

std::optional<Form>
Simplifier::getQuotientBound(AffineBinaryOpExpr atom) const {
  auto known = quotientBounds.find(atom);
  if (known != quotientBounds.end())
    return known->second;
  std::optional<Form> bound = findQuotientBound(atom);
  quotientBounds[atom] = bound;
  return bound;
}

/// The largest value of `x floordiv c`: with `x <= n*c - 1` it is `n - 1`, with
/// `x <= n*c + r` and `0 <= r < c` it is `n`.
std::optional<Form>
Simplifier::findQuotientBound(AffineBinaryOpExpr atom) const {
  std::optional<Extent> divisor = getExtent(atom.getRHS(), ranges);
  if (!divisor)
    return std::nullopt;
  std::optional<Form> bound = getBound(toForm(atom.getLHS()), /*upper=*/true);
  if (!bound)
    return std::nullopt;
  for (int64_t shift : {int64_t(1), int64_t(0)}) {
    Form whole{{}, -shift}, rest{{}, bound->constant + shift};
    for (const Term &term : bound->terms) {
      if (std::optional<Term> part = divide(term, *divisor))
        add(whole, std::move(*part));
      else
        rest.terms.push_back(term);
    }
    if (shift ? rest.isZero() : isWithin(rest, *divisor))
      return whole;
  }
  return std::nullopt;
}

/// Each size is its smallest value plus something that is at least 0: if all
/// coefficients of the product are at least 0 then, so is the form.
bool Simplifier::isNonNegative(const Form &form) const {
  std::map<SizeProduct, int64_t> expanded;
  expanded[{}] = form.constant;
  for (const Term &term : form.terms) {
    std::map<SizeProduct, int64_t> product;
    product[{}] = term.coefficient;
    for (unsigned size : term.sizes) {
      std::map<SizeProduct, int64_t> next;
      for (auto &[sizes, coefficient] : product) {
        next[join(sizes, size)] += coefficient;
        next[sizes] += coefficient * ranges.symbols[size].lo;
      }
      product = std::move(next);
    }
    for (auto &[sizes, coefficient] : product)
      expanded[sizes] += coefficient;
  }
  return llvm::all_of(expanded,
                      [](const auto &entry) { return entry.second >= 0; });
}

} // namespace mlir::fuse::index
