// Numbers for operators that differ in nothing but the values they use: what
// one of them costs, the others cost, too.
#ifndef FUSE_MLIR_LIB_PLANNER_OPKINDS_H
#define FUSE_MLIR_LIB_PLANNER_OPKINDS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace mlir::fuse::plan {

/// Operators of one kind have the same name, attributes (but for
/// `fuse.ordinal`), types and bodies; which values they use, their bodies
/// included, is left open.
class OpKinds {
public:
  unsigned get(Operation *op);
  /// The first operator of a kind.
  Operation *getExample(unsigned kind) const { return examples[kind]; }
  /// The kind of a value that a kernel takes from outside. Values of one kind
  /// have the same type, and what a kernel copies instead of reading them
  /// (fills and constants of outer blocks) is of one kind, too.
  unsigned getOutside(Value value);

private:
  std::vector<Operation *> examples;
  llvm::DenseMap<unsigned, SmallVector<unsigned, 1>> byHash;
  llvm::DenseMap<std::pair<Type, unsigned>, unsigned> outside;
};

} // namespace mlir::fuse::plan

#endif // FUSE_MLIR_LIB_PLANNER_OPKINDS_H
