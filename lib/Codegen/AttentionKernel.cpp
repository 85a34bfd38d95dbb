// Path `attention`. A block owns a tile of queries and works in three stages
// that hand on through shared memory: the scores of its queries and all keys;
// the softmax cascade over these rows, which is the code of path `row`; the
// sums of values by the weights, with the epilogue at each element of the
// result. A team of threads (a warp, or the block) owns some of the tile's rows
// in all three stages, so that a key or value that it reads serves several
// queries.
#include "RowKernel.h"
#include "StreamedAttentionKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// A query of the thread's team.
struct Query {
  /// Its number in the space, and in the block's tile.
  AffineExpr row, local;
  Condition exists;
};

/// The stages between the contractions, for one query at a time.
class CascadeRow : public RowKernel {
public:
  CascadeRow(KernelContext &context, int64_t team) : RowKernel(context) {
    // Words of a row that a thread keeps in registers.
    constexpr int64_t kRowWords = 32;
    group = team;
    looped = positions * schedule.getVector() > kRowWords;
  }
  void emit(const Query &query) {
    row = query.row;
    rowExists = query.exists;
    chunks.clear();
    emitRow();
  }
};

class AttentionKernel {
public:
  explicit AttentionKernel(KernelContext &context);
  void run();

private:
  /// Values of a block's tile that later stages read.
  struct Kept {
    Value value, buffer;
    /// Elements of a query.
    int64_t size = 1;
  };
  /// A tile of a contraction: each query at `columns` places.
  struct Tile {
    linalg::LinalgOp root;
    ArrayRef<AffineExpr> loops;
    int64_t products = 1;
    SmallVector<AffineExpr> columns;
    SmallVector<Condition> exist;
    /// The operand of `root` that is made of the scores, if there is one.
    OpOperand *weights = nullptr;
  };

  Query getQuery(AffineExpr position);
  Value addBuffer(Value value, int64_t size);
  void keep(Value value, int64_t size);
  void stage(const Query &query);
  SmallVector<AffineExpr> loopsAt(const Tile &tile, AffineExpr row,
                                  AffineExpr column, AffineExpr product);
  void loadWeight(const Tile &tile, const Query &query,
                  ArrayRef<AffineExpr> loops, AffineExpr product);
  SmallVector<Value> sumUp(const Tile &tile);
  Tile makeTile(const KernelPart &part, AffineExpr step, bool isNeighbours,
                int64_t perThread);
  void emitScores();
  ScheduleAttr getRowSchedule() const;
  SmallVector<Kept> makeWeightBuffers();
  void emitCascade();
  void emitValues();
  void storeResults(const Tile &tile, ArrayRef<Value> sums);

  KernelContext &context;
  ElementEmitter &emitter;
  const GroupShape &shape;
  ScheduleAttr schedule;
  /// Threads of a team, rows of a team, rows of a block.
  int64_t team = 1, perTeam = 1, perBlock = 1;
  AffineExpr lane, teamNumber;
  /// The number of the block's queries among those with the same keys, and of
  /// the first of these.
  AffineExpr tile, batch;
  SmallVector<Query> queries;
  SmallVector<Kept> kept;
  /// Of the block's queries, by query and key.
  Value weights;
};
} // namespace

static int64_t evaluateRow(AffineMap layout, int64_t block, int64_t thread) {
  MLIRContext *context = layout.getContext();
  AffineExpr zero = getAffineConstantExpr(0, context);
  AffineExpr row = layout.getResult(0).replaceDims(
      {getAffineConstantExpr(block, context),
       getAffineConstantExpr(thread, context), zero, zero});
  return cast<AffineConstantExpr>(row).getValue();
}

AttentionKernel::AttentionKernel(KernelContext &context)
    : context(context), emitter(context.emitter), shape(context.shape),
      schedule(context.schedule) {
  perTeam = schedule.getPositions();
  // Teams follow each other by their rows.
  int64_t last =
      evaluateRow(schedule.getLayout(), 0, schedule.getThreads() - 1);
  int64_t teams = last / perTeam + 1;
  team = schedule.getThreads() / teams;
  perBlock = teams * perTeam;
  int64_t tiles = llvm::divideCeil(shape.queries, perBlock);
  lane = emitter.simplify(context.thread % team);
  // A variable of its own: it must not become one with the lane in addresses,
  // which are known to be within the team's rows by the lane alone.
  teamNumber = emitter.addVariable(
      emitter.materialize(emitter.simplify(context.thread.floorDiv(team))),
      IndexRange::ofSize(teams));
  tile = emitter.simplify((context.block % tiles) * perBlock);
  batch = emitter.simplify(context.block.floorDiv(tiles) * shape.queries);
}

