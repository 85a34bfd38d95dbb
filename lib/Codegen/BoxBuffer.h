// How shared memory holds the box of an operand, so that neither the threads
// along the operand nor those along the kernel's order meet in a bank.
#ifndef FUSE_MLIR_LIB_CODEGEN_BOXBUFFER_H
#define FUSE_MLIR_LIB_CODEGEN_BOXBUFFER_H

#include "fuse-mlir/Analysis/BoxShape.h"

namespace mlir::fuse {

/// Where the place with given indices within the box lies: at the sum of index
/// times stride over the operand's axes. Then the units of each line of 128
/// bytes are permuted: unit `u` of line `n` takes the place of
/// `u xor (((n >> shift) xor (n >> otherShift)) mod units of a line)`.
struct BoxBuffer {
  /// Of the operand's axes, in its order.
  SmallVector<int64_t, 4> strides;
  /// Elements of a unit, and of a line; 0 if nothing is permuted.
  int64_t unit = 0, line = 0;
  /// None for 63.
  int64_t shift = 63, otherShift = 63;
  /// Elements of the buffer: whole lines.
  int64_t size = 0;

  bool isPermuted() const { return unit != 0; }
};

/// The buffer of `operand` that costs the fewest passes of shared memory when
/// threads take `vector` neighbours along the kernel's order, and chunks of 16
/// bytes along the operand's; of those, the smallest.
BoxBuffer chooseBuffer(const GroupShape &shape, const BoxOperand &operand,
                       int64_t vector);

} // namespace mlir::fuse

#endif // FUSE_MLIR_LIB_CODEGEN_BOXBUFFER_H
