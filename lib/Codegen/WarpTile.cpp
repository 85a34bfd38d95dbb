// Products of a warp. Rows of a warp lie one after another; a thread of a warp
// has rows and columns as fragments of the matrix units have them, or, for
// multiply-adds, as a grid of four threads down and eight across.
#include "WarpTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fuse;

static AffineExpr asVariable(ElementEmitter &emitter, AffineExpr expr) {
  expr = emitter.simplify(expr);
  if (isa<AffineConstantExpr>(expr))
    return expr;
  IndexRange range = getRange(expr, emitter.getRanges());
  return emitter.addVariable(emitter.materialize(expr), range);
}

WarpTile::WarpTile(KernelContext &context, TileUnit unit, int64_t warpRows)
    : context(context), emitter(context.emitter),
      usesFragments(unit == TileUnit::Mma), warpRows(warpRows) {
  AffineExpr warp = context.thread.floorDiv(32), lane = context.thread % 32;
  firstRow = emitter.simplify(asVariable(emitter, warp) * warpRows);
  int64_t across = getTeam(), rows = usesFragments ? 1 : 4;
  threadRow = emitter.simplify(
      firstRow + asVariable(emitter, lane.floorDiv(across)) * rows);
  threadColumn =
      emitter.simplify(asVariable(emitter, lane % across) * getWidth());
}

AffineExpr WarpTile::rowAt(int64_t row) const {
  int64_t offset = usesFragments ? row * 8 : row / 4 * 16 + row % 4;
  return emitter.simplify(threadRow + offset);
}

AffineExpr WarpTile::columnAt(int64_t group) const {
  return emitter.simplify(threadColumn + group * getGroupColumns());
}

//===----------------------------------------------------------------------===//
// Matrix units
//===----------------------------------------------------------------------===//

WarpTile::Fragments WarpTile::loadRows(const SharedTile &tile,
                                       int64_t depth) const {
  Fragments fragments;
  for (int64_t step = 0; step < depth; step += kFragmentDepth) {
    SmallVector<Value> &registers = fragments.emplace_back();
    for (int64_t row = 0; row < warpRows; row += kFragmentRows)
      llvm::append_range(
          registers,
          loadFragment(context, tile, emitter.constant(0), firstRow + row,
                       emitter.constant(step), /*isLeft=*/true));
  }
  return fragments;
}

WarpTile::Fragments WarpTile::packRows(ArrayRef<Value> elements,
                                       int64_t columns) const {
  OpBuilder &builder = context.builder();
  Location loc = context.loc();
  VectorType pair = VectorType::get({2}, elements.front().getType());
  int64_t groups = columns / kFragmentColumns;
  Fragments fragments;
  for (int64_t group = 0; group < groups; group += 2) {
    SmallVector<Value> &registers = fragments.emplace_back();
    // Of 16 rows: both halves of the rows at the first eight columns, then at
    // the next eight.
    for (int64_t row = 0; row < getRows(); row += 2)
      for (int64_t number : {0, 1, 2, 3}) {
        int64_t first =
            ((row + number % 2) * groups + group + number / 2) * 2;
        Value both = vector::FromElementsOp::create(
            builder, loc, pair, elements.slice(first, 2));
        registers.push_back(LLVM::BitcastOp::create(
            builder, loc, builder.getI32Type(), both));
      }
  }
  return fragments;
}

