// Path `mixed`. A block visits several rows, one after another, each as on path
// `row`; meanwhile every thread keeps, for each column that it owns, what the
// rows so far combine to. What the blocks have is combined by the last of a
// team of blocks, and what the teams have by the last team: two short sums
// rather than a long one, in the order of the blocks' numbers.
#include "RowKernel.h"

#include "fuse-mlir/Analysis/LaunchShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class MixedKernel : public RowKernel {
public:
  explicit MixedKernel(KernelContext &context) : RowKernel(context) {}

  void run();

private:
  bool readLayout();
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

  SmallVector<Accumulator> accumulators;
  int64_t steps = 1, rowsAtOnce = 1, lanes = 1;
  /// The columns of the thread after the rows, for all threads of the block.
  SmallVector<Chunk> columns;
};
} // namespace

bool MixedKernel::readLayout() {
  MLIRContext *mlirContext = context.builder().getContext();
  AffineExpr zero = emitter.constant(0);
  AffineExpr layout = schedule.getLayout().getResult(0);
  auto rowOf = [&](int64_t thread, int64_t position) {
    return layout.replaceDims(
        {zero, emitter.constant(thread), emitter.constant(position), zero});
  };
  group = 1;
  while (group < schedule.getThreads() && rowOf(group, 0) == rowOf(0, 0))
    ++group;
  positions = 1;
  while (positions < schedule.getPositions() &&
         rowOf(0, positions) == rowOf(0, 0))
    ++positions;
  if (schedule.getThreads() % group || schedule.getPositions() % positions)
    return false;
  rowsAtOnce = schedule.getThreads() / group;
  steps = schedule.getPositions() / positions;
  lanes = schedule.getVector();
  LaunchShape launch;
  launch.threadsPerRow = group;
  launch.rowsPerBlock = rowsAtOnce;
  launch.steps = steps;
  launch.positions = schedule.getPositions();
  launch.vector = lanes;
  bool shares = group <= 32 ? llvm::isPowerOf2_64(group)
                            : rowsAtOnce == 1 && group % 32 == 0;
  return shares &&
         getLayout(mlirContext, context.shape, launch) == schedule.getLayout();
}

/// Whether the threads of a row exchange through shared memory exactly once: a
/// second exchange has a barrier that keeps the next row's first one away.
bool MixedKernel::exchangesOnce() {
  unsigned count = 0;
  for (ArrayRef<Operation *> stage : getStages(context))
    for (Operation *root : stage)
      count += root->getNumResults();
  return group > 32 && count == 1;
}

SmallVector<Value> MixedKernel::visitRow(AffineExpr step, ValueRange carried) {
  firstPosition = emitter.simplify(step * positions);
  AffineExpr zero = emitter.constant(0);
  row = emitter.simplify(schedule.getLayout().getResult(0).replaceDims(
      {context.block, context.thread, firstPosition, zero}));
  rowExists = emitter.isWithin(row, 0, schedule.getRows() - 1);
  row = emitter.clamp(row, 0, schedule.getRows() - 1);
  emitRow();
  SmallVector<Value> next(carried);
  unsigned at = 0;
  for (const Accumulator &accumulator : accumulators)
    for (const Chunk &chunk : chunks)
      for (AffineExpr column : chunk.places) {
        next[at] =
            accumulate(context, accumulator, loopsAt(accumulator.root, column),
                       rowExists, next[at]);
        ++at;
      }
  if (steps > 1 && exchangesOnce())
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
    if (!type || !context.reads(argument) ||
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
  SmallVector<Value> sums;
  for (auto [accumulator, buffer] : llvm::zip(accumulators, buffers))
    for (const Chunk &chunk : columns)
      for (int64_t lane = 0; lane < lanes; ++lane) {
        Value sum;
        AffineExpr place = placeOf(accumulator, chunk, lane);
        for (int64_t r = 0; r < rowsAtOnce; ++r) {
          Value value = loadPartial(context, accumulator, buffer,
                                    emitter.simplify(place + r * size));
          sum = sum ? accumulator.combiner.combine(context.builder(),
                                                   context.loc(), sum, value)
                    : value;
        }
        sums.push_back(sum);
      }
  return sums;
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
          AffineExpr slot =
              emitter.clamp(emitter.simplify(first + member * stride), 0,
                            schedule.getGrid() - 1);
          AffineExpr start = emitter.simplify(slot * schedule.getColumns());
          for (auto [a, accumulator] : llvm::enumerate(accumulators))
            for (auto [c, chunk] : llvm::enumerate(columns))
              for (auto [lane, column] : llvm::enumerate(chunk.places)) {
                Value value =
                    loadPartial(context, accumulator, context.scratch[a],
                                emitter.simplify(start + column));
                if (exists.kind == Condition::Runtime)
                  value = arith::SelectOp::create(
                      context.builder(), context.loc(), exists.value, value,
                      emitNeutral(context, accumulator));
                Value &sum = next[number(a, c, lane)];
                sum = accumulator.combiner.combine(context.builder(),
                                                   context.loc(), sum, value);
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
      rememberTotals(context, accumulators, own, zero, column);
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
  int64_t blocks = schedule.getGrid();
  int64_t size = 1;
  while (size * size < blocks)
    ++size;
  int64_t teams = llvm::divideCeil(blocks, size);
  storePartials(context.block, partials);
  AffineExpr team = emitter.simplify(context.block.floorDiv(size));
  AffineExpr first = emitter.simplify(team * size);
  // The last team may have fewer members.
  AffineExpr members = emitter.clamp(
      emitter.simplify(emitter.constant(blocks) - first), 1, size);
  emitLastBlock(context, team, teams, members, [&] {
    SmallVector<Value> sums = combineTeam(first, 1, members, size);
    if (teams == 1)
      return storeColumnOutputs(sums);
    // Each thread has read what it overwrites.
    storePartials(first, sums);
    emitLastBlock(
        context, emitter.constant(0), 1, emitter.constant(teams), [&] {
          storeColumnOutputs(combineTeam(emitter.constant(0), size,
                                         emitter.constant(teams), teams));
        });
  });
}

void MixedKernel::run() {
  if (!readLayout() || schedule.getResidency() != Residency::Registers) {
    emitter.fail(context.kernel, "has a layout that gives no rows to blocks",
                 context.builder().getI32Type());
    return;
  }
  accumulators = matchAccumulators(context, context.shape.columnRoots);
  SmallVector<Value> partials = visitRows();
  chooseColumns();
  if (rowsAtOnce > 1)
    partials = combineRows(partials);
  if (schedule.getGrid() == 1)
    return storeColumnOutputs(partials);
  combineBlocks(partials);
}

void fuse::emitMixedKernel(KernelContext &context) {
  MixedKernel(context).run();
}
