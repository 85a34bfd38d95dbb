// Legality and prices of sets of operators seen as kernels. Equal kernels are
// analysed and priced once.
#ifndef FUSE_MLIR_LIB_PLANNER_EVALUATOR_H
#define FUSE_MLIR_LIB_PLANNER_EVALUATOR_H

#include "AlignedShape.h"
#include "SplitGroup.h"
#include "fuse-mlir/Analysis/AnalysisCache.h"
#include "fuse-mlir/CostModel/OpFacts.h"
#include "fuse-mlir/Planner/Residency.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/SaveAndRestore.h"
#include "llvm/Support/xxhash.h"

#include <deque>

namespace mlir::fuse::plan {

/// A set of operators looked at as one kernel.
struct Evaluation {
  /// Set if the kernel is not legal.
  const RuleViolation *violation = nullptr;
  /// Whether it has reductions or contractions.
  bool hasRoots = false;
  /// Whether it runs as parts side by side.
  bool packed = false;
  /// Whether it keeps the scores of an attention.
  bool isAttention = false;
  Quantity nanoseconds, bytes;
  /// Global memory for partial results, while the kernel runs.
  int64_t scratchBytes = 0;
};

/// What tells kernels apart (see `PlanGraph::getKey`), as its hash: of so many
/// bits that no two kernels of a program share one by accident, in less memory
/// than the list that is hashed.
struct KernelKey {
  explicit KernelKey(ArrayRef<unsigned> numbers)
      : hash(llvm::xxh3_128bits(
            ArrayRef(reinterpret_cast<const uint8_t *>(numbers.data()),
                     numbers.size() * sizeof(unsigned)))) {}
  explicit KernelKey(uint64_t special) : hash{special, special} {}

  llvm::XXH128_hash_t hash;
};

struct KernelKeyInfo {
  static KernelKey getEmptyKey() { return KernelKey(~uint64_t(0)); }
  static KernelKey getTombstoneKey() { return KernelKey(~uint64_t(1)); }
  static unsigned getHashValue(const KernelKey &key) {
    return unsigned(key.hash.low64);
  }
  static bool isEqual(const KernelKey &a, const KernelKey &b) {
    return a.hash == b.hash;
  }
};

class Evaluator {
public:
  Evaluator(const PlanGraph &graph, const PlanOptions &options);

  /// Legality and price of `ops`, merged from the groups `owners`.
  Evaluation evaluate(ArrayRef<unsigned> ops, ArrayRef<unsigned> owners) {
    return evaluateStoring(ops, graph.getOutputIds(ops, owners));
  }
  /// The same if `outputs` (values of the graph, in its order) are stored.
  Evaluation evaluateStoring(ArrayRef<unsigned> ops,
                             ArrayRef<unsigned> outputs) {
    SmallVector<Value> skewed;
    Alignment alignment = graph.getAlignment(ops, skewed);
    return look(ops, outputs, alignment, skewed);
  }
  /// The same for a group as it is.
  Evaluation evaluateGroup(unsigned index);
  /// The same for the operators of two groups as a kernel of `owners`: of both
  /// if they merge, of the consumer if it recomputes the producer.
  Evaluation evaluateUnion(unsigned first, unsigned second,
                           ArrayRef<unsigned> owners);

  /// The same for two groups side by side in one kernel, neither of which needs
  /// the other.
  Evaluation evaluatePacked(unsigned first, unsigned second);
  /// The best plan of the inside of `ops` without attentions, if `outputs` are
  /// stored; nothing if there is none. Equal insides are planned once.
  std::optional<SplitCost> priceApart(ArrayRef<unsigned> ops,
                                      ArrayRef<unsigned> outputs);
  /// Tells that `left` now holds both groups: it has the parts of both.
  void mergeParts(unsigned left, unsigned gone);
  /// Tells that a group has changed otherwise.
  void forget(unsigned group) { parts.erase(group); }

  /// What was done so far: an operator of a kernel that was known counts once,
  /// one of a kernel that had to be analysed `kAnalysis` times. What is looked
  /// at only to be told about does not count, and makes nothing known.
  int64_t getWork() const { return work; }
  /// While it lives, kernels are looked at only to be told about.
  auto lookOnlyToTell() { return llvm::SaveAndRestore<bool>(onlyToTell, true); }

