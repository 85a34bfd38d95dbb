// Path `mixed`. A block visits rows, as many at once as it has warps, or groups
// of warps, each as on path `row`; meanwhile every thread keeps, for each
// column that it owns, what its rows so far combine to. What a block's rows
// have is combined through shared memory; what the blocks have by the last of a
// team of blocks, and what the teams have by the last team: two short sums
// rather than a long one, in the order of the blocks' numbers.
#include "RowKernel.h"

#include "fuse-mlir/Analysis/LaunchShape.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class MixedKernel : public RowKernel {
public:
  explicit MixedKernel(KernelContext &context) : RowKernel(context) {}

  void run();

private:
  bool readLayout();
  void chooseSteps();
  SmallVector<Value> visitRows();
  void loadPerColumn();
  SmallVector<Value> visitRow(AffineExpr step, ValueRange carried);
  bool exchangesOnce();
  AffineExpr placeOf(const Accumulator &accumulator, const Chunk &chunk,
                     int64_t lane);
  SmallVector<Value> combineRows(ArrayRef<Value> partials);
  void chooseColumns();
  void combineBlocks(ArrayRef<Value> partials);
  SmallVector<Value> combineTeam(AffineExpr first, int64_t stride,
                                 AffineExpr count, int64_t most);
  void storePartials(AffineExpr slot, ArrayRef<Value> partials);
  void storeColumnOutputs(ArrayRef<Value> totals);
  void forEachExisting(const Chunk &chunk,
                       function_ref<void(unsigned lane)> store);
  unsigned number(unsigned accumulator, unsigned chunk, unsigned lane) {
    return (accumulator * columns.size() + chunk) * lanes + lane;
  }

  Accumulators accumulators;
  int64_t rowsAtOnce = 1, lanes = 1;
  /// Steps of the block, from which one on; with how many other blocks.
  AffineExpr steps, firstStep, blocks;
  int64_t mostBlocks = 1;
  /// The columns of the thread after the rows, for all threads of the block.
  SmallVector<Chunk> columns;
};
} // namespace

/// The partial result of place `at`, of `places`, in a list with all places of
/// each accumulator.
static SmallVector<Value> select(ArrayRef<Value> all, unsigned at,
                                 unsigned places) {
  SmallVector<Value> partial;
  for (; at < all.size(); at += places)
    partial.push_back(all[at]);
  return partial;
}

static void replace(MutableArrayRef<Value> all, unsigned at, unsigned places,
                    ArrayRef<Value> partial) {
  for (Value value : partial) {
    all[at] = value;
    at += places;
  }
}

bool MixedKernel::readLayout() {
  MLIRContext *mlirContext = context.builder().getContext();
  AffineExpr zero = emitter.constant(0);
  AffineExpr layout = schedule.getLayout().getResult(0);
  auto rowOf = [&](int64_t thread) {
    return layout.replaceDims({zero, emitter.constant(thread), zero, zero});
  };
  group = 1;
  while (group < schedule.getThreads() && rowOf(group) == rowOf(0))
    ++group;
  positions = getPositionsOfRow(schedule);
  if (schedule.getThreads() % group || schedule.getPositions() % positions)
    return false;
  rowsAtOnce = schedule.getThreads() / group;
  lanes = schedule.getVector();
  LaunchShape launch;
  launch.threadsPerRow = group;
  launch.rowsPerBlock = rowsAtOnce;
  launch.steps = schedule.getPositions() / positions;
  launch.positions = schedule.getPositions();
  launch.vector = lanes;
  bool shares = group <= 32 ? llvm::isPowerOf2_64(group) : group % 32 == 0;
  return shares &&
         getLayout(mlirContext, context.shape, launch) == schedule.getLayout();
}

