// fuse-isolate-groups: every group, and every operator on tensors that stands
// alone, becomes a fuse.kernel.
#include "fuse-mlir/Transforms/Passes.h"

#include "fuse-mlir/Analysis/GroupShape.h"
#include "fuse-mlir/CostModel/KernelCounts.h"
#include "fuse-mlir/IR/FuseOps.h"
#include "fuse-mlir/Planner/OpRoles.h"
#include "fuse-mlir/Planner/Planner.h"
#include "fuse-mlir/Transforms/Functions.h"
#include "fuse-mlir/Transforms/KernelBuilder.h"
#include "fuse-mlir/Transforms/MarkerTags.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_ISOLATEGROUPSPASS
#include "fuse-mlir/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// Takes one group apart into kernels and host operators.
class GroupSplitter {
public:
  GroupSplitter(GroupOp group, KernelNames &names, bool maySplit)
      : group(group), names(names), maySplit(maySplit), builder(group),
        yield(cast<YieldOp>(group.getBody().front().getTerminator())) {}

  LogicalResult run();

private:
  LogicalResult makeKernel(ArrayRef<Operation *> ops, ArrayRef<Value> outputs,
                           bool whole);
  LogicalResult split(const RuleViolation &why);
  void keepOnHost(Operation *op);
  Value toHost(Value value);
  void finish();

  GroupOp group;
  KernelNames &names;
  bool maySplit;
  OpBuilder builder;
  YieldOp yield;
  /// Where values of the group stand outside.
  IRMapping host;
};

struct IsolateGroups : fuse::impl::IsolateGroupsPassBase<IsolateGroups> {
  using IsolateGroupsPassBase::IsolateGroupsPassBase;
  void runOnOperation() override;

private:
  LogicalResult isolate(FunctionOpInterface function, KernelNames &names);
};

} // namespace

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

LogicalResult GroupSplitter::makeKernel(ArrayRef<Operation *> ops,
                                        ArrayRef<Value> outputs, bool whole) {
  if (outputs.empty())
    return success();
  Operation *hero = findHero(ops);
  std::string name = whole && group.getGroupName()
                         ? names.make(*group.getGroupName())
                         : names.makeFor(hero);
  KernelRequest request{llvm::to_vector(ops),
                        llvm::to_vector(outputs),
                        &group.getBody(),
                        whole ? group.getLoc() : hero->getLoc(),
                        builder.getStringAttr(name),
                        whole ? group.getOpClassAttr() : ClassAttr(),
                        whole ? group.getCostAttr() : CostAttr()};
  if (!request.opClass)
    request.opClass =
        hero->getAttrOfType<ClassAttr>(FuseDialect::kClassAttrName);
  FailureOr<KernelOp> kernel = buildKernel(builder, request, host);
  if (failed(kernel))
    return failure();
  for (auto [output, result] : llvm::zip(outputs, kernel->getResults()))
    host.map(output, result);
  return success();
}

/// The counterpart of `value` outside of the group; copies free operators.
Value GroupSplitter::toHost(Value value) {
  if (host.contains(value) || value.getParentRegion() != &group.getBody())
    return host.lookupOrDefault(value);
  keepOnHost(value.getDefiningOp());
  return host.lookup(value);
}

void GroupSplitter::keepOnHost(Operation *op) {
  op->walk([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      if (operand.getParentRegion() == &group.getBody())
        (void)toHost(operand);
  });
  builder.clone(*op, host);
}

/// The kernels that the planner makes of the inside of the group.
LogicalResult GroupSplitter::split(const RuleViolation &why) {
  FailureOr<DeviceInfo> device = getAttachedDevice(group);
  if (failed(device))
    return failure();
  FailureOr<Plan> plan = planInside(group, *device);
  if (failed(plan))
    return failure();
  int64_t kernels = 0;
  for (auto &[block, items] : plan->order)
    for (const Plan::Item &item : items) {
      if (block != &group.getBody().front())
        continue; // Moves to the host with the operator that it is part of.
      if (item.group < 0) {
        keepOnHost(item.op);
        continue;
      }
      const PlannedGroup &kernel = plan->groups[item.group];
      ++kernels;
      if (failed(makeKernel(kernel.ops, kernel.outputs, /*whole=*/false)))
        return failure();
    }
  remark::missed(group.getLoc(), remark::RemarkOpts::name("GroupSplit")
                                     .category("fuse-isolate-groups")
                                     .function(getFunctionName(group)))
      << remark::reason("{0}", why.message) << remark::metric("rule", why.rule)
      << remark::metric("kernels", kernels);
  return success();
}

