// planFusion: each block by itself, then names, prices and the running order.
#include "fuse-mlir/Planner/AssumedShapes.h"
#include "fuse-mlir/Planner/PlanRequest.h"

#include "MemoryBudget.h"
#include "RegionChecks.h"
#include "Search.h"
#include "fuse-mlir/Analysis/OpClassification.h"
#include "fuse-mlir/CostModel/KernelCounts.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <chrono>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

std::optional<PlanMode> fuse::parsePlanMode(StringRef text) {
  return llvm::StringSwitch<std::optional<PlanMode>>(text)
      .Case("all", PlanMode::All)
      .Case("producer-consumer", PlanMode::ProducerConsumer)
      .Case("sibling", PlanMode::Sibling)
      .Default(std::nullopt);
}

ArrayRef<PlanStrategy> fuse::getPlanStrategies() {
  static const PlanStrategy strategies[] = {PlanStrategy::Greedy,
                                            PlanStrategy::Optimal,
                                            PlanStrategy::Max,
                                            PlanStrategy::None,
                                            PlanStrategy::PolicyXla,
                                            PlanStrategy::PolicyTvm,
                                            PlanStrategy::PolicyInductor,
                                            PlanStrategy::PolicyNvfuser,
                                            PlanStrategy::PolicyIree};
  return strategies;
}

std::string fuse::listPlanStrategies() {
  std::string text;
  for (PlanStrategy strategy : getPlanStrategies()) {
    if (!text.empty())
      text += strategy == getPlanStrategies().back() ? " or " : ", ";
    text += stringifyPlanStrategy(strategy);
  }
  return text;
}

std::optional<PlanStrategy> fuse::parsePlanStrategy(StringRef text) {
  for (PlanStrategy strategy : getPlanStrategies())
    if (text == stringifyPlanStrategy(strategy))
      return strategy;
  return std::nullopt;
}

StringRef fuse::stringifyPlanStrategy(PlanStrategy strategy) {
  switch (strategy) {
  case PlanStrategy::Greedy:
    return "greedy";
  case PlanStrategy::None:
    return "none";
  case PlanStrategy::Max:
    return "max";
  case PlanStrategy::Optimal:
    return "optimal";
  case PlanStrategy::PolicyXla:
    return "policy-xla";
  case PlanStrategy::PolicyTvm:
    return "policy-tvm";
  case PlanStrategy::PolicyInductor:
    return "policy-inductor";
  case PlanStrategy::PolicyNvfuser:
    return "policy-nvfuser";
  case PlanStrategy::PolicyIree:
    return "policy-iree";
  }
  return "";
}

StringRef fuse::stringifyDecisionKind(DecisionKind kind) {
  switch (kind) {
  case DecisionKind::ProducerConsumer:
    return "producer-consumer";
  case DecisionKind::Sibling:
    return "sibling";
  case DecisionKind::Recompute:
    return "recompute";
  case DecisionKind::MustFuse:
    return "must-fuse";
  case DecisionKind::Independent:
    return "independent";
  case DecisionKind::Attention:
    return "attention";
  case DecisionKind::Move:
    return "move";
  case DecisionKind::Split:
    return "split";
  case DecisionKind::Reload:
    return "reload";
  case DecisionKind::Regroup:
    return "regroup";
  }
  return "";
}

/// Whether an operand or a result has a size that is not known.
static bool hasUnknownSize(Operation *op) {
  auto isDynamic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.hasStaticShape();
  };
  return llvm::any_of(op->getOperandTypes(), isDynamic) ||
         llvm::any_of(op->getResultTypes(), isDynamic);
}

