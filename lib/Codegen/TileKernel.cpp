// Path `tile`. A block owns a tile of a contraction's results. It walks along
// the sums: the operands' next tiles are copied or computed into shared memory
// while the present ones are multiplied. What depends on the results is
// ordinary element code at each result's row and column.
//
// The order of each sum: from the initial value, the products in the order of
// the operator's reduction loops, one after another (unit `fma`), or 16 at a
// time (unit `mma`).
#include "Fragments.h"
#include "TileMemory.h"

#include "fuse-mlir/Analysis/LaunchShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// A factor of a contraction: what is kept in shared memory, and what the body
/// makes of it before it multiplies.
struct Factor {
  Value kept;
  SmallVector<Operation *> casts;
  /// The filler that keeps it.
  unsigned operand = 0;
};

struct Product {
  ContractionShape shape;
  Factor left, right;

  linalg::LinalgOp getRoot() const { return cast<linalg::LinalgOp>(shape.op); }
};

class TileKernel {
public:
  explicit TileKernel(KernelContext &context)
      : context(context), emitter(context.emitter),
        tile(context.schedule.getTile()),
        usesFragments(tile.getUnit() == TileUnit::Mma),
        width(usesFragments ? 2 : 4),
        space(context.shape.contractions.front()) {}

  void run();

private:
  // Places.
  void placeBlock();
  AffineExpr asVariable(AffineExpr expr);
  AffineExpr rowInTile(int64_t number);
  AffineExpr columnInTile(int64_t group);
  SmallVector<AffineExpr> loopsAt(const ContractionShape &shape,
                                  AffineExpr outer, AffineExpr depth,
                                  bool isLeft);
  SmallVector<AffineExpr> resultIndex(const Product &product, AffineExpr row,
                                      AffineExpr column);

  // Operands.
  void addProducts();
  Factor makeFactor(const ContractionShape &shape, bool isLeft);
  bool isSame(const ContractionShape &a, const ContractionShape &b,
              const Factor &factor, const Factor &other, bool isLeft);
  Value emitCopy(Operation *op, ValueRange operands);
  Value applyCasts(const Factor &factor, Value value);

  // The loop along the sums.
  SmallVector<Value> emitSums(SmallVector<Value> sums);
  SmallVector<Value> emitPipelined(SmallVector<Value> sums);
  SmallVector<Value> emitThroughRegisters(SmallVector<Value> sums);
  SmallVector<Value> multiply(AffineExpr stage, ValueRange sums);
  SmallVector<Value> multiplyThread(AffineExpr stage, ValueRange sums);
  SmallVector<Value> multiplyWarp(AffineExpr stage, ValueRange sums);
  SmallVector<Value> loadValues(const Factor &factor, AffineExpr stage,
                                  AffineExpr depth, int64_t steps,
                                  bool isLeft);
  Value multiplyAdd(const Product &product, Value left, Value right, Value sum);

  // Results.
  Chunk columnsOf(int64_t group);
  SmallVector<Value> emitInits();
  void emitResults(ArrayRef<Value> sums);
  void storeRow(AffineExpr row, Condition rowExists, const Chunk &columns);

