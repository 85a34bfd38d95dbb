// Equations between sizes, solved by substitution: a symbol that an equation
// leaves alone on one side is replaced by the other side everywhere.
#include "fuse-mlir/Analysis/TensorSizes.h"

#include "IndexForm.h"
#include "SpaceAnalysis.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace mlir::fuse;
using index::Extent;

namespace mlir::fuse {
/// Learns from operators. Symbols are numbered as they come; those that are
/// still free in the end are what `TensorSizes` has.
class SizeSolver {
public:
  SizeSolver(TensorSizes &result, ArrayRef<Operation *> ops)
      : result(result), context(ops.front()->getContext()),
        members(ops.begin(), ops.end()) {}

  void learn(Operation *op);
  void finish();

private:
  AffineExpr constant(int64_t value) {
    return getAffineConstantExpr(value, context);
  }
  AffineExpr makeSymbol(SizeSource source);
  AffineExpr resolve(AffineExpr expr);
  AffineExpr size(Value value, int64_t dim);
  AffineExpr integer(Value value);
  AffineExpr computeInteger(Value value);
  AffineExpr integer(OpFoldResult value);
  AffineExpr product(Value value, ArrayRef<int64_t> dims);
  AffineExpr apply(affine::AffineApplyOp op);
  bool isNegative(Value condition);
  void unify(AffineExpr a, AffineExpr b);
  void bind(const Extent &symbol, const Extent &other);
  void unifyShapes(Value a, Value b);

  void meet(Operation *op);
  void learnLinalg(linalg::LinalgOp op);
  void learnReshape(tensor::ReshapeOp op);
  void learnReshapes(Operation *op);
  void learnMovement(Operation *op);
  void learnCreation(Operation *op);
  void learnElementwise(Operation *op);
  void learnSizes(Value value, ArrayRef<OpFoldResult> sizes);

  TensorSizes &result;
  MLIRContext *context;
  /// Operators that are looked into: what others compute is taken as it is, as
  /// it will be once the operators are a kernel of their own.
  llvm::SmallPtrSet<Operation *, 16> members;
  /// Of raw symbols: what they were first met as, and what they are replaced
  /// by (null while they are free).
  SmallVector<SizeSource> raw;
  SmallVector<AffineExpr> bound;
  IndexRanges ranges;
  llvm::MapVector<std::pair<Value, int64_t>, AffineExpr> met;
};
} // namespace mlir::fuse

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

AffineExpr SizeSolver::makeSymbol(SizeSource source) {
  raw.push_back(source);
  bound.push_back({});
  ranges.symbols.push_back(IndexRange::ofSizeSymbol());
  return getAffineSymbolExpr(raw.size() - 1, context);
}

/// `expr` in free symbols.
AffineExpr SizeSolver::resolve(AffineExpr expr) {
  llvm::DenseMap<AffineExpr, AffineExpr> replacements;
  expr.walk([&](AffineExpr part) {
    AffineSymbolExpr symbol = dyn_cast<AffineSymbolExpr>(part);
    if (symbol && bound[symbol.getPosition()])
      replacements[symbol] = bound[symbol.getPosition()];
  });
  if (replacements.empty())
    return simplifyIndex(expr, ranges);
  for (auto &[symbol, other] : replacements) {
    other = resolve(other);
    bound[cast<AffineSymbolExpr>(symbol).getPosition()] = other;
  }
  return simplifyIndex(expr.replace(replacements), ranges);
}

AffineExpr SizeSolver::size(Value value, int64_t dim) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!type.isDynamicDim(dim))
    return constant(type.getDimSize(dim));
  AffineExpr &known = met[{value, dim}];
  if (!known)
    known = makeSymbol({value, dim});
  return resolve(known);
}

AffineExpr SizeSolver::integer(OpFoldResult value) {
  if (std::optional<int64_t> known = getConstantIntValue(value))
    return constant(*known);
  return integer(cast<Value>(value));
}