std::string Decision::getReason() const {
  if (!violation.rule.empty())
    return violation.message;
  if (!fusedNs || !unfusedNs)
    return kind == DecisionKind::MustFuse ? "asked for"
           : accepted                     ? "joined through other fusions"
                                          : "price unknown";
  bool improvement = isImprovement(kind);
  bool unknownSize = hasUnknownSize(producer) || hasUnknownSize(consumer);
  std::string prices =
      std::to_string(*fusedNs) + (improvement ? " ns after, " : " ns fused, ") +
      std::to_string(*unfusedNs) + (improvement ? " ns before" : " ns apart") +
      (unknownSize ? " at the assumed sizes" : "");
  if (improvement && accepted && *fusedNs > *unfusedNs)
    return "makes another fusion possible: " + prices;
  if (improvement && (!accepted || *fusedNs == *unfusedNs))
    return (accepted ? "moves fewer bytes: " : "") + prices;
  if (accepted && kind == DecisionKind::MustFuse)
    return "asked for: " + prices;
  if (!accepted && *fusedNs < *unfusedNs)
    return "another fusion saved more; this one " + prices;
  if (!accepted)
    return prices;
  if (kind == DecisionKind::Attention && *fusedNs >= *unfusedNs &&
      bytesSaved.value_or(-1) >= 0)
    return "about as fast, and moves no more bytes: " + prices;
  if (*fusedNs >= *unfusedNs)
    return "joined through other fusions; alone " + prices;
  return "saves " + std::to_string(*unfusedNs - *fusedNs) + " ns: " + prices;
}

std::optional<double> Optimality::getGap() const {
  if (complete)
    return 0.0;
  if (bound <= 0)
    return std::nullopt;
  return double(total) / double(bound) - 1;
}

namespace {
/// Plans the blocks of a region into one plan.
class RegionPlanner {
public:
  RegionPlanner(const PlanOptions &options, Plan &plan)
      : options(options), plan(plan) {}

  LogicalResult planRegion(Region &region);
  void finish();

private:
  LogicalResult planBlock(Block &block, SmallVectorImpl<Operation *> &outer);
  void addOptimality(const std::optional<Optimality> &found);
  void addGroups(PlanGraph &graph, Search &search, Block &block);
  PlannedGroup makeGroup(PlanGraph &graph, Search &search, unsigned index);
  void countUnfused(PlanGraph &graph, Search &search);
  void countCompulsory(PlanGraph &graph, Search &search);

  const PlanOptions &options;
  Plan &plan;
};
} // namespace

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// Outputs and inputs of a group that stands in the IR.
static void describePremade(PlannedGroup &group) {
  llvm::SmallSetVector<Value, 8> inputs;
  group.premade.walk([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      Value base = cost::lookThroughViews(operand);
      Operation *def = base.getDefiningOp();
      bool inside =
          def ? group.premade->isProperAncestor(def)
              : group.premade->isAncestor(
                    cast<BlockArgument>(base).getOwner()->getParentOp());
      if (!inside && isa<RankedTensorType>(base.getType()) &&
          !(def && (isGeneratorOp(def) || isFreeOp(def))))
        inputs.insert(base);
    }
  });
  group.inputs = inputs.takeVector();
  for (Operation &op : group.premade.getBody().front().without_terminator()) {
    group.members.push_back(&op);
    if (!isFreeOp(&op) && !isGeneratorOp(&op))
      group.ops.push_back(&op);
  }
  llvm::append_range(
      group.outputs,
      group.premade.getBody().front().getTerminator()->getOperands());
}

PlannedGroup RegionPlanner::makeGroup(PlanGraph &graph, Search &search,
                                      unsigned index) {
  const Group &source = graph.groups[index];
  PlannedGroup group;
  group.block = graph.nodes[index].op->getBlock();
  if (auto premade = dyn_cast<GroupOp>(graph.nodes[index].op)) {
    group.premade = premade;
    describePremade(group);
  } else {
    SmallVector<unsigned> ops(source.ops.begin(), source.ops.end());
    llvm::sort(ops, [&](unsigned a, unsigned b) {
      return graph.nodes[a].place < graph.nodes[b].place;
    });
    for (unsigned op : ops)
      group.ops.push_back(graph.nodes[op].op);
    group.members = graph.getMembers(source.ops);
    group.inputs = graph.getInputs(source.ops);
    group.outputs = graph.getOutputs(source.ops, {index});
  }
  search.getEvaluator().describe(index, group);
  return group;
}

/// Puts groups and host operators into a running order that stays as close to
/// the program's as it can.
void RegionPlanner::addGroups(PlanGraph &graph, Search &search, Block &block) {
  auto &[placed, items] = plan.order.emplace_back();
  placed = &block;
  for (unsigned i : getRunningOrder(graph)) {
    Plan::Item item;
    if (graph.nodes[i].role == Role::Host) {
      item.op = graph.nodes[i].op;
    } else {
      item.group = int64_t(plan.groups.size());
      plan.groups.push_back(makeGroup(graph, search, i));
    }
    items.push_back(item);
  }
}

