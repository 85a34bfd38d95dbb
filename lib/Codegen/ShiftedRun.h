// Elements at equal distances in memory that begin anywhere: the aligned
// vectors around them are loaded, and their bits are shifted to the front.
#ifndef FUSE_MLIR_LIB_CODEGEN_SHIFTEDRUN_H
#define FUSE_MLIR_LIB_CODEGEN_SHIFTEDRUN_H

#include "fuse-mlir/Codegen/KernelCodegen.h"

namespace mlir::fuse {

class ShiftedRun {
public:
  /// The run that is all of `sources`, whatever their guards; none if their
  /// distances differ, the buffer is not made of whole vectors, or too many of
  /// these would be loaded.
  static std::optional<ShiftedRun> find(KernelContext &context,
                                        ArrayRef<ElementSource> sources);

  /// Makes the run longer, to hold `other` as well, if that begins at a known
  /// distance, not behind the end, and no vectors in between are wasted. Gives
  /// the distance.
  std::optional<int64_t> absorb(KernelContext &context,
                                const ShiftedRun &other);

  /// 32-bit words that `load` gives a thread.
  int64_t countWords() const { return countVectors() * getVectorWords(); }
  int64_t countVectors() const;
  /// The vectors around the run. Those before or behind all of the buffer are
  /// others of it instead.
  SmallVector<Value> load(KernelContext &context) const;
  /// The run as 32-bit words, from what `load` gave.
  SmallVector<Value> shift(KernelContext &context,
                           ArrayRef<Value> vectors) const;
  /// Words of those `length` elements of the run that begin at `offset`.
  SmallVector<Value> cut(KernelContext &context, ArrayRef<Value> words,
                         int64_t offset, int64_t length) const;

private:
  int64_t getVectorWords() const { return width * bytes / 4; }
  /// Elements from the first to the last of the run.
  int64_t getSpan() const { return (count - 1) * stride + 1; }
  /// The place of the first element, and its number in its vector.
  Value getShift(KernelContext &context) const;

  Value buffer;
  AffineExpr first;
  /// Elements of the run, their distance, elements of a vector and bytes of
  /// each.
  int64_t count = 0, stride = 1, width = 0, bytes = 0;
  /// `first` is a multiple of this, a divisor of `width`.
  int64_t divisor = 1;
};

} // namespace mlir::fuse

#endif // FUSE_MLIR_LIB_CODEGEN_SHIFTEDRUN_H