/// Queries beyond the last one of the tile are that one again, not stored.
Query AttentionKernel::getQuery(AffineExpr position) {
  AffineExpr local = emitter.simplify(teamNumber * perTeam + position);
  Query query;
  query.exists =
      emitter.isWithin(emitter.simplify(tile + local), 0, shape.queries - 1);
  if (query.exists.kind == Condition::Always) {
    query.local = local;
    query.row = emitter.simplify(batch + tile + local);
    return query;
  }
  OpBuilder &builder = context.builder();
  Value last = emitter.materialize(
      emitter.simplify(emitter.constant(shape.queries - 1) - tile));
  Value number = emitter.materialize(local);
  number = arith::MinSIOp::create(builder, context.loc(), number, last);
  query.local = emitter.addVariable(number, IndexRange::ofSize(perBlock));
  // Known to be within the batch, so that all use the same keys.
  AffineExpr place = emitter.addVariable(
      emitter.materialize(emitter.simplify(tile + query.local)),
      IndexRange::ofSize(shape.queries));
  query.row = emitter.simplify(batch + place);
  return query;
}

Value AttentionKernel::addBuffer(Value value, int64_t size) {
  Type type = getElementTypeOrSelf(value.getType());
  if (type.isInteger(1))
    type = context.builder().getI8Type();
  return addDynamicBuffer(context, perBlock * size, type);
}

void AttentionKernel::keep(Value value, int64_t size) {
  kept.push_back({value, addBuffer(value, size), size});
}

/// What was kept of `query` is read from shared memory from now on.
void AttentionKernel::stage(const Query &query) {
  for (const Kept &value : kept)
    emitter.stageArgument(value.value, value.buffer,
                          emitter.simplify(query.row * value.size), value.size,
                          emitter.simplify(query.local * value.size));
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

SmallVector<AffineExpr> AttentionKernel::loopsAt(const Tile &tile,
                                                 AffineExpr row,
                                                 AffineExpr column,
                                                 AffineExpr product) {
  return llvm::map_to_vector(tile.loops, [&](AffineExpr loop) {
    return emitter.simplify(
        loop.replaceDimsAndSymbols({row, column}, {product}));
  });
}

/// The thread's columns of step `step` over the result of a contraction:
/// `perThread` neighbours, or as many that lie a team apart.
AttentionKernel::Tile AttentionKernel::makeTile(const KernelPart &part,
                                                AffineExpr step,
                                                bool isNeighbours,
                                                int64_t perThread) {
  Tile result;
  result.root = cast<linalg::LinalgOp>(part.shape.roots.front());
  result.loops = part.shape.rootLoops.find(result.root)->second;
  SmallVector<unsigned> reduced;
  result.root.getReductionDims(reduced);
  for (unsigned i : reduced)
    result.products *= result.root.getStaticLoopRanges()[i];
  auto add = [&](int64_t width, function_ref<AffineExpr(int64_t)> place) {
    Chunk chunk = makeChunk(emitter, width, part.shape.columns, place);
    llvm::append_range(result.columns, chunk.places);
    llvm::append_range(result.exist, chunk.exists);
  };
  AffineExpr first = step * (team * perThread);
  if (isNeighbours)
    add(perThread, [&](int64_t i) { return first + lane * perThread + i; });
  for (int64_t i = 0; !isNeighbours && i < perThread; ++i)
    add(1, [&](int64_t) { return first + i * team + lane; });
  return result;
}

/// A weight is read by query and key, in whatever order of dimensions the
/// contraction has its operand.
void AttentionKernel::loadWeight(const Tile &tile, const Query &query,
                                 ArrayRef<AffineExpr> loops,
                                 AffineExpr product) {
  if (!tile.weights)
    return;
  linalg::LinalgOp root = tile.root;
  AffineMap map = root.getMatchingIndexingMap(tile.weights);
  SmallVector<AffineExpr> index =
      llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
        return emitter.simplify(expr.replaceDims(loops));
      });
  emitter.remember(
      tile.weights->get(), index,
      emitter.loadFrom(
          weights, emitter.simplify(query.local * shape.columns + product)));
}

