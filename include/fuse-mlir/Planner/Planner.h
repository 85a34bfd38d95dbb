// Decides which operators share a kernel, without changing the IR. The pass
// `fuse-form-groups` is this plus the rewrite.
#ifndef FUSE_MLIR_PLANNER_PLANNER_H
#define FUSE_MLIR_PLANNER_PLANNER_H

#include "fuse-mlir/CostModel/CostModel.h"
#include "fuse-mlir/IR/FuseOps.h"
#include "fuse-mlir/Planner/GroupConstraint.h"
#include "fuse-mlir/Planner/Residency.h"

#include <memory>
#include <vector>

namespace mlir::fuse {

namespace cost {
class OpFactsCache;
struct TrafficCache;
} // namespace cost

/// Which candidates are looked at.
enum class PlanMode { All, ProducerConsumer, Sibling };
/// How the search goes: by price, not at all, every legal merge, for the least
/// sum of prices there is, or by the published rules of another compiler
/// (docs/Policies.md).
enum class PlanStrategy {
  Greedy,
  None,
  Max,
  Optimal,
  PolicyXla,
  PolicyTvm,
  PolicyInductor,
  PolicyNvfuser,
  PolicyIree
};

std::optional<PlanMode> parsePlanMode(StringRef text);
std::optional<PlanStrategy> parsePlanStrategy(StringRef text);
StringRef stringifyPlanStrategy(PlanStrategy strategy);
/// All strategies, in the order in which they are listed to people.
ArrayRef<PlanStrategy> getPlanStrategies();
/// Their names: "greedy, optimal, … or policy-iree".
std::string listPlanStrategies();
inline bool isPolicy(PlanStrategy strategy) {
  return strategy >= PlanStrategy::PolicyXla;
}

/// Default of `PlanOptions::optimalLimit`.
inline constexpr int64_t kDefaultOptimalLimit = 100000;

/// Limits on what operators may share. A kernel of one operator is never
/// refused: there would be nothing else to do.
struct PlanBudgets {
  /// Predicted registers of a thread, and shared memory of a block.
  std::optional<int64_t> registers, sharedBytes;
  /// Device memory of the program at its peak (`getPeakBytes`). A fusion
  /// that makes the peak grow beyond it is refused.
  std::optional<int64_t> peakBytes;
  /// Predicted machine code of a packed kernel: assembling takes time that
  /// grows faster than the code, and another launch costs little.
  int64_t packedCodeBytes = 256 * 1024;
};

struct PlanOptions {
  PlanMode mode = PlanMode::All;
  PlanStrategy strategy = PlanStrategy::Greedy;
  /// Prices; not owned, not null.
  const CostModel *costModel = nullptr;
  DeviceInfo device;
  /// What a kernel must satisfy; not owned.
  SmallVector<const GroupConstraint *> constraints;
  /// Whether whole attentions are candidates.
  bool attentions = true;
  /// Strategy `optimal`: groups and states that it looks at in a block before
  /// it stops and keeps the best plan it knows.
  int64_t optimalLimit = kDefaultOptimalLimit;
  PlanBudgets budgets;
  /// Whether the plan is to have its `decisions`, which take time and memory.
  bool wantsDecisions = true;
  /// Accesses that others of the same context have counted, if there are any;
  /// they only save time.
  std::shared_ptr<cost::TrafficCache> traffic;
};

/// What the strategy `optimal` knows about a plan, over all blocks. Groups
/// whose price no plan changes (unknown sizes, `fuse.never_fuse`) are left out.
struct Optimality {
  /// Sum of the prices of the plan, and what no legal plan goes below, in ns.
  int64_t total = 0, bound = 0;
  /// Groups and states that were looked at.
  int64_t work = 0;
  /// The limit was not reached: `total` is the least sum there is.
  bool complete = true;

  /// How much of `bound` the plan may be above the optimum; nothing if nothing
  /// is known.
  std::optional<double> getGap() const;
};

/// What a plan predicts for a kernel.
struct KernelSummary {
  OpClass opClass = OpClass::Injective;
  /// How it runs; nothing if no generator of ours would take it.
  std::optional<KernelPath> path;
  /// Of the kernels that it is emitted as, if it is a group that needs several.
  Quantity bytesRead, bytesWritten, flops, nanoseconds, registers;
  /// Sectors of the code that is generated today: asked for, distinct, between
  /// L1 and L2, between L2 and DRAM.
  Quantity sectorsRequested, sectorsUnique, sectorsL2, sectorsDram;
  /// Kernels that are emitted, and the bytes that they read and write.
  int64_t kernels = 1;
  Quantity bytesEmitted;
  /// Global memory for partial results, while the kernel runs.
  int64_t scratchBytes = 0;
  /// Some operand is read at places that come from the data.
  bool dataDependent = false;
};

/// One kernel of a plan. `ops` compute; an operator that is recomputed in
/// several kernels stands in each of them.
struct PlannedGroup : KernelSummary {
  /// Unique in the planned region, a legal symbol name.
  std::string name;
  Block *block = nullptr;
  /// The group that the user made, if it is one; it is never changed.
  GroupOp premade;
  /// Computing operators, in program order.
  SmallVector<Operation *> ops;
  /// `ops` with the views, fills, empties and small constants that belong into
  /// the kernel, in an order in which they can run that does not depend on the
  /// program's.
  SmallVector<Operation *> members;
  /// Values read (views looked through) and values that others need.
  SmallVector<Value> inputs, outputs;
  /// See `KernelView::residentInputs`.
  SmallVector<bool> residentInputs;
  /// Of a kernel of sizes that are known at run time only: what `nanoseconds`
  /// is at the sizes of `AssumedShapes::getRange`. Nothing if all are known.
  std::optional<PriceRange> range;