void GroupSplitter::finish() {
  for (auto [result, value] : llvm::zip(group.getResults(), yield.getValues()))
    result.replaceAllUsesWith(toHost(value));
  group.erase();
}

LogicalResult GroupSplitter::run() {
  for (Operation &op :
       llvm::make_early_inc_range(group.getBody().front().without_terminator()))
    if (isLargeConstant(&op))
      op.moveBefore(group);
  SmallVector<Operation *> ops;
  for (Operation &op : group.getBody().front().without_terminator())
    ops.push_back(&op);
  SmallVector<Value> outputs;
  for (Value value : yield.getValues())
    if (value.getParentRegion() == &group.getBody() &&
        !llvm::is_contained(outputs, value))
      outputs.push_back(value);
  RuleViolation why;
  bool legal = !maySplit || succeeded(analyzeGroup(ops, outputs, &why));
  LogicalResult made = legal ? makeKernel(ops, outputs, true) : split(why);
  if (succeeded(made))
    finish();
  return made;
}

//===----------------------------------------------------------------------===//
// Operators outside of groups
//===----------------------------------------------------------------------===//

/// Operators of `function` on host level for which `wanted` holds, in order.
static SmallVector<Operation *>
collect(FunctionOpInterface function,
        llvm::function_ref<bool(Operation *)> wanted) {
  SmallVector<Operation *> found;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<KernelOp, GroupOp>(op))
      return WalkResult::skip();
    if (op != function.getOperation() && wanted(op)) {
      found.push_back(op);
      return WalkResult::skip();
    }
    return isa<linalg::LinalgOp, tensor::PadOp, tensor::GenerateOp>(op)
               ? WalkResult::skip()
               : WalkResult::advance();
  });
  return found;
}

static LogicalResult isolateSingle(Operation *op, KernelNames &names) {
  OpBuilder builder(op);
  SmallVector<Value> outputs;
  for (Value result : op->getResults())
    if (!result.use_empty())
      outputs.push_back(result);
  if (outputs.empty())
    return success();
  KernelRequest request{
      {op},
      outputs,
      nullptr,
      op->getLoc(),
      builder.getStringAttr(names.makeFor(op)),
      op->getAttrOfType<ClassAttr>(FuseDialect::kClassAttrName),
      CostAttr()};
  FailureOr<KernelOp> kernel = buildKernel(builder, request, IRMapping());
  if (failed(kernel))
    return failure();
  for (auto [output, result] : llvm::zip(outputs, kernel->getResults()))
    output.replaceAllUsesWith(result);
  return success();
}

/// Erases host operators without effect whose results nobody uses.
static void eraseDead(FunctionOpInterface function) {
  SmallVector<Operation *> ops = collect(function, [](Operation *op) {
    return op->getNumRegions() == 0 ||
           isa<linalg::LinalgOp, tensor::PadOp, tensor::GenerateOp>(op);
  });
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
}

/// Tensors that the host keeps as they are: scalar code on shape tensors.
static bool isHostData(Operation *op) {
  auto isShape = [](OpOperand &use) {
    tensor::ReshapeOp reshape = dyn_cast<tensor::ReshapeOp>(use.getOwner());
    return reshape && &use == &reshape.getShapeMutable();
  };
  return isa<tensor::FromElementsOp>(op) &&
         (getElementTypeOrSelf(op->getResult(0).getType()).isIndex() ||
          llvm::all_of(op->getUses(), isShape));
}

LogicalResult IsolateGroups::isolate(FunctionOpInterface function,
                                     KernelNames &names) {
  SmallVector<GroupOp> groups;
  function->walk([&](GroupOp group) { groups.push_back(group); });
  for (GroupOp group : groups)
    if (failed(GroupSplitter(group, names, split).run()))
      return failure();
  // Fills are copied into the kernels that use them; those that the host needs
  // as tensors are left over, and are kernels as well.
  for (bool generators : {false, true}) {
    if (!standalone)
      break;
    SmallVector<Operation *> alone = collect(function, [&](Operation *op) {
      if (isFreeOp(op) || isHostData(op) || !isComputeOp(op))
        return false;
      return isGeneratorOp(op) == generators;
    });
    for (Operation *op : alone)
      if (failed(isolateSingle(op, names)))
        return failure();
    eraseDead(function);
  }
  function->walk([](BoundaryOp boundary) {
    boundary.replaceAllUsesWith(boundary.getInput());
    boundary.erase();
  });
  return success();
}

void IsolateGroups::runOnOperation() {
  KernelNames names;
  getOperation()->walk(
      [&](KernelOp kernel) { names.make(kernel.getKernelName()); });
  for (FunctionOpInterface function : collectFunctions(getOperation()))
    if (failed(isolate(function, names)))
      return signalPassFailure();
}