/// An integer that says a size. What is computed in another way than sizes are
/// is a symbol of its own.
AffineExpr SizeSolver::integer(Value value) {
  auto it = met.find({value, -1});
  if (it != met.end())
    return resolve(it->second);
  AffineExpr known = computeInteger(value);
  if (known && isa<AffineConstantExpr>(known))
    return known;
  if (!known || !index::getExtent(known, ranges))
    known = makeSymbol({value, -1});
  met[{value, -1}] = known;
  return known;
}

/// Whether `condition` asks for a size below 0.
bool SizeSolver::isNegative(Value condition) {
  arith::CmpIOp compare = condition.getDefiningOp<arith::CmpIOp>();
  return compare && compare.getPredicate() == arith::CmpIPredicate::slt &&
         getConstantIntValue(compare.getRhs()) == 0 &&
         index::getExtent(integer(compare.getLhs()), ranges);
}

AffineExpr SizeSolver::apply(affine::AffineApplyOp op) {
  SmallVector<AffineExpr> operands;
  for (Value operand : op.getMapOperands())
    operands.push_back(integer(operand));
  ArrayRef<AffineExpr> all(operands);
  unsigned dims = op.getAffineMap().getNumDims();
  return resolve(op.getAffineMap().getResult(0).replaceDimsAndSymbols(
      all.take_front(dims), all.drop_front(dims)));
}

AffineExpr SizeSolver::computeInteger(Value value) {
  if (std::optional<int64_t> known = getConstantIntValue(value))
    return constant(*known);
  Operation *op = value.getDefiningOp();
  if (!op || !members.contains(op))
    return {};
  return llvm::TypeSwitch<Operation *, AffineExpr>(op)
      .Case([&](tensor::DimOp dim) -> AffineExpr {
        std::optional<int64_t> number = dim.getConstantIndex();
        if (!number || !isa<RankedTensorType>(dim.getSource().getType()))
          return {};
        return size(dim.getSource(), *number);
      })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
            arith::ExtUIOp>(
          [&](Operation *cast) { return integer(cast->getOperand(0)); })
      .Case([&](arith::MulIOp product) {
        return resolve(integer(product.getLhs()) * integer(product.getRhs()));
      })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(
          [&](Operation *division) -> AffineExpr {
            std::optional<Extent> a =
                index::getExtent(integer(division->getOperand(0)), ranges);
            std::optional<Extent> b =
                index::getExtent(integer(division->getOperand(1)), ranges);
            if (!a || !b)
              return {};
            std::optional<Extent> quotient = index::divide(*a, *b);
            return quotient ? quotient->toExpr(context) : AffineExpr();
          })
      .Case<arith::MaxSIOp, arith::MaxUIOp, arith::MinSIOp, arith::MinUIOp>(
          [&](Operation *same) -> AffineExpr {
            AffineExpr a = integer(same->getOperand(0));
            return a == integer(same->getOperand(1)) ? a : AffineExpr();
          })
      .Case([&](arith::SelectOp select) -> AffineExpr {
        if (isNegative(select.getCondition()))
          return integer(select.getFalseValue());
        return {};
      })
      .Case([&](affine::AffineApplyOp op) { return apply(op); })
      .Default([](Operation *) { return AffineExpr(); });
}

AffineExpr SizeSolver::product(Value value, ArrayRef<int64_t> dims) {
  AffineExpr all = constant(1);
  for (int64_t dim : dims)
    all = all * size(value, dim);
  return resolve(all);
}

//===----------------------------------------------------------------------===//
// Equations
//===----------------------------------------------------------------------===//

/// `a` and `b` without their common factors.
static void cancel(Extent &a, Extent &b) {
  Extent common;
  common.constant = std::gcd(a.constant, b.constant);
  std::set_intersection(a.sizes.begin(), a.sizes.end(), b.sizes.begin(),
                        b.sizes.end(), std::back_inserter(common.sizes));
  a = *index::divide(a, common);
  b = *index::divide(b, common);
}

