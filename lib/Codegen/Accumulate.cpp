// What the paths with reductions share: chunks of places, accumulators and the
// order of reductions that need each other.
#include "fuse-mlir/Codegen/KernelCodegen.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::fuse;

Chunk fuse::makeChunk(ElementEmitter &emitter, int64_t width, int64_t size,
                      function_ref<AffineExpr(int64_t lane)> place) {
  Chunk chunk;
  AffineExpr first = emitter.simplify(place(0));
  // Whole chunks exist or do not; else each lane is asked.
  bool whole = size % width == 0 && first.isMultipleOf(width);
  if (whole && width > 1) {
    AffineExpr number = emitter.simplify(first.floorDiv(width));
    Condition exists = emitter.isWithin(number, 0, size / width - 1);
    number = emitter.clamp(number, 0, size / width - 1);
    for (int64_t lane = 0; lane < width; ++lane) {
      chunk.places.push_back(emitter.simplify(number * width + lane));
      chunk.exists.push_back(exists);
    }
    return chunk;
  }
  for (int64_t lane = 0; lane < width; ++lane) {
    AffineExpr at = emitter.simplify(place(lane));
    chunk.exists.push_back(emitter.isWithin(at, 0, size - 1));
    chunk.places.push_back(emitter.clamp(at, 0, size - 1));
  }
  return chunk;
}

Type Accumulator::getStoredType() const {
  Type type = getType();
  return type.isInteger(1) ? IntegerType::get(type.getContext(), 8) : type;
}

SmallVector<Accumulator> fuse::matchAccumulators(KernelContext &context,
                                                 ArrayRef<Operation *> roots) {
  SmallVector<Accumulator> accumulators;
  for (Operation *op : roots) {
    linalg::LinalgOp root = cast<linalg::LinalgOp>(op);
    std::optional<SmallVector<Combiner>> combiners = matchCombiners(root);
    if (!combiners) {
      context.emitter.fail(root, "has no recognised combiner",
                           context.builder().getI32Type());
      return {};
    }
    for (auto [number, combiner] : llvm::enumerate(*combiners))
      accumulators.push_back({root, unsigned(number), combiner});
  }
  return accumulators;
}

SmallVector<SmallVector<Operation *>> fuse::getStages(KernelContext &context) {
  // How many reductions lie, one behind another, before an operator's result.
  llvm::DenseMap<Operation *, unsigned> depth;
  SmallVector<SmallVector<Operation *>> stages;
  for (Operation *op : context.ops) {
    unsigned before = 0;
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        before = std::max(before, depth.lookup(producer));
    bool isRoot = llvm::is_contained(context.shape.roots, op) &&
                  !llvm::is_contained(context.shape.columnRoots, op);
    depth[op] = before + isRoot;
    if (!isRoot)
      continue;
    if (stages.size() <= before)
      stages.resize(before + 1);
    stages[before].push_back(op);
  }
  return stages;
}

Value fuse::emitNeutral(KernelContext &context,
                        const Accumulator &accumulator) {
  return arith::ConstantOp::create(context.builder(), context.loc(),
                                   accumulator.combiner.getNeutral());
}

Value fuse::accumulate(KernelContext &context, const Accumulator &accumulator,
                       ArrayRef<AffineExpr> loops, Condition exists,
                       Value partial) {
  if (exists.kind == Condition::Never)
    return partial;
  OpBuilder &builder = context.builder();
  linalg::LinalgOp root = accumulator.root;
  const Combiner &combiner = accumulator.combiner;
  Location loc = root.getLoc();
  Type type = combiner.getType();
  arith::MulFOp product = combiner.operand.getDefiningOp<arith::MulFOp>();
  bool fused = partial && exists.kind == Condition::Always && product &&
               product->hasOneUse() && isa<arith::AddFOp>(combiner.op) &&
               (type.isF32() || type.isF64());
  if (fused)
    return math::FmaOp::create(
        builder, loc,
        context.emitter.emitBodyValue(root, loops, product.getLhs()),
        context.emitter.emitBodyValue(root, loops, product.getRhs()), partial);
  Value element = context.emitter.emitBodyValue(root, loops, combiner.operand);
  if (exists.kind == Condition::Runtime)
    element = arith::SelectOp::create(builder, loc, exists.value, element,
                                      emitNeutral(context, accumulator));
  return partial ? combiner.combine(builder, loc, partial, element) : element;
}

void fuse::rememberTotals(KernelContext &context,
                          ArrayRef<Accumulator> accumulators,
                          ArrayRef<Value> totals, AffineExpr row,
                          AffineExpr column) {
  ElementEmitter &emitter = context.emitter;
  for (auto [accumulator, total] : llvm::zip(accumulators, totals)) {
    linalg::LinalgOp root = accumulator.root;
    SmallVector<AffineExpr> loops =
        context.at(context.shape.rootLoops.lookup(root), row, column);
    OpOperand &init = *root.getDpsInitOperand(accumulator.number);
    SmallVector<AffineExpr> index;
    for (AffineExpr expr : root.getMatchingIndexingMap(&init).getResults())
      index.push_back(emitter.simplify(expr.replaceDims(loops)));
    Value result =
        accumulator.combiner.combine(context.builder(), root.getLoc(),
                                     emitter.emit(init.get(), index), total);
    emitter.remember(root->getResult(accumulator.number), index, result);
  }
}

AffineExpr fuse::getSharedPlace(const Accumulator &accumulator,
                                AffineExpr chunk, int64_t chunks, int64_t lane,
                                int64_t lanes) {
  Type type = accumulator.getStoredType();
  int64_t bytes = type.isIndex() ? 8 : type.getIntOrFloatBitWidth() / 8;
  int64_t width = std::min<int64_t>(lanes, std::max<int64_t>(16 / bytes, 1));
  if (lanes % width != 0)
    width = lanes;
  return (chunk + lane / width * chunks) * width + lane % width;
}

Value fuse::loadPartial(KernelContext &context, const Accumulator &accumulator,
                        Value buffer, AffineExpr at) {
  Value partial = context.emitter.loadFrom(buffer, at);
  if (partial.getType() == accumulator.getType())
    return partial;
  return arith::TruncIOp::create(context.builder(), context.loc(),
                                 accumulator.getType(), partial);
}

void fuse::storePartial(KernelContext &context, const Accumulator &accumulator,
                        Value buffer, AffineExpr at, Value partial) {
  if (accumulator.getStoredType() != accumulator.getType())
    partial = arith::ExtUIOp::create(context.builder(), context.loc(),
                                     accumulator.getStoredType(), partial);
  context.emitter.storeTo(buffer, at, partial);
}
