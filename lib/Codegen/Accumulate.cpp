// What the paths with reductions share: chunks of places, accumulators and the
// order of reductions that need each other.
#include "fuse-mlir/Codegen/KernelCodegen.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::fuse;

Chunk fuse::makeChunk(ElementEmitter &emitter, int64_t width, AffineExpr size,
                      function_ref<AffineExpr(int64_t lane)> place) {
  Chunk chunk;
  AffineExpr first = emitter.simplify(place(0));
  // Whole chunks exist or do not; else each lane is asked.
  bool whole = size.isMultipleOf(width) && first.isMultipleOf(width);
  if (whole && width > 1) {
    AffineExpr count = emitter.simplify(size.floorDiv(width));
    AffineExpr number = emitter.simplify(first.floorDiv(width));
    Condition exists = emitter.isBelow(number, count);
    number = emitter.clampBelow(number, count);
    for (int64_t lane = 0; lane < width; ++lane) {
      chunk.places.push_back(emitter.simplify(number * width + lane));
      chunk.exists.push_back(exists);
    }
    return chunk;
  }
  for (int64_t lane = 0; lane < width; ++lane) {
    AffineExpr at = emitter.simplify(place(lane));
    chunk.exists.push_back(emitter.isBelow(at, size));
    chunk.places.push_back(emitter.clampBelow(at, size));
  }
  return chunk;
}

Type fuse::getStoredType(Type type) {
  constexpr unsigned kByte = 8;
  IntegerType integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return type;
  unsigned bits =
      std::max<unsigned>(kByte, llvm::PowerOf2Ceil(integer.getWidth()));
  return IntegerType::get(type.getContext(), bits);
}

Type Accumulator::getStoredType() const {
  return fuse::getStoredType(getType());
}

//===----------------------------------------------------------------------===//
// Accumulators
//===----------------------------------------------------------------------===//

