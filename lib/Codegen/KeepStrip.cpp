// A strip of rows that does not fit the registers of its block is kept in
// shared memory by path `column`, so that further reductions do not read it
// again.
#include "ColumnKernel.h"

using namespace mlir;
using namespace mlir::fuse;

/// Where the buffer of a kept operand has what thread `across` of a row reads
/// of `column` at a lane.
AffineExpr ColumnKernel::keptPlace(AffineExpr column, unsigned lane) {
  return emitter.simplify((column * across + context.thread % across) * lanes +
                          int64_t(lane));
}

/// From now on reads of the thread's places in `column` go to what is kept.
void ColumnKernel::readKept(AffineExpr column) {
  for (auto [access, buffer] : kept)
    for (auto [lane, row] : llvm::enumerate(rows.places))
      emitter.stageElement(
          access->value,
          emitter.simplify(access->linear.replaceDims({row, column})), buffer,
          keptPlace(column, lane));
}

/// Copies the strip of operands as large as the space to shared memory. What
/// lies beyond the last column is read there, hence the barrier.
void ColumnKernel::keepStrip() {
  const GroupShape &shape = context.shape;
  int64_t size = schedule.getThreads() * schedule.getPositions() * lanes;
  SmallVector<std::pair<const LeafAccess *, Value>> copies;
  llvm::SmallDenseSet<Value, 4> seen;
  for (const LeafAccess &access : shape.accesses) {
    Value global = emitter.getBound(access.value);
    bool isKnown = access.guards.empty();
    for (unsigned i = 0; i < shape.runTimeIndices.size(); ++i)
      isKnown &=
          !access.linear.isFunctionOfSymbol(shape.sizes.getNumSymbols() + i);
    if (global && isKnown && context.isFull(access.value) &&
        seen.insert(access.value).second)
      copies.push_back(
          {&access, addDynamicBuffer(context, size,
                                     getElementTypeOrSelf(global.getType()))});
  }
  ColumnPartials none;
  forEachPosition(none, [&](AffineExpr position, ColumnPartials &) {
    Chunk chunk = columnAt(position);
    AffineExpr column = chunk.places.front();
    emitter.emitIf(chunk.exists.front(), [&] {
      for (auto [access, buffer] : copies)
        for (auto [lane, row] : llvm::enumerate(rows.places))
          emitter.storeTo(
              buffer, keptPlace(column, lane),
              emitter.loadFrom(
                  emitter.getBound(access->value),
                  emitter.simplify(access->linear.replaceDims({row, column}))));
    });
  });
  gpu::BarrierOp::create(context.builder(), context.loc());
  kept = std::move(copies);
}
