// Path `row`. A row belongs to a group of threads; each combines the elements
// it owns, the group combines the partial results, and what depends on them is
// ordinary element code at the same places. Places beyond the end of a row or
// of the space are moved to the last one that exists: loads stay in bounds,
// reductions take the neutral element there, and nothing is stored.
#include "fuse-mlir/Codegen/KernelCodegen.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Neighbouring columns of one position of a thread.
struct Chunk {
  SmallVector<AffineExpr> columns;
  SmallVector<Condition> exists;
};

class RowKernel {
public:
  explicit RowKernel(KernelContext &context)
      : context(context), emitter(context.emitter), schedule(context.schedule) {
  }

  void run();

private:
  void emitRow();
  Chunk makeChunk(AffineExpr position);
  void reduce(linalg::LinalgOp root);
  void reduceChunk(linalg::LinalgOp root, ArrayRef<Combiner> combiners,
                   const Chunk &chunk, SmallVectorImpl<Value> &partials);
  Value accumulate(linalg::LinalgOp root, const Combiner &combiner,
                   ArrayRef<AffineExpr> loops, Condition exists, Value partial);
  Value neutral(const Combiner &combiner);
  void storeChunk(const Chunk &chunk);
  void storePerRow();
  void keepRow();
  void emitRange(int64_t rowsPerBlock);
  SmallVector<AffineExpr> loopsAt(linalg::LinalgOp root, AffineExpr column) {
    return context.at(context.shape.rootLoops.lookup(root), row, column);
  }

  KernelContext &context;
  ElementEmitter &emitter;
  ScheduleAttr schedule;
  AffineExpr row;
  Condition rowExists;
  /// Threads that share a row.
  int64_t group = 1;
  /// The positions are visited by a loop, for each reduction again.
  bool looped = false;
  /// The positions of a thread, unless they are visited by a loop.
  SmallVector<Chunk> chunks;
};
} // namespace

Chunk RowKernel::makeChunk(AffineExpr position) {
  AffineExpr layout = schedule.getLayout().getResult(1);
  int64_t width = schedule.getVector(), columns = schedule.getColumns();
  auto column = [&](int64_t lane) {
    return emitter.simplify(layout.replaceDims(
        {context.block, context.thread, position, emitter.constant(lane)}));
  };
  Chunk chunk;
  AffineExpr first = column(0);
  // Whole chunks exist or do not; else each lane is asked.
  bool whole = columns % width == 0 && first.isMultipleOf(width);
  if (whole && width > 1) {
    AffineExpr number = emitter.simplify(first.floorDiv(width));
    Condition exists = emitter.isWithin(number, 0, columns / width - 1);
    number = emitter.clamp(number, 0, columns / width - 1);
    for (int64_t lane = 0; lane < width; ++lane) {
      chunk.columns.push_back(emitter.simplify(number * width + lane));
      chunk.exists.push_back(exists);
    }
    return chunk;
  }
  for (int64_t lane = 0; lane < width; ++lane) {
    AffineExpr at = column(lane);
    chunk.exists.push_back(emitter.isWithin(at, 0, columns - 1));
    chunk.columns.push_back(emitter.clamp(at, 0, columns - 1));
  }
  return chunk;
}

Value RowKernel::neutral(const Combiner &combiner) {
  return arith::ConstantOp::create(context.builder(), context.loc(),
                                   combiner.getNeutral());
}

/// Combines the element of one iteration into `partial` (null at first).
Value RowKernel::accumulate(linalg::LinalgOp root, const Combiner &combiner,
                            ArrayRef<AffineExpr> loops, Condition exists,
                            Value partial) {
  OpBuilder &builder = context.builder();
  Location loc = root.getLoc();
  Type type = combiner.getType();
  arith::MulFOp product = combiner.operand.getDefiningOp<arith::MulFOp>();
  bool fused = partial && exists.kind == Condition::Always && product &&
               product->hasOneUse() && isa<arith::AddFOp>(combiner.op) &&
               (type.isF32() || type.isF64());
  if (fused)
    return math::FmaOp::create(
        builder, loc, emitter.emitBodyValue(root, loops, product.getLhs()),
        emitter.emitBodyValue(root, loops, product.getRhs()), partial);
  Value element = emitter.emitBodyValue(root, loops, combiner.operand);
  if (exists.kind == Condition::Runtime)
    element = arith::SelectOp::create(builder, loc, exists.value, element,
                                      neutral(combiner));
  return partial ? combiner.combine(builder, loc, partial, element) : element;
}

