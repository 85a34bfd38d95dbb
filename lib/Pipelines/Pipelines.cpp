// The pipelines, with the reason for each step.
#include "fuse-mlir/Pipelines/Pipelines.h"

#include "fuse-mlir/Codegen/Passes.h"
#include "fuse-mlir/Conversion/Passes.h"
#include "fuse-mlir/CostModel/Device.h"
#include "fuse-mlir/InitAll.h"
#include "fuse-mlir/Planner/PlanRequest.h"
#include "fuse-mlir/Transforms/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/Transforms/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::fuse;

void fuse::buildFusePreparePipeline(OpPassManager &pm,
                                    const FusePlanOptions &options) {
  // The device first: all that is priced later reads it from the module.
  if (!options.device.empty()) {
    AttachDevicePassOptions attach;
    (isDeviceFile(options.device) ? attach.file : attach.deviceName) =
        options.device;
    pm.addPass(createAttachDevicePass(attach));
  }
  // One form for all front ends, so that the planner sees loops and maps only.
  NormalizeOpsPassOptions normalize;
  normalize.fpOrder = options.fpOrder;
  normalize.halfSums = options.halfSums;
  pm.addPass(createNormalizeOpsPass(normalize));
  // What may be overwritten, before the planner prices copies of it.
  pm.addPass(createMarkUpdatesPass());
  // The class of each operator, with the reason, for planner and reader.
  pm.addPass(createClassifyOpsPass());
}

void fuse::buildFusePlanPipeline(OpPassManager &pm,
                                 const FusePlanOptions &options) {
  buildFusePreparePipeline(pm, options);
  // The decision. Nothing may run between this and the isolation of groups:
  // clean-up passes move operators over the border of a group.
  FormGroupsPassOptions form;
  copyPlanOptions(options, form);
  form.report = options.report;
  form.modelName = options.model;
  pm.addPass(createFormGroupsPass(form));
}

void fuse::buildFuseGroupsToGpuPipeline(OpPassManager &pm,
                                        const FuseGroupsToGpuOptions &options) {
  bool onDevice = options.memory == "device";
  // Groups become self-contained, so that kernels can be worked on apart.
  pm.addPass(createIsolateGroupsPass());
  // Results that are inserted in place get the destination of that.
  pm.addPass(createFoldUpdatesPass());
  // Which thread owns which element, and how rows are kept.
  SelectSchedulesPassOptions schedules;
  schedules.chip = options.chip;
  pm.addPass(createSelectSchedulesPass(schedules));
  // Code for one thread, in `gpu.func`; launches stay in its place.
  pm.addPass(createConvertFuseToGpuPass());
  // exp and friends in terms of what the device has: no libdevice for them.
  pm.nest<gpu::GPUModuleOp>().addPass(createExpandMathPass());

  // While sizes are those of tensors: indices from data may be wrong.
  pm.addPass(createCheckExtractsPass());
  // Before buffers are made: what no kernel reads need not go to the device.
  pm.addPass(createPruneLaunchesPass());
  // Loops made of branches become structured: the analysis of who frees a
  // buffer knows no others.
  pm.addPass(createLiftControlFlowToSCFPass());
  // Host tensors become buffers that are freed.
  BufferizeHostPassOptions bufferize;
  bufferize.results = onDevice ? "out-params" : "returned";
  pm.addPass(createBufferizeHostPass(bufferize));
  // Most ownership is known at compile time: fold it before code is made for
  // what is not.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(bufferization::createBufferDeallocationSimplificationPass());
  pm.addPass(bufferization::createLowerDeallocationsPass());
  pm.addPass(createConvertBufferizationToMemRefPass());
  pm.addPass(createCSEPass());
  pm.addPass(createCanonicalizerPass());
  // Free as early as possible: a model's intermediates do not add up.
  pm.addPass(createHoistDeallocsPass());
  // Now that it is known who uses a buffer, decide where it lives.
  PlaceBuffersPassOptions place;
  place.memory = options.memory;
  pm.addPass(createPlaceBuffersPass(place));
  // And what the device compiler may assume of kernel arguments.
  pm.addPass(createAnnotateKernelsPass());
  pm.addPass(createCSEPass());
}

