// TOSA broadcasts a dimension of unknown size if it is 1 when the program runs:
// a branch, which nothing fuses through. Where both sizes are known to be the
// same one, the branch gives what it was given.
#include "fuse-mlir/Transforms/NormalizePatterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace {

/// A size: dimension `dimension` of the tensor `value`, or a number, times a
/// factor.
struct Size {
  Value value;
  int64_t dimension = -1;
  int64_t factor = 1;
  bool operator==(const Size &other) const {
    return value == other.value && dimension == other.dimension &&
           factor == other.factor;
  }
};

/// Where sizes come from. What was asked once is remembered, so that questions
/// in the order of the program take constant time each.
class SizeOrigins {
public:
  Size find(Value tensor, int64_t dimension);
  Size find(Value number);

private:
  Size compute(Value tensor, int64_t dimension);
  Size compute(tensor::CollapseShapeOp op, int64_t dimension);
  Size compute(Value number);

  DenseMap<std::pair<Value, int64_t>, Size> known;
};

} // namespace

Size SizeOrigins::find(Value tensor, int64_t dimension) {
  auto [it, isNew] = known.try_emplace({tensor, dimension});
  if (!isNew)
    return it->second;
  Size size = compute(tensor, dimension);
  known[{tensor, dimension}] = size;
  return size;
}

Size SizeOrigins::find(Value number) {
  auto [it, isNew] = known.try_emplace({number, -1});
  if (!isNew)
    return it->second;
  Size size = compute(number);
  known[{number, -1}] = size;
  return size;
}

Size SizeOrigins::compute(Value tensor, int64_t dimension) {
  OpResult result = dyn_cast<OpResult>(tensor);
  if (!result)
    return {tensor, dimension};
  auto ofNumbers = [&](ArrayRef<OpFoldResult> sizes) -> Size {
    if (Value number = dyn_cast<Value>(sizes[dimension]))
      return find(number);
    return {tensor, dimension};
  };
  return llvm::TypeSwitch<Operation *, Size>(result.getOwner())
      .Case([&](tensor::EmptyOp empty) {
        return ofNumbers(empty.getMixedSizes());
      })
      .Case([&](tensor::ExpandShapeOp expand) {
        return ofNumbers(expand.getMixedOutputShape());
      })
      .Case([&](tensor::CollapseShapeOp collapse) {
        return compute(collapse, dimension);
      })
      .Case([&](linalg::LinalgOp op) {
        return find(op.getDpsInitOperand(result.getResultNumber())->get(),
                    dimension);
      })
      .Default([&](Operation *) { return Size{tensor, dimension}; });
}

/// A dimension of unknown size and others of known ones are one of a multiple.
Size SizeOrigins::compute(tensor::CollapseShapeOp op, int64_t dimension) {
  int64_t factor = 1;
  std::optional<int64_t> unknown;
  for (int64_t from : op.getReassociationIndices()[dimension]) {
    if (!op.getSrcType().isDynamicDim(from))
      factor *= op.getSrcType().getDimSize(from);
    else if (std::exchange(unknown, from))
      return {op.getResult(), dimension};
  }
  if (!unknown)
    return {op.getResult(), dimension};
  Size size = find(op.getSrc(), *unknown);
  size.factor *= factor;
  return size;
}

Size SizeOrigins::compute(Value number) {
  if (auto dim = number.getDefiningOp<tensor::DimOp>())
    if (std::optional<int64_t> dimension = dim.getConstantIndex())
      return find(dim.getSource(), *dimension);
  if (auto larger = number.getDefiningOp<arith::MaxUIOp>()) {
    Size size = find(larger.getLhs());
    if (size == find(larger.getRhs()))
      return size;
  }
  auto quotient = number.getDefiningOp<arith::DivSIOp>();
  std::optional<int64_t> divisor;
  if (quotient)
    divisor = getConstantIntValue(quotient.getRhs());
  if (divisor && *divisor > 0) {
    Size size = find(quotient.getLhs());
    if (size.factor % *divisor == 0) {
      size.factor /= *divisor;
      return size;
    }
  }
  return {number};
}

/// What is broadcast by `copy`, and its dimensions of size 1, if it is a
/// broadcast and nothing else.
static Value matchBroadcast(linalg::GenericOp copy,
                            SmallVector<int64_t> &dimensions) {
  if (!copy || copy.getNumDpsInputs() != 1 || copy.getNumDpsInits() != 1 ||
      !copy.getMatchingIndexingMap(copy.getDpsInitOperand(0)).isIdentity() ||
      copy.getBody()->getTerminator()->getOperand(0) !=
          copy.getBody()->getArgument(0))
    return {};
  AffineMap map = copy.getMatchingIndexingMap(copy.getDpsInputOperand(0));
  if (map.getNumResults() != map.getNumDims())
    return {};
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    if (expr == getAffineDimExpr(i, copy.getContext()))
      continue;
    if (expr != getAffineConstantExpr(0, copy.getContext()))
      return {};
    dimensions.push_back(i);
  }
  return copy.getInputs()[0];
}

/// The tensor that `branch` gives in any case.
static Value findOnlyValue(scf::IfOp branch, SizeOrigins &origins) {
  auto isOne = branch.getCondition().getDefiningOp<arith::CmpIOp>();
  if (branch.getNumResults() != 1 || !isOne ||
      isOne.getPredicate() != arith::CmpIPredicate::eq ||
      getConstantIntValue(isOne.getRhs()) != 1)
    return {};
  Value copied = branch.thenYield().getOperand(0);
  SmallVector<int64_t> dimensions;
  Value source =
      matchBroadcast(copied.getDefiningOp<linalg::GenericOp>(), dimensions);
  if (!source || source != branch.elseYield().getOperand(0) ||
      source.getType() != branch.getResult(0).getType())
    return {};
  Size size = origins.find(isOne.getLhs());
  for (int64_t dimension : dimensions)
    if (!(origins.find(source, dimension) == size) ||
        !(origins.find(copied, dimension) == size))
      return {};
  return source;
}

void fuse::foldRunTimeBroadcasts(FunctionOpInterface function) {
  SizeOrigins origins;
  SmallVector<scf::IfOp> folded;
  function->walk<WalkOrder::PreOrder>([&](scf::IfOp branch) {
    Value source = findOnlyValue(branch, origins);
    if (!source)
      return;
    branch.getResult(0).replaceAllUsesWith(source);
    folded.push_back(branch);
  });
  for (scf::IfOp branch : folded)
    branch.erase();
}
