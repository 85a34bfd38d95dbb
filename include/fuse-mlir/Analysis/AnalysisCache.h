// What analyses of groups of the same operators have in common. A planner asks
// about thousands of groups of few operators; what depends on one operator, or
// on a portion that many groups hold, is found once.
#ifndef FUSE_MLIR_ANALYSIS_ANALYSISCACHE_H
#define FUSE_MLIR_ANALYSIS_ANALYSISCACHE_H

#include "fuse-mlir/Analysis/GroupShape.h"

#include <unordered_map>

namespace mlir::fuse {

/// The loops of a root: rows (product of the parallel ones) and columns
/// (product of the reduction loops).
struct RootSizes {
  SmallVector<AffineExpr> loops;
  SmallVector<unsigned> parallel, reduction;
  AffineExpr rows, columns;
};

/// Holds as long as the operators that it was asked about stay as they are. Not
/// for several threads at once.
class AnalysisCache {
public:
  /// See the functions of these names.
  bool isElementComputable(Operation *op);
  bool isRootOp(Operation *op);
  bool hasCombinablePartials(Operation *op);
  /// Whether `op` and its body have known sizes only.
  bool isStatic(Operation *op);
  bool areStatic(ArrayRef<Operation *> ops);
  /// The sizes of all that `ops` take and make.
  TensorSizes getSizes(ArrayRef<Operation *> ops);
  /// Of a root; `sizes` are those of a group that holds it.
  const RootSizes &getRootSizes(Operation *root, const TensorSizes &sizes);
  const std::optional<ContractionShape> &
  matchContraction(Operation *root, const TensorSizes &sizes);

  /// Of index expressions.
  IndexMemo simplified;

  /// The shape in one space of a portion of a group, or why there is none.
  struct Space {
    std::optional<GroupShape> shape;
    RuleViolation why;
  };
  /// The entry of a portion; `added` tells whether it is still to be filled in.
  Space &getSpace(ArrayRef<Operation *> ops, ArrayRef<Value> outputs,
                  bool &added);

private:
  /// What is known of an operator by itself.
  struct OpEntry {
    std::optional<bool> computable, root, combinable, isStatic;
    std::optional<RootSizes> sizes;
    std::optional<std::optional<ContractionShape>> contraction;
  };
  /// Operators and outputs by their addresses.
  using Key = std::vector<const void *>;
  struct KeyHash {
    size_t operator()(const Key &key) const;
  };

  llvm::DenseMap<Operation *, std::unique_ptr<OpEntry>> entries;
  OpEntry &getEntry(Operation *op);
  /// Of roots of dynamic groups, whose sizes are those of the group.
  RootSizes dynamicSizes;
  std::optional<ContractionShape> dynamicContraction;
  std::unordered_map<Key, Space, KeyHash> spaces;
};

/// The same as without a cache.
FailureOr<GroupShape> analyzeGroup(ArrayRef<Operation *> ops,
                                   ArrayRef<Value> outputs, RuleViolation *why,
                                   AnalysisCache &cache);

} // namespace mlir::fuse

#endif // FUSE_MLIR_ANALYSIS_ANALYSISCACHE_H
