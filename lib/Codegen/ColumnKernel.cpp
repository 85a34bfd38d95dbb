// Path `column`. The rows of the space are neighbours in memory, so a warp lies
// along them: each thread combines the columns it owns for a few neighbouring
// rows, and the threads of a row exchange their partial results through shared
// memory. Places beyond the space are handled as on path `row`.
#include "ColumnKernel.h"

#include "fuse-mlir/Analysis/LaunchShape.h"

using namespace mlir;
using namespace mlir::fuse;

using Partials = ColumnPartials;

/// Shared memory that a block has without asking for more.
static constexpr int64_t kStaticShared = 48 * 1024;

/// The partial result of one of the thread's rows.
static SmallVector<Value> select(const Partials &partials, unsigned lane) {
  return llvm::map_to_vector(
      partials, [&](const SmallVector<Value> &values) { return values[lane]; });
}

static void replace(Partials &partials, unsigned lane,
                    ArrayRef<Value> partial) {
  for (auto [values, value] : llvm::zip(partials, partial))
    values[lane] = value;
}

/// Finds what the layout is made of; false if it is no strip of rows.
bool ColumnKernel::readLayout() {
  MLIRContext *mlirContext = context.builder().getContext();
  AffineExpr zero = emitter.constant(0);
  AffineExpr column = schedule.getLayout().getResult(1);
  lanes = schedule.getVector();
  while (across < schedule.getThreads() &&
         column.replaceDims({zero, emitter.constant(across), zero, zero}) ==
             column.replaceDims({zero, zero, zero, zero}))
    ++across;
  if (schedule.getThreads() % across != 0)
    return false;
  sharing = schedule.getThreads() / across;
  LaunchShape launch;
  launch.threads = schedule.getThreads();
  launch.threadsPerRow = sharing;
  launch.positions = schedule.getPositions();
  launch.vector = lanes;
  launch.rowsPerBlock = across * lanes;
  launch.parts = getParts(schedule);
  return getLayout(mlirContext, context.shape, launch) == schedule.getLayout();
}

/// Who shares rows with this block, and which steps of the loop over columns
/// are its own.
void ColumnKernel::chooseBlocks() {
  bool isStatic = context.shape.sizes.isStatic();
  int64_t positions = schedule.getPositions();
  shares = isStatic ? getParts(schedule) > 1 : context.shape.singlePass;
  block = context.block;
  firstStep = emitter.constant(0);
  if (shares)
    team = getBlockTeam(
        context,
        emitter.simplify((context.shape.rowExtent + (across * lanes - 1))
                             .floorDiv(across * lanes)));
  // Where sizes are known at run time only the schedule has the positions of
  // one step, or all of those that are kept.
  bool isWhole = isStatic || schedule.getResidency() == Residency::Shared;
  unroll = isWhole ? getUnroll(context.shape, lanes, positions) : positions;
  if (isStatic) {
    steps = emitter.constant(positions / unroll);
    return;
  }
  steps = emitter.simplify((context.shape.columnExtent + (sharing * unroll - 1))
                               .floorDiv(sharing * unroll));
  if (!shares)
    return;
  block = team.team;
  OwnSteps own = shareSteps(context, team, steps);
  firstStep = own.first;
  steps = own.count;
}

void ColumnKernel::chooseRows() {
  AffineExpr layout = schedule.getLayout().getResult(0);
  rows = makeChunk(emitter, lanes, context.shape.rowExtent, [&](int64_t lane) {
    return layout.replaceDims(
        {block, context.thread, emitter.constant(0), emitter.constant(lane)});
  });
}

Partials ColumnKernel::neutrals(const Accumulators &accumulators) {
  Partials partials;
  for (const Accumulator &accumulator : accumulators)
    partials.push_back(
        SmallVector<Value>(lanes, emitNeutral(context, accumulator)));
  return partials;
}

static SmallVector<Value> flatten(const Partials &partials) {
  SmallVector<Value> flat;
  for (const SmallVector<Value> &values : partials)
    llvm::append_range(flat, values);
  return flat;
}

