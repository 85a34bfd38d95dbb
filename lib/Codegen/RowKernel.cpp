// Path `row`. A row belongs to a group of threads; each combines the elements
// it owns, the group combines the partial results, and what depends on them is
// ordinary element code at the same places. Places beyond the end of a row or
// of the space are moved to the last one that exists: loads stay in bounds,
// reductions take the neutral element there, and nothing is stored.
#include "RowKernel.h"

#include "fuse-mlir/Analysis/LaunchShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::fuse;

/// Finds the columns of this block of a cluster; false if a block has none.
bool RowKernel::chooseOwnColumns() {
  int64_t width = schedule.getVector(), columns = schedule.getColumns();
  int64_t own = positions * group;
  int64_t chunks = columns / width;
  if (columns % width != 0 || (parts - 1) * own >= chunks)
    return false;
  AffineExpr part = emitter.simplify(context.block % parts);
  ownColumns = own * width;
  firstColumn = emitter.simplify(part * ownColumns);
  AffineExpr last = emitter.simplify(emitter.constant(chunks - 1) - part * own);
  lastChunk = parts * own == chunks ? emitter.constant(own - 1)
                                    : emitter.clamp(last, 0, own - 1);
  return true;
}

/// The same for a block of a cluster. The chunk is limited among those of the
/// block, so that it is known where in its shared memory it lies, and among
/// those of the row.
Chunk RowKernel::ownChunkAt(AffineExpr position) {
  int64_t width = schedule.getVector(), own = positions * group;
  int64_t columns = schedule.getColumns();
  AffineExpr number = emitter.simplify(position * group + context.thread);
  AffineExpr first;
  Condition exists =
      emitter.isWithin(emitter.simplify(number - lastChunk), -own, 0);
  if (exists.kind == Condition::Runtime) {
    Value limited = arith::MinSIOp::create(context.builder(), context.loc(),
                                           emitter.materialize(number),
                                           emitter.materialize(lastChunk));
    number = emitter.addVariable(limited, IndexRange::ofSize(own));
    // The last block has fewer chunks: none lies beyond the row, which views
    // of it have to know.
    AffineExpr inRow =
        emitter.simplify((firstColumn + number * width).floorDiv(width));
    first = emitter.addVariable(emitter.materialize(inRow),
                                IndexRange::ofSize(columns / width)) *
            width;
  } else {
    first = firstColumn + number * width;
  }
  Chunk chunk;
  for (int64_t lane = 0; lane < width; ++lane) {
    AffineExpr column = emitter.simplify(first + lane);
    chunk.places.push_back(column);
    chunk.exists.push_back(exists);
    for (auto [argument, buffer] : kept)
      emitter.stageElement(argument, emitter.simplify(row * columns + column),
                           buffer, emitter.simplify(number * width + lane));
  }
  return chunk;
}

Chunk RowKernel::chunkAt(AffineExpr position) {
  if (clustered)
    return ownChunkAt(position);
  AffineExpr layout = schedule.getLayout().getResult(1);
  AffineExpr before = emitter.constant(0);
  if (context.rowShift != 0)
    before =
        emitter.simplify(row * context.shape.columnExtent) % context.rowShift;
  return makeChunk(emitter, schedule.getVector(), context.shape.columnExtent,
                   [&](int64_t lane) {
                     return layout.replaceDims({block, context.thread,
                                                firstPosition + position,
                                                emitter.constant(lane)}) -
                            before;
                   });
}

void RowKernel::reduceChunk(const Accumulators &accumulators,
                            const Chunk &chunk,
                            SmallVectorImpl<Value> &partials) {
  SmallVector<std::pair<AffineExpr, AffineExpr>> places;
  for (AffineExpr column : chunk.places)
    places.emplace_back(row, column);
  accumulators.emitOperands(context, places);
  accumulators.accumulate(context, row, chunk, partials);
}

/// What the thread's columns combine to.
SmallVector<Value> RowKernel::reduce(const Accumulators &accumulators) {
  SmallVector<Value> partials(accumulators.size());
  if (!looped) {
    for (const Chunk &chunk : chunks)
      reduceChunk(accumulators, chunk, partials);
    for (auto [accumulator, partial] : llvm::zip(accumulators, partials))
      if (!partial)
        partial = emitNeutral(context, accumulator);
    return partials;
  }
  partials = accumulators.emitNeutral(context);
  int64_t unroll = getOwnUnroll();
  OwnSteps steps = getSteps(unroll);
  return emitter.emitLoop(
      steps.count, partials, [&](AffineExpr step, ValueRange carried) {
        SmallVector<Value> next(carried);
        for (int64_t u = 0; u < unroll; ++u)
          reduceChunk(accumulators, chunkAt((steps.first + step) * unroll + u),
                      next);
        return next;
      });
}

