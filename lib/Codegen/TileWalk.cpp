// The loop of path `tile` along the sums: the operands' next tiles are copied or
// computed into shared memory while the present ones are multiplied.
//
// The order of each sum: from the initial value, the products in the order of
// the operator's reduction loops, one after another (unit `fma`), or those of a
// fragment at a time (unit `mma`).
#include "TileKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::fuse;

//===----------------------------------------------------------------------===//
// Products of a tile
//===----------------------------------------------------------------------===//

Value TileKernel::multiplyAdd(const Product &product, Value left, Value right,
                              Value sum) {
  Type type = sum.getType();
  if (type.isF32() || type.isF64())
    return math::FmaOp::create(context.builder(), context.loc(), left, right,
                               sum);
  Value value = emitCopy(context, product.shape.multiply, {left, right});
  return emitCopy(context, product.shape.add, {sum, value});
}

/// The thread's rows (columns) of a factor for `steps` neighbouring steps of
/// the sum: those of the first step first.
SmallVector<Value> TileKernel::loadValues(const Walk &walk,
                                          const Factor &factor,
                                          AffineExpr stage, AffineExpr depth,
                                          int64_t steps, bool isLeft) {
  const SharedTile &memory = walk.operands[factor.operand]->getTile();
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

/// Adds a product's step of fragments to its `sums`.
void TileKernel::multiplyFragmentsOf(const Walk &walk, const Product &product,
                                     AffineExpr stage, int64_t step,
                                     MutableArrayRef<Value> sums) {
  int64_t blocks = threadRows / 2, pairs = threadGroups / 2;
  const SharedTile &left = walk.operands[product.left.operand]->getTile();
  const SharedTile &right = walk.operands[product.right.operand]->getTile();
  AffineExpr depth = emitter.constant(step);
  SmallVector<SmallVector<Value>> rows, columns;
  for (int64_t i = 0; i < blocks; ++i)
    rows.push_back(loadFragment(context, left, stage, warpRow + i * 16, depth,
                                /*isLeft=*/true));
  for (int64_t pair = 0; pair < pairs; ++pair)
    columns.push_back(loadFragment(context, right, stage,
                                   warpColumn + pair * 16, depth,
                                   /*isLeft=*/false));
  for (int64_t i = 0; i < blocks; ++i)
    for (int64_t j = 0; j < threadGroups; ++j) {
      // Two neighbours in each of two rows.
      auto sum = [&](int64_t c) -> Value & {
        int64_t row = 2 * i + c / 2;
        return sums[(row * threadGroups + j) * 2 + c % 2];
      };
      ArrayRef<Value> both = columns[j / 2];
      SmallVector<Value> results = multiplyFragments(
          context, *product.form, rows[i],
          both.slice(j % 2 * both.size() / 2, both.size() / 2),
          {sum(0), sum(1), sum(2), sum(3)});
      for (int64_t c = 0; c < 4; ++c)
        sum(c) = results[c];
    }
}

SmallVector<Value> TileKernel::multiplyWarp(const Walk &walk, AffineExpr stage,
                                            ValueRange sums) {
  SmallVector<Value> next(sums);
  int64_t least = tile.getDepth();
  for (const Product &product : walk.products)
    least = std::min(least, product.form->depth);
  for (int64_t step = 0; step < tile.getDepth(); step += least)
    for (auto [number, product] : llvm::enumerate(walk.products))
      if (step % product.form->depth == 0)
        multiplyFragmentsOf(
            walk, product, stage, step,
            MutableArrayRef<Value>(next).slice(number * countSums(),
                                               countSums()));
  return next;
}

/// Adds the products of the tiles in `stage` to `sums`.
SmallVector<Value> TileKernel::multiply(const Walk &walk, AffineExpr stage,
                                        ValueRange sums) {
  return usesFragments ? multiplyWarp(walk, stage, sums)
                       : multiplyThread(walk, stage, sums);
}

/// Element by element.
SmallVector<Value> TileKernel::multiplyThread(const Walk &walk,
                                              AffineExpr stage,
                                              ValueRange sums) {
  // Steps whose elements are one access.
  int64_t steps = 4;
  for (const std::unique_ptr<TileFiller> &operand : walk.operands)
    steps = std::min(steps, operand->getTile().getChunk());
  int64_t columns = threadGroups * width;
  return emitter.emitLoop(
      tile.getDepth() / steps, sums, [&](AffineExpr counter, ValueRange carried) {
        SmallVector<Value> next(carried);
        AffineExpr depth = emitter.simplify(counter * steps);
        int64_t first = 0;
        for (const Product &product : walk.products) {
          SmallVector<Value> left =
              loadValues(walk, product.left, stage, depth, steps, true);
          SmallVector<Value> right =
              loadValues(walk, product.right, stage, depth, steps, false);
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
SmallVector<Value> TileKernel::emitPipelined(const Walk &walk,
                                             SmallVector<Value> sums) {
  int64_t stages = tile.getStages();
  auto fill = [&](AffineExpr step) {
    AffineExpr stage = emitter.simplify(step % stages);
    for (const std::unique_ptr<TileFiller> &operand : walk.operands)
      operand->copy(emitter.simplify(walk.firstStep + step), stage);
  };
  AffineExpr last = emitter.simplify(walk.steps - 1);
  Value token;
  for (int64_t ahead = 0; ahead + 1 < stages; ++ahead) {
    AffineExpr step = emitter.constant(ahead);
    emitter.emitIf(emitter.isWithin(step, emitter.constant(0), last),
                   [&] { fill(step); });
    token = commitCopies(context);
  }
  return emitter.emitLoop(
      walk.steps, sums, [&](AffineExpr step, ValueRange carried) {
        awaitCopies(context, token, stages - 2);
        gpu::BarrierOp::create(context.builder(), context.loc());
        AffineExpr ahead = emitter.simplify(step + (stages - 1));
        emitter.emitIf(
            emitter.isWithin(ahead, emitter.constant(0), last), [&] {
              fill(emitter.addVariable(emitter.materialize(ahead),
                                       rangeOfCount(walk.steps)));
            });
        commitCopies(context);
        return multiply(walk, emitter.simplify(step % stages), carried);
      });
}

/// 32-bit words of a thread for the sums of a walk.
int64_t TileKernel::countSumWords(const Walk &walk) {
  int64_t words = 0;
  for (const Product &product : walk.products) {
    Type type = getElementTypeOrSelf(product.shape.op->getResult(0).getType());
    words +=
        countSums() * llvm::divideCeil(type.getIntOrFloatBitWidth(), 32);
  }
  return words;
}

/// Some operands pass through registers: the next tile is on its way while the
/// present one is multiplied.
SmallVector<Value> TileKernel::emitThroughRegisters(const Walk &walk,
                                                    SmallVector<Value> sums) {
  bool copies = llvm::any_of(
      walk.operands, [](const auto &operand) { return operand->isAsync(); });
  // Registers for sums and for elements that are under way, and the code for these.
  constexpr int64_t kMostWords = 200, kMostEmitted = 4096;
  int64_t sumWords = countSumWords(walk);
  int64_t words = sumWords, emitted = 0;
  for (const auto &operand : walk.operands) {
    words += operand->countHeldWords();
    emitted += operand->countEmitted();
  }
  bool isHeld = words <= kMostWords && emitted <= kMostEmitted;
  SmallVector<SmallVector<Value>> loaded(walk.operands.size());
  auto start = [&](AffineExpr step, AffineExpr stage) {
    step = emitter.simplify(walk.firstStep + step);
    for (auto [operand, elements] : llvm::zip(walk.operands, loaded)) {
      if (operand->isAsync())
        operand->copy(step, stage);
      else if (isHeld)
        elements = operand->load(step);
      else
        operand->fillInTurn(step, stage, kMostWords - sumWords);
    }
    return copies ? commitCopies(context) : Value();
  };
  auto finish = [&](AffineExpr stage) {
    for (auto [operand, elements] : llvm::zip(walk.operands, loaded))
      if (!operand->isAsync() && isHeld)
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
  AffineExpr last = emitter.simplify(walk.steps - 1);
  sums = emitter.emitLoop(last, sums, [&](AffineExpr step, ValueRange carried) {
    arrive();
    AffineExpr next = emitter.simplify((step + 1) % 2);
    start(emitter.simplify(step + 1), next);
    SmallVector<Value> sums =
        multiply(walk, emitter.simplify(step % 2), carried);
    finish(next);
    return sums;
  });
  arrive();
  return multiply(walk, emitter.simplify(last % 2), sums);
}

SmallVector<Value> TileKernel::emitWalk(const Walk &walk,
                                        SmallVector<Value> sums) {
  auto emit = [&] {
    return walk.isPipelined() && tile.getStages() > 1
               ? emitPipelined(walk, sums)
               : emitThroughRegisters(walk, sums);
  };
  AffineExpr depth = walk.products.front().shape.depthExtent;
  if (isa<AffineConstantExpr>(depth))
    return emit();
  // A size symbol stands for at least one, but there may be results without
  // products.
  OpBuilder &builder = context.builder();
  Value size = emitter.materialize(depth);
  Value zero = arith::ConstantOp::create(
      builder, context.loc(), builder.getZeroAttr(size.getType()));
  Condition some = {Condition::Runtime,
                    arith::CmpIOp::create(builder, context.loc(),
                                          arith::CmpIPredicate::ne, size,
                                          zero)};
  return emitter.emitIf(some, ValueRange(sums).getTypes(), emit,
                        [&] { return sums; });
}