  /// The kernel as cost models see it; `shape` is that of `members` and
  /// `outputs`, or null if they have none.
  KernelView getView(const GroupShape *shape) const {
    return {members, inputs, outputs, shape, nullptr, residentInputs};
  }
};

enum class DecisionKind {
  ProducerConsumer,
  Sibling,
  Recompute,
  MustFuse,
  /// Kernels that need nothing of each other, side by side in one launch.
  Independent,
  /// All operators from one contraction to another at once.
  Attention,
  // Improvements of groups that have formed:
  /// Operators go from one group to another.
  Move,
  /// Operators become a group of their own.
  Split,
  /// A group reads what it has computed although another one does, too.
  Reload,
  /// A few groups are formed anew from all that they hold.
  Regroup,
};
inline constexpr unsigned kNumDecisionKinds = 10;
inline bool isImprovement(DecisionKind kind) {
  return kind >= DecisionKind::Move;
}
StringRef stringifyDecisionKind(DecisionKind kind);

/// One candidate and what became of it. A row of the decision log.
struct Decision {
  DecisionKind kind = DecisionKind::ProducerConsumer;
  Operation *producer = nullptr, *consumer = nullptr;
  bool accepted = false;
  /// The rule that refused; empty if legality was not the reason.
  RuleViolation violation;
  Quantity fusedNs, unfusedNs, bytesSaved;

  /// One sentence for people; built when asked for. Prices of operators of
  /// unknown sizes are those at the assumed ones, which it says.
  std::string getReason() const;
};

/// What was decided, in the order of the operators. Groups are in an order in
/// which they can run.
struct Plan {
  std::vector<PlannedGroup> groups;
  std::vector<Decision> decisions;
  /// The same region with each operator a kernel of its own, for comparison.
  int64_t kernelsUnfused = 0, bytesUnfused = 0, intermediatesUnfused = 0;
  /// Live inputs once plus outputs once.
  int64_t compulsoryBytes = 0;
  /// Tensors that one kernel writes and another reads.
  int64_t intermediates = 0;
  double secondsPlanning = 0;
  /// Of the strategy `optimal`.
  std::optional<Optimality> optimality;
  /// What stays in L2 between the operators of each planned block.
  std::vector<std::pair<Block *, std::shared_ptr<const L2Residency>>> residency;
  /// New places of operators: for each planned block, groups (index into
  /// `groups`) and other operators in a legal order.
  struct Item {
    /// Index into `groups`, or -1 for `op`.
    int64_t group = -1;
    Operation *op = nullptr;
  };
  std::vector<std::pair<Block *, std::vector<Item>>> order;
  /// Operators of planned blocks whose regions use values from outside.
  llvm::DenseSet<Operation *> capturing;
};

/// Plans every block of `region` and of the regions inside. Nothing moves
/// across blocks, and nothing is changed. Fails, with a located error, only for
/// an illegal `fuse.must_fuse`.
///
/// Cost: near-linear in the number of operators while groups stay small; a
/// merge costs the size of the merged group, and smaller merges go first.
FailureOr<Plan> planFusion(Region &region, const PlanOptions &options);

/// Plans the inside of `group`, of which no single kernel can be made, as a
/// program of its own for `device`: strategy `greedy`, model `analytic`,
/// no attentions. `fuse.must_fuse` inside has been obeyed and is removed.
FailureOr<Plan>
planInside(GroupOp group, const DeviceInfo &device,
           const std::shared_ptr<cost::TrafficCache> &traffic = nullptr);

/// The price of a planned kernel, taken apart. `cache` only saves time where
/// several are.
CostBreakdown explainPrice(const PlannedGroup &group,
                           const PlanOptions &options,
                           cost::OpFactsCache *cache = nullptr);

/// Emits every decision as a remark of category `category`, what the model
/// notes on the price of a kernel, and at `root` what is known about the
/// optimum.
void emitRemarks(const Plan &plan, Operation *root, const PlanOptions &options,
                 StringRef category);

/// Identity of `op` in reports: `function:ordinal:op-name:location`.
class OpIdentity {
public:
  /// Numbers the operators below `root` in pre-order; an operator with a
  /// `fuse.ordinal` keeps that number.
  explicit OpIdentity(Operation *root);
  std::string get(Operation *op) const;

private:
  llvm::DenseMap<Operation *, int64_t> ordinals;
};

/// Name of the closest function (or other symbol) around `op`.
StringRef getFunctionName(Operation *op);

struct PlanReport;
/// The plan as rows for people and files; totals only unless `withRows`.
PlanReport makeReport(const Plan &plan, Operation *root,
                      const PlanOptions &options, StringRef model,
                      StringRef costModel, bool withRows = true);

} // namespace mlir::fuse

#endif // FUSE_MLIR_PLANNER_PLANNER_H