static bool isBareSymbol(const Extent &extent) {
  return extent.constant == 1 && extent.sizes.size() == 1;
}

void SizeSolver::bind(const Extent &symbol, const Extent &other) {
  bound[symbol.sizes.front()] = other.toExpr(context);
}

/// `a` and `b` are one size. Equations that tell no symbol are dropped: then
/// less is proven.
void SizeSolver::unify(AffineExpr a, AffineExpr b) {
  std::optional<Extent> x = index::getExtent(resolve(a), ranges);
  std::optional<Extent> y = index::getExtent(resolve(b), ranges);
  if (!x || !y)
    return;
  cancel(*x, *y);
  // The older symbol stays: it is the more likely one to be an input's size.
  bool xOlder = isBareSymbol(*x) && isBareSymbol(*y) &&
                x->sizes.front() < y->sizes.front();
  if (isBareSymbol(*x) && !xOlder)
    bind(*x, *y);
  else if (isBareSymbol(*y))
    bind(*y, *x);
}

void SizeSolver::unifyShapes(Value a, Value b) {
  int64_t rank = cast<RankedTensorType>(a.getType()).getRank();
  for (int64_t dim = 0; dim < rank; ++dim)
    unify(size(a, dim), size(b, dim));
}

void SizeSolver::learnSizes(Value value, ArrayRef<OpFoldResult> sizes) {
  for (auto [dim, given] : llvm::enumerate(sizes))
    if (cast<RankedTensorType>(value.getType()).isDynamicDim(dim))
      unify(size(value, dim), integer(given));
}

/// Operands that one loop runs over have its size.
void SizeSolver::learnLinalg(linalg::LinalgOp op) {
  SmallVector<AffineExpr> loops(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (AffineDimExpr loop = dyn_cast<AffineDimExpr>(expr)) {
        AffineExpr &known = loops[loop.getPosition()];
        if (known)
          unify(known, size(operand.get(), dim));
        else
          known = size(operand.get(), dim);
      }
  }
  for (OpOperand &init : op.getDpsInitsMutable())
    if (isa<RankedTensorType>(init.get().getType()))
      unifyShapes(op.getTiedOpResult(&init), init.get());
}

void SizeSolver::learnReshape(tensor::ReshapeOp op) {
  auto from = dyn_cast<RankedTensorType>(op.getSource().getType());
  auto to = dyn_cast<RankedTensorType>(op.getType());
  if (!from || !to)
    return;
  if (tensor::FromElementsOp shape =
          op.getShape().getDefiningOp<tensor::FromElementsOp>())
    learnSizes(op, getAsOpFoldResult(shape.getElements()));
  unify(product(op.getSource(),
                llvm::to_vector(llvm::seq<int64_t>(0, from.getRank()))),
        product(op, llvm::to_vector(llvm::seq<int64_t>(0, to.getRank()))));
}

/// Gives all tensors that `op` and its regions use or make sizes.
void SizeSolver::meet(Operation *op) {
  op->walk([&](Operation *nested) {
    for (ValueRange values :
         {ValueRange(nested->getOperands()), ValueRange(nested->getResults())})
      for (Value value : values)
        if (auto type = dyn_cast<RankedTensorType>(value.getType()))
          for (int64_t dim = 0; dim < type.getRank(); ++dim)
            (void)size(value, dim);
  });
}

void SizeSolver::learnReshapes(Operation *op) {
  auto learnGroups = [&](Value wide, Value narrow,
                         ArrayRef<ReassociationIndices> groups) {
    for (auto [dim, group] : llvm::enumerate(groups))
      unify(product(wide, group), size(narrow, dim));
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](tensor::CastOp cast) {
        if (isa<RankedTensorType>(cast.getType()) &&
            isa<RankedTensorType>(cast.getSource().getType()))
          unifyShapes(cast, cast.getSource());
      })
      .Case([&](tensor::ExpandShapeOp expand) {
        learnSizes(expand, expand.getMixedOutputShape());
        learnGroups(expand, expand.getSrc(), expand.getReassociationIndices());
      })
      .Case([&](tensor::CollapseShapeOp collapse) {
        learnGroups(collapse.getSrc(), collapse,
                    collapse.getReassociationIndices());
      })
      .Case([&](tensor::ReshapeOp reshape) { learnReshape(reshape); });
}

