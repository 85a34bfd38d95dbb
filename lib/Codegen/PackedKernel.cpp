// Path `packed`. The number of the block decides which part it works for: a
// tree of comparisons that all threads of a block answer alike, so that
// barriers and shuffles of a part are met by all of them.
#include "fuse-mlir/Codegen/KernelCodegen.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class PackedKernel {
public:
  PackedKernel(KernelContext &context,
               function_ref<void(KernelContext &)> emitPart)
      : context(context), emitPart(emitPart) {
    for (auto [part, schedule] :
         llvm::zip(context.shape.parts, context.schedule.getParts())) {
      starts.push_back(starts.back() + schedule.getGrid());
      scratchStarts.push_back(scratchStarts.back() +
                              getScratchTypes(part.shape, schedule).size());
    }
  }

  /// Parts `first` to `last - 1`, in blocks that are known to be theirs.
  void emit(unsigned first, unsigned last);

private:
  void emitBranch(Region &region, Operation *anchor, unsigned first,
                  unsigned last);
  void emitOne(unsigned number);

  KernelContext &context;
  function_ref<void(KernelContext &)> emitPart;
  /// First block of each part, and the end.
  SmallVector<int64_t> starts = {0};
  /// First scratch buffer of each part, and the end.
  SmallVector<int64_t> scratchStarts = {0};
};
} // namespace

void PackedKernel::emitOne(unsigned number) {
  ElementEmitter &emitter = context.emitter;
  const KernelPart &part = context.shape.parts[number];
  ScheduleAttr schedule = context.schedule.getParts()[number];
  if (schedule.getRows() * schedule.getColumns() == 0)
    return;
  AffineExpr rebased = emitter.simplify(context.block - starts[number]);
  AffineExpr block = emitter.addVariable(
      emitter.materialize(rebased), IndexRange::ofSize(schedule.getGrid()));
  ArrayRef<Value> scratch = context.scratch;
  KernelContext own{context.kernel,
                    part.ops,
                    part.outputs,
                    schedule,
                    part.shape,
                    context.function,
                    emitter,
                    block,
                    context.thread,
                    0,
                    /*sharesMemory=*/true,
                    llvm::to_vector(scratch.slice(
                        scratchStarts[number],
                        scratchStarts[number + 1] - scratchStarts[number]))};
  emitPart(own);
  emitter.unstageArguments();
  context.dynamicSharedBytes =
      std::max(context.dynamicSharedBytes, own.dynamicSharedBytes);
}

void PackedKernel::emitBranch(Region &region, Operation *anchor, unsigned first,
                              unsigned last) {
  OpBuilder &builder = context.builder();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&region.front());
  context.emitter.pushScope(anchor);
  emit(first, last);
  context.emitter.popScope();
}

void PackedKernel::emit(unsigned first, unsigned last) {
  if (last - first == 1)
    return emitOne(first);
  unsigned middle = first + (last - first) / 2;
  // Within the range of all blocks, so always asked.
  Condition isLow =
      context.emitter.isWithin(context.block, 0, starts[middle] - 1);
  scf::IfOp branch = scf::IfOp::create(context.builder(), context.loc(),
                                       isLow.value, /*withElse=*/true);
  emitBranch(branch.getThenRegion(), branch, first, middle);
  emitBranch(branch.getElseRegion(), branch, middle, last);
}

void fuse::emitPackedKernel(KernelContext &context,
                            function_ref<void(KernelContext &)> emitPart) {
  PackedKernel(context, emitPart).emit(0, context.shape.parts.size());
}
