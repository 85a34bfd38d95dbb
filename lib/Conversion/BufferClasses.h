// Which buffers of a function may be the same memory, and who touches them.
#ifndef FUSE_MLIR_LIB_CONVERSION_BUFFERCLASSES_H
#define FUSE_MLIR_LIB_CONVERSION_BUFFERCLASSES_H

#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/DenseMap.h"

namespace mlir::fuse {

/// What an operation does with a buffer it is given.
enum class BufferUse {
  Forward, // gives it on: views, selects, branches, loops
  Launch,  // a kernel reads or writes it
  Device,  // another operation of the GPU dialect
  Copy,    // `memref.copy` between contiguous buffers
  Free,    // `memref.dealloc`
  Inspect, // sizes, the address: not the contents
  Return,  // gives it to the caller
  Call,    // gives it to a callee
  Host,    // all else: host code reads or writes it
};

/// Classifies the use of a buffer.
BufferUse classifyBufferUse(OpOperand &operand);

/// Whether the operation may write through this operand. Calls may.
bool mayWriteBuffer(OpOperand &operand);

/// Whether `value` is a contiguous buffer with a static offset of zero.
bool isContiguousBuffer(Value value);

/// Buffers that may be the same memory, because one is forwarded to the other
/// or both are forwarded to a third, form a class.
class BufferClasses {
public:
  struct Class {
    /// Values that no forwarding in the function gives: allocations,
    /// arguments, results of calls, globals.
    SmallVector<Value> roots;
    /// All uses that do not forward, in program order of the values.
    SmallVector<OpOperand *> uses;

    bool hasUse(BufferUse kind) const {
      return llvm::any_of(uses, [&](OpOperand *use) {
        return classifyBufferUse(*use) == kind;
      });
    }
  };

  explicit BufferClasses(FunctionOpInterface function);

  /// The class of `buffer`, a value of the function.
  const Class &lookup(Value buffer) const;
  /// The number of this class, as an index into `classes()`.
  unsigned indexOf(Value buffer) const;
  ArrayRef<Class> classes() const { return all; }
  /// `buffer` and what it may be forwarded to.
  SmallVector<Value> reachableFrom(Value buffer) const;

private:
  void addForwarding(Operation *op);
  void link(Value from, Value to);
  unsigned find(unsigned id) const;
  unsigned idOf(Value buffer);

  llvm::DenseMap<Value, unsigned> ids;
  SmallVector<Value> values;
  mutable SmallVector<unsigned> parents;
  llvm::DenseMap<Value, SmallVector<Value, 2>> forwarded;
  llvm::DenseSet<Value> targets;
  llvm::DenseMap<unsigned, unsigned> classIndex;
  SmallVector<Class> all;
};

} // namespace mlir::fuse

#endif // FUSE_MLIR_LIB_CONVERSION_BUFFERCLASSES_H