static void unflatten(ValueRange flat, Partials &partials) {
  for (SmallVector<Value> &values : partials) {
    values.assign(flat.begin(), flat.begin() + values.size());
    flat = flat.drop_front(values.size());
  }
}

void ColumnKernel::forEachPosition(
    Partials &carried, function_ref<void(AffineExpr, Partials &)> visit) {
  if (!looped) {
    for (int64_t p = 0; p < schedule.getPositions(); ++p)
      visit(emitter.constant(p), carried);
    return;
  }
  SmallVector<Value> results = emitter.emitLoop(
      steps, flatten(carried), [&](AffineExpr step, ValueRange values) {
        Partials current = carried;
        unflatten(values, current);
        for (int64_t u = 0; u < unroll; ++u)
          visit(emitter.simplify((firstStep + step) * unroll + u), current);
        return flatten(current);
      });
  unflatten(results, carried);
}

void ColumnKernel::reducePosition(const Accumulators &accumulators,
                                  AffineExpr position, Partials &partials) {
  Chunk column = columnAt(position);
  readKept(column.places.front());
  SmallVector<std::pair<AffineExpr, AffineExpr>> places;
  for (AffineExpr row : rows.places)
    places.emplace_back(row, column.places.front());
  accumulators.emitOperands(context, places);
  for (auto [lane, row] : llvm::enumerate(rows.places)) {
    SmallVector<Value> partial = select(partials, lane);
    accumulators.accumulate(context, row, column.places.front(),
                            column.exists.front(), partial);
    replace(partials, lane, partial);
  }
}

Partials ColumnKernel::reduce(const Accumulators &accumulators) {
  Partials partials = neutrals(accumulators);
  forEachPosition(partials, [&](AffineExpr position, Partials &current) {
    reducePosition(accumulators, position, current);
  });
  return partials;
}

void ColumnKernel::combine(
    const Accumulators &accumulators, Partials &partials,
    function_ref<Value(unsigned number, unsigned lane)> other) {
  // All loads of an accumulator's rows, so that they become one access.
  Partials others(accumulators.size());
  for (auto [number, values] : llvm::enumerate(others))
    for (int64_t lane = 0; lane < lanes; ++lane)
      values.push_back(other(number, lane));
  for (int64_t lane = 0; lane < lanes; ++lane) {
    SmallVector<Value> partial = select(partials, lane);
    accumulators.combine(context, partial, select(others, lane));
    replace(partials, lane, partial);
  }
}

/// Threads `0 .. groups - 1` of each row take the results of every `groups`-th
/// thread.
void ColumnKernel::fold(const Accumulators &accumulators,
                        ArrayRef<Value> buffers, int64_t groups,
                        Partials &partials) {
  AffineExpr inRow = emitter.simplify(context.thread.floorDiv(across));
  emitter.emitIf(emitter.isWithin(inRow, 0, groups - 1), [&] {
    Partials sums = partials;
    SmallVector<Value> results = emitter.emitLoop(
        sharing / groups - 1, flatten(sums),
        [&](AffineExpr step, ValueRange values) {
          Partials current = sums;
          unflatten(values, current);
          AffineExpr from = emitter.simplify(inRow + (step + 1) * groups);
          combine(accumulators, current, [&](unsigned number, unsigned lane) {
            return loadPartial(context, accumulators[number], buffers[number],
                               slot(accumulators[number], from, lane));
          });
          return flatten(current);
        });
    unflatten(results, sums);
    for (auto [number, accumulator] : llvm::enumerate(accumulators))
      for (auto [lane, value] : llvm::enumerate(sums[number]))
        storePartial(context, accumulator, buffers[number],
                     slot(accumulator, inRow, lane), value);
  });
  gpu::BarrierOp::create(context.builder(), context.loc());
}