/// The rows of the block: those that the layout gives it, or, where sizes are
/// known at run time only, a share of all.
void MixedKernel::chooseSteps() {
  firstStep = emitter.constant(0);
  if (context.shape.sizes.isStatic()) {
    steps = emitter.constant(schedule.getPositions() / positions);
    mostBlocks = schedule.getGrid();
    blocks = emitter.constant(mostBlocks);
    return;
  }
  BlockTeam all = getBlockTeam(context, emitter.constant(1));
  OwnSteps own = shareSteps(
      context, all,
      emitter.simplify(
          (context.shape.rowExtent + (rowsAtOnce - 1)).floorDiv(rowsAtOnce)));
  firstStep = own.first;
  steps = own.count;
  mostBlocks = kMostSharingBlocks;
  blocks = all.parts;
  block = emitter.constant(0);
}

/// Whether the threads of a row exchange through shared memory exactly once: a
/// second exchange has a barrier that keeps the next row's first one away.
bool MixedKernel::exchangesOnce() {
  return group > 32 && getStages(context).size() == 1;
}

SmallVector<Value> MixedKernel::visitRow(AffineExpr step, ValueRange carried) {
  firstPosition = emitter.simplify((firstStep + step) * positions);
  AffineExpr zero = emitter.constant(0);
  row = emitter.simplify(schedule.getLayout().getResult(0).replaceDims(
      {block, context.thread, firstPosition, zero}));
  rowExists = emitter.isBelow(row, context.shape.rowExtent);
  row = emitter.clampBelow(row, context.shape.rowExtent);
  emitRow();
  SmallVector<Value> next(carried);
  unsigned places = next.size() / accumulators.size(), at = 0;
  for (const Chunk &chunk : chunks)
    for (AffineExpr column : chunk.places) {
      SmallVector<Value> partial = select(next, at, places);
      accumulators.accumulate(context, row, column, rowExists, partial);
      replace(next, at++, places, partial);
    }
  if (steps != emitter.constant(1) && exchangesOnce())
    gpu::BarrierOp::create(context.builder(), context.loc());
  return next;
}

/// Loads what operands with one element per column have for the thread's
/// columns, once for all rows. (What no row asks for is not loaded.)
void MixedKernel::loadPerColumn() {
  constexpr int64_t kMostWords = 32;
  int64_t words = 0;
  for (Value argument : context.kernel.getBody().getArguments().take_front(
           context.kernel.getInputs().size())) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || !context.reads(argument) || !type.hasStaticShape() ||
        type.getNumElements() != schedule.getColumns() ||
        (words += positions * lanes) > kMostWords)
      continue;
    for (const Chunk &chunk : chunks)
      for (AffineExpr column : chunk.places)
        emitter.emit(argument,
                     delinearize(column, type.getShape(), emitter.getRanges()));
  }
}

/// What the thread's columns combine to over the rows that it visits.
SmallVector<Value> MixedKernel::visitRows() {
  for (int64_t p = 0; p < positions; ++p)
    chunks.push_back(chunkAt(emitter.constant(p)));
  loadPerColumn();
  SmallVector<Value> partials;
  for (const Accumulator &accumulator : accumulators)
    partials.append(positions * lanes, emitNeutral(context, accumulator));
  return emitter.emitLoop(steps, partials,
                          [&](AffineExpr step, ValueRange carried) {
                            return visitRow(step, carried);
                          });
}

/// The columns are divided among all threads of the block.
void MixedKernel::chooseColumns() {
  int64_t threads = schedule.getThreads(), size = schedule.getColumns();
  int64_t each = llvm::divideCeil(llvm::divideCeil(size, lanes), threads);
  for (int64_t k = 0; k < each; ++k)
    columns.push_back(makeChunk(emitter, lanes, size, [&](int64_t lane) {
      return (context.thread + k * threads) * lanes + lane;
    }));
}

void MixedKernel::forEachExisting(const Chunk &chunk,
                                  function_ref<void(unsigned lane)> store) {
  bool uniform = chunk.exists.front().kind == chunk.exists.back().kind &&
                 chunk.exists.front().value == chunk.exists.back().value;
  if (uniform) {
    emitter.emitIf(chunk.exists.front(), [&] {
      for (int64_t lane = 0; lane < lanes; ++lane)
        store(lane);
    });
    return;
  }
  for (int64_t lane = 0; lane < lanes; ++lane)
    emitter.emitIf(chunk.exists[lane], [&] { store(lane); });
}

