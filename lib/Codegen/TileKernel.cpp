// Path `tile`. A block owns a tile of a contraction's results and walks along
// the sums. What depends on the results is ordinary element code at each
// result's row and column. Where there are few tiles, several blocks share the
// sums of one: each leaves its own in global memory, and the last one adds them
// to the initial value in the order of the blocks' numbers.
#include "TileKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::fuse;

TileKernel::TileKernel(KernelContext &context)
    : context(context), emitter(context.emitter),
      tile(context.schedule.getTile()),
      usesFragments(tile.getUnit() == TileUnit::Mma),
      width(usesFragments ? 2 : 4),
      space(context.shape.contractions.front()),
      sharesRows(fuse::sharesRows(context.shape)),
      joinsRows(context.shape.joinsRows) {
  results.columns = tile.getColumns() / tile.getColumnWarps();
  results.vector = context.schedule.getVector();
  results.downRows =
      context.schedule.getLayout().getResult(0).isFunctionOfDim(3);
}

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

void TileKernel::placeTileOfBlock() {
  TileShape shape;
  shape.rows = tile.getRows();
  shape.columns = tile.getColumns();
  shape.group = tile.getGroup();
  int64_t tiles = context.schedule.getGrid() / tile.getParts();
  tileNumber = emitter.simplify(context.block % tiles);
  if (tile.getParts() > 1)
    tileNumber = asVariable(tileNumber);
  part = asVariable(context.block.floorDiv(tiles));
  TilePlace place = placeTile(space, shape, tileNumber);
  batch = asVariable(place.batch);
  tileRow = asVariable(place.row);
  tileColumn = asVariable(place.column);
}

/// The same for a number of tiles that only the running kernel knows. The last
/// group down may have fewer tiles than the others. No count is above that of
/// the blocks, so all fit 32 bits.
void TileKernel::placeTileAtRunTime() {
  OpBuilder &builder = context.builder();
  Location loc = context.loc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(builder, loc, builder.getI32Type(),
                                        value);
  };
  auto count = [&](AffineExpr extent, int64_t size) -> Value {
    return arith::IndexCastOp::create(
        builder, loc, builder.getI32Type(),
        emitter.materializeIndex(
            emitter.simplify((extent + (size - 1)).floorDiv(size))));
  };
  auto divide = [&](Value a, Value b) -> std::pair<Value, Value> {
    return {arith::DivUIOp::create(builder, loc, a, b),
            arith::RemUIOp::create(builder, loc, a, b)};
  };
  Value down = count(space.rowExtent, tile.getRows());
  Value across = count(space.columnExtent, tile.getColumns());
  Value group = constant(tile.getGroup());
  Value block = emitter.materialize(context.block);
  auto [number, inBatch] =
      divide(block, arith::MulIOp::create(builder, loc, down, across));
  auto [groupNumber, inGroup] =
      divide(inBatch, arith::MulIOp::create(builder, loc, group, across));
  Value first = arith::MulIOp::create(builder, loc, groupNumber, group);
  Value left = arith::SubIOp::create(builder, loc, down, first);
  auto [column, row] =
      divide(inGroup, arith::MinUIOp::create(builder, loc, left, group));
  row = arith::AddIOp::create(builder, loc, first, row);
  IndexRange most = IndexRange::ofSize(INT32_MAX);
  batch = isa<AffineConstantExpr>(space.batchExtent) && space.batches == 1
              ? emitter.constant(0)
              : emitter.addVariable(number,
                                    IndexRange::ofSize(space.batchExtent));
  tileRow = emitter.addVariable(row, most);
  tileColumn = emitter.addVariable(column, most);
  part = emitter.constant(0);
}

void TileKernel::placeBlock() {
  if (context.shape.sizes.isStatic())
    placeTileOfBlock();
  else
    placeTileAtRunTime();
}

