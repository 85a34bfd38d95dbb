// fuse-fold-updates: kernels write what is inserted in place where it belongs.
#include "fuse-mlir/Transforms/Passes.h"

#include "fuse-mlir/IR/KernelBody.h"
#include "fuse-mlir/Transforms/Functions.h"
#include "fuse-mlir/Transforms/KernelBuilder.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FOLDUPDATESPASS
#include "fuse-mlir/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
struct FoldUpdates : fuse::impl::FoldUpdatesPassBase<FoldUpdates> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

/// Moves `kernel` to `insert`, which uses its result, so that all that `insert`
/// needs is there, and nobody in between still needs the destination. Not if
/// another operation needs `kernel` before.
static bool moveTo(KernelOp kernel, tensor::InsertSliceOp insert) {
  for (Operation *user : kernel->getUsers()) {
    Operation *ancestor = kernel->getBlock()->findAncestorOpInBlock(*user);
    if (!ancestor || ancestor->isBeforeInBlock(insert))
      return false;
  }
  kernel->moveBefore(insert);
  return true;
}

/// A kernel in the place of `kernel`, which it replaces, with other operands and
/// the results `types`, of which there may be more.
static KernelOp replaceKernel(OpBuilder &builder, KernelOp kernel,
                              ValueRange inputs, ValueRange outs,
                              TypeRange types, Region &body) {
  KernelOp changed = KernelOp::create(
      builder, kernel.getLoc(), types, kernel.getKernelNameAttr(), inputs, outs,
      kernel.getOpClassAttr(), kernel.getCostAttr(), kernel.getScheduleAttr());
  changed->setDiscardableAttrs(kernel->getDiscardableAttrDictionary());
  changed.getBody().takeBody(body);
  for (auto [before, now] : llvm::zip(kernel.getResults(), changed.getResults()))
    before.replaceAllUsesWith(now);
  kernel.erase();
  return changed;
}

/// Rebuilds `kernel` with another result, which is a copy of result `number`.
static KernelOp addResult(KernelOp kernel, unsigned number) {
  OpBuilder builder(kernel);
  SmallVector<Value> outs(kernel.getOuts());
  SmallVector<Type> types(kernel.getResultTypes());
  outs.push_back(outs[number]);
  types.push_back(types[number]);
  Region region;
  region.takeBody(kernel.getBody());
  Block &body = region.front();
  body.addArgument(types.back(), kernel.getLoc());
  YieldOp yield = cast<YieldOp>(body.getTerminator());
  OpBuilder inside(yield);
  yield->insertOperands(yield->getNumOperands(),
                        createCopy(inside, kernel.getLoc(),
                                   yield.getValues()[number])
                            .getResult(0));
  return replaceKernel(builder, kernel, kernel.getInputs(), outs, types,
                       region);
}

/// The kernel that makes what `insert` inserts and can store it in place, with a
/// result for nothing else; a kernel that reads the destination would see what it
/// has written.
static KernelOp findProducer(tensor::InsertSliceOp insert) {
  OpResult source = dyn_cast<OpResult>(insert.getSource());
  KernelOp kernel =
      source ? dyn_cast<KernelOp>(source.getOwner()) : KernelOp();
  if (!kernel || kernel->getBlock() != insert->getBlock() ||
      getUpdate(kernel, source.getResultNumber()) ||
      insert.getDest().getDefiningOp() == kernel ||
      llvm::is_contained(kernel->getOperands(), insert.getDest()) ||
      !moveTo(kernel, insert))
    return {};
  unsigned number = source.getResultNumber();
  if (source.hasOneUse())
    return kernel;
  kernel = addResult(kernel, number);
  insert.getSourceMutable().set(kernel->getResults().back());
  return kernel;
}

/// Rebuilds `kernel` with the destination of `insert` as that of its result.
static void storeInPlace(KernelOp kernel, tensor::InsertSliceOp insert) {
  OpBuilder builder(insert);
  unsigned number = cast<OpResult>(insert.getSource()).getResultNumber();
  SmallVector<Value> inputs(kernel.getInputs()), outs(kernel.getOuts());
  SmallVector<Type> types(kernel.getResultTypes());
  outs[number] = insert.getDest();
  types[number] = insert.getType();

  Region region;
  region.takeBody(kernel.getBody());
  Block &body = region.front();
  BlockArgument destination = body.getArgument(inputs.size() + number);
  destination.setType(insert.getDestType());
  IRMapping mapping;
  mapping.map(insert.getDest(), destination);
  YieldOp yield = cast<YieldOp>(body.getTerminator());
  mapping.map(insert.getSource(), yield.getValues()[number]);
  OpBuilder inside(yield);
  for (Value operand : insert->getOperands()) {
    if (mapping.contains(operand))
      continue;
    // Offsets and sizes that are no constants.
    mapping.map(operand, body.insertArgument(inputs.size(), operand.getType(),
                                             operand.getLoc()));
    inputs.push_back(operand);
  }
  Operation *inserted = inside.clone(*insert, mapping);
  inserted->removeAttr(kInPlaceAttrName);
  yield->setOperand(number, inserted->getResult(0));

  KernelOp changed =
      replaceKernel(builder, kernel, inputs, outs, types, region);
  insert.replaceAllUsesWith(changed.getResult(number));
  insert.erase();
}

/// A kernel that copies the source of `insert`, which no kernel makes.
static LogicalResult addProducer(tensor::InsertSliceOp insert,
                                 KernelNames &names) {
  OpBuilder builder(insert);
  Location loc = insert.getLoc();
  linalg::CopyOp copy = createCopy(builder, loc, insert.getSource());
  if (Attribute ordinal = insert->getAttr(FuseDialect::kOrdinalAttrName))
    copy->setAttr(FuseDialect::kOrdinalAttrName, ordinal);
  KernelRequest request{
      {copy},
      {copy.getResult(0)},
      nullptr,
      loc,
      builder.getStringAttr(names.makeFor(copy)),
      insert->getAttrOfType<ClassAttr>(FuseDialect::kClassAttrName),
      CostAttr()};
  FailureOr<KernelOp> kernel = buildKernel(builder, request, IRMapping());
  if (failed(kernel))
    return failure();
  insert.getSourceMutable().set(kernel->getResult(0));
  copy.erase();
  return success();
}

void FoldUpdates::runOnOperation() {
  KernelNames names;
  getOperation()->walk(
      [&](KernelOp kernel) { names.make(kernel.getKernelName()); });
  SmallVector<tensor::InsertSliceOp> inserts;
  getOperation()->walk([&](tensor::InsertSliceOp insert) {
    if (insert->hasAttr(kInPlaceAttrName))
      inserts.push_back(insert);
  });
  for (tensor::InsertSliceOp insert : inserts) {
    KernelOp kernel = findProducer(insert);
    if (!kernel && failed(addProducer(insert, names)))
      return signalPassFailure();
    storeInPlace(kernel ? kernel : insert.getSource().getDefiningOp<KernelOp>(),
                 insert);
  }
}