//===----------------------------------------------------------------------===//
// Totals
//===----------------------------------------------------------------------===//

static bool isKernel(const PlanGraph &graph, unsigned i) {
  return graph.groups[i].alive && graph.nodes[i].role != Role::Host;
}

/// What the program moves with one kernel per operator.
void RegionPlanner::countUnfused(PlanGraph &graph, Search &search) {
  for (unsigned i = 0; i < graph.groups.size(); ++i) {
    if (!isKernel(graph, i))
      continue;
    const OpNode &node = graph.nodes[i];
    if (isa<GroupOp>(node.op)) {
      // Made by hand, so in either plan: what it is emitted as.
      PlannedGroup group = makeGroup(graph, search, i);
      plan.kernelsUnfused += group.kernels;
      plan.bytesUnfused += group.bytesEmitted.value_or(0);
    } else {
      ++plan.kernelsUnfused;
      plan.bytesUnfused += graph.groups[i].bytes.value_or(0);
    }
    for (Value value : node.op->getResults())
      if (llvm::any_of(node.users, [&](unsigned user) {
            return isKernel(graph, user) &&
                   llvm::is_contained(graph.nodes[user].reads, value);
          }))
        ++plan.intermediatesUnfused;
  }
}

/// Live inputs once (what kernels read and no kernel makes) plus outputs once
/// (what kernels make and the host uses).
void RegionPlanner::countCompulsory(PlanGraph &graph, Search &search) {
  llvm::SmallSetVector<Value, 16> inputs, outputs;
  SmallVector<Operation *> ops;
  for (unsigned i = 0; i < graph.groups.size(); ++i) {
    bool kernel = isKernel(graph, i);
    if (kernel || graph.nodes[i].role == Role::Free)
      ops.push_back(graph.nodes[i].op);
    if (!graph.groups[i].alive)
      continue;
    for (Value value : graph.nodes[i].reads) {
      Operation *def = value.getDefiningOp();
      bool made =
          def && graph.contains(def) && isKernel(graph, graph.getIndex(def));
      if (kernel && !made)
        inputs.insert(value);
      else if (!kernel && made)
        outputs.insert(value);
    }
  }
  // As if all of it were one kernel: slices and tables count alike.
  KernelView all;
  all.ops = ops;
  all.inputs = inputs.getArrayRef();
  all.outputs = outputs.getArrayRef();
  cost::KernelCounts counts =
      cost::countKernel(all, &search.getEvaluator().facts);
  if (counts.known)
    plan.compulsoryBytes += int64_t(counts.bytesRead + counts.bytesWritten);
}

