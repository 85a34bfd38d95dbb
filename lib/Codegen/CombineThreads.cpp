// Combining partial results of the threads of a row: butterflies of shuffles
// in a warp, one exchange through shared memory between warps. The order is
// the same in every run.
#include "fuse-mlir/Codegen/KernelCodegen.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

static Value shuffle32(OpBuilder &builder, Location loc, Value value,
                       int64_t distance) {
  return gpu::ShuffleOp::create(builder, loc, value, distance, /*width=*/32,
                                gpu::ShuffleMode::XOR)
      .getShuffleResult();
}

/// Exchanges a value of any scalar type; the hardware moves 32 bits.
static Value shuffle(OpBuilder &builder, Location loc, Value value,
                     int64_t distance) {
  Type type = value.getType();
  if (type.isF32() || type.isInteger(32))
    return shuffle32(builder, loc, value, distance);
  if (type.isIndex()) {
    Value wide =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), value);
    Value moved = shuffle(builder, loc, wide, distance);
    return arith::IndexCastOp::create(builder, loc, type, moved);
  }
  if (isa<FloatType>(type)) {
    Type bits = builder.getIntegerType(type.getIntOrFloatBitWidth());
    Value asBits = arith::BitcastOp::create(builder, loc, bits, value);
    Value moved = shuffle(builder, loc, asBits, distance);
    return arith::BitcastOp::create(builder, loc, type, moved);
  }
  Type word = builder.getI32Type();
  if (type.getIntOrFloatBitWidth() < 32) {
    Value wide = arith::ExtUIOp::create(builder, loc, word, value);
    Value moved = shuffle32(builder, loc, wide, distance);
    return arith::TruncIOp::create(builder, loc, type, moved);
  }
  Value shift = arith::ConstantOp::create(builder, loc, type,
                                          builder.getIntegerAttr(type, 32));
  Value high = arith::ShRUIOp::create(builder, loc, value, shift);
  Value low = arith::TruncIOp::create(builder, loc, word, value);
  high = arith::TruncIOp::create(builder, loc, word, high);
  low = shuffle32(builder, loc, low, distance);
  high = shuffle32(builder, loc, high, distance);
  low = arith::ExtUIOp::create(builder, loc, type, low);
  high = arith::ExtUIOp::create(builder, loc, type, high);
  high = arith::ShLIOp::create(builder, loc, high, shift);
  return arith::OrIOp::create(builder, loc, high, low);
}

static void butterfly(KernelContext &context, const Accumulators &accumulators,
                      MutableArrayRef<Value> partials, int64_t width) {
  for (int64_t distance = width / 2; distance > 0; distance /= 2) {
    SmallVector<Value> others = llvm::map_to_vector(partials, [&](Value value) {
      return shuffle(context.builder(), context.loc(), value, distance);
    });
    accumulators.combine(context, partials, others);
  }
}

Value fuse::addSharedBuffer(KernelContext &context, int64_t size, Type type) {
  // Upstream's dynamic memory begins at the first static byte: never both.
  if (context.sharesMemory || context.dynamicSharedBytes > 0)
    return addDynamicBuffer(context, size, type);
  MLIRContext *mlirContext = context.function.getContext();
  Attribute space = gpu::AddressSpaceAttr::get(
      mlirContext, gpu::GPUDialect::getWorkgroupAddressSpace());
  unsigned number = context.function.getNumWorkgroupAttributions();
  Value buffer = context.function.addWorkgroupAttribution(
      MemRefType::get({size}, type, MemRefLayoutAttrInterface(), space),
      context.loc());
  context.function.setWorkgroupAttributionAttr(
      number, "llvm.align",
      IntegerAttr::get(IntegerType::get(mlirContext, 64), 16));
  return buffer;
}

Value fuse::addDynamicBuffer(KernelContext &context, int64_t size, Type type) {
  OpBuilder &builder = context.builder();
  Location loc = context.loc();
  Attribute space = gpu::AddressSpaceAttr::get(
      builder.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  int64_t bytes =
      size * (type.isIndex() ? 8 : type.getIntOrFloatBitWidth() / 8);
  Value all = gpu::DynamicSharedMemoryOp::create(
      builder, loc,
      MemRefType::get({ShapedType::kDynamic}, builder.getI8Type(),
                      MemRefLayoutAttrInterface(), space));
  Value offset =
      arith::ConstantIndexOp::create(builder, loc, context.dynamicSharedBytes);
  context.dynamicSharedBytes += llvm::alignTo(bytes, 16);
  return memref::ViewOp::create(
      builder, loc,
      MemRefType::get({size}, type, MemRefLayoutAttrInterface(), space), all,
      offset, ValueRange());
}

/// One partial result of each of `warps` warps beside each other: exchanged
/// through shared memory, then combined by every warp for itself, so that one
/// barrier is enough. Each exchange has memory of its own.
static void combineWarps(KernelContext &context,
                         const Accumulators &accumulators,
                         MutableArrayRef<Value> partials, int64_t warps) {
  ElementEmitter &emitter = context.emitter;
  AffineExpr lane = emitter.simplify(context.thread % 32);
  AffineExpr warp = emitter.simplify(context.thread.floorDiv(32));
  SmallVector<Value> buffers;
  for (const Accumulator &accumulator : accumulators)
    buffers.push_back(addSharedBuffer(
        context, llvm::divideCeil(context.schedule.getThreads(), 32),
        accumulator.getStoredType()));
  emitter.emitIf(emitter.isWithin(lane, 0, 0), [&] {
    for (auto [accumulator, buffer, partial] :
         llvm::zip(accumulators, buffers, partials))
      storePartial(context, accumulator, buffer, warp, partial);
  });
  gpu::BarrierOp::create(context.builder(), context.loc());
  // Each group of `width` lanes holds all partial results.
  int64_t width = llvm::PowerOf2Ceil(warps);
  AffineExpr slot = emitter.simplify(lane % width);
  Condition exists = emitter.isWithin(slot, 0, warps - 1);
  AffineExpr source = emitter.simplify(warp.floorDiv(warps) * warps) +
                      emitter.clamp(slot, 0, warps - 1);
  for (auto [accumulator, buffer, partial] :
       llvm::zip(accumulators, buffers, partials))
    partial = selectExisting(context, accumulator, exists,
                             loadPartial(context, accumulator, buffer, source));
  butterfly(context, accumulators, partials, width);
}

SmallVector<Value> fuse::combineAcrossThreads(KernelContext &context,
                                              const Accumulators &accumulators,
                                              ArrayRef<Value> partials,
                                              int64_t group) {
  SmallVector<Value> totals(partials);
  butterfly(context, accumulators, totals, std::min<int64_t>(group, 32));
  if (group > 32)
    combineWarps(context, accumulators, totals, group / 32);
  return totals;
}