void RowKernel::reduceChunk(linalg::LinalgOp root, ArrayRef<Combiner> combiners,
                            const Chunk &chunk,
                            SmallVectorImpl<Value> &partials) {
  for (auto [column, exists] : llvm::zip(chunk.columns, chunk.exists)) {
    if (exists.kind == Condition::Never)
      continue;
    SmallVector<AffineExpr> loops = loopsAt(root, column);
    for (auto [combiner, partial] : llvm::zip(combiners, partials))
      partial = accumulate(root, combiner, loops, exists, partial);
  }
}

void RowKernel::reduce(linalg::LinalgOp root) {
  std::optional<SmallVector<Combiner>> combiners = matchCombiners(root);
  if (!combiners) {
    emitter.fail(root, "has no recognised combiner for the row path",
                 context.builder().getI32Type());
    return;
  }
  SmallVector<Value> partials(combiners->size());
  if (looped) {
    for (auto [combiner, partial] : llvm::zip(*combiners, partials))
      partial = neutral(combiner);
    partials = emitter.emitLoop(schedule.getPositions(), partials,
                                [&](AffineExpr position, ValueRange carried) {
                                  SmallVector<Value> next(carried);
                                  reduceChunk(root, *combiners,
                                              makeChunk(position), next);
                                  return next;
                                });
  } else {
    for (const Chunk &chunk : chunks)
      reduceChunk(root, *combiners, chunk, partials);
  }
  SmallVector<AffineExpr> loops = loopsAt(root, emitter.constant(0));
  SmallVector<Value> inits = emitter.emitInits(root, loops);
  for (auto [i, combiner] : llvm::enumerate(*combiners)) {
    Value partial = partials[i] ? partials[i] : neutral(combiner);
    Value total = combineAcrossThreads(context, combiner, partial, group);
    Value result =
        combiner.combine(context.builder(), root.getLoc(), inits[i], total);
    AffineMap map = root.getMatchingIndexingMap(root.getDpsInitOperand(i));
    SmallVector<AffineExpr> index;
    for (AffineExpr expr : map.getResults())
      index.push_back(emitter.simplify(expr.replaceDims(loops)));
    emitter.remember(root->getResult(i), index, result);
  }
}

void RowKernel::storeChunk(const Chunk &chunk) {
  if (llvm::all_of(chunk.exists, [](const Condition &exists) {
        return exists.kind == Condition::Never;
      }))
    return;
  unsigned outputs = context.shape.outputs.size();
  for (unsigned i = 0; i < outputs; ++i) {
    if (context.shape.outputs[i].perRow)
      continue;
    SmallVector<Value> values;
    for (AffineExpr column : chunk.columns)
      values.push_back(context.emitOutput(i, row, column));
    bool uniform = llvm::all_of(chunk.exists, [&](const Condition &exists) {
      return exists.kind == chunk.exists.front().kind &&
             exists.value == chunk.exists.front().value;
    });
    auto storeLane = [&](unsigned lane) {
      context.storeOutput(i, row, chunk.columns[lane], values[lane]);
    };
    if (uniform) {
      emitter.emitIf(emitter.conjunction(rowExists, chunk.exists.front()), [&] {
        for (unsigned lane = 0; lane < values.size(); ++lane)
          storeLane(lane);
      });
      continue;
    }
    for (unsigned lane = 0; lane < values.size(); ++lane)
      emitter.emitIf(emitter.conjunction(rowExists, chunk.exists[lane]),
                     [&] { storeLane(lane); });
  }
}

void RowKernel::storePerRow() {
  AffineExpr zero = emitter.constant(0);
  Condition isOwner = emitter.conjunction(
      rowExists,
      emitter.isWithin(emitter.simplify(context.thread % group), 0, 0));
  for (unsigned i = 0; i < context.shape.outputs.size(); ++i) {
    if (!context.shape.outputs[i].perRow)
      continue;
    Value value = context.emitOutput(i, row, zero);
    emitter.emitIf(isOwner, [&] { context.storeOutput(i, row, zero, value); });
  }
}

