// Combiners of running moments: count n, mean m and sum of squared differences
// s. Parts are put together as by Chan, Golub and LeVeque (1979), in a form
// that is symmetric in the parts:
//   n = n1 + n2, m = (n1 m1 + n2 m2) / n, s = s1 + s2 + (m2 - m1)^2 n1 n2 / n.
#include "fuse-mlir/Codegen/Combiner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class MomentsCombiner : public Combiner {
public:
  MomentsCombiner(linalg::LinalgOp root, const ReductionPart &part)
      : Combiner(root, part) {
    for (Type type : part.state)
      neutral.push_back(Builder(type.getContext()).getZeroAttr(type));
  }

  void accumulate(ElementEmitter &emitter, ArrayRef<AffineExpr> loops,
                  Condition exists,
                  MutableArrayRef<Value> partial) const override;
  SmallVector<Value> combine(OpBuilder &builder, Location loc,
                             ArrayRef<Value> a,
                             ArrayRef<Value> b) const override;
  SmallVector<Value> finish(OpBuilder &builder, Location loc,
                            ArrayRef<Value> inits,
                            ArrayRef<Value> total) const override {
    SmallVector<Value> own;
    for (unsigned number : part.results)
      own.push_back(inits[number]);
    return combine(builder, loc, own, total);
  }
  Value needsOrder(OpBuilder &builder, Location loc, ArrayRef<Value> inits,
                   ArrayRef<Value> total) const override;
};
} // namespace

/// Within a thread the source's own update.
void MomentsCombiner::accumulate(ElementEmitter &emitter,
                                 ArrayRef<AffineExpr> loops, Condition exists,
                                 MutableArrayRef<Value> partial) const {
  if (exists.kind == Condition::Never)
    return;
  OpBuilder &builder = emitter.getBuilder();
  Location loc = root.getLoc();
  fillIn(builder, loc, partial);
  SmallVector<Value> before(root.getNumDpsInits());
  for (auto [value, number] : llvm::zip(partial, part.results))
    before[number] = value;
  SmallVector<Value> after = emitter.emitIteration(root, loops, before);
  for (auto [value, number] : llvm::zip(partial, part.results))
    value = exists.kind == Condition::Always
                ? after[number]
                : arith::SelectOp::create(builder, loc, exists.value,
                                          after[number], value)
                      .getResult();
}

SmallVector<Value> MomentsCombiner::combine(OpBuilder &builder, Location loc,
                                            ArrayRef<Value> a,
                                            ArrayRef<Value> b) const {
  auto add = [&](Value x, Value y) -> Value {
    return arith::AddFOp::create(builder, loc, x, y);
  };
  auto multiply = [&](Value x, Value y) -> Value {
    return arith::MulFOp::create(builder, loc, x, y);
  };
  Value count = add(a[0], b[0]);
  Value zero = arith::ConstantOp::create(builder, loc, neutral[0]);
  Value isEmpty = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ,
                                        count, zero);
  Value one = arith::ConstantOp::create(builder, loc,
                                        FloatAttr::get(count.getType(), 1.0));
  Value divisor = arith::SelectOp::create(builder, loc, isEmpty, one, count);
  auto divide = [&](Value x) -> Value {
    return arith::DivFOp::create(builder, loc, x, divisor);
  };
  SmallVector<Value> result = {
      count, divide(add(multiply(a[0], a[1]), multiply(b[0], b[1])))};
  if (part.results.size() < 3)
    return result;
  Value distance = arith::SubFOp::create(builder, loc, b[1], a[1]);
  Value weight = divide(multiply(a[0], b[0]));
  result.push_back(
      add(add(a[2], b[2]), multiply(multiply(distance, distance), weight)));
  return result;
}

/// Where a mean or a sum of squares is not finite (or the count does not begin
/// with one that a part could have), the formulas differ.
Value MomentsCombiner::needsOrder(OpBuilder &builder, Location loc,
                                  ArrayRef<Value> inits,
                                  ArrayRef<Value> total) const {
  Value zero = arith::ConstantOp::create(builder, loc, neutral[0]);
  Value sum = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::ULT,
                                    inits[part.results[0]], zero);
  SmallVector<Value> checked(total.drop_front());
  for (unsigned number : ArrayRef<unsigned>(part.results).drop_front())
    checked.push_back(inits[number]);
  for (Value value : checked) {
    Value difference = arith::SubFOp::create(builder, loc, value, value);
    Value infinite = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::UNO, difference, difference);
    sum = arith::OrIOp::create(builder, loc, sum, infinite);
  }
  return sum;
}

std::unique_ptr<Combiner> fuse::makeMomentsCombiner(linalg::LinalgOp root,
                                                    const ReductionPart &part) {
  return std::make_unique<MomentsCombiner>(root, part);
}