/// Combines the partial results of the threads of each row, in their order;
/// all get the result.
void ColumnKernel::exchange(const Accumulators &accumulators,
                            Partials &partials) {
  if (sharing == 1)
    return;
  AffineExpr inRow = emitter.simplify(context.thread.floorDiv(across));
  SmallVector<Value> buffers;
  for (auto [number, accumulator] : llvm::enumerate(accumulators)) {
    int64_t size = schedule.getThreads() * lanes;
    buffers.push_back(
        large ? addDynamicBuffer(context, size, accumulator.getStoredType())
              : addSharedBuffer(context, size, accumulator.getStoredType()));
    for (auto [lane, value] : llvm::enumerate(partials[number]))
      storePartial(context, accumulator, buffers.back(),
                   slot(accumulator, inRow, lane), value);
  }
  gpu::BarrierOp::create(context.builder(), context.loc());
  int64_t groups = sharing;
  if (sharing > 16 && sharing % 8 == 0) {
    groups = 8;
    fold(accumulators, buffers, groups, partials);
  }
  auto loadFrom = [&](AffineExpr thread) {
    return [&, thread](unsigned number, unsigned lane) {
      return loadPartial(context, accumulators[number], buffers[number],
                         slot(accumulators[number], thread, lane));
    };
  };
  for (auto [number, values] : llvm::enumerate(partials))
    for (auto [lane, value] : llvm::enumerate(values))
      value = loadFrom(emitter.constant(0))(number, lane);
  // All at once if they are few.
  constexpr int64_t kMostWords = 32;
  if (groups * lanes * accumulators.size() <= kMostWords) {
    for (int64_t thread = 1; thread < groups; ++thread)
      combine(accumulators, partials, loadFrom(emitter.constant(thread)));
    return;
  }
  SmallVector<Value> totals = emitter.emitLoop(
      groups - 1, flatten(partials), [&](AffineExpr step, ValueRange values) {
        Partials current = partials;
        unflatten(values, current);
        combine(accumulators, current, loadFrom(emitter.simplify(step + 1)));
        return flatten(current);
      });
  unflatten(totals, partials);
}

void ColumnKernel::remember(const Accumulators &accumulators,
                            const Partials &partials) {
  for (auto [lane, row] : llvm::enumerate(rows.places))
    accumulators.remember(context, select(partials, lane), row,
                          emitter.constant(0));
}

/// The partial results are results, which this block stores.
void ColumnKernel::finishAlone(const Accumulators &accumulators,
                               const Partials &partials) {
  remember(accumulators, partials);
  storePerRow();
}

/// The partial results of the blocks that share the rows, combined by the last
/// one, which stores the outputs.
void ColumnKernel::finishParts(const Accumulators &accumulators,
                               const Partials &partials) {
  AffineExpr inRow = emitter.simplify(context.thread.floorDiv(across));
  // Scratch memory has as many places for each block as it has rows.
  AffineExpr first =
      emitter.simplify((context.block - team.part) * (across * lanes) +
                       (context.thread % across) * lanes);
  auto place = [&](AffineExpr from, unsigned lane) {
    return emitter.simplify(first + from * (across * lanes) + lane);
  };
  Condition isFirst = emitter.isWithin(inRow, 0, 0);
  emitter.emitIf(isFirst, [&] {
    for (auto [number, accumulator] : llvm::enumerate(accumulators))
      for (int64_t lane = 0; lane < lanes; ++lane)
        storePartial(context, accumulator, context.scratch[number],
                     place(team.part, lane), partials[number][lane]);
  });
  int64_t teams = context.shape.sizes.isStatic()
                      ? schedule.getGrid() / getParts(schedule)
                      : kMostSharingBlocks;
  emitLastBlock(context, team.team, teams, team.parts, [&] {
    Partials sums = neutrals(accumulators);
    AffineExpr each =
        emitter.simplify((team.parts + (sharing - 1)).floorDiv(sharing));
    SmallVector<Value> results = emitter.emitLoop(
        each, flatten(sums), [&](AffineExpr step, ValueRange values) {
          Partials current = sums;
          unflatten(values, current);
          AffineExpr from = emitter.simplify(step * sharing + inRow);
          Condition exists = emitter.isBelow(from, team.parts);
          AffineExpr existing = emitter.clampBelow(from, team.parts);
          combine(accumulators, current, [&](unsigned number, unsigned lane) {
            return selectExisting(context, accumulators[number], exists,
                                  loadPartial(context, accumulators[number],
                                              context.scratch[number],
                                              place(existing, lane)));
          });
          return flatten(current);
        });
    unflatten(results, sums);
    exchange(accumulators, sums);
    finishAlone(accumulators, sums);
  });
}

