// How partial results of a reduction are made and put together, for each kind
// that `matchReduction` knows.
#ifndef FUSE_MLIR_CODEGEN_COMBINER_H
#define FUSE_MLIR_CODEGEN_COMBINER_H

#include "fuse-mlir/Analysis/ReductionParts.h"
#include "fuse-mlir/Codegen/ElementEmitter.h"

#include <memory>

namespace mlir::fuse {

/// Results of a reduction that are updated together. A partial result is a list
/// of scalars, of the types that the part has as `state`.
class Combiner {
public:
  virtual ~Combiner() = default;
  /// Null if the elements' type has no neutral element.
  static std::unique_ptr<Combiner> create(linalg::LinalgOp root,
                                          const ReductionPart &part);

  linalg::LinalgOp getRoot() const { return root; }
  const ReductionPart &getPart() const { return part; }
  /// The partial result of no elements.
  ArrayRef<TypedAttr> getNeutral() const { return neutral; }

  /// Combines the element of the iteration `loops` into `partial`, whose values
  /// are null at first; nothing if it does not exist. The elements that a
  /// thread combines come in the order of the loops.
  virtual void accumulate(ElementEmitter &emitter, ArrayRef<AffineExpr> loops,
                          Condition exists,
                          MutableArrayRef<Value> partial) const = 0;
  /// Combines two partial results. The same, bit for bit, either way round.
  virtual SmallVector<Value> combine(OpBuilder &builder, Location loc,
                                     ArrayRef<Value> a,
                                     ArrayRef<Value> b) const = 0;
  /// The part's results, from the initial values of all results of the root and
  /// the total.
  virtual SmallVector<Value> finish(OpBuilder &builder, Location loc,
                                    ArrayRef<Value> inits,
                                    ArrayRef<Value> total) const = 0;
  /// A bit that says that the results depend on the order of the elements, so
  /// that the loop has to be run; null if they never do.
  virtual Value needsOrder(OpBuilder &builder, Location loc,
                           ArrayRef<Value> inits, ArrayRef<Value> total) const {
    return {};
  }

protected:
  Combiner(linalg::LinalgOp root, const ReductionPart &part)
      : root(root), part(part) {}

  /// Puts the neutral element in place of values that are null.
  void fillIn(OpBuilder &builder, Location loc,
              MutableArrayRef<Value> partial) const;

  /// The mutable interface of a const operation.
  mutable linalg::LinalgOp root;
  ReductionPart part;
  SmallVector<TypedAttr> neutral;
};

/// The combiners of the kinds; for `Combiner::create`.
std::unique_ptr<Combiner> makeUpdateCombiner(linalg::LinalgOp root,
                                             const ReductionPart &part);
std::unique_ptr<Combiner> makeChoiceCombiner(linalg::LinalgOp root,
                                             const ReductionPart &part);
std::unique_ptr<Combiner> makeExtremeCombiner(linalg::LinalgOp root,
                                              const ReductionPart &part);
std::unique_ptr<Combiner> makeMomentsCombiner(linalg::LinalgOp root,
                                              const ReductionPart &part);

} // namespace mlir::fuse

#endif // FUSE_MLIR_CODEGEN_COMBINER_H