void TileKernel::placeThread() {
  warp = context.thread.floorDiv(32);
  AffineExpr lane = context.thread % 32;
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

AffineExpr TileKernel::rowInSpace(AffineExpr inTile, Condition &exists) {
  AffineExpr row = emitter.simplify(tileRow * tile.getRows() + inTile);
  exists = emitter.isBelow(row, space.rowExtent);
  return emitter.simplify(batch * space.rowExtent +
                          emitter.clampBelow(row, space.rowExtent));
}

/// `count` neighbouring columns of the tile.
Chunk TileKernel::columnsOf(AffineExpr inTile, int64_t count) {
  AffineExpr first = tileColumn * tile.getColumns() + inTile;
  return makeChunk(emitter, count, space.columnExtent,
                   [&](int64_t lane) { return first + lane; });
}

SmallVector<AffineExpr>
TileKernel::resultIndex(const ContractionShape &shape, AffineExpr row,
                        AffineExpr column) {
  linalg::LinalgOp root = cast<linalg::LinalgOp>(shape.op);
  SmallVector<AffineExpr> loops =
      context.at(context.shape.rootLoops.lookup(root), row, column);
  SmallVector<AffineExpr> index;
  AffineMap map = root.getMatchingIndexingMap(root.getDpsInitOperand(0));
  for (AffineExpr expr : map.getResults())
    index.push_back(emitter.simplify(expr.replaceDims(loops)));
  return index;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

TileKernel::Sums TileKernel::emitInits() {
  Sums inits;
  for (const ContractionShape &shape : context.shape.contractions) {
    SmallVector<Value> &own = inits.emplace_back();
    Value init = cast<linalg::LinalgOp>(shape.op).getDpsInitOperand(0)->get();
    for (int64_t i = 0; i < threadRows; ++i)
      for (int64_t group = 0; group < threadGroups; ++group) {
        Condition exists;
        AffineExpr row = rowInSpace(rowInTile(i), exists);
        for (AffineExpr column : columnsOf(columnInTile(group), width).places)
          own.push_back(emitter.emit(init, resultIndex(shape, row, column)));
      }
  }
  return inits;
}

TileKernel::Sums TileKernel::emitZeros() {
  OpBuilder &builder = context.builder();
  Sums zeros;
  for (const ContractionShape &shape : context.shape.contractions) {
    Type type = getElementTypeOrSelf(shape.op->getResult(0).getType());
    zeros.emplace_back(countSums(),
                       arith::ConstantOp::create(builder, context.loc(),
                                                 builder.getZeroAttr(type)));
  }
  return zeros;
}

/// `ptxas` takes as many registers as a block may have, beyond those that a thread
/// needs for sums, fragments and addresses. What it takes should not keep a
/// multiprocessor from the blocks that its shared memory has room for.
void TileKernel::limitRegisters(const Walk &walk) {
  // Of a multiprocessor (an sm_80), and of a thread for all else.
  constexpr int64_t kRegisters = 64 * 1024, kShared = 164 * 1024,
                    kReserved = 1024, kOthers = 40;
  int64_t fragments =
      2 * (threadRows + threadGroups) * int64_t(walk.products.size());
  int64_t words = countSumWords(walk) + fragments + kOthers;
  int64_t blocks =
      std::min(kRegisters / (context.schedule.getThreads() * words),
               kShared / (context.dynamicSharedBytes + kReserved));
  context.function->setAttr(
      NVVM::NVVMDialect::getMinctasmAttrName(),
      context.builder().getI32IntegerAttr(
          static_cast<int32_t>(std::max<int64_t>(blocks, 1))));
}

/// One walk after the other; their tiles lie in the same shared memory.
void TileKernel::emitSums(Sums &sums) {
  firstSharedByte = context.dynamicSharedBytes;
  int64_t end = firstSharedByte;
  for (auto [number, contractions] : llvm::enumerate(getWalks(context.shape))) {
    if (number > 0)
      gpu::BarrierOp::create(context.builder(), context.loc());
    context.dynamicSharedBytes = firstSharedByte;
    Walk walk = makeWalk(contractions);
    end = std::max(end, context.dynamicSharedBytes);
    if (emitter.hasFailed())
      return;
    // Parts of a packed kernel have each other's registers, too.
    bool isAlone = contractions.size() == context.shape.contractions.size() &&
                   !context.sharesMemory;
    if (isAlone && usesFragments && walk.isPipelined() && !reducesRows())
      limitRegisters(walk);
    SmallVector<Value> carried;
    for (unsigned contraction : contractions)
      llvm::append_range(carried, sums[contraction]);
    carried = emitWalk(walk, std::move(carried));
    for (auto [i, contraction] : llvm::enumerate(contractions))
      sums[contraction].assign(carried.begin() + i * countSums(),
                               carried.begin() + (i + 1) * countSums());
  }
  context.dynamicSharedBytes = end;
}

//===----------------------------------------------------------------------===//
// Blocks that share a tile
//===----------------------------------------------------------------------===//

/// Where part `part` leaves the thread's sum `number`: accesses of 16 bytes of
/// neighbouring threads lie side by side.
AffineExpr TileKernel::getShare(AffineExpr part, int64_t number) {
  constexpr int64_t kLanes = 4;
  int64_t threads = context.schedule.getThreads();
  int64_t tiles = context.schedule.getGrid() / tile.getParts();
  AffineExpr first = (part * tiles + tileNumber) * (countSums() * threads);
  return emitter.simplify(first + number / kLanes * (kLanes * threads) +
                          context.thread * kLanes + number % kLanes);
}

void TileKernel::emitShare(const Sums &sums) {
  for (auto [buffer, own] : llvm::zip(context.scratch, sums))
    for (auto [number, sum] : llvm::enumerate(own))
      emitter.storeTo(buffer, getShare(part, number), sum);
}

/// Adds what all blocks have left.
void TileKernel::addShares(Sums &sums) {
  SmallVector<Value> carried;
  for (const SmallVector<Value> &own : sums)
    llvm::append_range(carried, own);
  carried = emitter.emitLoop(
      tile.getParts(), carried, [&](AffineExpr part, ValueRange before) {
        SmallVector<Value> next;
        for (auto [i, shape] : llvm::enumerate(context.shape.contractions))
          for (int64_t number = 0; number < countSums(); ++number) {
            Value share = emitter.loadFrom(context.scratch[i],
                                           getShare(part, number));
            next.push_back(
                emitCopy(context, shape.add, {before[next.size()], share}));
          }
        return next;
      });
  for (auto [i, own] : llvm::enumerate(sums))
    own.assign(carried.begin() + i * countSums(),
               carried.begin() + (i + 1) * countSums());
}

void TileKernel::run() {
  // The first stage are the contractions.
  rowStages = getStages(context);
  rowStages.erase(rowStages.begin());
  placeBlock();
  placeThread();
  if (joinsRows)
    requireCluster(context, countTilesAcross());
  bool isShared = tile.getParts() > 1;
  // The initial values of results that are exchanged come last, where memory has
  // neighbours.
  bool startsAtZero = isShared || exchanges();
  Sums sums = startsAtZero ? emitZeros() : emitInits();
  emitSums(sums);
  if (emitter.hasFailed())
    return;
  if (!isShared)
    return emitResults(sums);
  emitShare(sums);
  int64_t tiles = context.schedule.getGrid() / tile.getParts();
  emitLastBlock(context, tileNumber, tiles, emitter.constant(tile.getParts()),
                [&] {
                  Sums sums = exchanges() ? emitZeros() : emitInits();
                  addShares(sums);
                  emitResults(sums);
                });
}

void fuse::emitTileKernel(KernelContext &context) {
  context.emitter.unrollWindows(!context.shape.windows.empty());
  TileKernel(context).run();
  context.emitter.unrollWindows(false);
}