SmallVector<Value> WarpTile::multiply(const Fragments &left,
                                      const SharedFactor &right,
                                      ArrayRef<Value> sums) const {
  SmallVector<Value> next(sums);
  int64_t blocks = warpRows / kFragmentRows;
  int64_t groups = sums.size() / getRows() / 2;
  MatrixForm form;
  form.leftType = form.rightType =
      right.tile->getElement().isBF16() ? "bf16" : "f16";
  for (auto [step, rows] : llvm::enumerate(left)) {
    AffineExpr depth = emitter.constant(int64_t(step) * kFragmentDepth);
    for (int64_t group = 0; group < groups; group += 2) {
      SmallVector<Value> columns = loadFragment(
          context, *right.tile, right.stage,
          emitter.constant(group * kFragmentColumns), depth, /*isLeft=*/false);
      for (int64_t block = 0; block < blocks; ++block)
        for (int64_t j = group; j < std::min(groups, group + 2); ++j) {
          // Two neighbours in each of two rows.
          auto sum = [&](int64_t c) -> Value & {
            return next[((2 * block + c / 2) * groups + j) * 2 + c % 2];
          };
          SmallVector<Value> results = multiplyFragments(
              context, form,
              ArrayRef<Value>(rows).slice(block * 4, 4),
              ArrayRef<Value>(columns).slice((j - group) * 2, 2),
              {sum(0), sum(1), sum(2), sum(3)});
          for (int64_t c = 0; c < 4; ++c)
            sum(c) = results[c];
        }
    }
  }
  return next;
}

//===----------------------------------------------------------------------===//
// Multiply-adds
//===----------------------------------------------------------------------===//

Value fuse::emitCopy(KernelContext &context, Operation *op,
                     ValueRange operands) {
  OperationState state(context.loc(), op->getName());
  state.addOperands(operands);
  state.addTypes(getElementTypeOrSelf(op->getResult(0)));
  state.addAttributes(op->getAttrDictionary().getValue());
  return context.builder().create(state)->getResult(0);
}

/// `count` rows (columns) of a factor, in groups of four neighbours from
/// `first(group)` on, for `steps` neighbouring steps of the depth: those of the
/// first step first.
SmallVector<Value>
WarpTile::loadValues(const SharedFactor &factor, AffineExpr depth,
                     int64_t steps, int64_t count,
                     function_ref<AffineExpr(int64_t)> first) const {
  const SharedTile &tile = *factor.tile;
  SmallVector<Value> values(count * steps);
  auto load = [&](AffineExpr place) {
    return emitter.loadFrom(tile.getBuffer(), emitter.simplify(place));
  };
  int64_t run = std::min<int64_t>(4, tile.getChunk());
  for (int64_t group = 0; group < count / 4; ++group)
    for (int64_t i = 0; i < 4; ++i)
      for (int64_t step = 0; step < steps; ++step) {
        // Neighbours of a chunk become one access.
        bool alongDepth = tile.getLayout().alongDepth;
        int64_t offset = alongDepth ? step % run : i % run;
        AffineExpr place =
            tile.locate(factor.stage,
                        first(group) + (alongDepth ? i : i - offset),
                        depth + (alongDepth ? step - offset : step));
        values[step * count + group * 4 + i] = load(place + offset);
      }
  for (Value &value : values)
    for (Operation *cast : factor.casts)
      value = emitCopy(context, cast, value);
  return values;
}

SmallVector<Value> WarpTile::multiply(const SharedFactor &left,
                                      const SharedFactor &right, int64_t depth,
                                      ArrayRef<Value> sums) const {
  int64_t rows = getRows(), columns = sums.size() / rows;
  int64_t steps = std::min<int64_t>(
      4, std::min(left.tile->getChunk(), right.tile->getChunk()));
  return emitter.emitLoop(
      llvm::divideCeil(depth, steps), SmallVector<Value>(sums),
      [&](AffineExpr counter, ValueRange carried) {
        SmallVector<Value> next(carried);
        AffineExpr at = emitter.simplify(counter * steps);
        SmallVector<Value> down =
            loadValues(left, at, steps, rows,
                       [&](int64_t group) { return rowAt(group * 4); });
        SmallVector<Value> across =
            loadValues(right, at, steps, columns,
                       [&](int64_t group) { return columnAt(group); });
        for (int64_t step = 0; step < steps; ++step)
          for (int64_t i = 0; i < rows; ++i)
            for (int64_t j = 0; j < columns; ++j) {
              Value &sum = next[i * columns + j];
              sum = math::FmaOp::create(
                  context.builder(), context.loc(), down[step * rows + i],
                  across[step * columns + j], sum);
            }
        return next;
      });
}