/// Positions that a looped row takes in one step. A thread of a large block has
/// 64 registers, for elements and their addresses.
int64_t RowKernel::getOwnUnroll() const {
  constexpr int64_t kLargeBlock = 512, kElements = 16;
  if (!hasStaticRow())
    return positions;
  int64_t width = schedule.getVector();
  int64_t unroll = getUnroll(context.shape, width, positions);
  if (schedule.getThreads() > kLargeBlock)
    while (unroll > 1 && (unroll * width > kElements || positions % unroll))
      --unroll;
  return unroll;
}

bool RowKernel::hasStaticRow() const {
  return isa<AffineConstantExpr>(context.shape.columnExtent);
}

/// Steps of `unroll` positions that the block takes of a looped row. Of a row
/// whose length is known at run time only, the schedule has the positions of
/// one step.
OwnSteps RowKernel::getSteps(int64_t unroll) {
  AffineExpr steps = emitter.constant(positions / unroll);
  if (!hasStaticRow()) {
    int64_t perStep = group * schedule.getVector() * unroll;
    int64_t before = std::max<int64_t>(context.rowShift - 1, 0);
    steps =
        emitter.simplify((context.shape.columnExtent + (before + perStep - 1))
                             .floorDiv(perStep));
    // A row without columns has none before it either.
    if (before > 0)
      steps = emitter.addVariable(
          arith::MinUIOp::create(
              context.builder(), context.loc(), emitter.materializeIndex(steps),
              emitter.materializeIndex(context.shape.columnExtent)),
          getRange(steps, emitter.getRanges()));
  }
  if (shares && !context.shape.sizes.isStatic())
    return shareSteps(context, team, steps);
  return {emitter.constant(0), steps};
}

/// The partial results of the blocks that share the row, combined by the last
/// one, which stores the outputs.
void RowKernel::finishParts(const Accumulators &accumulators,
                            ArrayRef<Value> partials) {
  AffineExpr first = emitter.simplify(context.block - team.part);
  emitter.emitIf(emitter.isWithin(context.thread, 0, 0), [&] {
    for (auto [number, accumulator] : llvm::enumerate(accumulators))
      storePartial(context, accumulator, context.scratch[number],
                   emitter.simplify(first + team.part), partials[number]);
  });
  int64_t teams =
      context.shape.sizes.isStatic() ? schedule.getRows() : kMostSharingBlocks;
  emitLastBlock(context, team.team, teams, team.parts, [&] {
    AffineExpr steps =
        emitter.simplify((team.parts + (group - 1)).floorDiv(group));
    SmallVector<Value> sums = emitter.emitLoop(
        steps, accumulators.emitNeutral(context),
        [&](AffineExpr step, ValueRange carried) {
          SmallVector<Value> next(carried);
          AffineExpr from = emitter.simplify(step * group + context.thread);
          Condition exists = emitter.isBelow(from, team.parts);
          AffineExpr existing = emitter.clampBelow(from, team.parts);
          SmallVector<Value> others;
          for (auto [accumulator, buffer] :
               llvm::zip(accumulators, context.scratch))
            others.push_back(selectExisting(
                context, accumulator, exists,
                loadPartial(context, accumulator, buffer,
                            emitter.simplify(first + existing))));
          accumulators.combine(context, next, others);
          return next;
        });
    accumulators.remember(
        context, combineAcrossThreads(context, accumulators, sums, group), row,
        emitter.constant(0));
    storePerRow();
  });
}

void RowKernel::emitStage(const Accumulators &accumulators) {
  SmallVector<Value> totals =
      combineAcrossThreads(context, accumulators, reduce(accumulators), group);
  if (clustered)
    totals = combineAcrossCluster(context, accumulators, totals, parts);
  auto keep = [&] {
    accumulators.remember(context, totals, row, emitter.constant(0));
  };
  if (!shares)
    return keep();
  emitter.emitIf(
      emitter.isWithin(team.parts, 2, kMostSharingBlocks),
      [&] { finishParts(accumulators, totals); },
      [&] {
        keep();
        storePerRow();
      });
}

