// Simplification of index expressions. An expression is held as a sum of
// products of sizes and atoms (variables, quotients, remainders); the rules
// work on that form, so that their order does not matter.
#include "IndexForm.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

namespace mlir::fuse::index {

static int64_t floorDiv(int64_t a, int64_t b) {
  int64_t q = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
}

/// `expr` as `lhs kind divisor`; null, and `divisor` untouched, if it is not.
static AffineExpr matchBinary(AffineExpr expr, AffineExprKind kind,
                              const IndexRanges &ranges, Extent &divisor) {
  AffineBinaryOpExpr binary = dyn_cast_or_null<AffineBinaryOpExpr>(expr);
  if (!binary || expr.getKind() != kind)
    return {};
  std::optional<Extent> extent = getExtent(binary.getRHS(), ranges);
  if (!extent)
    return {};
  divisor = std::move(*extent);
  return binary.getLHS();
}

void Simplifier::normalize(Form &form) const {
  do
    collect(form);
  while (joinQuotientAndRemainder(form));
}

/// Finds `k*(x mod c)` beside `k*c*(x floordiv c)`, which together are `k*x`,
/// or beside `k*c*((x floordiv c + t) mod d)` with a number `t`, together
/// `k*((x + c*t) mod (c*d))`.
bool Simplifier::joinQuotientAndRemainder(Form &form) const {
  for (size_t i = 0; i < form.terms.size(); ++i) {
    Extent c;
    AffineExpr x =
        matchBinary(form.terms[i].atom, AffineExprKind::Mod, ranges, c);
    if (!x)
      continue;
    Form quotientForm = quotient(toForm(x), c);
    AffineExpr whole = build(quotientForm);
    Term wanted = multiply(form.terms[i], c);
    for (size_t j = 0; j < form.terms.size(); ++j) {
      if (j == i || form.terms[j].coefficient != wanted.coefficient ||
          form.terms[j].sizes != wanted.sizes)
        continue;
      Extent d;
      AffineExpr other = form.terms[j].atom;
      AffineExpr inner = matchBinary(other, AffineExprKind::Mod, ranges, d);
      Form joined = toForm(x);
      if (other != whole) {
        if (!inner)
          continue;
        Form shift = toForm(inner);
        subtract(shift, quotientForm);
        collect(shift);
        if (!shift.terms.empty())
          continue;
        Form shifted = makeForm(c);
        multiply(shifted, Extent{shift.constant, {}});
        add(joined, shifted);
        collect(joined);
        joined = modulo(joined, multiply(c, d));
      }
      Term remainder = form.terms[i];
      form.terms.erase(form.terms.begin() + std::max(i, j));
      form.terms.erase(form.terms.begin() + std::min(i, j));
      multiply(joined, Extent{1, remainder.sizes});
      for (Term &term : joined.terms)
        term.coefficient *= remainder.coefficient;
      joined.constant *= remainder.coefficient;
      add(form, joined);
      return true;
    }
  }
  return false;
}

Form Simplifier::toForm(AffineExpr expr) const {
  if (AffineConstantExpr constant = dyn_cast<AffineConstantExpr>(expr))
    return {{}, constant.getValue()};
  if (AffineSymbolExpr symbol = dyn_cast<AffineSymbolExpr>(expr))
    if (isSize(symbol, ranges))
      return {{{AffineExpr(), {symbol.getPosition()}, 1}}, 0};
  AffineBinaryOpExpr binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return {{{expr, {}, 1}}, 0};
  if (!hasSizes)
    return toForm(binary);
  auto known = forms.find(expr);
  if (known != forms.end())
    return known->second;
  Form form = toForm(binary);
  forms[expr] = form;
  return form;
}

/// The product of two forms if one of them consists of sizes.
static std::optional<Form> getProduct(const Form &a, const Form &b) {
  auto isPure = [](const Form &form) {
    return llvm::all_of(form.terms,
                        [](const Term &term) { return !term.atom; });
  };
  if (!isPure(b))
    return isPure(a) ? getProduct(b, a) : std::nullopt;
  Form product;
  auto addMultiple = [&](ArrayRef<unsigned> sizes, int64_t coefficient) {
    Form part = a;
    multiply(part, Extent{1, SizeProduct(sizes)});
    for (Term &term : part.terms)
      term.coefficient *= coefficient;
    part.constant *= coefficient;
    add(product, part);
  };
  if (b.constant != 0)
    addMultiple({}, b.constant);
  for (const Term &term : b.terms)
    addMultiple(term.sizes, term.coefficient);
  return product;
}

Form Simplifier::toForm(AffineBinaryOpExpr expr) const {
  Form lhs = toForm(expr.getLHS());
  if (expr.getKind() == AffineExprKind::Add) {
    add(lhs, toForm(expr.getRHS()));
    normalize(lhs);
    return lhs;
  }
  if (expr.getKind() == AffineExprKind::Mul) {
    if (std::optional<Form> product = getProduct(lhs, toForm(expr.getRHS()))) {
      normalize(*product);
      return *product;
    }
  } else if (std::optional<Extent> divisor = getExtent(expr.getRHS(), ranges)) {
    if (expr.getKind() == AffineExprKind::Mod)
      return modulo(lhs, *divisor);
    if (expr.getKind() == AffineExprKind::FloorDiv)
      return quotient(lhs, *divisor);
  }
  return {{{expr, {}, 1}}, 0};
}

/// What `a` and `b` have in common.
static Extent getCommon(const Extent &a, const Term &b) {
  Extent common;
  common.constant = std::gcd(a.constant, b.coefficient);
  std::set_intersection(a.sizes.begin(), a.sizes.end(), b.sizes.begin(),
                        b.sizes.end(), std::back_inserter(common.sizes));
  return common;
}

/// Splits `form` by a factor of `divisor` that some of its terms have in
/// common, where what the others add stays below it.
std::optional<Factored> Simplifier::factor(const Form &form,
                                           const Extent &divisor) const {
  Factored parts;
  parts.divisor = divisor;
  for (const Term &term : form.terms) {
    Extent common = getCommon(parts.divisor, term);
    if (!common.isOne())
      parts.divisor = std::move(common);
  }
  if (parts.divisor.isOne())
    return std::nullopt;
  for (const Term &term : form.terms) {
    if (std::optional<Term> part = divide(term, parts.divisor))
      add(parts.big, std::move(*part));
    else
      parts.small.terms.push_back(term);
  }
  if (parts.small.terms.size() == form.terms.size())
    return std::nullopt;
  int64_t whole = 0;
  if (parts.divisor.sizes.empty())
    whole = floorDiv(form.constant, parts.divisor.constant);
  parts.big.constant += whole;
  parts.small.constant = form.constant - whole * parts.divisor.constant;
  if (!isWithin(parts.small, parts.divisor))
    return std::nullopt;
  return parts;
}

Form Simplifier::modulo(const Form &form, const Extent &divisor) const {
  Form rest;
  for (const Term &term : form.terms)
    if (!divide(term, divisor))
      rest.terms.push_back(term);
  rest.constant = form.constant;
  if (divisor.sizes.empty())
    rest.constant -=
        floorDiv(form.constant, divisor.constant) * divisor.constant;
  if (isWithin(rest, divisor))
    return rest;
  // (g*x + r) mod (g*d) is g*(x mod d) + r for 0 <= r < g.
  if (std::optional<Factored> parts = factor(rest, divisor)) {
    Form result = modulo(parts->big, *divide(divisor, parts->divisor));
    multiply(result, parts->divisor);
    add(result, parts->small);
    normalize(result);
    return result;
  }
  // (y mod m) mod c is y mod c if c divides m.
  if (rest.terms.size() == 1 && rest.constant == 0 &&
      rest.terms[0].coefficient == 1 && rest.terms[0].sizes.empty()) {
    Extent m;
    AffineExpr y =
        matchBinary(rest.terms[0].atom, AffineExprKind::Mod, ranges, m);
    if (y && divide(m, divisor))
      return modulo(toForm(y), divisor);
  }
  return {{{build(rest) % divisor.toExpr(context), {}, 1}}, 0};
}

Form Simplifier::quotient(const Form &form, const Extent &divisor) const {
  if (divisor.isOne())
    return form;
  Form whole, rest{{}, form.constant};
  if (divisor.sizes.empty()) {
    whole.constant = floorDiv(form.constant, divisor.constant);
    rest.constant -= whole.constant * divisor.constant;
  }
  for (const Term &term : form.terms) {
    if (std::optional<Term> part = divide(term, divisor))
      add(whole, std::move(*part));
    else
      rest.terms.push_back(term);
  }
  if (isWithin(rest, divisor))
    return whole;
  Form inner;
  Extent m;
  AffineExpr y;
  bool single = rest.terms.size() == 1 && rest.constant == 0 &&
                rest.terms[0].coefficient == 1 && rest.terms[0].sizes.empty();
  if (single)
    y = matchBinary(rest.terms[0].atom, AffineExprKind::Mod, ranges, m);
  // (y mod m) floordiv c is (y floordiv c) mod (m/c) if c divides m.
  std::optional<Extent> part = y ? divide(m, divisor) : std::nullopt;
  if (part) {
    add(whole, modulo(quotient(toForm(y), divisor), *part));
    normalize(whole);
    return whole;
  }
  y = {};
  if (single)
    y = matchBinary(rest.terms[0].atom, AffineExprKind::FloorDiv, ranges, m);
  if (std::optional<Factored> parts = factor(rest, divisor))
    inner = quotient(parts->big, *divide(divisor, parts->divisor));
  else if (y) // (y floordiv m) floordiv c is y floordiv (m*c).
    inner = quotient(toForm(y), multiply(m, divisor));
  else
    inner.terms.push_back(
        {build(rest).floorDiv(divisor.toExpr(context)), {}, 1});
  add(whole, inner);
  normalize(whole);
  return whole;
}

AffineExpr Simplifier::build(const Form &form) const {
  AffineExpr sum;
  for (const Term &term : form.terms) {
    AffineExpr product = term.atom;
    for (unsigned size : term.sizes) {
      AffineExpr symbol = getAffineSymbolExpr(size, context);
      product = product ? product * symbol : symbol;
    }
    if (term.coefficient != 1)
      product = product * term.coefficient;
    sum = sum ? sum + product : product;
  }
  if (!sum)
    return getAffineConstantExpr(form.constant, context);
  return form.constant == 0 ? sum : sum + form.constant;
}

} // namespace mlir::fuse::index
