// Combiners of updates that replace what was there: of those that are chosen
// the one of the last iteration counts, whatever the order in which partial
// results are combined.
#include "fuse-mlir/Codegen/Combiner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// A partial result is a value and the number of its iteration, -1 if there is
/// none.
class ChoiceCombiner : public Combiner {
public:
  ChoiceCombiner(linalg::LinalgOp root, const ReductionPart &part)
      : Combiner(root, part) {
    auto [value, number] = std::pair(part.state[0], part.state[1]);
    neutral = {Builder(value.getContext()).getZeroAttr(value),
               IntegerAttr::get(number, -1)};
  }

  void accumulate(ElementEmitter &emitter, ArrayRef<AffineExpr> loops,
                  Condition exists,
                  MutableArrayRef<Value> partial) const override;
  SmallVector<Value> combine(OpBuilder &builder, Location loc,
                             ArrayRef<Value> a,
                             ArrayRef<Value> b) const override {
    return select(builder, loc, isLater(builder, loc, b[1], a[1]), b, a);
  }
  SmallVector<Value> finish(OpBuilder &builder, Location loc,
                            ArrayRef<Value> inits,
                            ArrayRef<Value> total) const override {
    Value none = arith::ConstantOp::create(builder, loc, neutral[1]);
    return select(builder, loc, isLater(builder, loc, total[1], none),
                  total.front(), inits[part.results.front()]);
  }

private:
  static Value isLater(OpBuilder &builder, Location loc, Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, a, b);
  }
  static SmallVector<Value> select(OpBuilder &builder, Location loc,
                                   Value condition, ArrayRef<Value> a,
                                   ArrayRef<Value> b) {
    SmallVector<Value> result;
    for (auto [ifTrue, ifFalse] : llvm::zip_equal(a, b))
      result.push_back(
          arith::SelectOp::create(builder, loc, condition, ifTrue, ifFalse));
    return result;
  }
};
} // namespace

/// A thread takes its elements in the order of the loops.
void ChoiceCombiner::accumulate(ElementEmitter &emitter,
                                ArrayRef<AffineExpr> loops, Condition exists,
                                MutableArrayRef<Value> partial) const {
  if (exists.kind == Condition::Never)
    return;
  OpBuilder &builder = emitter.getBuilder();
  Location loc = root.getLoc();
  Value taken = emitter.emitBodyValue(root, loops, part.guard);
  if (part.leftOut)
    taken = arith::XOrIOp::create(
        builder, loc, taken,
        arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true)));
  if (exists.kind == Condition::Runtime)
    taken = arith::AndIOp::create(builder, loc, taken, exists.value);
  Value next[] = {emitter.emitBodyValue(root, loops, part.elements.front()),
                  emitter.emitIterationNumber(root, loops, part.state.back())};
  fillIn(builder, loc, partial);
  llvm::copy(select(builder, loc, taken, next, partial), partial.begin());
}

std::unique_ptr<Combiner> fuse::makeChoiceCombiner(linalg::LinalgOp root,
                                                   const ReductionPart &part) {
  return std::make_unique<ChoiceCombiner>(root, part);
}