void ColumnKernel::emitStage(const Accumulators &accumulators) {
  Partials partials = reduce(accumulators);
  exchange(accumulators, partials);
  if (!context.shape.singlePass)
    return remember(accumulators, partials);
  if (!shares)
    return finishAlone(accumulators, partials);
  emitter.emitIf(
      emitter.isWithin(team.parts, 2, kMostSharingBlocks),
      [&] { finishParts(accumulators, partials); },
      [&] { finishAlone(accumulators, partials); });
}

/// Output `number` at the thread's rows.
void ColumnKernel::storeLanes(unsigned number, AffineExpr column,
                              Condition exists) {
  SmallVector<Value> values;
  for (AffineExpr row : rows.places)
    values.push_back(context.emitOutput(number, row, column));
  bool uniform = llvm::all_of(rows.exists, [&](const Condition &condition) {
    return condition.kind == rows.exists.front().kind &&
           condition.value == rows.exists.front().value;
  });
  auto storeLane = [&](unsigned lane) {
    context.storeOutput(number, rows.places[lane], column, values[lane]);
  };
  if (uniform) {
    emitter.emitIf(emitter.conjunction(exists, rows.exists.front()), [&] {
      for (unsigned lane = 0; lane < values.size(); ++lane)
        storeLane(lane);
    });
    return;
  }
  for (unsigned lane = 0; lane < values.size(); ++lane)
    emitter.emitIf(emitter.conjunction(exists, rows.exists[lane]),
                   [&] { storeLane(lane); });
}

void ColumnKernel::storeColumns() {
  if (llvm::all_of(context.shape.outputs,
                   [](const OutputSeed &seed) { return seed.perRow; }))
    return;
  Partials none;
  forEachPosition(none, [&](AffineExpr position, Partials &) {
    // Beyond the columns there may be elements that others store now.
    Chunk column = columnAt(position);
    readKept(column.places.front());
    emitter.emitIf(looped ? column.exists.front() : Condition(), [&] {
      for (auto [number, seed] : llvm::enumerate(context.shape.outputs))
        if (!seed.perRow)
          storeLanes(number, column.places.front(), column.exists.front());
    });
  });
}

void ColumnKernel::storePerRow() {
  Condition isFirst =
      emitter.isWithin(emitter.simplify(context.thread.floorDiv(across)), 0, 0);
  for (auto [number, seed] : llvm::enumerate(context.shape.outputs))
    if (seed.perRow)
      storeLanes(number, emitter.constant(0), isFirst);
}

void ColumnKernel::run() {
  if (!readLayout() || (getParts(schedule) > 1 && !context.shape.singlePass)) {
    emitter.fail(context.kernel, "has a layout that gives no rows to threads",
                 context.builder().getI32Type());
    return;
  }
  looped = schedule.getResidency() != Residency::Registers;
  // What a thread combines in order alone is computed for who asks for it.
  if (context.shape.singlePass && needOrder(context.shape.roots)) {
    chooseBlocks();
    chooseRows();
    return storePerRow();
  }
  int64_t bytes = 0;
  for (const Accumulator &accumulator :
       Accumulators(context, context.shape.roots))
    bytes += accumulator.getStoredType().isIndex()
                 ? 8
                 : accumulator.getStoredType().getIntOrFloatBitWidth() / 8;
  large = bytes * schedule.getThreads() * lanes > kStaticShared;
  chooseBlocks();
  chooseRows();
  if (schedule.getResidency() == Residency::Shared)
    keepStrip();
  for (ArrayRef<Operation *> stage : getStages(context))
    emitStage(Accumulators(context, stage));
  storeColumns();
  if (!context.shape.singlePass)
    storePerRow();
}

void fuse::emitColumnKernel(KernelContext &context) {
  ColumnKernel(context).run();
}
