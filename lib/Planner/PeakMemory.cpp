// Lifetimes of device buffers over a running order.
#include "fuse-mlir/Planner/PeakMemory.h"

#include "fuse-mlir/CostModel/OpFacts.h"
#include "fuse-mlir/IR/KernelBody.h"
#include "fuse-mlir/Planner/Planner.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Where a value is used, as numbers of steps.
struct Life {
  std::optional<size_t> made, firstRead, lastRead, lastUse;
  bool onDevice = false;
};
} // namespace

/// Whether the value is a buffer of this block: made in it, or an argument of
/// the function.
static bool belongsTo(Value value, Block &block) {
  if (value.getDefiningOp())
    return value.getParentBlock() == &block;
  return value.getParentBlock() == &block &&
         isa<FunctionOpInterface>(block.getParentOp());
}

static llvm::MapVector<Value, Life> findLives(ArrayRef<MemoryStep> steps,
                                              ArrayRef<Value> kept) {
  llvm::MapVector<Value, Life> lives;
  for (auto [i, step] : llvm::enumerate(steps)) {
    for (Value value : step.reads) {
      Life &life = lives[value];
      life.lastUse = i;
      if (!step.isKernel)
        continue;
      life.onDevice = true;
      life.lastRead = i;
      if (!life.firstRead)
        life.firstRead = i;
    }
    for (Value value : step.makes) {
      Life &life = lives[value];
      life.made = life.lastUse = i;
      life.onDevice |= step.isKernel;
    }
  }
  for (Value value : kept)
    if (auto it = lives.find(value); it != lives.end() && it->second.made)
      it->second.lastUse = steps.size();
  return lives;
}

std::optional<PeakMemory> fuse::findPeakMemory(ArrayRef<MemoryStep> steps,
                                               ArrayRef<Value> kept,
                                               Block &block) {
  // What comes and what goes at each step.
  std::vector<double> change(steps.size() + 2);
  for (auto &[value, life] : findLives(steps, kept)) {
    if (!life.onDevice || !belongsTo(value, block))
      continue;
    std::optional<double> bytes = cost::getBytes(value.getType());
    if (!bytes)
      return std::nullopt;
    change[life.made ? *life.made : *life.firstRead] += *bytes;
    change[(life.made ? *life.lastUse : *life.lastRead) + 1] -= *bytes;
  }
  PeakMemory peak;
  double live = 0;
  for (auto [i, step] : llvm::enumerate(steps)) {
    live += change[i];
    double now = live + double(step.extraBytes);
    if (now > 9e18)
      return std::nullopt;
    if (int64_t(now) > peak.bytes)
      peak = {int64_t(now), i};
  }
  return peak;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

static bool isInPlace(Operation *op) {
  return op && op->hasAttr(kInPlaceAttrName);
}

/// The tensor whose buffer holds `value`.
static Value getBuffer(Value value) {
  value = cost::lookThroughViews(value);
  while (isInPlace(value.getDefiningOp()))
    value = cost::lookThroughViews(
        cast<tensor::InsertSliceOp>(value.getDefiningOp()).getDest());
  return value;
}

/// Whether a kernel writes `value` into a tensor that is there already.
static bool isStoredInPlace(Value value) {
  return value.hasOneUse() && isInPlace(*value.user_begin()) &&
         cast<tensor::InsertSliceOp>(*value.user_begin()).getSource() == value;
}

/// Tensors that `op` and its regions use, views looked through.
static SmallVector<Value, 4> getTensorsUsed(Operation *op) {
  SmallVector<Value, 4> tensors;
  auto add = [&](Value value) {
    if (isa<RankedTensorType>(value.getType()))
      tensors.push_back(getBuffer(value));
  };
  llvm::for_each(op->getOperands(), add);
  for (Region &region : op->getRegions())
    visitUsedValuesDefinedAbove(
        region, [&](OpOperand *operand) { add(operand->get()); });
  return tensors;
}

namespace {
class PlanPeak {
public:
  explicit PlanPeak(const Plan &plan) : plan(plan) {
    for (auto &[block, items] : plan.order)
      orders[block] = &items;
  }
  Quantity run();

private:
  Quantity getBlockPeak(Block &block, ArrayRef<Plan::Item> items);
  Quantity getInnerPeak(Operation *op);
  Quantity getRegionPeak(Region &region);

  const Plan &plan;
  llvm::DenseMap<Block *, const std::vector<Plan::Item> *> orders;
};
} // namespace

Quantity PlanPeak::getRegionPeak(Region &region) {
  int64_t most = 0;
  for (Block &block : region) {
    auto it = orders.find(&block);
    Quantity peak;
    if (it != orders.end()) {
      peak = getBlockPeak(block, *it->second);
    } else {
      peak = 0;
      for (Operation &op : block) {
        Quantity inner = getInnerPeak(&op);
        peak = inner && peak ? Quantity(std::max(*peak, *inner)) : std::nullopt;
      }
    }
    if (!peak)
      return std::nullopt;
    most = std::max(most, *peak);
  }
  return most;
}

/// What the regions of a host operation take, one of them at a time.
Quantity PlanPeak::getInnerPeak(Operation *op) {
  int64_t most = 0;
  for (Region &region : op->getRegions()) {
    Quantity peak = getRegionPeak(region);
    if (!peak)
      return std::nullopt;
    most = std::max(most, *peak);
  }
  return most;
}

Quantity PlanPeak::getBlockPeak(Block &block, ArrayRef<Plan::Item> items) {
  std::vector<MemoryStep> steps;
  for (const Plan::Item &item : items) {
    MemoryStep &step = steps.emplace_back();
    if (item.group >= 0) {
      const PlannedGroup &group = plan.groups[item.group];
      step.isKernel = true;
      llvm::append_range(step.reads,
                         llvm::map_range(group.inputs, getBuffer));
      // A group made by hand gives its own results.
      ValueRange made = group.premade
                            ? ValueRange(group.premade->getResults())
                            : ValueRange(ArrayRef<Value>(group.outputs));
      llvm::copy_if(made, std::back_inserter(step.makes),
                    [](Value value) { return !isStoredInPlace(value); });
      step.extraBytes = group.scratchBytes;
      continue;
    }
    step.reads = getTensorsUsed(item.op);
    for (Value result : item.op->getResults())
      if (isa<RankedTensorType>(result.getType()) && !isInPlace(item.op))
        step.makes.push_back(result);
    Quantity inner = getInnerPeak(item.op);
    if (!inner)
      return std::nullopt;
    step.extraBytes = *inner;
  }
  SmallVector<Value, 4> kept = getTensorsUsed(block.getTerminator());
  std::optional<PeakMemory> peak = findPeakMemory(steps, kept, block);
  return peak ? Quantity(peak->bytes) : std::nullopt;
}

Quantity PlanPeak::run() {
  int64_t most = 0;
  llvm::SetVector<Region *> outermost;
  for (auto &[block, items] : plan.order) {
    Region *region = block->getParent();
    for (Operation *op = region->getParentOp(); op; op = op->getParentOp())
      if (op->getBlock() && orders.contains(op->getBlock()))
        region = op->getParentRegion();
    outermost.insert(region);
  }
  for (Region *region : outermost) {
    Quantity peak = getRegionPeak(*region);
    if (!peak)
      return std::nullopt;
    most = std::max(most, *peak);
  }
  return most;
}

Quantity fuse::getPeakBytes(const Plan &plan) { return PlanPeak(plan).run(); }
