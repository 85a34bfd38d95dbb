// Whether what a kernel reads still sits in the L2 cache when it starts: a
// property of the planner's order of a block and of the bytes between.
#ifndef FUSE_MLIR_PLANNER_RESIDENCY_H
#define FUSE_MLIR_PLANNER_RESIDENCY_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace mlir::fuse {

/// The tensors of one block in the order in which its operators would run one
/// by one.
///
/// A kernel starts at its first operator, or behind the last operator that it
/// reads from, whichever is later. A tensor is touched by the operator that
/// makes it and by those that read it. It is resident if it was touched before,
/// by an operator outside of the kernel, and if the tensor, the tensors touched
/// for the first time in between and the kernel's other operands fit into L2
/// together. So it follows from the kernel's operators and operands alone, is
/// the same for a plan, its report and its explanation, and a plan's price
/// stays the sum of the prices of its kernels.
class L2Residency {
public:
  explicit L2Residency(int64_t l2Bytes) : l2Bytes(double(l2Bytes)) {}

  /// Tells how many operators and values there will be.
  void reserve(size_t operators, size_t values) {
    places.reserve(operators);
    before.reserve(operators + 1);
    numbers.reserve(values);
  }
  /// Appends an operator: `reads` are the tensors that it reads, views looked
  /// through. What the host does touches nothing.
  void add(Operation *op, bool isKernel, ArrayRef<Value> reads);

  /// The number of a tensor that was touched; `kNeverTouched` for other values.
  unsigned getNumber(Value value) const;
  static constexpr unsigned kNeverTouched = ~0u;

  /// For each of `inputs` whether it is resident when a kernel of the operators
  /// at `places` (0 for the first one that was added; sorted) starts; empty if
  /// none is. `outputs` are what the kernel stores. Both are numbers.
  SmallVector<bool> find(ArrayRef<unsigned> places, ArrayRef<unsigned> inputs,
                         ArrayRef<unsigned> outputs) const;
  /// The same for values.
  SmallVector<bool> find(ArrayRef<unsigned> places, ArrayRef<Value> inputs,
                         ArrayRef<Value> outputs) const;
  /// The same for operators of the block; others are left out.
  SmallVector<bool> find(ArrayRef<Operation *> ops, ArrayRef<Value> inputs,
                         ArrayRef<Value> outputs) const;

private:
  struct Tensor {
    double bytes = 0;
    /// Places of the operators that touch it; the first may be its maker.
    SmallVector<unsigned, 3> touched;
    bool made = false;
  };
  Tensor &touch(Value value);

  double l2Bytes;
  llvm::DenseMap<Operation *, unsigned> places;
  llvm::DenseMap<Value, unsigned> numbers;
  std::vector<Tensor> tensors;
  /// Bytes touched for the first time before each operator.
  std::vector<double> before = {0};
};

} // namespace mlir::fuse

#endif // FUSE_MLIR_PLANNER_RESIDENCY_H