  /// What a plan tells about the kernel of a group: fills in class, path and
  /// quantities of `group`, whose operators and values are there already.
  void describe(unsigned index, PlannedGroup &group);

  /// Keeps `violation`, once for all that say the same.
  const RuleViolation *intern(RuleViolation violation);

  /// Facts about an operator of the graph.
  const cost::NumberedOp &getNumbered(unsigned op) {
    const cost::NumberedOp *&own = numbered[op];
    if (!own)
      own = &facts.get(graph.nodes[op].op);
    return *own;
  }

  /// Facts about the operators of this block.
  cost::OpFactsCache facts;
  /// What stays in L2 between its operators.
  std::shared_ptr<const L2Residency> residency;

private:
  using Parts = std::vector<KernelPart>;
  /// A set of operators with the values that it takes and stores.
  struct Kernel {
    SmallVector<Operation *, 32> members;
    SmallVector<Value, 16> inputs, outputs;
    SmallVector<bool> residentInputs;
    cost::KernelFacts facts;
    /// More than one operator computes.
    bool several = false;
  };

  Kernel getKernel(ArrayRef<unsigned> ops, ArrayRef<unsigned> outputs);
  Kernel getKernel(ArrayRef<unsigned> ops, SmallVector<unsigned, 16> inputs,
                   ArrayRef<unsigned> outputs);
  std::optional<GroupShape> findShape(ArrayRef<unsigned> ops,
                                      const Kernel &kernel,
                                      const Alignment &alignment,
                                      ArrayRef<Value> skewed,
                                      RuleViolation &why);
  std::optional<GroupShape>
  findApart(ArrayRef<SmallVector<unsigned, 4>> components,
            ArrayRef<unsigned> outputs);
  static KernelPart makePart(const Kernel &kernel, GroupShape shape);
  GroupShape pack(Parts parts) const;
  std::optional<GroupShape> analyze(ArrayRef<Operation *> ops,
                                    ArrayRef<Value> outputs,
                                    RuleViolation &why);
  OpClass getClass(ArrayRef<unsigned> ops) const;
  Evaluation judge(const Kernel &kernel, const GroupShape *shape,
                   const RuleViolation &why);
  KernelKey makeKey(ArrayRef<unsigned> ops, ArrayRef<unsigned> inputs,
                    ArrayRef<unsigned> outputs,
                    SmallVector<bool> &residentInputs) const;
  const Evaluation *findKnown(const KernelKey &key, size_t size);
  void keep(const KernelKey &key, const Evaluation &evaluation);
  Evaluation look(ArrayRef<unsigned> ops, ArrayRef<unsigned> outputs,
                  const Alignment &alignment, ArrayRef<Value> skewed);
  const Parts *getParts(unsigned group);
  bool areApart(unsigned first, unsigned second) const;

  static constexpr int64_t kAnalysis = 16;

  const PlanGraph &graph;
  const PlanOptions &options;
  int64_t work = 0;
  bool onlyToTell = false;
  AlignedShapes alignedShapes;
  AnalysisCache analyses;
  /// Of the operators of the graph, null if nobody has asked.
  std::vector<const cost::NumberedOp *> numbered;
  /// Numbers in `residency` of the values of the graph.
  std::vector<unsigned> tensors;
  std::deque<RuleViolation> violations;
  llvm::StringMap<const RuleViolation *> violationsByText;
  template <typename T>
  using KernelMap = llvm::DenseMap<KernelKey, T, KernelKeyInfo>;
  struct Known {
    Evaluation evaluation;
    /// It was only to be told about.
    bool onlyToTell = false;
  };
  /// Places in `evaluations`, which the map would move around as it grows.
  KernelMap<unsigned> known;
  std::deque<Known> evaluations;
  KernelMap<std::unique_ptr<KernelSummary>> described;
  KernelMap<std::optional<SplitCost>> apart;
  /// Of groups that were looked at side by side with others; null if a group
  /// has no shape.
  llvm::DenseMap<unsigned, std::unique_ptr<Parts>> parts;
};

} // namespace mlir::fuse::plan

#endif // FUSE_MLIR_LIB_PLANNER_EVALUATOR_H
