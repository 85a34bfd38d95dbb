// Index expressions as sums of products, and what can be proven of them.
#ifndef FUSE_MLIR_LIB_ANALYSIS_INDEXFORM_H
#define FUSE_MLIR_LIB_ANALYSIS_INDEXFORM_H

#include "fuse-mlir/Analysis/IndexExpr.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <optional>

namespace mlir::fuse::index {

/// Positions of size symbols, sorted, each as often as it is a factor.
using SizeProduct = llvm::SmallVector<unsigned, 1>;

/// A positive size: `constant * s_i * s_j * …`.
struct Extent {
  int64_t constant = 1;
  SizeProduct sizes;

  bool isOne() const { return constant == 1 && sizes.empty(); }
  bool operator==(const Extent &other) const {
    return constant == other.constant && sizes == other.sizes;
  }
  AffineExpr toExpr(MLIRContext *context) const;
};

/// Whether `symbol` is a size: at least 1.
bool isSize(AffineSymbolExpr symbol, const IndexRanges &ranges);
/// `expr` as a positive size; nothing if it is no product of positive constants
/// and size symbols.
std::optional<Extent> getExtent(AffineExpr expr, const IndexRanges &ranges);

Extent multiply(const Extent &a, const Extent &b);
/// `a / b` if that is a whole size.
std::optional<Extent> divide(const Extent &a, const Extent &b);

/// `coefficient * sizes * atom`. An atom is a variable, a quotient or a
/// remainder; null in a term that consists of sizes.
struct Term {
  AffineExpr atom;
  SizeProduct sizes;
  int64_t coefficient = 1;
};

/// `constant + sum of terms`, sorted, no zero coefficients, each product once.
struct Form {
  llvm::SmallVector<Term, 4> terms;
  int64_t constant = 0;

  bool isZero() const { return terms.empty() && constant == 0; }
};

/// All factors of both.
SizeProduct join(llvm::ArrayRef<unsigned> a, llvm::ArrayRef<unsigned> b);
/// `term / divisor` if that is whole for any value of the atom.
std::optional<Term> divide(const Term &term, const Extent &divisor);
Term multiply(const Term &term, const Extent &factor);
void multiply(Form &form, const Extent &factor);
/// Sums are not in order until they are collected.
void add(Form &form, const Form &other);
void add(Form &form, Term term);
void subtract(Form &form, const Form &other);
/// Brings equal products together and sorts them.
void collect(Form &form);
Form makeForm(const Extent &extent);

/// A form as `divisor * big + small` with `0 <= small < divisor`.
struct Factored {
  Extent divisor;
  Form big, small;
};

class Simplifier {
public:
  Simplifier(MLIRContext *context, const IndexRanges &ranges)
      : context(context), ranges(ranges),
        hasSizes(llvm::any_of(ranges.symbols, [](const IndexRange &range) {
          return range.lo >= 1;
        })) {}
  AffineExpr run(AffineExpr expr) const { return build(toForm(expr)); }
  /// Whether `0 <= expr < limit` for all values of the variables.
  bool isBelow(AffineExpr expr, const Extent &limit) const {
    return isWithin(toForm(expr), limit);
  }

private:
  Form toForm(AffineExpr expr) const;
  Form toForm(AffineBinaryOpExpr expr) const;
  Form modulo(const Form &form, const Extent &divisor) const;
  Form quotient(const Form &form, const Extent &divisor) const;
  std::optional<Factored> factor(const Form &form, const Extent &divisor) const;
  void normalize(Form &form) const;
  bool joinQuotientAndRemainder(Form &form) const;
  AffineExpr build(const Form &form) const;

  /// Whether `0 <= form < limit` for all values of the variables.
  bool isWithin(const Form &form, const Extent &limit) const;
  std::optional<IndexRange> getStaticRange(const Form &form) const;
  /// The largest (smallest) value, a form of sizes; nothing if not known.
  std::optional<Form> getBound(const Form &form, bool upper) const;
  std::optional<Form> getBound(AffineExpr atom, bool upper) const;
  std::optional<Form> getQuotientBound(AffineBinaryOpExpr atom) const;
  std::optional<Form> findQuotientBound(AffineBinaryOpExpr atom) const;
  /// Whether a form of sizes is at least 0 for all sizes.
  bool isNonNegative(const Form &form) const;

  MLIRContext *context;
  const IndexRanges &ranges;
  const bool hasSizes;
  /// Bounds by sizes ask for the same parts of an expression again and again,
  /// at each of its levels: what these are is found once.
  mutable llvm::DenseMap<AffineExpr, Form> forms;
  mutable llvm::DenseMap<AffineExpr, std::optional<Form>> quotientBounds;
};

} // namespace mlir::fuse::index

#endif // FUSE_MLIR_LIB_ANALYSIS_INDEXFORM_H