/// The sums of all queries at all columns, query by query; products in order.
SmallVector<Value> AttentionKernel::sumUp(const Tile &tile) {
  AffineExpr zero = emitter.constant(0);
  SmallVector<Value> sums;
  for (const Query &query : queries) {
    stage(query);
    for (AffineExpr column : tile.columns)
      llvm::append_range(
          sums,
          emitter.emitInits(tile.root, loopsAt(tile, query.row, column, zero)));
  }
  // Neighbouring products, so that their operands are one access.
  int64_t unroll = tile.products % 4 == 0 ? 4 : 1;
  return emitter.emitLoop(
      tile.products / unroll, sums, [&](AffineExpr step, ValueRange carried) {
        SmallVector<Value> next(carried);
        for (int64_t u = 0; u < unroll; ++u) {
          AffineExpr product = emitter.simplify(step * unroll + u);
          unsigned at = 0;
          for (const Query &query : queries) {
            stage(query);
            for (AffineExpr column : tile.columns) {
              SmallVector<AffineExpr> loops =
                  loopsAt(tile, query.row, column, product);
              loadWeight(tile, query, loops, product);
              next[at] =
                  emitter.emitIteration(tile.root, loops, {next[at]}).front();
              ++at;
            }
          }
        }
        return next;
      });
}

void AttentionKernel::emitScores() {
  constexpr int64_t kColumns = 2;
  const KernelPart &part = shape.stages[0];
  keep(part.outputs.front(), shape.columns);
  Value buffer = kept.front().buffer;
  int64_t steps = llvm::divideCeil(shape.columns, team * kColumns);
  emitter.emitLoop(steps, {}, [&](AffineExpr step, ValueRange) {
    Tile tile = makeTile(part, step, /*isNeighbours=*/false, kColumns);
    SmallVector<Value> sums = sumUp(tile);
    for (auto [q, query] : llvm::enumerate(queries))
      for (auto [c, column] : llvm::enumerate(tile.columns))
        emitter.emitIf(emitter.conjunction(query.exists, tile.exist[c]), [&] {
          emitter.storeTo(
              buffer, emitter.simplify(query.local * shape.columns + column),
              sums[q * tile.columns.size() + c]);
        });
    return SmallVector<Value>();
  });
}

//===----------------------------------------------------------------------===//
// Cascade
//===----------------------------------------------------------------------===//

/// A team's walk along the scores of a query.
ScheduleAttr AttentionKernel::getRowSchedule() const {
  MLIRContext *mlirContext = context.kernel.getContext();
  int64_t chunk = team * schedule.getVector();
  int64_t positions = llvm::divideCeil(shape.columns, chunk);
  AffineExpr block, thread, position, element;
  bindDims(mlirContext, block, thread, position, element);
  return ScheduleAttr::get(
      mlirContext, KernelPath::Row, shape.rows, shape.columns,
      schedule.getGrid(), schedule.getThreads(), positions,
      schedule.getVector(), Residency::Registers,
      AffineMap::get(
          4, 0,
          {schedule.getLayout().getResult(0),
           position * chunk + (thread % team) * schedule.getVector() + element},
          mlirContext),
      ArrayRef<ScheduleAttr>(), TileAttr());
}

/// Where outputs of the cascade are kept: weights take the place of the scores
/// that they are made of, if they fit.
SmallVector<AttentionKernel::Kept> AttentionKernel::makeWeightBuffers() {
  const KernelPart &part = shape.stages[1];
  const Kept score = kept.front();
  SmallVector<Kept> made;
  for (auto [output, seed] : llvm::zip(part.outputs, part.shape.outputs)) {
    bool isNeeded =
        output == part.outputs.front() ||
        llvm::is_contained(part.shape.roots, output.getDefiningOp());
    if (!isNeeded) {
      made.push_back({output, Value(), 0});
      continue;
    }
    bool inPlace =
        seed.isFull() && getElementTypeOrSelf(output.getType()) ==
                             getElementTypeOrSelf(score.value.getType());
    int64_t size = seed.isFull() ? shape.columns : 1;
    made.push_back(
        {output, inPlace ? score.buffer : addBuffer(output, size), size});
  }
  return made;
}

