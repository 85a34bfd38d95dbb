// Loads and products of fragments. `ldmatrix` hands out four blocks of 8 × 8
// elements: lane l names the line l % 8 of block l / 8.
#include "Fragments.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fuse;

SmallVector<Value> fuse::loadFragment(KernelContext &context,
                                      const SharedTile &tile, AffineExpr stage,
                                      AffineExpr outer, AffineExpr depth,
                                      bool isLeft) {
  OpBuilder &builder = context.builder();
  Location loc = context.loc();
  ElementEmitter &emitter = context.emitter;
  bool alongDepth = tile.getLayout().alongDepth;
  AffineExpr lane = context.thread % 32;
  AffineExpr line = lane % 8;
  AffineExpr low = lane.floorDiv(8) % 2 * 8, high = lane.floorDiv(16) * 8;
  // Blocks follow each other down the left factor's rows first, but along the
  // right factor's depth first. A block's lines lie as those of the tile.
  AffineExpr inOuter = isLeft ? low : high, inDepth = isLeft ? high : low;
  (alongDepth ? inOuter : inDepth) = (alongDepth ? inOuter : inDepth) + line;
  AffineExpr place =
      tile.locate(stage, emitter.simplify(outer + inOuter),
                  emitter.simplify(depth + inDepth));
  VectorType type = VectorType::get({4, 2}, tile.getElement());
  Value blocks = nvgpu::LdMatrixOp::create(
      builder, loc, type, tile.getBuffer(), emitter.materializeIndex(place),
      /*transpose=*/!alongDepth, /*numTiles=*/4);
  SmallVector<Value> registers;
  for (int64_t block = 0; block < 4; ++block)
    registers.push_back(LLVM::BitcastOp::create(
        builder, loc, builder.getI32Type(),
        vector::ExtractOp::create(builder, loc, blocks, block)));
  return registers;
}

SmallVector<Value> fuse::multiplyFragments(KernelContext &context, Type element,
                                           ArrayRef<Value> left,
                                           ArrayRef<Value> right,
                                           ArrayRef<Value> sums) {
  OpBuilder &builder = context.builder();
  Location loc = context.loc();
  std::string type = element.isBF16() ? "bf16" : "f16";
  std::string code = "mma.sync.aligned.m16n8k16.row.col.f32." + type + "." +
                     type + ".f32 {$0,$1,$2,$3}, {$4,$5,$6,$7}, {$8,$9}, "
                            "{$10,$11,$12,$13};";
  SmallVector<Value> operands(left);
  llvm::append_range(operands, right);
  llvm::append_range(operands, sums);
  Type f32 = builder.getF32Type();
  Type result = LLVM::LLVMStructType::getLiteral(builder.getContext(),
                                                 {f32, f32, f32, f32});
  Operation *product = LLVM::InlineAsmOp::create(
      builder, loc, result, operands, code,
      "=f,=f,=f,=f,r,r,r,r,r,r,f,f,f,f", /*has_side_effects=*/false,
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr(), ArrayAttr());
  SmallVector<Value> results;
  for (int64_t i = 0; i < 4; ++i)
    results.push_back(LLVM::ExtractValueOp::create(
        builder, loc, product->getResult(0), i));
  return results;
}
