// How the results of a reduction are updated, element by element, and which of
// them can be put together from partial results. Analysis asks whether that is
// so; code generation, how.
//
// A reduction may be split if its update, seen as a function of what came
// before, belongs to a family that is closed under composition and small:
//
// - `Update`: `acc = op(acc, x)` with an associative, commutative `op`; also
//   `acc - x` (the sum of the `x` is subtracted in the end), and either of them
//   under a condition that does not depend on the accumulator (the element is
//   replaced by the neutral one).
// - `Choice`: `acc = c ? x : acc`, neither of which depends on the accumulator
// (an
//   update that is scattered to an element, not added). The last one that is
//   chosen counts, whose number is carried along.
// - `Extreme`: a value and what is carried along with it are replaced if the
//   element compares better (arg-max). The best of two parts is the better one;
//   of equal ones the first (or last) in the order of the loops, whose number
//   is carried along; or the one that is labelled with a smaller number
//   (StableHLO). Where a comparison makes a NaN stick or lets the next
//   element replace it, no such rule exists: the row is then run in order.
// - `Moments`: count, mean and sum of squared differences, updated element by
//   element (Welford 1962). Two parts are put together as by Chan, Golub and
//   LeVeque (1979). Rows with an infinity or a NaN are run in order.
#ifndef FUSE_MLIR_ANALYSIS_REDUCTIONPARTS_H
#define FUSE_MLIR_ANALYSIS_REDUCTIONPARTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace mlir::fuse {

/// Results of a reduction whose partial results are combined together.
struct ReductionPart {
  enum Kind { Update, Choice, Extreme, Moments };
  Kind kind = Update;
  /// Numbers of the results that it gives. `Extreme`: those carried along, then
  /// the compared value if it is a result of this part. `Moments`: count, mean
  /// and, if there, the sum of squares.
  llvm::SmallVector<unsigned, 3> results;
  /// Values of the body that make up an element, none of which depends on an
  /// accumulator. `Update`: what is combined. `Choice`: what is chosen.
  /// `Extreme`: what is carried along, then what is compared. `Moments`: the
  /// element.
  llvm::SmallVector<Value, 3> elements;
  /// `Update`: the operator; `Extreme`: the comparison.
  Operation *op = nullptr;

  /// `Update`, `Choice`: the element is left out where `guard` (if any) has
  /// this value.
  Value guard;
  bool leftOut = false;
  /// `Update`: the element is subtracted.
  bool subtracts = false;

  /// `Extreme`: the result that the element is compared with, of this part or
  /// of one that takes the larger (smaller) value by itself.
  unsigned compared = 0;
  /// `Extreme`: the larger is better (else the smaller); integers compare as
  /// unsigned; of equal ones the last is taken (else the first).
  bool larger = true, isUnsigned = false, last = false;
  /// `Extreme`: a NaN is better than any number (else it is never taken).
  bool nanWins = false;
  /// `Extreme`: what follows a NaN depends on the order.
  bool nanNeedsOrder = false;
  /// `Extreme`: which of the values carried along grows with the order of the
  /// loops; if none does, a number of the iteration is carried as well.
  std::optional<unsigned> position;
  /// `Extreme`: of equal values the one with the smaller `position` is taken,
  /// in whatever order they come.
  bool smallerWins = false;

  /// Types of the values that a partial result consists of: of `elements` (of
  /// `results` for `Moments`), and of the number of the iteration if needed (by
  /// `Choice` always).
  llvm::SmallVector<Type, 3> state;
};

/// The parts of `op`, which together give all its results, in the order of
/// their first result; nothing if a result is of no known kind.
std::optional<llvm::SmallVector<ReductionPart, 2>>
matchReduction(linalg::LinalgOp op);

/// The attribute of functions and modules that `isOrderStrict` reads.
inline constexpr llvm::StringLiteral kFpOrderAttrName = "fuse.fp_order";

/// Whether floating-point reductions around `op` keep the order of the source,
/// with a rounding after each operation: the nearest function or module that
/// has `fuse.fp_order` says so.
bool isOrderStrict(Operation *op);

/// Whether a result of `roots` depends on the order of the elements, so that a
/// thread takes a row, or its equal, alone.
bool needOrder(ArrayRef<Operation *> roots);

/// Types of the values that a partial result of `op` consists of; those of its
/// results if it is not split.
llvm::SmallVector<Type> getPartialTypes(Operation *op);

} // namespace mlir::fuse

#endif // FUSE_MLIR_ANALYSIS_REDUCTIONPARTS_H
