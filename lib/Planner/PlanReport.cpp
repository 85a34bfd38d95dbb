// Plans as reports and as remarks: identities of operators, rows, totals.
#include "fuse-mlir/Analysis/MatrixUnits.h"
#include "fuse-mlir/CostModel/KernelCounts.h"
#include "fuse-mlir/Planner/AssumedShapes.h"
#include "fuse-mlir/Planner/PeakMemory.h"
#include "fuse-mlir/Planner/Planner.h"
#include "fuse-mlir/Planner/Report.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::fuse;

OpIdentity::OpIdentity(Operation *root) {
  int64_t next = 0;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto own = op->getAttrOfType<IntegerAttr>(FuseDialect::kOrdinalAttrName);
    ordinals[op] = own ? own.getInt() : next;
    ++next;
  });
}

/// A location on one line: the place itself, without its history.
static void printPlace(Location loc, raw_ostream &os) {
  if (auto file = dyn_cast<FileLineColLoc>(loc)) {
    os << file.getFilename().getValue() << ":" << file.getLine() << ":"
       << file.getColumn();
    return;
  }
  if (auto name = dyn_cast<NameLoc>(loc)) {
    os << name.getName().getValue();
    return;
  }
  if (auto fused = dyn_cast<FusedLoc>(loc);
      fused && !fused.getLocations().empty())
    return printPlace(fused.getLocations().front(), os);
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return printPlace(call.getCallee(), os);
  os << "unknown";
}

std::string OpIdentity::get(Operation *op) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto it = ordinals.find(op);
  os << getFunctionName(op) << ":" << (it == ordinals.end() ? -1 : it->second)
     << ":" << op->getName() << ":";
  printPlace(op->getLoc(), os);
  return text;
}

/// The tiles that are emitted for `group` on chips of `generation`.
static SmallVector<TileShape, 1> getTiles(const PlannedGroup &group,
                                          unsigned generation) {
  SmallVector<TileShape, 1> tiles;
  if (group.path != KernelPath::Tile && group.path != KernelPath::Attention &&
      group.path != KernelPath::Packed)
    return tiles;
  FailureOr<GroupShape> shape = analyzeGroup(group.members, group.outputs);
  if (failed(shape))
    return tiles;
  auto add = [&](const GroupShape &own, const cost::KernelCounts &counts) {
    if (!counts.launch || !counts.launch->tile)
      return;
    LaunchShape launch = adaptLaunch(own, *counts.launch, generation);
    if (launch.tile)
      tiles.push_back(*launch.tile);
  };
  cost::KernelCounts counts = cost::countKernel(group.getView(&*shape));
  add(*shape, counts);
  for (auto [part, own] : llvm::zip(shape->parts, counts.parts))
    add(part.shape, own.counts);
  return tiles;
}

PlanReport fuse::makeReport(const Plan &plan, Operation *root,
                            const PlanOptions &options, StringRef model,
                            StringRef costModel, bool withRows) {
  PlanReport report;
  report.model = model.str();
  report.device = options.device.name;
  report.strategy = stringifyPlanStrategy(options.strategy).str();
  report.costModel = costModel.str();
  report.kernelsUnfused = plan.kernelsUnfused;
  report.bytesUnfused = plan.bytesUnfused;
  report.compulsoryBytes = plan.compulsoryBytes;
  report.intermediatesUnfused = plan.intermediatesUnfused;
  report.intermediates = plan.intermediates;
  report.peakBytes = getPeakBytes(plan);
  report.secondsPlanning = plan.secondsPlanning;
  if (plan.optimality) {
    report.optimalBoundNs = plan.optimality->bound;
    report.optimalGap = plan.optimality->getGap();
    report.optimalWork = plan.optimality->work;
  }
  for (const PlannedGroup &group : plan.groups) {
    report.kernels += group.kernels;
    report.bytes += group.bytesEmitted.value_or(0);
    report.flops += group.flops.value_or(0);
  }
  if (!withRows)
    return report;
  OpIdentity identity(root);
  for (const PlannedGroup &group : plan.groups) {
    GroupRow row;
    row.name = group.name;
    for (Operation *op : group.ops)
      row.ops.push_back(identity.get(op));
    row.opClass = group.opClass;
    row.path = group.path;
    row.tiles = getTiles(group, getGeneration(options.device.chip));
    row.kernels = group.kernels;
    row.bytesEmitted = group.bytesEmitted;
    row.dataDependent = group.dataDependent;
    row.bytesRead = group.bytesRead;
    row.bytesWritten = group.bytesWritten;
    row.flops = group.flops;
    row.predictedNs = group.nanoseconds;
    row.predictedRange = group.range;
    row.registersPredicted = group.registers;
    if (group.sectorsRequested && group.sectorsUnique)
      row.predictedSectors =
          SectorCount{*group.sectorsRequested, *group.sectorsUnique,
                      group.sectorsL2, group.sectorsDram};
    report.groups.push_back(std::move(row));
  }
  for (const Decision &decision : plan.decisions) {
    DecisionRow row;
    row.kind = stringifyDecisionKind(decision.kind).str();
    row.producer = identity.get(decision.producer);
    row.consumer = identity.get(decision.consumer);
    row.accepted = decision.accepted;
    row.reason = decision.getReason();
    row.rule = decision.violation.rule;
    row.costFusedNs = decision.fusedNs;
    row.costUnfusedNs = decision.unfusedNs;
    row.bytesSaved = decision.bytesSaved;
    report.decisions.push_back(std::move(row));
  }
  return report;
}

