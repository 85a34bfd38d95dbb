// How far apart the elements of a thread lie on path `pointwise`. What is
// computed from broadcast operands alone (the sine of an angle that all heads
// have) is the same at places that lie as far apart as the operands repeat, and
// a thread that owns two such places computes it once.
#include "LaunchChoice.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace mlir::fuse;

/// Lane slots of a scalar operation, roughly.
static int64_t getSlots(Operation &op) {
  if (isa<math::MathDialect>(op.getDialect()))
    return 16;
  return isa<arith::DivFOp, arith::RemFOp, arith::DivSIOp, arith::DivUIOp,
             arith::RemSIOp, arith::RemUIOp>(op)
             ? 8
             : 1;
}

namespace {
/// What two places `stride` apart have in common.
class CommonWork {
public:
  CommonWork(const GroupShape &shape, int64_t vector, int64_t stride)
      : shape(shape), vector(vector), stride(stride) {
    for (const LeafAccess &access : shape.accesses) {
      auto [it, isNew] = common.insert({access.value, true});
      it->second = it->second && isCommon(access);
    }
  }

  /// Slots of operations that have the same operands at both places.
  int64_t count() {
    for (const OutputSeed &output : shape.outputs)
      visit(output.value);
    return slots;
  }

private:
  bool isCommon(const LeafAccess &access) const;
  bool visit(Value value);
  void visitBody(linalg::LinalgOp op);

  const GroupShape &shape;
  int64_t vector, stride;
  llvm::DenseMap<Value, bool> common;
  int64_t slots = 0;
};
} // namespace

/// Looked at in a few places: it is no matter of right or wrong.
bool CommonWork::isCommon(const LeafAccess &access) const {
  MLIRContext *context = access.linear.getContext();
  AffineExpr zero = getAffineConstantExpr(0, context);
  SmallVector<AffineExpr> symbols(shape.runTimeIndices.size(), zero);
  auto at = [&](AffineExpr expr, int64_t place) {
    return expr.replaceDimsAndSymbols(
        {getAffineConstantExpr(place, context), zero}, symbols);
  };
  int64_t groups = shape.rows / (2 * stride);
  for (int64_t group : {int64_t(0), groups / 3, groups - 1})
    for (int64_t in : {int64_t(0), stride / 3, stride - vector}) {
      int64_t place = group * 2 * stride + in;
      auto differs = [&](AffineExpr expr) {
        return at(expr, place) != at(expr, place + stride);
      };
      if (differs(access.linear) ||
          llvm::any_of(access.guards,
                       [&](const auto &guard) { return differs(guard.first); }))
        return false;
    }
  return true;
}

void CommonWork::visitBody(linalg::LinalgOp op) {
  for (OpOperand &operand : op->getOpOperands())
    if (op.payloadUsesValueFromOperand(&operand))
      common[op.getMatchingBlockArgument(&operand)] = visit(operand.get());
  for (Operation &inner : op.getBlock()->without_terminator()) {
    bool isCommon = !isa<linalg::IndexOp>(inner) &&
                    llvm::all_of(inner.getOperands(), [&](Value value) {
                      auto it = common.find(value);
                      return it == common.end() || it->second;
                    });
    if (isCommon && inner.getNumOperands() > 0)
      slots += getSlots(inner);
    for (Value result : inner.getResults())
      common[result] = isCommon;
  }
  for (auto [result, yielded] : llvm::zip(
           op->getResults(), op.getBlock()->getTerminator()->getOperands())) {
    auto it = common.find(yielded);
    common[result] = it == common.end() || it->second;
  }
}

bool CommonWork::visit(Value value) {
  if (auto it = common.find(value); it != common.end())
    return it->second;
  Operation *op = value.getDefiningOp();
  if (auto structured = dyn_cast_or_null<linalg::LinalgOp>(op)) {
    visitBody(structured);
    return common[value];
  }
  bool isCommon = true;
  for (Value operand : op ? op->getOperands() : ValueRange())
    if (isa<RankedTensorType>(operand.getType()))
      isCommon &= visit(operand);
  return common[value] = isCommon;
}

/// Distances at which places of operands repeat.
static llvm::SmallSet<int64_t, 8> findPeriods(const GroupShape &shape) {
  llvm::SmallSet<int64_t, 8> periods;
  auto constant = [](AffineExpr expr) {
    auto known = dyn_cast<AffineConstantExpr>(expr);
    return known ? known.getValue() : 0;
  };
  for (const LeafAccess &access : shape.accesses)
    access.linear.walk([&](AffineExpr expr) {
      auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
      if (!binary || (expr.getKind() != AffineExprKind::Mod &&
                      expr.getKind() != AffineExprKind::FloorDiv))
        return;
      int64_t period = constant(binary.getRHS());
      auto inner = dyn_cast<AffineBinaryOpExpr>(binary.getLHS());
      if (inner && inner.getKind() == AffineExprKind::FloorDiv)
        period *= constant(inner.getRHS());
      if (period > 0)
        periods.insert(period);
    });
  return periods;
}

int64_t fuse::chooseStride(const GroupShape &shape, int64_t vector,
                           int64_t threads) {
  // Threads that are worth a kernel of their own, and slots that are worth
  // having fewer of them.
  constexpr int64_t kThreads = Rates::kMultiprocessors * 128, kSlots = 16;
  if (shape.rows < 2 * vector * kThreads ||
      shape.rows % (2 * vector * threads) != 0)
    return 0;
  int64_t best = 0, most = kSlots - 1;
  for (int64_t stride : findPeriods(shape)) {
    if (stride % vector != 0 || shape.rows % (2 * stride) != 0)
      continue;
    int64_t slots = CommonWork(shape, vector, stride).count();
    if (slots > most || (slots == most && best != 0 && stride < best)) {
      best = stride;
      most = slots;
    }
  }
  return best;
}
