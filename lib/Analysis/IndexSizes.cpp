// Arithmetic of sizes and of forms: sums of products of sizes and atoms.
#include "IndexForm.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace mlir::fuse::index {

SizeProduct join(ArrayRef<unsigned> a, ArrayRef<unsigned> b) {
  SizeProduct joined(a);
  llvm::append_range(joined, b);
  llvm::sort(joined);
  return joined;
}

/// The factors of `a` without those of `b`; nothing if one is missing.
static std::optional<SizeProduct> remove(ArrayRef<unsigned> a,
                                         ArrayRef<unsigned> b) {
  if (!std::includes(a.begin(), a.end(), b.begin(), b.end()))
    return std::nullopt;
  SizeProduct rest;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(),
                      std::back_inserter(rest));
  return rest;
}

AffineExpr Extent::toExpr(MLIRContext *context) const {
  AffineExpr product = getAffineConstantExpr(constant, context);
  for (unsigned size : sizes)
    product = getAffineSymbolExpr(size, context) * product;
  return product;
}

bool isSize(AffineSymbolExpr symbol, const IndexRanges &ranges) {
  return symbol.getPosition() < ranges.symbols.size() &&
         ranges.symbols[symbol.getPosition()].lo >= 1;
}

std::optional<Extent> getExtent(AffineExpr expr, const IndexRanges &ranges) {
  if (AffineConstantExpr constant = dyn_cast<AffineConstantExpr>(expr)) {
    if (constant.getValue() <= 0)
      return std::nullopt;
    return Extent{constant.getValue(), {}};
  }
  if (AffineSymbolExpr symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    if (!isSize(symbol, ranges))
      return std::nullopt;
    return Extent{1, {symbol.getPosition()}};
  }
  AffineBinaryOpExpr product = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!product || expr.getKind() != AffineExprKind::Mul)
    return std::nullopt;
  std::optional<Extent> lhs = getExtent(product.getLHS(), ranges);
  std::optional<Extent> rhs = getExtent(product.getRHS(), ranges);
  if (!lhs || !rhs)
    return std::nullopt;
  return multiply(*lhs, *rhs);
}

Extent multiply(const Extent &a, const Extent &b) {
  return {a.constant * b.constant, join(a.sizes, b.sizes)};
}

std::optional<Extent> divide(const Extent &a, const Extent &b) {
  std::optional<SizeProduct> sizes = remove(a.sizes, b.sizes);
  if (!sizes || a.constant % b.constant != 0)
    return std::nullopt;
  return Extent{a.constant / b.constant, std::move(*sizes)};
}

std::optional<Term> divide(const Term &term, const Extent &divisor) {
  std::optional<SizeProduct> sizes = remove(term.sizes, divisor.sizes);
  if (!sizes || term.coefficient % divisor.constant != 0)
    return std::nullopt;
  return Term{term.atom, std::move(*sizes),
              term.coefficient / divisor.constant};
}

Term multiply(const Term &term, const Extent &factor) {
  return {term.atom, join(term.sizes, factor.sizes),
          term.coefficient * factor.constant};
}

void multiply(Form &form, const Extent &factor) {
  for (Term &term : form.terms)
    term = multiply(term, factor);
  if (form.constant != 0 && !factor.sizes.empty()) {
    form.terms.push_back(
        {AffineExpr(), factor.sizes, form.constant * factor.constant});
    form.constant = 0;
  } else {
    form.constant *= factor.constant;
  }
}

void add(Form &form, const Form &other) {
  llvm::append_range(form.terms, other.terms);
  form.constant += other.constant;
}

void add(Form &form, Term term) {
  if (term.atom || !term.sizes.empty())
    form.terms.push_back(std::move(term));
  else
    form.constant += term.coefficient;
}

void subtract(Form &form, const Form &other) {
  for (Term term : other.terms) {
    term.coefficient = -term.coefficient;
    form.terms.push_back(std::move(term));
  }
  form.constant -= other.constant;
}

Form makeForm(const Extent &extent) {
  if (extent.sizes.empty())
    return {{}, extent.constant};
  return {{{AffineExpr(), extent.sizes, extent.constant}}, 0};
}

/// A structural order of expressions that does not depend on addresses.
static int compareExprs(AffineExpr a, AffineExpr b) {
  if (a == b)
    return 0;
  if (!a || !b)
    return a ? 1 : -1;
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

void collect(Form &form) {
  llvm::sort(form.terms, [](const Term &a, const Term &b) {
    if (int order = compareExprs(a.atom, b.atom))
      return order < 0;
    return a.sizes < b.sizes;
  });
  llvm::SmallVector<Term, 4> merged;
  for (Term &term : form.terms) {
    if (!merged.empty() && merged.back().atom == term.atom &&
        merged.back().sizes == term.sizes)
      merged.back().coefficient += term.coefficient;
    else
      merged.push_back(std::move(term));
  }
  llvm::erase_if(merged,
                 [](const Term &term) { return term.coefficient == 0; });
  form.terms = std::move(merged);
}

} // namespace mlir::fuse::index
