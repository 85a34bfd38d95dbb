// fuse-select-schedules: grid, block and layout of each kernel, from the shape
// of its group and the sizes of its operands.
#include "fuse-mlir/Transforms/Passes.h"

#include "fuse-mlir/Analysis/MatrixUnits.h"
#include "fuse-mlir/CostModel/Device.h"
#include "fuse-mlir/IR/KernelBody.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_SELECTSCHEDULESPASS
#include "fuse-mlir/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

static TileAttr makeTile(MLIRContext *context,
                         const std::optional<TileShape> &tile) {
  if (!tile)
    return {};
  return TileAttr::get(context, tile->rows, tile->columns, tile->depth,
                       tile->rowWarps, tile->columnWarps, tile->stages,
                       tile->group, tile->parts, tile->unit, tile->async);
}

static ScheduleAttr makeSchedule(MLIRContext *context, const GroupShape &shape,
                                 LaunchShape launch, unsigned generation) {
  launch = adaptLaunch(shape, launch, generation);
  return ScheduleAttr::get(context, shape.path, shape.rows, shape.columns,
                           launch.grid, launch.threads, launch.positions,
                           launch.vector, launch.residency,
                           getLayout(context, shape, launch),
                           /*parts=*/ArrayRef<ScheduleAttr>(),
                           makeTile(context, launch.tile));
}

/// The types of tensors at the sizes that are assumed where they are known at
/// run time only.
static SmallVector<Type> getAssumedTypes(ArrayRef<Value> values,
                                         const TensorSizes &sizes) {
  SmallVector<Type> types;
  for (Value value : values) {
    RankedTensorType type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || type.hasStaticShape()) {
      types.push_back(value.getType());
      continue;
    }
    SmallVector<int64_t> shape;
    for (AffineExpr size : sizes.getShape(value))
      shape.push_back(sizes.assume(size));
    types.push_back(type.clone(shape));
  }
  return types;
}

static ScheduleAttr selectSchedule(KernelOp kernel, const GroupShape &shape,
                                   unsigned generation) {
  MLIRContext *context = kernel.getContext();
  if (shape.path != KernelPath::Packed) {
    Block &body = kernel.getBody().front();
    SmallVector<Value> inputs(
        body.getArguments().take_front(kernel.getInputs().size()));
    return makeSchedule(
        context, shape,
        chooseLaunch(
            shape, getAssumedTypes(inputs, shape.sizes),
            getAssumedTypes(KernelBody(kernel).outputs, shape.sizes)),
        generation);
  }
  SmallVector<ScheduleAttr> parts;
  for (auto [part, launch] : llvm::zip(shape.parts, choosePartLaunches(shape)))
    parts.push_back(makeSchedule(context, part.shape, launch, generation));
  return ScheduleAttr::get(context, parts);
}

static LogicalResult scheduleKernel(KernelOp kernel, unsigned generation) {
  if (kernel.getSchedule())
    return success();
  KernelBody body(kernel);
  RuleViolation why;
  FailureOr<GroupShape> shape = analyzeGroup(body.ops, body.outputs, &why);
  if (failed(shape))
    return kernel.emitOpError("cannot be one kernel: ")
           << why.message << " (" << why.rule << ")";
  kernel.setScheduleAttr(selectSchedule(kernel, *shape, generation));
  return success();
}

namespace {
class SelectSchedules
    : public fuse::impl::SelectSchedulesPassBase<SelectSchedules> {
public:
  using SelectSchedulesPassBase::SelectSchedulesPassBase;

  void runOnOperation() override {
    FailureOr<DeviceInfo> device = getAttachedDevice(getOperation());
    if (failed(device))
      return signalPassFailure();
    unsigned generation = getGeneration(chip.empty() ? device->chip : chip);
    WalkResult result = getOperation()->walk([&](KernelOp kernel) {
      return failed(scheduleKernel(kernel, generation))
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
