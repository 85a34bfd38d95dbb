// Neighbouring elements that come from one of several places (the operands of a
// concatenation, inside or outside of a pad): what all of them have in common
// is asked once, so that their accesses behind the question become one.
#include "fuse-mlir/Codegen/Combiner.h"
#include "fuse-mlir/Codegen/KernelCodegen.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::fuse;

/// Questions that are asked one behind the other.
static constexpr unsigned kMostQuestions = 4;

bool fuse::hasGuards(const KernelContext &context) {
  return llvm::any_of(context.ops, isGuarded);
}

std::optional<int64_t> fuse::asksTheSame(ElementEmitter &emitter,
                                         const Guard &first, const Guard &last,
                                         int64_t width) {
  AffineConstantExpr step =
      dyn_cast<AffineConstantExpr>(emitter.simplify(last.expr - first.expr));
  if (!step || first.low != last.low || first.high != last.high)
    return std::nullopt;
  if (step.getValue() == 0)
    return 1;
  bool aligned = step.getValue() == width - 1 &&
                 first.expr.isMultipleOf(width) &&
                 first.low.isMultipleOf(width) &&
                 emitter.simplify(first.high + 1).isMultipleOf(width);
  return aligned ? std::optional(width) : std::nullopt;
}

std::optional<std::pair<Guard, int64_t>>
fuse::findCommonGuard(ElementEmitter &emitter, int64_t width,
                      function_ref<void(int64_t)> emitLane) {
  SmallVector<Guard> first = emitter.collectGuards([&] { emitLane(0); });
  if (first.empty())
    return std::nullopt;
  SmallVector<Guard> last = emitter.collectGuards([&] { emitLane(width - 1); });
  if (first.size() != last.size())
    return std::nullopt;
  for (auto [a, b] : llvm::zip(first, last)) {
    if (!isa<AffineConstantExpr>(emitter.simplify(b.expr - a.expr)) ||
        a.low != b.low || a.high != b.high)
      return std::nullopt;
    if (std::optional<int64_t> same = asksTheSame(emitter, a, b, width))
      return std::pair(a, *same);
  }
  return std::nullopt;
}

/// The elements of the lanes as a vector, which keeps LLVM from loading them
/// one by one behind the question; nothing is emitted if they have none in
/// common.
static Value emitIfCommon(KernelContext &context, VectorType type,
                          function_ref<Value(int64_t)> emitLane,
                          unsigned depth) {
  ElementEmitter &emitter = context.emitter;
  int64_t width = type.getNumElements();
  std::optional<std::pair<Guard, int64_t>> common;
  if (depth < kMostQuestions)
    common =
        findCommonGuard(emitter, width, [&](int64_t lane) { emitLane(lane); });
  if (!common)
    return {};
  auto &[guard, range] = *common;
  auto branch = [&](bool holds) {
    emitter.pushKnown(guard, range, holds);
    Value elements = emitIfCommon(context, type, emitLane, depth + 1);
    if (!elements) {
      SmallVector<Value> lanes;
      for (int64_t lane = 0; lane < width; ++lane)
        lanes.push_back(emitLane(lane));
      elements = vector::FromElementsOp::create(context.builder(),
                                                context.loc(), type, lanes);
    }
    emitter.popKnown();
    return elements;
  };
  return emitter.emitIf(
      emitter.isWithin(guard.expr, guard.low, guard.high), type,
      [&] { return branch(true); }, [&] { return branch(false); });
}

/// Emits the lanes of requests for one tensor, and remembers them.
static void emitRequests(KernelContext &context,
                         ArrayRef<ElementRequest> lanes) {
  ElementEmitter &emitter = context.emitter;
  Value tensor = lanes.front().tensor;
  Type element = getElementTypeOrSelf(tensor.getType());
  if (!element.isIntOrFloat() || element.isInteger(1))
    return;
  Value elements = emitIfCommon(
      context, VectorType::get({static_cast<int64_t>(lanes.size())}, element),
      [&](int64_t lane) { return emitter.emit(tensor, lanes[lane].index); },
      /*depth=*/0);
  if (!elements)
    return;
  for (auto [lane, request] : llvm::enumerate(lanes))
    emitter.remember(tensor, request.index,
                     vector::ExtractOp::create(context.builder(), context.loc(),
                                               elements, int64_t(lane)));
}

void fuse::emitTogether(KernelContext &context, Value tensor,
                        ArrayRef<SmallVector<AffineExpr>> lanes) {
  if (lanes.size() < 2)
    return;
  SmallVector<SmallVector<ElementRequest>> requests;
  for (ArrayRef<AffineExpr> index : lanes) {
    requests.push_back(context.emitter.collectGuarded(
        [&] { context.emitter.emit(tensor, index); }));
    // All lanes ask for the same.
    if (!llvm::equal(requests.front(), requests.back(),
                     [](const ElementRequest &a, const ElementRequest &b) {
                       return a.tensor == b.tensor;
                     }))
      return;
  }
  for (size_t number = 0; number < requests.front().size(); ++number) {
    SmallVector<ElementRequest> same;
    for (ArrayRef<ElementRequest> lane : requests)
      same.push_back(lane[number]);
    emitRequests(context, same);
  }
}

void Accumulators::emitOperands(
    KernelContext &context,
    ArrayRef<std::pair<AffineExpr, AffineExpr>> places) const {
  if (places.size() < 2 || !hasGuards(context))
    return;
  for (const std::unique_ptr<Combiner> &combiner : combiners) {
    linalg::LinalgOp root = combiner->getRoot();
    for (OpOperand *operand : root.getDpsInputOperands()) {
      if (!root.payloadUsesValueFromOperand(operand))
        continue;
      AffineMap map = root.getMatchingIndexingMap(operand);
      SmallVector<SmallVector<AffineExpr>> lanes;
      for (auto [row, column] : places) {
        SmallVector<AffineExpr> loops =
            context.at(context.shape.rootLoops.lookup(root), row, column);
        SmallVector<AffineExpr> &index = lanes.emplace_back();
        for (AffineExpr expr : map.getResults())
          index.push_back(context.emitter.simplify(expr.replaceDims(loops)));
      }
      emitTogether(context, operand->get(), lanes);
    }
  }
}
