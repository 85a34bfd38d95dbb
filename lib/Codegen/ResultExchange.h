// Sums of a warp on their way from where the matrix units leave them, two
// neighbours a lane, to where a lane has as many as memory takes at once.
#ifndef FUSE_MLIR_LIB_CODEGEN_RESULTEXCHANGE_H
#define FUSE_MLIR_LIB_CODEGEN_RESULTEXCHANGE_H

#include "fuse-mlir/Analysis/LaunchShape.h"
#include "fuse-mlir/Codegen/KernelCodegen.h"

namespace mlir::fuse {

/// Row and column of the space.
using Place = std::pair<AffineExpr, AffineExpr>;
SmallVector<Place> placesOf(AffineExpr row, const Chunk &columns);

/// Stores the outputs with an element for each place at neighbouring `places`, which
/// exist if `common` and their own condition hold.
void storePlaces(KernelContext &context, ArrayRef<Place> places,
                 Condition common, ArrayRef<Condition> exists);

/// Shared memory for a slab of each warp's sums: `kSlabRows` rows of the warp's
/// columns. A warp reads what it wrote itself, so that lanes wait for lanes only.
/// The memory is used again for each slab; accesses are emitted as they are, as
/// `mergeAccesses` takes memory to be written once.
/// Chunks of 16 bytes lie exchanged (xor) such that neither side's accesses
/// meet in a bank (`locate`).
class ResultExchange {
public:
  /// For the warp numbered `warp` of `warps`, with sums of 32 bits.
  ResultExchange(KernelContext &context, ResultLayout layout, AffineExpr warp,
                 int64_t warps);

  const ResultLayout &getLayout() const { return layout; }
  /// Gives away a slab of sums: `count` of each row of a lane as the matrix units
  /// have them (`row * count + group * 2 + column` for the rows `lane / 4` and
  /// eight below), all of one type.
  void write(ArrayRef<Value> slab);
  /// The slab is there, or has been read, for all lanes.
  void wait();
  /// The sums of the lane, chunk by chunk (`ResultLayout::place`).
  SmallVector<Value> read(Type type);

private:
  Value getBuffer(Type type);
  SmallVector<Value> load(Type type, AffineExpr row, AffineExpr column,
                          int64_t count);
  AffineExpr locate(AffineExpr row, AffineExpr column);

  KernelContext &context;
  ElementEmitter &emitter;
  ResultLayout layout;
  AffineExpr first;
  int64_t size;
  /// The memory, and the same for sums of each type.
  int64_t firstByte;
  llvm::SmallDenseMap<Type, Value, 2> buffers;
};

} // namespace mlir::fuse

#endif // FUSE_MLIR_LIB_CODEGEN_RESULTEXCHANGE_H