static int64_t countIntermediates(const Plan &plan) {
  llvm::DenseSet<Value> read;
  for (const PlannedGroup &group : plan.groups)
    read.insert(group.inputs.begin(), group.inputs.end());
  int64_t count = 0;
  for (const PlannedGroup &group : plan.groups)
    for (Value output : group.outputs)
      count += read.contains(output);
  return count;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

StringRef fuse::getFunctionName(Operation *op) {
  for (; op; op = op->getParentOp())
    if (isa<FunctionOpInterface>(op))
      return cast<FunctionOpInterface>(op).getName();
  return "module";
}

/// The operator that a kernel is named after: the first of the highest class.
static StringRef getHeroName(const PlannedGroup &group) {
  for (Operation *op : group.ops)
    if (classify(op) == group.opClass &&
        op->getName().stripDialect() != "generic")
      return op->getName().stripDialect();
  return stringifyOpClass(group.opClass);
}

/// Letters, digits and underscores only: a PTX identifier.
static std::string sanitize(StringRef text) {
  std::string result;
  for (char c : text)
    result += llvm::isAlnum(c) ? c : '_';
  if (result.empty() || llvm::isDigit(result.front()))
    result.insert(result.begin(), '_');
  return result;
}

void RegionPlanner::finish() {
  plan.intermediates = countIntermediates(plan);
  llvm::StringSet<> taken;
  for (PlannedGroup &group : plan.groups)
    if (group.premade && group.premade.getGroupName() &&
        taken.insert(*group.premade.getGroupName()).second)
      group.name = group.premade.getGroupName()->str();
  llvm::StringMap<unsigned> numbers;
  for (PlannedGroup &group : plan.groups) {
    StringRef function = getFunctionName(
        group.premade ? group.premade.getOperation() : group.ops.front());
    unsigned &number = numbers[function];
    if (!group.name.empty()) {
      ++number;
      continue;
    }
    do {
      group.name = sanitize(function) + "_" + std::to_string(number++) + "_" +
                   sanitize(getHeroName(group));
    } while (!taken.insert(group.name).second);
  }
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// Whether the inside of `op` is planned, too: control flow and functions, not
/// the bodies of kernels.
static bool hasPlannedRegions(Operation *op) {
  return op->getNumRegions() != 0 && !isa<GroupOp, KernelOp>(op) &&
         !isElementComputable(op) && !op->hasTrait<OpTrait::ConstantLike>();
}

void RegionPlanner::addOptimality(const std::optional<Optimality> &found) {
  if (!found)
    return;
  if (!plan.optimality)
    plan.optimality.emplace();
  Optimality &sum = *plan.optimality;
  sum.total += found->total;
  sum.bound += found->bound;
  sum.work += found->work;
  sum.complete &= found->complete;
}

/// Plans a block; adds the operators whose inside is planned, too, to `outer`.
LogicalResult RegionPlanner::planBlock(Block &block,
                                       SmallVectorImpl<Operation *> &outer) {
  PlanGraph graph(block);
  for (unsigned i = 0; i < graph.nodes.size(); ++i) {
    const OpNode &node = graph.nodes[i];
    if (graph.captures(i))
      plan.capturing.insert(node.op);
    if (node.role != Role::Compute && hasPlannedRegions(node.op))
      outer.push_back(node.op);
  }
  Search search(graph, options);
  countUnfused(graph, search);
  countCompulsory(graph, search);
  if (failed(search.mergeMusts()))
    return failure();
  search.run();
  addOptimality(search.getOptimality());
  for (Decision &decision : search.takeDecisions())
    plan.decisions.push_back(std::move(decision));
  addGroups(graph, search, block);
  plan.residency.emplace_back(&block, search.getEvaluator().residency);
  return success();
}

LogicalResult RegionPlanner::planRegion(Region &region) {
  for (Block &block : region) {
    bool holdsTensors = llvm::any_of(block, [](Operation &op) {
      return isa<GroupOp>(op) ||
             (!isFreeOp(&op) && op.getNumResults() != 0 &&
              isa<RankedTensorType>(op.getResult(0).getType()));
    });
    SmallVector<Operation *> outer;
    if (!holdsTensors || !block.mightHaveTerminator()) {
      for (Operation &op : block)
        if (hasPlannedRegions(&op))
          outer.push_back(&op);
    } else if (failed(planBlock(block, outer))) {
      return failure();
    }
    for (Operation *op : outer)
      for (Region &inner : op->getRegions())
        if (failed(planRegion(inner)))
          return failure();
  }
  return success();
}

static FailureOr<Plan> planRegions(ArrayRef<Region *> regions,
                                   const PlanOptions &options) {
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
  Plan plan;
  AssumedShapes assumed(regions);
  PlanOptions checked = options;
  if (!checked.traffic)
    checked.traffic = std::make_shared<cost::TrafficCache>();
  if (!assumed.isEmpty())
    checked.constraints.push_back(&assumed);
  RegionPlanner planner(checked, plan);
  for (Region *region : regions)
    if (failed(checkRegion(*region)) || failed(planner.planRegion(*region)))
      return failure();
  planner.finish();
  for (PlannedGroup &group : plan.groups)
    group.range = assumed.getRange(group.getView(nullptr), *options.costModel,
                                   options.device);
  plan.secondsPlanning =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return plan;
}

FailureOr<Plan> fuse::planFusion(Region &region, const PlanOptions &options) {
  return planRegions(&region, options);
}

FailureOr<Plan> fuse::planOperation(Operation *op, const PlanOptions &options) {
  SmallVector<Region *> regions;
  for (Region &region : op->getRegions())
    regions.push_back(&region);
  return planRegions(regions, options);
}