/// The elements that `root` takes of a row if these are fewer than there are
/// columns; null otherwise.
static AffineExpr getOwnLength(const GroupShape &shape, linalg::LinalgOp root) {
  if (!isa<AffineConstantExpr>(shape.columnExtent) ||
      llvm::is_contained(shape.columnRoots, root))
    return {};
  AffineExpr length = getAffineConstantExpr(1, root.getContext());
  for (auto [size, kind] :
       llvm::zip(shape.sizes.getLoops(root), root.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction)
      length = shape.sizes.multiply(length, size);
  return length == shape.columnExtent ? AffineExpr() : length;
}

Accumulators::Accumulators(KernelContext &context,
                           ArrayRef<Operation *> roots) {
  for (Operation *op : roots) {
    linalg::LinalgOp root = cast<linalg::LinalgOp>(op);
    std::optional<SmallVector<ReductionPart, 2>> parts = matchReduction(root);
    if (!parts)
      parts.emplace();
    for (const ReductionPart &part : *parts) {
      combiners.push_back(Combiner::create(root, part));
      lengths.push_back(getOwnLength(context.shape, root));
    }
    if (parts->empty() || llvm::is_contained(combiners, nullptr)) {
      context.emitter.fail(root, "has no recognised combiner",
                           context.builder().getI32Type());
      combiners.clear();
      break;
    }
  }
  for (const std::unique_ptr<Combiner> &combiner : combiners)
    for (TypedAttr neutral : combiner->getNeutral())
      all.push_back({neutral});
}

SmallVector<Value> Accumulators::emitNeutral(KernelContext &context) const {
  return llvm::map_to_vector(all, [&](const Accumulator &accumulator) {
    return fuse::emitNeutral(context, accumulator);
  });
}

void Accumulators::accumulate(KernelContext &context, AffineExpr row,
                              const Chunk &columns,
                              MutableArrayRef<Value> partial) const {
  ElementEmitter &emitter = context.emitter;
  for (auto [combiner, length] : llvm::zip_equal(combiners, lengths)) {
    unsigned width = combiner->getNeutral().size();
    SmallVector<AffineExpr> loops =
        context.shape.rootLoops.lookup(combiner->getRoot());
    for (auto [column, exists] : llvm::zip(columns.places, columns.exists)) {
      Condition isOwn =
          length ? emitter.conjunction(exists, emitter.isBelow(column, length))
                 : exists;
      combiner->accumulate(emitter, context.at(loops, row, column), isOwn,
                           partial.take_front(width));
    }
    partial = partial.drop_front(width);
  }
}

void Accumulators::accumulate(KernelContext &context, AffineExpr row,
                              AffineExpr column, Condition exists,
                              MutableArrayRef<Value> partial) const {
  accumulate(context, row, Chunk{{column}, {exists}}, partial);
}

void Accumulators::combine(KernelContext &context,
                           MutableArrayRef<Value> partial,
                           ArrayRef<Value> other) const {
  for (const std::unique_ptr<Combiner> &combiner : combiners) {
    unsigned width = combiner->getNeutral().size();
    SmallVector<Value> both =
        combiner->combine(context.builder(), context.loc(),
                          partial.take_front(width), other.take_front(width));
    llvm::copy(both, partial.begin());
    partial = partial.drop_front(width);
    other = other.drop_front(width);
  }
}

/// The results of `combiner`'s part. Where the total does not decide, the
/// reduction is run in order; that is rare, and then all threads of a row do.
static SmallVector<Value> finish(KernelContext &context,
                                 const Combiner &combiner,
                                 ArrayRef<AffineExpr> loops,
                                 ArrayRef<Value> inits, ArrayRef<Value> total) {
  OpBuilder &builder = context.builder();
  linalg::LinalgOp root = combiner.getRoot();
  Location loc = root.getLoc();
  SmallVector<Value> results = combiner.finish(builder, loc, inits, total);
  Value inOrder = combiner.needsOrder(builder, loc, inits, total);
  if (!inOrder)
    return results;
  return context.emitter.emitIf(
      {Condition::Runtime, inOrder}, ValueRange(results).getTypes(),
      [&] {
        SmallVector<AffineExpr> parallel(loops);
        for (auto [loop, kind] :
             llvm::zip(parallel, root.getIteratorTypesArray()))
          if (kind == utils::IteratorType::reduction)
            loop = AffineExpr();
        SmallVector<Value> all = context.emitter.emitInOrder(root, parallel);
        return llvm::map_to_vector(
            combiner.getPart().results,
            [&](unsigned number) { return all[number]; });
      },
      [&] { return results; });
}

void Accumulators::remember(KernelContext &context, ArrayRef<Value> totals,
                            AffineExpr row, AffineExpr column) const {
  ElementEmitter &emitter = context.emitter;
  for (const std::unique_ptr<Combiner> &combiner : combiners) {
    linalg::LinalgOp root = combiner->getRoot();
    SmallVector<AffineExpr> loops =
        context.at(context.shape.rootLoops.lookup(root), row, column);
    unsigned width = combiner->getNeutral().size();
    SmallVector<Value> results =
        finish(context, *combiner, loops, emitter.emitInits(root, loops),
               totals.take_front(width));
    totals = totals.drop_front(width);
    for (auto [number, result] :
         llvm::zip(combiner->getPart().results, results)) {
      OpOperand &init = *root.getDpsInitOperand(number);
      SmallVector<AffineExpr> index;
      for (AffineExpr expr : root.getMatchingIndexingMap(&init).getResults())
        index.push_back(emitter.simplify(expr.replaceDims(loops)));
      emitter.remember(root->getResult(number), index, result);
    }
  }
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
                                   accumulator.neutral);
}

Value fuse::selectExisting(KernelContext &context,
                           const Accumulator &accumulator, Condition exists,
                           Value value) {
  if (exists.kind != Condition::Runtime)
    return value;
  return arith::SelectOp::create(context.builder(), context.loc(), exists.value,
                                 value, emitNeutral(context, accumulator));
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
