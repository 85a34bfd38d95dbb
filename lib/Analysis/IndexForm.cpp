// Simplification of index expressions. An expression is held as a sum of
// products of sizes and atoms (variables, quotients, remainders); the rules
// work on that form, so that their order does not matter.
#include "IndexForm.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <numeric>

namespace mlir::fuse::index {

static int64_t floorDiv(int64_t a, int64_t b) {
  int64_t q = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

static SizeProduct join(ArrayRef<unsigned> a, ArrayRef<unsigned> b) {
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

static bool isSize(AffineSymbolExpr symbol, const IndexRanges &ranges) {
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

/// `term / divisor` if that is whole for any value of the atom.
static std::optional<Term> divide(const Term &term, const Extent &divisor) {
  std::optional<SizeProduct> sizes = remove(term.sizes, divisor.sizes);
  if (!sizes || term.coefficient % divisor.constant != 0)
    return std::nullopt;
  return Term{term.atom, std::move(*sizes),
              term.coefficient / divisor.constant};
}

static Term multiply(const Term &term, const Extent &factor) {
  return {term.atom, join(term.sizes, factor.sizes),
          term.coefficient * factor.constant};
}

static void multiply(Form &form, const Extent &factor) {
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

static void add(Form &form, const Form &other) {
  llvm::append_range(form.terms, other.terms);
  form.constant += other.constant;
}

static void add(Form &form, Term term) {
  if (term.atom || !term.sizes.empty())
    form.terms.push_back(std::move(term));
  else
    form.constant += term.coefficient;
}

static void subtract(Form &form, const Form &other) {
  for (Term term : other.terms) {
    term.coefficient = -term.coefficient;
    form.terms.push_back(std::move(term));
  }
  form.constant -= other.constant;
}

static Form makeForm(const Extent &extent) {
  if (extent.sizes.empty())
    return {{}, extent.constant};
  return {{{AffineExpr(), extent.sizes, extent.constant}}, 0};
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

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

/// Brings equal products together and sorts them.
static void collect(Form &form) {
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

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

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
