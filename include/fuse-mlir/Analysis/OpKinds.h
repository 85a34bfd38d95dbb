// Numbers for operators that differ in nothing but the values they use: what
// one of them costs, the others cost, too.
#ifndef FUSE_MLIR_ANALYSIS_OPKINDS_H
#define FUSE_MLIR_ANALYSIS_OPKINDS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace mlir::fuse {

/// Operators of one kind have the same name, attributes (but for
/// `fuse.ordinal`), types and bodies; which values they use, their bodies
/// included, is left open.
class OpKinds {
public:
  /// The discardable attribute `ignored` makes no difference either.
  explicit OpKinds(StringRef ignored = {}) : ignored(ignored) {}

  unsigned get(Operation *op);
  /// The first operator of a kind.
  Operation *getExample(unsigned kind) const { return examples[kind]; }
  /// The kind of a value that a kernel takes from outside. Values of one kind
  /// have the same type; of what a kernel copies instead of reading it (fills
  /// and constants of outer blocks, `isCopied`) the operators are of one kind,
  /// too.
  unsigned getOutside(Value value, bool isCopied);

private:
  bool areOfOneKind(Operation *a, Operation *b) const;

  StringRef ignored;
  std::vector<Operation *> examples;
  llvm::DenseMap<unsigned, SmallVector<unsigned, 1>> byHash;
  llvm::DenseMap<std::pair<Type, unsigned>, unsigned> outside;
};

} // namespace mlir::fuse

#endif // FUSE_MLIR_ANALYSIS_OPKINDS_H
