// Blocks that share the keys of a tile of queries: each leaves m, its threads'
// parts of l, and its sums of values in global memory; the last one puts these
// together in the order of the blocks' numbers, as if each block's keys were a
// step.
#include "StreamedAttentionKernel.h"

using namespace mlir;
using namespace mlir::fuse;

/// What a thread leaves of a row.
SmallVector<Value> StreamedAttentionKernel::getShared(const State &state,
                                                      unsigned row) const {
  SmallVector<Value> values;
  if (attention.isOnline())
    values = {state.maxima[row], state.totals[row]};
  size_t perRow = state.sums.size() / rows.size();
  llvm::append_range(values, ArrayRef(state.sums).slice(row * perRow, perRow));
  return values;
}

/// Where block `part` leaves them: row by row, m and l thread by thread before
/// the sums.
SmallVector<AffineExpr> StreamedAttentionKernel::getShares(AffineExpr part,
                                                           unsigned row) {
  int64_t teams = context.schedule.getGrid() / tile.getParts();
  int64_t kept = std::min(tile.getRows(), shape.queries);
  AffineExpr line = (part * teams + team) * kept +
                    emitter.clamp(warp.rowAt(row), 0, kept - 1);
  line = line * attention.countSharedWords(tile.getUnit());
  AffineExpr thread = warp.columnAt(0).floorDiv(warp.getWidth());
  SmallVector<AffineExpr> places;
  int64_t statistics = 0;
  if (attention.isOnline()) {
    places = {line + thread * 2, line + thread * 2 + 1};
    statistics = 2 * warp.getTeam();
  }
  for (int64_t group = 0; group < width / warp.getGroupColumns(); ++group)
    for (int64_t lane = 0; lane < warp.getWidth(); ++lane)
      places.push_back(line + statistics + warp.columnAt(group) + lane);
  for (AffineExpr &place : places)
    place = emitter.simplify(place);
  return places;
}

void StreamedAttentionKernel::emitShare(const State &state) {
  for (auto [i, row] : llvm::enumerate(rows))
    emitter.emitIf(row.exists, [&, i = i] {
      for (auto [place, value] :
           llvm::zip(getShares(part, i), getShared(state, i)))
        emitter.storeTo(context.scratch.front(), place, value);
    });
}

/// What block `part` has left; of rows that do not exist, zeros.
StreamedAttentionKernel::State
StreamedAttentionKernel::loadShare(AffineExpr part) {
  State share;
  size_t statistics = attention.isOnline() ? 2 : 0;
  size_t perRow = statistics + warp.getWidth() * width / warp.getGroupColumns();
  SmallVector<Type> types(perRow, context.builder().getF32Type());
  for (auto [i, row] : llvm::enumerate(rows)) {
    SmallVector<Value> loaded = emitter.emitIf(
        row.exists, types,
        [&, i = i] {
          return llvm::map_to_vector(
              getShares(part, i), [&](AffineExpr place) -> Value {
                return emitter.loadFrom(context.scratch.front(), place);
              });
        },
        [&] { return SmallVector<Value>(perRow, constant(0.0)); });
    if (attention.isOnline()) {
      share.maxima.push_back(loaded[0]);
      share.totals.push_back(loaded[1]);
    }
    share.sums.append(loaded.begin() + statistics, loaded.end());
  }
  return share;
}

/// m' = max(m₁, m₂); l and y are l₁ · exp(m₁ - m') + l₂ · exp(m₂ - m'). Without
/// a softmax, y is y₁ + y₂.
StreamedAttentionKernel::State
StreamedAttentionKernel::merge(const State &before, const State &share) {
  OpBuilder &builder = context.builder();
  Location loc = context.loc();
  if (!attention.isOnline()) {
    State sum;
    for (auto [a, b] : llvm::zip(before.sums, share.sums))
      sum.sums.push_back(arith::AddFOp::create(builder, loc, a, b));
    return sum;
  }
  KernelContext cascade = getStage(1);
  Accumulators accumulators(cascade, {attention.maximum});
  State next;
  int64_t perRow = before.sums.size() / rows.size();
  for (unsigned i = 0; i < rows.size(); ++i) {
    SmallVector<Value> maximum = {before.maxima[i]};
    accumulators.combine(cascade, maximum, {share.maxima[i]});
    next.maxima.push_back(maximum.front());
    Value used =
        arith::SelectOp::create(builder, loc, isMinusInfinity(maximum.front()),
                                constant(0.0), maximum.front());
    auto getFactor = [&](Value from) {
      return emitCopy(
          context, attention.exponentiation,
          arith::SubFOp::create(builder, loc, from, used).getResult());
    };
    Value first = getFactor(before.maxima[i]);
    Value second = getFactor(share.maxima[i]);
    auto add = [&](Value a, Value b) -> Value {
      a = arith::MulFOp::create(builder, loc, a, first);
      b = arith::MulFOp::create(builder, loc, b, second);
      return arith::AddFOp::create(builder, loc, a, b);
    };
    next.totals.push_back(add(before.totals[i], share.totals[i]));
    for (int64_t at = i * perRow, end = at + perRow; at < end; ++at)
      next.sums.push_back(add(before.sums[at], share.sums[at]));
  }
  return next;
}

/// What all blocks have found.
StreamedAttentionKernel::State StreamedAttentionKernel::mergeShares() {
  State first = start({attention.isOnline(), /*multiplies=*/true, {}});
  return first.unflatten(emitter.emitLoop(
      tile.getParts(), first.flatten(),
      [&](AffineExpr part, ValueRange carried) {
        return merge(first.unflatten(carried), loadShare(part)).flatten();
      }));
}