void AttentionKernel::emitCascade() {
  const KernelPart &part = shape.stages[1];
  SmallVector<Kept> made = makeWeightBuffers();
  KernelContext own{context.kernel, part.ops,
                    part.outputs,   getRowSchedule(),
                    part.shape,     context.function,
                    emitter,        context.block,
                    context.thread, context.dynamicSharedBytes};
  // Outputs of the kernel are stored besides.
  KernelContext results = own;
  Query query;
  own.keepOutput = [&](unsigned number, AffineExpr row, AffineExpr column,
                       Value element) {
    const Kept &to = made[number];
    if (llvm::is_contained(shape.stored, to.value))
      results.storeOutput(number, row, column, element);
    if (!to.buffer)
      return;
    if (element.getType().isInteger(1))
      element = arith::ExtUIOp::create(context.builder(), context.loc(),
                                       context.builder().getI8Type(), element);
    AffineExpr place = query.local * to.size;
    if (to.size > 1)
      place = place + column;
    emitter.storeTo(to.buffer, emitter.simplify(place), element);
  };
  emitter.emitLoop(perTeam, {}, [&](AffineExpr step, ValueRange) {
    query = getQuery(step);
    // A whole team's; beyond the last one, others write what would be read.
    emitter.emitIf(std::exchange(query.exists, {}), [&] {
      stage(query);
      CascadeRow(own, team).emit(query);
    });
    // The next query is exchanged through the same memory.
    if (team > 32)
      gpu::BarrierOp::create(context.builder(), context.loc());
    return SmallVector<Value>();
  });
  context.dynamicSharedBytes = own.dynamicSharedBytes;
  emitter.unstageArguments();
  weights = made.front().buffer;
  kept.clear();
  for (const Kept &value : ArrayRef(made).drop_front())
    if (value.buffer)
      kept.push_back(value);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

void AttentionKernel::storeResults(const Tile &tile, ArrayRef<Value> sums) {
  const KernelPart &part = shape.stages[2];
  KernelContext own{context.kernel, part.ops,      part.outputs,
                    schedule,       part.shape,    context.function,
                    emitter,        context.block, context.thread};
  linalg::LinalgOp root = tile.root;
  Value result = root->getResult(0);
  AffineMap map = root.getMatchingIndexingMap(root.getDpsInitOperand(0));
  unsigned width = tile.columns.size();
  for (auto [q, query] : llvm::enumerate(queries)) {
    stage(query);
    for (auto [c, column] : llvm::enumerate(tile.columns)) {
      SmallVector<AffineExpr> loops =
          loopsAt(tile, query.row, column, emitter.constant(0));
      SmallVector<AffineExpr> index =
          llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
            return emitter.simplify(expr.replaceDims(loops));
          });
      emitter.remember(result, index, sums[q * width + c]);
    }
    for (unsigned i = 0; i < part.outputs.size(); ++i) {
      SmallVector<Value> elements;
      for (AffineExpr column : tile.columns)
        elements.push_back(own.emitOutput(i, query.row, column));
      // Neighbours exist or not together.
      emitter.emitIf(emitter.conjunction(query.exists, tile.exist.front()),
                     [&] {
                       for (auto [c, column] : llvm::enumerate(tile.columns))
                         own.storeOutput(i, query.row, column, elements[c]);
                     });
    }
  }
}

void AttentionKernel::emitValues() {
  const KernelPart &part = shape.stages[2];
  int64_t perThread = 4;
  while (part.shape.columns % perThread != 0 ||
         (perThread > 1 && perThread * team > part.shape.columns))
    perThread /= 2;
  int64_t steps = llvm::divideCeil(part.shape.columns, team * perThread);
  emitter.emitLoop(steps, {}, [&](AffineExpr step, ValueRange) {
    Tile tile = makeTile(part, step, /*isNeighbours=*/true, perThread);
    tile.weights = *llvm::find_if(
        tile.root.getDpsInputOperands(), [&](OpOperand *operand) {
          return operand->get() == shape.stages[1].outputs.front();
        });
    storeResults(tile, sumUp(tile));
    return SmallVector<Value>();
  });
}

void AttentionKernel::run() {
  for (int64_t i = 0; i < perTeam; ++i)
    queries.push_back(getQuery(emitter.constant(i)));
  emitScores();
  gpu::BarrierOp::create(context.builder(), context.loc());
  emitCascade();
  gpu::BarrierOp::create(context.builder(), context.loc());
  emitValues();
  emitter.unstageArguments();
}

void fuse::emitAttentionKernel(KernelContext &context) {
  if (context.schedule.getTile())
    return emitStreamedAttention(context);
  AttentionKernel(context).run();
}