/// Place of a column in the shared memory of a row.
AffineExpr MixedKernel::placeOf(const Accumulator &accumulator,
                                const Chunk &chunk, int64_t lane) {
  int64_t size = schedule.getColumns();
  if (size % lanes != 0)
    return chunk.places[lane];
  AffineExpr number = emitter.simplify(chunk.places.front().floorDiv(lanes));
  return getSharedPlace(accumulator, number, size / lanes, lane, lanes);
}

/// Combines what the rows that the block visits at once have, through shared
/// memory; each thread then has its `columns`.
SmallVector<Value> MixedKernel::combineRows(ArrayRef<Value> partials) {
  int64_t size = schedule.getColumns();
  SmallVector<Value> buffers;
  AffineExpr first = emitter.simplify(context.thread.floorDiv(group) * size);
  firstPosition = emitter.constant(0);
  unsigned at = 0;
  for (const Accumulator &accumulator : accumulators) {
    Value buffer = addSharedBuffer(context, rowsAtOnce * size,
                                   accumulator.getStoredType());
    buffers.push_back(buffer);
    for (int64_t p = 0; p < positions; ++p, at += lanes) {
      Chunk chunk = chunkAt(emitter.constant(p));
      forEachExisting(chunk, [&](unsigned lane) {
        storePartial(
            context, accumulator, buffer,
            emitter.simplify(first + placeOf(accumulator, chunk, lane)),
            partials[at + lane]);
      });
    }
  }
  gpu::BarrierOp::create(context.builder(), context.loc());
  // One row after another, so that a thread holds few of them at a time.
  unsigned places = columns.size() * lanes;
  auto addRow = [&](AffineExpr row, MutableArrayRef<Value> sums) {
    unsigned place = 0;
    for (const Chunk &chunk : columns)
      for (int64_t lane = 0; lane < lanes; ++lane, ++place) {
        SmallVector<Value> values, sum = select(sums, place, places);
        for (auto [accumulator, buffer] : llvm::zip(accumulators, buffers))
          values.push_back(
              loadPartial(context, accumulator, buffer,
                          emitter.simplify(placeOf(accumulator, chunk, lane) +
                                           row * size)));
        if (sum.front())
          accumulators.combine(context, sum, values);
        else
          sum = values;
        replace(sums, place, places, sum);
      }
  };
  SmallVector<Value> sums(accumulators.size() * places);
  addRow(emitter.constant(0), sums);
  return emitter.emitLoop(rowsAtOnce - 1, sums,
                          [&](AffineExpr step, ValueRange carried) {
                            SmallVector<Value> next(carried);
                            addRow(step + 1, next);
                            return next;
                          });
}

/// Writes the partial results to slot `slot` of the scratch memory.
void MixedKernel::storePartials(AffineExpr slot, ArrayRef<Value> partials) {
  AffineExpr first = emitter.simplify(slot * schedule.getColumns());
  for (auto [a, accumulator] : llvm::enumerate(accumulators))
    for (auto [c, chunk] : llvm::enumerate(columns))
      forEachExisting(chunk, [&, a = a, c = c](unsigned lane) {
        storePartial(context, accumulators[a], context.scratch[a],
                     emitter.simplify(first + columns[c].places[lane]),
                     partials[number(a, c, lane)]);
      });
}