  KernelContext &context;
  ElementEmitter &emitter;
  TileAttr tile;
  bool usesFragments;
  /// Neighbouring columns of a thread.
  int64_t width;
  const ContractionShape &space;
  std::vector<Product> products;
  std::vector<std::unique_ptr<TileFiller>> operands;
  /// The batch of the block and its tile in there.
  AffineExpr batch, tileRow, tileColumn;
  /// The warp's first row and column in the tile.
  AffineExpr warpRow, warpColumn;
  /// The thread's first row and column.
  AffineExpr threadRow, threadColumn;
  /// Rows of a thread, and its groups of neighbouring columns.
  int64_t threadRows = 0, threadGroups = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

AffineExpr TileKernel::asVariable(AffineExpr expr) {
  expr = emitter.simplify(expr);
  if (isa<AffineConstantExpr>(expr))
    return expr;
  IndexRange range = getRange(expr, emitter.getRanges());
  return emitter.addVariable(emitter.materialize(expr), range);
}

void TileKernel::placeBlock() {
  TileShape shape;
  shape.rows = tile.getRows();
  shape.columns = tile.getColumns();
  shape.group = tile.getGroup();
  TilePlace place = placeTile(space, shape, context.block);
  batch = asVariable(place.batch);
  tileRow = asVariable(place.row);
  tileColumn = asVariable(place.column);
  AffineExpr warp = context.thread.floorDiv(32), lane = context.thread % 32;
  int64_t warpRows = tile.getRows() / tile.getRowWarps();
  int64_t warpColumns = tile.getColumns() / tile.getColumnWarps();
  AffineExpr down = asVariable(warp.floorDiv(tile.getColumnWarps()));
  AffineExpr across = asVariable(warp % tile.getColumnWarps());
  warpRow = emitter.simplify(down * warpRows);
  warpColumn = emitter.simplify(across * warpColumns);
  if (usesFragments) {
    threadRows = warpRows / 8;
    threadGroups = warpColumns / kFragmentColumns;
    threadRow = emitter.simplify(
        warpRow + asVariable(lane.floorDiv(4)));
    threadColumn = emitter.simplify(warpColumn + asVariable(lane % 4) * 2);
    return;
  }
  threadRows = warpRows / 4;
  threadGroups = warpColumns / 32;
  threadRow = emitter.simplify(
      asVariable(down * (warpRows / 4) + lane.floorDiv(8)) * 4);
  threadColumn = emitter.simplify(
      asVariable(across * (warpColumns / 4) + lane % 8) * 4);
}

AffineExpr TileKernel::rowInTile(int64_t number) {
  int64_t offset =
      usesFragments ? number * 8 : number / 4 * 16 + number % 4;
  return emitter.simplify(threadRow + offset);
}

AffineExpr TileKernel::columnInTile(int64_t group) {
  return emitter.simplify(threadColumn +
                          group * (usesFragments ? kFragmentColumns : 32));
}

/// The loops of a product at a row (or column) and a step of the sum.
SmallVector<AffineExpr> TileKernel::loopsAt(const ContractionShape &shape,
                                            AffineExpr outer, AffineExpr depth,
                                            bool isLeft) {
  AffineExpr zero = emitter.constant(0);
  AffineExpr row = batch * shape.rows + (isLeft ? outer : zero);
  SmallVector<AffineExpr> loops =
      context.at(context.shape.rootLoops.lookup(shape.op),
                 emitter.simplify(row), isLeft ? zero : outer);
  SmallVector<int64_t> sizes =
      cast<linalg::LinalgOp>(shape.op).getStaticLoopRanges();
  SmallVector<int64_t> depths = llvm::map_to_vector(
      shape.depthLoops, [&](unsigned loop) { return sizes[loop]; });
  for (auto [loop, expr] : llvm::zip(
           shape.depthLoops, delinearize(depth, depths, emitter.getRanges())))
    loops[loop] = expr;
  return loops;
}

SmallVector<AffineExpr> TileKernel::resultIndex(const Product &product,
                                                AffineExpr row,
                                                AffineExpr column) {
  linalg::LinalgOp root = product.getRoot();
  SmallVector<AffineExpr> loops =
      context.at(context.shape.rootLoops.lookup(root), row, column);
  SmallVector<AffineExpr> index;
  AffineMap map = root.getMatchingIndexingMap(root.getDpsInitOperand(0));
  for (AffineExpr expr : map.getResults())
    index.push_back(emitter.simplify(expr.replaceDims(loops)));
  return index;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Whether both factors are the same elements of the same tensor.
bool TileKernel::isSame(const ContractionShape &a, const ContractionShape &b,
                        const Factor &factor, const Factor &other,
                        bool isLeft) {
  BlockArgument first = dyn_cast<BlockArgument>(factor.kept);
  BlockArgument second = dyn_cast<BlockArgument>(other.kept);
  if (!first || !second)
    return false;
  linalg::LinalgOp firstOp = cast<linalg::LinalgOp>(a.op);
  linalg::LinalgOp secondOp = cast<linalg::LinalgOp>(b.op);
  OpOperand *operand = firstOp.getMatchingOpOperand(first);
  OpOperand *otherOperand = secondOp.getMatchingOpOperand(second);
  if (operand->get() != otherOperand->get())
    return false;
  // At any place: thread and block numbers stand for outer and depth.
  auto indexOf = [&](linalg::LinalgOp op, OpOperand *own,
                     const ContractionShape &shape) {
    SmallVector<AffineExpr> loops =
        loopsAt(shape, context.thread, context.block, isLeft);
    return llvm::map_to_vector(
        op.getMatchingIndexingMap(own).getResults(), [&](AffineExpr expr) {
          return emitter.simplify(expr.replaceDims(loops));
        });
  };
  return indexOf(firstOp, operand, a) == indexOf(secondOp, otherOperand, b);
}

Factor TileKernel::makeFactor(const ContractionShape &shape, bool isLeft) {
  Factor factor;
  factor.kept = isLeft ? shape.left : shape.right;
  factor.kept = getKeptFactor(factor.kept, &factor.casts);
  for (const Product &product : products) {
    const Factor &other = isLeft ? product.left : product.right;
    if (!isSame(product.shape, shape, other, factor, isLeft))
      continue;
    factor.operand = other.operand;
    return factor;
  }
  factor.operand = operands.size();
  TileSource source;
  source.element = factor.kept.getType();
  source.firstOuter = isLeft ? tileRow * tile.getRows()
                             : tileColumn * tile.getColumns();
  source.outer = isLeft ? shape.rows : shape.columns;
  source.depth = shape.depth;
  source.emit = [this, shape, kept = factor.kept, isLeft](AffineExpr outer,
                                                          AffineExpr depth) {
    return emitter.emitBodyValue(cast<linalg::LinalgOp>(shape.op),
                                 loopsAt(shape, outer, depth, isLeft), kept);
  };
  SharedLayout layout;
  layout.outer = isLeft ? tile.getRows() : tile.getColumns();
  layout.depth = tile.getDepth();
  layout.lineGroup = usesFragments ? 1 : 4;
  operands.push_back(std::make_unique<TileFiller>(
      context, std::move(source), layout, tile.getStages(), tile.getAsync()));
  return factor;
}

void TileKernel::addProducts() {
  for (const ContractionShape &shape : context.shape.contractions) {
    Product product;
    product.shape = shape;
    product.left = makeFactor(shape, /*isLeft=*/true);
    product.right = makeFactor(shape, /*isLeft=*/false);
    products.push_back(std::move(product));
  }
}

/// A copy of `op` with one result for other operands.
Value TileKernel::emitCopy(Operation *op, ValueRange operands) {
  OperationState state(context.loc(), op->getName());
  state.addOperands(operands);
  state.addTypes(op->getResultTypes());
  state.addAttributes(op->getAttrDictionary().getValue());
  return context.builder().create(state)->getResult(0);
}

Value TileKernel::applyCasts(const Factor &factor, Value value) {
  for (Operation *cast : factor.casts)
    value = emitCopy(cast, value);
  return value;
}

//===----------------------------------------------------------------------===//
// The loop along the sums
//===----------------------------------------------------------------------===//

Value TileKernel::multiplyAdd(const Product &product, Value left, Value right,
                              Value sum) {
  Type type = sum.getType();
  if (type.isF32() || type.isF64())
    return math::FmaOp::create(context.builder(), context.loc(), left, right,
                               sum);
  Value value = emitCopy(product.shape.multiply, {left, right});
  return emitCopy(product.shape.add, {sum, value});
}

/// The thread's rows (columns) of a factor for `steps` neighbouring steps of
/// the sum: those of the first step first.
SmallVector<Value> TileKernel::loadValues(const Factor &factor,
                                            AffineExpr stage, AffineExpr depth,
                                            int64_t steps, bool isLeft) {
  const SharedTile &memory = operands[factor.operand]->getTile();
  int64_t count = isLeft ? threadRows : threadGroups * 4;
  SmallVector<Value> fragment(count * steps);
  auto load = [&](AffineExpr place) {
    return emitter.loadFrom(memory.getBuffer(), emitter.simplify(place));
  };
  for (int64_t group = 0; group < count / 4; ++group) {
    AffineExpr first = isLeft ? rowInTile(group * 4) : columnInTile(group);
    if (memory.getLayout().alongDepth) {
      for (int64_t i = 0; i < 4; ++i) {
        AffineExpr place = memory.locate(stage, first + i, depth);
        for (int64_t step = 0; step < steps; ++step)
          fragment[step * count + group * 4 + i] = load(place + step);
      }
      continue;
    }
    for (int64_t step = 0; step < steps; ++step)
      for (int64_t i = 0; i < 4; i += std::min<int64_t>(4, memory.getChunk())) {
        AffineExpr place = memory.locate(stage, first + i, depth + step);
        for (int64_t j = 0; j < std::min<int64_t>(4, memory.getChunk()); ++j)
          fragment[step * count + group * 4 + i + j] = load(place + j);
      }
  }
  for (Value &value : fragment)
    value = applyCasts(factor, value);
  return fragment;
}

/// The same on the matrix units, 16 steps at a time.
SmallVector<Value> TileKernel::multiplyWarp(AffineExpr stage, ValueRange sums) {
  SmallVector<Value> next(sums);
  int64_t blocks = threadRows / 2, pairs = threadGroups / 2;
  for (int64_t step = 0; step < tile.getDepth(); step += kFragmentDepth) {
    AffineExpr depth = emitter.constant(step);
    int64_t first = 0;
    for (const Product &product : products) {
      const SharedTile &left = operands[product.left.operand]->getTile();
      const SharedTile &right = operands[product.right.operand]->getTile();
      SmallVector<SmallVector<Value>> rows, columns;
      for (int64_t i = 0; i < blocks; ++i)
        rows.push_back(loadFragment(context, left, stage, warpRow + i * 16,
                                    depth, /*isLeft=*/true));
      for (int64_t pair = 0; pair < pairs; ++pair)
        columns.push_back(loadFragment(context, right, stage,
                                       warpColumn + pair * 16, depth,
                                       /*isLeft=*/false));
      for (int64_t i = 0; i < blocks; ++i)
        for (int64_t j = 0; j < threadGroups; ++j) {
          // Two neighbours in each of two rows.
          auto sum = [&](int64_t c) -> Value & {
            int64_t row = 2 * i + c / 2;
            return next[first + (row * threadGroups + j) * 2 + c % 2];
          };
          SmallVector<Value> results = multiplyFragments(
              context, left.getElement(), rows[i],
              ArrayRef<Value>(columns[j / 2]).slice(j % 2 * 2, 2),
              {sum(0), sum(1), sum(2), sum(3)});
          for (int64_t c = 0; c < 4; ++c)
            sum(c) = results[c];
        }
      first += threadRows * threadGroups * 2;
    }
  }
  return next;
}

/// Adds the products of the tiles in `stage` to `sums`.
SmallVector<Value> TileKernel::multiply(AffineExpr stage, ValueRange sums) {
  return usesFragments ? multiplyWarp(stage, sums)
                       : multiplyThread(stage, sums);
}

/// Element by element.
SmallVector<Value> TileKernel::multiplyThread(AffineExpr stage,
                                              ValueRange sums) {
  // Steps whose elements are one access.
  int64_t steps = 4;
  for (const std::unique_ptr<TileFiller> &operand : operands)
    steps = std::min(steps, operand->getTile().getChunk());
  int64_t columns = threadGroups * width;
  return emitter.emitLoop(
      tile.getDepth() / steps, sums, [&](AffineExpr counter, ValueRange carried) {
        SmallVector<Value> next(carried);
        AffineExpr depth = emitter.simplify(counter * steps);
        int64_t first = 0;
        for (const Product &product : products) {
          SmallVector<Value> left =
              loadValues(product.left, stage, depth, steps, true);
          SmallVector<Value> right =
              loadValues(product.right, stage, depth, steps, false);
          for (int64_t step = 0; step < steps; ++step)
            for (int64_t i = 0; i < threadRows; ++i)
              for (int64_t j = 0; j < columns; ++j) {
                Value &sum = next[first + i * columns + j];
                sum = multiplyAdd(product, left[step * threadRows + i],
                                  right[step * columns + j], sum);
              }
          first += threadRows * columns;
        }
        return next;
      });
}

/// All operands are copied asynchronously, several stages ahead.
SmallVector<Value> TileKernel::emitPipelined(SmallVector<Value> sums) {
  int64_t steps = operands.front()->getSteps(), stages = tile.getStages();
  auto fill = [&](AffineExpr step) {
    AffineExpr stage = emitter.simplify(step % stages);
    for (const std::unique_ptr<TileFiller> &operand : operands)
      operand->copy(step, stage);
  };
  Value token;
  for (int64_t ahead = 0; ahead + 1 < stages; ++ahead) {
    if (ahead < steps)
      fill(emitter.constant(ahead));
    token = commitCopies(context);
  }
  return emitter.emitLoop(steps, sums, [&](AffineExpr step, ValueRange carried) {
    awaitCopies(context, token, stages - 2);
    gpu::BarrierOp::create(context.builder(), context.loc());
    AffineExpr ahead = emitter.simplify(step + (stages - 1));
    emitter.emitIf(emitter.isWithin(ahead, 0, steps - 1), [&] {
      fill(emitter.addVariable(emitter.materialize(ahead),
                               IndexRange::ofSize(steps)));
    });
    commitCopies(context);
    return multiply(emitter.simplify(step % stages), carried);
  });
}

/// Some operands pass through registers: the next tile is on its way while the
/// present one is multiplied.
SmallVector<Value> TileKernel::emitThroughRegisters(SmallVector<Value> sums) {
  int64_t steps = operands.front()->getSteps();
  bool copies = llvm::any_of(
      operands, [](const auto &operand) { return operand->isAsync(); });
  SmallVector<SmallVector<Value>> loaded(operands.size());
  auto start = [&](AffineExpr step, AffineExpr stage) {
    for (auto [operand, elements] : llvm::zip(operands, loaded)) {
      if (operand->isAsync())
        operand->copy(step, stage);
      else
        elements = operand->load(step);
    }
    return copies ? commitCopies(context) : Value();
  };
  auto finish = [&](AffineExpr stage) {
    for (auto [operand, elements] : llvm::zip(operands, loaded))
      if (!operand->isAsync())
        operand->store(elements, stage);
  };
  AffineExpr zero = emitter.constant(0);
  Value token = start(zero, zero);
  finish(zero);
  auto arrive = [&] {
    if (copies)
      awaitCopies(context, token, 0);
    gpu::BarrierOp::create(context.builder(), context.loc());
  };
  sums = emitter.emitLoop(
      steps - 1, sums, [&](AffineExpr step, ValueRange carried) {
        arrive();
        AffineExpr next = emitter.simplify((step + 1) % 2);
        start(emitter.simplify(step + 1), next);
        SmallVector<Value> sums = multiply(emitter.simplify(step % 2), carried);
        finish(next);
        return sums;
      });
  arrive();
  return multiply(emitter.constant((steps - 1) % 2), sums);
}

SmallVector<Value> TileKernel::emitSums(SmallVector<Value> sums) {
  bool pipelined = tile.getStages() > 1 &&
                   llvm::all_of(operands, [](const auto &operand) {
                     return operand->isAsync();
                   });
  return pipelined ? emitPipelined(std::move(sums))
                   : emitThroughRegisters(std::move(sums));
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

Chunk TileKernel::columnsOf(int64_t group) {
  AffineExpr first = tileColumn * tile.getColumns() + columnInTile(group);
  return makeChunk(emitter, width, space.columns,
                   [&](int64_t lane) { return first + lane; });
}

SmallVector<Value> TileKernel::emitInits() {
  SmallVector<Value> inits;
  for (const Product &product : products)
    for (int64_t i = 0; i < threadRows; ++i)
      for (int64_t group = 0; group < threadGroups; ++group) {
        AffineExpr row = tileRow * tile.getRows() + rowInTile(i);
        row = batch * space.rows +
              emitter.clamp(emitter.simplify(row), 0, space.rows - 1);
        for (AffineExpr column : columnsOf(group).places)
          inits.push_back(emitter.emit(
              product.getRoot().getDpsInitOperand(0)->get(),
              resultIndex(product, emitter.simplify(row), column)));
      }
  return inits;
}

void TileKernel::storeRow(AffineExpr row, Condition rowExists,
                          const Chunk &columns) {
  for (unsigned i = 0; i < context.shape.outputs.size(); ++i) {
    SmallVector<Value> values;
    for (AffineExpr column : columns.places)
      values.push_back(context.emitOutput(i, row, column));
    auto store = [&](unsigned lane) {
      context.storeOutput(i, row, columns.places[lane], values[lane]);
    };
    bool uniform = llvm::all_of(columns.exists, [&](const Condition &exists) {
      return exists.kind == columns.exists.front().kind &&
             exists.value == columns.exists.front().value;
    });
    if (uniform) {
      emitter.emitIf(emitter.conjunction(rowExists, columns.exists.front()),
                     [&] {
                       for (unsigned lane = 0; lane < values.size(); ++lane)
                         store(lane);
                     });
      continue;
    }
    for (unsigned lane = 0; lane < values.size(); ++lane)
      emitter.emitIf(emitter.conjunction(rowExists, columns.exists[lane]),
                     [&] { store(lane); });
  }
}

void TileKernel::emitResults(ArrayRef<Value> sums) {
  SmallVector<Chunk> chunks;
  for (int64_t group = 0; group < threadGroups; ++group)
    chunks.push_back(columnsOf(group));
  for (int64_t i = 0; i < threadRows; ++i) {
    AffineExpr row =
        emitter.simplify(tileRow * tile.getRows() + rowInTile(i));
    Condition exists = emitter.isWithin(row, 0, space.rows - 1);
    row = emitter.simplify(batch * space.rows +
                           emitter.clamp(row, 0, space.rows - 1));
    for (auto [group, columns] : llvm::enumerate(chunks)) {
      for (auto [number, product] : llvm::enumerate(products)) {
        int64_t first = (number * threadRows + i) * threadGroups * width;
        for (auto [lane, column] : llvm::enumerate(columns.places))
          emitter.remember(product.shape.op->getResult(0),
                           resultIndex(product, row, column),
                           sums[first + group * width + lane]);
      }
      storeRow(row, exists, columns);
    }
  }
}

void TileKernel::run() {
  placeBlock();
  addProducts();
  if (emitter.hasFailed())
    return;
  emitResults(emitSums(emitInits()));
}

void fuse::emitTileKernel(KernelContext &context) {
  TileKernel(context).run();
}