void RowKernel::emitRow() {
  if (!looped)
    for (int64_t p = 0; p < schedule.getPositions(); ++p)
      chunks.push_back(makeChunk(emitter.constant(p)));
  for (Operation *root : context.shape.roots)
    reduce(cast<linalg::LinalgOp>(root));
  if (llvm::any_of(context.shape.outputs,
                   [](const OutputSeed &seed) { return !seed.perRow; })) {
    if (looped)
      emitter.emitLoop(schedule.getPositions(), {},
                       [&](AffineExpr position, ValueRange) {
                         storeChunk(makeChunk(position));
                         return SmallVector<Value>();
                       });
    else
      for (const Chunk &chunk : chunks)
        storeChunk(chunk);
  }
  storePerRow();
}

/// Copies the row to shared memory; every thread reads there from now on. Its
/// places beyond the row are places of other threads, hence the barrier.
void RowKernel::keepRow() {
  int64_t columns = schedule.getColumns();
  AffineExpr base = emitter.simplify(row * columns);
  SmallVector<std::pair<Value, Value>> buffers;
  for (Value argument : context.kernel.getBody().getArguments().take_front(
           context.kernel.getInputs().size())) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || !context.reads(argument) ||
        type.getNumElements() != schedule.getRows() * columns)
      continue;
    Value global = emitter.getBound(argument);
    Value buffer = addDynamicBuffer(context, columns,
                                    getElementTypeOrSelf(global.getType()));
    buffers.push_back({argument, buffer});
  }
  emitter.emitLoop(
      schedule.getPositions(), {}, [&](AffineExpr position, ValueRange) {
        Chunk chunk = makeChunk(position);
        emitter.emitIf(chunk.exists.front(), [&] {
          for (auto [argument, buffer] : buffers)
            for (AffineExpr column : chunk.columns)
              emitter.storeTo(
                  buffer, column,
                  emitter.loadFrom(emitter.getBound(argument),
                                   emitter.simplify(base + column)));
        });
        return SmallVector<Value>();
      });
  gpu::BarrierOp::create(context.builder(), context.loc());
  for (auto [argument, buffer] : buffers)
    emitter.stageArgument(argument, buffer, base, columns);
}

/// Several short rows per block, staged as one range.
void RowKernel::emitRange(int64_t rowsPerBlock) {
  // The row within the block is what is limited, so that it stays known that
  // all rows of a block are neighbours.
  AffineExpr first = emitter.simplify(context.block * rowsPerBlock);
  AffineExpr inBlock = emitter.simplify(row - first);
  if (rowExists.kind == Condition::Runtime) {
    OpBuilder &builder = context.builder();
    Value last = emitter.materialize(
        emitter.simplify(emitter.constant(schedule.getRows() - 1) - first));
    Value number = emitter.materialize(inBlock);
    number = arith::MinSIOp::create(builder, context.loc(), number, last);
    inBlock = emitter.addVariable(number, IndexRange::ofSize(rowsPerBlock));
  }
  row = emitter.simplify(first + inBlock);
  stageInputs(context, rowsPerBlock);
  emitRow();
  unstageOutputs(context, rowsPerBlock);
}

void RowKernel::run() {
  AffineExpr zero = emitter.constant(0);
  AffineExpr layout = emitter.simplify(schedule.getLayout().getResult(0));
  std::optional<int64_t> rowsPerBlock = getStride(layout, 0);
  if (!rowsPerBlock || *rowsPerBlock < 1 ||
      schedule.getThreads() % *rowsPerBlock != 0) {
    emitter.fail(context.kernel, "has a layout that gives no rows to blocks",
                 context.builder().getI32Type());
    return;
  }
  group = schedule.getThreads() / *rowsPerBlock;
  row = emitter.simplify(
      layout.replaceDims({context.block, context.thread, zero, zero}));
  rowExists = emitter.isWithin(row, 0, schedule.getRows() - 1);
  bool shared = schedule.getResidency() == Residency::Shared;
  if (shared && *rowsPerBlock > 1)
    return emitRange(*rowsPerBlock);
  looped = shared || schedule.getResidency() == Residency::Reread;
  row = emitter.clamp(row, 0, schedule.getRows() - 1);
  if (shared)
    keepRow();
  emitRow();
}

void fuse::emitRowKernel(KernelContext &context) { RowKernel(context).run(); }