void RowKernel::storeChunk(const Chunk &chunk) {
  if (llvm::all_of(chunk.exists, [](const Condition &exists) {
        return exists.kind == Condition::Never;
      }))
    return;
  unsigned outputs = context.shape.outputs.size();
  for (unsigned i = 0; i < outputs; ++i) {
    if (!context.shape.outputs[i].isFull())
      continue;
    if (hasGuards(context)) {
      SmallVector<SmallVector<AffineExpr>> lanes;
      for (AffineExpr column : chunk.places)
        lanes.push_back(
            context.at(context.shape.outputs[i].index, row, column));
      emitTogether(context, context.shape.outputs[i].value, lanes);
    }
    SmallVector<Value> values;
    for (AffineExpr column : chunk.places)
      values.push_back(context.emitOutput(i, row, column));
    bool uniform = llvm::all_of(chunk.exists, [&](const Condition &exists) {
      return exists.kind == chunk.exists.front().kind &&
             exists.value == chunk.exists.front().value;
    });
    auto storeLane = [&](unsigned lane) {
      context.storeOutput(i, row, chunk.places[lane], values[lane]);
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
  if (clustered)
    isOwner = emitter.conjunction(isOwner, emitter.isWithin(firstColumn, 0, 0));
  for (unsigned i = 0; i < context.shape.outputs.size(); ++i) {
    if (!context.shape.outputs[i].perRow)
      continue;
    Value value = context.emitOutput(i, row, zero);
    emitter.emitIf(isOwner, [&] { context.storeOutput(i, row, zero, value); });
  }
}

void RowKernel::emitRow() {
  // What a thread combines in order alone is computed for who asks for it.
  if (context.shape.singlePass && needOrder(context.shape.roots))
    return storePerRow();
  if (!looped && chunks.empty())
    for (int64_t p = 0; p < positions; ++p)
      chunks.push_back(chunkAt(emitter.constant(p)));
  for (ArrayRef<Operation *> stage : getStages(context))
    emitStage(Accumulators(context, stage));
  if (llvm::any_of(context.shape.outputs,
                   [](const OutputSeed &seed) { return seed.isFull(); })) {
    if (looped)
      emitter.emitLoop(
          getSteps(1).count, {}, [&](AffineExpr position, ValueRange) {
            // Beyond the row there may be elements that others store now.
            Chunk chunk = chunkAt(position);
            emitter.emitIf(chunk.exists.front(), [&] { storeChunk(chunk); });
            return SmallVector<Value>();
          });
    else
      for (const Chunk &chunk : chunks)
        storeChunk(chunk);
  }
  if (!shares)
    storePerRow();
}

/// Copies the row to shared memory; every thread reads there from now on. Its
/// places beyond the row are places of other threads, hence the barrier.
void RowKernel::keepRow() {
  int64_t columns = schedule.getColumns();
  AffineExpr base = emitter.simplify(row * columns + firstColumn);
  SmallVector<std::pair<Value, Value>> buffers;
  for (Value argument : context.kernel.getBody().getArguments().take_front(
           context.kernel.getInputs().size())) {
    if (!context.reads(argument) || !context.isFull(argument))
      continue;
    Value global = emitter.getBound(argument);
    Value buffer = addDynamicBuffer(context, ownColumns,
                                    getElementTypeOrSelf(global.getType()));
    buffers.push_back({argument, buffer});
  }
  emitter.emitLoop(positions, {}, [&](AffineExpr position, ValueRange) {
    Chunk chunk = chunkAt(position);
    emitter.emitIf(chunk.exists.front(), [&] {
      for (auto [argument, buffer] : buffers)
        for (AffineExpr column : chunk.places) {
          AffineExpr local = emitter.simplify(column - firstColumn);
          emitter.storeTo(buffer, local,
                          emitter.loadFrom(emitter.getBound(argument),
                                           emitter.simplify(base + local)));
        }
    });
    return SmallVector<Value>();
  });
  gpu::BarrierOp::create(context.builder(), context.loc());
  for (auto [argument, buffer] : buffers)
    emitter.stageArgument(argument, buffer, base, ownColumns);
  kept = std::move(buffers);
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

/// Whether other blocks may share the row, and which ones.
void RowKernel::chooseBlocks() {
  bool isStatic = context.shape.sizes.isStatic();
  shares =
      isStatic ? parts > 1 && !clustered : looped && context.shape.singlePass;
  if (!shares)
    return;
  team = getBlockTeam(context, context.shape.rowExtent);
  if (!isStatic)
    block = team.team;
}

void RowKernel::run() {
  AffineExpr zero = emitter.constant(0);
  AffineExpr layout = schedule.getLayout().getResult(0);
  parts = getParts(schedule);
  std::optional<int64_t> rowsPerBlock = getStride(layout, 0);
  clustered = isClustered(schedule);
  if (parts > 1 &&
      layout == getAffineDimExpr(0, layout.getContext()).floorDiv(parts) &&
      (context.shape.singlePass || clustered))
    rowsPerBlock = 1;
  if (!rowsPerBlock || *rowsPerBlock < 1 ||
      schedule.getThreads() % *rowsPerBlock != 0) {
    emitter.fail(context.kernel, "has a layout that gives no rows to blocks",
                 context.builder().getI32Type());
    return;
  }
  group = schedule.getThreads() / *rowsPerBlock;
  bool shared = schedule.getResidency() == Residency::Shared;
  bool staged = shared && *rowsPerBlock > 1;
  looped = !staged && schedule.getResidency() != Residency::Registers;
  chooseBlocks();
  row =
      emitter.simplify(layout.replaceDims({block, context.thread, zero, zero}));
  rowExists = emitter.isBelow(row, context.shape.rowExtent);
  if (staged)
    return emitRange(*rowsPerBlock);
  row = emitter.clampBelow(row, context.shape.rowExtent);
  if (clustered && !chooseOwnColumns()) {
    emitter.fail(context.kernel, "has a layout that leaves a block no columns",
                 context.builder().getI32Type());
    return;
  }
  if (shared)
    keepRow();
  emitRow();
  if (!clustered)
    return;
  requireCluster(context, parts);
  // The others may still read this block's totals.
  emitClusterBarrier(context);
}

void fuse::emitRowKernel(KernelContext &context) { RowKernel(context).run(); }