void fuse::buildFuseKernelsToPtxPipeline(OpPassManager &pm, StringRef chip,
                                         StringRef features,
                                         unsigned optLevel) {
  AttachTargetPassOptions target;
  target.chip = chip.str();
  target.features = features.str();
  target.optLevel = optLevel;
  pm.addPass(createAttachTargetPass(target));

  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  // Now that the chip is known: what it converts by one instruction.
  kernels.addPass(createExpandConversionsPass());
  // Index arithmetic of the code generator may be affine and subviews.
  kernels.addPass(memref::createExpandStridedMetadataPass());
  kernels.addPass(createLowerAffinePass());
  kernels.addPass(createSCFToControlFlowPass());
  // Copies to shared memory and fragments of matrices, while they still are
  // about memrefs.
  kernels.addPass(createConvertNVGPUToNVVMPass());
  // What has an instruction must not become a call of libdevice, ...
  kernels.addPass(createLowerDeviceMathPass());
  // ... which this does with the rest of `math`. Bare pointers: all shapes
  // are static, and a pointer is one register where a descriptor is many.
  ConvertGpuOpsToNVVMOpsOptions nvvm;
  nvvm.useBarePtrCallConv = true;
  kernels.addPass(createConvertGpuOpsToNVVMOps(nvvm));
  kernels.addPass(createConvertNVVMToLLVMPass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  kernels.addPass(createReconcileUnrealizedCastsPass());
  // If calls of libdevice are left, find it or say who needs it.
  kernels.addPass(createLinkLibdevicePass());

  // PTX text: needs LLVM's NVPTX back end, but no toolkit.
  pm.addPass(createCompileKernelsPass());
}

/// Host code to the LLVM dialect.
static void addHostLowering(OpPassManager &pm) {
  // Opaque computation that stayed on the host.
  pm.addPass(createConvertLinalgToLoopsPass());
  pm.addPass(createLowerAffinePass());
  // The next one stops where a reshape makes two unknown sizes of one.
  pm.addPass(createLowerReshapesPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(memref::createExpandOpsPass());
  pm.addPass(arith::createArithExpandOpsPass());
  pm.addPass(createConvertComplexToStandardPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertComplexToLLVMPass());
  pm.addPass(createConvertVectorToLLVMPass());
  // GPU operations become calls of the runtime (`mgpu*`); kernel arguments
  // are bare pointers, as on the device side.
  GpuToLLVMConversionPassOptions gpu;
  gpu.kernelBarePtrCallConv = true;
  pm.addPass(createGpuToLLVMConversionPass(gpu));
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

void fuse::buildFuseToPtxPipeline(OpPassManager &pm,
                                  const FuseToPtxOptions &options) {
  FusePlanOptions plan;
  plan.device = options.device.getValue();
  copyPlanOptions(options, plan);
  plan.fpOrder = options.fpOrder.getValue();
  plan.halfSums = options.halfSums.getValue();
  plan.report = options.report.getValue();
  plan.model = options.model.getValue();
  buildFusePlanPipeline(pm, plan);
  buildFuseGroupsToPtxPipeline(pm, options);
}

void fuse::buildFuseGroupsToPtxPipeline(OpPassManager &pm,
                                        const FuseToPtxOptions &options) {
  FuseGroupsToGpuOptions groups;
  groups.memory = options.memory.getValue();
  groups.chip = options.chip.getValue();
  buildFuseGroupsToGpuPipeline(pm, groups);

  buildFuseKernelsToPtxPipeline(pm, options.chip.getValue(),
                                options.features.getValue(),
                                options.optLevel.getValue());

  // Only now, when no pass needs to see through them, order the GPU
  // operations by streams, as `gpu-to-llvm` wants them.
  AssignStreamsPassOptions streams;
  streams.stream = options.memory == "device" ? "default" : "own";
  pm.addPass(createAssignStreamsPass(streams));
  // Others must be able to read the result without this dialect.
  StripMarkersPassOptions strip;
  strip.device = options.host == "llvm";
  pm.addPass(createStripMarkersPass(strip));
  CheckHostPassOptions check;
  check.form = options.host.getValue();
  if (options.host == "llvm")
    addHostLowering(pm);
  pm.addPass(createCheckHostPass(check));
}

void fuse::registerPipelines() {
  PassPipelineRegistration<FusePlanOptions>(
      "fuse-plan", "Decide which operators share a kernel (fuse.group)",
      buildFusePlanPipeline);
  PassPipelineRegistration<FuseGroupsToGpuOptions>(
      "fuse-groups-to-gpu",
      "Turn groups into kernels of the GPU dialect that host code launches",
      buildFuseGroupsToGpuPipeline);
  PassPipelineRegistration<FuseToPtxOptions>(
      "fuse-to-ptx", "Fuse, and compile kernels to PTX in gpu.binary",
      buildFuseToPtxPipeline);
}