void SizeSolver::learnMovement(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](tensor::ExtractSliceOp slice) {
        llvm::SmallBitVector dropped = slice.getDroppedDims();
        SmallVector<OpFoldResult> kept;
        for (auto [dim, given] : llvm::enumerate(slice.getMixedSizes()))
          if (!dropped.test(dim))
            kept.push_back(given);
        learnSizes(slice, kept);
      })
      .Case([&](tensor::InsertSliceOp insert) {
        unifyShapes(insert, insert.getDest());
      })
      .Case([&](tensor::PadOp pad) {
        for (auto [dim, low, high] :
             llvm::enumerate(pad.getMixedLowPad(), pad.getMixedHighPad()))
          if (getConstantIntValue(low) == 0 && getConstantIntValue(high) == 0)
            unify(size(pad, dim), size(pad.getSource(), dim));
      })
      .Case([&](tensor::ConcatOp concat) {
        for (Value input : concat.getInputs())
          for (int64_t dim = 0; dim < concat.getType().getRank(); ++dim)
            if (dim != int64_t(concat.getDim()))
              unify(size(concat, dim), size(input, dim));
      });
}

void SizeSolver::learnCreation(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](tensor::EmptyOp empty) {
        learnSizes(empty, empty.getMixedSizes());
      })
      .Case([&](tensor::GenerateOp generate) {
        learnSizes(generate, getMixedValues(generate.getType().getShape(),
                                            generate.getDynamicExtents(),
                                            op->getContext()));
      })
      .Case([&](tensor::SplatOp splat) {
        learnSizes(splat,
                   getMixedValues(splat.getType().getShape(),
                                  splat.getDynamicSizes(), op->getContext()));
      });
}

