// Staging of short rows through shared memory. Rows whose length is no
// multiple of a sector begin anywhere; a block's rows together are one range
// that begins at a sector, and it is copied as one, 16 bytes per access.
#include "fuse-mlir/Codegen/KernelCodegen.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::fuse;

/// Whether an operand is kept in shared memory: as many elements as the space.
static bool isStaged(KernelContext &context, Value argument) {
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  return type && type.getNumElements() ==
                     context.schedule.getRows() * context.schedule.getColumns();
}

/// Whether an output holds row after row.
static bool isRowMajor(KernelContext &context, unsigned number) {
  MLIRContext *mlirContext = context.builder().getContext();
  int64_t rows = context.schedule.getRows();
  int64_t columns = context.schedule.getColumns();
  IndexRanges ranges;
  ranges.dims = {IndexRange::ofSize(rows), IndexRange::ofSize(columns)};
  return !getUpdate(context.kernel, context.resultOf(number)) &&
         context.numberInOutput(number) ==
             linearize(mlirContext,
                       {getAffineDimExpr(0, mlirContext),
                        getAffineDimExpr(1, mlirContext)},
                       {rows, columns}, ranges);
}

namespace {
/// The range of a block, in elements.
struct StagedRange {
  AffineExpr base;
  int64_t size;
  /// The elements of the operand.
  int64_t total;
};
} // namespace

static StagedRange rangeOf(KernelContext &context, int64_t rowsPerBlock) {
  int64_t size = rowsPerBlock * context.schedule.getColumns();
  return {context.emitter.simplify(context.block * size), size,
          context.schedule.getRows() * context.schedule.getColumns()};
}

/// Words of a thread that are on their way at a time.
static constexpr int64_t kWordsInFlight = 32;

/// Copies each element of the range that exists from `source` to `target`, from
/// the threads of the block in chunks of 16 bytes. Chunks that exist in any
/// case are all loaded before the first of them is stored.
static void copyRange(KernelContext &context, const StagedRange &range,
                      Type type, function_ref<Value(AffineExpr local)> load,
                      function_ref<void(AffineExpr local, Value)> store) {
  ElementEmitter &emitter = context.emitter;
  int64_t bytes = type.isIndex() ? 8 : type.getIntOrFloatBitWidth() / 8;
  int64_t width = std::max<int64_t>(16 / bytes, 1);
  int64_t threads = context.schedule.getThreads();
  int64_t chunks = (range.size + width - 1) / width;
  int64_t steps = (chunks + threads - 1) / threads;
  SmallVector<std::pair<AffineExpr, Value>> loaded;
  auto flush = [&] {
    for (auto [local, value] : loaded)
      store(local, value);
    loaded.clear();
  };
  auto copy = [&](AffineExpr local) { store(local, load(local)); };
  auto step = [&](AffineExpr number) {
    AffineExpr first =
        emitter.simplify((number * threads + context.thread) * width);
    auto lanes = [&] {
      for (int64_t lane = 0; lane < width; ++lane)
        copy(emitter.simplify(first + lane));
    };
    // Whole chunks; at the end of the operand each element is asked.
    AffineExpr last = emitter.simplify(first + (width - 1));
    AffineExpr global = emitter.simplify(range.base + last);
    Condition inRange = emitter.isWithin(last, 0, range.size - 1);
    Condition exists = emitter.conjunction(
        inRange, emitter.isWithin(global, 0, range.total - 1));
    if (exists.kind == Condition::Always)
      for (int64_t lane = 0; lane < width; ++lane) {
        AffineExpr local = emitter.simplify(first + lane);
        loaded.push_back({local, load(local)});
      }
    else
      emitter.emitIf(exists, lanes);
    if (int64_t(loaded.size()) * bytes >= kWordsInFlight * 4)
      flush();
    if (range.size % width == 0 && range.total % width == 0)
      return;
    for (int64_t lane = 0; lane + 1 < width; ++lane) {
      AffineExpr at = emitter.simplify(first + lane);
      Condition single = emitter.conjunction(
          emitter.isWithin(at, 0, range.size - 1),
          emitter.isWithin(emitter.simplify(range.base + at), 0,
                           range.total - 1));
      if (exists.kind == Condition::Always)
        continue;
      if (exists.kind == Condition::Runtime) {
        OpBuilder &builder = context.builder();
        Value one = arith::ConstantOp::create(builder, context.loc(),
                                              builder.getBoolAttr(true));
        Value missing =
            arith::XOrIOp::create(builder, context.loc(), exists.value, one);
        single = emitter.conjunction(single, {Condition::Runtime, missing});
      }
      emitter.emitIf(single, [&] { copy(at); });
    }
  };
  for (int64_t i = 0; i < steps; ++i)
    step(emitter.constant(i));
  flush();
}

void fuse::stageInputs(KernelContext &context, int64_t rowsPerBlock) {
  ElementEmitter &emitter = context.emitter;
  StagedRange range = rangeOf(context, rowsPerBlock);
  auto stage = [&](Value argument) {
    Type type = getElementTypeOrSelf(emitter.getBound(argument).getType());
    Value buffer = addSharedBuffer(context, range.size, type);
    emitter.stageArgument(argument, buffer, range.base, range.size);
    return buffer;
  };
  for (Value argument : context.kernel.getBody().getArguments().take_front(
           context.kernel.getInputs().size())) {
    if (!isStaged(context, argument) || !context.reads(argument))
      continue;
    Value global = emitter.getBound(argument);
    Value buffer = stage(argument);
    Type type = getElementTypeOrSelf(global.getType());
    copyRange(
        context, range, type,
        [&](AffineExpr local) {
          return emitter.loadFrom(global, emitter.simplify(range.base + local));
        },
        [&](AffineExpr local, Value value) {
          emitter.storeTo(buffer, local, value);
        });
  }
  // Outputs that lie in another order are stored directly.
  for (unsigned i = 0; i < context.outputs.size(); ++i)
    if (isStaged(context, context.outArgument(i)) && isRowMajor(context, i))
      stage(context.outArgument(i));
  gpu::BarrierOp::create(context.builder(), context.loc());
}

void fuse::unstageOutputs(KernelContext &context, int64_t rowsPerBlock) {
  ElementEmitter &emitter = context.emitter;
  StagedRange range = rangeOf(context, rowsPerBlock);
  gpu::BarrierOp::create(context.builder(), context.loc());
  for (unsigned i = 0; i < context.shape.outputs.size(); ++i) {
    Value argument = context.outArgument(i);
    Value buffer = emitter.getStagedBuffer(argument);
    if (!buffer)
      continue;
    Value global = emitter.getBound(argument);
    Type type = getElementTypeOrSelf(global.getType());
    copyRange(
        context, range, type,
        [&](AffineExpr local) { return emitter.loadFrom(buffer, local); },
        [&](AffineExpr local, Value value) {
          emitter.storeTo(global, emitter.simplify(range.base + local), value);
        });
  }
}