static void addMetrics(remark::detail::InFlightRemark &out,
                       const Decision &decision) {
  auto add = [&](StringRef key, Quantity value) {
    if (value)
      out << remark::metric(key, *value);
    else
      out << remark::metric(key, "unknown");
  };
  add("costFusedNs", decision.fusedNs);
  add("costUnfusedNs", decision.unfusedNs);
  add("bytesSaved", decision.bytesSaved);
}

static void emitDecision(const Decision &decision, StringRef category) {
  MLIRContext *context = decision.producer->getContext();
  // A location of both: several decisions about one operator stay apart.
  Location both = FusedLoc::get(
      context, {decision.producer->getLoc(), decision.consumer->getLoc()},
      StringAttr::get(context, stringifyDecisionKind(decision.kind)));
  StringRef accepted = isImprovement(decision.kind) ? "Regrouped" : "Fused";
  StringRef name = decision.accepted                 ? accepted
                   : decision.violation.rule.empty() ? "NotProfitable"
                                                     : "IllegalFusion";
  remark::RemarkOpts opts =
      remark::RemarkOpts::name(name).category(category).function(
          getFunctionName(decision.producer));
  remark::detail::InFlightRemark out = decision.accepted
                                           ? remark::passed(both, opts)
                                           : remark::missed(both, opts);
  if (!out)
    return;
  out << remark::metric("kind", stringifyDecisionKind(decision.kind).str());
  if (!decision.violation.rule.empty())
    out << remark::metric("rule", decision.violation.rule);
  addMetrics(out, decision);
  out << remark::reason("{0}", decision.getReason());
}

CostBreakdown fuse::explainPrice(const PlannedGroup &group,
                                 const PlanOptions &options,
                                 cost::OpFactsCache *cache) {
  FailureOr<GroupShape> shape = analyzeGroup(group.members, group.outputs);
  cost::CountedView view(group.getView(succeeded(shape) ? &*shape : nullptr),
                         cache);
  return options.costModel->explain(view.get(), options.device);
}

/// What the model says of where the numbers of a kernel come from.
static void emitPriceNotes(const PlannedGroup &group,
                           const PlanOptions &options,
                           cost::OpFactsCache &cache, StringRef category) {
  CostBreakdown price = explainPrice(group, options, &cache);
  for (const std::string &note : price.notes) {
    Operation *first = group.ops.front();
    remark::detail::InFlightRemark out = remark::analysis(
        first->getLoc(), remark::RemarkOpts::name("PriceNote")
                             .category(category)
                             .function(getFunctionName(first)));
    if (out)
      out << remark::metric("kernel", group.name) << note;
  }
}

/// Whether the plan is the cheapest one, or how far from it at most.
static void emitOptimality(const Optimality &found, Operation *root,
                           StringRef category) {
  remark::RemarkOpts opts =
      remark::RemarkOpts::name(found.complete ? "Optimal" : "OptimalStopped")
          .category(category)
          .function(getFunctionName(root));
  remark::detail::InFlightRemark out =
      found.complete ? remark::passed(root->getLoc(), opts)
                     : remark::missed(root->getLoc(), opts);
  if (!out)
    return;
  out << remark::metric("totalNs", found.total)
      << remark::metric("boundNs", found.bound)
      << remark::metric("work", found.work);
  std::optional<double> gap = found.getGap();
  if (found.complete)
    out << remark::reason("no legal plan costs less than {0} ns", found.total);
  else if (gap)
    out << remark::reason("stopped after {0} steps; the plan is at most {1:F1} "
                          "% above the cheapest one",
                          found.work, *gap * 100);
  else
    out << remark::reason("stopped after {0} steps, before anything was known "
                          "about the cheapest plan",
                          found.work);
}

/// Says so if the plan takes more device memory than the budget: single
/// operators are never refused.
static void emitPeak(const Plan &plan, Operation *root,
                     const PlanOptions &options, StringRef category) {
  std::optional<int64_t> budget = options.budgets.peakBytes;
  Quantity peak = budget ? getPeakBytes(plan) : std::nullopt;
  if (!peak || *peak <= *budget)
    return;
  remark::detail::InFlightRemark out =
      remark::missed(root->getLoc(), remark::RemarkOpts::name("PeakAboveBudget")
                                         .category(category)
                                         .function(getFunctionName(root)));
  if (out)
    out << remark::metric("peakBytes", *peak)
        << remark::metric("budget", *budget)
        << remark::reason("the device memory of the plan is {0} bytes at its "
                          "peak, but the budget is {1}",
                          *peak, *budget);
}

void fuse::emitRemarks(const Plan &plan, Operation *root,
                       const PlanOptions &options, StringRef category) {
  if (plan.groups.empty() ||
      !plan.groups.front().block->getParent()->getContext()->getRemarkEngine())
    return;
  if (plan.optimality)
    emitOptimality(*plan.optimality, root, category);
  emitPeak(plan, root, options, category);
  for (const Decision &decision : plan.decisions)
    emitDecision(decision, category);
  AssumedShapes assumed(root);
  cost::OpFactsCache cache;
  for (const PlannedGroup &group : plan.groups)
    if (!group.ops.empty())
      emitPriceNotes(group, options, cache, category);
}
