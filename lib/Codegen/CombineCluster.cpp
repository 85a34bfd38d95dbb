// Totals of the blocks of a cluster. Each block leaves its own in its shared
// memory; after a barrier of the cluster all threads read those of all blocks
// and combine them in the order of the blocks' numbers, so that every block has
// the same result.
#include "fuse-mlir/Codegen/KernelCodegen.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::fuse;

static Value emitAsm(KernelContext &context, TypeRange results,
                     ValueRange operands, StringRef text,
                     StringRef constraints) {
  LLVM::InlineAsmOp op = LLVM::InlineAsmOp::create(
      context.builder(), context.loc(), results, operands, text, constraints,
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
  return results.empty() ? Value() : op.getResult(0);
}

void fuse::emitClusterBarrier(KernelContext &context) {
  emitAsm(context, {}, {}, "barrier.cluster.arrive.release.aligned;",
          "~{memory}");
  emitAsm(context, {}, {}, "barrier.cluster.wait.acquire.aligned;",
          "~{memory}");
}

void fuse::requireCluster(KernelContext &context, int64_t blocks) {
  context.function->setAttr(
      "nvvm.cluster_dim",
      DenseI32ArrayAttr::get(context.function.getContext(),
                             {static_cast<int32_t>(blocks), 1, 1}));
}

/// Element `place` of `buffer`, of shared memory, in block `rank`.
static Value loadFromBlock(KernelContext &context, Value buffer,
                           AffineExpr place, int64_t rank) {
  OpBuilder &builder = context.builder();
  Location loc = context.loc();
  Type word = builder.getI32Type();
  Type type = cast<MemRefType>(buffer.getType()).getElementType();
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer);
  address = arith::IndexCastOp::create(builder, loc, word, address);
  int64_t bytes = llvm::divideCeil(width, 8);
  address = arith::AddIOp::create(
      builder, loc, address,
      context.emitter.materialize(context.emitter.simplify(place * bytes)));
  Value number =
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(rank));
  Value there = emitAsm(context, word, {address, number},
                        "mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r");
  // There are no registers of 8 bits.
  unsigned registers = std::max(width, 16u);
  std::string text =
      "ld.shared::cluster.u" + std::to_string(width) + " $0, [$1];";
  StringRef constraints = registers == 16   ? "=h,r,~{memory}"
                          : registers == 32 ? "=r,r,~{memory}"
                                            : "=l,r,~{memory}";
  Value bits = emitAsm(context, builder.getIntegerType(registers), {there},
                       text, constraints);
  if (registers != width)
    bits = arith::TruncIOp::create(builder, loc, builder.getIntegerType(width),
                                   bits);
  if (type.isIndex())
    return arith::IndexCastOp::create(builder, loc, type, bits);
  if (isa<FloatType>(type))
    return arith::BitcastOp::create(builder, loc, type, bits);
  return bits;
}

SmallVector<Value> fuse::loadPartials(KernelContext &context,
                                      const Accumulators &accumulators,
                                      ArrayRef<Value> buffers, AffineExpr place,
                                      int64_t block) {
  SmallVector<Value> partials;
  for (auto [accumulator, buffer] : llvm::zip(accumulators, buffers)) {
    Value value = loadFromBlock(context, buffer, place, block);
    if (value.getType() != accumulator.getType())
      value = arith::TruncIOp::create(context.builder(), context.loc(),
                                      accumulator.getType(), value);
    partials.push_back(value);
  }
  return partials;
}

SmallVector<Value> fuse::combineAcrossCluster(KernelContext &context,
                                              const Accumulators &accumulators,
                                              ArrayRef<Value> partials,
                                              int64_t blocks) {
  ElementEmitter &emitter = context.emitter;
  AffineExpr zero = emitter.constant(0);
  SmallVector<Value> buffers;
  for (const Accumulator &accumulator : accumulators)
    buffers.push_back(addSharedBuffer(context, 1, accumulator.getStoredType()));
  emitter.emitIf(emitter.isWithin(context.thread, 0, 0), [&] {
    for (auto [accumulator, buffer, partial] :
         llvm::zip(accumulators, buffers, partials))
      storePartial(context, accumulator, buffer, zero, partial);
  });
  emitClusterBarrier(context);
  SmallVector<Value> totals;
  for (int64_t rank = 0; rank < blocks; ++rank) {
    SmallVector<Value> others =
        loadPartials(context, accumulators, buffers, zero, rank);
    if (totals.empty())
      totals = others;
    else
      accumulators.combine(context, totals, others);
  }
  return totals;
}