void SizeSolver::learnElementwise(Operation *op) {
  if (!OpTrait::hasElementwiseMappableTraits(op) || op->getNumResults() == 0 ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return;
  for (Value value : op->getOperands())
    if (isa<RankedTensorType>(value.getType()))
      unifyShapes(op->getResult(0), value);
}

void SizeSolver::learn(Operation *op) {
  meet(op);
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return learnLinalg(linalgOp);
  learnCreation(op);
  learnReshapes(op);
  learnMovement(op);
  learnElementwise(op);
}

//===----------------------------------------------------------------------===//
// Result
//===----------------------------------------------------------------------===//

void SizeSolver::finish() {
  SmallVector<AffineExpr> numbers(raw.size());
  for (auto &[place, expr] : met) {
    resolve(expr).walk([&](AffineExpr part) {
      AffineSymbolExpr symbol = dyn_cast<AffineSymbolExpr>(part);
      if (!symbol || numbers[symbol.getPosition()])
        return;
      numbers[symbol.getPosition()] =
          getAffineSymbolExpr(result.symbols.size(), context);
      result.symbols.push_back(raw[symbol.getPosition()]);
    });
  }
  for (AffineExpr &number : numbers)
    if (!number)
      number = constant(1);
  for (auto &[place, expr] : met) {
    AffineExpr final = resolve(expr).replaceSymbols(numbers);
    result.known[place] = final;
    if (!isa<AffineConstantExpr>(final))
      result.sources.push_back({{place.first, place.second}, final});
  }
  result.multiples.assign(result.symbols.size(), 1);
}

static bool isDynamic(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && !tensor.hasStaticShape();
}

bool fuse::hasDynamicSize(Operation *op) {
  return op
      ->walk([](Operation *nested) {
        bool found = llvm::any_of(nested->getResultTypes(), isDynamic) ||
                     llvm::any_of(nested->getOperandTypes(), isDynamic);
        return found ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

TensorSizes::TensorSizes(ArrayRef<Operation *> ops) {
  if (llvm::none_of(ops, hasDynamicSize))
    return;
  SizeSolver solver(*this, ops);
  for (Operation *op : ops)
    solver.learn(op);
  solver.finish();
}

AffineExpr TensorSizes::withMultiples(AffineExpr expr) const {
  if (llvm::all_of(multiples, [](int64_t multiple) { return multiple == 1; }))
    return expr;
  SmallVector<AffineExpr> scaled;
  IndexRanges ranges;
  for (auto [i, multiple] : llvm::enumerate(multiples)) {
    scaled.push_back(getAffineSymbolExpr(i, expr.getContext()) * multiple);
    ranges.symbols.push_back(IndexRange::ofSizeSymbol());
  }
  return simplifyIndex(expr.replaceSymbols(scaled), ranges);
}

AffineExpr TensorSizes::getSize(Value value, int64_t dim) const {
  auto type = cast<RankedTensorType>(value.getType());
  if (!type.isDynamicDim(dim))
    return getAffineConstantExpr(type.getDimSize(dim), type.getContext());
  return withMultiples(known.lookup({value, dim}));
}

SmallVector<AffineExpr> TensorSizes::getShape(Value value) const {
  SmallVector<AffineExpr> shape;
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  for (int64_t dim = 0; dim < rank; ++dim)
    shape.push_back(getSize(value, dim));
  return shape;
}

AffineExpr TensorSizes::getElements(Value value) const {
  AffineExpr elements = getAffineConstantExpr(1, value.getContext());
  for (AffineExpr size : getShape(value))
    elements = multiply(elements, size);
  return elements;
}

AffineExpr TensorSizes::multiply(AffineExpr a, AffineExpr b) const {
  if (isStatic())
    return a * b;
  IndexRanges ranges;
  ranges.symbols.assign(symbols.size(), IndexRange::ofSizeSymbol());
  return simplifyIndex(a * b, ranges);
}

SmallVector<AffineExpr> TensorSizes::getLoops(linalg::LinalgOp op) const {
  MLIRContext *context = op->getContext();
  SmallVector<AffineExpr> loops;
  for (int64_t size : op.getStaticLoopRanges())
    loops.push_back(ShapedType::isDynamic(size)
                        ? AffineExpr()
                        : getAffineConstantExpr(size, context));
  if (llvm::all_of(loops, [](AffineExpr loop) { return bool(loop); }))
    return loops;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (AffineDimExpr loop = dyn_cast<AffineDimExpr>(expr))
        if (!loops[loop.getPosition()])
          loops[loop.getPosition()] = getSize(operand.get(), dim);
  }
  return loops;
}

void TensorSizes::setMultiple(unsigned number, int64_t multiple) {
  multiples[number] = multiple;
}

/// Multiples of 16 with a prime factor of their own, so that neither they nor
/// their products are equal to other sizes by chance.
int64_t TensorSizes::getAssumedSize(unsigned symbol) {
  static constexpr int64_t primes[] = {37, 41, 43, 47, 53, 59,  61,  67,  71,
                                       73, 79, 83, 89, 97, 101, 103, 107, 109};
  constexpr unsigned count = std::size(primes);
  return 16 * (symbol < count ? primes[symbol]
                              : primes[count - 1] + 2 * (symbol - count + 1));
}

int64_t TensorSizes::assume(AffineExpr expr) const {
  SmallVector<AffineExpr> values;
  for (unsigned i = 0; i < symbols.size(); ++i)
    values.push_back(getAffineConstantExpr(getAssumedSize(i) / multiples[i],
                                           expr.getContext()));
  return cast<AffineConstantExpr>(expr.replaceSymbols(values)).getValue();
}
