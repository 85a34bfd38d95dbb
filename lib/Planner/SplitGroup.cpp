// Groups of which no single kernel can be made: their inside is planned like a
// program, so that dependent stages become kernels and none is nested in
// another one.
#include "SplitGroup.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

FailureOr<Plan>
fuse::planInside(GroupOp group, const DeviceInfo &device,
                 const std::shared_ptr<cost::TrafficCache> &traffic) {
  group.walk([](Operation *op) {
    op->removeDiscardableAttr(FuseDialect::kMustFuseAttrName);
  });
  AnalyticCostModel model;
  CodegenConstraint constraint;
  PlanOptions options;
  options.costModel = &model;
  options.device = device;
  options.constraints.push_back(&constraint);
  options.attentions = false;
  options.traffic = traffic;
  return planFusion(group.getBody(), options);
}

/// A group that stands in no block.
static OwningOpRef<GroupOp> makeCopy(ArrayRef<Operation *> members,
                                     ArrayRef<Value> outputs) {
  OpBuilder builder(members.front()->getContext());
  OwningOpRef<GroupOp> copy = GroupOp::create(
      builder, members.front()->getLoc(), ValueRange(outputs).getTypes(),
      StringAttr(), ClassAttr(), CostAttr());
  builder.createBlock(&copy->getBody());
  IRMapping mapping;
  for (Operation *op : members)
    builder.clone(*op, mapping);
  SmallVector<Value> yielded;
  for (Value output : outputs)
    yielded.push_back(mapping.lookup(output));
  YieldOp::create(builder, members.front()->getLoc(), yielded);
  return copy;
}

static void add(Quantity &sum, Quantity value) {
  sum = sum && value ? Quantity(*sum + *value) : std::nullopt;
}

std::optional<SplitCost> plan::priceSplit(ArrayRef<Operation *> members,
                                          ArrayRef<Value> outputs,
                                          const PlanOptions &options) {
  OwningOpRef<GroupOp> copy = makeCopy(members, outputs);
  FailureOr<Plan> inside = planInside(*copy, options.device, options.traffic);
  if (failed(inside))
    return std::nullopt;
  SplitCost cost{0, 0, 0, 0, 0};
  for (const PlannedGroup &kernel : inside->groups) {
    ++cost.kernels;
    add(cost.bytesRead, kernel.bytesRead);
    add(cost.bytesWritten, kernel.bytesWritten);
    add(cost.nanoseconds, kernel.nanoseconds);
    cost.registers = std::max(cost.registers, kernel.registers);
  }
  return cost;
}

void plan::describeSplit(PlannedGroup &group, const PlanOptions &options) {
  std::optional<SplitCost> cost =
      priceSplit(group.members, group.outputs, options);
  if (!cost)
    return;
  group.kernels = cost->kernels;
  group.bytesEmitted = cost->bytesRead;
  add(group.bytesEmitted, cost->bytesWritten);
  group.bytesRead = cost->bytesRead;
  group.bytesWritten = cost->bytesWritten;
  group.nanoseconds = cost->nanoseconds;
  group.registers = cost->registers;
}