/// Combines slots `first`, `first + stride`, … of the scratch memory, `count`
/// of them, at most `most`.
SmallVector<Value> MixedKernel::combineTeam(AffineExpr first, int64_t stride,
                                            AffineExpr count, int64_t most) {
  // Several loads at once.
  constexpr int64_t kUnroll = 4;
  SmallVector<Value> sums;
  for (const Accumulator &accumulator : accumulators)
    sums.append(columns.size() * lanes, emitNeutral(context, accumulator));
  return emitter.emitLoop(
      llvm::divideCeil(most, kUnroll), sums,
      [&](AffineExpr step, ValueRange carried) {
        SmallVector<Value> next(carried);
        for (int64_t u = 0; u < kUnroll; ++u) {
          AffineExpr member = emitter.simplify(step * kUnroll + u);
          Condition exists =
              emitter.isWithin(emitter.simplify(member - count), -most, -1);
          if (exists.kind == Condition::Never)
            continue;
          // Past the last member its slot once more: the next one is another
          // team's, which may be writing it.
          AffineExpr beyond =
              emitter.clamp(emitter.simplify(member - count + 1), -most, 0);
          AffineExpr slot =
              emitter.simplify(first + (count - 1 + beyond) * stride);
          AffineExpr start = emitter.simplify(slot * schedule.getColumns());
          unsigned places = columns.size() * lanes, at = 0;
          for (const Chunk &chunk : columns)
            for (AffineExpr column : chunk.places) {
              SmallVector<Value> values, sum = select(next, at, places);
              for (auto [accumulator, buffer] :
                   llvm::zip(accumulators, context.scratch))
                values.push_back(selectExisting(
                    context, accumulator, exists,
                    loadPartial(context, accumulator, buffer,
                                emitter.simplify(start + column))));
              accumulators.combine(context, sum, values);
              replace(next, at++, places, sum);
            }
        }
        return next;
      });
}

void MixedKernel::storeColumnOutputs(ArrayRef<Value> totals) {
  AffineExpr zero = emitter.constant(0);
  for (auto [c, chunk] : llvm::enumerate(columns)) {
    for (auto [lane, column] : llvm::enumerate(chunk.places)) {
      SmallVector<Value> own;
      for (unsigned a = 0; a < accumulators.size(); ++a)
        own.push_back(totals[number(a, c, lane)]);
      accumulators.remember(context, own, zero, column);
    }
    for (auto [i, seed] : llvm::enumerate(context.shape.outputs)) {
      if (!seed.perColumn)
        continue;
      SmallVector<Value> values;
      for (AffineExpr column : chunk.places)
        values.push_back(context.emitOutput(i, zero, column));
      forEachExisting(chunk, [&, i = i](unsigned lane) {
        context.storeOutput(i, zero, columns[c].places[lane], values[lane]);
      });
    }
  }
}

/// Blocks make teams of about the square root of their number.
void MixedKernel::combineBlocks(ArrayRef<Value> partials) {
  int64_t size = 1;
  while (size * size < mostBlocks)
    ++size;
  int64_t mostTeams = llvm::divideCeil(mostBlocks, size);
  AffineExpr teams = emitter.simplify((blocks + (size - 1)).floorDiv(size));
  storePartials(context.block, partials);
  AffineExpr team = emitter.simplify(context.block.floorDiv(size));
  AffineExpr first = emitter.simplify(team * size);
  // The last team may have fewer members.
  AffineExpr members = emitter.clamp(emitter.simplify(blocks - first), 1, size);
  emitLastBlock(context, team, mostTeams, members, [&] {
    SmallVector<Value> sums = combineTeam(first, 1, members, size);
    emitter.emitIf(
        emitter.isWithin(teams, 1, 1), [&] { storeColumnOutputs(sums); },
        [&] {
          // Each thread has read what it overwrites; those past the last column
          // have read that of another one.
          gpu::BarrierOp::create(context.builder(), context.loc());
          storePartials(first, sums);
          emitLastBlock(context, emitter.constant(0), 1, teams, [&] {
            storeColumnOutputs(
                combineTeam(emitter.constant(0), size, teams, mostTeams));
          });
        });
  });
}

void MixedKernel::run() {
  if (!readLayout() || schedule.getResidency() != Residency::Registers) {
    emitter.fail(context.kernel, "has a layout that gives no rows to blocks",
                 context.builder().getI32Type());
    return;
  }
  accumulators = Accumulators(context, context.shape.columnRoots);
  chooseSteps();
  SmallVector<Value> partials = visitRows();
  chooseColumns();
  if (rowsAtOnce > 1)
    partials = combineRows(partials);
  emitter.emitIf(
      emitter.isWithin(blocks, 1, 1), [&] { storeColumnOutputs(partials); },
      [&] { combineBlocks(partials); });
}

void fuse::emitMixedKernel(KernelContext &context) {
  MixedKernel(context).run();
}
